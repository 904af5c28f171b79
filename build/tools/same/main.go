// Same compares, byte for byte, what all interfaces of the program answer with what they answer in another commit: the
// command, the API, MCP, the pipe of other programs, the Python package.
//
//	go run ./build/tools/same -against REV [-run REGEXP] [-packages]
//
// Both programs run each line of lines.txt in a new folder, with the inputs that inputs.sh makes. It compares standard
// output and error, exit statuses, files that are written, and answers to requests. What differs between any two runs is
// replaced by a placeholder (varying).
//
// -packages also compares the page, the wheel and the npm package. make builds them, also in the working tree, which takes
// minutes.
//
// The exit status is 1 if something differs, or if no line uses some flag of the command. CHANGELOG.md lists the
// differences that are wanted.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"baca/build/internal/revision"
	"baca/build/internal/try"
)

//go:embed lines.txt
var lines string

// A task is a command line and, if it starts a server, the requests to the server.
type task struct {
	line     string
	requests []string
}

func main() {
	against := flag.String("against", "", "compare with the `revision`")
	only := flag.String("run", ".", "run only the lines that match this `regexp`")
	packages := flag.Bool("packages", false, "compare the page, the wheel and the npm package, too")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *against, *only, *packages)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "same:", err)
		os.Exit(1)
	}
}

// run builds both programs, runs the tasks by both, and prints what differs.
func run(ctx context.Context, against, only string, packages bool) (err error) {
	defer try.Catch(&err)
	if against == "" || flag.NArg() > 0 {
		return errors.New("want -against REV, and no arguments besides the flags")
	}
	chosen := try.To(regexp.Compile(only))
	root := strings.TrimSpace(string(try.To(exec.CommandContext(ctx, "git", "rev-parse", "--show-toplevel").Output())))
	folder := try.To(os.MkdirTemp("", "same"))
	defer os.RemoveAll(folder)
	python, in, tool := findPython(), filepath.Join(folder, "in"), filepath.Join(root, "build", "tools", "same")
	before := &side{filepath.Join(folder, "tree"), filepath.Join(folder, "before"), in, tool, python}
	now := &side{root, filepath.Join(folder, "now"), in, tool, python}
	defer try.To(revision.Checkout(ctx, root, against, before.tree))()
	for _, s := range []*side{before, now} {
		fmt.Fprintln(os.Stderr, "building", s.tree)
		s.build(ctx, packages)
	}
	before.inputs(ctx)
	all := parse(lines)
	tasks := slices.DeleteFunc(slices.Clone(all), func(t task) bool {
		has := func(word string) bool { return strings.Contains(t.line, word) }
		return !chosen.MatchString(t.line) || has("$TREE/out") && !packages || has("$PYTHON") && python == ""
	})
	if python == "" {
		fmt.Fprintln(os.Stderr, "left out: the Python package, as no python3 has numpy and pandas")
	}
	fmt.Fprintln(os.Stderr, "running", len(tasks), "lines")
	equal, total := compare(ctx, before, now, tasks)
	fmt.Printf("%d of %d equal\n", equal, total)
	if left := now.unused(ctx, all); len(left) > 0 {
		return fmt.Errorf("no line has %s", strings.Join(left, ", "))
	}
	if equal < total {
		return fmt.Errorf("%d differ from %s", total-equal, against)
	}
	return nil
}

// parse reads command lines. Indented lines are requests to the server above them.
func parse(text string) (tasks []task) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if request, indented := strings.CutPrefix(line, "\t"); indented {
			last := &tasks[len(tasks)-1]
			last.requests = append(last.requests, request)
		} else if line != "" && line[0] != '#' {
			tasks = append(tasks, task{line: line})
		}
	}
	return tasks
}

// compare runs tasks, one for each core at a time, and prints differences in the order of the tasks. It returns how many
// answers are equal, and how many there are.
func compare(ctx context.Context, before, now *side, tasks []task) (equal, total int) {
	old, next, errs := make([][]answer, len(tasks)), make([][]answer, len(tasks)), make([]error, len(tasks))
	var group sync.WaitGroup
	free := make(chan struct{}, runtime.NumCPU())
	for i, t := range tasks {
		free <- struct{}{}
		group.Go(func() {
			defer func() { <-free }()
			defer try.Catch(&errs[i])
			old[i], next[i] = before.answers(ctx, t), now.answers(ctx, t)
		})
	}
	group.Wait()
	try.Check(cmp.Or(ctx.Err(), errors.Join(errs...)))
	for i, t := range tasks {
		for k := range old[i] {
			total++
			text := difference(ctx, old[i][k], next[i][k])
			if text == "" {
				equal++
				continue
			}
			fmt.Println("$", t.line)
			if k > 0 {
				fmt.Println("   ", t.requests[k-1])
			}
			fmt.Println(text)
		}
	}
	return equal, total
}

// commandRow and flagRow match a row of help on a command or a flag.
var (
	commandRow = regexp.MustCompile(`(?m)^  (\w+) +\S`)
	flagRow    = regexp.MustCompile(`(?m)^  (?:-\w, |    )--([\w-]+)`)
)

// unused lists the flags that no task uses, as "baca VERB --FLAG". It asks the help of each command and of its subcommands.
func (s *side) unused(ctx context.Context, tasks []task) (list []string) {
	var parts []string // of lines
	for _, t := range tasks {
		parts = append(parts, strings.FieldsFunc(t.line, func(r rune) bool { return strings.ContainsRune("|;&()", r) })...)
	}
	for verbs := []string{"baca", "baca pipe", "baca man", "baca columns", "baca completion"}; len(verbs) > 0; verbs = verbs[1:] {
		help := string(try.To(s.shell(ctx, s.home, "-c", verbs[0]+" --help").Output()))
		_, commands, _ := strings.Cut(help, "\nCommands:\n")
		commands, _, _ = strings.Cut(commands, "\n\n")
		for _, m := range commandRow.FindAllStringSubmatch(commands, -1) {
			verbs = append(verbs, verbs[0]+" "+m[1])
		}
		for _, m := range flagRow.FindAllStringSubmatch(help, -1) {
			used := regexp.MustCompile(`\b` + verbs[0] + ` .*--` + m[1] + `\b`)
			if !slices.ContainsFunc(parts, used.MatchString) {
				list = append(list, verbs[0]+" --"+m[1])
			}
		}
	}
	return list
}
