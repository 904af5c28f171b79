package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// reference is the revision that the command is compared with, and the platform of its
// figures.
const (
	reference         = "d9be2f6"
	referencePlatform = "reference"
)

// A contender is a command that scores files.
type contender struct{ platform, program string }

// A scoring is one run of a contender.
type scoring struct {
	took time.Duration
	peak float64 // bytes of memory, 0 where the system does not tell
}

// score runs `score` of a contender, and nothing reads what it writes.
func (c contender) score(ctx context.Context, args []string) (s scoring, err error) {
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	command := exec.CommandContext(ctx, c.program, append([]string{"score"}, args...)...)
	var message bytes.Buffer
	command.Env, command.Stderr, command.WaitDelay = environment(nil), &message, 5*time.Second
	begin := time.Now()
	if err := command.Start(); err != nil {
		return s, err
	}
	done, watched := make(chan bool), make(chan float64)
	go func() { watched <- watchMemory(command.Process.Pid, done) }()
	err = command.Wait()
	s.took = time.Since(begin)
	close(done)
	s.peak = <-watched
	if err != nil {
		err = failure(c.program, err, message.String())
	}
	return s, err
}

// watchMemory returns the most memory that a process has had until it is done. What the
// system tells of a process that has ended is of no use: Linux counts the memory of the
// one that started it.
func watchMemory(pid int, done <-chan bool) (peak float64) {
	often := time.NewTicker(5 * time.Millisecond)
	defer often.Stop()
	for {
		select {
		case <-done:
			return peak
		case <-often.C:
			text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			peak = max(peak, highest(text))
		}
	}
}

var highWater = regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB$`)

// highest is the most memory of a process by what Linux tells of it, or 0.
func highest(status []byte) float64 {
	m := highWater.FindSubmatch(status)
	if m == nil {
		return 0
	}
	kilobytes, _ := strconv.ParseFloat(string(m[1]), 64)
	return 1024 * kilobytes
}

// A race has contenders score the same, in turn.
type race struct {
	name string   // of the benchmark
	args []string // after the name of the command
	runs int      // in a round
	once bool     // in the first round only
}

// run returns a line of a benchmark for each contender: the median time, the shortest
// and the most memory.
func (c race) run(ctx context.Context, round int, contenders []contender) (lines map[string][]byte, err error) {
	took, peak := map[string]sample{}, map[string]float64{}
	for i := range c.runs {
		order := slices.Clone(contenders)
		if (round+i)%2 == 1 {
			slices.Reverse(order)
		}
		for _, one := range order {
			s, err := one.score(ctx, c.args)
			if err != nil {
				return nil, err
			}
			if took[one.platform] == nil {
				took[one.platform] = sample{}
			}
			took[one.platform][i] = float64(s.took.Nanoseconds())
			peak[one.platform] = max(peak[one.platform], s.peak)
		}
	}
	lines = map[string][]byte{}
	for p, t := range took {
		lines[p] = fmt.Appendf(nil, "Benchmark%s\t%d\t%.0f %s\t%.0f %s\t%.0f %s\n", c.name, c.runs, t.median(), nanoseconds, t.min(), shortest, peak[p], peakBytes)
	}
	return lines, nil
}

// races writes the files that contenders score.
func (r *runner) races(m *mix) (list []race, err error) {
	rows, starts := 50_000, 15
	if r.quick {
		rows, starts = 1000, 1
	}
	rows = min(rows, len(m.rows))
	file := func(name string, n int) []string {
		path := r.now.program(name)
		err = cmp.Or(err, m.write(path, m.part(n)))
		return []string{path}
	}
	list = []race{
		{fmt.Sprintf("Score/%d", rows), file("score.csv.gz", rows), 1, false},
		{"Start/1", file("one.csv", 1), starts, true},
		{"Start/1000", file("thousand.csv", 1000), starts, true},
	}
	if r.full {
		list = append(list, race{fmt.Sprintf("Score/%d", len(m.rows)), []string{m.path}, 1, true})
	}
	return list, err
}
