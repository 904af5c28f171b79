package command

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/weights"
)

// minReference is the smallest number of graphs from which p-values may be taken.
const minReference = 20

// newCalibrate returns the command "model calibrate".
func newCalibrate() *cobra.Command {
	var r remake
	check := func() error {
		if r.out == "" {
			base := filepath.Base(r.model)
			r.out = strings.TrimSuffix(base, filepath.Ext(base)) + "-calibrated.msgpack"
		}
		return rules{
			{r.in == "", "want --holdout LIST"},
			{r.in == "-", "--holdout -: want a file or a folder, whose name goes on the card"},
		}.check()
	}
	c := r.verb(&cobra.Command{
		Use:   "calibrate NAME|FILE --holdout LIST",
		Short: "Take p-values from a list of your own",
	}, check, r.calibrate)
	fs := c.Flags()
	fs.StringVar(&r.in, "holdout", "", "molecule file, TUDataset folder or .zip whose graphs count as inside")
	r.registerInput(fs, formats...)
	r.registerModelOut(c)
	r.registerWorkers(fs)
	return c
}

// calibrate returns the file of a model that takes p-values from the list --holdout. Fewer than minReference graphs, or a model that
// was made for sharing, are an error.
func (r *remake) calibrate(m *algo.Model) ([]byte, error) {
	ctx, stderr := r.c.Context(), r.c.ErrOrStderr()
	if m.Shared > 0 {
		return nil, fmt.Errorf("model %s was made for sharing: calibrate the model that it was made from, and share that", m.Card.Name)
	}
	r.form = m.Form()
	set, err := r.readTraining(&labels{})
	if err != nil {
		return nil, err
	}
	if err := checkSchema(m, set.schema); err != nil {
		return nil, err
	}
	list := referenceGraphs(m, set.rows, stderr)
	n := len(list)
	if n < minReference {
		return nil, fmt.Errorf("%s: %s to take p-values from: want at least %d", set.name, explain.Count(n, "graph"), minReference)
	}
	if err := m.SetHoldout(ctx, r.workers, list); err != nil {
		return nil, err
	}
	m.Card.Holdout = set.name
	fmt.Fprintf(stderr, "p-values from %d graphs of %s, down to %.2g\n", n, set.name, 1/float64(1+n))
	if alpha := algo.DefaultOptions().Alpha; decide.Confident(alpha, defaultConfidence, n) == 0 {
		fmt.Fprintf(stderr, "warning: %d graphs are too few for --confidence %g at an alpha of %g\n", n, defaultConfidence, alpha)
	}
	var b bytes.Buffer
	err = weights.SaveMeasured(ctx, r.workers, &b, m)
	return b.Bytes(), err
}

// referenceGraphs returns the graphs of a list from which p-values are taken: at most as many as a model holds, evenly
// spread. It leaves out graphs without nodes, training graphs and repeated ones, and says how many.
func referenceGraphs(m *algo.Model, rows []algo.Source, stderr io.Writer) []*graph.Graph {
	var list []*graph.Graph
	empty, known, copies := 0, 0, 0
	seen := map[uint64]bool{}
	for _, r := range rows {
		g := r.Graph
		hash := fingerprint.New(g, fingerprint.MaxHeight).Hash()
		switch {
		case g.N() == 0:
			empty++
		case m.Trained(g):
			known++
		case seen[hash]:
			copies++
		default:
			list = append(list, g)
		}
		seen[hash] = true
	}
	for _, left := range []struct {
		n   int
		why string
	}{{known, "which equal a training graph"}, {copies, "which equal an earlier one"}, {empty, "which have no nodes"}} {
		if left.n > 0 {
			fmt.Fprintf(stderr, "left out %d of %d records, %s\n", left.n, len(rows), left.why)
		}
	}
	n := len(list)
	for k := range min(n, algo.MaxHoldout) { // in place
		list[k] = list[k*n/min(n, algo.MaxHoldout)]
	}
	return list[:min(n, algo.MaxHoldout)]
}
