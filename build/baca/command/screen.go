package command

import (
	"cmp"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"baca/algo/document"
)

// A screen is standard output or standard error for people. Contents of files, such as names of models, cannot command the
// terminal or reverse text. It keeps the first error.
type screen struct {
	to   io.Writer
	mu   sync.Mutex
	rest []byte // the bytes of an incomplete character
	err  error
	// names replaces arguments that have line ends, which must not look like the end of a message.
	names *strings.Replacer
}

// printable returns a replacer of the arguments and values of flags that have line ends, or nil if none has.
func printable(args []string) *strings.Replacer {
	var pairs []string
	for _, arg := range args {
		if _, value, isFlag := strings.Cut(arg, "="); isFlag && strings.HasPrefix(arg, "--") {
			arg = value
		}
		if strings.ContainsAny(arg, "\r\n") {
			pairs = append(pairs, arg, document.Printable(arg))
		}
	}
	if pairs == nil {
		return nil
	}
	return strings.NewReplacer(pairs...)
}

// Write writes text without control characters. An incomplete character at the end waits for the next Write.
func (s *screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rest = append(s.rest, text...)
	whole := len(s.rest)
	for i := max(0, whole-utf8.UTFMax+1); i < whole; i++ {
		if utf8.RuneStart(s.rest[i]) && !utf8.FullRune(s.rest[i:]) {
			whole = i
		}
	}
	shown := string(s.rest[:whole])
	if s.names != nil {
		shown = s.names.Replace(shown)
	}
	_, err := io.WriteString(s.to, document.Visible(shown))
	s.rest = append(s.rest[:0], s.rest[whole:]...)
	s.err = cmp.Or(s.err, err)
	return len(text), err
}

// Unwrap returns the writer below, on which progress bars draw.
func (s *screen) Unwrap() io.Writer { return s.to }

// A rawScreen writes bytes unchanged.
type rawScreen struct{ *screen }

// Write writes data as they are, and keeps the first error.
func (s rawScreen) Write(data []byte) (int, error) {
	n, err := s.to.Write(data)
	s.err = cmp.Or(s.err, err)
	return n, err
}

// raw returns standard output for text that keeps its control characters, such as colours.
func raw(c *cobra.Command) io.Writer {
	if s, ok := c.OutOrStdout().(*screen); ok {
		return rawScreen{s}
	}
	return c.OutOrStdout()
}

// rowsOut returns standard output for data. Only on a terminal it changes control characters.
func rowsOut(c *cobra.Command) io.Writer {
	if isTerminal(c.OutOrStdout()) {
		return c.OutOrStdout()
	}
	return raw(c)
}
