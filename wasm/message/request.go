package message

// Hello is the first request to a new worker. Reply: [Welcome].
type Hello struct{}

// LoadModel makes a model the one that is used. Reply: [Model]. With both fields
// empty it is the first one of Welcome.
type LoadModel struct {
	Name string // of a model of Welcome, or else of the file that Data is
	Data []byte // a model file; nil fetches the model called Name and checks its hash
}

// Open makes an input the one that is used. Events: of a table [Header], then [Records], then
// [Progress] of the stage Parse. Reply: [Opened]; an input of which every record is refused
// is no failure. No model is needed.
type Open struct {
	// Name of the file; tells the format together with the content, and stands
	// in errors. Empty for pasted text.
	Name string
	// Data is the text or file, of any format that the command reads.
	Data []byte
	// File, unless 0, is the number of a file of the browser that the page has
	// given to its workers, instead of Data: they read it where it lies, a piece
	// at a time.
	File   int
	Format string // a dataset.Format, such as "smi"; empty finds out
	Column string // of the SMILES in tables; empty finds out
	// Choices are columns that the user has chosen for tables seen before.
	Choices []Choice
}

// A Choice is the column with the SMILES of tables with a Header.Key.
type Choice struct{ Key, Column string }

// Score scores the open input with the loaded model, as `baca score` does. Each record is
// scored by itself, in one pass. With Batch the batch is calibrated first, or an even
// sample of a long input. Events: [Reference], [Progress] and [Rows], and of a batch also
// [Parted], [Iteration] and [Fitted]. Reply: [Scored].
//
// If the input is CSV or TSV and has a column ood, is_ood or outside, that says
// which records the user knows to be OOD. It is used for AUCs alone.
type Score struct {
	// By is what decides: "alone", "batch" or "attention"; empty is "alone". The other two
	// imply Batch.
	By    string
	Batch bool
	Alpha float64 // share of in-distribution graphs that may be called outside; 0 is 0.05
	Seed  uint64  // of everything random; 0 is 1
	// Every asks for an Iteration after that many steps of training. Each
	// takes a scoring of the whole batch. 0 is none.
	Every int
	// Workers share the work on a long input of which no batch is calibrated; 0 is one
	// for each core, four at most. The rows do not depend on it.
	Workers int
}

// Share makes a worker ready to score some of the records that another one scores.
// Workers ask it of each other. Reply: [Ready].
type Share struct {
	Input Open
	Model []byte // the model file
	Alpha float64
}

// Piece asks for the rows of records, after [Share]. Reply: [Part].
type Piece struct {
	From, To int // from 0, To not included
}

// Detail asks what made the scores of one record of the open input. Reply:
// [Detailed]. It needs a model. The keys are those that the last calibration left.
type Detail struct {
	Record int // from 0
}

// Trace asks for what the lab tells of one record of the open input. Reply: [Traced]. It
// needs a model.
type Trace struct {
	Record int // from 0
}

// Graphons asks for two graphons of the last batch and for graphs drawn from their mixture.
// Reply: [GraphonPair].
type Graphons struct {
	Side    string // "ID" or "OOD"
	I, J    int    // which of the side's graphs, from 0; −1 draws one by Seed
	Lambda  float64
	Seed    uint64
	Samples int // graphs to draw, at most MostSamples
}

// MostSamples is how many graphs a Graphons may draw.
const MostSamples = 12

// Reasons asks for the columns of `baca score --explain` of a few records of the open input.
// Events: [Progress] of the stage StageExplain. Reply: [Explained], or after [Pause] a Failed with
// [CodeCancelled].
type Reasons struct {
	Record Ints // from 0
}

// MostExplained is how many rows a Reasons may have, and MostReported how many of
// them a Report.
const (
	MostExplained = 2000
	MostReported  = 500
)

// Drift goes through the open input in its order, each record by itself, and watches
// for a change of where they come from, as `baca drift` does. Events: [Progress] of
// the stage StageDrift. Reply: [Drifted], or after [Pause] a Failed with
// [CodeCancelled].
type Drift struct {
	Delta float64 // chance of a false alarm, ever; 0 is 0.01
	Seed  uint64  // of the draws that break ties; 0 is 1
}

// Compare says how the open input, B, differs from another one, A, as `baca compare` does. It
// uses the encoder of the model. Events: [Progress] of the stage Parse, of A, then of
// StageLists, of B, and then of what is compared, by its name and without numbers. Reply:
// [Compared], or after [Pause] a Failed with [CodeCancelled].
type Compare struct {
	With Open
	FDR  float64 // 0 is 0.05
	Seed uint64  // of the samples; 0 is 1
}

// Suggest says which records of the open input would, measured and added to the training set,
// widen the domain most, as `baca suggest` does. Events: [Progress] of the stages StageLists and
// StageChoose. Reply: [Suggested], or after [Pause] a Failed with [CodeCancelled].
type Suggest struct {
	Most           int     // records to suggest, from 1
	Price, Exclude string  // columns of the input, see Opened.Columns; empty for none
	Budget         float64 // for the sum of the prices; 0 for none
	Alpha          float64 // 0 is 0.05
	Seed           uint64  // of the random picks to compare with; 0 is 1
}

// Report makes the file of `baca report` for the open input. What was scored comes
// along, since the page may have judged it anew. Events: [Progress] of the stages
// StageDrift, unless that has been done, and StageExplain. Reply: [Exported], or
// after [Pause] a Failed with [CodeCancelled].
type Report struct {
	Scored Scored
	Fitted *Fitted // nil where no batch was calibrated
	By     string  // what decides, as in Score
	Alpha  float64
	FDR    float64 // 0 without
	// Score and P are those of all records that have any, in their order, and Holdout
	// the scores that they are compared with.
	Score, P, Holdout Floats
	// AloneP are the p-values of the same records by themselves, where the batch decides;
	// nil where it does not.
	AloneP Floats
	// Top are the rows furthest outside, in that order, and Record their numbers,
	// from 0.
	Top      Columns
	Record   Ints
	Refusals []string // why records were refused, as many as are to be named
	Warnings []string
}

// Domain makes the file of `baca report --qprf` for a few records of the open input, or that of
// `baca report --qmrf`, which is about the model alone. Events: [Progress] of the stage
// StageExplain. Reply: [Exported], or after [Pause] a Failed with [CodeCancelled].
type Domain struct {
	Form   string // "qprf" or "qmrf"
	Format string // "html" or "json"
	Record Ints   // for "qprf", from 0; the file has them in the order of the input
	Alpha  float64
}

// MostSubstances is how many records a Domain may have.
const MostSubstances = 100

// Train pre-trains a model on the graphs of the open input. Events: [Epoch],
// [Checkpoint], and [Progress] of the stage StageBackground. Reply: [Trained], or after [Pause] [Paused]. The page stays
// free; other requests wait until the end of it, but for Pause.
type Train struct {
	Name, Description string // of the model; empty makes them from the file
	Epochs            int    // in all; 0 is 400, fewer for more than 7 680 graphs
	Seed              uint64 // 0 is 1
	// AsWritten reads stereo, salts and charges as written, and not the parents of molecules.
	AsWritten bool
	// Checkpoint goes on from a Checkpoint or Paused of the same input, seed and
	// AsWritten.
	Checkpoint []byte
	// Structures keeps the training molecules in the model.
	Structures bool
	// Observed and Predicted are columns with values of the molecules, empty for none, which
	// Structures has, too. HeldOut promises that predictions were made without their molecules: the
	// model then keeps their errors, and never without.
	Observed, Predicted string
	HeldOut             bool
	// Seconds between Checkpoints; 0 is 20.
	Seconds float64
}

// Pause ends a [Train] after the epoch under way, and a [Reasons], [Drift], [Compare],
// [Suggest], [Trust], [Report] or [Domain] soon. It is the only request that is always looked at while another
// one is under way. Reply: [Paused] without a checkpoint, at once; the Train has its own.
type Pause struct{}

// Measure asks for the memory of the worker. Reply: [Measured].
type Measure struct{}

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
func (*Drift) request()     {}
func (*Compare) request()   {}
func (*Suggest) request()   {}
func (*Report) request()    {}
func (*Domain) request()    {}
func (*Train) request()     {}
func (*Pause) request()     {}
func (*Measure) request()   {}
