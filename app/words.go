package app

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"baca/wasm/message"
)

// A sentence about a record, in two parts: what it is, and why.
type sentence struct{ verdict, reason string }

// say puts a verdict into words. It says what is known and no more: how many
// in-distribution graphs that were kept from training score at least as high.
func say(v verdict, p float64, r rule, things string) sentence {
	held := r.held
	switch {
	case held == 0 || math.IsNaN(p):
		return sentence{"Undecided", "The model keeps no held-out " + things + " to compare with."}
	case v == undecided:
		return sentence{"Undecided", tooFewHeld(held, r.alpha, things) + " Its p is " + number(p) + "."}
	}
	k := int(math.Round(p*float64(held+1))) - 1
	kept := fmt.Sprintf("of %s %s like those the model was trained on", count(held), things)
	if r.list != "" {
		kept = fmt.Sprintf("of %s %s of %s", count(held), things, shorten(r.list, 40))
	}
	var reason string
	switch {
	case k <= 0:
		reason = "None " + kept + " scores this high"
	case k == 1:
		reason = "Only one " + kept + " scores this high"
	case v == outside:
		reason = "Only " + count(k) + " " + kept + " score this high"
	default:
		reason = count(k) + " " + kept + " score at least this high"
	}
	reason += " (p\u00a0" + equals(p) + ")."
	switch v {
	case outside:
		return sentence{"Outside", reason}
	case borderline:
		return sentence{"Borderline", reason}
	case inside:
		return sentence{"Inside", reason}
	}
	return sentence{"Not judged", reason}
}

// tooFewHeld says that a model keeps too few graphs for an α.
func tooFewHeld(held int, alpha float64, things string) string {
	return "This model keeps too few " + things + " to compare with for α = " + percent(alpha) + ": with " + count(held) + ", p is " + number(1/float64(held+1)) + " at least."
}

// guarded says why a record that the batch finds outside is borderline.
func guarded(alone float64, r rule) string {
	return "By itself it is not unusual enough (p " + equals(alone) + "): outside by the batch needs p of at most " + number(r.guard) + " by itself, too."
}

// equals is a p-value behind the letter p.
func equals(p float64) string {
	if p < 0.001 {
		return "<\u00a00.001"
	}
	return "=\u00a0" + number(p)
}

// blame names the atoms that make a molecule look outside: those that carry half of
// all that points there.
func blame(atoms []message.Atom, bonds []message.Bond, contribution []float64) string {
	var towards []int
	total := 0.0
	for i, c := range contribution {
		if i < len(atoms) && c > 0 {
			towards = append(towards, i)
			total += c
		}
	}
	if total == 0 {
		return ""
	}
	slices.SortStableFunc(towards, func(a, b int) int {
		switch {
		case contribution[a] > contribution[b]:
			return -1
		case contribution[a] < contribution[b]:
			return 1
		}
		return 0
	})
	sum, k := 0.0, 0
	for k < len(towards) && sum < total/2 {
		sum += contribution[towards[k]]
		k++
	}
	chosen := towards[:k]
	if k > 8 {
		return fmt.Sprintf("No few atoms stand out: %d of %d carry half of it.", k, len(atoms))
	}
	names := map[string]int{}
	var order []string
	for _, i := range chosen {
		name := atomName(i, atoms, bonds)
		if names[name] == 0 {
			order = append(order, name)
		}
		names[name]++
	}
	var parts []string
	for _, name := range order {
		if n := names[name]; n > 1 {
			parts = append(parts, fmt.Sprintf("%d × %s", n, name))
		} else {
			parts = append(parts, name)
		}
	}
	if k == 1 {
		return "One atom matters most: " + parts[0] + "."
	}
	return fmt.Sprintf("%d atoms matter most: %s.", k, strings.Join(parts, ", "))
}

// atomName says what an atom is by its element and surroundings.
func atomName(i int, atoms []message.Atom, bonds []message.Bond) string {
	a := atoms[i]
	if a.Symbol == "" {
		return "node"
	}
	var around []string
	double := ""
	for _, b := range bonds {
		j := -1
		switch i {
		case b.From:
			j = b.To
		case b.To:
			j = b.From
		}
		if j < 0 || j >= len(atoms) {
			continue
		}
		around = append(around, atoms[j].Symbol)
		if b.Order == 2 && !b.Aromatic {
			double = atoms[j].Symbol
		}
	}
	oxygens := 0
	for _, s := range around {
		if s == "O" {
			oxygens++
		}
	}
	switch {
	case a.Symbol == "N" && oxygens >= 2:
		return "nitro N"
	case a.Symbol == "O" && len(around) == 1 && around[0] == "N":
		return "nitro or N-oxide O"
	case a.Symbol == "C" && double == "O":
		return "carbonyl C"
	case a.Symbol == "O" && double == "C":
		return "carbonyl O"
	case a.Aromatic:
		return "aromatic " + a.Symbol
	case a.InRing:
		return "ring " + a.Symbol
	}
	name := a.Symbol
	switch {
	case a.Charge > 0:
		name += "⁺"
	case a.Charge < 0:
		name += "⁻"
	}
	return name
}

// facts are what a chemist looks at first.
type fact struct{ name, value string }

func facts(atoms []message.Atom, bonds []message.Bond) []fact {
	molecule := false
	elements := map[string]int{}
	hydrogens, charge, parts := 0, 0, 0
	for _, a := range atoms {
		molecule = molecule || a.Symbol != ""
		elements[a.Symbol]++
		hydrogens += a.Hydrogens
		charge += a.Charge
	}
	parent := make([]int, len(atoms))
	for i := range parent {
		parent[i] = i
	}
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	kept := 0
	for _, b := range bonds {
		if min(b.From, b.To) < 0 || max(b.From, b.To) >= len(atoms) || b.From == b.To {
			continue
		}
		kept++
		parent[find(b.From)] = find(b.To)
	}
	for i := range parent {
		if find(i) == i {
			parts++
		}
	}
	rings := kept - len(atoms) + parts
	if !molecule {
		return []fact{
			{"Nodes", count(len(atoms))}, {"Edges", count(kept)}, {"Independent cycles", count(rings)},
		}
	}
	f := []fact{{"Formula", formula(elements, hydrogens, charge)}, {"Heavy atoms", count(len(atoms))}, {"Rings", count(rings)}}
	if parts > 1 {
		f = append(f, fact{"Fragments", count(parts)})
	}
	return f
}

// formula is in Hill's order.
func formula(elements map[string]int, hydrogens, charge int) string {
	var symbols []string
	for s := range elements {
		if s != "C" && s != "H" {
			symbols = append(symbols, s)
		}
	}
	if hydrogens += elements["H"]; hydrogens > 0 {
		symbols = append(symbols, "H")
	}
	slices.Sort(symbols)
	if elements["C"] > 0 {
		symbols = slices.DeleteFunc(symbols, func(s string) bool { return s == "H" })
		if hydrogens > 0 {
			symbols = append([]string{"H"}, symbols...)
		}
		symbols = append([]string{"C"}, symbols...)
	}
	var b strings.Builder
	for _, s := range symbols {
		n := elements[s]
		if s == "H" {
			n = hydrogens
		}
		b.WriteString(s)
		if n > 1 {
			b.WriteString(strings.Map(func(r rune) rune { return r - '0' + '₀' }, fmt.Sprint(n)))
		}
	}
	switch {
	case charge > 1 || charge < -1:
		b.WriteString(strings.Map(func(r rune) rune { return superscript[r] }, fmt.Sprint(max(charge, -charge))))
		fallthrough
	case charge != 0:
		if charge > 0 {
			b.WriteString("⁺")
		} else {
			b.WriteString("⁻")
		}
	}
	return b.String()
}

var superscript = map[rune]rune{'0': '⁰', '1': '¹', '2': '²', '3': '³', '4': '⁴', '5': '⁵', '6': '⁶', '7': '⁷', '8': '⁸', '9': '⁹'}

// A note on a built-in model: what it is for, in plain words, and how well models
// trained in this way tell a pair of sets apart, in percent AUROC. The figures are
// those of the table in README.md, which names the command; a test compares them.
type note struct {
	title, good, bad string
	id, ood          string
	alone, batch     float64
}

// measured says how good a model is, in one sentence.
func (n note) measured() string {
	if n.id == "" {
		return ""
	}
	return fmt.Sprintf("Models trained in this way tell %s from %s with an AUROC of %.1f %% by each graph alone, and of %.1f %% as a batch of which half is foreign (five seeds).", n.id, n.ood, n.alone, n.batch)
}

const plainGraphs = "Not for SMILES. It needs a TUDataset folder as .zip."

var notes = map[string]note{
	"bbbp": {
		"Drug-like molecules",
		"Asks whether a molecule looks like small medicines of the kind studied for passing the blood–brain barrier.",
		"Not for peptides, polymers, salts or metals when you want to know about them: nearly all of those are outside.",
		"bbbp", "bace", 95.4, 98.0,
	},
	"clintox": {
		"Drugs, approved and failed",
		"Asks whether a molecule looks like drugs that were approved, or that failed clinical trials for their toxicity.",
		"It says nothing on whether a molecule is toxic.",
		"clintox", "lipo", 93.1, 93.3,
	},
	"esol": {
		"Small organic molecules",
		"Asks whether a molecule looks like the small compounds whose solubility in water is well known.",
		"Not for large or drug-sized molecules: those are outside.",
		"esol", "muv", 97.4, 98.5,
	},
	"freesolv": {
		"Very small molecules",
		"Asks whether a molecule looks like the small neutral compounds whose hydration energy was measured.",
		"Not for anything with more than about twenty heavy atoms.",
		"freesolv", "toxcast", 67.8, 86.8,
	},
	"tox21": {
		"Drugs and household chemicals",
		"Asks whether a molecule looks like the drugs, pesticides and industrial chemicals of the Tox21 screen.",
		"A broad collection, so that little is foreign to it.",
		"tox21", "sider", 64.4, 77.2,
	},
	"aids": {
		"Compounds tested against HIV, shape only",
		"Looks at bare graphs, without elements: which skeletons are unlike those of compounds tested against HIV.",
		plainGraphs,
		"AIDS", "DHFR", 99.8, 100.0,
	},
	"bzr": {
		"Benzodiazepine-like ligands, shape only",
		"Looks at bare graphs, without elements: which skeletons are unlike ligands of the benzodiazepine receptor.",
		plainGraphs,
		"BZR", "COX2", 94.1, 99.1,
	},
	"enzymes": {
		"Enzymes, shape only",
		"Looks at proteins as graphs of their helices and sheets: which are unlike those of six classes of enzymes.",
		"Do not rely on it: the figure is close to chance, ½. " + plainGraphs,
		"ENZYMES", "PROTEINS", 51.2, 62.4,
	},
	"imdb-multi": {
		"Film casts, shape only",
		"Looks at networks of actors who played together: which are unlike those of comedies, romances and science fiction.",
		plainGraphs,
		"IMDB-MULTI", "IMDB-BINARY", 82.2, 82.2,
	},
	"ptc_mr": {
		"Small organic compounds, shape only",
		"Looks at bare graphs, without elements: which skeletons are unlike those of compounds tested for carcinogenicity.",
		plainGraphs,
		"PTC_MR", "MUTAG", 69.2, 94.5,
	},
}

// title is what the page calls a model.
func title(m *message.Model) string {
	if n, ok := notes[m.Name]; ok && m.BuiltIn {
		return n.title
	}
	return m.Name
}

// stageWords are the stages of a run, in their order.
var stageWords = []struct{ stage, name, about string }{
	{message.StageParse, "parsed", "Each line becomes a graph: atoms are nodes, bonds are edges."},
	{message.StageScore, "scored", "Each record by itself: how far it is from the nearest training graphs, and whether it is more like chemistry at large. Verdicts are final at once."},
	{message.StageSample, "sampled", "A large batch is calibrated by what a sample of it teaches."},
	{message.StageEncode, "encoded", "The frozen network turns each graph of the batch into a vector, and S_Pre says how far it is from the others."},
	{message.StageEstimate, "graphons", "Each graph is read as a sample of a graphon, a map of how likely two places are joined."},
	{message.StageMixup, "mixup", "New graphs are drawn from mixtures of two graphons of the same side."},
	{message.StageAttention, "attention", "Two dictionaries, one for each side, learn to tell them apart."},
	{message.StageRatio, "density ratio", "A few small heads estimate how much more likely a graph is in this batch than in training."},
	{message.StageCompare, "compared", "All records are scored by what the sample taught."},
}

// explain says what went wrong and what to do.
func explain(f *message.Failed) (headline, what string) {
	switch f.Code {
	case message.CodeDied:
		return "The worker stopped", "The part of the page that computes ended by itself (" + strings.TrimSuffix(shorten(f.Text, 160), ".") + "). Your input is still here."
	case message.CodeMemory:
		return "Not enough memory", f.Text
	case message.CodeBadInput:
		return "This input cannot be read", f.Text
	case message.CodeBadModel:
		return "The model does not fit", f.Text
	case message.CodeBadOption:
		return "A setting is out of range", f.Text
	}
	return "That did not work", f.Text
}
