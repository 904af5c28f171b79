package message

import "baca/algo/decide"

// The stages of a Progress, in the order in which an input goes through them.
const (
	StageParse      = "parse"      // Done of Total bytes, Records so far
	StageScore      = "score"      // Done of Total records, each scored by itself
	StageSample     = "sample"     // Done of Total records looked at for the sample
	StageFetch      = "fetch"      // Done of Total bytes of a model file
	StageEncode     = "encode"     // Done of Total graphs of the batch
	StagePart       = "part"       // the batch is parted in two by S_Pre
	StageEstimate   = "graphons"   // a graphon for each graph of both parts
	StageMixup      = "mixup"      // Done synthetic graphs of Total, on both sides together
	StageAttention  = "attention"  // Done of Total steps of training
	StageRatio      = "ratio"      // Done of Total heads of the density ratio
	StageFinish     = "finish"     // p-values and verdicts
	StageCompare    = "compare"    // Done of Total records, where the batch was a sample
	StageDrift      = "drift"      // Done of Total records, of a Drift or a Report
	StageLists      = "lists"      // Done of Total records of the open input, of a Compare or Suggest
	StageChoose     = "choose"     // Done of Total graphs looked at, of a Suggest
	StageTrust      = "trust"      // Done of Total records of the open input, of a Trust
	StageExplain    = "explain"    // Done of Total records, of a Reasons, a Report or a Domain
	StageBackground = "background" // Done molecules of the background, of a Train; Total once all are read
)

// Progress says that a stage has begun or come further.
type Progress struct {
	Stage       string
	Done, Total int // Total is 0 where it is not known
	Records     int // gone by so far, while parsing
	Refused     int // of them, while parsing
}

// Records are the next records of the input that is being opened, as they are parsed: their ids and
// SMILES as in the rows, and the input's own columns.
type Records struct {
	From     int // number of the first one, from 0
	Columns  Columns
	Line     Ints // on which each begins, from 1; 0 where the input has no lines
	Problems []Problem
}

// A Problem is why a record is refused.
type Problem struct {
	Record int    // from 0
	Line   int    // of the input, from 1; 0 where it has no lines
	Column int    // in that line, in bytes from 1; 0 where it is not known
	Text   string // the same as the error of the row
	// Reason is Text without the place and the piece.
	Reason string
	// Piece is the offending part of the record, empty for its end; it begins at
	// byte At of the SMILES, from 0, −1 where the problem is not in the SMILES.
	Piece string
	At    int
	// Caret is two lines, what was written and carets below the piece. Empty
	// where the problem is not in a molecule.
	Caret string
}

// Parted are the two parts of the batch by S_Pre, before anything is learned.
type Parted struct {
	Inside, Outside Ints // records that are taken for ID and for OOD
	// The graphons of both parts as wholes: the means of their aligned graphs, row-major,
	// of so many steps.
	InsideMean, OutsideMean   Singles
	InsideSteps, OutsideSteps int
}

// An Iteration is one step of the attention's training.
type Iteration struct {
	Step, Of int     // Step from 1
	Loss     float64 // before the step
	KL       float64 // between the scores of the two parts, in nats
	AUC      float64 // by the labels of the input, NaN without
	// What the two dictionaries hold.
	ID, OOD Contents
}

// Contents count the keys of a dictionary by origin.
type Contents struct {
	Training, Test, Synthetic int
}

// Reference comes first: the scores, each by itself, of the in-distribution graphs that
// were kept from training, which p-values compare with. NaN where there is none.
type Reference struct{ Score Floats }

// Fitted is what was learned from the batch, before any Rows: the graphs that were
// calibrated together, which are all of the input or a sample of it.
type Fitted struct {
	Graphs int  // of the batch
	Total  int  // of the input, refused records aside
	Sample bool // the batch is a sample, and the others are compared with it
	// Holdout are the scores of in-distribution graphs that were kept from
	// training, computed in the same state: what p-values compare with. There are no
	// p-values in it.
	Holdout Columns
	// Evidence is the AUC of telling the batch from graphs of the training set, ½ for
	// chance, P the p-value of that for the batch as a whole, NaN where there is none,
	// and Weight what it makes the density ratio's share of the column batch.
	Evidence, P, Weight float64
	Paper               Sum // S_BaCa of the batch; zero where Few is set
	// Few says that the batch is too small to be calibrated: each graph is decided alone,
	// and rows have no scores of a batch.
	Few bool
	// Differences says in words in what the batch differs from the training set; nil where P
	// does not say that it does.
	Differences []string
	Warnings    []string
}

// A Sum says how S_BaCa is made of S_Pre and S_Attn:
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

// An Epoch is one pass of training. Epoch 0 says how much there is to do.
type Epoch struct {
	Epoch, Of int
	Loss      float64
	Train     int // graphs that are trained on
	Holdout   int // graphs that are kept from training
	Refused   int // records that are no graphs
}

// A Checkpoint is what a later Train can go on from. The page keeps the last one.
type Checkpoint struct {
	Epoch int // that is done
	Data  []byte
}

// Welcome says what the worker has.
type Welcome struct {
	Program  string // version
	Models   []Model
	MinBatch int     // graphs that can be calibrated as a batch
	Guard    float64 // p-value by itself up to which a graph can be outside by its batch
	Examples []byte  // CSV with the columns name, class and smiles
	// Extensions are those of the files that can be opened.
	Extensions []string
	// Background is the file of the site with molecules at large, which a Train tells its
	// set from; empty without.
	Background string
}

// A Model is what is known of a model: its card and more.
type Model struct {
	Name        string
	Description string
	Molecules   bool   // it reads molecules; other models read bare graphs
	Form        uint8  // in which it reads molecules, a molecule.Form
	Reads       string // the same in words
	File        string // of the site, empty for a model of the user
	BuiltIn     bool   // it comes with the page

	Graphs      int    // in the data set
	Train       int    // of them trained on
	Holdout     int    // kept from training, for p-values
	HoldoutFile string // that those are of, empty where they are of the data set
	Epochs      int
	Loss        float64 // of the last epoch
	Program     string  // version that trained it
	Bytes       int
	SHA256      string // of the model file, hex
	// Background is what the training set was told from, and BackgroundGraphs how many that
	// were; empty and 0 without.
	Background       string
	BackgroundGraphs int
	// SmallestP is the smallest p-value that the holdout allows, 1 without one.
	SmallestP float64
	// Knows tells whether the model knows its training graphs, up to FalseMatches:
	// the share of other graphs that it takes for one.
	Knows        bool
	FalseMatches float64
	// Shared, unless 0, is the least number of training graphs that anything in a
	// model made for sharing is of.
	Shared     int
	Structures bool // it keeps its training molecules
	// Residuals is how many held-out errors of predictions the model knows, 0 for none, and
	// Observed and Predicted are the columns that they come from.
	Residuals           int
	Observed, Predicted string
}

// MostColumns is how many columns a Header or an Opened has at most.
const MostColumns = 500

// Header says what columns a table has that is opened, before any of its records. It comes
// also where none of them has SMILES.
type Header struct {
	Key     string   // of tables that begin with the same row
	Columns []string // by name, or "column 1" and so on where the first row is no header
	Column  string   // with the SMILES; empty if none was found
	Guessed bool     // by what it holds, not by its name
}

// Opened says what the input is.
type Opened struct {
	Name             string
	Format           string // a dataset.Format, such as "smi"
	Molecules        bool   // false for bare graphs
	Records, Refused int
	SHA256           string // of the input as it was given, hex
	// Line is how one more record is written behind the others, with "{SMILES}" and
	// "{name}"; empty where that takes more than a line.
	Line     string
	Columns  []string // that hold values, or prices: of tables, keys of JSONL, data of SDF
	Warnings []string
}

// Scored ends a Score.
type Scored struct {
	Model            string
	By               string
	Alpha            float64
	Seed             uint64
	Records, Refused int

	decide.Counts

	Warnings []string
	// AUC is that of each graph by itself, BatchAUC of the batch and PaperAUC of S_BaCa, by the
	// labels of the input; NaN without.
	AUC, BatchAUC, PaperAUC float64
	Workers                 int    // that have scored
	Device                  string // where the encoder ran: "processor" or the name of a GPU
	Milliseconds            float64
}

// Ready ends a Share.
type Ready struct{}

// A Part is the rows of a [Piece], refused records included, as `baca score` writes them.
type Part struct {
	Rows Columns
	// Known is 1 for a graph that was likely trained on and else 0, which is certain. Nil where
	// the model does not know its training graphs.
	Known []byte
}

// Detailed is one graph and what made its scores.
type Detailed struct {
	Record int
	ID     string
	// SMILES that gives the atoms in the order of Atoms; empty for bare graphs.
	SMILES string
	// SetAside is what of it the model did not read, as in the rows, and Parent the SMILES of what
	// it did read; both are empty where it read all.
	SetAside, Parent string

	Atoms []Atom // one for each node
	Bonds []Bond
	// Score, P and Verdict are those that the graph gets by itself.
	Score, P float64
	Verdict  string
	// Distance, of which Embedding, Subtrees, Counts and Nodes are the parts, and Ratio
	// make Score, see algo.Explanation. Ratio is NaN without a background.
	Distance, Ratio                    float64
	Embedding, Subtrees, Counts, Nodes float64
	// Contribution is, for each node, what it adds to Score: they add up to Score − Limit,
	// Limit being the least score that is called outside. BySubtrees and ByEmbedding are the two things that it is
	// made of, see algo.Explanation. They are NaN for atoms that the model does not read.
	Contribution, BySubtrees, ByEmbedding Floats
	Limit                                 float64

	Reasons []Reason   // what is unusual about it, the most unusual first, or which training graph it is
	Known   bool       // it was likely trained on
	Nearest []Neighbor // the training graphs that are most similar
	// IDKeys and OODKeys are the keys of the two dictionaries that made S_Attn,
	// the largest weight first; nil where no batch was calibrated.
	IDKeys, OODKeys []Neighbor
	AttnID, AttnOOD float64 // S_Attn = AttnOOD − AttnID
}

// A Reason is one way in which a graph differs from the training graphs.
type Reason struct {
	Text   string // a phrase in plain words, without a full stop
	About  string // what Atoms are, such as "its 2 nitro groups"
	Atoms  Ints   // that it is about, ascending; none where it is about all
	Unseen bool   // no training graph has it
}

// An Atom is a node of a graph. A bare graph's has no element.
type Atom struct {
	Symbol    string // "C", "*" for a wildcard, empty for a bare node
	Charge    int
	Hydrogens int
	Isotope   int
	Aromatic  bool
	InRing    bool
}

// A Bond joins two atoms. Order is 1, 2, 3 or 4, 0 for any other.
type Bond struct {
	From, To, Order int
	Aromatic        bool
}

// A Neighbor is a graph that resembles another one.
type Neighbor struct {
	Origin string // "training", "test" or "synthetic"
	// Row is, for the origin training, the row of the model's data set, and for
	// test the record of the input, both from 0; −1 where it is not known.
	Row int
	// ID and SMILES are those of the record, for test, or of the training molecule, where
	// they are known.
	ID, SMILES string
	Score      float64 // S_Pre
	// Similarity of the subtrees, from 0 to 1; NaN for a key.
	Similarity float64
	// Observed and Predicted are values of a training molecule that the model keeps, NaN
	// where there are none; a key has none.
	Observed, Predicted float64
	// Weight is a key's share of the attention, and Value what it says; NaN for a graph of
	// the bank.
	Weight, Value float64
	// Nodes and Edges are the graph behind a synthetic key; Edges are pairs of nodes, one
	// after the other.
	Nodes int
	Edges Ints
}

// Traced is what the lab tells of one record.
type Traced struct {
	Record int
	// SMILES, Atoms and Bonds are as in Detailed. From and To are the bytes of the SMILES
	// that each atom is written by; nil where it cannot be told. Node is the node of each
	// atom, −1 for one that the model does not read.
	SMILES   string
	Atoms    []Atom
	Bonds    []Bond
	From, To Ints
	Node     Ints
	// Features are those of each node, so many in a row: OGB's nine for molecules. Walks
	// are how likely a random walk is back at each node after 1, 2, … steps.
	Features, Width int
	X               Ints
	Walks           Singles
	Maps            []Map // of the feature view and of the structure view
	// Nearest is how far the nearest training graphs are that the maps show, in the space
	// of both views together, ascending.
	Nearest Floats
	// Of the latest batch: the steps of the attention that were recorded, S_Attn of the
	// record after each, nil for a record that was not in the batch, and the medians of both
	// parts.
	Steps           Ints
	Attn            Floats
	Inside, Outside Floats
}

// A Map shows embeddings of one view on the two axes along which they vary most. Places are
// pairs of x and y, one after the other.
type Map struct {
	Training Singles // graphs of the training set, or an even sample of them
	Records  Ints    // of the input that are shown: all, or an even sample
	Batch    Singles // their places
	At       Singles // the place of the record
	Nearest  Singles // the places of the training graphs that are nearest to it
	// ShareX and ShareY are the shares of the variance that the axes hold.
	ShareX, ShareY float64
}

// A GraphonPair are two graphons of one side. The matrices are row-major, N×N, of
// probabilities.
type GraphonPair struct {
	Side             string
	Graphs           int // of the side; I and J are below
	I, J             int
	RecordI, RecordJ int // of the input
	N                int
	WI, WJ           Singles
	// Samples are graphs drawn from the mixture λ·W_I + (1−λ)·W_J. The same seed gives the
	// same graphs, and a λ that is near gives ones that are alike.
	Lambda  float64
	Samples []Sample
}

// A Sample is a graph that was drawn. Edges are pairs of nodes, one after the other.
type Sample struct {
	Nodes int
	Edges Ints
}

// Explained ends a Reasons.
type Explained struct {
	Rows Columns // of explanations and the nearest training graphs
}

// Exported is a file for the user.
type Exported struct {
	Name string // that a download should have
	Type string // media type
	Data []byte
}

// Drifted ends a Drift. Logarithms are powers of ten, 0 at the start: what bets
// against "these come from where the training set came from" have made of 1.
type Drifted struct {
	Delta   float64
	Records int // of the input, refused ones included
	Graphs  int // of them, that were looked at
	// X and Path are the way of the logarithm, at up to a thousand places: after
	// how many graphs, and what it was.
	X    Ints
	Path Floats
	// Highest is the largest logarithm, reached after At graphs, 0 for the start.
	Highest float64
	At      int
	// Moved is after how many graphs the logarithm first was that of 1/Delta, 0 for
	// never, and Record the record that was, from 0.
	Moved, Record int
}

// Trained ends a Train.
type Trained struct {
	Model  Model
	Data   []byte // the model file, which `baca score --model` reads
	Device string // where it was trained: "processor" or the name of a GPU
	// Warnings say where the training set was too small for something, and whether
	// the GPU or the background failed.
	Warnings []string
}

// Paused ends a Train after [Pause].
type Paused struct {
	Epoch int
	Data  []byte // a checkpoint; nil in the reply to Pause itself
}

// Measured is the memory of the worker in bytes.
type Measured struct {
	Memory int // of the WebAssembly instance, which never shrinks
}

// The codes of Failed.
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

// Error implements error.
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
func (*Explained) reply()   {}
func (*Drifted) reply()     {}
func (*Trained) reply()     {}
func (*Paused) reply()      {}
func (*Measured) reply()    {}
func (*Failed) reply()      {}
