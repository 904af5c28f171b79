package document

import "strings"

// A Flag of a command is left out where it has its usual value.
type Flag struct{ Name, Value, Usual string }

// Command is a command line with flags, but for those of usual values, and inputs: how to make again
// what it made.
func Command(command string, flags []Flag, inputs ...string) string {
	command = WithFlags(command, flags)
	for _, path := range inputs {
		command += " " + QuotePath(path)
	}
	return command
}

// WithFlags is a command with those of its flags that have no usual value.
func WithFlags(command string, flags []Flag) string {
	for _, f := range flags {
		if f.Value != f.Usual {
			command += " " + f.Name + " " + Quote(f.Value)
		}
	}
	return command
}

// Quote quotes a word for a shell.
func Quote(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,@%+", r))
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// QuotePath is Quote for an input path, whose leading - must not become a flag. A lone - is
// standard input.
func QuotePath(path string) string {
	if strings.HasPrefix(path, "-") && path != "-" {
		path = "./" + path
	}
	return Quote(path)
}
