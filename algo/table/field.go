package table

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"baca/algo/alone"
	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/explain"
	"baca/algo/feature/trust"
	"baca/algo/internal/lists"
	"baca/algo/model"
)

// A Field declares a column and computes its value. Writers, messages of the page and help use the
// list of fields.
type Field struct {
	Name  string
	Group Group
	Doc   string // description for help

	// One of these computes the value and determines the kind. NaN and "" are no value.
	Text    func(*Scored) string
	Number  func(*Scored) float64
	Truth   func(*Scored) bool
	Texts   func(*Scored) []string
	Numbers func(*Scored) []float64
	Score   func(*batch.Row) float64    // of the scores alone, which held-out graphs have, too
	Input   func(*dataset.Entry) string // of any record, also a refused one
	Same    func() float64              // of all rows
}

// A Group is a set of columns that are written as one.
type Group uint16

// Groups. Refused records have values of OfRecord only.
const (
	OfRecord    Group = 1 << iota
	OfScore           // of what decides
	OfPaper           // of the paper's method, after a batch
	OfAnswers         // of both answers, graph and batch
	OfRate            // of a false-discovery rate
	OfReasons         // of an explanation
	OfNeighbors       // of the most similar training graphs
	OfValues          // of their values
	OfTrust           // of a prediction
	OfRun             // provenance, see Run
	OfStructure       // of the molecule that was scored

	Usual   = OfRecord | OfScore
	OfBatch = OfPaper | OfAnswers // what a batch fills
)

// Why explains a graph's score by itself, if it is Given.
type Why struct {
	alone.Explanation
	Given bool
	// Atoms, AtomsSubtrees and AtomsEmbedding are Contributions, BySubtrees and ByEmbedding in the
	// record's order of atoms.
	Atoms, AtomsSubtrees, AtomsEmbedding []float64
	// LikeOutside are input records, from 1, assigned to OOD, with the most attention.
	LikeOutside []float64
}

// A Run is the provenance of rows. Its columns end each row, so a row that left its file still
// names its source.
type Run struct {
	Model  string // its name
	SHA256 string // of its file, in hexadecimal
	By     string // what decides, one of batch.Deciders
	Alpha  float64
	FDR    float64 // 0 if α decides
}

// hashDigits of a SHA-256 identify a file in practice.
const hashDigits = 12

// Fields returns the fields with the run's provenance. Rows, also refused ones, get the values that r has when they are
// written. The field fdr is there only if r.FDR is set.
func (r *Run) Fields() []Field {
	list := []Field{
		{Name: "model", Input: func(*dataset.Entry) string { return r.Model },
			Doc: "name of the model"},
		{Name: "model_sha256", Input: func(*dataset.Entry) string { return r.SHA256[:min(len(r.SHA256), hashDigits)] },
			Doc: "first 12 digits of the SHA-256 of its file"},
		{Name: "by", Input: func(*dataset.Entry) string { return r.By },
			Doc: "what decides: " + strings.Join(batch.Deciders(), ", ") + "; approximate is alone, by p-values that compare with training graphs, too"},
		{Name: "alpha", Same: func() float64 { return r.Alpha },
			Doc: "rate of false alarms that was asked for"},
		{Name: "program", Input: func(*dataset.Entry) string { return "baca " + model.Version },
			Doc: "what wrote the row"},
	}
	if r.FDR > 0 {
		list = slices.Insert(list, 4, Field{Name: "fdr", Same: func() float64 { return r.FDR },
			Doc: "false-discovery rate that decides, with --fdr"})
	}
	for i := range list {
		list[i].Group = OfRun
	}
	return list
}

// Fields returns the fields of some groups, in the order of columns.
func Fields(groups Group) []Field {
	var list []Field
	for _, c := range fields {
		if c.Group&groups != 0 {
			list = append(list, c)
		}
	}
	return list
}

var fields = slices.Concat([]Field{
	{Name: "id", Group: OfRecord, Input: func(e *dataset.Entry) string { return e.ID },
		Doc: "from the input, or else the number of the record, from 1"},
	{Name: "smiles", Group: OfRecord, Input: func(e *dataset.Entry) string { return cmp.Or(e.SMILES, e.Written) },
		Doc: "as read, or of an SDF record the molecule as SMILES; empty for plain graphs"},
	{Name: "score", Group: OfScore, Score: func(r *batch.Row) float64 { return r.Score },
		Doc: "of what decides, see --by; higher is further outside"},
	{Name: "p_value", Group: OfScore, Score: func(r *batch.Row) float64 { return r.P },
		Doc: "how often a graph like the training set would score as high"},
	{Name: "verdict", Group: OfScore, Text: func(s *Scored) string { return string(s.Scores.Verdict) },
		Doc: "outside where p_value is at most alpha, borderline up to twice that, or inside; by batch see batch_verdict; undecided where the model holds too few graphs to tell"},
	{Name: "error", Group: OfRecord, Input: func(e *dataset.Entry) string { return textOf(e.Err) },
		Doc: "why the record was refused; it then has no scores"},
	{Name: "set_aside", Group: OfRecord, Input: func(e *dataset.Entry) string { return e.Aside.String() },
		Doc: "what the model did not read of the molecule, such as stereo, 1 counter-ion, or another component was not scored and which: models read the parent compound, but for those of baca train --as-written; empty for nothing"},

	{Name: "scored_smiles", Group: OfStructure, Text: func(s *Scored) string { return s.Structure },
		Doc: "the molecule that was scored, without what set_aside names, as a canonical SMILES"},

	{Name: "s_pre", Group: OfPaper, Score: func(r *batch.Row) float64 { return r.Pre },
		Doc: "the paper's base score: how badly the encoder matches the two views of the graph"},
	{Name: "s_attn", Group: OfPaper, Score: func(r *batch.Row) float64 { return r.Attn },
		Doc: "the paper's attention over dictionaries of in- and out-of-distribution graphs"},
	{Name: "s_baca", Group: OfPaper, Score: func(r *batch.Row) float64 { return r.BaCa },
		Doc: "the paper's score: both, standardised and added"},
	{Name: "baca_p", Group: OfPaper, Score: func(r *batch.Row) float64 { return r.BaCaP },
		Doc: "its p-value in this list, which the score learns from without a fifth in turn; empty unless --by attention"},
	{Name: "alone", Group: OfAnswers, Score: func(r *batch.Row) float64 { return r.Alone },
		Doc: "score of the graph by itself"},
	{Name: "alone_p", Group: OfAnswers, Score: func(r *batch.Row) float64 { return r.AloneP },
		Doc: "its p-value"},
	{Name: "batch", Group: OfAnswers, Score: func(r *batch.Row) float64 { return r.Batch },
		Doc: "score of the graph in its batch"},
	{Name: "batch_p", Group: OfAnswers, Score: func(r *batch.Row) float64 { return r.BatchP },
		Doc: "its p-value"},
	{Name: "batch_foreign", Group: OfAnswers, Truth: func(s *Scored) bool { return s.Scores.Foreign },
		Doc: "true if hardly any training graph is as much like the batch: at most 1 for each 100 of the batch, 1 in 200, and 2"},
	{Name: "batch_verdict", Group: OfAnswers, Text: func(s *Scored) string { return string(s.Scores.BatchVerdict) },
		Doc: "the verdict of the batch: outside where batch_p is at most alpha, and the graph is batch_foreign or alone_p low, too: in a batch of n at most n/1000, but alpha at least and 0.15 at most"},

	{Name: "q_value", Group: OfRate, Number: func(s *Scored) float64 { return s.Q },
		Doc: "the lowest false-discovery rate at which the graph is called outside"},
}, ofTrust(), []Field{
	{Name: "counted", Group: OfReasons, Text: func(s *Scored) string { return s.Why.Counted },
		Doc: "what the p-value of the graph by itself counts, such as 3 of 205, this one included: of so many graphs, those held out and this one, so many score as high or higher"},
	{Name: "duplicate", Group: OfReasons, Truth: func(s *Scored) bool { return s.Why.Duplicate },
		Doc: "true if the graph was trained on, stereochemistry and the way of writing aside: a training graph has the same surroundings of all nodes, up to two edges wide"},
	{Name: "reasons", Group: OfReasons, Texts: reasonTexts,
		Doc: "what is unusual about it, the most unusual first: parts whose atoms make the score, values and statistics that few training graphs have; or which training graph it is, or that it shares nothing with any"},
	{Name: "distances", Group: OfReasons,
		Numbers: func(s *Scored) []float64 {
			list := []float64{s.Why.Embedding, s.Why.Subtrees, s.Why.Counts}
			if !math.IsNaN(s.Why.Nodes) {
				list = append(list, s.Why.Nodes)
			}
			return list
		},
		Doc: "to the nearest training graph, by embedding, by subtrees and by subtrees with counts, for bare graphs also ℓ_n, which weighs little, in standard deviations of training graphs"},
	{Name: "nearest", Group: OfNeighbors, Numbers: ofNearest(nearestRow, anyNumber),
		Doc: "rows of the training set, from 1, of the graphs that are most similar, the most similar first, but none of similarity 0"},
	{Name: "nearest_similarity", Group: OfNeighbors, Numbers: ofNearest(func(n alone.TrainingGraph) float64 { return n.Similarity }, anyNumber),
		Doc: "how similar these are, from 0 to 1: the share of subtrees of up to two bonds, as often as each occurs, that both have (a Tanimoto similarity)"},
	{Name: "nearest_smiles", Group: OfNeighbors, Texts: ofNearest(func(n alone.TrainingGraph) string { return n.SMILES }, isText),
		Doc: "their structures, where the model has them: see baca model structures"},
	{Name: "nearest_names", Group: OfNeighbors, Texts: ofNearest(func(n alone.TrainingGraph) string { return n.Name }, isText),
		Doc: "their names, where the training set has any"},
	{Name: "nearest_observed", Group: OfValues, Numbers: ofValues(func(v *model.Values) float64 { return v.Observed }),
		Doc: "what was measured of them"},
	{Name: "nearest_predicted", Group: OfValues, Numbers: ofValues(func(v *model.Values) float64 { return v.Predicted }),
		Doc: "what was predicted of them"},
	{Name: "like_ood", Group: OfReasons, Numbers: func(s *Scored) []float64 { return s.Why.LikeOutside },
		Doc: "where a batch was calibrated, records of this input, from 1, that were taken for OOD and that the attention finds most alike"},
	{Name: "atoms", Group: OfReasons, Numbers: func(s *Scored) []float64 { return s.Why.Atoms },
		Doc: "for each atom, as written, what it adds to the score of the graph by itself; they add up to how far the score is above the least that is called outside"},
	{Name: "atoms_subtrees", Group: OfReasons, Numbers: func(s *Scored) []float64 { return s.Why.AtomsSubtrees },
		Doc: "of that, by way of the subtrees that it is in, 0 being what training graphs add on average"},
	{Name: "atoms_embedding", Group: OfReasons, Numbers: func(s *Scored) []float64 { return s.Why.AtomsEmbedding },
		Doc: "the same by way of the embedding"},
	{Name: "distance", Group: OfReasons, Number: func(s *Scored) float64 { return s.Why.Distance },
		Doc: "how far the graph is from the nearest training graphs, the first part of its score, in standard deviations of training graphs"},
	{Name: "ratio", Group: OfReasons, Number: func(s *Scored) float64 { return s.Why.Ratio },
		Doc: "how much more it is like the background molecules, which the model was told from in training, than like the training set, the second part, in the same units; empty where the model has no background"},
	{Name: "rare", Group: OfReasons, Number: func(s *Scored) float64 { return s.Why.Rare },
		Doc: "what its rarest parts add to the score: bonds, atoms with their neighbours, or runs of atoms that hardly a training molecule has"},
})

// ofTrust returns the fields of judgements, one for each of trust.Columns.
func ofTrust() []Field {
	return lists.Map(trust.Columns, func(c trust.Column) Field {
		f := Field{Name: c.Name, Group: OfTrust, Doc: c.Doc}
		if c.Text != nil {
			f.Text = func(s *Scored) string { return c.Text(&s.Trust) }
		} else {
			f.Number = func(s *Scored) float64 { return c.Number(&s.Trust) }
		}
		return f
	})
}

// OwnFields returns fields for the columns of an input that are neither SMILES nor id, by their names, in the order of
// Record.Own. A name that any field, one of before or an earlier column has becomes input_NAME, or else input_NAME_2 and so on.
func OwnFields(names []string, before ...Field) []Field {
	return OwnBehind(names, slices.Concat(fields, (&Run{FDR: 1}).Fields(), before))
}

// OwnBehind is OwnFields where only the names of the fields before are taken.
func OwnBehind(names []string, before []Field) []Field {
	taken, copies := map[string]bool{}, map[string]int{}
	for _, f := range before {
		taken[strings.ToLower(f.Name)] = true
	}
	var list []Field
	for k, name := range names {
		lower := strings.ToLower(name) // databases take upper case for lower case
		for plain, same := name, lower; taken[lower]; lower = strings.ToLower(name) {
			if name = "input_" + plain; copies[same] > 0 { // input_NAME, then input_NAME_2 and so on
				name += "_" + strconv.Itoa(copies[same]+1)
			}
			copies[same]++
		}
		taken[lower] = true
		list = append(list, Field{Name: name, Group: OfRecord, Input: func(e *dataset.Entry) string {
			if k < len(e.Own) {
				return e.Own[k]
			}
			return ""
		}})
	}
	return list
}

// textOf returns the text of an error, nothing for nil.
func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// reasonTexts returns the texts of the reasons.
func reasonTexts(s *Scored) []string {
	return lists.Map(s.Why.Reasons, func(r explain.Reason) string { return r.Text })
}

// nearest returns the most similar training graphs: those of s.Nearest, or else the explanation's.
func (s *Scored) nearest() []alone.TrainingGraph {
	if s.Nearest == nil {
		return s.Why.Nearest
	}
	return s.Nearest
}

// nearestRow returns the row of a training graph in its file, from 1, or NaN if that is unknown.
func nearestRow(n alone.TrainingGraph) float64 {
	if n.Row < 0 {
		return math.NaN()
	}
	return float64(n.Row + 1)
}

// ofNearest returns a function that lists a value of each of a record's nearest graphs. The function returns nil if known
// is false for all these values.
func ofNearest[T any](value func(alone.TrainingGraph) T, known func(T) bool) func(*Scored) []T {
	return func(s *Scored) []T {
		list := lists.Map(s.nearest(), value)
		if !slices.ContainsFunc(list, known) {
			return nil
		}
		return list
	}
}

func isText(s string) bool { return s != "" }

func anyNumber(float64) bool { return true }

func isNumber(x float64) bool { return !math.IsNaN(x) }

// ofValues is ofNearest for one of the values of a training graph, NaN where it has none.
func ofValues(value func(*model.Values) float64) func(*Scored) []float64 {
	return ofNearest(func(n alone.TrainingGraph) float64 {
		if n.Values == nil {
			return math.NaN()
		}
		return value(n.Values)
	}, isNumber)
}

// helpWidth is the width of Help.
const helpWidth = 80

// Help returns lines with the name and the description of each field, in two columns of helpWidth characters together.
func Help(list []Field) string {
	longest := 0
	for _, c := range list {
		longest = max(longest, len(c.Name))
	}
	var b strings.Builder
	for _, c := range list {
		line := "  " + c.Name + strings.Repeat(" ", longest-len(c.Name)+1)
		for _, word := range strings.Fields(c.Doc) {
			if len(line)+len(word) >= helpWidth {
				b.WriteString(line + "\n")
				line = strings.Repeat(" ", longest+3)
			}
			line += " " + word
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
