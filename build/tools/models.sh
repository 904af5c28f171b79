#!/usr/bin/env bash
# Trains the models that are built into the program, those of the paper's ten pairs,
# from the public data sets in DATA (tu/NAME and mol/NAME.csv.gz) into the folder OUT:
#
#   build/tools/models.sh DATA [OUT]
#
# The same data make the same bytes, at any number of workers. A run that was stopped
# goes on, and a model that is there is not made again. On two cores it takes about a
# quarter of an hour.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
data=${1:?usage: build/tools/models.sh DATA [OUT]}
out=${2:-$here/../weights/models}
baca=$(mktemp -d)/baca
trap 'rm -rf "$(dirname "$baca")"' EXIT
(cd "$here" && go build -o "$baca" ./baca)

model() { # NAME INPUT EPOCHS DESCRIPTION [FLAG…]
	[ -e "$out/$1.msgpack" ] || "$baca" pretrain --resume --in "$data/$2" --out "$out/$1.msgpack" --name "$1" --epochs "$3" --description "$4" "${@:5}"
}

model bbbp mol/bbbp.csv.gz 400 "1 835 small molecules, mostly medicines, of a collection on blood-brain barrier penetration (BBBP): inside is what is like them." --keep-structures --observed p_np
model clintox mol/clintox.csv.gz 400 "1 329 drugs, approved or failed in clinical trials for toxicity (ClinTox): inside is what is like them." --keep-structures
model esol mol/esol.csv.gz 400 "1 015 small organic molecules with measured solubility in water (ESOL): inside is what is like them." --keep-structures --observed "measured log solubility in mols per litre"
model freesolv mol/freesolv.csv.gz 400 "577 small neutral molecules with measured hydration energy (FreeSolv): inside is what is like them." --keep-structures --observed expt
model tox21 mol/tox21.csv.gz 400 "6 832 environmental compounds and drugs from the Tox21 toxicity assays: inside is what is like them." --keep-structures
model aids tu/AIDS 400 "Bare graphs of 1 800 compounds tested against HIV (AIDS): inside is a skeleton like theirs; atoms and bonds carry no labels."
model bzr tu/BZR 400 "Bare graphs of 364 benzodiazepine receptor ligands (BZR): inside is a skeleton like theirs; atoms and bonds carry no labels."
model ptc_mr tu/PTC_MR 400 "Bare graphs of 309 small organic compounds tested for carcinogenicity in male rats (PTC_MR): inside is a skeleton like theirs; atoms and bonds carry no labels."
model enzymes tu/ENZYMES 150 "Bare graphs of 540 protein structures, the enzymes of BRENDA (ENZYMES): inside is a fold like theirs; nodes are parts of the fold."
model imdb-multi tu/IMDB-MULTI 20 "1 350 collaboration networks around an actor or actress (IMDB-MULTI): inside is a network like these."
