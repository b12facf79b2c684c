package report

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"path/filepath"
	"slices"

	"fairdeck/internal/locale"
	"fairdeck/internal/plain"
	"fairdeck/internal/record"
	"fairdeck/internal/ruling"
	"fairdeck/internal/wording"
	"fairdeck/vision/frame"
)

// How much is drawn. A report of 60 sleeves, all of them marked, stays below
// 15 MB with these.
const (
	thumbPx     = 96  // width of a sleeve in the strip, twice its size on screen
	wholePx     = 520 // width of a whole sleeve
	closePx     = 420 // largest side of an enlargement
	maxClose    = 3   // enlargements for one sleeve; further marks are listed
	maxArticles = 80  // flagged sleeves shown with pictures; further ones are listed
	minCloseMM  = 12  // side of an enlargement: a dot with its surroundings
)

// page is what the template draws. A deck in parts has one for the whole and
// one for each part, in Sections.
type page struct {
	Prefix   string // of this part's anchors; empty for the whole
	Part     string // its name
	Cards    string // how many it holds
	Compared string // with which other parts
	Sections []*page
	Related  []related // parts whose sleeves look different

	Lang   locale.Language
	Style  template.CSS
	Title  string
	Source string // what was inspected, in a few words
	Level  string
	Word   string // the level as a headline's tag
	Lines  [3]string
	Count  record.Count
	Check  *record.Check
	Rules  *ruling.View  // nil: no rule book was chosen
	Faces  *facesSection // nil: no face was seen

	Problems   []problem
	Warnings   []string
	Numbered   string // how the strip is ordered
	Strip      []thumb
	Articles   []article
	More       []article // flagged, beyond maxArticles
	Groups     []group
	GroupText  string
	CameraOnly []quiet
	Hidden     []hidden
	HiddenRest string
	Typical    []typical
	ViewBox    string // of a whole sleeve, in mm
	View       window
	HasHeat    bool
	HeatTop    float64
	Created    string
	Facts      []fact

	print locale.Printer
}

// problem is input that could not be used.
type problem struct {
	Where              string // the sleeve, a dash where it is none
	Text, Remedy, File string
}

// related shows the usual sleeves of two parts side by side.
type related struct {
	Text string
	Two  [2]usual
}

type usual struct{ Name, Typical, ViewBox, Swatch string }

type thumb struct {
	Number  int
	Picture template.URL
	Class   string // obvious, visible, turned, group, none, missing
	Word    string
	Label   string // of the picture, for who cannot see it
	Anchor  string // of its article, or empty
}

// article is a flagged sleeve.
type article struct {
	Number  int
	File    string
	Badges  []badge
	Turned  bool
	Group   string
	Whole   template.URL
	Heat    template.URL
	Typical string // id of the consensus
	Rings   []ring
	Marks   []markText
	Close   []closeUp
}

type badge struct{ Class, Word string }

// ring is an ellipse around a mark, mm.
type ring struct {
	N            int
	X, Y, RX, RY float64
	LabelX       float64
	LabelY       float64
}

type markText struct {
	N        int
	What     string // "Dot, 1.5 mm"
	Where    string
	Sentence string // where, and how well it is seen
	Class    string
	Colour   string // "ΔE 11.4 ± 0.4"
}

// closeUp is the same place on the sleeve and on the typical one.
type closeUp struct {
	N            int
	What         string
	This, Normal template.URL
	Window       window
	Ring         ring
}

type group struct {
	record.Group
	Swatch  string
	Size    int
	Text    string
	Places  string // empty for the largest group
	Typical string
	Shape   string // sentences about outline and print; empty: no difference
}

// quiet is a sleeve with marks that only the camera sees.
type quiet struct {
	Number int
	Marks  []markText
}

type hidden struct {
	Number  int
	Percent string
	Reasons string
}

type typical struct {
	ID      string
	Picture template.URL
}

func newPage(c *record.Check, e *record.Evidence, print locale.Printer) (*page, error) {
	if e == nil {
		e = &record.Evidence{}
	}
	p := &page{
		HeatTop: heatTop, Created: when(c.Created, print.Language()), Facts: facts(c, print), Source: source(c, print),
		Style: template.CSS(styleCSS + locale.FontCSS()),
	}
	p.begin(c, print)
	p.Title = print.Text("report.title", locale.Args{"verdict": p.Lines[0]})
	for i := range c.Problems {
		pr := &c.Problems[i]
		out := problem{File: plain.Line(pr.File), Where: "–"}
		switch {
		case len(c.Parts) > 0 && pr.Sleeve > 0:
			out.Where = wording.Sleeve(print, c, pr.Sleeve)
		case pr.Sleeve > 0:
			out.Where = fmt.Sprint(pr.Sleeve)
		case pr.Part != "":
			out.Where = wording.Part(print, pr.Part)
		}
		out.Text, out.Remedy = wording.Problem(print, pr)
		p.Problems = append(p.Problems, out)
	}
	for i := range c.Warnings {
		w := &c.Warnings[i]
		text := wording.Warning(print, w)
		if w.File != "" {
			text = print.Text("report.note-of", locale.Args{"file": plain.Line(w.File), "text": text})
		}
		p.Warnings = append(p.Warnings, wording.InPart(print, w.Part, text))
	}
	if len(c.Parts) == 0 {
		return p, p.draw(c, e)
	}
	pictures := e.Split(c)
	for i, v := range c.Split() {
		s, err := newSection(v, pictures[i], &c.Parts[i], print)
		if err != nil {
			return nil, err
		}
		p.Sections = append(p.Sections, s)
	}
	for i := range c.Relations {
		r := &c.Relations[i]
		out := related{Text: wording.Title(print.Stop(wording.Relation(print, r)))}
		for k, part := range r.Parts {
			at := slices.IndexFunc(p.Sections, func(s *page) bool { return s.Prefix == part+"-" })
			if at < 0 {
				continue
			}
			s := p.Sections[at]
			out.Two[k] = usual{Name: s.Part, ViewBox: s.ViewBox}
			if len(s.Check.Groups) > 0 {
				out.Two[k].Swatch = swatch(s.Check.Groups[0].Colour)
			}
			if id := fmt.Sprintf("%stypical-0", s.Prefix); slices.ContainsFunc(s.Typical, func(t typical) bool { return t.ID == id }) {
				out.Two[k].Typical = id
			}
		}
		p.Related = append(p.Related, out)
	}
	return p, nil
}

// newSection draws a part of a whole deck; v is the part as a check by itself.
func newSection(v *record.Check, e *record.Evidence, part *record.Part, print locale.Printer) (*page, error) {
	s := &page{
		Prefix: part.Part + "-", Part: wording.Title(wording.Part(print, part.Part)),
		Compared: print.Text("report.compared-alone", nil), HeatTop: heatTop,
	}
	key := "report.cards-seen"
	if part.Cards.By == record.CountedByPerson {
		key = "report.cards-told"
	}
	s.Cards = print.Text(key, locale.Args{"cards": wording.Cards(print, part.Cards)})
	if len(part.ComparedWith) > 0 {
		var names []string
		for _, other := range part.ComparedWith {
			names = append(names, wording.Part(print, other))
		}
		s.Compared = print.Text("report.compared-with", locale.Args{"parts": print.List(names)})
	}
	s.begin(v, print)
	return s, s.draw(v, e)
}

// begin fills in the verdict.
func (p *page) begin(c *record.Check, print locale.Printer) {
	p.print, p.Check = print, c
	p.Lang, p.Lines, p.Level, p.Count = print.Language(), wording.Lines(c, print), string(c.Verdict.Level), c.Verdict.Count
	if key := "level." + p.Level; print.Has(key) {
		p.Word = print.Text(key, nil)
	}
	p.Numbered = print.Text("report.numbered", nil)
	if p.Part != "" {
		p.Numbered = print.Sentences(print.Text("report.numbered-part", nil), wording.Said(print, c.Layout.Text))
	}
	if p.Count.Flagged > 0 {
		p.Numbered = print.Sentences(p.Numbered, print.Text("report.first", nil))
	}
}

// draw fills in the sleeves.
func (p *page) draw(c *record.Check, e *record.Evidence) error {
	b := &builder{c: c, e: e, page: p, print: p.print}
	for _, step := range []func() error{b.typicals, b.sleeves, b.groups, b.hidden} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// Head is a heading of the catalogues, with the part's name before it.
func (p *page) Head(key string) string {
	text := p.print.Text(key, nil)
	if p.Part == "" {
		return text
	}
	return p.print.Text("ruling.label", locale.Args{"label": p.Part, "text": text})
}

// source is the folder that the pictures have in common, or the first.
func source(c *record.Check, p locale.Printer) string {
	if len(c.Sources) == 0 {
		return p.Text("report.no-pictures", nil)
	}
	if len(c.Parts) > 0 {
		var dirs []string
		for _, s := range c.Sources {
			if d := plain.Line(filepath.Dir(s.File)); !slices.Contains(dirs, d) {
				dirs = append(dirs, d)
			}
		}
		if len(dirs) <= len(c.Parts) {
			return p.List(dirs)
		}
	}
	if c.Capture != nil {
		return plain.Line(c.Capture.Source.Name)
	}
	dir := filepath.Dir(c.Sources[0].File)
	for _, s := range c.Sources {
		if filepath.Dir(s.File) != dir {
			return p.Text("report.and-others", locale.Args{"file": plain.Line(c.Sources[0].File)})
		}
	}
	if len(c.Sources) == 1 {
		return plain.Line(c.Sources[0].File)
	}
	return plain.Line(dir)
}

type builder struct {
	c     *record.Check
	e     *record.Evidence
	page  *page
	print locale.Printer
	box   *frame.Image // any view, for its size
}

// typicals embeds each group's typical sleeve once; the page refers to it.
func (b *builder) typicals() error {
	for i, img := range b.e.Consensus {
		if img.Empty() {
			continue
		}
		uri, err := dataURI(fit(img, wholePx), 88)
		if err != nil {
			return err
		}
		b.page.Typical = append(b.page.Typical, typical{ID: fmt.Sprintf("%stypical-%d", b.page.Prefix, i), Picture: uri})
		b.box = img
	}
	for _, s := range b.e.Sleeves {
		if b.box == nil && !s.View.Empty() {
			b.box = s.View
		}
	}
	if b.box != nil && b.e.PxPerMM > 0 {
		m := b.e.MarginMM
		b.page.View = window{
			XMM: -m, YMM: -m,
			WidthMM: float64(b.box.Width) / b.e.PxPerMM, HtMM: float64(b.box.Height) / b.e.PxPerMM,
		}
		v := b.page.View
		b.page.ViewBox = fmt.Sprintf("%.3f %.3f %.3f %.3f", v.XMM, v.YMM, v.WidthMM, v.HtMM)
	}
	return nil
}

// groupIndex finds a sleeve's group in the check, -1 when it has none.
func (b *builder) groupIndex(name string) int {
	return slices.IndexFunc(b.c.Groups, func(g record.Group) bool { return g.Name == name })
}

func (b *builder) pictures(i int) record.Pictures {
	if i < len(b.e.Sleeves) {
		return b.e.Sleeves[i]
	}
	return record.Pictures{}
}

func (b *builder) sleeves() error {
	order := make([]int, len(b.c.Sleeves))
	for i := range order {
		order[i] = i
	}
	// Flagged first, the most striking first of all.
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Compare(weight(&b.c.Sleeves[y]), weight(&b.c.Sleeves[x]))
	})
	for _, i := range order {
		s := &b.c.Sleeves[i]
		pics := b.pictures(i)
		t := thumb{Number: s.Sleeve}
		t.Class, t.Word = b.standing(s)
		t.Label = b.print.Text("report.sleeve-n", locale.Args{"n": fmt.Sprint(s.Sleeve)})
		if t.Word != "" {
			t.Label = b.print.Text("report.sleeve-is", locale.Args{"n": fmt.Sprint(s.Sleeve), "word": t.Word})
		}
		if !pics.View.Empty() {
			uri, err := dataURI(fit(pics.View, thumbPx), 75)
			if err != nil {
				return err
			}
			t.Picture = uri
		}
		if s.Flagged() && !onlyGroup(s) {
			t.Anchor = fmt.Sprintf("%ssleeve-%d", b.page.Prefix, s.Sleeve)
			a, err := b.article(s, pics, len(b.page.Articles) < maxArticles)
			if err != nil {
				return err
			}
			if len(b.page.Articles) < maxArticles {
				b.page.Articles = append(b.page.Articles, a)
			} else {
				b.page.More = append(b.page.More, a)
			}
		} else if onlyGroup(s) {
			t.Anchor = b.page.Prefix + "groups"
		}
		b.page.Strip = append(b.page.Strip, t)
		if q := b.quietMarks(s); len(q.Marks) > 0 {
			b.page.CameraOnly = append(b.page.CameraOnly, q)
		}
	}
	// Places that no card was found for stand in the strip as well.
	seen := map[int]bool{}
	for i := range b.c.Sleeves {
		seen[b.c.Sleeves[i].Sleeve] = true
	}
	for _, pr := range b.c.Problems {
		if pr.Sleeve > 0 && !seen[pr.Sleeve] {
			seen[pr.Sleeve] = true
			b.page.Strip = append(b.page.Strip, thumb{Number: pr.Sleeve, Class: "missing", Word: b.print.Text("strip.missing", nil)})
		}
	}
	slices.SortFunc(b.page.CameraOnly, func(x, y quiet) int { return cmp.Compare(x.Number, y.Number) })
	return nil
}

// weight orders the strip: obvious, visible, turned, other group, not
// compared, the rest.
func weight(s *record.Sleeve) int {
	w := 0
	for _, f := range s.Flags {
		switch {
		case f == record.FlagMark && s.Visibility == "obvious":
			w = max(w, 5)
		case f == record.FlagMark:
			w = max(w, 4)
		case f == record.FlagTurned:
			w = max(w, 3)
		case f == record.FlagGroup:
			w = max(w, 2)
		}
	}
	if w == 0 && s.Unusable != "" {
		w = 1
	}
	return w
}

// standing is how the strip marks a sleeve: a class for its colour and a word
// for everyone who does not see colours.
func (b *builder) standing(s *record.Sleeve) (class, word string) {
	switch weight(s) {
	case 5:
		return "obvious", b.print.Text("strip.obvious", nil)
	case 4:
		return "visible", b.print.Text("strip.visible", nil)
	case 3:
		return "turned", b.print.Text("strip.turned", nil)
	case 2:
		return "group", b.print.Text("strip.group", locale.Args{"group": plain.Line(s.Group)})
	case 1:
		return "missing", b.print.Text("strip.missing", nil)
	}
	return "none", ""
}

// onlyGroup reports whether the group is all that sets a sleeve apart; the
// section on groups shows it, once for all of them.
func onlyGroup(s *record.Sleeve) bool {
	return len(s.Flags) == 1 && s.Flags[0] == record.FlagGroup
}

// badge names a mark by how well it is seen.
func (b *builder) badge(visibility string) string {
	if key := "badge." + visibility; b.print.Has(key) {
		return b.print.Text(key, nil)
	}
	return plain.Line(visibility)
}

func (b *builder) article(s *record.Sleeve, pics record.Pictures, draw bool) (article, error) {
	a := article{Number: s.Sleeve, File: plain.Line(filepath.Base(s.File))}
	for _, f := range s.Flags {
		switch f {
		case record.FlagMark:
			a.Badges = append(a.Badges, badge{Class: s.Visibility, Word: b.badge(s.Visibility)})
		case record.FlagTurned:
			a.Turned = true
			a.Badges = append(a.Badges, badge{Class: "turned", Word: b.print.Text("badge.turned", nil)})
		case record.FlagGroup:
			a.Group = plain.Line(s.Group)
			a.Badges = append(a.Badges, badge{Class: "group", Word: b.print.Text("badge.group", locale.Args{"group": plain.Line(s.Group)})})
		}
	}
	for i := range s.Marks {
		m := &s.Marks[i]
		a.Marks = append(a.Marks, b.mark(m, i+1))
		a.Rings = append(a.Rings, b.ring(m, i+1))
	}
	if !draw || pics.View.Empty() {
		return a, nil
	}
	var err error
	if a.Whole, err = dataURI(fit(pics.View, wholePx), 84); err != nil {
		return a, err
	}
	if len(pics.DeltaE) == pics.View.Width*pics.View.Height && len(s.Marks) > 0 {
		// The heat map is flat but for the marks: little quality is needed.
		if a.Heat, err = dataURI(heat(pics.DeltaE, pics.View.Width, pics.View.Height, wholePx*2/3), 80); err != nil {
			return a, err
		}
		b.page.HasHeat = true
	}
	var normal *frame.Image
	if g := b.groupIndex(s.Group); g >= 0 && g < len(b.e.Consensus) && !b.e.Consensus[g].Empty() {
		normal = b.e.Consensus[g]
		a.Typical = fmt.Sprintf("%stypical-%d", b.page.Prefix, g)
	}
	// Marks are sorted, strongest first: what only the camera sees is enlarged
	// where there is nothing else to show.
	show := 0
	for show < min(maxClose, len(s.Marks)) && (show == 0 || s.Marks[show].Visibility != "camera-only") {
		show++
	}
	for i := range s.Marks[:show] {
		m := &s.Marks[i]
		w := cut(pics.View, b.e.PxPerMM, b.e.MarginMM, m.CentreMM.X, m.CentreMM.Y, max(minCloseMM, 1.8*m.LengthMM))
		cl := closeUp{N: i + 1, What: a.Marks[i].What, Window: w, Ring: a.Rings[i]}
		if cl.This, err = dataURI(fit(pics.View.Crop(w.px), closePx), 90); err != nil {
			return a, err
		}
		if normal != nil && normal.Width == pics.View.Width && normal.Height == pics.View.Height {
			if cl.Normal, err = dataURI(fit(normal.Crop(w.px), closePx), 90); err != nil {
				return a, err
			}
		}
		a.Close = append(a.Close, cl)
	}
	return a, nil
}

// ring surrounds a mark with air, so that it does not hide what it shows.
func (b *builder) ring(m *record.Mark, n int) ring {
	const air, least = 1.6, 2.8 // mm
	r := ring{
		N: n, X: (m.MinMM.X + m.MaxMM.X) / 2, Y: (m.MinMM.Y + m.MaxMM.Y) / 2,
		RX: max(least, (m.MaxMM.X-m.MinMM.X)/2+air), RY: max(least, (m.MaxMM.Y-m.MinMM.Y)/2+air),
	}
	// The number stands to the right of the ring, or left where there is no
	// room.
	r.LabelX = r.X + r.RX + 2.8
	if v := b.page.View; v.WidthMM > 0 && r.LabelX > v.XMM+v.WidthMM-2 {
		r.LabelX = r.X - r.RX - 2.8
	}
	r.LabelY = r.Y
	return r
}

func (b *builder) mark(m *record.Mark, n int) markText {
	where := wording.Place(b.print, m)
	t := markText{
		N: n, What: wording.Mark(b.print, m), Where: where, Class: m.Visibility,
		Sentence: b.print.Text("report.mark-sentence", locale.Args{"where": where, "seen": wording.Seen(b.print, m.Visibility)}),
		Colour:   fmt.Sprintf("ΔE %.1f", m.MeanDeltaE),
	}
	if m.DeltaESigma > 0 {
		t.Colour += fmt.Sprintf(" ± %.1f", m.DeltaESigma)
	}
	return t
}

// quietMarks are the camera-only marks of a sleeve that is not flagged for a
// mark; a flagged sleeve's article lists all of its marks.
func (b *builder) quietMarks(s *record.Sleeve) quiet {
	q := quiet{Number: s.Sleeve}
	if slices.Contains(s.Flags, record.FlagMark) || s.Flagged() && !onlyGroup(s) {
		return q
	}
	for i := range s.Marks {
		q.Marks = append(q.Marks, b.mark(&s.Marks[i], i+1))
	}
	return q
}

func (b *builder) groups() error {
	if len(b.c.Groups) < 2 {
		return nil
	}
	var sizes []string
	for i := range b.c.Groups {
		g := b.c.Groups[i]
		sizes = append(sizes, fmt.Sprint(len(g.Sleeves)))
		out := group{Group: g, Swatch: swatch(g.Colour), Size: len(g.Sleeves)}
		out.Name = plain.Line(g.Name)
		if i == 0 {
			out.Text = b.print.Text("report.largest", nil)
		} else {
			out.Text = b.print.Text("report.differs", locale.Args{
				"what": wording.What(b.print, g.What), "delta": fmt.Sprintf("%.1f", g.DeltaE), "seen": wording.Seen(b.print, g.Visibility),
			})
			if g.Visibility == "camera-only" {
				out.Text = b.print.Clauses([]string{out.Text, b.print.Text("report.no-reason", nil)})
			}
			out.Shape = wording.Shape(b.print, &g)
			out.Places = b.print.Count("report.group-places", len(g.Sleeves), locale.Args{"places": wording.Places(b.print, g.Sleeves)})
		}
		if i < len(b.e.Consensus) && !b.e.Consensus[i].Empty() {
			out.Typical = fmt.Sprintf("%stypical-%d", b.page.Prefix, i)
		}
		b.page.Groups = append(b.page.Groups, out)
	}
	b.page.GroupText = b.print.Sentences(
		b.print.Count("report.group-count", len(sizes), locale.Args{"sizes": b.print.List(sizes)}), b.print.Text("report.groups-lead", nil))
	return nil
}

// listHidden is the part of a sleeve beyond which it is listed by itself.
const listHidden = 0.03

// hidden lists what was not inspected on sleeves that were compared: the
// larger parts one by one, the rest in a sentence.
func (b *builder) hidden() error {
	rest, most := 0, 0.0
	why := map[string]bool{}
	for i := range b.c.Sleeves {
		s := &b.c.Sleeves[i]
		sum, by := 0.0, map[string]bool{}
		for _, a := range s.NotInspected {
			sum += a.Fraction
			by[a.Reason] = true
		}
		if len(by) == 0 {
			continue
		}
		if sum <= listHidden {
			rest++
			most = max(most, sum)
			maps.Copy(why, by)
			continue
		}
		b.page.Hidden = append(b.page.Hidden, hidden{Number: s.Sleeve, Percent: fmt.Sprintf("%.0f%%", 100*sum), Reasons: reasons(b.print, slices.Sorted(maps.Keys(by)))})
	}
	if rest > 0 {
		args := locale.Args{"percent": fmt.Sprintf("%.1f", 100*most), "reasons": reasons(b.print, slices.Sorted(maps.Keys(why)))}
		b.page.HiddenRest = b.print.Count("report.hidden-other", rest, args)
		if len(b.page.Hidden) == 0 {
			b.page.HiddenRest = b.print.Count("report.hidden-rest", rest, args)
		}
	}
	return nil
}
