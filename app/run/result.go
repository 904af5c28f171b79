package run

import (
	"baca/app/table"
	"baca/app/words"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Graphs counts readable records.
func (s *Session) Graphs() int {
	if s.Opened == nil {
		return 0
	}
	return s.Opened.Records - s.Opened.Refused
}

// Things names the input's content.
func (s *Session) Things() string {
	if s.Opened != nil && !s.Opened.Molecules {
		return "graphs"
	}
	return "molecules"
}

// Say replaces molecules by graphs in texts about plain graphs.
func (s *Session) Say(text string) string {
	if s.Things() == "graphs" {
		return graphWords.Replace(text)
	}
	return text
}

var graphWords = strings.NewReplacer(": atoms are nodes, bonds are edges", " of nodes and edges", "molecule", "graph", "Molecule", "Graph", "atom", "node", "Atom", "Node")

// warn adds new warnings.
func (s *Session) warn(warnings []string) {
	for _, w := range warnings {
		if !slices.Contains(s.Warnings, w) {
			s.Warnings = append(s.Warnings, w)
		}
	}
}

// Unfit says why the batch cannot be calibrated.
func (s *Session) Unfit() string {
	welcome, model := s.Models.Welcome, s.Models.Used.Value
	switch {
	case welcome != nil && s.Graphs() < welcome.MinBatch:
		return fmt.Sprintf("A batch needs at least %d %s: fewer say too little about each other.", welcome.MinBatch, s.Things())
	case model != nil && model.Shared > 0:
		return "This model was made for sharing and keeps no single " + s.Things() + ", which a batch is compared with."
	}
	return ""
}

// Whole is the answer about the list, empty before calibration.
func (s *Session) Whole() string {
	if s.Fitted == nil || !s.Calibrated() {
		return ""
	}
	return strings.ReplaceAll(words.Sentences(s.Fitted.Whole), " %", "\u00a0%")
}

// AUC of the deciding score, by the input's labels; NaN without.
func (s *Session) AUC() float64 {
	if s.Scored == nil {
		return math.NaN()
	}
	return [table.Deciders]float64{s.Scored.AUC, s.Scored.BatchAUC, s.Scored.PaperAUC}[s.Deciding()]
}

// ValueColumns may hold values: those of a table except SMILES, keys of JSON lines, data of SDF.
func (s *Session) ValueColumns() (list []string) {
	var all []string
	smiles := ""
	switch {
	case s.Header != nil:
		all, smiles = s.Header.Columns, s.Header.Column
	case s.Opened != nil && s.Opened.Molecules:
		all = s.Opened.Columns
	}
	for _, name := range all {
		if name != "" && name != smiles && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
