"""Writes what RDKit says about molfiles, for TestMolfiles.

    python3 molblocks.py blocks OUT.jsonl.gz < blocks.sdf

reads molfiles that are separated by lines $$$$ (each is passed on to RDKit up to that
line) and writes one JSON object a line; cases.jsonl.gz is that of cases.sdf: row, m (the molfile), and x, e
and g of reference.py.

    python3 molblocks.py make OUT.jsonl.gz COUNT SEED LENGTH SET.csv.gz …

makes such molfiles out of COUNT SMILES of at most LENGTH characters, drawn by SEED
from the column smiles of the sets: V2000 and V3000, in two and three dimensions, as
Kekulé form or aromatic, with hydrogens or without, some redrawn with other wedges,
queries and properties, and some damaged. molfiles.jsonl.gz was made with

    python3 molblocks.py make molfiles.jsonl.gz 700 1 40 \\
        ../../../../../shared/data/mol/{bbbp,clintox,esol,freesolv,bace,sider}.csv.gz

and 48 of them taken out then: those with queries, zero-order and hydrogen bonds, residues, substance groups and
broken fields that the Go code reads in another way on purpose, see AGREEMENT.md.

The output of either is compared by

    MOLECULE_BLOCKS=FOLDER go test -tags rdkit -run TestMolfileReferences ./algo/molecule/molfile

RDKit 2022.09 is what the Go code follows; Debian 12 has it as python3-rdkit.
"""

import csv
import gzip
import json
import os
import random
import sys

from rdkit import Chem, RDLogger
from rdkit.Chem import AllChem

sys.path.append(os.path.join(os.path.dirname(__file__), "../../smiles/testdata"))
from reference import reference

RDLogger.DisableLog("rdApp.*")


def make(smiles, rng):
    """Returns a molfile of a molecule, or None where RDKit cannot make one."""
    mol = Chem.MolFromSmiles(smiles)
    if mol is None or mol.GetNumAtoms() == 0:
        return None
    if rng.random() < 0.1:  # other charges, radicals and isotopes
        atom = rng.choice(list(mol.GetAtoms()))
        what = rng.randrange(3)
        if what == 0:
            atom.SetFormalCharge(rng.randint(-2, 2))
        elif what == 1:
            atom.SetNumRadicalElectrons(rng.randint(1, 3))
            atom.SetNoImplicit(rng.random() < 0.5)
        else:
            atom.SetIsotope(rng.randint(1, 40))
    try:
        mol.UpdatePropertyCache(False)
        hydrogens = rng.random() < 0.5
        if rng.random() < 0.3:
            hydrogens = True
            mol = Chem.AddHs(mol)
            if AllChem.EmbedMolecule(mol, randomSeed=rng.randrange(1 << 30), maxAttempts=5) < 0:
                AllChem.Compute2DCoords(mol)
            elif rng.random() < 0.3:
                mol = Chem.RemoveHs(mol)
        else:
            if hydrogens:
                mol = Chem.AddHs(mol)
            AllChem.Compute2DCoords(mol)
        if rng.random() < 0.3:  # other orders of atoms
            order = list(range(mol.GetNumAtoms()))
            rng.shuffle(order)
            mol = Chem.RenumberAtoms(mol, order)
        block = Chem.MolToMolBlock(mol, kekulize=rng.random() < 0.7, forceV3000=rng.random() < 0.4)
    except Exception:
        return None
    damage = rng.random()
    if damage < 0.1:
        block = block.replace("\n", "\r\n")
    elif damage < 0.3:
        block = damaged(block, rng)
    elif damage < 0.6:
        block = redrawn(block, rng)
    return block


SYMBOLS = "A AH Q QH X XH M MH * L LP R R# R1 R7 D T Pol Mod Br CL Fe Pt P S".split()


def redrawn(block, rng):
    """Returns a molfile with other wedges, coordinates, queries and properties."""
    lines = block.split("\n")
    v3000 = "V3000" in lines[3]
    if rng.random() < 0.3:
        lines[1] = lines[1][:20] + rng.choice(["2D", "3D"]) + lines[1][22:]
    wedges, places, symbols = (rng.choice([0, 0.1, 0.5]) for _ in range(3))
    symbols *= 0.2
    atoms = bonds = 0
    for k, line in enumerate(lines):
        words = line.split()
        if v3000 and len(words) >= 8 and "." in line and line.startswith("M  V30 "):
            atoms += 1
            if rng.random() < places:
                words[4:7] = ["%.4f" % (float(w) + rng.choice([-1, 0, 1, rng.gauss(0, 1)])) for w in words[4:7]]
                if rng.random() < 0.9:
                    words[6] = "0"
            if rng.random() < symbols:
                words[3] = rng.choice(SYMBOLS + ["[C,N]", '"NOT [Cl,Br]"'])
            if rng.random() < symbols:
                words.append(
                    rng.choice("CHG=1 CHG=-1 RAD=1 RAD=2 RAD=3 MASS=13 MASS=2.5 CFG=1 HCOUNT=2 HCOUNT=-1 UNSAT=1 RBCNT=2".split()
                               + "VAL=-1 VAL=3 VAL=4 RGROUPS=(1_2) STBOX=1 SUBST=2 ATTCHPT=1 CLASS=AA".split())
                )
            lines[k] = " ".join(words).replace("(1_2)", "(1 2)").replace("M V30", "M  V30")
        elif v3000 and line.startswith("M  V30 ") and len(words) >= 6 and all(w.lstrip("-").isdigit() for w in words[2:6]):
            bonds += 1
            if rng.random() < wedges:
                line += " CFG=%d" % rng.choice([1, 1, 3, 3, 2, 0])
            if rng.random() < symbols:
                words = line.split()
                words[3] = rng.choice("0 1 2 3 4 5 6 7 8 9 10".split())
                line = "M  V30 " + " ".join(words[2:])
            if rng.random() < symbols / 3:
                line += rng.choice([" TOPO=1", " TOPO=2", " RXCTR=4"])
            lines[k] = line
        elif not v3000 and k > 3 and len(line) > 60 and line[25] == ".":
            atoms += 1
            if rng.random() < places:
                at = [float(line[i : i + 10]) + rng.choice([-1, 0, 1, rng.gauss(0, 1)]) for i in (0, 10, 20)]
                if rng.random() < 0.9:
                    at[2] = 0
                line = "%10.4f%10.4f%10.4f" % tuple(at) + line[30:]
            if rng.random() < symbols:
                line = line[:31] + rng.choice(SYMBOLS).ljust(3) + line[34:]
            if rng.random() < symbols:
                line = line[:34] + rng.choice([" 1", " 0", "-1"]) + "  " + rng.choice("0012357") + line[39:]
            if rng.random() < symbols:
                line = line[:42] + "  " + rng.choice("0123") + line[45:]
            if rng.random() < symbols:
                line = line[:48] + rng.choice(["  0", " 15", "  2", "  3", "  4", "  5"]) + line[51:]
            lines[k] = line
        elif not v3000 and k > 3 and 12 <= len(line) <= 21 and line[0] != "M":
            bonds += 1
            if rng.random() < wedges:
                line = line[:9] + "  " + rng.choice("11166634420") + line[12:]
            if rng.random() < symbols:
                line = line[:6] + "  " + rng.choice("012345678") + line[9:]
            if rng.random() < symbols / 3:
                line = line.ljust(12)[:12] + "  0  " + rng.choice("12") + "  0"
            lines[k] = line
    if not v3000 and atoms and bonds:
        a = lambda: rng.randint(1, atoms)
        for _ in range(rng.choice([0, 0, 1, 2])):
            i, j, b = a(), a(), rng.randint(1, bonds)
            new = rng.choice(
                [
                    "M  CHG  2%4d%4d%4d%4d" % (i, rng.randint(-2, 2), j, rng.randint(-2, 2)),
                    "M  RAD  1%4d%4d" % (i, rng.randint(1, 3)),
                    "M  ISO  1%4d%4d" % (i, rng.randint(0, 40)),
                    "M  RGP  1%4d%4d" % (i, rng.randint(0, 5)),
                    "M  ALS %3d  2 %s C   N   " % (i, rng.choice("TF")),
                    "M  SUB  1%4d%4d" % (i, rng.randint(-2, 6)),
                    "M  UNS  1%4d%4d" % (i, rng.randint(0, 1)),
                    "M  RBC  1%4d%4d" % (i, rng.randint(-2, 4)),
                    "M  ZBO  1%4d%4d" % (b, rng.randint(0, 3)),
                    "M  ZCH  1%4d%4d" % (i, rng.randint(-1, 1)),
                    "M  HYD  1%4d%4d" % (i, rng.randint(0, 4)),
                    "M  APO  1%4d%4d" % (i, rng.randint(0, 3)),
                    "A  %3d\nalias" % i,
                    "V  %3d value" % i,
                    "G  %3d%3d\nMe" % (i, j),
                    "S  SKP  1\nM  CHG  1%4d   1" % i,
                    "M  STY  1   1 DAT\nM  SAL   1  1%4d\nM  SDT   1 MRV_IMPLICIT_H\nM  SDD   1     0.0000    0.0000    DA    ALL  1       6\nM  SED   1 IMPL_H1" % i,
                    "M  STY  1   1 DAT\nM  SAL   1  1%4d\nM  SDT   1 MRV_COORDINATE_BOND_TYPE\nM  SED   1 %d" % (i, b),
                    "M  STY  1   1 SRU\nM  SAL   1  2%4d%4d\nM  SBL   1  1%4d\nM  SMT   1 n" % (i, j, b),
                    "M  STY  1   1 SUP\nM  SAL   1  1%4d\nM  SAP   1  1%4d%4d  1\nM  SMT   1 X" % (i, i, j),
                    "%3d F    2   6   7" % i,
                ]
            )
            lines.insert(len(lines) - 2 if lines[-1] == "" else len(lines) - 1, new)
    return "\n".join(lines)


def damaged(block, rng):
    """Returns a molfile with something changed that programs or people change."""
    lines = block.split("\n")
    for _ in range(rng.randint(1, 3)):
        k = rng.randrange(len(lines))
        if rng.random() < 0.3:
            k = min(3, len(lines) - 1)
        line = lines[k]
        what = rng.randrange(13)
        if what == 0 and line:  # a character
            i = rng.randrange(len(line))
            line = line[:i] + rng.choice("0123456789 -+.CNOHcn*RQ()=\t") + line[i + 1 :]
        elif what == 1 and line:
            i = rng.randrange(len(line))
            line = line[:i] + line[i + 1 :]
        elif what == 2:
            i = rng.randrange(len(line) + 1)
            line = line[:i] + rng.choice(" 0C\t") + line[i:]
        elif what == 3:
            line = line[: rng.randrange(len(line) + 1)]
        elif what == 4:
            line = line.rstrip()
        elif what == 5:
            line = line + " " * rng.randrange(1, 30)
        elif what == 6:
            line = line.lower()
        elif what == 7:
            line = line.replace(" ", "\t")
        elif what == 8:
            del lines[k]
            continue
        elif what == 9:
            lines.insert(k, line)
            continue
        elif what == 10:
            lines = [s for s in lines if not s.startswith("M  END")]
            continue
        elif what == 11:
            lines = lines[:k]
            if not lines:
                return ""
            continue
        elif what == 12 and len(line) > 40:
            line = line[:34] + "".join(
                rng.choice([line[i : i + 3], "  1", "  2", "  0", "   ", " 15"]) if rng.random() < 0.2 else line[i : i + 3]
                for i in range(34, len(line), 3)
            )
        if k < len(lines):
            lines[k] = line
    return "\n".join(lines)


def blocks(text):
    for record in text.split("$$$$\n"):
        if record.strip():
            yield record


if __name__ == "__main__":
    if sys.argv[1] == "blocks":
        made = blocks(sys.stdin.buffer.read().decode("latin-1"))
    else:
        count, seed, length = map(int, sys.argv[3:6])
        smiles = []
        for name in sys.argv[6:]:
            with gzip.open(name, "rt") as rows:
                smiles += [row["smiles"].strip() for row in csv.DictReader(rows)]
        smiles = [s for s in smiles if len(s) <= length]
        rng = random.Random(seed)
        made = (make(s, rng) for s in rng.sample(smiles, min(len(smiles), count)))
    with gzip.open(sys.argv[2], "wt", compresslevel=9) as out:
        for row, block in enumerate(made):
            if not block:
                continue
            found = reference(Chem.MolFromMolBlock, block)
            out.write(json.dumps({"row": row, "m": block, **found}, separators=(",", ":")) + "\n")
