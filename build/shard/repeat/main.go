// Command repeat makes a library of any length from a short one, to measure what
// does not fit otherwise: the records of a .csv.gz file again and again with new ids
// in the first column, or evenly some of them. It writes a .csv.gz file.
//
//	go run ./build/shard/repeat -rows 5000000 scale-mix.csv.gz out/5M.csv.gz
package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	rows := flag.Int("rows", 1_000_000, "records to write")
	flag.Parse()
	if flag.NArg() != 2 || *rows < 1 {
		fmt.Fprintln(os.Stderr, "usage: repeat -rows N FROM.csv.gz TO.csv.gz")
		os.Exit(2)
	}
	if err := repeat(*rows, flag.Arg(0), flag.Arg(1)); err != nil {
		fmt.Fprintln(os.Stderr, "repeat:", err)
		os.Exit(1)
	}
}

func repeat(rows int, from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	if err != nil {
		return err
	}
	var lines []string
	s := bufio.NewScanner(z)
	for s.Scan() {
		lines = append(lines, s.Text())
	}
	if err := s.Err(); err != nil {
		return err
	}
	if len(lines) < 2 {
		return fmt.Errorf("%s: no records behind a header", from)
	}
	header, lines := lines[0], lines[1:]
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	out, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	fmt.Fprintln(w, header)
	for i := range rows {
		k := i % len(lines)
		if rows < len(lines) {
			k = i * len(lines) / rows
		}
		_, rest, _ := strings.Cut(lines[k], ",")
		fmt.Fprintf(w, "m%d,%s\n", i+1, rest)
	}
	return errors.Join(w.Flush(), out.Close())
}
