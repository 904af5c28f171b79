package app

import (
	"math"
	"os"
	"strings"
	"testing"

	"baca/algo/decide"
	column "baca/algo/table"
	"baca/app/run"
	"baca/app/store"
	"baca/app/table"
	"baca/wasm/message"
)

// What the page says, where no scenario tells.
func TestSays(t *testing.T) {
	reason := func(v decide.Verdict, p float64, held int, list string) string {
		return howUnusual(v, p, decide.Rule{Alpha: 0.05, Holdout: held}, "molecules", list)
	}
	library := func(latest message.Epoch) string {
		return libraryName(&run.Training{Library: store.NewFile("mine.smi", nil), Latest: latest})
	}
	molecules, graphs := newDesk(nil), newDesk(nil)
	graphs.Opened = &message.Opened{}
	for _, s := range []*desk{molecules, graphs} {
		s.Models.Used.Value = &message.Model{}
		s.Rows.Counts.Outside, s.Rows.Counts.Inside = 7, 13
	}
	graphs.Phase = run.Done
	for _, c := range []struct{ got, want string }{
		{reason(decide.Outside, 1.0/205, 204, ""), "More unusual than all 204 molecules that were kept from training (p = 0.00488)."},
		{reason(decide.Outside, 1.0/205, 204, "new.smi"), "More unusual than all 204 molecules of new.smi (p = 0.00488)."},
		{reason(decide.Outside, 2.0/205, 204, "new.smi"), "As unusual as the top 0.98 % of the molecules of new.smi (p = 0.00976)."},
		{reason(decide.Borderline, 16.0/205, 204, "new.smi"), "As unusual as the top 7.8 % of the molecules of new.smi (p = 0.0780)."},
		{reason(decide.Undecided, math.NaN(), 0, ""), "The model keeps no held-out molecules to compare with."},
		{reason(decide.Undecided, 0.5, 9, ""), "This model keeps too few molecules to compare with for α = 5 %: with 9, p is 0.100 at least. Its p is 0.500."},
		{library(message.Epoch{}), "mine.smi"},
		{library(message.Epoch{Train: 9, Holdout: 1}), "mine.smi: 9 to learn from, 1 kept for p-values"},
		{library(message.Epoch{Train: 9, Holdout: 1, Refused: 2}), "mine.smi: 9 to learn from, 1 kept for p-values, 2 refused"},
		{knownAbout(molecules), "The model was trained on a molecule with the same surroundings of all atoms, apart from stereochemistry and the way of writing"},
		{knownAbout(graphs), "The model was trained on a graph with the same surroundings of all nodes"},
		{graphs.Say("Each molecule of the nearest molecules: Atoms, atoms, name or SMILES"), "Each graph of the nearest graphs: Nodes, nodes, name"},
		{molecules.Say("Each molecule: Atoms"), "Each molecule: Atoms"},
		{foreign(molecules), ""}, // while it scores
		{foreign(graphs)[:len("7 of 20 are outside")], "7 of 20 are outside"},
	} {
		if got := strings.ReplaceAll(c.got, "\u00a0", " "); got != c.want {
			t.Errorf("the page says %q, want %q", got, c.want)
		}
	}
}

// The page is drawn natively for the HTML that is sent first, without a client. Styles are forbidden by its policy, and
// hidden="false" would hide.
func TestRenders(t *testing.T) {
	p := &stage{desk: newDesk(nil), f: newFake(t)}
	p.shows("Is my molecule inside", `id="smiles"`, "Nothing leaves this tab", "How to read this", `!id="clear"`, "! style=", `!hidden="false"`)
	privacy, err := os.ReadFile("../web/static/texts/privacy.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ChEMBL (CC BY-SA 3.0)", "QM9 (CC0)", "MoleculeNet", "TUDataset", `href="DATA-LICENSES.txt"`} {
		if !strings.Contains(string(privacy), want) {
			t.Errorf("whose data the page has: no %q", want)
		}
	}
}

// Built-in models stand in the order of their notes behind the default one, and others last.
func TestOrderOfModels(t *testing.T) {
	p := newStage(t)
	on(p.f, func(_ *message.Hello, say func(any)) {
		w := &message.Welcome{}
		for _, name := range []string{"bbbp", "aids", "clintox", "another", "bioactive", "drugs"} {
			w.Models = append(w.Models, message.Model{Name: name, BuiltIn: true})
		}
		say(w)
	})
	p.Models.Start("", memory{})
	p.f.next(-1)
	var got []string
	for _, m := range p.Models.Welcome.Models {
		got = append(got, m.Name)
	}
	if want := "bbbp drugs bioactive clintox aids another"; strings.Join(got, " ") != want {
		t.Errorf("the order is %q, want %q", got, want)
	}
}

// Columns that the page knows nothing of are drawn.
func TestFurtherColumnsAreDrawn(t *testing.T) {
	s := newStage(t)
	s.Rows.Add(new(message.Records).Pack(column.TextColumn("id", []string{"a", "b", "c"}), column.TextColumn("smiles", make([]string, 3)),
		column.TextColumn("assay", []string{"10", "", "9"}), column.TextColumn("note", []string{"b", "A", "c"})))
	s.Arrange()
	s.Inspector.Record, s.Inspector.Detail.Value = 2, &message.Detailed{}
	s.shows(`data-by="note"`, `data-column="assay"`, ">assay<", ">9<", "Find a column")
	// Numbers stand right-aligned, and texts do not.
	s.shows(`class="c-extra number"`, `class="c-extra"`)
	// A search is in all columns, or in one.
	for in, want := range map[string]int{"": 2, "note": 1, "assay": 0} {
		s.View.In = in
		s.Find("a", false)
		if len(s.Order) != want {
			t.Errorf("in %q %d rows have an a, want %d", in, len(s.Order), want)
		}
	}
	s.View.In = ""
	s.Find("", false)
	// No column of one's own is hidden without a word.
	s.shows(`without-room">2 columns of your own are not shown: assay, note.`)
	s.Choose("note")
	s.shows("1 column of your own is not shown: note. The menu Columns shows them.", "!without-room")
}

// A map of a long list says how much of it is shown, one of a short list does not.
func TestMapOfALongList(t *testing.T) {
	for n, want := range map[int]string{table.MostMapped: "!rows are shown", 10_000: "4 096 of 10 000 rows are shown, evenly over the list."} {
		s := newStage(t)
		s.Rows.Add(new(message.Records).Pack(column.TextColumn("id", make([]string, n)), column.TextColumn("smiles", make([]string, n))))
		s.View.Shape = table.Map
		s.Rows.Take(message.OfPlaces, &message.Computed{})
		s.Arrange()
		s.shows(`id="map-canvas"`, want)
	}
}
