package paper

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/split"
	"baca/build/internal/opened"
	"baca/build/internal/try"
	"baca/build/internal/usage"
)

// A pair is an ID and an OOD set. Each is the name of a data set, or of a part of one:
//
//	NAME@common, NAME@rare  the molecules with the most frequent scaffolds, four fifths of the set, and the others
//	NAME@size               for OOD: as many graphs as the ID set has, each of the size of one of them as far as there are any left
//	NAME@early, NAME@late   the first three fifths in the order of the file, and the last fifth
//	NAME@small, NAME@large  the graphs with the fewest nodes, four fifths of the set, and the others
//	NAME@inner, NAME@outer  the graphs of the largest clusters, and the others, a fifth of the set at most unless one cluster is more
//	NAME@many, NAME@few     the graphs of the larger of two classes, and of the other
type pair struct {
	ID, OOD string
	paper   *paperRow // nil for pairs that the paper does not have
}

// A paperRow is a column of the paper's table 1, AUROC in percent.
type paperRow struct {
	base, baca, std float64
}

func (p *pair) name() string { return p.ID + "/" + p.OOD }

// epochs returns for how many epochs the paper trains on the ID set.
func (p *pair) epochs() int {
	switch base, _ := partOf(p.ID); strings.ToUpper(base) {
	case "ENZYMES":
		return 150
	case "IMDB-MULTI":
		return 20
	}
	return paperEpochs
}

// partOf splits a name into that of the set and that of its part, which may be empty.
func partOf(name string) (base, part string) {
	base, part, _ = strings.Cut(name, "@")
	return base, part
}

// paperPairs are those of the paper's table 1.
var paperPairs = []*pair{
	{"BZR", "COX2", &paperRow{92.95, 94.23, 0.42}},
	{"PTC_MR", "MUTAG", &paperRow{77.59, 86.53, 1.39}},
	{"AIDS", "DHFR", &paperRow{99.24, 99.86, 0.03}},
	{"ENZYMES", "PROTEINS", &paperRow{63.14, 67.10, 1.43}},
	{"IMDB-MULTI", "IMDB-BINARY", &paperRow{75.14, 80.93, 0.69}},
	{"tox21", "sider", &paperRow{65.07, 69.82, 0.59}},
	{"freesolv", "toxcast", &paperRow{77.62, 83.12, 0.42}},
	{"bbbp", "bace", &paperRow{86.51, 93.11, 0.29}},
	{"clintox", "lipo", &paperRow{76.92, 82.57, 0.23}},
	{"esol", "muv", &paperRow{77.62, 95.31, 0.14}},
}

// validationPairs are for choosing settings. None of the paper's pairs is among them, in either direction.
var validationPairs = pairsOf(`MUTAG/BZR COX2/DHFR PTC_MR/AIDS AIDS/PTC_MR PROTEINS/IMDB-BINARY PROTEINS/IMDB-BINARY@size
	sider/bace esol/freesolv bbbp/sider clintox/muv@size bace@common/bace@rare lipo/hiv lipo/hiv@size toxcast/muv`)

// freshPairs were named before any of them was scored, when molecules came to be read as parents. They chose nothing and are
// measured once. They share no pair, in either direction, with the paper's, those for choosing settings, or the shifts.
var freshPairs = pairsOf(`freesolv/tox21 esol/bbbp sider/hiv sider/esol clintox/toxcast bace/lipo bbbp/toxcast lipo/muv tox21/hiv
	toxcast/bace`)

// choosePairs and reportPairs are of sets that the project does not hold (DATA/external). The score of one molecule
// was chosen on the former and the validation pairs, and reported on the latter.
var (
	choosePairs = pairsOf(`herg_chembl@early/herg_chembl@late herg_chembl@early/unpd_natural herg_chembl@early/vdss
		mutagenicity/unpd_natural mutagenicity/biogen mutagenicity/generated_odd
		ace_CHEMBL204_Ki/ace_CHEMBL234_Ki ace_CHEMBL204_Ki/generated_odd ace_CHEMBL204_Ki/herg_chembl
		ace_CHEMBL234_Ki/ace_CHEMBL204_Ki ace_CHEMBL234_Ki/ace_CHEMBL239_EC50 ace_CHEMBL234_Ki/herg_chembl`)
	reportPairs = pairsOf(`biogen/chembl_sample biogen/ace_CHEMBL214_Ki biogen/vdss vdss/biogen vdss/chembl_sample vdss/generated_odd
		ace_CHEMBL214_Ki/ace_CHEMBL234_Ki ace_CHEMBL214_Ki/ace_CHEMBL237_Ki ace_CHEMBL244_Ki/ace_CHEMBL204_Ki ace_CHEMBL244_Ki/biogen`)
)

// pairsOf reads names of pairs that the paper does not have.
func pairsOf(names string) (pairs []*pair) {
	for name := range strings.FieldsSeq(names) {
		id, ood, _ := strings.Cut(name, "/")
		pairs = append(pairs, &pair{ID: id, OOD: ood})
	}
	return pairs
}

// parsePairs reads the value of --pairs: the name of a list, or pairs with commas between, none of them twice.
func parsePairs(list string) (pairs []*pair) {
	named := map[string][]*pair{
		"paper": paperPairs, "validation": validationPairs, "all": slices.Concat(validationPairs, paperPairs),
		"shift": shiftPairs, "fresh": freshPairs, "choose": choosePairs, "report": reportPairs,
	}
	if pairs := named[list]; pairs != nil {
		return pairs
	}
	for _, name := range strings.Split(list, ",") {
		p, ok := parsePair(name)
		if !ok {
			try.Check(usage.Errorf("--pairs %s: want paper, validation, all, shift, fresh, choose, report, or pairs such as BZR/COX2,bbbp/bace", name))
		}
		for _, end := range []string{p.ID, p.OOD} {
			_, side := partOf(end)
			if _, ok := parts[side]; side != "" && !ok && (side != "size" || end == p.ID) {
				names := strings.Join(slices.Sorted(maps.Keys(parts)), ", @")
				try.Check(usage.Errorf("--pairs %s: %s: want a set, a part of it, @%s, or for OOD @size", name, end, names))
			}
		}
		if slices.ContainsFunc(pairs, func(q *pair) bool { return q.name() == name }) {
			try.Check(usage.Errorf("--pairs: %s is there twice", name))
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// parsePair reads ID/OOD, two different names. The pairs of the paper have its figures. ok is false for another text.
func parsePair(name string) (p *pair, ok bool) {
	for _, p := range paperPairs {
		if p.name() == name {
			return p, true
		}
	}
	id, ood, ok := strings.Cut(name, "/")
	return &pair{ID: id, OOD: ood}, ok && id != "" && ood != "" && id != ood && !strings.Contains(ood, "/")
}

// sets keeps data sets in memory. It may be used by several goroutines.
type sets struct {
	folder  string
	parent  bool // molecules are read as parents, each once
	workers int
	mu      sync.Mutex
	known   map[string]*loadedSet
	texts   map[*graph.Graph]string // SMILES in the file
}

// A loadedSet is a data set or a part of one.
type loadedSet struct {
	name           string
	graphs         []*graph.Graph
	labels         []int    // of the graphs, nil where they have none
	schema, sha256 string   // of the files that it was read from
	smiles         []string // of the graphs as they stand in the file, nil for graphs that are no molecules
}

// open returns a set or a part of one, for pairs with the given ID set.
func (s *sets) open(ctx context.Context, name, id string) *loadedSet {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.get(ctx, name, id)
}

// get is open for callers that hold the lock.
func (s *sets) get(ctx context.Context, name, id string) *loadedSet {
	_, side := partOf(name)
	key := name
	if side == "size" {
		key += "/" + id
	}
	if l := s.known[key]; l != nil {
		return l
	}
	read := s.whole
	if side != "" {
		read = func(ctx context.Context, name string) *loadedSet { return s.part(ctx, name, id) }
	}
	l := read(ctx, name)
	if len(l.graphs) == 0 {
		try.Check(fmt.Errorf("%s has no graphs", name))
	}
	if s.known == nil {
		s.known, s.texts = map[string]*loadedSet{}, map[*graph.Graph]string{}
	}
	for i, text := range l.smiles {
		s.texts[l.graphs[i]] = text
	}
	s.known[key] = l
	return l
}

// whole reads a set. If molecules are read as parents, only the first of those with the same parent stays.
func (s *sets) whole(ctx context.Context, name string) *loadedSet {
	if !s.parent {
		return readSet(ctx, s.folder, name, molecule.AsWritten, s.workers)
	}
	l := readSet(ctx, s.folder, name, molecule.Parent, s.workers)
	if l.schema == algo.Constant {
		return l
	}
	index := mapped(split.Copies(l.graphs), func(copies []int) int { return copies[0] })
	l.graphs, l.smiles = pick(l.graphs, index), pick(l.smiles, index)
	return l
}

// readSet reads a set of molecules in a form or, if there is no such file, a TUDataset set of plain graphs.
func readSet(ctx context.Context, folder, name string, form molecule.Form, workers int) *loadedSet {
	if file, err := openMolecules(folder, name); !errors.Is(err, fs.ErrNotExist) {
		try.Check(err)
		file.Close()
		l := &loadedSet{name: name, schema: algo.SchemaOf(form), sha256: setSum(folder, name)}
		l.graphs, l.smiles = readMolecules(ctx, folder, name, form, workers)
		return l
	}
	files := &opened.Files{FS: os.DirFS(folder)}
	set, err := dataset.ReadTU(try.To(fs.Sub(files, "tu/"+name)), "", dataset.Unpack{})
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("no data set %q: want a folder tu/%s or a file mol/%s.csv or mol/%s.csv.gz", name, name, name, name)
	}
	try.Check(err)
	return &loadedSet{name: name, graphs: set.Graphs, labels: set.Labels, schema: algo.Constant, sha256: try.To(files.Sum())}
}

// part picks a part of a set, for pairs with the given ID set.
func (s *sets) part(ctx context.Context, name, id string) *loadedSet {
	base, side := partOf(name)
	whole := s.get(ctx, base, "")
	var index []int
	if p, ok := parts[side]; ok {
		index = p.of(s, whole)
	} else {
		index = sameSizes(s.get(ctx, id, "").graphs, whole.graphs)
	}
	return &loadedSet{name: name, graphs: pick(whole.graphs, index), schema: whole.schema, sha256: whole.sha256}
}

// smiles returns the SMILES of molecules that were read: of the parents where these are read.
func (s *sets) smiles(gs []*graph.Graph) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var texts []string
	for _, g := range gs {
		text := s.texts[g]
		if s.parent {
			m, _, _ := smiles.Parent(try.To(smiles.Parse(text)))
			text = smiles.Write(m)
		}
		texts = append(texts, text)
	}
	return texts
}

// readMolecules reads a file of molecules in a form, with their SMILES as they stand there. Records
// that are refused are left out.
func readMolecules(ctx context.Context, folder, name string, form molecule.Form, workers int) (gs []*graph.Graph, texts []string) {
	file := try.To(openMolecules(folder, name))
	defer file.Close()
	for r, err := range dataset.Molecules(ctx, file, dataset.Options{Name: name, Format: dataset.CSV, Workers: workers, Form: form}) {
		if try.Check(err); r.Err == nil {
			gs, texts = append(gs, r.Graph), append(texts, r.SMILES)
		}
	}
	return gs, texts
}

// openMolecules opens the file of a set of molecules. The error is fs.ErrNotExist if there is none.
func openMolecules(folder, name string) (*os.File, error) {
	for _, path := range []string{"mol/" + name + ".csv", "mol/" + name + ".csv.gz", "external/" + name + ".csv"} {
		if file, err := os.Open(filepath.Join(folder, path)); !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
	}
	return os.Open(filepath.Join(folder, "external", name+".csv.gz"))
}

// pick returns the elements of a list with these indices.
func pick[T any](list []T, index []int) []T {
	picked := make([]T, len(index))
	for k, i := range index {
		picked[k] = list[i]
	}
	return picked
}

// firsts keeps the first index with each key.
func firsts[K comparable](places []int, key func(i int) K) []int {
	seen := map[K]bool{}
	return slices.DeleteFunc(places, func(i int) bool {
		k := key(i)
		again := seen[k]
		seen[k] = true
		return again
	})
}

// encode computes the structural encodings of graphs, so that the seconds of scoring leave them out.
func encode(gs []*graph.Graph) {
	for _, g := range gs {
		g.EncodeStructure()
	}
}

// sizeStream is the second half of the seed of the order of sameSizes.
const sizeStream = 0xba1a_1002

// sameSizes picks for each inside graph, in a fixed random order, one of the outside graphs with the nearest number of nodes that is
// not taken yet, the smaller of two. So the first n of them have the sizes of n inside graphs. It ends when all are taken.
func sameSizes(inside, outside []*graph.Graph) (index []int) {
	rng := rand.New(rand.NewPCG(1, sizeStream))
	free := map[int][]int{} // by size
	for _, i := range rng.Perm(len(outside)) {
		n := outside[i].N()
		free[n] = append(free[n], i)
	}
	for _, i := range rng.Perm(len(inside)) {
		best, apart := 0, math.MaxInt
		for n := range free {
			if d := max(n-inside[i].N(), inside[i].N()-n); d < apart || d == apart && n < best {
				best, apart = n, d
			}
		}
		list := free[best]
		if len(list) == 0 {
			break // all are taken
		}
		index = append(index, list[len(list)-1])
		if free[best] = list[:len(list)-1]; len(list) == 1 {
			delete(free, best)
		}
	}
	return index
}
