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
	"baca/algo/document"
	"baca/algo/explain"
	"baca/algo/report"
	"baca/weights"
)

// newShow returns the command "model show".
func newShow() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "show NAME|FILE",
		Short: "Say what is in a model",
		Args:  oneModel,
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
			if asJSON {
				return document.WriteJSON(c.OutOrStdout(), inspect(m, data))
			}
			return writeModel(c.OutOrStdout(), m, data)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return c
}

// inspect returns what `baca model show --json` writes. The command calibrate sets holdout_file, and share sets shared. A
// model without a holdout has null as its smallest p-value.
func inspect(m *algo.Model, file []byte) document.Object {
	c := m.Card
	structures, smallest := 0, math.NaN()
	if m.References() > 0 {
		smallest = smallestP(m)
	}
	if m.Structures != nil {
		structures = len(m.Structures.SMILES)
	}
	return document.Object{
		{"name", c.Name}, {"description", c.Description}, {"schema", c.Schema}, {"background", backgroundOf(c)},
		{"dataset", c.Dataset}, {"dataset_sha256", c.DatasetSHA256}, {"graphs", c.Graphs}, {"train", c.Train},
		{"holdout_rows", len(c.HoldoutRows)}, {"repeats", len(c.Repeats)}, {"seed", c.Seed}, {"epochs", c.Epochs},
		{"encoder_trained", c.Epochs > 0}, {"batch", c.Batch},
		{"learning_rate", c.LearningRate}, {"loss", c.Loss}, {"program", c.Program},
		{"features", m.Encoder.Features}, {"hidden", m.Encoder.Hidden}, {"layers", m.Encoder.Layers}, {"parameters", len(m.Encoder.Params)},
		{"bank", m.Bank.Len()}, {"subtrees", m.Known()}, {"holdout", m.Holdout.Len()}, {"holdout_file", c.Holdout},
		{"smallest_p_value", smallest}, {"shared", m.Shared},
		{"structures", structures}, {"residuals", residuals(m)}, {"reveals", reveals(m)},
		{"format", weights.Version}, {"bytes", len(file)}, {"sha256", hashOf(file)},
	}
}

// backgroundOf returns the number of molecules of the background and its source, or "" if there is none.
func backgroundOf(c algo.Card) string {
	if c.BackgroundGraphs == 0 {
		return ""
	}
	return fmt.Sprintf("%d molecules of %s", c.BackgroundGraphs, c.Background)
}

// residuals returns the number of held-out molecules whose prediction errors are known.
func residuals(m *algo.Model) int {
	if m.Residuals == nil {
		return 0
	}
	return m.Residuals.Known()
}

// smallestP returns the smallest p-value that a model can give.
func smallestP(m *algo.Model) float64 { return 1 / float64(1+m.References()) }

// writeModel writes what a model is, a line for each property. file is the model's file.
func writeModel(w io.Writer, m *algo.Model, file []byte) error {
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(key, format string, args ...any) {
		fmt.Fprintf(t, "%s\t"+format+"\n", append([]any{key}, args...)...)
	}
	c, heldOut := m.Card, report.HoldoutOf(m.Card.Holdout)
	line("name", "%s", cmp.Or(c.Name, "none given"))
	line("description", "%s", cmp.Or(c.Description, "none given"))
	line("reads", "%s (%s)", algo.Reads(c.Schema), c.Schema)
	line("trained on", "%s", cmp.Or(c.Dataset, "not named"))
	line("its sha256", "%s", cmp.Or(c.DatasetSHA256, "not recorded"))
	line("graphs", "%s", c.Counts())
	if background := backgroundOf(c); background != "" {
		line("background", "%s", background)
	}
	line("training", "%s", c.Training())
	if c.Epochs > 0 {
		line("last loss", "%.4g", c.Loss)
	}
	line("trained by", "%s", cmp.Or(c.Program, "unknown program"))
	line("encoder", "two views, %d node features, %d layers of width %d", m.Encoder.Features, m.Encoder.Layers, m.Encoder.Hidden)
	line("parameters", "%d", len(m.Encoder.Params))
	if m.Shared > 0 {
		line("bank", "%d means of %d or more training graphs each, to compare with", m.Bank.Len(), 2*m.Shared)
	} else {
		line("bank", "%d embeddings and %d sets of subtrees of training graphs, to compare with", m.Bank.Len(), m.Known())
	}
	down := math.Round(1e4*smallestP(m)) / 1e4
	switch {
	case m.Shared > 0 && m.References() > 0:
		line("holdout", "scores only, of %d graphs %s: p-values down to %.3g", m.References(), heldOut, down)
	case m.Holdout.Len() > 0:
		line("holdout", "%d embeddings of graphs %s: p-values down to %.3g", m.Holdout.Len(), heldOut, down)
	default:
		line("holdout", "none: no p-values")
	}
	if m.Structures != nil {
		line("structures", "SMILES of %s", explain.Count(len(m.Structures.SMILES), "training molecule"))
	}
	if n := residuals(m); n > 0 {
		line("residuals", "errors of predictions of %s, for baca trust", explain.Count(n, "graph"))
	}
	line("file", "%s, format %d", size(len(file)), weights.Version)
	line("sha256", "%s", hashOf(file))
	if err := t.Flush(); err != nil {
		return err
	}
	b.WriteString("\nWhat the file reveals:\n")
	for _, text := range reveals(m) {
		fmt.Fprintf(&b, "- %s\n", text)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// reveals lists what a model's file tells about its training graphs.
func reveals(m *algo.Model) []string {
	list := []string{"the weights, which were fitted to the training graphs"}
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if m.Shared > 0 {
		add("means of the embeddings of groups of %d or more training graphs that differ (%d groups), and the "+
			"neighbourhoods, up to two edges wide, that %d graphs of a group have", 2*m.Shared, m.Bank.Len(), m.Shared)
		if n := len(m.Reference); n > 0 {
			add("the scores of %s %s, without the graphs", explain.Count(n, "graph"), report.HoldoutOf(m.Card.Holdout))
		}
	} else {
		if n := m.Known(); n > m.Bank.Len() {
			add("of each of %d training graphs: hashes of the neighbourhoods in it, up to two edges wide", n)
		}
		add("of each of %d training graphs in the bank and %d %s: an embedding, a score, and hashes of the "+
			"neighbourhoods in it, up to two edges wide. Who holds a graph can tell whether it is there, and who "+
			"guesses fragments can tell which graphs have them, and may put a "+
			"structure together", m.Bank.Len(), m.Holdout.Len(), report.HoldoutOf(m.Card.Holdout))
	}
	if m.Profile != nil {
		if m.Shared > 0 {
			add("quantiles of size, rings and branching that %d graphs lie beyond, and which values the features "+
				"of %d graphs had", m.Shared, m.Shared)
		} else {
			add("quantiles of size, rings and branching of the training graphs, and how many of them had which " +
				"values of features, single ones included")
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
		add("how wrong predictions were for %d graphs (columns %s and %s), each beside its row number: %s", r.Known(),
			r.Observed, r.Predicted, what)
		for _, c := range []algo.Column{r.Uncertainty, r.NewScaffold} {
			if c.Name != "" {
				add("a number for each of these predictions, from column %s", c.Name)
			}
		}
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
