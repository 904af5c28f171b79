#!/bin/sh
# Writes report.md: parents beside those of three other standardisers, on the data in DATA, or on LIMIT records drawn at random.
# What the others make, in half an hour, is kept in the folder WORK if that is set, so that a run can go on.
#
#     [WORK=FOLDER] compare.sh DATA [LIMIT]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
work=${WORK:-$(mktemp -d)}
[ -n "${WORK:-}" ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work"
[ -d "$work/venv" ] || python3 -m venv "$work/venv"
"$work/venv/bin/pip" -q install rdkit==2026.9.1 chembl_structure_pipeline==1.2.4 molvs==0.1.1
"$work/venv/bin/pip" -q download --no-deps --no-binary :all: -d "$work" molvs==0.1.1
tar xzf "$work/MolVS-0.1.1.tar.gz" -C "$work"
"$work/venv/bin/python" "$here/compare.py" "$1" "$work" "$root/algo/molecule/smiles/testdata/pairs.txt" "$root/bin/baca-paper" \
	"RDKit 2026.09.1, ChEMBL structure pipeline 1.2.4, MolVS 0.1.1" "${2:-0}"
