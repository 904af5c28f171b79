"""Compares parents of BaCa with those of RDKit's standardiser, ChEMBL's structure pipeline and MolVS.

compare.sh calls this with DATA, a working folder, the pairs, the command baca-paper, the versions, and how many records to draw at random, 0 for
all. It writes report.md beside it. The working folder keeps what the others made.
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


def all_parents(texts, path):
    """parents of all texts; the file at path has those of earlier runs"""
    made = {}
    if os.path.exists(path):
        with open(path) as file:
            made = dict(json.loads(line) for line in file if line.endswith("\n"))
    left = [t for t in texts if t not in made]
    with open(path, "a") as file, multiprocessing.Pool() as pool:
        for text, by in pool.imap_unordered(parents, left, 64):
            made[text] = by
            file.write(json.dumps([text, by]) + "\n")
    return made


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
    ("not made", lambda ours, theirs, again, aside: theirs is None, "BaCa: the tool cannot read what it made."),
    ("another component", lambda ours, theirs, again, aside: "." not in theirs and counts(ours) != counts(theirs) and "." not in ours and not metal(ours, theirs),
     "BaCa: it lists more counter-ions, and then heavy atoms decide, where RDKit and MolVS count hydrogens too."),
    ("components left", lambda ours, theirs, again, aside: "." in theirs and "." not in ours,
     "As chosen: ChEMBL keeps what no list names, BaCa one component, and `set_aside` names another."),
    ("salt of a heavy metal left whole", lambda ours, theirs, again, aside: "." in ours, "BaCa: the acid of iron sulfate is another compound."),
    ("bond of a metal", lambda ours, theirs, again, aside: counts(ours) != counts(theirs),
     "BaCa: the others take complexes and organometallics of Hg, Sn, Al and d-block metals apart."),
    ("tautomer", lambda ours, theirs, again, aside: "tautomer" in aside and ours == again, "Both: only BaCa chooses tautomers of azoles and amidines."),
    ("drawing", lambda ours, theirs, again, aside: ours == again and charge(ours) == charge(theirs),
     "Both, if one drawing is kept: of S=O and P=O, imidic acids, enols, and cations spread over atoms."),
    ("protons", lambda ours, theirs, again, aside: ours == again,
     "BaCa: acids and bases are neutral also beside a permanent cation or without their partner, so a salt is its free form."),
    ("compound", lambda ours, theirs, again, aside: True,
     "BaCa where it makes the aromatic tautomer of a zwitterion; neither for carbanions of generated molecules, which BaCa keeps."),
)


def metal(*texts):
    return any(z in METALS for text in texts for z in counts(text))


def share(n, of):
    return f"{n} ({100 * n / max(of, 1):.1f} %)"


def who_joins(pairs, command):
    """of each pair its kind and which tools give it one parent"""
    texts = sorted({flat(t) for _, a, b in pairs for t in (a, b) if flat(t)})
    ours = baca(command, texts)
    theirs = dict(map(parents, texts))
    for kind, a, b in pairs:
        x, y = flat(a), flat(b)
        made = {"BaCa": lambda t: ours.get(t, (None,))[0], **{tool: lambda t, tool=tool: theirs.get(t, {}).get(tool) for tool in TOOLS}}
        yield kind, [tool for tool, parent in made.items() if parent(x) is not None and parent(x) == parent(y)]


def pairs_tables(out, pairs, tests, command):
    joined = collections.defaultdict(list)
    for kind, tools in who_joins(pairs, command):
        joined[", ".join(tools) or "none"].append(kind)
    out.append("| one parent by | pairs | kinds |\n|---|---|---|")
    for tools, kinds in sorted(joined.items(), key=lambda row: -len(row[1])):
        some = list(dict.fromkeys(kinds))
        out.append(f"| {tools} | {len(kinds)} | {'; '.join(some[:12])}{'; …' if len(some) > 12 else ''} |")
    rows = collections.defaultdict(collections.Counter)
    for kind, tools in who_joins(tests, command):
        rows[kind].update(["pairs", *tools])
    out.append("\nMolVS's tests, input and expected result:\n\n| | pairs | BaCa | RDKit | ChEMBL | MolVS |\n|---|---|---|---|---|---|")
    for kind, row in rows.items():
        out.append(f"| {kind} | " + " | ".join(str(row[c]) for c in ("pairs", "BaCa", *TOOLS)) + " |")


def main(data, work, pairs, command, versions, limit="0"):
    texts, available = records(data, int(limit))
    theirs = all_parents(texts, os.path.join(work, "theirs.jsonl"))
    ours = baca(command, texts)
    results = sorted({theirs[t][tool] for t in texts for tool in TOOLS if theirs[t][tool]} | {o for o, _ in ours.values() if o})
    again = baca(command, results)
    out = [
        "# Parents beside other standardisers\n",
        f"BaCa's parents beside RDKit's `ChargeParent`, ChEMBL's `standardize_mol` with `get_parent_mol`, and MolVS's `charge_parent` ({versions}). "
        "All read molecules without stereo marks and isotopes.\n",
        "## Two drawings of one compound, or a compound and its salt\n",
    ]
    with open(pairs) as file:
        pairs_tables(out, [line.strip().split("|") for line in file if line.strip()], list(molvs_pairs(os.path.join(work, "MolVS-0.1.1", "tests"))), command)
    out += ["\n## Every record with a dot, a charge or a metal\n", f"{len(texts)} molecules, each once, {'drawn at random from' if int(limit) else 'of'} {available} texts. Equal parents of two tools:\n", "| | RDKit | ChEMBL | MolVS |\n|---|---|---|---|"]
    made = {"BaCa": {t: o for t, (o, _) in ours.items()}, **{tool: {t: theirs[t][tool] for t in texts} for tool in TOOLS}}
    for tool in ("BaCa", "RDKit", "ChEMBL"):
        cells = [share(sum(made[tool][t] == made[o][t] for t in texts), len(texts)) if TOOLS.index(o) > (TOOLS.index(tool) if tool in TOOLS else -1) else "" for o in TOOLS]
        out.append(f"| {tool} | " + " | ".join(cells) + " |")
    out += ["\nWhere BaCa's parent differs, by the first class that fits:\n", "| class | RDKit | ChEMBL | MolVS | example: record, BaCa, other | who is right |\n|---|---|---|---|---|---|"]
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
    for name, _, right in CLASSES:
        if name in examples:
            _, t, mine, p, tool = min(examples[name])
            shown = f"`{t}`: `{mine}`, {tool} " + (f"`{p}`" if p else "nothing")
            out.append(f"| {name} | " + " | ".join(str(differ[name, tool]) for tool in TOOLS) + f" | {shown} | {right} |")
    unstable = sum(1 for t in texts if ours[t][0] and again[ours[t][0]][0] != ours[t][0])
    out.append(f"\nBaCa refuses {differ['refused', 'BaCa']} of the records, and {unstable} parents have another parent.\n")
    out.append(f"```sh\nmake build\nbuild/results/parents/compare.sh ../shared/data{' ' + limit if int(limit) else ''}\n```\n")
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "report.md"), "w") as file:
        file.write("\n".join(out))


if __name__ == "__main__":
    main(*sys.argv[1:])
