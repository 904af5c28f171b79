package command

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/explain"
	"baca/algo/report"
	"baca/build/internal/pretty"
	"baca/weights"
)

// An inspection is the content of `baca model show`.
type inspection struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Schema      string `json:"schema"`
	Background  string `json:"background"` // number of molecules and source; empty for none
	counts      string

	Dataset       string   `json:"dataset"`
	DatasetSHA256 string   `json:"dataset_sha256"`
	Graphs        int      `json:"graphs"`
	Train         int      `json:"train"`
	HoldoutRows   int      `json:"holdout_rows"`
	Repeats       int      `json:"repeats"`
	Seed          uint64   `json:"seed"`
	Epochs        int      `json:"epochs"`
	Batch         int      `json:"batch"`
	LearningRate  float64  `json:"learning_rate"`
	Loss          float64  `json:"loss"`
	Program       string   `json:"program"`
	Features      int      `json:"features"`
	Hidden        int      `json:"hidden"`
	Layers        int      `json:"layers"`
	Parameters    int      `json:"parameters"`
	Bank          int      `json:"bank"`
	Subtrees      int      `json:"subtrees"` // training graphs with subtrees
	Holdout       int      `json:"holdout"`
	HoldoutFile   string   `json:"holdout_file"`     // of baca model calibrate, empty for the training set
	SmallestP     *float64 `json:"smallest_p_value"` // null without a holdout
	Known         int      `json:"known"`            // hashes of training graphs
	KnownBits     int      `json:"known_bits"`
	Shared        int      `json:"shared"`     // k of baca model share, 0 otherwise
	Structures    int      `json:"structures"` // stored training molecules
	Residuals     int      `json:"residuals"`  // held-out molecules with known prediction errors
	Reveals       []string `json:"reveals"`
	Format        int      `json:"format"`
	Bytes         int      `json:"bytes"`
	SHA256        string   `json:"sha256"`
}

func newShow() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "show NAME|FILE",
		Short: "Say what is in a model",
		Long: `Show says what a model was trained on and how, its size, and what its file
gives away about the training set. The model is an embedded one by name, or a file.`,
		Args: oneModel,
		RunE: func(c *cobra.Command, args []string) error {
			m, data, err := openModelFile(args[0])
			if errors.Is(err, weights.ErrKind) {
				data, _ := readModel(args[0])
				if point, perr := weights.LoadCheckpoint(data); perr == nil {
					return fmt.Errorf("%s is not a model but a checkpoint of a training run after %s; `baca train --resume` finishes it",
						args[0], explain.Count(point.State.Epoch, "epoch"))
				}
			}
			if err != nil {
				return err
			}
			in := inspect(m, data)
			if asJSON {
				return pretty.JSON(c.OutOrStdout(), in)
			}
			return in.write(c.OutOrStdout())
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return c
}

func inspect(m *algo.Model, file []byte) *inspection {
	card := m.Card
	in := &inspection{
		Name: card.Name, Description: card.Description, Schema: card.Schema,
		Dataset: card.Dataset, DatasetSHA256: card.DatasetSHA256,
		Graphs: card.Graphs, Train: card.Train, HoldoutRows: len(card.HoldoutRows), Repeats: len(card.Repeats), counts: card.Counts(),
		Seed: card.Seed, Epochs: card.Epochs, Batch: card.Batch, LearningRate: card.LearningRate, Loss: card.Loss, Program: card.Program,
		Features: m.Encoder.Features, Hidden: m.Encoder.Hidden, Layers: m.Encoder.Layers, Parameters: len(m.Encoder.Params),
		Bank: m.Bank.Len(), Subtrees: m.Known(), Holdout: m.Holdout.Len(), HoldoutFile: card.Holdout,
		Format: weights.Version, Bytes: len(file), SHA256: hashOf(file),
	}
	if card.BackgroundGraphs > 0 {
		in.Background = fmt.Sprintf("%d molecules of %s", card.BackgroundGraphs, card.Background)
	}
	if n := m.References(); n > 0 {
		smallest := 1 / float64(1+n)
		in.SmallestP = &smallest
	}
	if m.Profile != nil {
		in.Known, in.KnownBits = len(m.Profile.Known.Hashes), m.Profile.Known.Bits
	}
	if in.Shared = m.Shared; m.Structures != nil {
		in.Structures = len(m.Structures.SMILES)
	}
	if m.Residuals != nil {
		in.Residuals = m.Residuals.Known()
	}
	in.Reveals = reveals(m)
	return in
}

func (in *inspection) write(w io.Writer) error {
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(key, format string, args ...any) {
		fmt.Fprintf(t, "%s\t"+format+"\n", append([]any{key}, args...)...)
	}
	line("name", "%s", cmp.Or(in.Name, "none given"))
	line("description", "%s", cmp.Or(in.Description, "none given"))
	line("reads", "%s (%s)", algo.Reads(in.Schema), in.Schema)
	line("trained on", "%s", cmp.Or(in.Dataset, "not named"))
	line("its sha256", "%s", cmp.Or(in.DatasetSHA256, "not recorded"))
	line("graphs", "%s", in.counts)
	if in.Background != "" {
		line("background", "%s", in.Background)
	}
	line("training", "%s, batches of %d, learning rate %g, seed %d", explain.Count(in.Epochs, "epoch"), in.Batch, in.LearningRate, in.Seed)
	line("last loss", "%.4g", in.Loss)
	line("trained by", "%s", cmp.Or(in.Program, "unknown program"))
	line("encoder", "two views, %d node features, %d layers of width %d", in.Features, in.Layers, in.Hidden)
	line("parameters", "%d", in.Parameters)
	if in.Shared > 0 {
		line("bank", "%d means of %d or more training graphs each, to compare with", in.Bank, 2*in.Shared)
	} else {
		line("bank", "%d embeddings and %d sets of subtrees of training graphs, to compare with", in.Bank, in.Subtrees)
	}
	if in.Shared > 0 && in.SmallestP != nil {
		line("holdout", "scores only, of %.0f graphs %s: p-values down to %.3g", 1 / *in.SmallestP - 1, report.HoldoutOf(in.HoldoutFile), math.Round(1e4**in.SmallestP)/1e4)
	} else if in.Holdout > 0 {
		line("holdout", "%d embeddings of graphs %s: p-values down to %.3g", in.Holdout, report.HoldoutOf(in.HoldoutFile), math.Round(1e4**in.SmallestP)/1e4)
	} else {
		line("holdout", "none: no p-values")
	}
	if in.Structures > 0 {
		line("structures", "SMILES of %s", explain.Count(in.Structures, "training molecule"))
	}
	if in.Residuals > 0 {
		line("residuals", "errors of predictions of %s kept from training, for baca trust", explain.Count(in.Residuals, "graph"))
	}
	line("file", "%s, format %d", size(in.Bytes), in.Format)
	line("sha256", "%s", in.SHA256)
	if err := t.Flush(); err != nil {
		return err
	}
	b.WriteString("\nWhat the file reveals:\n")
	for _, text := range in.Reveals {
		fmt.Fprintf(&b, "- %s\n", text)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// reveals lists what a file tells about its training graphs.
func reveals(m *algo.Model) []string {
	list := []string{"the weights, which were fitted to the training graphs"}
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if m.Shared > 0 {
		add("means of the embeddings of groups of %d or more training graphs that differ (%d groups), and the neighbourhoods, up to two edges wide, that %d graphs of a group have", 2*m.Shared, m.Bank.Len(), m.Shared)
		if n := len(m.Reference); n > 0 {
			add("the scores of %s %s, without the graphs", explain.Count(n, "graph"), report.HoldoutOf(m.Card.Holdout))
		}
	} else {
		if n := m.Known(); n > m.Bank.Len() {
			add("of each of %d training graphs: hashes of the neighbourhoods in it, up to two edges wide", n)
		}
		add("of each of %d training graphs in the bank and %d %s: an embedding, a score, and hashes of the neighbourhoods in it, up to two edges wide. Who holds a graph can tell whether it is there, and who guesses fragments can tell which graphs have them, and may put a structure together", m.Bank.Len(), m.Holdout.Len(), report.HoldoutOf(m.Card.Holdout))
	}
	if p := m.Profile; p != nil {
		if m.Shared > 0 {
			add("quantiles of size, rings and branching that %d graphs lie beyond, and which values the features of %d graphs had", m.Shared, m.Shared)
		} else {
			add("quantiles of size, rings and branching of the training graphs, and how many of them had which values of features, single ones included")
		}
		if n := len(p.Known.Hashes); n > 0 {
			add("%d salted hashes of all training graphs, cut to %d bits: who holds a graph learns for sure that it was not trained on, or that it likely was (%.1f %% of other graphs match, too)", n, p.Known.Bits, 100*p.Known.FalseMatches())
		}
	}
	if n := len(m.Card.HoldoutRows); n > 0 {
		add("the row numbers of the %d graphs kept from training", n)
	}
	if m.Card.DatasetSHA256 != "" {
		add("the sha-256 of the training file: whoever has a file can tell whether it is that one")
	}
	if m.Structures != nil {
		add("the SMILES and names of %d training molecules, and their values where it has any", m.Known())
	}
	for _, s := range m.Others {
		add("section %q of %d bytes, which this program does not know", s.Name, len(s.Data))
	}
	if r := m.Residuals; r != nil {
		what := "who knows the predictions knows the measured values"
		if r.Classes {
			what = "the class that was measured and the probability that was predicted follow from that"
		}
		add("how wrong predictions were for %d graphs kept from training (columns %s and %s), each beside its row number: %s", r.Known(), r.Observed, r.Predicted, what)
	}
	if m.Shared == 0 {
		other := ""
		if m.Structures != nil {
			other = "other "
		}
		add("no %sstructures, names or labels; still, do not hand it out if the graphs are secret: baca model share makes a file for that", other)
	} else {
		add("nothing of any single graph beside these")
	}
	return list
}
