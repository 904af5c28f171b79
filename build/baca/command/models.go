package command

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/document"
	"baca/build/internal/usage"
	"baca/weights"
)

var oneModel = usage.Args(1, 1, "%d arguments: want the name of an embedded model or a model file")

// readModel returns the bytes of an embedded model, or of a file, which need not be a model.
func readModel(nameOrFile string) ([]byte, error) {
	data, err := weights.Bytes(nameOrFile)
	if err == nil {
		return data, nil
	}
	data, ferr := readLimited(nameOrFile)
	// A name without a path and without an ending means an embedded model.
	if errors.Is(ferr, fs.ErrNotExist) && !strings.ContainsAny(nameOrFile, `/\.`) {
		return nil, fmt.Errorf("%w, or a model file", err)
	}
	if len(data) > weights.MaxSize {
		return nil, fmt.Errorf("%s: %w: more than %d bytes", nameOrFile, weights.ErrTooLarge, weights.MaxSize)
	}
	return data, ferr
}

// readLimited reads a file, but at most one byte more than a model may have.
func readLimited(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		b.Grow(int(min(info.Size(), weights.MaxSize)) + bytes.MinRead)
	}
	_, err = b.ReadFrom(io.LimitReader(f, weights.MaxSize+1))
	return b.Bytes(), err
}

// openModelFile loads an embedded model by name, or a model file. It also returns the bytes of the file.
func openModelFile(nameOrFile string) (*algo.Model, []byte, error) {
	data, err := readModel(nameOrFile)
	if err != nil {
		return nil, nil, err
	}
	m, err := weights.Load(data)
	if err != nil {
		return nil, nil, fmt.Errorf("model %s: %w", nameOrFile, err)
	}
	m.Card.Name = cmp.Or(m.Card.Name, nameOrFile)
	return m, data, nil
}

// hashOf returns the SHA-256 of a file, in hex.
func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// checkSchema returns an error if a model cannot read graphs of a schema. It names the embedded models that can.
func checkSchema(m *algo.Model, schema string) error {
	kinds := map[bool]string{false: "molecules", true: "plain graphs without features"}
	plain := schema == algo.Constant
	if plain == (m.Card.Schema == algo.Constant) {
		return nil
	}
	var fit []string
	for _, name := range weights.Names() {
		if other, err := weights.Open(name); err == nil && plain == (other.Card.Schema == algo.Constant) {
			fit = append(fit, name)
		}
	}
	hint := "none of the embedded models does"
	if len(fit) > 0 {
		hint = "these embedded models do: " + strings.Join(fit, ", ")
	}
	return fmt.Errorf("model %s reads %s (schema %s), the input holds %s (%s); %s",
		m.Card.Name, kinds[!plain], m.Card.Schema, kinds[plain], schema, hint)
}

// newList returns the command "model list".
func newList() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the models that come with this program",
		Args:  usage.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			list, lines := []document.Object{}, "NAME\tTRAINED ON\tGRAPHS\tEPOCHS\tREADS\tSIZE\n"
			for _, name := range weights.Names() {
				m, data, err := openModelFile(name)
				if err != nil {
					return err
				}
				c, reads := m.Card, algo.Reads(m.Card.Schema)
				list = append(list, document.Object{
					{"name", name}, {"description", c.Description}, {"dataset", c.Dataset}, {"graphs", c.Graphs}, {"train", c.Train},
					{"epochs", c.Epochs}, {"schema", c.Schema}, {"reads", reads}, {"bytes", len(data)},
				})
				lines += fmt.Sprintf("%s\t%s\t%d\t%d\t%s\t%s\n", name, c.Dataset, c.Graphs, c.Epochs, reads, size(len(data)))
			}
			if asJSON {
				return document.WriteJSON(c.OutOrStdout(), list)
			}
			if len(list) == 0 {
				_, err := fmt.Fprintln(c.OutOrStdout(), "no models are embedded in this build; `baca train` makes model files")
				return err
			}
			t := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			io.WriteString(t, lines)
			return t.Flush()
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON list")
	return c
}

// size formats a number of bytes.
func size(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.0f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}
