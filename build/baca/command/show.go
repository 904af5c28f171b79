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
	"baca/algo/feature/domain"
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
		{"structures", structures}, {"residuals", domain.KnownErrors(m)}, {"reveals", domain.Reveals(m)},
		{"format", weights.Version}, {"bytes", len(file)}, {"sha256", hashOf(file)},
	}
}

// backgroundOf says how many molecules the background has and where they are from. It returns "" without a background.
func backgroundOf(c algo.Card) string {
	if c.BackgroundGraphs == 0 {
		return ""
	}
	return fmt.Sprintf("%d molecules of %s", c.BackgroundGraphs, c.Background)
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
	if n := domain.KnownErrors(m); n > 0 {
		line("residuals", "errors of predictions of %s, for baca trust", explain.Count(n, "graph"))
	}
	line("file", "%s, format %d", size(len(file)), weights.Version)
	line("sha256", "%s", hashOf(file))
	if err := t.Flush(); err != nil {
		return err
	}
	b.WriteString("\nWhat the file reveals:\n")
	for _, text := range domain.Reveals(m) {
		fmt.Fprintf(&b, "- %s\n", text)
	}
	_, err := w.Write(b.Bytes())
	return err
}
