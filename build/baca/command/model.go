package command

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/model"
	"baca/build/device"
	"baca/build/internal/replace"
)

// newModel returns the command "model", which only holds other commands.
func newModel(gpus *device.GPUs) *cobra.Command {
	c := &cobra.Command{
		Use:        "model COMMAND",
		Short:      "List models, say what is in one, or make one from another",
		SuggestFor: []string{"info", "weights", "inspect", "calibrate", "share", "structures", "publish"}, SuggestionsMinimumDistance: 2,
		Args: oneOfBelow,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newList(), newShow(), newVerify(), newCalibrate(), newShare(), newStructures(), newPublish(gpus))
	return c
}

// newVerify returns the command "model verify".
func newVerify() *cobra.Command {
	var set string
	c := &cobra.Command{
		Use:   "verify NAME|FILE",
		Short: "Check that a model file is whole, and what it was trained on",
		Args:  oneModel,
		RunE: func(c *cobra.Command, args []string) error {
			m, data, err := openModelFile(args[0])
			if err != nil {
				return err
			}
			text := fmt.Sprintf("%s: whole, %s\nsha256 %s\n%s\n", args[0], size(len(data)), hashOf(data), measuredWith(m))
			if set != "" {
				if m.Card.DatasetSHA256 == "" {
					return fmt.Errorf("model %s does not say what it was trained on", m.Card.Name)
				}
				if err := (&source{c: c, format: "auto", paths: []string{set}}).trainedOn(m); err != nil {
					return err
				}
				text += fmt.Sprintf("trained on %s\n", set)
			}
			_, err = io.WriteString(c.OutOrStdout(), text)
			return err
		},
	}
	c.Flags().StringVar(&set, "in", "", "`file` or folder that the model should have been trained on")
	return c
}

// measuredWith says whether the model's file has scores that this program can use.
func measuredWith(m *algo.Model) string {
	switch {
	case m.Measured == nil:
		return fmt.Sprintf("no score yet: this program measures it by score %d at every start", model.Rules)
	case m.Measured.Rules != model.Rules:
		return fmt.Sprintf("measured by score %d: this program measures it anew by score %d at every start", m.Measured.Rules, model.Rules)
	}
	return fmt.Sprintf("measured by score %d, this program's", model.Rules)
}

// A remake makes a model file from another model.
type remake struct {
	source
	in, out string // the input, or empty, and the file to write
}

// registerModelOut adds the flag of the file to write.
func (r *remake) registerModelOut(c *cobra.Command) {
	r.registerOut(c.Flags(), &r.out, "out", "model `file` to write")
}

// verb completes a command on a model NAME|FILE: it checks flags, calls making with the model, and writes the file that making
// returns to --out, which must not exist.
func (r *remake) verb(c *cobra.Command, check func() error, making func(*algo.Model) ([]byte, error)) *cobra.Command {
	c.Args = oneModel
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := r.set(c, args); err != nil {
			return err
		}
		r.model, r.paths = args[0], []string{r.in}
		if r.in == "" {
			r.paths = nil
		}
		if err := cmp.Or(check(), r.check()); err != nil {
			return err
		}
		release, err := claim(r.out, false)
		if err != nil {
			return err
		}
		defer release()
		m, _, err := openModelFile(r.model)
		if err != nil {
			return err
		}
		data, err := making(m)
		if err != nil {
			return err
		}
		if err := replace.Bytes(r.out, data); err != nil {
			return err
		}
		fmt.Fprintf(c.ErrOrStderr(), "wrote %s: %s\n", r.out, size(len(data)))
		return nil
	}
	return c
}

// trainedOn returns an error for an input that the model was not trained on.
func (s *source) trainedOn(m *algo.Model) error {
	in, err := s.open()
	if err != nil {
		return err
	}
	defer in.close()
	sum, err := s.sum(in)
	if want := m.Card.DatasetSHA256; err == nil && want != "" && sum != want {
		err = fmt.Errorf("--in %s has the sha-256 %.8s…: the model was trained on %s with %.8s…", s.paths[0], sum, m.Card.Dataset, want)
	}
	return err
}
