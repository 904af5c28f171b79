#!/bin/sh
# Times bin/baca-gpu on its first GPU and on the processor, and prints a page of the result:
#
#     build/gpu/measure.sh MOLECULES >build/results/gpu.md
#
# MOLECULES is a file that baca reads, best one of 100 000 and more. Scores must agree, or it fails.
set -eu
cd "$(dirname "$0")/../.."
molecules=$1
baca=${BACA:-bin/baca-gpu}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# seconds COMMAND… runs it and prints how long that took.
seconds() {
	begin=$(date +%s.%N)
	"$@" 2>>"$folder/log" || { tail -n 3 "$folder/log" >&2; exit 1; }
	echo "$(date +%s.%N) $begin" | awk '{printf "%.2f", $1 - $2}'
}

row() {
	name=$1
	rm -f "$folder/cpu" "$folder/gpu"
	shift
	slow=$(seconds "$@" --device cpu --out "$folder/cpu")
	fast=$(seconds "$@" --device gpu:0 --out "$folder/gpu")
	echo "$slow $fast" | awk -v name="$name" '{printf "| %s | %s s | %s s | %.2f |\n", name, $1, $2, $1 / $2}'
}

# apart prints the largest difference of the first score of two tables, and how many verdicts differ.
apart() {
	paste -d '\n' "$folder/cpu" "$folder/gpu" | awk -F, '
		NR == 1 { for (k = 1; k <= NF; k++) { if ($k == "score") score = k; if ($k == "verdict") verdict = k } }
		NR > 2 && NR % 2 { was = $score; said = $verdict }
		NR > 2 && NR % 2 == 0 { d = was - $score; if (d < 0) d = -d; if (d > most) most = d; if (said != $verdict) other++ }
		END { if (!score || NR < 4) exit 1; printf "The scores differ by at most %.3g, %d verdicts of %d.", most, other, NR / 2 - 1 }'
}

echo "# The command with a GPU"
echo
"$baca" version | sed -n 's/^gpu:0	/On /p'
echo
echo "| what | processor | GPU | ratio |"
echo "|---|---|---|---|"
row "score, each molecule by itself" "$baca" score --format auto "$molecules"
apart >"$folder/apart"
row "score, as a list" "$baca" score --by batch "$molecules"
row "train for the paper's method, 2 epochs" "$baca" train "$molecules" --epochs 2 --name measured
echo
cat "$folder/apart"
echo
echo
echo "\`build/gpu/measure.sh MOLECULES\`"
