#!/usr/bin/env bash
# Trains the models that are built into the program from the public data sets in DATA
# (tu/NAME and mol/NAME.csv.gz) into the folder OUT: two broad ones, drugs and bioactive, and
# those of the ID sets of the paper's ten pairs:
#
#   build/tools/models.sh DATA [OUT]
#
# The same data make the same bytes, at any number of workers. A run that was stopped
# goes on, and a model that is there is not made again. On two cores it takes about
# twenty minutes.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
data=${1:?usage: build/tools/models.sh DATA [OUT]}
out=${2:-$here/../weights/models}
own=$(mktemp -d)
baca=$own/baca
trap 'rm -rf "$own"' EXIT
(cd "$here" && go build -o "$baca" ./baca)
data=$(realpath "$data")
(cd "$here" && go run ./tools/sets "$data" "$own")

model() { # NAME INPUT EPOCHS DESCRIPTION [FLAG…]
	[ -e "$out/$1.msgpack" ] || "$baca" train --resume "$2" --out "$out/$1.msgpack" --name "$1" --epochs "$3" --description "$4" "${@:5}"
}

open() { # NAME INPUT [FLAG…]: keeps the molecules of a model in it
	"$baca" model show --json "$out/$1.msgpack" | grep -q '"structures": 0,' || return 0
	"$baca" model structures "$out/$1.msgpack" --in "$2" --out "$out/$1.open" "${@:3}"
	mv "$out/$1.open" "$out/$1.msgpack"
}

# Drugs look like the molecules of ChEMBL, so that these are no background for them: both broad
# models have molecules that nobody made as a medicine.
model drugs "$own/drugs.csv" 400 "2 505 approved and investigational drugs (BBBP, ClinTox and SIDER): inside is what looks like a medicine. Left out: 43 records of counter-ions or solvents alone, 82 without organic carbon, 64 by size, 2 radicals." --background "$own/not-medicinal.smi"
open drugs "$own/drugs.csv"
model bioactive "$own/bioactive.smi" 160 "19 001 molecules of ChEMBL: inside is what medicinal chemists could have made and tested. Left out: counter-ions or solvents alone, radicals, compounds without organic carbon, of fewer than 5 or more than 150 heavy atoms." --background "$own/not-medicinal.smi"
open bioactive "$own/bioactive.smi"
model bbbp "$data/mol/bbbp.csv.gz" 400 "1 744 small molecules, mostly medicines, of a collection on blood-brain barrier penetration (BBBP): inside is what is like them."
open bbbp "$data/mol/bbbp.csv.gz" --observed p_np
model clintox "$data/mol/clintox.csv.gz" 400 "1 252 drugs, approved or failed in clinical trials for toxicity (ClinTox): inside is what is like them."
open clintox "$data/mol/clintox.csv.gz"
model esol "$data/mol/esol.csv.gz" 400 "1 003 small organic molecules with measured solubility in water (ESOL): inside is what is like them."
open esol "$data/mol/esol.csv.gz" --observed "measured log solubility in mols per litre"
model freesolv "$data/mol/freesolv.csv.gz" 400 "575 small neutral molecules with measured hydration energy (FreeSolv): inside is what is like them."
open freesolv "$data/mol/freesolv.csv.gz" --observed expt
model tox21 "$data/mol/tox21.csv.gz" 400 "6 508 environmental compounds and drugs from the Tox21 toxicity assays: inside is what is like them."
open tox21 "$data/mol/tox21.csv.gz"
model aids "$data/tu/AIDS" 400 "Bare graphs of 1 800 compounds tested against HIV (AIDS): inside is a skeleton like theirs; atoms and bonds carry no labels."
model bzr "$data/tu/BZR" 400 "Bare graphs of 364 benzodiazepine receptor ligands (BZR): inside is a skeleton like theirs; atoms and bonds carry no labels."
model ptc_mr "$data/tu/PTC_MR" 400 "Bare graphs of 309 small organic compounds tested for carcinogenicity in male rats (PTC_MR): inside is a skeleton like theirs; atoms and bonds carry no labels."
model enzymes "$data/tu/ENZYMES" 150 "Bare graphs of 540 protein structures, the enzymes of BRENDA (ENZYMES): inside is a fold like theirs; nodes are parts of the fold."
model imdb-multi "$data/tu/IMDB-MULTI" 28 "1 350 collaboration networks around an actor or actress (IMDB-MULTI): inside is a network like these."
