package command

import (
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"baca/build/internal/usage"
	"baca/build/service"
	"baca/build/service/api"
)

type apiFlags struct {
	on        bool
	tokenFile string
	origins   []string
	train     bool
	limits    api.Limits
}

// tokenVariable is the environment variable that has the token if --token-file is not given.
const tokenVariable = "BACA_TOKEN"

// register adds the flags of the API, with the default limits.
func (f *apiFlags) register(fs *pflag.FlagSet) {
	f.limits = api.DefaultLimits()
	fs.BoolVar(&f.on, "api", false, "serve the API instead of the page")
	fs.StringVar(&f.tokenFile, "token-file", "", "`file` with the token that requests to the API must have")
	fs.StringSliceVar(&f.origins, "allow-origin", nil, "let pages of an `origin`, such as https://lab.example, ask the API")
	fs.BoolVar(&f.train, "allow-train", false, "let the API train models, one at a time, and give them back")
	fs.Int64Var(&f.limits.Bytes, "max-bytes", f.limits.Bytes, "refuse requests to the API with more than `N` bytes")
	fs.DurationVar(&f.limits.Time, "max-time", f.limits.Time, "end a request to the API after this time")
	fs.IntVar(&f.limits.Requests, "max-requests", f.limits.Requests, "compute `N` requests to the API at once; up to 256 more wait")
}

// check returns an error of usage for flags of the API without --api, and for limits below 1.
func (f *apiFlags) check(c *cobra.Command) error {
	for _, name := range []string{"token-file", "allow-origin", "allow-train", "max-bytes", "max-time", "max-requests"} {
		if c.Flags().Changed(name) && !f.on {
			return usage.Errorf("--%s needs --api", name)
		}
	}
	if l := f.limits; l.Bytes < 1 || l.Time <= 0 || l.Requests < 1 {
		return usage.Errorf("--max-bytes %d, --max-time %v, --max-requests %d: want more than nothing", l.Bytes, l.Time, l.Requests)
	}
	return nil
}

// token returns the token that requests need, or "". It is never printed.
func (f *apiFlags) token() (string, error) {
	if f.tokenFile == "" {
		return strings.TrimSpace(os.Getenv(tokenVariable)), nil
	}
	file, err := os.Open(f.tokenFile)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, 4097))
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	text := strings.TrimSpace(string(data))
	if len(data) > 4096 || strings.ContainsAny(text, "\r\n \t") || len(text) < api.MinToken {
		return "", fmt.Errorf("--token-file %s: want one word of %d to 4096 characters", f.tokenFile, api.MinToken)
	}
	return text, nil
}

// serve serves the API at addr until the command is interrupted.
func (f *apiFlags) serve(c *cobra.Command, s *service.Service, addr string) error {
	token, err := f.token()
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("--addr %s: %w", addr, err)
	}
	local := api.IsLoopback(l.Addr())
	if token == "" && !local {
		l.Close()
		return usage.Errorf("--addr %s is open to other machines: want a token, by --token-file or in %s", addr, tokenVariable)
	}
	handler, err := api.New(s, api.Options{Limits: f.limits, Token: token, Loopback: local, Origins: f.origins, Train: f.train})
	if err != nil {
		l.Close()
		return usage.Errorf("%w", err)
	}
	limits := usualLimits
	limits.connections = f.limits.Requests + f.limits.Waiting + 16 // so that an excess client is told
	limits.last = f.limits.Time + time.Second
	fmt.Fprintf(c.ErrOrStderr(), "the API is at http://%s/v1/ (Ctrl-C ends it)\n", l.Addr())
	return serve(c.Context(), l, handler, limits, c.ErrOrStderr())
}
