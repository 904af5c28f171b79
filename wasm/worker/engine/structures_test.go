package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/table"
	"baca/wasm/message"
)

const aspirin = "CC(=O)Oc1ccccc1C(=O)O"

func TestNearestHaveStructures(t *testing.T) {
	e, h := loaded(t, "bbbp")
	must[*message.Opened](e, h, &message.Open{Data: []byte(aspirin)})
	_, d := must[*message.Detailed](e, h, &message.Detail{Record: 0})
	if n := d.Nearest[0]; len(d.Nearest) != 5 || n.Name != "acetylsalicylate" || n.SMILES != "CC(=O)Oc1ccccc1C(O)=O" || n.Similarity != 1 || n.Row != 98 || n.Values.Observed != 0 || !math.IsNaN(n.Values.Predicted) {
		t.Errorf("nearest to aspirin are %+v", d.Nearest)
	}
	h.files[Drawer] = []byte("draw()")
	events, scored := must[*message.Scored](e, h, &message.Score{})
	_, r := must[*message.Exported](e, h, reportOf(events, scored, algo.ByAlone, 0))
	if !bytes.Contains(r.Data, []byte(`data-smiles="CC(=O)Oc1ccccc1C(O)=O">`)) {
		t.Error("the report does not draw aspirin as the training set writes it")
	}
	if _, why := must[*message.Explained](e, h, &message.Reasons{Record: message.Ints{0}}); !slices.Equal(table.Named(why.Rows, "nearest_names").TextLists[0][:2], []string{"acetylsalicylate", "salsalate(salsalic-acid)"}) {
		t.Errorf("the reasons do not name them: %+v", why.Rows)
	}
	must[*message.Model](e, h, &message.LoadModel{Name: "bzr"})
}

func TestTrainingKeepsStructures(t *testing.T) {
	e, h := bare(t)
	var lines strings.Builder
	lines.WriteString("smiles,name\nno molecule,x\n")
	for n := range 24 {
		lines.WriteString(strings.Repeat("C", n+1) + ",chain " + strings.Repeat("I", n+1) + "\n")
	}
	must[*message.Opened](e, h, &message.Open{Name: "chains.csv", Data: []byte(lines.String())})
	_, plain := must[*message.Trained](e, h, &message.Train{Epochs: 1})
	_, kept := must[*message.Trained](e, h, &message.Train{Epochs: 1, Structures: true})
	if bytes.Contains(plain.Data, []byte("chain I")) {
		t.Error("structures are kept unasked")
	}
	_, card := must[*message.Model](e, h, &message.LoadModel{Name: "kept", Data: kept.Data})
	if sum := sha256.Sum256(kept.Data); card.SHA256 != kept.Model.SHA256 || card.Bytes != kept.Model.Bytes || card.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("loaded as %+v, trained as %+v", card, kept.Model)
	}
	_, d := must[*message.Detailed](e, h, &message.Detail{Record: 5})
	if n := d.Nearest[0]; !strings.HasPrefix(n.Name, "chain I") || len(n.Name)-len("chain ") != len(n.SMILES) {
		t.Errorf("nearest are %+v", d.Nearest)
	}
	must[*message.Model](e, h, &message.LoadModel{Name: "plain", Data: plain.Data})
	if _, d = must[*message.Detailed](e, h, &message.Detail{Record: 5}); d.Nearest[0].SMILES != "" {
		t.Errorf("of a model without %+v", d.Nearest)
	}
}
