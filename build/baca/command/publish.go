package command

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"baca/algo"
	"baca/algo/document"
	"baca/algo/feature/domain"
	"baca/build/device"
	"baca/build/internal/usage"
	"baca/build/site"
	"baca/weights"
)

// publishFlags are those of a training, unless a model is given, and of the folder.
type publishFlags struct {
	trainFlags
	site, page, date string
}

// newPublish returns the command "publish".
func newPublish(gpus *device.GPUs) *cobra.Command {
	f := publishFlags{trainFlags: trainFlags{device: deviceFlag{gpus: gpus}}}
	c := f.verb(&cobra.Command{
		Use:   "publish TABLE|MODEL --site DIR",
		Short: "Write a web page that judges molecules by a model",
		Args:  usage.Args(0, 1, "%d inputs: want one"),
	}, f.check, f.run)
	fs := c.Flags()
	fs.StringVar(&f.site, "site", "", "`folder` to write, new, empty or with an earlier site")
	fs.StringVar(&f.page, "page", "", "`folder` with the built page (default: the one in this program)")
	fs.StringVar(&f.date, "date", time.Now().UTC().Format(time.DateOnly), "of the publication, as YYYY-MM-DD")
	fs.Lookup("date").DefValue = "" // today
	group(c, "Site")
	f.register(c)
	return c
}

// trained reports whether the argument is a model, not a table to train on.
func (f *publishFlags) trained() bool {
	name := f.paths[0]
	return slices.Contains(weights.Names(), name) || strings.EqualFold(filepath.Ext(name), ".msgpack")
}

// check returns an error of usage for missing or wrong flags, and for flags of a training if a model is given.
func (f *publishFlags) check() error {
	extra := ""
	f.c.Flags().Visit(func(flag *pflag.Flag) {
		if flag.Annotations[groupKey][0] != "Site" {
			extra = flag.Name
		}
	})
	_, err := time.Parse(time.DateOnly, f.date)
	return cmp.Or(rules{
		{f.c.Flags().NArg() == 0 || f.site == "", "want TABLE, or a MODEL, and --site DIR"},
		{err != nil, "--date " + f.date + ": want a date such as 2026-11-29"},
		{f.trained() && extra != "", "--" + extra + ": " + f.paths[0] + " is a model, and this flag is of a training"},
	}.check(), f.checkTraining())
}

// run writes the page with the given model, or with one that it trains, and says what the model's file reveals.
func (f *publishFlags) run() error {
	page, err := f.openPage()
	if err != nil {
		return err
	}
	m, data, err := f.load()
	if err != nil {
		return err
	}
	alone, err := algo.NewSingleScorer(f.c.Context(), m, f.workers)
	if err != nil {
		return err
	}
	files, err := domain.Publish(alone, data, hashOf(data), f.date, "baca "+algo.Version)
	if err != nil {
		return err
	}
	stderr := f.c.ErrOrStderr()
	fmt.Fprintf(stderr, "the model's file, %s, reveals:\n", size(len(data)))
	for _, what := range domain.Reveals(m) {
		fmt.Fprintf(stderr, "- %s\n", document.Printable(what))
	}
	for _, file := range files {
		page.Add(file.Path, file.Data)
	}
	if err := page.Write(f.site); err != nil {
		return fmt.Errorf("--site %s: %w", f.site, err)
	}
	fmt.Fprintf(stderr, "wrote %s; visitors open index.html#domain=%s there\n", f.site, domain.LinkName(m.Card.Name))
	return nil
}

// load trains the model, or opens the one that is given.
func (f *publishFlags) load() (*algo.Model, []byte, error) {
	if f.trained() {
		return openModelFile(f.paths[0])
	}
	j := &trainJob{stderr: f.c.ErrOrStderr()}
	m, data, err := f.train(j)
	if err == nil {
		j.tell(m)
	}
	return m, data, err
}

// openPage opens the page of --page or of this program.
func (f *publishFlags) openPage() (*site.Site, error) {
	if f.page == "" {
		s, err := openSite()
		if err != nil {
			err = fmt.Errorf("%w; or name the folder that `make page` wrote, by --page web/site", err)
		}
		return s, err
	}
	s, err := site.Open(os.DirFS(f.page), weights.Bytes)
	if err != nil {
		err = fmt.Errorf("--page %s: want the folder that `make page` wrote: %w", f.page, err)
	}
	return s, err
}
