package explain

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Parts have the names that a chemist gives them, and each atom is in one.
func TestGroups(t *testing.T) {
	for _, c := range []struct{ about, smiles, want string }{
		// Explosives.
		{"PETN", "C(C(CO[N+](=O)[O-])(CO[N+](=O)[O-])CO[N+](=O)[O-])O[N+](=O)[O-]", "alkyl chain, nitrate ester group ×4"},
		{"RDX", "C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]", "1,3,5-triazinane ring, nitramine group ×3"},
		{"TNT", "Cc1c(cc(cc1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]", "benzene ring, methyl group, nitro group ×3"},
		{"TATP", "CC1(C)OOC(C)(C)OOC(C)(C)OO1", "methyl group ×6, nine-membered ring, peroxide group ×3"},
		// Acids and what is made of them.
		{"aspirin", "CC(=O)Oc1ccccc1C(=O)O", "benzene ring, carboxylic acid group, ester group, methyl group"},
		{"acetate", "CC(=O)[O-]", "carboxylate group, methyl group"},
		{"acetic anhydride", "CC(=O)OC(C)=O", "carboxylic anhydride group, methyl group ×2"},
		{"acetyl chloride", "CC(=O)Cl", "acyl chloride group, methyl group"},
		{"butyrolactone", "O=C1CCCO1", "lactone group, tetrahydrofuran ring"},
		{"caprolactam", "O=C1CCCCCN1", "azepane ring, lactam group"},
		{"N-methylacetamide", "CNC(C)=O", "amide group, methyl group ×2"},
		{"Gly-Gly", "NCC(=O)NCC(=O)O", "CH₂ group ×2, carboxylic acid group, peptide bond, primary amine group"},
		{"vorinostat's end", "CC(=O)NO", "hydroxamic acid group, methyl group"},
		{"phthalimide", "O=C1NC(=O)c2ccccc12", "imide group, isoindoline ring"},
		{"phenobarbital", "CCC1(c2ccccc2)C(=O)NC(=O)NC1=O", "alkyl chain, barbiturate ring, benzene ring"},
		{"phenytoin", "O=C1NC(=O)C(N1)(c1ccccc1)c1ccccc1", "benzene ring ×2, hydantoin ring"},
		{"penicillin G", "CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O", "CH₂ group, amide group, benzene ring, carboxylic acid group, methyl group ×2, penam skeleton, β-lactam ring"},
		{"urea", "NC(=O)N", "urea group"}, {"thiourea", "NC(=S)N", "thiourea group"}, {"carbamate", "COC(=O)N", "carbamate group, methyl group"}, {"dimethyl carbonate", "COC(=O)OC", "carbonate group, methyl group ×2"},
		{"thioester", "CC(=O)SC", "methyl group ×2, thioester group"}, {"thioacetamide", "CC(N)=S", "methyl group, thioamide group"},
		{"acetaldehyde", "CC=O", "aldehyde group, methyl group"}, {"acetone", "CC(C)=O", "ketone group, methyl group ×2"},
		// Nitrogen.
		{"acetylcholine", "CC(=O)OCC[N+](C)(C)C", "alkyl chain, ester group, methyl group ×4, quaternary ammonium group"},
		{"aniline", "Nc1ccccc1", "aniline group, benzene ring"}, {"methylamine", "CN", "methyl group, primary amine group"}, {"dimethylamine", "CNC", "methyl group ×2, secondary amine group"}, {"trimethylamine", "CN(C)C", "methyl group ×3, tertiary amine group"}, {"methylammonium", "C[NH3+]", "ammonium group, methyl group"},
		{"azide", "CN=[N+]=[N-]", "azide group, methyl group"}, {"diazomethane", "C=[N+]=[N-]", "diazo group"}, {"azobenzene", "c1ccccc1N=Nc1ccccc1", "azo group, benzene ring ×2"}, {"hydrazine", "CNNC", "hydrazine group, methyl group ×2"}, {"hydrazone", "CC=NN", "hydrazone group, methyl group"}, {"hydrazide", "CC(=O)NN", "hydrazide group, methyl group"},
		{"nitrosamine", "CN(C)N=O", "methyl group ×2, nitrosamine group"}, {"trimethylamine N-oxide", "C[N+](C)(C)[O-]", "N-oxide group, methyl group ×3"}, {"pyridine N-oxide", "[O-][n+]1ccccc1", "N-oxide group, pyridine ring"}, {"oxime", "CC(C)=NO", "methyl group ×2, oxime group"},
		{"metformin", "CN(C)C(=N)NC(N)=N", "biguanide group, methyl group ×2"}, {"guanidine", "NC(=N)N", "guanidine group"}, {"acetamidine", "CC(=N)N", "amidine group, methyl group"}, {"imine", "CC(C)=NC", "imine group, methyl group ×3"},
		{"acetonitrile", "CC#N", "methyl group, nitrile group"}, {"isonitrile", "C[N+]#[C-]", "isonitrile group, methyl group"}, {"isocyanate", "CN=C=O", "isocyanate group, methyl group"}, {"isothiocyanate", "CN=C=S", "isothiocyanate group, methyl group"}, {"thiocyanate", "CSC#N", "methyl group, thiocyanate group"},
		{"hydroxylamine", "CNO", "hydroxylamine group, methyl group"},
		// Sulfur and phosphorus.
		{"sulfonamide", "CS(=O)(=O)N", "methyl group, sulfonamide group"}, {"sulfonic acid", "CS(=O)(=O)O", "methyl group, sulfonic acid group"}, {"tosylate", "CS(=O)(=O)[O-]", "methyl group, sulfonate group"}, {"sulfone", "CS(C)(=O)=O", "methyl group ×2, sulfone group"}, {"DMSO", "CS(C)=O", "methyl group ×2, sulfoxide group"},
		{"thioether", "CSC", "methyl group ×2, thioether group"}, {"disulfide", "CSSC", "disulfide group, methyl group ×2"}, {"thiol", "CS", "methyl group, thiol group"}, {"sulfur", "S1SSSSSSS1", "disulfide group, polysulfide chain ×2"},
		{"sarin", "CC(C)OP(C)(=O)F", "isopropyl group, methyl group, phosphonofluoridate group"}, {"trimethyl phosphate", "COP(=O)(OC)OC", "methyl group ×3, phosphate ester group"}, {"glyphosate", "OC(=O)CNCP(=O)(O)O", "CH₂ group ×2, carboxylic acid group, phosphonic acid group, secondary amine group"}, {"phosphine", "CP(C)C", "methyl group ×3, phosphine group"},
		{"malathion's end", "CSP(=S)(OC)OC", "dithiophosphate ester group, methyl group ×3"}, {"chlorpyrifos", "CCOP(=S)(OCC)Oc1nc(Cl)c(Cl)cc1Cl", "alkyl chain ×2, aryl chloride ×3, pyridine ring, thiophosphate ester group"},
		// Boron, silicon, metals, salts.
		{"boronic acid", "OB(O)c1ccccc1", "benzene ring, boronic acid group"}, {"pinacol boronate", "CC1(C)OB(OC1(C)C)c1ccccc1", "benzene ring, boronic ester group, five-membered ring, methyl group ×4"},
		{"tetramethylsilane", "C[Si](C)(C)C", "methyl group ×4, silyl group"}, {"siloxane", "C[Si](C)(C)O[Si](C)(C)C", "methyl group ×6, siloxane group, silyl group"},
		{"tributyltin's end", "C[Sn](C)(C)O", "hydroxyl group, methyl group ×3, organotin group"}, {"cisplatin", "[NH3+][Pt-2]([NH3+])(Cl)Cl", "ammine ligand ×2, chloro ligand ×2, metal centre (Pt)"}, {"carbonyl", "[C-]#[O+].[Ni]", "Ni atom, carbonyl ligand (CO)"}, {"zinc", "CC[Zn]CC", "alkyl chain ×2, organozinc group"},
		{"sodium chloride", "[Na+].[Cl-]", "Na⁺ ion, chloride ion"}, {"deuterated methanol", "[2H]C([2H])([2H])O", "alcohol group, methyl group, written-out hydrogen ×3"}, {"ammonium nitrate", "[NH4+].[O-][N+](=O)[O-]", "ammonium ion, nitrate ion"}, {"water", "O", "water molecule"},
		// Oxygen, halogens, carbon.
		{"phenol", "Oc1ccccc1", "benzene ring, phenol group"}, {"ethanol", "CCO", "alkyl chain, primary alcohol group"}, {"isopropanol", "CC(C)O", "isopropyl group, secondary alcohol group"}, {"tert-butanol", "CC(C)(C)O", "tert-butyl group, tertiary alcohol group"},
		{"diethyl ether", "CCOCC", "alkyl chain ×2, ether oxygen"}, {"anisole", "COc1ccccc1", "benzene ring, methoxy group"}, {"peroxide", "COOC", "methyl group ×2, peroxide group"}, {"hydroperoxide", "COO", "hydroperoxide group, methyl group"}, {"epoxide", "C1CO1", "epoxide ring"}, {"aziridine", "C1CN1", "aziridine ring"},
		{"acetal", "CCOC(C)OCC", "acetal group, alkyl chain ×2, methyl group"}, {"glucose", "OCC1OC(O)C(O)C(O)C1O", "CH₂ group, primary alcohol group, pyranose ring (sugar), secondary alcohol group ×4"},
		{"lindane", "ClC1C(Cl)C(Cl)C(Cl)C(Cl)C1Cl", "alkyl chloride ×6, cyclohexane ring"}, {"PFOA's end", "FC(F)(F)C(F)(F)C(=O)O", "carboxylic acid group, perfluorinated chain"}, {"trifluorotoluene", "FC(F)(F)c1ccccc1", "benzene ring, trifluoromethyl group"}, {"chloroform", "ClC(Cl)Cl", "polyhalogenated carbon"},
		{"2-butyne", "CC#CC", "alkyne group, methyl group ×2"}, {"allene", "CC=C=CC", "allene group, methyl group ×2"}, {"ketene", "CC=C=O", "ketene group, methyl group"}, {"2-butene", "CC=CC", "C=C double bond, methyl group ×2"},
		// Rings.
		{"biphenyl", "c1ccccc1-c1ccccc1", "benzene ring ×2"}, {"quinoline", "c1ccc2ncccc2c1", "quinoline ring"}, {"caffeine", "Cn1cnc2c1c(=O)n(C)c(=O)n2C", "methyl group ×3, purine ring, ring carbonyl group ×2"},
		{"testosterone", "CC12CCC3C(CCC4=CC(=O)CCC34C)C1CCC2O", "ketone group, methyl group ×2, secondary alcohol group, steroid skeleton"}, {"morphine", "CN1CCC23C4C1CC5=C2C(=C(C=C5)O)OC3C(C=C4)O", "epoxymorphinan skeleton, methyl group, phenol group, secondary alcohol group"}, {"cocaine's ring", "CN1C2CCC1CCC2", "methyl group, tropane skeleton"},
		{"coronene", "c1cc2ccc3ccc4ccc5ccc6ccc1c7c2c3c4c5c67", "aromatic system of 7 fused rings"}, {"18-crown-6", "C1COCCOCCOCCOCCOCCO1", "macrocycle of 18"},
		{"erythromycin", "CCC1OC(=O)C(C)C(OC2CC(C)(OC)C(O)C(C)O2)C(C)C(OC2OC(C)CC(N(C)C)C2O)C(C)(O)CC(C)C(=O)C(C)C(O)C1(C)O", "alkyl chain, ether oxygen ×2, ketone group, lactone group, macrocycle of 14, methoxy group, methyl group ×11, pyranose ring (sugar) ×2, secondary alcohol group ×3, tertiary alcohol group ×2, tertiary amine group"},
		{"diazepam", "CN1C(=O)CN=C(c2ccccc2)c2cc(Cl)ccc21", "1,4-benzodiazepine ring, aryl chloride, benzene ring, imine group, lactam group, methyl group"}, {"chlorpromazine", "CN(C)CCCN1c2ccccc2Sc2ccc(Cl)cc21", "alkyl chain, aryl chloride, methyl group ×2, phenothiazine ring, tertiary amine group"},
	} {
		g := parse(t, c.smiles)[0]
		var names []string
		seen := make([]int, g.N())
		for _, p := range groups(g) {
			names = append(names, p.name)
			for _, i := range p.nodes {
				seen[i]++
			}
		}
		if slices.ContainsFunc(seen, func(n int) bool { return n != 1 }) {
			t.Errorf("%s: atoms are in %v parts", c.about, seen)
		}
		slices.Sort(names)
		var text []string
		for k := 0; k < len(names); {
			n := 1
			for k+n < len(names) && names[k+n] == names[k] {
				n++
			}
			if text = append(text, names[k]); n > 1 {
				text[len(text)-1] += " ×" + strconv.Itoa(n)
			}
			k += n
		}
		if got := strings.Join(text, ", "); got != c.want {
			t.Errorf("%s: %q, want %q", c.about, got, c.want)
		}
	}
}
