package explain

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"baca/algo/graph"
	"baca/algo/internal/lists"
)

// A Part is a part of a molecule with a chemical name.
type Part struct {
	Name  string // singular
	Nodes []int  // ascending
}

// Parts divides a molecule into the groups that Groups names. Each atom is in one part.
func Parts(g *graph.Graph) []Part {
	return lists.Map(groups(g, Rings(g)), func(found group) Part { return Part{found.name, found.nodes} })
}

// Groups names the functional groups, rings, chains and rare elements of a molecule, each name
// once, in alphabetical order. Each atom is in one group. The graph must have the features of
// package molecule, and these rings, see Rings.
func Groups(g *graph.Graph, rings [][]int) []string {
	names := lists.Map(groups(g, rings), func(found group) string { return found.name })
	slices.Sort(names)
	return slices.Compact(names)
}

// functional are the patterns that are tried before rings, plain those tried after rings. The first
// pattern that fits an atom names it.
var functional, plain = compiled(functionalGroups), compiled(plainGroups)

type named = []struct{ name, pattern string }

// compiled returns a function that parses the patterns of a table on its first call.
func compiled(table named) func() []*pattern {
	return sync.OnceValue(func() []*pattern {
		return lists.Map(table, func(p struct{ name, pattern string }) *pattern { return parsePattern(p.name, p.pattern) })
	})
}

// specific maps a group's name to whether it always stands for the same atoms and bonds. A name does so if it
// belongs to one pattern, which leaves open only what rare.Table.AtMost leaves open, or to one aromatic ring.
var specific = sync.OnceValue(func() map[string]bool {
	closed := map[string]bool{}
	add := func(name string, is bool) { // a name that comes again is not specific
		_, again := closed[name]
		closed[name] = is && !again
	}
	// A pattern is open if an atom of the group is a carbon of any hybridization, of several elements, or in any ring.
	for _, p := range slices.Concat(functionalGroups, plainGroups) {
		open := slices.ContainsFunc(tokens.FindAllStringSubmatch(p.pattern, -1), func(token []string) bool {
			carbon := token[2] == "" && token[3] == "C" || strings.HasPrefix(token[2], "C;") && !strings.Contains(token[2], "^")
			return !strings.Contains(token[1], "~") && (carbon || strings.Contains(token[2], ",") || strings.Contains(token[2], ";r"))
		})
		add(p.name, !open)
	}
	for _, r := range ringsByName { // aromatic atoms are in lower case, except in [nH]
		add(r.name, r.smiles == strings.ToLower(r.smiles) || strings.Contains(r.smiles, "[nH]") && !strings.Contains(r.smiles, "C"))
	}
	for _, symbol := range slices.Sorted(maps.Keys(organo)) {
		closed[organo[symbol]+" group"] = true
	}
	return closed
})

var functionalGroups = named{
	// Ions and small molecules.
	{"water molecule", "[O;d0;h2]"}, {"hydroxide ion", "[O;-;d0;h1]"}, {"hydrogen peroxide", "[O;d1;h1][O;d1;h1]"}, {"hydrogen sulfide", "[S;d0;h2]"}, {"sulfur dioxide", "[S;d2](=O)=O"}, {"nitrogen molecule", "[N;d1;h0][N;d1;h0]"}, {"ammonium ion", "[N;+;d0]"}, {"ammonia", "[N;d0;h3]"}, {"methane", "[C;d0;h4]"},
	{"hydrogen chloride (HCl)", "[Cl;d0;h1]"}, {"hydrogen bromide (HBr)", "[Br;d0;h1]"}, {"hydrogen iodide (HI)", "[I;d0;h1]"}, {"hydrogen fluoride (HF)", "[F;d0;h1]"}, {"fluoride ion", "[F;-;d0]"}, {"chloride ion", "[Cl;-;d0]"}, {"bromide ion", "[Br;-;d0]"}, {"iodide ion", "[I;-;d0]"},
	{"perchlorate ion", "[Cl](=O)(=O)(=O)[O;-]"}, {"perchlorate ion", "[Cl;+]([O;-])([O;-])([O;-])[O;-]"}, {"perchloric acid", "[Cl](=O)(=O)(=O)[O;h1]"}, {"perchloric acid", "[Cl;+]([O;-])([O;-])([O;-])[O;h1]"}, {"nitrate ion", "[N;+]([O;-])([O;-])=O"}, {"sulfate ion", "S(=O)(=O)([O;-])[O;-]"}, {"sulfuric acid", "S(=O)(=O)([O;h1])[O;h1]"},
	{"carbonic acid molecule", "C(=O)([O;h1])[O;h1]"}, {"carbonate ion", "C(=O)([O;-])[O;-]"}, {"hydrogencarbonate ion", "C(=O)([O;-])[O;h1]"}, {"tetrafluoroborate ion", "[B;-](F)(F)(F)F"}, {"hexafluorophosphate ion", "[P;-](F)(F)(F)(F)(F)F"},
	{"carbonyl ligand (CO)", "[C;-;d1][O;+]"}, {"carbonyl ligand (CO)", "[C;^1](~[M])[O;d1;h0]"}, {"cyano ligand", "[C;^1](~[M])[N;d1]"}, {"carbon disulfide", "[C;^1](=S)=S"}, {"carbon dioxide", "[C;^1](=O)=O"}, {"cyanide ion", "[C;-;d1][N;d1]"},
	// Boron, silicon.
	{"boronic acid group", "[B;x3]([O;h1])([O;h1])~C"}, {"boronic acid group", "[B;x3]([O;h1])([O;h1])~c"}, {"boronic ester group", "[B;x3](O)(O)~C"}, {"boronic ester group", "[B;x3](O)(O)~c"}, {"borate group", "[B](O)(O)O"},
	{"trifluoroborate group", "[B;-](F)(F)F"}, {"borinic group", "[B]O"}, {"carborane or boron cluster", "[B]([B])[B]"}, {"borane group", "[B]"},
	{"siloxane group", "[Si]O~[Si]"}, {"silanol group", "[Si][O;h1]"}, {"silyl ether group", "[Si][O;d2]"}, {"chlorosilane group", "[Si]([Cl])([Cl])[Cl]"}, {"chlorosilane group", "[Si]([Cl])[Cl]"}, {"chlorosilane group", "[Si][Cl]"}, {"silyl group", "[Si]"},
	// Nitrogen bound to oxygen or nitrogen.
	{"rhodanine ring", "[C;^2;r5](=S)([N;r5][C;^2;r5]=O)[S;r5]"},
	{"nitrate ester group", "[N;+](=O)([O;-])[O;d2]"}, {"nitroguanidine group", "[N;+](=O)([O;-])N[C;^2](N)N"}, {"nitramine group", "[N;+](=O)([O;-])N"}, {"nitric acid", "[N;+](=O)([O;-])[O;h1]"}, {"nitro group", "[N;+](=O)[O;-]"}, {"nitro group", "N(=O)=O"},
	{"nitrite ion", "[N;x2](=O)[O;-]"}, {"nitrosyl ligand", "[N;d1;h0][O;d1;h0]"}, {"nitrite ester group", "[N;x2](=O)[O;d2]"}, {"nitrosamine group", "[N;x2](=O)N"}, {"nitroso group", "[N;x2]=O"}, {"nitroxide radical", "[N;q0;x3][O;d1;h0]"},
	{"azoxy group", "[N;+]([O;-])[N;x2]"}, {"nitrone group", "[N;+;x3]([O;-])[C;^2]"}, {"nitrone group", "[N;+;x3]=O"}, {"nitrile oxide group", "[N;+;^1]([O;-])[C;^1]"}, {"N-oxide group", "[N;+]([O;-])"}, {"N-oxide group", "[O;-](~[n;+])"},
	{"acyl azide group", "[N;+;^1]([N;d1])N[C;^2]=O"}, {"sulfonyl azide group", "[N;+;^1]([N;d1])NS(=O)=O"}, {"azide group", "[N;+;^1]([N;d1])N"}, {"diazo group", "[N;+;^1]([N;d1;-])[C;^2]"}, {"diazonium group", "[N;+;d2][N;d1]"},
	{"diazirine ring", "[N;x2;^2;r3]([N;x2;^2;r3])[C;r3]"}, {"amidinohydrazone group", "[N;x2;^2]([C;^2])[N;x2;^2][C;^2](N)N"}, {"triazene group", "[N;x2;^2]([N;x2;^2])N"}, {"azo group", "[N;x2;^2](~[C;^2]~=O)[N;x2;^2]"}, {"azine group", "[N;x2;^2]([C;^2])[N;x2;^2][C;^2]"}, {"azo group", "[N;x2;^2][N;x2;^2]"}, {"semicarbazone group", "[N;x2;^2]([C;^2])N[C;^2](=O)N"}, {"acylhydrazone group", "[N;x2;^2]([C;^2])N[C;^2]=O"}, {"thiosemicarbazone group", "[N;x2;^2]([C;^2])N[C;^2](=S)N"}, {"amidinohydrazone group", "[N;x2;^2]([C;^2])N[C;^2](N)N"}, {"aminoguanidine group", "[N;x2;^2](N)[C;^2](N)N"}, {"hydrazone group", "[N;x2;^2](N)[C;^2]"},
	{"sulfonylsemicarbazide group", "N(N)[C;^2](=O)NS(=O)=O"}, {"acylsemicarbazide group", "N(N[C;^2]=O)[C;^2](=O)N"}, {"acylthiosemicarbazide group", "N(N[C;^2]=O)[C;^2](=S)N"}, {"semicarbazide group", "N(N)[C;^2](=O)N"}, {"thiosemicarbazide group", "N(N)[C;^2](=S)N"}, {"carbazate group", "N(N)[C;^2](=O)O"}, {"diacylhydrazine group", "N(N[C;^2]=O)[C;^2]=O"}, {"hydrazide group", "N(N)[C;^2]=O"}, {"thiohydrazide group", "N(N)[C;^2]=S"}, {"sulfonyl hydrazide group", "N(N)S(=O)=O"}, {"aminoguanidine group", "N(N)[C;^2](N)=N"}, {"hydrazine group", "NN"},
	{"amidoxime group", "[N;x2;^2]([O;h1])[C;^2]N"}, {"oxime group", "[N;x2;^2]([O;h1])[C;^2]"}, {"oxime carbamate group", "[N;x2;^2](O[C;^2](=O)N)[C;^2]"}, {"oxime ester group", "[N;x2;^2](O[C;^2]=O)[C;^2]"}, {"oxime ether group", "[N;x2;^2]([O;d2])[C;^2]"}, {"hydroxamic acid group", "N([O;h1])[C;^2]=O"}, {"hydroxamate group", "N(O)[C;^2]=O"},
	{"ammine ligand", "[N;+;x4](~[M])"}, {"quaternary ammonium group", "[N;+;x4;h0]"}, {"guanidinium group", "[C;^2]([N;+])(N)N"}, {"amidinium group", "[C;^2]([N;+;^2])N"}, {"iminium group", "[N;+;^2;x3][C;^2]"}, {"nitrilium group", "[N;+;^1][C;^1;d2]"},
	// Sulfur.
	{"sulfonylurea group", "S(=O)(=O)N[C;^2](=O)N"}, {"acyl sulfonamide group", "S(=O)(=O)N[C;^2]=O"}, {"sulfamide group", "S(=O)(=O)(N)N"}, {"sulfamate group", "S(=O)(=O)(N)O"}, {"sulfonamide group", "S(=O)(=O)N"},
	{"sulfonyl group on an aromatic nitrogen", "S(=O)(=O)~n"}, {"fluorosulfate group", "S(=O)(=O)(F)[O;d2]"}, {"sulfonyl fluoride group", "S(=O)(=O)F"}, {"sulfonyl chloride group", "S(=O)(=O)[Cl]"}, {"sulfate ester group", "S(=O)(=O)(O)[O;d2]"},
	{"sulfonic acid group", "S(=O)(=O)[O;h1]"}, {"sulfonate group", "S(=O)(=O)[O;-]"}, {"sulfonate ester group", "S(=O)(=O)[O;d2]"}, {"thiosulfonate group", "S(=O)(=O)[S;d2]"}, {"sulfonamide group", "S(=O)(=O)~N"}, {"sulfonate ester group", "S(=O)(=O)~O"}, {"sulfone group", "S(=O)=O"},
	{"sulfonimidamide group", "[S;x4](=O)(N)N"}, {"sulfoximine group", "[S;x4](=O)N"}, {"sulfondiimine group", "[S;x4](N)N"}, {"sulfite ion", "S(=O)([O;-])[O;-]"}, {"hydrogensulfite ion", "S(=O)([O;-])[O;h1]"}, {"sulfurous acid", "[S;x3](=O)([O;h1])[O;h1]"}, {"sulfite ester group", "S(=O)(O)O"}, {"sulfinamide group", "S(=O)N"}, {"sulfinic acid group", "S(=O)[O;h1]"}, {"sulfinate group", "S(=O)[O;-]"}, {"sulfinate ester group", "S(=O)[O;d2;q0]"}, {"thiosulfinate group", "S(=O)[S;d2]"}, {"sulfinyl chloride group", "S(=O)[Cl]"}, {"sulfoxide group", "S=O"}, {"sulfoxide group", "[S;+][O;-]"}, {"sulfonium group", "[S;+;x3]"}, {"sulfilimine group", "[S;q0;x3]N"}, {"sulfilimine group", "[S;q0;x3]~N"},
	{"thiuram disulfide group", "[S;d2]([C;^2](=S)N)[S;d2][C;^2](=S)N"}, {"sulfur mustard group", "[S;d2][C;^3;h2][C;^3;h2][Cl]"}, {"nitrogen mustard group", "[N;x3]([C;^3;h2][C;^3;h2][Cl])[C;^3;h2][C;^3;h2][Cl]"}, {"polysulfide chain", "[S;d2]([S;d2])[S;d2][S;d2]"}, {"polysulfide chain", "[S;d2]([S;d2])[S;d2]"}, {"disulfide group", "[S;d2][S;d2]"}, {"persulfide group", "[S;d2][S;h1]"},
	// Phosphorus.
	{"phosphonofluoridate group", "P(=O)(O)(F)~C"}, {"phosphorofluoridate group", "P(=O)F"}, {"phosphorus halide group", "P(=O)([Cl])([Cl])[Cl]"}, {"phosphorus halide group", "P(=O)([Cl])[Cl]"}, {"phosphorus halide group", "P(=O)[Cl]"},
	{"dithiophosphate ester group", "P(=S)(O)(O)S"}, {"thiophosphate ester group", "P(=S)(O)(O)O"}, {"thiophosphate ester group", "P(=O)(O)(O)S"}, {"phosphonothioate group", "P(=O)(O)(S)~C"}, {"phosphonothioate group", "P(=S)(O)(O)~C"},
	{"phosphoramidate group", "P(=O)(O)N"}, {"phosphoric amide group", "P(=O)N"}, {"triphosphate group", "P(=O)(O)(O)OP(=O)(O)OP(=O)(O)O"}, {"diphosphate group", "P(=O)(O)(O)OP(=O)(O)O"}, {"phosphate ester group", "P(=O)(O)(O)[O;d2]"}, {"phosphate group", "P(=O)(O)(O)O"},
	{"phosphonic acid group", "P(=O)([O;h1])[O;h1]"}, {"phosphonate group", "P(=O)(O)O"}, {"phosphinate group", "P(=O)O"}, {"phosphine oxide group", "P=O"}, {"thiophosphoramidate group", "P(=S)(O)N"}, {"thiophosphoramide group", "P(=S)N"}, {"phosphine sulfide group", "P=S"},
	{"phosphite ester group", "[P;x3](O)(O)O"}, {"phosphonium group", "[P;+;x4]"}, {"phosphorus pentahalide", "[P;x5]([Cl,F,Br])([Cl,F,Br])([Cl,F,Br])([Cl,F,Br])[Cl,F,Br]"}, {"phosphorus trihalide", "[P;x3]([Cl,F,Br,I])([Cl,F,Br,I])[Cl,F,Br,I]"}, {"phosphoramidite group", "[P;x3](O)(O)N"}, {"phosphonite group", "[P;x3](O)O"}, {"phosphinite group", "[P;x3]O"}, {"chlorophosphine group", "[P;x3]([Cl])[Cl]"}, {"chlorophosphine group", "[P;x3][Cl]"}, {"phosphine group", "[P;x3]"}, {"phosphazene group", "[P;x4]N"}, {"phosphorus group", "P"},
	{"sulfur hexafluoride", "[S;x6](F)(F)(F)(F)(F)F"}, {"pentafluorosulfanyl group", "[S;x6](F)(F)(F)(F)F"},
	// Triple and cumulated bonds.
	{"isocyanate group", "[C;^1](=O)N"}, {"isothiocyanate group", "[C;^1](=S)N"}, {"thiocyanate group", "[C;^1]([N;d1])S"}, {"cyanoguanidine group", "[C;^1]([N;d1])N[C;^2](N)N"}, {"cyanamide group", "[C;^1]([N;d1])N"}, {"cyanate group", "[C;^1]([N;d1])O"},
	{"carbodiimide group", "[C;^1](N)N"}, {"ketene group", "[C;^1](=O)[C;^2]"}, {"ketenimine group", "[C;^1]([N;d2])[C;^2]"}, {"isocyanide group", "[C;^1;d1]N"}, {"nitrile group", "[C;^1][N;d1]"},
	// Carbonyl groups.
	{"β-lactam ring", "[C;^2;r4](=O)[N;r4]"}, {"barbiturate ring", "[C;^2;r6](=O)([N;r6][C;^2;r6]=O)[N;r6][C;^2;r6]=O"}, {"hydantoin ring", "[C;^2;r5](=O)([N;r5][C;^2;r5]=O)[N;r5]"},
	{"biuret group", "N([C;^2](=O)N)[C;^2](=O)N"}, {"acylthiourea group", "N([C;^2](=O)~C)[C;^2](=S)N"}, {"acylthiourea group", "N([C;^2](=O)~c)[C;^2](=S)N"}, {"acylurea group", "N([C;^2]=O)[C;^2](=O)N"}, {"acylcarbamate group", "N([C;^2]=O)[C;^2](=O)O"}, {"imide group", "N([C;^2]=O)[C;^2]=O"}, {"carboxylic anhydride group", "O([C;^2]=O)[C;^2]=O"}, {"peroxy acid group", "[C;^2](=O)O[O;h1]"}, {"acyl peroxide group", "[C;^2](=O)OO[C;^2]=O"}, {"acyl peroxide group", "[C;^2](=O)OO"}, {"thiourea group", "[C;^2](=S)(N)N"}, {"urea group", "[C;^2](=O)(N)N"},
	{"cyclic carbamate (oxazolidinone)", "[C;^2;r5](=O)([N;r5])[O;r5]"}, {"carbamic acid group", "[C;^2](=O)(N)[O;h1]"}, {"carbamate group", "[C;^2](=O)(N)O"}, {"dithiocarbamate group", "[C;^2](=S)(N)S"}, {"thiocarbamate group", "[C;^2](=O)(N)S"}, {"thiocarbamate group", "[C;^2](=S)(N)O"},
	{"xanthate group", "[C;^2](=S)(O)S"}, {"trithiocarbonate group", "[C;^2](=S)(S)S"}, {"thioamide group", "[C;^2](=S)N"}, {"dithioester group", "[C;^2](=S)S"}, {"thionocarbonate group", "[C;^2](=S)(O)O"}, {"thionoester group", "[C;^2](=S)[O;d2]"}, {"thiocarboxylic acid group", "[C;^2](=S)[O;h1]"}, {"thioamide group", "[C;^2](=S)~N"}, {"thioketone group", "[C;^2]=S"}, {"thiocarbonyl group on an aromatic ring", "[S;d1;h0;q0](~c)"},
	{"carbonate group", "[C;^2](=O)(O)O"}, {"chloroformate group", "[C;^2](=O)(O)[Cl]"}, {"carboxylic acid group", "[C;^2](=O)[O;h1]"}, {"carboxylate group", "[C;^2](=O)[O;-]"}, {"lactone group", "[C;^2;r](=O)[O;r]"}, {"ester group", "[C;^2](=O)[O;d2]"},
	{"thiocarboxylic acid group", "[C;^2](=O)[S;h1]"}, {"carbonyl dihalide", "[C;^2](=O)([Cl,F,Br])[Cl,F,Br]"}, {"carbamoyl chloride group", "[C;^2](=O)(N)[Cl]"}, {"thioester group", "[C;^2](=O)S"}, {"acyl fluoride group", "[C;^2](=O)F"}, {"acyl chloride group", "[C;^2](=O)[Cl]"}, {"acyl bromide group", "[C;^2](=O)[Br]"},
	{"acylguanidine group", "N([C;^2]=O)[C;^2](N)N"}, {"peptide bond", "[C;^2](=O)(~[C;^3]~N)N~[C;^3]~[C;^2]~=O"}, {"lactam group", "[C;^2;r](=O)[N;r]"}, {"amide group", "[C;^2](=O)N"}, {"N-acyl azole group", "[C;^2](=O)~n"}, {"amide group", "[C;^2](=O)~N"}, {"ester group", "[C;^2](=O)~O"}, {"thioester group", "[C;^2](=O)~S"}, {"formaldehyde", "[C;^2;h2]=O"}, {"aldehyde group", "[C;^2;h1]=O"}, {"ketone group", "[C;^2]=O"}, {"ring carbonyl group", "[O;d1;h0;q0](~c)"},
	// Carbon and nitrogen.
	{"biguanide group", "[C;^2](N)(N)N[C;^2](N)N"}, {"guanidine group", "[C;^2](N)(N)N"}, {"isothiourea group", "[C;^2](N)(N)S"}, {"isourea group", "[C;^2](N)(N)O"}, {"amidine group", "[C;^2](N)=N"}, {"imidate group", "[C;^2](O)=N"}, {"isothiourea group", "[C;^2](S)(~N)=N"}, {"thioimidate group", "[C;^2](S)=N"}, {"imidoyl chloride group", "[C;^2]([Cl])=N"}, {"imine group", "[C;^2]=N"},
	// Others that span rings.
	{"hypochlorite group", "[O;d2][Cl]"}, {"hydroperoxide group", "[O;d2][O;h1]"}, {"peroxide group", "[O;d2][O;d2]"}, {"methylenedioxy group", "[C;h2;r5]([O;r5]~c)[O;r5]~c"},
	{"furanose ring (sugar)", "[C;^3;r5]([O;d2;r5][C;^3;r5][C;^3;r5]~O)~[O,N]"}, {"furanose ring (sugar)", "[C;^3;r5]([O;d2;r5][C;^3;r5][C;^3;r5]~O)~n"}, {"pyranose ring (sugar)", "[C;^3;r6]([O;d2;r6])([C;^3;r6]([C;^3;r6]~[O,N])~[O,N])~[O,N]"}, {"pyranose ring (sugar)", "[C;^3;r6]([O;d2;r6][C;^3;r6][C;^3;r6]([C;^3;r6]~[O,N])~[O,N])~[O,N]"},
	{"tert-butyl group", "[C;d4;^3]([C;h3])([C;h3])[C;h3]"}, {"isopropyl group", "[C;h1;d3]([C;h3])[C;h3]"},
}

var plainGroups = named{
	{"ammonium group", "[N;+;x4]"}, {"hydroxylamine group", "NO"}, {"N-halamine group", "N[Cl,Br,F]"},
	{"amide anion", "[N;-]"}, {"amino group on a heteroaromatic ring", "N(~c~n)"}, {"amino group on a heteroaromatic ring", "N(~[c;r]~[c;r]~[n;r])"}, {"amino group on a heteroaromatic ring", "N(~[c;r]~[c;r]~[c;r]~[n;r])"}, {"aniline group", "N(~c)"}, {"enamine group", "N(~[C;^2]~[C;^2])"},
	{"primary amine group", "[N;h2]"}, {"secondary amine group", "[N;h1]"}, {"tertiary amine group", "[N;x3;h0]"},
	{"hydroxyl group on a heteroaromatic ring", "[O;h1;d1](~c~n)"}, {"hydroxyl group on a heteroaromatic ring", "[O;h1;d1](~[c;r]~[c;r]~[n;r])"}, {"hydroxyl group on a heteroaromatic ring", "[O;h1;d1](~[c;r]~[c;r]~[c;r]~[n;r])"}, {"phenol group", "[O;h1;d1](~c)"}, {"enol group", "[O;h1;d1](~[C;^2])"}, {"geminal diol group", "[C;^3]([O;h1])[O;h1]"}, {"hemiacetal group", "[C;^3]([O;d2])[O;h1]"}, {"orthoester group", "[C;^3](O)(O)[O;d2]"}, {"acetal group", "[C;^3]([O;d2])[O;d2]"},
	{"hemiacetal group", "[O;h1;d1](~[C;^3]~[O;d2])"},
	{"primary alcohol group", "[O;h1;d1](~[C;h2])"}, {"secondary alcohol group", "[O;h1;d1](~[C;h1])"}, {"tertiary alcohol group", "[O;h1;d1](~[C;h0])"}, {"alcohol group", "[O;h1;d1](~C)"}, {"hydroxyl group", "[O;h1;d1]"},
	{"phenolate group", "[O;-;d1](~c)"}, {"oxide group", "[O;-;d1]"}, {"oxonium group", "[O;+]"}, {"oxo group", "[O;d1;h0]"}, {"methoxy group", "[O;d2][C;h3]"}, {"diaryl ether oxygen", "[O;d2](~c)~c"}, {"aryl ether oxygen", "[O;d2](~c)"}, {"ether oxygen", "[O;d2]"},
	{"thiophenol group", "[S;h1](~c)"}, {"thiol group", "[S;h1]"}, {"thiolate group", "[S;-;d1]"}, {"sulfenamide group", "[S;d2]N"}, {"aryl thioether group", "[S;d2](~c)"}, {"thioether group", "[S;d2]"},
	{"aryl fluoride", "F(~c)"}, {"aryl chloride", "[Cl](~c)"}, {"aryl bromide", "[Br](~c)"}, {"aryl iodide", "[I;d1](~c)"}, {"vinyl fluoride", "F(~[C;^2])"}, {"vinyl chloride", "[Cl](~[C;^2])"}, {"vinyl bromide", "[Br](~[C;^2])"},
	{"alkyl fluoride", "F(~C)"}, {"alkyl chloride", "[Cl](~C)"}, {"alkyl bromide", "[Br](~C)"}, {"alkyl iodide", "[I;d1](~C)"}, {"N-chloro group", "[Cl](~N)"}, {"N-bromo group", "[Br](~N)"}, {"chloro ligand", "[Cl](~[M])"}, {"bromo ligand", "[Br](~[M])"}, {"iodonium group", "[I;+]"}, {"hypervalent iodine", "I"},
	{"alkyne group", "[C;^1][C;^1]"}, {"allene group", "[C;^1]([C;^2])[C;^2]"}, {"cumulated double bond", "[C;^1]"},
}
