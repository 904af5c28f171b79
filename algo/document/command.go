package document

import "strings"

// A Flag of a command. A command line leaves out a flag whose Value is Usual.
type Flag struct{ Name, Value, Usual string }

// Command returns the command line that makes a document again: a command, its flags and its inputs, quoted for a shell.
func Command(command string, flags []Flag, inputs ...string) string {
	command = WithFlags(command, flags)
	for _, path := range inputs {
		command += " " + QuotePath(path)
	}
	return command
}

// WithFlags returns a command with those of its flags that do not have their usual values.
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

// QuotePath quotes an input path for a shell. A leading - must not become a flag, except that a lone - is standard
// input.
func QuotePath(path string) string {
	if strings.HasPrefix(path, "-") && path != "-" {
		path = "./" + path
	}
	return Quote(path)
}
