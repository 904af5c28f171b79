package table

import (
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
	{"expected_error", "c-error number", "Error", "The mean error of held-out molecules this far outside", true},
	{"nearest", "c-nearest", "Nearest measured", "The most similar training molecules, with what was measured", false},
	{"trust", "c-trust", "Trust", "By how often held-out molecules this far outside had a large error", true},
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
	if t.Rows.numbers(name) {
		class += " number"
	}
	return Head{By: name, Class: class, Name: words.Shorten(name, 30), About: name}
}

// numbers tells whether all texts of a column are numbers.
func (r *Rows) numbers(name string) bool {
	text, kind := r.texts(name)
	if text == nil || kind != table.Texts {
		return text != nil && kind == table.Numbers
	}
	at := r.numeric[name]
	for at >= 0 && at < r.Len() {
		at++
		if _, is := numberKey(text(at - 1)); !is {
			at = -1
		}
	}
	r.numeric[name] = at
	return at >= 0
}

// ownColumns is the first of the input's own columns among those that were read.
const ownColumns = 2

// Own are the names of the input's own columns.
func (r *Rows) Own() []string { return r.names[min(ownColumns, len(r.names)):] }

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

// texts returns what gives a record's text in a column, nil if there is no such column, and the kind of its values.
func (r *Rows) texts(name string) (func(record int) string, table.Kind) {
	if c := table.Named(r.programColumns(), name); c != nil && c.Len() > 0 {
		return func(i int) string { return Cell(c, i) }, c.Kind
	}
	if k := slices.Index(r.names, name); k >= 0 {
		return func(i int) string { return r.cell(i, k) }, table.Texts
	}
	return nil, table.Texts
}

// Text is a record's text in a column, empty if there is no such column.
func (r *Rows) Text(name string, record int) string {
	if text, _ := r.texts(name); text != nil {
		return text(record)
	}
	return ""
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

// Extra are the names of the columns without a place on the page: the input's own and new ones.
func (r *Rows) Extra() []string {
	names := []string{}
	for _, c := range r.programColumns() {
		names = append(names, c.Name)
	}
	return slices.DeleteFunc(append(names, r.Own()...), func(name string) bool {
		return placed[name] || strings.HasPrefix(name, "interval_")
	})
}

// firstExtra are in the table until the user chooses.
const firstExtra = 3

// Chosen are the names of the extra columns in the table.
func (t *Table) Chosen() []string {
	if t.View.Columns != nil {
		return slices.DeleteFunc(slices.Clone(t.View.Columns), func(name string) bool {
			text, _ := t.Rows.texts(name)
			return text == nil && property.ColumnOf(name) == nil
		})
	}
	names := t.Rows.Extra()
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

// MostMapped is how many records the map shows at most: a browser places them in two seconds.
const MostMapped = 4096

// Mapped are the records on the map, in input order: the readable ones among those in the table, of more than MostMapped
// an even sample by row, with the chosen record; and how many they were picked from.
func (t *Table) Mapped(chosen int) (list []int32, of int) {
	shown := make([]bool, t.Rows.Len())
	for _, i := range t.Order {
		shown[i] = t.Rows.Verdict[i] != decide.Refused
	}
	var all []int32
	for i, is := range shown {
		if is {
			all = append(all, int32(i))
		}
	}
	for k := range min(len(all), MostMapped) {
		list = append(list, all[k*len(all)/min(len(all), MostMapped)])
	}
	if at, is := slices.BinarySearch(list, int32(chosen)); !is && chosen >= 0 && shown[chosen] {
		list = slices.Insert(list, at, int32(chosen))
	}
	return list, len(all)
}

// order lists the view's records. Missing values come last, equal ones in input order.
func (r *Rows) order(v View) []int32 {
	list, found := make([]int32, 0, r.Len()), r.finder(v)
	for i := range r.Len() {
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
	keys := r.keys(v.By)
	if r.ranks[v.By] != nil && v.Descending {
		keys = slices.Clone(keys) // the ranks are kept
	}
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
		for k, name := range r.names {
			switch {
			case v.In != "" && name != v.In:
			case name == "smiles": // small letters are aromatic
				if strings.Contains(r.cell(i, k), search) {
					return true
				}
			case contains(r.cell(i, k), lower):
				return true
			}
		}
		return false
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
		return r.rank(by, r.Name)
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
	c := table.Named(r.programColumns(), by)
	switch text, kind := r.texts(by); {
	case text == nil:
		return keysOf(missing(r.Len()))
	case by == "trust":
		return keysOf(ranked(c.Texts, trusts))
	case kind == table.Texts:
		return r.rank(by, text)
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
func (r *Rows) rank(by string, text func(record int) string) []uint64 {
	if known := r.ranks[by]; known != nil {
		return known
	}
	keys := make([]uint64, r.Len())
	if by == "id" || !r.numbers(by) {
		texts := make([]string, r.Len())
		for i := range texts {
			texts[i] = text(i)
		}
		rankTexts(keys, texts)
	} else {
		for i := range keys {
			keys[i], _ = numberKey(text(i))
		}
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

// numberKey is keyOf for a text, last for an empty one. It returns false for another text that is no number.
func numberKey(text string) (uint64, bool) {
	if text == "" {
		return last, true
	}
	x, err := strconv.ParseFloat(text, 64)
	return keyOf(x), err == nil
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
