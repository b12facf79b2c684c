package evidence

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fairdeck/internal/store"
)

var noon = time.Date(2026, 8, 6, 12, 0, 0, 0, time.UTC)

const hostileName = "../../evil<script>\u202e.png"

// bundle stores a check with pictures and a ruling, and returns what would be
// exported.
func bundle(tb testing.TB) (Bundle, *store.Store) {
	tb.Helper()
	ctx := context.Background()
	s, err := store.Open(ctx, store.Options{Dir: tb.TempDir()})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.Close() })
	p, err := s.AddPerson(ctx, "Ada Lovelace", "0042")
	if err != nil {
		tb.Fatal(err)
	}
	put := func(d store.Draft) store.Record {
		r, err := s.Append(ctx, d)
		if err != nil {
			tb.Fatal(err)
		}
		return r
	}
	put(store.Draft{Kind: store.Check, ID: "before", Created: noon, Body: []byte(`{"schema":"check/v1"}`)})
	rnd := rand.New(rand.NewPCG(1, 1))
	picture := func(name, kind string) store.Source {
		data := make([]byte, 700)
		for i := range data {
			data[i] = byte(rnd.Uint32())
		}
		return store.Source{Name: name, Type: kind, Open: store.Bytes(data)}
	}
	check := put(store.Draft{
		Kind: store.Check, ID: "check-17", Created: noon, Tournament: "cup", Player: p.Token,
		Body:     []byte(`{"schema":"check/v1","marks":[{"sleeve":17,"delta_e":14.2,"visibility":"visible"}]}`),
		Pictures: []store.Source{picture("sleeve 17.png", "image/png"), picture(hostileName, "image/jpeg"), picture("odd", "application/x"), {Name: ReportName, Type: "text/html", Open: store.Bytes([]byte("<!DOCTYPE html><title>check-17</title>"))}},
	})
	ruling := put(store.Draft{Kind: store.Ledger, ID: "ledger.1", Created: noon, Tournament: "cup", Player: p.Token, Body: []byte(`{"penalty":"caution"}`)})
	put(store.Draft{Kind: store.Check, ID: "after", Created: noon, Body: []byte(`{"schema":"check/v1"}`)})
	head, err := s.Head(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	return Bundle{
		Check: check, Ledger: []store.Record{ruling}, Head: head, Person: &p,
		Files: []File{{"receipt.html", []byte("<!DOCTYPE html><title>receipt</title>")}},
		Open:  func(p store.Picture) (io.ReadCloser, error) { return s.OpenPicture(ctx, p) },
	}, s
}

func write(tb testing.TB, b Bundle) []byte {
	tb.Helper()
	var out bytes.Buffer
	if _, err := Write(&out, b); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func verify(tb testing.TB, data []byte) Result {
	tb.Helper()
	r, err := Verify(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func TestIntact(t *testing.T) {
	b, s := bundle(t)
	data := write(t, b)
	r := verify(t, data)
	if !r.Intact() {
		t.Fatal(r.Problems)
	}
	if r.CheckID != "check-17" || r.Check != b.Check.Head() || r.Head != b.Head || r.Anonymous {
		t.Errorf("%+v", r)
	}
	if v, err := s.Verify(context.Background(), r.Check, r.Head); err != nil || len(v.Problems) != 0 {
		t.Errorf("the store does not know the heads of its own file: %v %v", err, v.Problems)
	}
	if !bytes.Equal(data, write(t, b)) {
		t.Error("writing the same twice gives different files")
	}
}

// TestAnyZipReaderOpensIt: the file must open without fairdeck.
func TestAnyZipReaderOpensIt(t *testing.T) {
	b, _ := bundle(t)
	data := write(t, b)
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in) // checks the CRC as well
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if f.Name == CheckName && !bytes.Equal(content, b.Check.Body) {
			t.Error("check.json is not the record's body")
		}
		names = append(names, f.Name)
	}
	for _, want := range []string{CheckName, "ledger/3.json", "report.html", "receipt.html", ChainName, PersonName, ManifestName} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is missing among %v", want, names)
		}
	}
	for _, n := range names {
		if !goodName(n) || strings.Contains(n, "evil") {
			t.Errorf("a name from outside became a path: %q", n)
		}
	}
}

func TestAnonymous(t *testing.T) {
	b, _ := bundle(t)
	salt := string(b.Person.Salt)
	b.Person = nil
	data := write(t, b)
	r := verify(t, data)
	if !r.Intact() || !r.Anonymous {
		t.Errorf("%+v", r)
	}
	for _, personal := range []string{"Ada", "Lovelace", "0042", salt} {
		if bytes.Contains(data, []byte(personal)) {
			t.Errorf("the anonymous file holds %q", personal)
		}
	}
}

// spans lists which bytes belong to which part, from a file known to be good.
type span struct {
	part     string
	from, to int
}

func spans(tb testing.TB, data []byte) []span {
	tb.Helper()
	entries := partsOf(tb, data)
	start := 0
	var all []span
	for _, e := range entries {
		from := int(e.offset)
		content := from + localSize + len(e.name)
		start = content + int(e.size)
		all = append(all, span{"header of " + e.name, from, content}, span{e.name, content, start})
	}
	endAt := len(data) - sealSize - endSize
	return append(all, span{"directory", start, endAt}, span{"end record", endAt, endAt + endSize}, span{"seal", endAt + endSize, len(data)})
}

func partsOf(tb testing.TB, data []byte) []entry {
	tb.Helper()
	told, cut := accounts(bytes.NewReader(data), int64(len(data)))
	if cut != nil || len(told) != 1 {
		tb.Fatal(cut, len(told))
	}
	if found := layout(bytes.NewReader(data), int64(len(data)), told[0]); len(found) != 0 {
		tb.Fatal(found)
	}
	return told[0]
}

// TestEveryFlippedBit flips single bits: every bit of a header, the end record and
// the seal, every third of the directory, and 3,000 drawn from everywhere. Each must be found, and in its part only.
func TestEveryFlippedBit(t *testing.T) {
	b, _ := bundle(t)
	data := write(t, b)
	all := spans(t, data)
	partOf := func(at int) string {
		for _, s := range all {
			if at >= s.from && at < s.to {
				return s.part
			}
		}
		t.Fatalf("byte %d belongs to no part", at)
		return ""
	}
	rnd := rand.New(rand.NewPCG(2, 3))
	var bits []int
	for range 3000 {
		bits = append(bits, rnd.IntN(8*len(data)))
	}
	for _, s := range all {
		if strings.HasPrefix(s.part, "header of check") || s.part == "end record" || s.part == "seal" || s.part == "directory" {
			step := 1
			if s.part == "directory" {
				step = 3 // it is the longest of them, and repeats itself
			}
			for at := 8 * s.from; at < 8*s.to; at += step {
				bits = append(bits, at)
			}
		}
	}
	broken := bytes.Clone(data)
	for _, bit := range bits {
		at := bit / 8
		broken[at] ^= 1 << (bit % 8)
		r := verify(t, broken)
		broken[at] ^= 1 << (bit % 8)
		want := partOf(at)
		if r.Intact() {
			t.Fatalf("bit %d (%s) was flipped and not found", bit, want)
		}
		for _, p := range r.Problems {
			if p.Part != want {
				t.Errorf("bit %d of byte %d: said %q, it was in %s", bit%8, at, p, want)
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d flips in a file of %d bytes", len(bits), len(data))
}

// TestChangedBytes replaces bytes, inserts and removes them.
func TestChangedBytes(t *testing.T) {
	b, _ := bundle(t)
	data := write(t, b)
	rnd := rand.New(rand.NewPCG(4, 5))
	for i := range 400 {
		at := rnd.IntN(len(data))
		var broken []byte
		switch i % 4 {
		case 0:
			broken = bytes.Clone(data)
			broken[at] += byte(1 + rnd.IntN(255))
		case 1:
			broken = slices.Insert(bytes.Clone(data), at, byte(rnd.Uint32()))
		case 2:
			broken = slices.Delete(bytes.Clone(data), at, at+1)
		case 3:
			broken = bytes.Clone(data[:at])
		}
		if verify(t, broken).Intact() {
			t.Fatalf("change %d at byte %d was not found", i, at)
		}
	}
	if verify(t, append(bytes.Clone(data), 0)).Intact() || verify(t, append([]byte{0}, data...)).Intact() {
		t.Error("a byte at an end was not found")
	}
}

// rewrite writes a changed file with manifest, checksums and seal that fit,
// as somebody with this program could. An empty name leaves a part out.
func rewrite(tb testing.TB, data []byte, change func(name string, content []byte) (string, []byte)) []byte {
	tb.Helper()
	entries := partsOf(tb, data)
	var out bytes.Buffer
	o := &bundleWriter{z: &zipWriter{w: &out}}
	for _, e := range entries {
		content, err := io.ReadAll(e.content(bytes.NewReader(data)))
		if err != nil {
			tb.Fatal(err)
		}
		name, content := change(e.name, content)
		if name == "" {
			continue
		}
		if name == ManifestName {
			err = o.json(ManifestName, manifest{ManifestSchema, o.parts})
		} else {
			err = o.bytes(name, content)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := o.z.close(sealSize); err != nil {
		tb.Fatal(err)
	}
	out.WriteString(sealPrefix + sha256Hex(out.Bytes()))
	return out.Bytes()
}

// TestRewrittenFiles are files whose seal, manifest and checksums all fit.
// What is bound by the chain must still be found.
func TestRewrittenFiles(t *testing.T) {
	b, s := bundle(t)
	data := write(t, b)
	keep := func(name string, content []byte) (string, []byte) { return name, content }
	if r := verify(t, rewrite(t, data, keep)); !r.Intact() {
		t.Fatal("rewriting without a change:", r.Problems)
	}
	edit := func(part string, f func([]byte) []byte) func(string, []byte) (string, []byte) {
		return func(name string, content []byte) (string, []byte) {
			if strings.HasPrefix(name, part) {
				content = f(content)
			}
			return name, content
		}
	}
	replace := func(old, new string) func([]byte) []byte {
		return func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(old), []byte(new)) }
	}
	for name, c := range map[string]struct {
		change func(string, []byte) (string, []byte)
		part   string
	}{
		"a number":         {edit(CheckName, replace("14.2", "4.2")), CheckName},
		"a ruling":         {edit("ledger/", replace("caution", "warning")), "ledger/3.json"},
		"a picture":        {edit("pictures/", func(b []byte) []byte { return append(b[:0:0], b[1:]...) }), "pictures/"},
		"an envelope":      {edit(ChainName, replace("cup", "cap")), ChainName},
		"another name":     {edit(PersonName, replace("Ada", "Eve")), PersonName},
		"another player":   {edit(PersonName, replace("p-", "q-")), PersonName},
		"removed picture":  {without("pictures/"), "pictures/"},
		"the report":       {edit(ReportName, replace("17", "18")), ReportName},
		"removed ruling":   {without("ledger/"), "ledger/3.json"},
		"removed chain":    {without(ChainName), ChainName},
		"removed manifest": {without(ManifestName), ManifestName},
	} {
		r := verify(t, rewrite(t, data, c.change))
		if !slices.ContainsFunc(r.Problems, func(p Problem) bool { return strings.HasPrefix(p.Part, c.part) }) {
			t.Errorf("%s: %v, want a problem in %s", name, r.Problems, c.part)
		}
	}
	// A chain that was forged whole verifies by itself; the store tells.
	forged := b
	forged.Check.Body = []byte(`{"schema":"check/v1","marks":[]}`)
	env := forged.Check.Envelope
	env.BodySHA256 = sha256Hex(forged.Check.Body)
	forged.Check.Raw = mustMarshal(t, env)
	forged.Check.Hash = store.HashEnvelope(forged.Check.Raw)
	r := verify(t, write(t, forged))
	if !r.Intact() {
		t.Fatal("the forged file should look whole:", r.Problems)
	}
	v, err := s.Verify(context.Background(), r.Check)
	if err != nil || len(v.Problems) != 1 || v.Problems[0].Part != "head" {
		t.Errorf("the store did not find the forged check: %v %v", err, v.Problems)
	}
}

// without leaves out the parts that begin so.
func without(prefix string) func(string, []byte) (string, []byte) {
	return func(name string, content []byte) (string, []byte) {
		if strings.HasPrefix(name, prefix) {
			return "", nil
		}
		return name, content
	}
}

func TestWriteRefuses(t *testing.T) {
	good, s := bundle(t)
	for name, change := range map[string]func(*Bundle){
		"not a check":    func(b *Bundle) { b.Check = b.Ledger[0] },
		"path as name":   func(b *Bundle) { b.Files = []File{{"../x.html", nil}} },
		"folder in name": func(b *Bundle) { b.Files = []File{{"pictures/x", nil}} },
		"hidden name":    func(b *Bundle) { b.Files = []File{{".x", nil}} },
		"taken name":     func(b *Bundle) { b.Files = []File{{"CHECK.json", nil}} },
		"picture gone":   func(b *Bundle) { b.Open = func(store.Picture) (io.ReadCloser, error) { return nil, os.ErrNotExist } },
		"picture changed": func(b *Bundle) {
			b.Open = func(store.Picture) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("x")), nil }
		},
		"picture changing": changing,
	} {
		b := good
		change(&b)
		if _, err := Write(io.Discard, b); err == nil {
			t.Errorf("%s: written", name)
		}
	}
	if _, err := Write(failAfter(100), good); err == nil {
		t.Error("a full disk went unnoticed")
	}
	_ = s
}

// changing gives other content at every second reading.
func changing(b *Bundle) {
	open, n := b.Open, 0
	b.Open = func(p store.Picture) (io.ReadCloser, error) {
		if n++; n%2 == 0 {
			return io.NopCloser(strings.NewReader(strings.Repeat("x", int(p.Size)))), nil
		}
		return open(p)
	}
}

type failAfter int

func (f failAfter) Write(p []byte) (int, error) { return 0, fmt.Errorf("no space left on device") }

func TestVerifyFile(t *testing.T) {
	b, _ := bundle(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "check-17.zip")
	if err := os.WriteFile(path, write(t, b), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := VerifyFile(path); err != nil || !r.Intact() {
		t.Error(err, r.Problems)
	}
	if _, err := VerifyFile(dir); err == nil {
		t.Error("a folder was verified")
	}
	if _, err := VerifyFile(filepath.Join(dir, "none")); err == nil {
		t.Error("a missing file was verified")
	}
	for _, content := range []string{"", "x", strings.Repeat("not a zip ", 100)} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := VerifyFile(path); err != nil || r.Intact() {
			t.Errorf("%d bytes of something else: %v, intact %v", len(content), err, r.Intact())
		}
	}
}

func FuzzVerify(f *testing.F) {
	b, _ := bundle(f)
	f.Add(write(f, b))
	b.Person, b.Ledger, b.Files = nil, nil, nil
	f.Add(write(f, b))
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18+sealSize)))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Verify(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if !r.Intact() {
			return
		}
		// Whatever is called intact is exactly what this package writes: written
		// again from its parts, it is the same.
		if !bytes.Equal(data, rewrite(t, data, func(n string, c []byte) (string, []byte) { return n, c })) {
			t.Fatal("intact, yet not in the one form")
		}
	})
}
