package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"baca/algo/molecule/smiles"
	"baca/build/internal/try"
	"baca/weights"
)

// perClass and broadPerClass are the numbers of enumerated molecules of each class, in the built-in background and in that
// of the models drugs and bioactive.
const perClass, broadPerClass = 50, 150

// classes are the symbols of the grammar for which molecules are written.
var classes = []string{
	"peptide", "cyclopeptide", "glycoside", "nucleotide", "perfluorinated", "surfactant", "lipid",
	"silicone", "organometallic", "explosive", "dye", "pesticide", "industrial", "natural",
}

//go:embed grammar.txt
var grammarText string

// grammar lists the possible expansions of each symbol.
var grammar = func() map[string][]string {
	ways, symbol := map[string][]string{}, ""
	for line := range strings.Lines(grammarText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, word := range strings.Fields(line) {
			if name, ok := strings.CutSuffix(word, ":"); ok {
				symbol = name
			} else {
				ways[symbol] = append(ways[symbol], word)
			}
		}
	}
	return ways
}()

// slot matches {SYMBOL}, or {SYMBOL*LOW-HIGH}, which is expanded LOW to HIGH times.
var slot = regexp.MustCompile(`\{([^{}*]*)(?:\*(\d+)-(\d+))?\}`)

// expand returns a random expansion of a symbol, without slots. A name without expansions stays.
func expand(rng *rand.Rand, symbol string) string {
	ways := grammar[symbol]
	if len(ways) == 0 {
		return symbol
	}
	return slot.ReplaceAllStringFunc(ways[rng.IntN(len(ways))], func(text string) string {
		s := slot.FindStringSubmatch(text)
		low, high := 1, 1
		if s[2] != "" {
			low, high = try.To(strconv.Atoi(s[2])), try.To(strconv.Atoi(s[3]))
		}
		var b strings.Builder
		for range low + rng.IntN(high-low+1) {
			b.WriteString(expand(rng, s[1]))
		}
		return b.String()
	})
}

// parentText returns the canonical SMILES of the parent of a molecule.
func parentText(text string) string {
	m, err := smiles.Parse(text)
	if err != nil {
		try.Check(fmt.Errorf("%s: %w", text, err))
	}
	p, _, _ := smiles.Parent(m)
	return smiles.Write(p)
}

// enumerate returns perClass molecules of each class, as the SMILES of parents with the class after a tab. It returns no
// molecule twice and none that is known, and adds them to known.
func enumerate(known map[string]bool, perClass int) (lines []string) {
	for k, class := range classes {
		rng := rand.New(rand.NewPCG(seed, uint64(k)))
		first := len(lines)
		for tries := 0; len(lines) < first+perClass; tries++ {
			if tries == 20*perClass {
				try.Check(fmt.Errorf("grammar.txt: %s: %d tries gave %d molecules: want %d", class, tries, len(lines)-first, perClass))
			}
			if text := parentText(expand(rng, class)); !known[text] {
				known[text] = true
				lines = append(lines, text+"\t"+class)
			}
		}
	}
	return lines
}

// builtInBackground returns the lines of a new built-in background. The molecules of ChEMBL and QM9, which have no class,
// stay as they are in the present one. Enumerated molecules follow.
func builtInBackground() (lines []string) {
	known := map[string]bool{}
	for line := range strings.Lines(string(try.To(io.ReadAll(weights.Background())))) {
		line = strings.TrimSpace(line)
		if !strings.Contains(line, "\t") {
			known[parentText(line)] = true
			lines = append(lines, line)
		}
	}
	lines = append(lines, enumerate(known, perClass)...)
	sortMolecules(lines)
	return lines
}

// writeBackground writes the built-in background, a SMILES a line, to molecules.smi.gz in the folder out.
func writeBackground(out string) {
	var b bytes.Buffer
	z := try.To(gzip.NewWriterLevel(&b, gzip.BestCompression))
	try.To(io.WriteString(z, strings.Join(builtInBackground(), "\n")+"\n"))
	try.Check(z.Close())
	try.Check(os.WriteFile(filepath.Join(out, "molecules.smi.gz"), b.Bytes(), 0o644))
}
