package build

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"baca/build/internal/try"
	"baca/web"
)

// An example is a command that a page shows, with what it prints.
type example struct {
	command string
	output  []string
}

// examples are those of the console blocks of a page: lines that begin with $ are commands, those with
// > go on with one, and the others are what it prints.
func examples(page string) []example {
	var list []example
	for _, block := range strings.Split(page, "```console\n")[1:] {
		block, _, _ = strings.Cut(block, "\n```")
		for line := range strings.SplitSeq(block, "\n") {
			switch {
			case strings.HasPrefix(line, "$ "):
				list = append(list, example{command: line[2:]})
			case strings.HasPrefix(line, "> "):
				list[len(list)-1].command += "\n" + line[2:]
			default:
				list[len(list)-1].output = append(list[len(list)-1].output, line)
			}
		}
	}
	return list
}

// tools are programs that a machine may lack.
var tools = regexp.MustCompile(`\b(mlr|csvgrep|xsv|sqlite3|duckdb|jq|python3|curl|inotifywait|make|git|man -l)\b`)

// What pages of the command show is what it does. The lines … stand for any. Loose pages show lines of both outputs, of which some
// are left out, and pictures that the commands draw.
func TestPagesShowWhatRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	hydration := try.To(os.ReadFile("baca/testdata/hydration.csv"))
	five := []byte(`CC(=O)Oc1ccccc1C(=O)O aspirin
CCCCCCCC(=O)O caprylic acid
C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-] RDX
O=c1c(O)c(-c2ccc(O)c(O)c2)oc2cc(O)cc(O)c12 quercetin
CCCC[Sn](CCCC)(CCCC)O[Sn](CCCC)(CCCC)CCCC bis(tributyltin) oxide
`)
	inputs := map[string][]byte{"in.smi": five, "examples.csv": web.Examples(), "hydration.csv": hydration, "three.smi": []byte("CC(=O)Oc1ccccc1C(=O)O aspirin\nC1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-] RDX\nc1ccccc1N( broken\n")}
	if runtime.GOARCH != "amd64" {
		t.Skip("the last digits shown are those of amd64")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "baca"), "baca/build/baca").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, page := range []struct {
		name     string
		loose    bool
		least    int // examples
		pictures []string
	}{
		{"baca/SHELL.md", false, 2, nil}, {"baca/DOMAIN.md", false, 2, nil}, {"service/api/README.md", false, 2, nil}, {"service/mcp/README.md", false, 2, nil},
		{"../README.md", true, 3, nil}, {"../algo/READING.md", true, 1, nil}, {"baca/RECIPES.md", true, 15, nil}, {"baca/SETS.md", true, 5, []string{"compare.svg", "suggest.svg"}}, {"baca/TRUST.md", true, 9, []string{"trust.svg"}},
	} {
		t.Run(page.name, func(t *testing.T) {
			text := try.To(os.ReadFile(page.name))
			dir := t.TempDir()
			list := examples(strings.NewReplacer("8080", freePort(t), "\n```\n$", "\n```console\n$", "bin/baca", "baca").Replace(string(text)))
			if len(list) < page.least {
				t.Fatalf("%d examples", len(list))
			}
			for name, data := range inputs {
				write(t, filepath.Join(dir, name), data)
			}
			const mark = "== example"
			script := "trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT\n"
			left := map[int]bool{}
			for i, e := range list {
				for _, tool := range tools.FindAllString(e.command, -1) {
					if tool, _, _ = strings.Cut(tool, " "); left[i] {
						continue
					}
					if _, err := exec.LookPath(tool); err != nil {
						left[i] = true
						t.Logf("not run, since there is no %s: %s", tool, e.command)
					}
				}
				if script += fmt.Sprintf("echo '%s %d'\n", mark, i); !left[i] {
					script += e.command + "\n"
				}
			}
			if page.loose {
				script = "exec 2>&1\n" + script
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // a hang has a name then
			defer cancel()
			c := exec.CommandContext(ctx, bash, "-c", script)
			c.WaitDelay = time.Second
			c.Dir, c.Env = dir, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "BACA_TOKEN=", "MAKELEVEL=0", "MAKEFLAGS=")
			var stderr strings.Builder
			c.Stderr = &stderr
			out, err := c.Output()
			if err != nil {
				t.Errorf("%v: %s", err, &stderr)
			}
			parts := strings.Split(string(out), mark)
			if len(parts) != len(list)+1 {
				t.Fatalf("%d of %d examples ran\n%s%s", len(parts)-1, len(list), out, &stderr)
			}
			for i, e := range list {
				_, got, _ := strings.Cut(strings.TrimRight(parts[i+1], "\n"), "\n")
				got = strings.ReplaceAll(got, "\r", "")
				want := strings.Join(e.output, "\n")
				if !left[i] && want != "…" && got != want && !(page.loose && holds(got, e.output)) {
					t.Errorf("$ %s\n%s\nbut the page shows\n%s", e.command, got, want)
				}
			}
			for _, name := range page.pictures {
				drawn := try.To(os.ReadFile(filepath.Join(dir, name)))
				if os.Getenv("BACA_UPDATE") != "" {
					try.Check(os.WriteFile(filepath.Join("results", name), drawn, 0o666))
				}
				if shown, err := os.ReadFile(filepath.Join("results", name)); err != nil || !bytes.Equal(shown, drawn) {
					t.Errorf("build/results/%s is not what the command draws: %v", name, err)
				}
			}
		})
	}
}

// holds reports whether a text has all lines, but for those that stand for others.
func holds(text string, lines []string) bool {
	all := strings.Split(text, "\n")
	return !slices.ContainsFunc(lines, func(line string) bool { return line != "…" && !slices.Contains(all, line) })
}

// freePort is a port that nothing listens at. Systems lend none below 32768 to programs that do
// not care, so that no other test is given it before the example asks for it.
func freePort(t *testing.T) string {
	t.Helper()
	for port := 20_000 + os.Getpid()%10_000; port < 32_768; port++ {
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			l.Close()
			return fmt.Sprint(port)
		}
	}
	t.Fatal("no port is free")
	return ""
}

// What algo/READING.md says of the built-in models is what build/research/results/decisions.md measured.
func TestReadingShowsWhatWasMeasured(t *testing.T) {
	rows := func(name string) map[string][]string {
		text := try.To(os.ReadFile(name))
		found := map[string][]string{}
		for line := range strings.Lines(string(text)) {
			if cells := strings.Split(line, " | "); strings.HasPrefix(line, "| ") && found[cells[0]] == nil {
				found[cells[0]] = cells[1:]
			}
		}
		return found
	}
	measured, checked := rows("research/results/decisions.md"), 0
	for pair, shown := range rows("../algo/READING.md") {
		m := measured[strings.ReplaceAll(pair, " / ", "/")]
		if !strings.Contains(pair, " / ") || pair == "| ID / OOD" || m == nil {
			continue
		}
		checked++
		// AUROC, and called outside at 5 %: ID → OOD.
		want := m[0] + ", " + strings.ReplaceAll(m[1], " → ", " %, ") + " %"
		if got := strings.Join(shown[:2], ", ") + ", " + strings.TrimSuffix(strings.TrimSpace(shown[2]), " |"); !strings.HasPrefix(got, want) {
			t.Errorf("%s: shown %s, measured %s", pair, got, want)
		} else if _, batch, found := strings.Cut(got, "20 % OOD: "); found && !strings.HasSuffix(m[2], "→ "+strings.TrimSuffix(batch, " %)")) {
			t.Errorf("%s: shown by a batch %s, measured %s", pair, batch, m[2])
		}
	}
	if checked != 6 {
		t.Errorf("%d pairs are compared, want 6", checked)
	}
}
