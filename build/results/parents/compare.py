"""Compares parents of BaCa with those of RDKit's standardiser, ChEMBL's structure pipeline and MolVS:

    compare.sh DATA [LIMIT]

compare.sh installs them and calls this with DATA, the tests of MolVS, the pairs, the command baca-paper, the versions, and LIMIT, how many
records to draw at random, 0 for all. It writes report.md beside it.
"""

import ast
import collections
import csv
import glob
import gzip
import json
import multiprocessing
import os
import random
import re
import subprocess
import sys

from chembl_structure_pipeline import standardizer as chembl
from molvs import Standardizer
from rdkit import Chem, RDLogger
from rdkit.Chem.MolStandardize import rdMolStandardize
from rdkit.Chem.rdMolDescriptors import CalcMolFormula

RDLogger.DisableLog("rdApp.*")
TOOLS = ("RDKit", "ChEMBL", "MolVS")
METALS = set(range(3, 5)) | set(range(11, 14)) | set(range(19, 32)) | set(range(37, 51)) | set(range(55, 85)) | set(range(87, 104))
CHARGE = re.compile(r"[+-]\d*(:\d+)?\]")
SYMBOLS = re.compile(r"\[\d*(%s)(?![a-z])" % "|".join(sorted((Chem.GetPeriodicTable().GetElementSymbol(z) for z in METALS), key=len, reverse=True)))


def flat(text):
    """text without stereo marks and isotopes, which BaCa sets aside and the others keep"""
    m = Chem.MolFromSmiles(text)
    if m is None:
        return None
    for atom in m.GetAtoms():
        atom.SetIsotope(0)
    Chem.RemoveStereochemistry(m)
    m = Chem.MolFromSmiles(Chem.MolToSmiles(Chem.RemoveHs(m)))
    return None if m is None else Chem.MolToSmiles(m)


def written(m):
    return flat(Chem.MolToSmiles(m)) if m is not None else None


def parents(text):
    """the parent by each tool, None where one fails"""
    made = {}
    for tool, make in (
        ("RDKit", rdMolStandardize.ChargeParent),
        ("ChEMBL", lambda m: chembl.get_parent_mol(chembl.standardize_mol(m))[0]),
        ("MolVS", Standardizer().charge_parent),
    ):
        try:
            made[tool] = written(make(Chem.MolFromSmiles(text)))
        except Exception:  # a tool that cannot read what it made
            made[tool] = None
    return text, made


def baca(command, texts):
    """what baca makes of texts: parent and set_aside"""
    lines = subprocess.run([command, "featurize", "--parent", "--format", "smi", "-"], input="\n".join(texts) + "\n", capture_output=True, text=True, check=False).stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    if len(rows) != len(texts):
        sys.exit(f"{len(rows)} rows of {len(texts)} molecules")
    return {t: (flat(r["parent"]), r["set_aside"]) if "parent" in r else (None, "") for t, r in zip(texts, rows)}


def molvs_pairs(folder):
    """input and expected SMILES of MolVS's tests, by file"""
    for name in ("charge", "fragment", "metal", "normalize", "standardize"):
        with open(os.path.join(folder, f"test_{name}.py")) as file:
            for node in ast.walk(ast.parse(file.read())):
                if not isinstance(node, ast.Assert) or not isinstance(node.test, ast.Compare) or not isinstance(node.test.left, ast.Call):
                    continue
                first, second = node.test.left.args[:1], node.test.comparators[0]
                if first and isinstance(first[0], ast.Constant) and isinstance(second, ast.Constant) and isinstance(second.value, str) and second.value:
                    yield name, first[0].value, second.value


def records(data, limit):
    """records of the data with a dot, a charge or a metal, flat, each once; of more than limit a random sample, and how many there are"""
    found = set()
    for path in sorted(glob.glob(f"{data}/mol/*.csv.gz") + glob.glob(f"{data}/external/*.csv.gz")):
        with gzip.open(path, "rt") as file:
            for row in csv.DictReader(file):
                text = row.get("raw") or row["smiles"]
                if "." in text or CHARGE.search(text) or SYMBOLS.search(text):
                    found.add(text)
    drawn = sorted(found)
    if limit and limit < len(drawn):
        drawn = random.Random(49).sample(drawn, limit)
    return sorted({flat(text) for text in drawn} - {None}), len(found)


def counts(text):
    return collections.Counter(atom.GetAtomicNum() for atom in Chem.MolFromSmiles(text).GetAtoms())


def charge(text):
    return Chem.GetFormalCharge(Chem.MolFromSmiles(text))


# Classes of differences, the first that fits, and who is right.
CLASSES = (
    ("not made", lambda ours, theirs, again, aside: theirs is None, "The tool cannot read its own result, or the record; BaCa has a parent."),
    ("another component", lambda ours, theirs, again, aside: "." not in theirs and counts(ours) != counts(theirs) and "." not in ours and not metal(ours, theirs),
     "BaCa: its list of counter-ions and solvents is the longest, and where it does not decide the most heavy atoms do; RDKit and MolVS count hydrogens, "
     "so a large amine beats a drug. ChEMBL keeps a mixture without listed parts whole, which is right for a registry and no input of a model."),
    ("components left", lambda ours, theirs, again, aside: "." in theirs and "." not in ours,
     "As chosen: ChEMBL keeps all components that no list names, BaCa one, and says in `set_aside` that another was not scored."),
    ("salt of a heavy metal left whole", lambda ours, theirs, again, aside: "." in ours,
     "BaCa: of iron sulfate the acid alone would be another compound."),
    ("bond of a metal", lambda ours, theirs, again, aside: counts(ours) != counts(theirs),
     "BaCa where the compound is a complex or organometallic, which the others take apart (Hg, Sn, Al and d-block metals); equal for alkali metals."),
    ("tautomer", lambda ours, theirs, again, aside: "tautomer" in aside and ours == again,
     "Both: BaCa moves hydrogens of azoles and amidines to one place, the others, as used here, leave tautomers."),
    ("drawing", lambda ours, theirs, again, aside: ours == again and charge(ours) == charge(theirs),
     "The same compound for BaCa: sulfoxides and phosphine oxides, which RDKit and MolVS draw with charges, imidic acids, enols, cations spread over several "
     "atoms, which only BaCa draws at one. Either is right as long as one is kept."),
    ("protons", lambda ours, theirs, again, aside: ours == again,
     "BaCa for salts: it gives every acid and base its neutral form, beside a permanent cation too; a zwitterion by nature stays, at net charge 0. The others leave an anion "
     "or cation where the record has no partner, so that a salt and its free form differ."),
    ("compound", lambda ours, theirs, again, aside: True,
     "BaCa where it makes an aromatic tautomer of a zwitterion and the others put the hydrogen on carbon. Carbanions that no group makes acidic, of generated "
     "molecules, BaCa keeps as drawn, as it does reagents; with a hydrogen they are other compounds, so neither is more right."),
)


def metal(*texts):
    return any(z in METALS for text in texts for z in counts(text))


def share(n, of):
    return f"{n} ({100 * n / max(of, 1):.1f} %)"


def pairs_table(out, title, pairs, command):
    texts = sorted({flat(t) for _, a, b in pairs for t in (a, b) if flat(t)})
    ours = baca(command, texts)
    theirs = dict(map(parents, texts))
    kinds = collections.OrderedDict()
    for kind, a, b in pairs:
        row = kinds.setdefault(kind, collections.Counter())
        row["pairs"] += 1
        x, y = flat(a), flat(b)
        made = {"BaCa": lambda t: ours.get(t, (None,))[0], **{tool: lambda t, tool=tool: theirs.get(t, {}).get(tool) for tool in TOOLS}}
        for tool, parent in made.items():
            row[tool] += parent(x) is not None and parent(x) == parent(y)
    out.append(f"| {title} | pairs | BaCa | RDKit | ChEMBL | MolVS |\n|---|---|---|---|---|---|")
    total = collections.Counter()
    for kind, row in kinds.items():
        total.update(row)
        out.append(f"| {kind} | {row['pairs']} | {row['BaCa']} | {row['RDKit']} | {row['ChEMBL']} | {row['MolVS']} |")
    out.append(f"| **all** | {total['pairs']} | {total['BaCa']} | {total['RDKit']} | {total['ChEMBL']} | {total['MolVS']} |\n")


def main(data, tests, pairs, command, versions, limit="0"):
    texts, available = records(data, int(limit))
    with multiprocessing.Pool() as pool:
        theirs = dict(pool.imap_unordered(parents, texts, 64))
    ours = baca(command, texts)
    results = sorted({p for made in theirs.values() for p in made.values() if p} | {o for o, _ in ours.values() if o})
    again = baca(command, results)
    out = [
        "# Parents beside other standardisers\n",
        f"BaCa's parents beside RDKit's `ChargeParent`, ChEMBL's `standardize_mol` with `get_parent_mol`, and MolVS's `charge_parent` ({versions}), in one run. "
        "All read molecules without stereo marks and isotopes, which BaCa sets aside.\n",
        "## Two drawings of one compound\n",
        "How many pairs have one parent: pairs of drawings, or of a compound and its salt or solvate, by kind, and MolVS's own tests (input and expected result).\n",
    ]
    with open(pairs) as file:
        pairs_table(out, "our cases", [line.strip().split("|") for line in file if line.strip()], command)
    pairs_table(out, "MolVS's tests", list(molvs_pairs(tests)), command)
    out += ["## Every record with a dot, a charge or a metal\n", f"{len(texts)} molecules, each once, {f'drawn at random from' if int(limit) else 'of'} {available} texts. Equal parents of two tools:\n", "| | RDKit | ChEMBL | MolVS |\n|---|---|---|---|"]
    made = {"BaCa": {t: o for t, (o, _) in ours.items()}, **{tool: {t: theirs[t][tool] for t in texts} for tool in TOOLS}}
    for tool in ("BaCa", "RDKit", "ChEMBL"):
        cells = [share(sum(made[tool][t] == made[o][t] for t in texts), len(texts)) if TOOLS.index(o) > (TOOLS.index(tool) if tool in TOOLS else -1) else "" for o in TOOLS]
        out.append(f"| {tool} | " + " | ".join(cells) + " |")
    out += ["\nWhere BaCa's parent differs, by the first class that fits:\n", "| class | RDKit | ChEMBL | MolVS | example: record, BaCa, other |\n|---|---|---|---|---|"]
    differ, examples = collections.Counter(), {}
    for t in texts:
        mine, aside = ours[t]
        if mine is None:
            differ["refused", "BaCa"] += 1
            continue
        for tool in TOOLS:
            p = theirs[t][tool]
            if p == mine:
                continue
            for name, fits, _ in CLASSES:
                if fits(mine, p, again[p][0] if p else None, aside):
                    break
            differ[name, tool] += 1
            shown = examples.setdefault(name, [])
            shown.append((len(t), t, mine, p, tool))
    for name, _, _ in CLASSES:
        if name in examples:
            _, t, mine, p, tool = min(examples[name])
            out.append(f"| {name} | " + " | ".join(str(differ[name, tool]) for tool in TOOLS) + f" | `{t}`: `{mine}`, {tool} " + (f"`{p}`" if p else "nothing") + " |")
    out.append("\nWho is right:\n")
    out += [f"- **{name}**: {right}" for name, _, right in CLASSES if name in examples]
    unstable = sum(1 for t in texts if ours[t][0] and again[ours[t][0]][0] != ours[t][0])
    out.append(f"\nBaCa refuses {differ['refused', 'BaCa']} of the records, and {unstable} parents have another parent.\n")
    out.append(f"```sh\nmake build\nbuild/results/parents/compare.sh ../shared/data{' ' + limit if int(limit) else ''}\n```\n")
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "report.md"), "w") as file:
        file.write("\n".join(out))


if __name__ == "__main__":
    main(*sys.argv[1:])
