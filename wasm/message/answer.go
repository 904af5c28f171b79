package message

import (
	"strings"

	"baca/algo"
	"baca/algo/property"
	"baca/algo/table"
)

// Stages of a Progress, in order.
const (
	StageParse      = "parse"      // Done of Total bytes, Records so far
	StageScore      = "score"      // Done of Total records, each scored by itself
	StageSample     = "sample"     // Done of Total records looked at for the sample
	StageFetch      = "fetch"      // Done of Total bytes of a model file
	StageEncode     = "encode"     // Done of Total graphs of the batch
	StagePart       = "part"       // the batch is partitioned by S_Pre
	StageEstimate   = "graphons"   // a graphon for each graph of both parts
	StageMixup      = "mixup"      // Done synthetic graphs of Total, both sides
	StageAttention  = "attention"  // Done of Total steps of training
	StageRatio      = "ratio"      // Done of Total heads of the density ratio
	StageFinish     = "finish"     // p-values and verdicts
	StageCompare    = "compare"    // Done of Total records, where the batch was a sample
	StageAsk        = "ask"        // Done of Total records, of an Ask
	StageLists      = "lists"      // Done of Total records of the open input, of a Compare or Suggest
	StageChoose     = "choose"     // Done of Total graphs looked at, of a Suggest
	StageTrust      = "trust"      // Done of Total records of the open input, of a Trust
	StageCompute    = "compute"    // Done of Total records of the open input, of a Compute
	StageExplain    = "explain"    // Done of Total records, of a Reasons, a Report or a Domain
	StageBackground = "background" // Done molecules of the background, of a Train; Total once all are read
)

// Progress reports a stage that began or advanced.
type Progress struct {
	Stage       string
	Done, Total int // Total is 0 if unknown
	Records     int // read so far, while parsing
}

// Records are the next parsed records of the opening input: ids and SMILES as in rows, and the input's own columns.
type Records struct {
	From    int      // number of the first one, from 0
	Columns []string // id, smiles and the input's own
	// Text is all cells, column by column, and Ends is where each ends in it: hundreds of columns are decoded as one.
	Text     string
	Ends     Ints
	Line     Ints // first line of each, from 1; 0 without lines
	Problems []Problem
}

// Pack sets the cells to those of columns of texts, and returns r. Without a Line for each row all are 0.
func (r *Records) Pack(columns ...table.Column) *Records {
	if r.Line == nil {
		r.Line = make(Ints, table.Rows(columns))
	}
	var text strings.Builder
	for _, c := range columns {
		r.Columns = append(r.Columns, c.Name)
		for _, cell := range c.Texts {
			text.WriteString(cell)
			r.Ends = append(r.Ends, int32(text.Len()))
		}
	}
	r.Text = text.String()
	return r
}

// Cell returns the text of a record, counted from the first of these, in a column.
func (r *Records) Cell(record, column int) string {
	at, from := column*len(r.Line)+record, int32(0)
	if at > 0 {
		from = r.Ends[at-1]
	}
	return r.Text[from:r.Ends[at]]
}

// A Problem is a refused record.
type Problem struct {
	Record int    // from 0
	Line   int    // of the input, from 1; 0 without lines
	Column int    // in that line, in bytes from 1; 0 if unknown
	Text   string // the row's error
	// Reason is Text without place and piece.
	Reason string
	// Piece is the wrong part of the record, empty at its end; it begins at byte At of the SMILES,
	// from 0, or −1 outside of it.
	Piece string
	At    int
	// Caret is the text and carets below the piece, empty outside of molecules.
	Caret string
}

// Parted is the partition of the batch by S_Pre, before learning.
type Parted struct {
	Inside, Outside Ints // records taken for ID and OOD
	// The mean aligned graphs of both parts, row-major, with that many steps.
	InsideMean, OutsideMean   Singles
	InsideSteps, OutsideSteps int
}

// An Iteration is one step of the attention's training.
type Iteration struct {
	Step, Of int     // Step from 1
	Loss     float64 // before the step
	KL       float64 // between the parts' scores, in nats
	AUC      float64 // by the input's labels, NaN without
	// What the two dictionaries hold.
	ID, OOD Contents
}

// Contents count the keys of a dictionary by origin. Newer are the synthetic ones since the iteration before.
type Contents struct {
	Training, Test, Synthetic, Newer int
}

// Reference comes first: scores of held-out graphs by themselves, for p-values, NaN for none.
type Reference struct{ Score Floats }

// Fitted describes the batch before any Rows: all graphs of the input or a sample.
type Fitted struct {
	Graphs int  // of the batch
	Sample bool // a sample; the other records are scored in its state
	// Holdout has the held-out graphs' scores in the same state, without p-values.
	Holdout Columns
	// Evidence is the AUC of telling the batch from training graphs, P its p-value, NaN for none,
	// and Weight the resulting weight of the density ratio.
	Evidence, P, Weight float64
	Paper               Sum // S_BaCa of the batch; zero where Few is set
	// Few reports too small a batch: graphs are decided alone, without batch scores.
	Few bool
	// Differences says how the batch differs from the training set; nil if P does not.
	Differences []string
	Whole       []string // whether it differs, and how, in words
	Warnings    []string
}

// A Sum is the formula of S_BaCa:
//
//	(S_Pre − PreMean)/PreDeviation + Beta·(S_Attn − AttnMean)/AttnDeviation
type Sum struct {
	Beta                                           float64
	PreMean, PreDeviation, AttnMean, AttnDeviation float64
}

// Rows are the next rows, refused records included, as in a Part.
type Rows struct {
	From  int // number of the first record
	Rows  Columns
	Known []byte
}

// An Epoch is a pass of training. Epoch 0 announces the work.
type Epoch struct {
	Epoch, Of int
	Loss      float64
	Train     int // graphs that are trained on
	Holdout   int // graphs that are kept from training
	Refused   int // records that are no graphs
}

// A Checkpoint can resume a Train. The page keeps the last one.
type Checkpoint struct {
	Epoch int // that is done
	Data  []byte
}

// Welcome describes the worker.
type Welcome struct {
	Program  string // version
	Models   []Model
	MinBatch int    // least graphs of a batch
	Examples []byte // CSV with the columns name, class and smiles
	// Predictions is the site's CSV with predictions for molecules that the model Solubility does not know.
	Predictions string
	// Extensions are those of readable files.
	Extensions []string
	// Background is the site's file of molecules at large for a Train; empty without.
	Background string
	// Tools are those of the worker that need no form.
	Tools []Tool
}

// Solubility is the name of the model that comes with the example of predictions, whose errors it knows.
const Solubility = "solubility"

// A Tool answers a question about the input.
type Tool struct {
	Name, Title string // Name is that of an [Ask]
	About       string // the question
	Button      string // that asks it
}

// A Model describes a model.
type Model struct {
	Name        string
	Description string
	Molecules   bool   // it reads molecules, else plain graphs
	Reads       string // in which form it reads molecules, in words
	File        string // of the site, empty for a model of the user
	BuiltIn     bool   // it comes with the page

	Train       int    // graphs that it was trained on
	Holdout     int    // kept from training, for p-values
	HoldoutFile string // its file, empty if held out from the training file
	Epochs      int
	Paper       bool   // the encoder was trained long enough for the paper's method
	Program     string // version that trained it
	Bytes       int
	SHA256      string // of the model file, hex
	// Background names the background, BackgroundGraphs its size; empty and 0 without.
	Background       string
	BackgroundGraphs int
	// SmallestP is the smallest p-value that the holdout allows, 1 without one.
	SmallestP float64
	// Shared, unless 0, is the k of a shared model, which does not know its training graphs.
	Shared int
	// Residuals is the number of held-out prediction errors, from the columns Observed and Predicted.
	Residuals           int
	Observed, Predicted string
	Classes             bool       // observed values are 0 or 1
	Published           *Published // nil for a model that was not fetched as a domain
}

// Published describes the domain of a model on a site.
type Published struct {
	Name string // in links: #domain=NAME
	Date string // such as 2026-11-29
	HTML string // what visitors are told, and what the model's file reveals
}

// A Publication ends a Publish. Its files belong beside those of the page.
type Publication struct {
	Card  Published
	Paths []string // of the files, below the page's folder
	Files [][]byte
}

// MostColumns bounds the columns of a Header or an Opened.
const MostColumns = 500

// Header describes a table's columns before any record, even without SMILES.
type Header struct {
	Key     string   // of tables with the same first row
	Columns []string // names, or "column 1" and so on without a header
	Column  string   // with the SMILES, or empty
	Guessed bool     // found by content
}

// Opened describes the input.
type Opened struct {
	Name             string
	Format           string // a dataset.Format, such as "smi"
	Molecules        bool   // false for bare graphs
	Records, Refused int
	SHA256           string // of the original input, hex
	// Line is a template for one more record, with "{SMILES}" and "{name}"; empty if a record needs more than a line.
	Line    string
	Columns []string // with values or prices: of tables, keys of JSONL, data of SDF
	// Sheets are the visible ones of a workbook, and Sheet is the one that was read.
	Sheets   []string
	Sheet    string
	Warnings []string
}

// Scored ends a Score.
type Scored struct {
	Warnings []string
	// AUCs by the input's labels, NaN without: of single graphs, of the batch, and of S_BaCa.
	AUC, BatchAUC, PaperAUC float64
	Workers                 int    // that have scored
	Device                  string // where the encoder ran: "processor" or the name of a GPU
}

// Ready ends a Share.
type Ready struct{}

// A Part is the rows of a [Piece], as `baca score` writes them.
type Part struct {
	Rows Columns
	// Known is 1 for a training graph, else 0. Nil by a shared model.
	Known []byte
}

// Detailed explains one graph's scores.
type Detailed struct {
	Record int
	Drawing
	// SetAside is what the model did not read, Parent the SMILES that it read; both empty if it read all.
	SetAside, Parent string
	Properties       *property.Properties // of the molecule that was read; nil for a plain graph
	// Explanation is of the graph by itself. Its nodes are those of Atoms, ascending in reasons, and
	// Contributions are NaN for unread atoms. It has no shares by subtrees and embedding.
	algo.Explanation
	// IDKeys and OODKeys made S_Attn, the largest weight first; nil without a batch.
	IDKeys, OODKeys []Key
	AttnID, AttnOOD float64 // S_Attn = AttnOOD − AttnID
}

// A Drawing is what a picture of a graph needs.
type Drawing struct {
	SMILES string   // with atoms in the order of Atoms; empty for plain graphs
	Atoms  []string // symbols, such as "C" and "*"; empty for nodes of plain graphs
	Bonds  []Bond
}

// A Bond joins two atoms.
type Bond struct{ From, To int }

// A Key is one that the attention of a graph looks at.
type Key struct {
	Origin string // "training", "test" or "synthetic"
	// Row is, for the origin training, in the training set, for test in the input, from 0; −1 if unknown.
	Row int
	// ID and SMILES of the record or training molecule, if known.
	ID, SMILES    string
	Weight, Value float64 // its share of the attention, and its cosine
	// Nodes and Edges, pairs of nodes, are a synthetic key's graph.
	Nodes int
	Edges Ints
}

// Traced is the lab's data of one record.
type Traced struct {
	Record int
	Drawing
	// From and To are each atom's bytes in the SMILES; nil if unknown. Node is each atom's node, −1 for unread ones.
	From, To Ints
	Node     Ints
	// Features are each node's, Width in a row: OGB's nine for molecules. Walks are return
	// probabilities after 1, 2, … steps.
	Features, Width int
	X               Ints
	Walks           Singles
	Maps            []Map // of the feature view and of the structure view
	// Nearest are the ascending distances of the nearest shown training graphs, over both views.
	Nearest Floats
	// Of the latest batch: S_Attn of the record after each recorded step, nil outside of the batch, and
	// the parts' medians.
	Attn            Floats
	Inside, Outside Floats
	Keys            *Map // both dictionaries' keys, see Map; nil without a batch
}

// A Map shows one view's embeddings on their two principal axes, or the keys of both dictionaries. Places are pairs of x
// and y.
type Map struct {
	Training Singles // an even sample of the training set
	Records  Ints    // shown records, all or an even sample; of a further key 0 for the inside dictionary, 1 for the outside one
	Batch    Singles // their places
	At       Singles // the place of the record
	Nearest  Singles // the places of the training graphs that are nearest to it, or of the keys that answer
	// ShareX and ShareY are the axes' shares of the variance.
	ShareX, ShareY float64
}

// A GraphonPair is two graphons of one side, row-major N×N probabilities.
type GraphonPair struct {
	Side             string
	RecordI, RecordJ int // of the input
	N                int
	WI, WJ           Singles
	// Samples are six graphs drawn from λ·W_I + (1−λ)·W_J, always the same, and similar for a near λ.
	Lambda  float64
	Samples []Sample
}

// A Sample is a drawn graph. Edges are pairs of nodes.
type Sample struct {
	Nodes int
	Edges Ints
}

// Explained ends a Reasons.
type Explained struct {
	Rows Columns // of explanations and the nearest training graphs
}

// Computed ends a Compute.
type Computed struct {
	Rows Columns // of OfProperties and OfStructure
	// Places of the records that were asked for, and of training graphs, are pairs of x and y, NaN for none.
	Places, Training Singles
}

// Exported is a file for the user.
type Exported struct {
	Name string // that a download should have
	Type string // media type
	Data []byte
}

// Found ends an Ask, Compare or Suggest.
type Found struct {
	// HTML is a part of a document, whose molecules the page draws.
	HTML  string
	Short string    // what was found, in a word or two
	File  *Exported // nil for none
}

// Trained ends a Train.
type Trained struct {
	Model  Model
	Data   []byte // the model file, which `baca score --model` reads
	Device string // where it was trained: "processor" or the name of a GPU
	// Warnings say what the training set was too small for, and whether GPU or background failed.
	Warnings []string
}

// Paused ends a Train after [Pause].
type Paused struct {
	Epoch int
	Data  []byte // a checkpoint; nil in the reply to Pause itself
}

// Codes of Failed.
const (
	CodeCancelled = "cancelled" // the page has ended the worker
	CodeDied      = "died"      // the worker ended by itself
	CodeMemory    = "memory"    // there was not enough of it
	CodeBadInput  = "input"     // the input as a whole cannot be read
	CodeBadModel  = "model"     // the model cannot be read, or its hash is wrong
	CodeBadOption = "option"    // an option is out of its range
	CodeNotReady  = "not ready" // no input or model, or no batch calibrated yet
	CodeInternal  = "internal"  // a mistake of the program
)

// Failed ends a request that has no result.
type Failed struct {
	Code string
	Text string // for people: what was expected, and where
}

func (f *Failed) Error() string { return f.Text }

func (*Progress) event()   {}
func (*Records) event()    {}
func (*Header) event()     {}
func (*Parted) event()     {}
func (*Iteration) event()  {}
func (*Reference) event()  {}
func (*Fitted) event()     {}
func (*Rows) event()       {}
func (*Epoch) event()      {}
func (*Checkpoint) event() {}

func (*Welcome) reply()     {}
func (*Model) reply()       {}
func (*Opened) reply()      {}
func (*Scored) reply()      {}
func (*Ready) reply()       {}
func (*Part) reply()        {}
func (*Detailed) reply()    {}
func (*GraphonPair) reply() {}
func (*Traced) reply()      {}
func (*Exported) reply()    {}
func (*Publication) reply() {}
func (*Explained) reply()   {}
func (*Computed) reply()    {}
func (*Found) reply()       {}
func (*Trained) reply()     {}
func (*Paused) reply()      {}
func (*Failed) reply()      {}
