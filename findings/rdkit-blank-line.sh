#!/bin/sh
# RDKit, data items of SDF that end in a line of one blank.
#
# Guess: "A blank line ends a data item" (CTfile Formats, the SDfile) holds for a line of blanks, too, or
# such a line belongs to the value; in any case $$$$ ends the record.
# Version: RDKit 2025.9.1 (PyPI rdkit==2025.9.1).
# Behaviour: a line of a blank ends nothing. The item swallows the name of the next item, $$$$ and
# the first lines of the next molecule, which is lost: of two molecules one is given, and only the log says
# that something went wrong. Issue 4139 of rdkit/rdkit is about the line; the lost molecule is the surprise.
# Output seen: 1 [{'A': '1\n \n> <B>\nfree text\n \n$$$$\nsecond\n  test'}]
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" -q install rdkit==2025.9.1
"$folder/venv/bin/python" - <<'PYTHON'
from io import BytesIO
from rdkit import Chem, RDLogger

RDLogger.DisableLog("rdApp.*")
block = """{name}
  test

  2  1  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0
    1.0000    0.0000    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0
  1  2  1  0
M  END
> <A>
{value}
 
> <B>
free text
 
$$$$
"""
text = block.format(name="first", value=1) + block.format(name="second", value=2)
given = [m.GetPropsAsDict() for m in Chem.ForwardSDMolSupplier(BytesIO(text.encode())) if m]
print(len(given), given)
clean = [m for m in Chem.ForwardSDMolSupplier(BytesIO(text.replace("\n \n", "\n\n").encode())) if m]
assert len(clean) == 2, "without the blanks two molecules are expected"
assert len(given) == 1 and "$$$$" in given[0]["A"] and "second" in given[0]["A"], "the behaviour has changed"
PYTHON
