package message

// Hello is the first request to a new worker. Reply: [Welcome].
type Hello struct{}

// LoadModel selects a model. Reply: [Model]. Empty fields select the first of Welcome.
type LoadModel struct {
	Name string // of a model of Welcome, or of the file Data
	Data []byte // a model file; nil fetches the model called Name and checks its hash
	// Domain is the name of a domain that was published with the page, whose model is fetched; empty for none.
	Domain string
}

// Open selects an input. Events: of a table [Header], then [Records], then [Progress] of the stage
// Parse. Reply: [Opened], even if every record is refused. It needs no model.
type Open struct {
	// Name of the file, for format and errors. Empty for pasted text.
	Name string
	// Data is the text or file, in any format of the command.
	Data []byte
	// Site, unless empty, names a file of the site, instead of Data.
	Site string
	// File, unless 0, numbers a browser's file that the page gave to its workers, instead of Data:
	// they read it in place.
	File   int
	Format string // a dataset.Format, such as "smi"; empty means by content
	Column string // of the SMILES in tables; empty means by content
	Sheet  string // of a workbook; empty means by content
	// Ahead allows helpers to score records while others are read, since a Score by themselves follows.
	Ahead bool
	// Choices are the user's columns of known tables.
	Choices []Choice
}

// A Choice is the SMILES column of tables with a Header.Key.
type Choice struct{ Key, Column string }

// Score scores the open input with the loaded model, as `baca score` does. With Batch the batch, or an even sample of a
// long input, is scored first, and rows are those of `baca score --by both`. Events: [Reference], [Progress] and
// [Rows], and of a batch also [Parted], [Iteration] and [Fitted]. Reply: [Scored].
//
// A column ood, is_ood or outside labels records, for AUCs only.
type Score struct {
	Batch bool
	Alpha float64 // false alarm rate; 0 is 0.05
	// Every asks for an Iteration after that many steps, at the cost of scoring the batch. 0 is none.
	Every int
	New   bool // rows come without the columns that are Told
}

// Told are columns of rows that Records and verdicts by α tell as well.
var Told = []string{"id", "smiles", "verdict", "error"}

// Share prepares a worker to score records for another worker, which asks for it. Reply: [Ready].
type Share struct {
	Input Open
	Model []byte // the model file
	Alpha float64
}

// Piece asks for rows after [Share]. Reply: [Part].
type Piece struct {
	From, To int // from 0, To not included
}

// Detail explains one record of the open input. Reply: [Detailed]. It needs a model. Keys are those of the last batch.
type Detail struct {
	Record int // from 0
}

// Trace asks for the lab's data of one record. Reply: [Traced]. It needs a model.
type Trace struct {
	Record int // from 0
}

// Graphons asks for two graphons of the last batch and samples of their mixture. Reply: [GraphonPair].
type Graphons struct {
	Side   string // "ID" or "OOD"
	I, J   int    // indices on the side, from 0
	Lambda float64
}

// Reasons asks for the columns of `baca score --explain` of some records. Events: [Progress] of the
// stage StageExplain. Reply: [Explained], or after [Pause] a Failed with [CodeCancelled].
type Reasons struct {
	Record Ints // from 0
}

// MostExplained bounds the rows of a Reasons.
const MostExplained = 2000

// Compute computes something of all records of the open input, or places some on a map. Events: [Progress] of the stage
// StageCompute. Reply: [Computed], or after [Pause] a Failed with [CodeCancelled]. OfPlaces needs no input.
type Compute struct {
	What   string // OfProperties, OfStructure or OfPlaces
	SMARTS string // of a structure: a fragment may be written as SMILES
	Record Ints   // to place on the map, from 0
	// Training is that of an earlier Computed OfPlaces with this model, which then is not laid out again; nil for none.
	Training Singles
}

// What a Compute gives, without a value for refused records.
const (
	OfProperties = "properties" // the columns of property.Columns, of the compound that the model reads
	OfStructure  = "structure"  // the column of that name: 1 where the molecule holds it, else 0
	OfPlaces     = "places"     // of some records on the map of the model's training set
)

// Ask asks one of Welcome.Tools, by name, about the open input. Events: [Progress] of the stage StageAsk. Reply:
// [Found], or after [Pause] a Failed with [CodeCancelled].
type Ask struct{ Tool string }

// Compare runs `baca compare` on another input, A, and the open one, B, with the model's encoder.
// Events: [Progress] of the stage Parse, of A, of StageLists, of B, and of each comparison by name.
// Reply: [Found], or after [Pause] a Failed with [CodeCancelled].
type Compare struct{ With Open }

// Suggest runs `baca suggest` on the open input. Events: [Progress] of the stages StageLists and
// StageChoose. Reply: [Found], or after [Pause] a Failed with [CodeCancelled].
type Suggest struct {
	Most           int     // records to suggest, from 1
	Price, Exclude string  // columns of the input, see Opened.Columns; empty for none
	Budget         float64 // for the sum of the prices; 0 for none
	Alpha          float64 // 0 is 0.05
}

// Report makes the file of `baca report`. It includes what the page may have judged anew. Events:
// [Progress] of StageExplain. Reply: [Exported], or after [Pause] a Failed with [CodeCancelled].
type Report struct {
	Fitted   *Fitted // nil without a batch
	By       string  // what decides: "alone", "batch" or "attention"
	Alpha    float64
	FDR      float64 // 0 without
	Holdout  Floats  // scores of held-out graphs by what decides
	Warnings []string

	Score, P, Alone, AloneP Floats   // of all records
	Refused                 Ints     // those without scores
	Refusals                []string // why, of the first MostRefusals
	Foreign                 Ints     // those that are batch_foreign
	Record                  Ints     // the furthest outside, MostReported of them
	Rows                    Columns  // of these, those of ReportColumns that there are
}

// Of single rows a Report shows these.
const MostReported, MostRefusals = 500, 20

// ReportColumns are the columns that a Report reads.
var ReportColumns = []string{"id", "smiles", "batch", "batch_p", "batch_verdict", "set_aside"}

// Domain makes the file of `baca report --qprf` for some records, or of `baca report --qmrf` for the model. Events:
// [Progress] of the stage StageExplain. Reply: [Exported], or after [Pause] a Failed with [CodeCancelled].
type Domain struct {
	Form   string // "qprf" or "qmrf"
	Format string // "html" or "json"
	Record Ints   // for "qprf", from 0; the file has input order
	Alpha  float64
}

// Publish makes the files of `baca model publish` for a model file, which need not be of the loaded model. Reply:
// [Publication].
type Publish struct {
	Data []byte // the model file
	Date string // such as 2026-11-29
}

// MostSubstances is how many records a Domain may have.
const MostSubstances = 100

// Train trains a model on the open input. Events: [Epoch], [Checkpoint], and [Progress] of the stage StageBackground.
// Reply: [Trained], or after [Pause] [Paused]. Other requests wait, except Pause.
type Train struct {
	Name   string // of the model; empty takes the file's
	Epochs int    // in all; 0 for as many as the model needs, none for one of molecules
	// Attention trains the encoder for the paper's method, unless Epochs says how long.
	Attention bool
	Seed      uint64 // 0 is 1
	// AsWritten reads molecules as written, not their parents.
	AsWritten bool
	// Checkpoint resumes from a Checkpoint or Paused of the same input, seed and AsWritten.
	Checkpoint []byte
	// Structures stores the training molecules.
	Structures bool
	// Observed and Predicted are value columns, empty for none, stored with Structures. HeldOut
	// promises that predictions were made without their molecules; only then their errors are kept.
	Observed, Predicted string
	HeldOut             bool
	// Seconds between Checkpoints; 0 is 20.
	Seconds float64
}

// Pause ends a [Train] after its epoch, and a [Reasons], [Compute], [Ask], [Compare], [Suggest], [Trust],
// [Report] or [Domain] soon. It alone is always handled during another request. Reply: [Paused]
// without a checkpoint; the Train has its own.
type Pause struct{}

func (*Hello) request()     {}
func (*LoadModel) request() {}
func (*Open) request()      {}
func (*Score) request()     {}
func (*Share) request()     {}
func (*Piece) request()     {}
func (*Detail) request()    {}
func (*Trace) request()     {}
func (*Graphons) request()  {}
func (*Reasons) request()   {}
func (*Compute) request()   {}
func (*Ask) request()       {}
func (*Compare) request()   {}
func (*Suggest) request()   {}
func (*Report) request()    {}
func (*Domain) request()    {}
func (*Publish) request()   {}
func (*Train) request()     {}
func (*Pause) request()     {}
