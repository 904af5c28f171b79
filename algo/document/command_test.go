package document

import (
	"os/exec"
	"testing"
)

// A shell reads back what was quoted.
func TestQuote(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	for _, text := range []string{"a.smi", "", "a b", "it's $HOME `x` \"q\" \\ !*?", "line\nline", "é<>|;&"} {
		out, err := exec.Command(sh, "-c", "printf %s "+Quote(text)).Output()
		if err != nil || string(out) != text {
			t.Errorf("%q comes back as %q: %v", text, out, err)
		}
	}
}

// A file whose name begins with - is no flag of the command that reads it.
func TestQuotePath(t *testing.T) {
	for path, want := range map[string]string{"-": "-", "-x.csv": "./-x.csv", "--help": "./--help", "- x.smi": "'./- x.smi'", "a-b.csv": "a-b.csv"} {
		if got := QuotePath(path); got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
}
