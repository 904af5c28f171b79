package table

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"baca/algo/decide"
	"baca/algo/property"
	"baca/algo/table"
	"baca/app/words"
	"baca/wasm/message"
)

// A Head is the head of a column. By is the column's name in files, empty for the order of the input.
type Head struct {
	By, Class, Name, About string
	most                   bool // the highest values come first
}

// heads are of the columns that the page knows.
var heads = []Head{
	{"", "c-draw", "Structure", "Sorts as in the input", false},
	{"id", "c-name", "Name", "", false},
	{"p_value", "c-p number", "p-value", "How often a graph like the training set would score at least this high", false},
	{"q_value", "c-q number", "q-value", "The lowest rate of false discoveries at which this one is called outside", false},
	{"score", "c-score", "Score", "Higher is further outside", true},
	{"verdict", "c-verdict", "Verdict", "", true},
	{"alone_p", "c-alone number", "By itself", "What each is without the list, and its p", false},
	{"predicted", "c-prediction number", "Prediction", "From your column, with an interval of the observed value", false},
	{"expected_error", "c-error number", "Error", "The mean error of held-out molecules so far outside", true},
	{"nearest", "c-nearest", "Nearest measured", "The most similar training molecules, with what was measured", false},
	{"trust", "c-trust", "Trust", "By how many held-out molecules so far outside have a large error", true},
	{"s_pre", "c-part number", "S_Pre", "By the frozen network alone", true},
	{"s_attn", "c-part number", "S_Attn", "By attention to the two dictionaries", true},
	{"s_baca", "c-part number", "S_BaCa", "The sum of both, equation 9 of the paper", true},
}

// elsewhere are columns with another place on the page.
var elsewhere = []string{"smiles", "error", "set_aside", "baca_p", "alone", "batch", "batch_p", "batch_foreign", "batch_verdict"}

// Heads are the columns shown in the table: the known ones that have values, then those chosen by the user.
func (t *Table) Heads() []Head {
	var list []Head
	only := map[string]bool{"q_value": t.Rule().ByRate, "nearest": t.Rows.Trust != nil, "alone_p": t.Deciding() != EachAlone}
	for _, h := range heads {
		there := h.By == "" || table.Named(t.Rows.programColumns(), h.By) != nil
		if is, known := only[h.By]; known {
			there = is
		}
		if there {
			list = append(list, h)
		}
	}
	for _, name := range t.Chosen() {
		list = append(list, t.headOf(name))
	}
	return list
}

// headOf is the head of a column without a place on the page.
func (t *Table) headOf(name string) Head {
	if p := property.ColumnOf(name); p != nil {
		return Head{By: name, Class: "c-extra number", Name: p.Title, About: p.About() + " of the compound that the model reads"}
	}
	class := "c-extra"
	if c := t.Rows.Column(name); c != nil && t.Rows.numbers(c) {
		class += " number"
	}
	return Head{By: name, Class: class, Name: words.Shorten(name, 30), About: name}
}

// numbers tells whether all texts of a column are numbers.
func (r *Rows) numbers(c *table.Column) bool {
	if c.Kind != table.Texts {
		return c.Kind == table.Numbers
	}
	is, known := r.numeric[c.Name]
	if !known {
		is = numeric(make([]uint64, len(c.Texts)), c.Texts)
		if r.numeric == nil {
			r.numeric = map[string]bool{}
		}
		r.numeric[c.Name] = is
	}
	return is
}

// Own are the names of the input's own columns.
func (r *Rows) Own() (names []string) {
	for _, c := range r.read {
		if c.Name != "id" && c.Name != "smiles" {
			names = append(names, c.Name)
		}
	}
	return names
}

// programColumns are the columns that the program computed: scores, and as far as they are there those of the batch, of
// judgements of predictions, and properties.
func (r *Rows) programColumns() []table.Column {
	all := slices.Concat(r.columns, r.Batch)
	if r.Trust != nil {
		all = append(all, r.Trust.Rows...)
	}
	if p := r.Computed[message.OfProperties].Value; p != nil {
		all = append(all, p.Rows...)
	}
	return all
}

// Column is a column by name, or nil.
func (r *Rows) Column(name string) *table.Column {
	return cmp.Or(table.Named(r.programColumns(), name), table.Named(r.read, name))
}

// placed are the columns that the page knows and shows by itself.
var placed = func() map[string]bool {
	known := map[string]bool{}
	for _, h := range heads {
		known[h.By] = true
	}
	for _, name := range elsewhere {
		known[name] = true
	}
	for _, p := range property.Columns {
		known[p.Name] = true
	}
	return known
}()

// Extra are the columns without a place on the page: the input's own and new ones.
func (r *Rows) Extra() []table.Column {
	return slices.DeleteFunc(append(r.programColumns(), r.read...), func(c table.Column) bool {
		return placed[c.Name] || strings.HasPrefix(c.Name, "interval_")
	})
}

// firstExtra are in the table until the user chooses.
const firstExtra = 3

// Chosen are the names of the extra columns in the table.
func (t *Table) Chosen() []string {
	if t.View.Columns != nil {
		return slices.DeleteFunc(slices.Clone(t.View.Columns), func(name string) bool {
			return t.Rows.Column(name) == nil && property.ColumnOf(name) == nil
		})
	}
	names := []string{}
	for _, c := range t.Rows.Extra() {
		names = append(names, c.Name)
	}
	return names[:min(len(names), firstExtra)]
}

// Choose shows an extra column in the table, or hides it.
func (t *Table) Choose(name string) {
	t.View.Columns = toggled(t.Chosen(), name)
	t.Rev.Rows++
}

// toggled is a list with an element more, or less if it has that.
func toggled[T comparable](list []T, of T) []T {
	if at := slices.Index(list, of); at >= 0 {
		return slices.Delete(slices.Clone(list), at, at+1)
	}
	return append(slices.Clone(list), of)
}

// Cell is a column's text in the table.
func Cell(c *table.Column, record int) string {
	switch {
	case c.Kind == table.Texts:
		return c.Texts[record]
	case c.Kind == table.Numbers && !math.IsNaN(c.Numbers[record]):
		return words.Number(c.Numbers[record])
	}
	return ""
}

// A Shape is how records are shown.
type Shape string

const (
	List Shape = "Table"
	Grid Shape = "Grid"
	Map  Shape = "Map"
)

// A View is an order and a filter.
type View struct {
	Shape      Shape
	Coloured   bool   // drawings have atoms coloured by what they add to the score
	By         string // see Head
	Descending bool
	Search     string           // in texts, or a structure
	Structure  bool             // Search is one, as SMARTS
	In         string           // the own column that is searched, empty for all
	Only       []decide.Verdict // shown classes; none means all
	Columns    []string         // extra ones that the user has chosen, nil before
}

// next is the view of another input.
func (v View) next() View {
	if !slices.ContainsFunc(heads, func(h Head) bool { return h.By == v.By }) {
		v.By, v.Descending = "score", true
	}
	return View{Shape: v.Shape, Coloured: v.Coloured, Structure: v.Structure, By: v.By, Descending: v.Descending}
}

// order lists the view's records. Missing values come last, equal ones in input order.
func (r *Rows) order(v View) []int32 {
	list, found := make([]int32, 0, r.Len()), r.finder(v)
	for i := range r.id {
		if (len(v.Only) == 0 || slices.Contains(v.Only, r.Class(i))) && found(i) {
			list = append(list, int32(i))
		}
	}
	if v.By == "" {
		if v.Descending {
			slices.Reverse(list)
		}
		return list
	}
	keys := slices.Clone(r.keys(v.By))
	for i, k := range keys {
		if v.Descending && k != last {
			keys[i] = last - 1 - k
		}
	}
	radix(list, keys)
	return list
}

// finder reports which records are searched for: all while a structure is not found yet.
func (r *Rows) finder(v View) func(record int) bool {
	search, matches := strings.TrimSpace(v.Search), r.Computed[message.OfStructure].Value
	switch {
	case search == "" || v.Structure && matches == nil:
		return func(int) bool { return true }
	case v.Structure:
		return func(i int) bool { return matches.Rows[0].Numbers[i] == 1 }
	}
	lower := strings.ToLower(search)
	return func(i int) bool {
		return slices.ContainsFunc(r.read, func(c table.Column) bool {
			if v.In != "" && c.Name != v.In {
				return false
			}
			if c.Name == "smiles" { // small letters are aromatic
				return strings.Contains(c.Texts[i], search)
			}
			return contains(c.Texts[i], lower)
		})
	}
}

// contains ignores case; search is lower case and not empty. Plain text is not copied: 100 000
// texts may be searched between two key presses.
func contains(text, search string) bool {
	for i := range len(text) {
		c := text[i]
		if c >= utf8.RuneSelf {
			return strings.Contains(strings.ToLower(text), search)
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c == search[0] && len(text)-i >= len(search) && strings.EqualFold(text[i:i+len(search)], search) {
			return true
		}
	}
	return false
}

// last is the key of a missing value.
const last = math.MaxUint64

// keys are a column's sort keys.
func (r *Rows) keys(by string) []uint64 {
	switch by {
	case "id":
		names := make([]string, r.Len())
		for i := range names {
			names[i] = r.Name(i)
		}
		return r.rank(by, names)
	case "verdict":
		classes := make([]decide.Verdict, r.Len())
		for i := range classes {
			classes[i] = r.Class(i)
		}
		return keysOf(ranked(classes, verdicts))
	case "score":
		return keysOf(r.Score)
	case "p_value", "q_value":
		return keysOf(r.P)
	}
	switch c := r.Column(by); {
	case c == nil:
		return keysOf(missing(r.Len()))
	case by == "trust":
		return keysOf(ranked(c.Texts, trusts))
	case c.Kind == table.Texts:
		return r.rank(by, c.Texts)
	default:
		return keysOf(c.Numbers)
	}
}

// Words in order.
var (
	verdicts = []decide.Verdict{decide.Refused, decide.Undecided, InTraining, decide.Inside, decide.Borderline, decide.Outside}
	trusts   = []string{"trust", "check", "do-not-use"}
)

// ranked returns the place in order of each value of a column, NaN for values that are not in it.
func ranked[T comparable](column, order []T) []float64 {
	ranks := missing(len(column))
	for i, x := range column {
		if at := slices.Index(order, x); at >= 0 {
			ranks[i] = float64(at)
		}
	}
	return ranks
}

// rank is keysOf for a column of texts, numerically if all are numbers.
func (r *Rows) rank(by string, texts []string) []uint64 {
	if known := r.ranks[by]; known != nil {
		return known
	}
	keys := make([]uint64, len(texts))
	if by == "id" || !numeric(keys, texts) {
		rankTexts(keys, texts)
	}
	if r.ranks == nil {
		r.ranks = map[string][]uint64{}
	}
	r.ranks[by] = keys
	return keys
}

// keysOf orders numbers, missing ones last.
func keysOf(values []float64) []uint64 {
	keys := make([]uint64, len(values))
	for i, x := range values {
		keys[i] = keyOf(x)
	}
	return keys
}

// keyOf returns an integer that orders like x, and last for NaN. The bits of positive numbers order like the numbers,
// those of negative ones the other way round.
func keyOf(x float64) uint64 {
	const signBit = 1 << 63
	if math.IsNaN(x) {
		return last
	}
	bits := math.Float64bits(x + 0) // −0 equals 0
	if bits&signBit != 0 {
		return ^bits
	}
	return bits | signBit
}

// numeric sets the keys of texts that are numbers, and of empty ones, which are last. At another text it stops and
// returns false.
func numeric(keys []uint64, texts []string) bool {
	for i, text := range texts {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil && text != "" {
			return false
		}
		keys[i] = last
		if text != "" {
			keys[i] = keyOf(x)
		}
	}
	return true
}

// rankTexts sets keys of texts, ignoring case, empty ones last.
func rankTexts(keys []uint64, texts []string) {
	list, lower := make([]int32, 0, len(texts)), make([]string, len(texts))
	for i, text := range texts {
		keys[i] = last
		if text != "" {
			lower[i], list = strings.ToLower(text), append(list, int32(i))
		}
	}
	sortTexts(list, lower, 0, make([]uint64, len(texts)))
	rank := uint64(0)
	for k, i := range list {
		if k > 0 && lower[i] != lower[list[k-1]] {
			rank++
		}
		keys[i] = rank
	}
}

// sortTexts sorts records with equal starts of that many bytes, eight more bytes at a time: a
// comparing sort of 100 000 would block the page. keys is room.
func sortTexts(list []int32, texts []string, start int, keys []uint64) {
	const fewTexts = 2000
	if len(list) < fewTexts {
		slices.SortStableFunc(list, func(a, b int32) int { return strings.Compare(texts[a], texts[b]) })
		return
	}
	more := false
	for _, i := range list {
		var next [8]byte
		copy(next[:], texts[i][min(start, len(texts[i])):])
		keys[i] = binary.BigEndian.Uint64(next[:])
		more = more || len(texts[i]) > start+8
	}
	radix(list, keys)
	for from, to := 0, 0; more && from < len(list); from = to {
		for to = from; to < len(list) && keys[list[to]] == keys[list[from]]; to++ {
		}
		sortTexts(list[from:to], texts, start+8, keys)
	}
}

// radix sorts records by keys, stably, sixteen bits at a time: a few milliseconds for 100 000,
// unlike a comparing sort in WebAssembly.
func radix(list []int32, keys []uint64) {
	spare := make([]int32, len(list))
	starts := make([]int32, 1<<16)
	for shift := 0; shift < 64; shift += 16 {
		clear(starts)
		for _, i := range list {
			starts[keys[i]>>shift&0xffff]++
		}
		at := int32(0)
		for k, n := range starts {
			starts[k] = at
			at += n
		}
		for _, i := range list {
			k := keys[i] >> shift & 0xffff
			spare[starts[k]] = i
			starts[k]++
		}
		list, spare = spare, list
	}
}
