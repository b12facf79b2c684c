package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"fairdeck/internal/store"
)

// maxJSON bounds the parts that are read into memory; a check of a large deck
// has below 5 MB.
const maxJSON = 64 << 20

// Problem is something in the file that is not as it was written.
type Problem struct {
	// Part names where: a part of the file ("check.json", "pictures/..."),
	// "header of PART", "directory", "end record", "seal", or "file".
	Part string
	Text string
}

func (p Problem) String() string { return p.Part + ": " + p.Text }

// Result is what Verify found.
type Result struct {
	Seal  string // as the file states it
	Parts []string
	// Check and Head name the check's place in the store's chain. Compare them
	// with the store, or with another file of the tournament.
	Check     store.Head
	CheckID   string
	Head      store.Head
	Anonymous bool
	Problems  []Problem // empty: the file is as it was written
}

// Intact reports whether nothing has changed.
func (r Result) Intact() bool { return len(r.Problems) == 0 }

// VerifyFile verifies the file at a path.
func VerifyFile(path string) (Result, error) {
	f, err := os.Open(path)
	if err != nil {
		return Result{}, fmt.Errorf("evidence: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Result{}, fmt.Errorf("evidence: %w", err)
	}
	if info.IsDir() {
		return Result{}, fmt.Errorf("evidence: %s is a folder; give the evidence file", path)
	}
	return Verify(f, info.Size())
}

// Verify checks an evidence file of the given size. The error is about
// reading it; what is wrong with the file is in Problems.
func Verify(r io.ReaderAt, size int64) (Result, error) {
	probe := make([]byte, 1)
	if _, err := r.ReadAt(probe, 0); err != nil && size > 0 {
		return Result{}, fmt.Errorf("evidence: %w", err)
	}
	tellings, cut := accounts(r, size)
	if cut != nil {
		v := &verifier{r: r}
		v.add(cut.part, "%s", cut.text)
		v.seal(size)
		return v.Result, nil
	}
	var best Result
	for i, entries := range tellings {
		if v := verifyParts(r, size, entries); i == 0 || len(v.Problems) < len(best.Problems) {
			best = v
		}
	}
	return best, nil
}

// verifyParts verifies the file as if these were its parts.
func verifyParts(r io.ReaderAt, size int64, entries []entry) Result {
	v := &verifier{r: r, content: map[string]entry{}, bad: map[string]bool{}}
	for _, d := range layout(r, size, entries) {
		v.add(d.part, "%s", d.text)
	}
	for _, e := range entries {
		v.Parts = append(v.Parts, e.name)
		v.content[e.name] = e
	}
	v.manifest(entries)
	v.chain()
	v.seal(size)
	return v.Result
}

type verifier struct {
	Result
	r       io.ReaderAt
	content map[string]entry
	bad     map[string]bool // parts whose content is known to be changed
}

func (v *verifier) add(part, format string, args ...any) {
	v.Problems = append(v.Problems, Problem{part, fmt.Sprintf(format, args...)})
}

// seal checks the comment: whatever was not found part by part shows here.
func (v *verifier) seal(size int64) {
	at := size - int64(sealSize)
	if at < 0 {
		return // too short; said already
	}
	comment := string(readAt(v.r, at, sealSize))
	stated, ok := strings.CutPrefix(comment, sealPrefix)
	if !ok || strings.Trim(stated, "0123456789abcdef") != "" {
		v.add("seal", "is not a seal of this format; it was changed or the file was cut")
		return
	}
	v.Seal = stated
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(v.r, 0, at)); err != nil {
		v.add("file", "cannot be read to its end: %v", err)
		return
	}
	if hex.EncodeToString(h.Sum(nil)) == stated {
		return
	}
	if len(v.Problems) == 0 { // every part fits, so it is the seal that does not
		v.add("seal", "was changed")
	}
}

// manifest checks every part against the manifest.
func (v *verifier) manifest(entries []entry) {
	var m manifest
	known := v.parse(ManifestName, &m) && m.Schema == ManifestSchema
	if !known && !v.bad[ManifestName] {
		v.add(ManifestName, "is missing or not a manifest of this format")
	}
	listed := map[string]part{}
	for _, p := range m.Parts {
		listed[p.Name] = p
	}
	for i, e := range entries {
		if e.name == ManifestName {
			if i != len(entries)-1 {
				v.add("directory", "parts follow the manifest")
			}
			continue
		}
		crcFits := e.crcFits(v.r)
		p, ok := listed[e.name]
		delete(listed, e.name)
		h := sha256.New()
		_, err := io.Copy(h, e.content(v.r))
		fits := err == nil && ok && p.SHA256 == hex.EncodeToString(h.Sum(nil)) && p.Size == int64(e.size)
		switch {
		case !crcFits && (!fits || !known):
			v.bad[e.name] = true
			v.add(e.name, "its content was changed")
		case !crcFits: // the content is right by a stronger hash, so the checksum is not
			v.add("header of "+e.name, "its checksum was changed")
		case known && !ok:
			v.add(e.name, "is not in the manifest; it was added")
		case known && !fits:
			v.bad[e.name] = true
			v.add(e.name, "is not what the manifest says")
		}
	}
	if known {
		for _, p := range m.Parts {
			if _, missing := listed[p.Name]; missing {
				v.add(clean(p.Name), "is in the manifest and not in the file; it was removed")
			}
		}
	}
}

// parse reads a JSON part strictly. It notes a content that was changed.
func (v *verifier) parse(name string, into any) bool {
	e, ok := v.content[name]
	if !ok {
		return false
	}
	if e.size > maxJSON {
		v.add(name, "is larger than such a part can be")
		v.bad[name] = true
		return false
	}
	if !e.crcFits(v.r) {
		if !v.bad[name] {
			v.add(name, "its content was changed")
		}
		v.bad[name] = true
		return false
	}
	data, err := io.ReadAll(e.content(v.r))
	if err != nil {
		v.add(name, "cannot be read: %v", err)
		return false
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		v.add(name, "cannot be read: %v", err)
		v.bad[name] = true
		return false
	}
	again, err := marshal(into)
	if err != nil || !bytes.Equal(again, data) {
		v.add(name, "is not in its own form; it was edited")
		v.bad[name] = true
		return false
	}
	return true
}

// chain checks that the records are what their envelopes say.
func (v *verifier) chain() {
	var c chain
	if !v.parse(ChainName, &c) {
		if !v.bad[ChainName] {
			v.add(ChainName, "is missing")
		}
		return
	}
	if c.Schema != ChainSchema || len(c.Links) == 0 {
		v.add(ChainName, "is not a chain of this format")
		return
	}
	v.Head = c.Head
	var who *store.Commitment
	wanted := map[string]bool{ManifestName: true, ChainName: true, PersonName: true}
	for i, l := range c.Links {
		env, err := store.ParseEnvelope([]byte(l.Envelope))
		if err != nil || store.HashEnvelope([]byte(l.Envelope)) != l.Hash {
			v.add(ChainName, "the envelope of %s was changed", clean(l.Body))
			continue
		}
		if env.Seq > c.Head.Seq || env.Seq == c.Head.Seq && l.Hash != c.Head.Hash {
			v.add(ChainName, "record %d does not belong to the chain that ends at %d", env.Seq, c.Head.Seq)
		}
		if i == 0 {
			v.Check, v.CheckID, who = store.Head{Seq: env.Seq, Hash: l.Hash}, env.ID, env.Player
			if env.Kind != store.Check || l.Body != CheckName {
				v.add(ChainName, "does not begin with the check")
			}
		}
		wanted[l.Body] = true
		v.body(l.Body, env.BodySHA256)
		for _, p := range env.Pictures {
			name := pictureName(p)
			wanted[name] = true
			v.picture(name, p)
		}
	}
	for name := range v.content {
		if strings.HasPrefix(name, "pictures/") && !wanted[name] {
			v.add(name, "belongs to no record of the file")
		}
	}
	v.person(who)
}

// body checks a record's body against its envelope.
func (v *verifier) body(name, sha string) {
	e, ok := v.content[name]
	if !ok {
		v.add(clean(name), "is missing")
		return
	}
	if v.bad[name] {
		return // said already
	}
	h := sha256.New()
	if _, err := io.Copy(h, e.content(v.r)); err != nil || hex.EncodeToString(h.Sum(nil)) != sha {
		v.add(name, "is not what was stored")
	}
}

func (v *verifier) picture(name string, p store.Picture) {
	e, ok := v.content[name]
	if !ok {
		v.add(clean(name), "is missing")
		return
	}
	if int64(e.size) != p.Size {
		v.add(name, "is not as large as the picture that was stored")
		return
	}
	v.body(name, p.SHA256)
}

// person checks that a name in the file is the one the store committed to.
func (v *verifier) person(who *store.Commitment) {
	if _, ok := v.content[PersonName]; !ok {
		v.Anonymous = true
		return
	}
	var p person
	if !v.parse(PersonName, &p) {
		return
	}
	salt, err := hex.DecodeString(p.Salt)
	if err != nil || p.Schema != PersonSchema || who == nil || p.Token != who.Token || store.Commit(salt, p.Name, p.PlayerID) != who.Commitment {
		v.add(PersonName, "is not the player whom the record is about")
	}
}
