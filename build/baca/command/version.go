package command

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"baca/algo/pretrain"
	"baca/build/device"
	"baca/build/internal/usage"
	"baca/build/internal/version"
	"baca/weights"
)

// newVersion returns the command "version".
func newVersion(gpus *device.GPUs) *cobra.Command {
	return &cobra.Command{
		Use:        "version",
		Short:      "Print the version of this program, and where encoders can run",
		SuggestFor: []string{"gpu", "devices"},
		Args:       usage.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			text := fmt.Sprintf("%s %s\n%s %s/%s\nmodel file format %d\ncpu\t%s\n",
				c.Root().Name(), version.String(), runtime.Version(), runtime.GOOS, runtime.GOARCH, weights.Version, pretrain.NewCPU(0))
			var list []string
			if gpus == nil {
				text += fmt.Sprintf("gpu\t%v\n", device.ErrNoGPU)
			} else if list = gpus.List(); len(list) == 0 {
				text += "gpu\tnone with a driver that WebGPU can use\n"
			}
			for n, name := range list {
				text += fmt.Sprintf("gpu:%d\t%s\n", n, name)
			}
			_, err := io.WriteString(c.OutOrStdout(), text)
			return err
		},
	}
}
