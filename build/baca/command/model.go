package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/build/internal/replace"
)

func newModel() *cobra.Command {
	c := &cobra.Command{
		Use:        "model COMMAND",
		Short:      "List models, say what is in one, or make one from another",
		SuggestFor: []string{"info", "weights"}, SuggestionsMinimumDistance: 2,
		Args: oneOfBelow,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newList(), newShow(), newVerify(), newCalibrate(), newShare(), newStructures())
	return c
}

func newVerify() *cobra.Command {
	var set string
	c := &cobra.Command{
		Use:   "verify NAME|FILE",
		Short: "Check that a model file is whole, and what it was trained on",
		Long: `Verify reads a model as scoring does: each section must have the SHA-256 that the file
says, and hold what it should. With --in it also checks that the model was trained on
that file or folder. The exit status is 1 where something is not as it should be.`,
		Example: `  baca model verify my.msgpack
  baca model verify my.msgpack --in library.csv`,
		Args: oneModel,
		RunE: func(c *cobra.Command, args []string) error {
			m, data, err := openModelFile(args[0])
			if err != nil {
				return err
			}
			if set != "" {
				if m.Card.DatasetSHA256 == "" {
					return fmt.Errorf("model %s does not say what it was trained on", m.Card.Name)
				}
				if err := trainedOn(c, m, source{format: "auto", path: set}); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s: whole, %s\nsha256 %s\n", args[0], size(len(data)), hashOf(data))
			if err == nil && set != "" {
				_, err = fmt.Fprintf(c.OutOrStdout(), "trained on %s\n", set)
			}
			return err
		},
	}
	c.Flags().StringVar(&set, "in", "", "`file` or folder that the model should have been trained on")
	return c
}

// derive makes a model file of the model of a source, by what a function makes of it.
func (t *target) derive(c *cobra.Command, from source, making func(*algo.Model) ([]byte, error)) error {
	release, err := t.claim(from)
	if err != nil {
		return err
	}
	defer release()
	m, _, err := openModelFile(from.model)
	if err != nil {
		return err
	}
	data, err := making(m)
	if err != nil {
		return err
	}
	if err := replace.Bytes(t.path, data); err != nil {
		return err
	}
	fmt.Fprintf(c.ErrOrStderr(), "wrote %s: %s\n", t.path, size(len(data)))
	return nil
}

// trainedOn refuses a set that the model was not trained on.
func trainedOn(c *cobra.Command, m *algo.Model, from source) error {
	in, err := from.open(c.Context(), c)
	if err != nil {
		return err
	}
	defer in.close()
	sum := ""
	if in.files != nil {
		sum, err = in.files.Sum()
	} else {
		sum, err = sha256OfFile(from.path)
	}
	if want := m.Card.DatasetSHA256; err == nil && want != "" && sum != want {
		err = fmt.Errorf("--in %s has the sha-256 %.8s…: the model was trained on %s with %.8s…", from.path, sum, m.Card.Dataset, want)
	}
	return err
}
