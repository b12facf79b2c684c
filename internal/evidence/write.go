package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"path"
	"strings"

	"fairdeck/internal/store"
)

// The versions of the formats in an evidence file.
const (
	ManifestSchema = "evidence/v1"
	ChainSchema    = "chain/v1"
	PersonSchema   = "person/v1"
)

// The names of the fixed parts.
const (
	CheckName    = "check.json"
	ChainName    = "chain.json"
	PersonName   = "person.json"
	ManifestName = "manifest.json"
)

// sealPrefix begins the zip's comment; 64 hexadecimal digits follow.
const sealPrefix = "fairdeck evidence/v1 sha256:"

const sealSize = len(sealPrefix) + 2*sha256.Size

// Bundle is what goes into an evidence file.
type Bundle struct {
	Check  store.Record
	Ledger []store.Record // rulings that rest on the check
	Head   store.Head     // of the chain when it was exported
	// Person is who the check is about; nil makes the file anonymous: it then
	// holds a token and a commitment, neither of which says who that is.
	Person *store.Person
	Files  []File // what was rendered, such as report.html
	// Open opens a picture of the records.
	Open func(store.Picture) (io.ReadCloser, error)
}

// File is a rendered file.
type File struct {
	Name string // letters, digits and . _ -
	Data []byte
}

// manifest lists the parts; it is the last of them.
type manifest struct {
	Schema string `json:"schema"`
	Parts  []part `json:"parts"`
}

type part struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// chain holds the envelopes, whose hashes bind everything else to the store.
type chain struct {
	Schema string     `json:"schema"`
	Links  []link     `json:"links"`
	Head   store.Head `json:"head"`
}

type link struct {
	Body     string `json:"body"`     // the part that holds the record's body
	Envelope string `json:"envelope"` // byte for byte
	Hash     string `json:"hash"`
}

type person struct {
	Schema   string `json:"schema"`
	Token    string `json:"token"`
	Name     string `json:"name"`
	PlayerID string `json:"player_id"`
	Salt     string `json:"salt"`
}

// Write writes an evidence file and returns its seal, the hexadecimal SHA-256
// that its comment holds. Pictures are read twice, once to learn their size.
func Write(w io.Writer, b Bundle) (seal string, err error) {
	h := sha256.New()
	z := &zipWriter{w: io.MultiWriter(w, h)}
	out := &bundleWriter{z: z}
	if err := out.all(b); err != nil {
		return "", fmt.Errorf("evidence: %w", err)
	}
	if err := z.close(sealSize); err != nil {
		return "", fmt.Errorf("evidence: %w", err)
	}
	seal = hex.EncodeToString(h.Sum(nil))
	if _, err := io.WriteString(w, sealPrefix+seal); err != nil {
		return "", fmt.Errorf("evidence: %w", err)
	}
	return seal, nil
}

type bundleWriter struct {
	z     *zipWriter
	parts []part
}

func (o *bundleWriter) all(b Bundle) error {
	if b.Check.Envelope.Kind != store.Check {
		return fmt.Errorf("record %s is not a check", b.Check.Envelope.ID)
	}
	c := chain{Schema: ChainSchema, Head: b.Head}
	records := append([]store.Record{b.Check}, b.Ledger...)
	for i, r := range records {
		name := CheckName
		if i > 0 {
			name = fmt.Sprintf("ledger/%d.json", r.Envelope.Seq)
		}
		if err := o.bytes(name, r.Body); err != nil {
			return err
		}
		c.Links = append(c.Links, link{Body: name, Envelope: string(r.Raw), Hash: r.Hash})
	}
	for _, f := range b.Files {
		if strings.ContainsAny(f.Name, "/") {
			return fmt.Errorf("%q cannot be the name of a rendered file", f.Name)
		}
		if err := o.bytes(f.Name, f.Data); err != nil {
			return err
		}
	}
	written := map[string]bool{}
	for _, r := range records {
		for _, p := range r.Envelope.Pictures {
			if name := pictureName(p); written[name] {
				continue
			} else {
				written[name] = true
			}
			if err := o.picture(b, p); err != nil {
				return err
			}
		}
	}
	if err := o.json(ChainName, c); err != nil {
		return err
	}
	if b.Person != nil {
		p := person{PersonSchema, b.Person.Token, b.Person.Name, b.Person.PlayerID, hex.EncodeToString(b.Person.Salt)}
		if err := o.json(PersonName, p); err != nil {
			return err
		}
	}
	return o.json(ManifestName, manifest{ManifestSchema, o.parts})
}

func (o *bundleWriter) json(name string, v any) error {
	data, err := marshal(v)
	if err != nil {
		return err
	}
	return o.bytes(name, data)
}

// marshal is the one form in which this package writes JSON.
func marshal(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return append(data, '\n'), err
}

func (o *bundleWriter) bytes(name string, data []byte) error {
	return o.stream(name, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }, nil)
}

func (o *bundleWriter) picture(b Bundle, p store.Picture) error {
	return o.stream(pictureName(p), func() (io.ReadCloser, error) { return b.Open(p) }, &p)
}

// The rendered files that are stored with a check keep their names in an
// evidence file.
const (
	ReportName = "report.html"
	RulingName = "ruling.html"
	TableName  = "sleeves.csv"
)

// rendered are the media types of the rendered files.
func rendered(p store.Picture) bool {
	switch p.Name {
	case ReportName, RulingName:
		return p.Type == "text/html"
	case TableName:
		return p.Type == "text/csv"
	}
	return false
}

// pictureName is the place of a picture, or of another file stored with a
// record: its hash, so that no name from outside becomes a path, with an
// ending that lets it be opened.
func pictureName(p store.Picture) string {
	if rendered(p) {
		return p.Name
	}
	ending := map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/tiff": ".tiff"}[p.Type]
	return path.Join("pictures", p.SHA256+ending)
}

// stream writes a part that is opened twice. want is what a picture must be.
func (o *bundleWriter) stream(name string, open func() (io.ReadCloser, error), want *store.Picture) error {
	var h hash.Hash = sha256.New()
	crc := crc32.NewIEEE()
	size, err := copyOf(io.MultiWriter(h, crc), open)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	sha := hex.EncodeToString(h.Sum(nil))
	if want != nil && (sha != want.SHA256 || size != want.Size) {
		return fmt.Errorf("picture %q has changed since it was stored: %w", want.Name, store.ErrPicture)
	}
	in, err := open()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer in.Close()
	if err := o.z.add(name, size, crc.Sum32(), in); err != nil {
		return err
	}
	if name != ManifestName {
		o.parts = append(o.parts, part{name, sha, size})
	}
	return nil
}

func copyOf(to io.Writer, open func() (io.ReadCloser, error)) (int64, error) {
	in, err := open()
	if err != nil {
		return 0, err
	}
	defer in.Close()
	return io.Copy(to, in)
}
