package compact

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
)

// A program without lines does what it did, and sends less.
func TestLineless(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no Node to run it")
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "program.wasm")
	c := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", name, "./testdata/program")
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	less, err := lineless(whole)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := lineless(whole); err != nil || !bytes.Equal(again, less) {
		t.Errorf("the second time it is another program, or none: %v", err)
	}
	if x, y := sent(t, whole), sent(t, less); y > x*93/100 {
		t.Errorf("%d bytes are sent instead of %d", y, x)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	run := func(program []byte, args ...string) (out, died string) {
		if err := os.WriteFile(name, program, 0o666); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(node, append([]string{"--stack-size=8192", filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js"), name}, args...)...)
		var stdout, stderr bytes.Buffer
		c.Stdout, c.Stderr = &stdout, &stderr
		if err := c.Run(); (err != nil) != (len(args) > 0) {
			t.Fatalf("%v\n%s%s", err, stdout.Bytes(), stderr.Bytes())
		}
		return stdout.String(), stderr.String()
	}
	const lines = "main.main true true\n"
	want, _ := run(whole)
	got, _ := run(less)
	if !strings.HasPrefix(want, lines) || got != "main.main false true\n"+want[len(lines):] {
		t.Errorf("it prints\n%swant but for the lines\n%s", got, want)
	}
	// A traceback names the functions.
	if _, died := run(less, "die"); !strings.Contains(died, "panic: the end") || !strings.Contains(died, "main.main()") || strings.Contains(died, "main.go") {
		t.Errorf("it dies with\n%s", died)
	}
}

func sent(t *testing.T, data []byte) int {
	t.Helper()
	var b bytes.Buffer
	w := brotli.NewWriterLevel(&b, 5)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Len()
}

// Numbers at which a byte more is needed are written as signed ones.
func TestSegments(t *testing.T) {
	for _, at := range []int{0, 1, 63, 64, 127, 128, 8191, 8192, 16383, 16384, 1 << 20} {
		memory := make([]byte, at+1)
		memory[at] = 7
		memory = append(append(memory, make([]byte, gap)...), 1, 0, 2)
		section := segments(memory)
		if section[0] != 2 {
			t.Errorf("%d segments for a byte at %d, want 2", section[0], at)
		}
		if last := lastByte(section[3:]); last&0x40 != 0 {
			t.Errorf("the place %d is written as a negative number", at)
		}
		if got, err := image(section); err != nil || !bytes.Equal(got, memory) {
			t.Errorf("a byte at %d: %d bytes come back of %d: %v", at, len(got), len(memory), err)
		}
	}
}

// lastByte is that of the number which begins there.
func lastByte(b []byte) byte {
	for b[0]&0x80 != 0 {
		b = b[1:]
	}
	return b[0]
}

func TestForeignPrograms(t *testing.T) {
	for _, program := range []string{"", "\x00asm\x01\x00\x00\x00", "\x00asm\x01\x00\x00\x00\x0b\x01\x00", "\x00asm\x01\x00\x00\x00\x0b\x7f\x00", "\x00asm\x01\x00\x00\x00\x0b\x05\x01\x00\x41\x00\x0b"} {
		if _, err := lineless([]byte(program)); err == nil {
			t.Errorf("%q is taken for a program of Go", program)
		}
	}
}
