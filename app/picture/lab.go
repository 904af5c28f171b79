package picture

import (
	"fmt"
	"math"
	"strings"

	"baca/algo/chart"
	"baca/algo/decide"
	"baca/app/run"
	"baca/app/words"
	"baca/wasm/message"
)

// A Structure is a graph as the model reads it: nodes and uniform edges.
type Structure struct {
	Frame
	Title  string
	Album  *Album
	SMILES string // the record's, for its drawing
	Trace  *message.Traced
	Lit    int // the highlighted node, −1 for none
}

// SVG draws the structure, or nothing if it is too large.
func (g Structure) SVG(saved bool) string {
	t := g.Trace
	if len(t.Atoms) == 0 || len(t.Atoms) > mostSketched {
		return ""
	}
	d := sketch(len(t.Atoms), t.Bonds)
	if thumb := g.Album.thumbs[g.SMILES]; thumb != nil && thumb.fits(t.Atoms) {
		d.Layout = thumb.layout
	}
	d.Names = t.Atoms
	d.Frame, d.Title, d.Lit, d.Saved = g.Frame, g.Title, g.Lit, saved
	return Pen(d)
}

// A Map is one view of the embeddings: training set, batch, and a record. Or it is of the keys.
type Map struct {
	Title         string
	On            message.Map
	Verdict       func(record int32) decide.Verdict
	Shown         int // 0 for the training set, 1 with the batch, 2 with the record
	Width, Height float64
}

// axes returns the scales of both axes over all places.
func (m Map) axes() (x, y chart.Scale) {
	var xs, ys []float64
	for _, places := range []message.Singles{m.On.Training, m.On.Batch, m.On.At} {
		for i := 0; i+1 < len(places); i += 2 {
			xs, ys = append(xs, float64(places[i])), append(ys, float64(places[i+1]))
		}
	}
	const margin = 12
	lowX, highX := Spread(xs)
	lowY, highY := Spread(ys)
	return chart.Scale{Low: lowX, High: highX, From: margin, To: m.Width - margin},
		chart.Scale{Low: lowY, High: highY, From: m.Height - 24, To: margin}
}

// SVG draws what is shown, all dots of one kind as a single path, with lines from the record to its nearest.
func (m Map) SVG(saved bool) string {
	w := newSVG(m.Width, m.Height, m.words(), saved)
	x, y := m.axes()
	w.rect("map-paper", 0.5, 0.5, m.Width-1, m.Height-20)
	at := func(places message.Singles, i int) (float64, float64) {
		return x.At(float64(places[2*i])), y.At(float64(places[2*i+1]))
	}
	var grey strings.Builder
	for i := range len(m.On.Training) / 2 {
		px, py := at(m.On.Training, i)
		dot(&grey, px, py, 2)
	}
	fmt.Fprintf(w, `<path %s d="%s"/>`, w.role("map-known"), grey.String())
	if m.Shown > 0 {
		kinds := map[string]*strings.Builder{}
		for i, record := range m.On.Records {
			v := m.Verdict(record)
			if kinds[role(v)] == nil {
				kinds[role(v)] = &strings.Builder{}
			}
			px, py := at(m.On.Batch, i)
			mark(kinds[role(v)], v, px, py, 4)
		}
		for _, v := range []decide.Verdict{decide.Undecided, decide.Borderline, decide.Inside, decide.Outside} {
			if b := kinds[role(v)]; b != nil {
				fmt.Fprintf(w, `<path %s d="%s"/>`, w.role(role(v)), b.String())
			}
		}
	}
	if m.Shown > 1 && len(m.On.At) == 2 {
		px, py := at(m.On.At, 0)
		for i := range len(m.On.Nearest) / 2 {
			nx, ny := at(m.On.Nearest, i)
			w.line("axis", 1, px, py, nx, ny)
			w.circle("map-near", nx, ny, 3.5)
		}
		w.circle("chosen", px, py, 8)
		w.circle("grip", px, py, 3)
	}
	w.text("label", 4, m.Height-4, "1st axis, "+words.Percent(round2(m.On.ShareX))+" of the spread")
	w.text("label-end", m.Width-4, m.Height-4, "2nd axis, "+words.Percent(round2(m.On.ShareY)))
	return w.end()
}

func round2(x float64) float64 { return math.Round(100*x) / 100 }

func (m Map) words() string {
	return fmt.Sprintf("%s: %d of the training set, %d others", m.Title, len(m.On.Training)/2, len(m.On.Records))
}

// Parting is the strip of S_Pre, coloured by both parts. They follow S_Pre and the bank, so they may overlap in it.
func Parting(s *run.Session, width, height float64) Strip {
	c := Strip{width: width, height: height, title: "S_Pre of the batch with " + s.Rows.ShortName(s.Inspector.Record), xlabel: "S_Pre", score: s.Rows.Batch.Numbers("s_pre"), threshold: math.NaN(), selected: s.Inspector.Record, fixed: true}
	c.verdict = make([]decide.Verdict, len(c.score))
	for i := range c.verdict {
		c.verdict[i] = decide.Borderline
	}
	for _, i := range s.Parted.Inside {
		c.verdict[i] = decide.Inside
	}
	for _, i := range s.Parted.Outside {
		c.verdict[i] = decide.Outside
	}
	return c
}
