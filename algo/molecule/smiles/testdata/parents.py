"""Compares parents with those of RDKit's standardiser:

    for set in bbbp clintox …; do
        baca-paper featurize --canonical --parent DATA/mol/$set.csv.gz
    done | python3 parents.py

RDKit's are made by LargestFragmentChooser(preferOrganic) and Uncharger after isotopes and stereo
are removed. Prints how many differ, by kind, with examples.
"""

import collections
import json
import sys

from rdkit import Chem, RDLogger
from rdkit.Chem.MolStandardize import rdMolStandardize
from rdkit.Chem.rdMolDescriptors import CalcMolFormula

RDLogger.DisableLog("rdApp.*")
largest = rdMolStandardize.LargestFragmentChooser(True)
uncharger = rdMolStandardize.Uncharger()


def read(text):
    return Chem.MolFromSmiles(text)


def parent(text):
    m = read(text)
    for atom in m.GetAtoms():
        atom.SetIsotope(0)
    Chem.RemoveStereochemistry(m)
    m = uncharger.uncharge(largest.choose(read(Chem.MolToSmiles(Chem.RemoveHs(m)))))
    return Chem.MolToSmiles(read(Chem.MolToSmiles(m)))


def kind(ours, theirs, aside):
    a, b = read(ours), read(theirs)
    if "tautomer" in aside:
        return "tautomer"
    if "." in ours + theirs:
        return "inorganic compound left whole"
    if a.GetNumHeavyAtoms() != b.GetNumHeavyAtoms():
        return "another fragment"
    return "S-O or P-O with charges" if CalcMolFormula(a) == CalcMolFormula(b) else "protons"


same, differ, examples = 0, collections.Counter(), collections.defaultdict(list)
for line in sys.stdin:
    record = json.loads(line)
    if "error" in record:
        continue
    ours = Chem.MolToSmiles(read(record["parent"]))
    try:
        theirs = parent(record["canonical"])
    except Exception:  # RDKit cannot read what it has made
        differ["not made by RDKit"] += 1
        continue
    if ours == theirs:
        same += 1
        continue
    k = kind(ours, theirs, record["set_aside"])
    differ[k] += 1
    examples[k].append((record["canonical"], ours, theirs))
print("same", same)
for k, n in differ.most_common():
    print(k, n)
    for example in examples[k][:5]:
        print("   ", *example, sep="  ")
