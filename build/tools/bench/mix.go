package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"baca/algo/dataset"
)

// A mix is the rows of a table of molecules of many sources.
type mix struct {
	path   string
	header string
	rows   []string
}

// mixName is the large set, of which parts are measured.
const mixName = "mol/scale-mix.csv.gz"

// inputs lists the files of the sets that a folder has, by their names in it, with a part
// of the mix, which is written to path, and says what the folder lacks. Without the mix m
// is nil.
func inputs(data, path string) (files map[string]string, m *mix, lacks []string, err error) {
	files, lacks = present(data)
	m, err = openMix(filepath.Join(data, mixName))
	if err != nil {
		return files, nil, append(lacks, fmt.Sprintf("without the large set, which long files, neighbours and lists are taken from: %v", err)), nil
	}
	files[mixName] = path
	return files, m, lacks, m.write(path, m.part(10_000))
}

// openMix reads a packed table.
func openMix(path string) (*mix, error) {
	m := &mix{path: path}
	f, err := os.Open(m.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.path, err)
	}
	lines := bufio.NewScanner(unpacked)
	for lines.Scan() {
		m.rows = append(m.rows, lines.Text())
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", m.path, err)
	}
	if len(m.rows) < 2 {
		return nil, fmt.Errorf("%s has no rows", m.path)
	}
	m.header, m.rows = m.rows[0], m.rows[1:]
	return m, nil
}

// part returns up to n rows that lie evenly over all: the middle of each nth.
func (m *mix) part(n int) []string {
	n = min(n, len(m.rows))
	rows := make([]string, n)
	for i := range rows {
		rows[i] = m.rows[(2*i+1)*len(m.rows)/(2*n)]
	}
	return rows
}

// molecules are the SMILES of rows.
func (m *mix) molecules(rows []string) (list []string, err error) {
	for r, err := range dataset.Records(strings.NewReader(m.text(rows)), dataset.Options{Format: dataset.CSV}) {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.path, err)
		}
		list = append(list, r.SMILES)
	}
	return list, nil
}

// text is a table of rows.
func (m *mix) text(rows []string) string {
	return m.header + "\n" + strings.Join(rows, "\n") + "\n"
}

// write writes rows as a table, packed if the path ends so.
func (m *mix) write(path string, rows []string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if !strings.HasSuffix(path, ".gz") {
		_, err = io.WriteString(f, m.text(rows))
		return cmp.Or(err, f.Close())
	}
	packed := gzip.NewWriter(f)
	_, err = io.WriteString(packed, m.text(rows))
	return cmp.Or(err, packed.Close(), f.Close())
}
