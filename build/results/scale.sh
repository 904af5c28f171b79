#!/bin/sh
# Measures time and memory of bin/baca and bin/baca-beam on one core, for scale.md:
# scale.sh SCALE-MIX.csv.gz [ROWS...]. Needs GNU time and, for 10⁷ rows, 4 GB in out/scale.
set -eu
from=$1
shift
[ $# -gt 0 ] || set -- 100000 1000000 10000000

# measure NAME COMMAND... runs a command.
measure() {
	what=$1
	shift
	/usr/bin/time -f "$rows rows, $what: %U s user, %S s system, %M KiB at the peak" taskset -c 0 "$@"
}

# same compares the rows of shards with those of the plain command.
same() {
	awk 'FNR > 1 || NR == 1' "$dir/$1"/scores-*.csv | cmp - "$dir/plain.csv"
	rm -r "${dir:?}/$1"
}

for rows in "$@"; do
	dir=out/scale/$rows
	rm -rf "$dir"
	mkdir -p "$dir"
	# The records again and again with new ids in the first column, or evenly some of them, in 16 files.
	gzip -dc "$from" | awk -v rows="$rows" -v dir="$dir" '
		NR == 1 { head = $0; next }
		{ sub(/^[^,]*,/, ""); line[n++] = $0 }
		END {
			for (f = 0; f < 16; f++) {
				to = sprintf("gzip -1 > %s/library-%02d.csv.gz", dir, f)
				print head | to
				for (i = int(f * rows / 16); i < int((f + 1) * rows / 16); i++)
					print "m" i + 1 "," line[rows < n ? int(i * n / rows) : i % n] | to
				close(to)
			}
		}'
	measure "baca score" bin/baca score --out "$dir/plain.csv" "$dir"/library-*.csv.gz
	measure "16 × baca score" sh -ec 'mkdir "$1"
		for part in "$1"/../library-*.csv.gz; do bin/baca score --out "$1/scores-$(basename "$part" .gz)" "$part"; done' - "$dir/parts"
	same parts
	measure baca-beam bin/baca-beam --out "$dir/beam" --shards 16 "$dir"/library-*.csv.gz
	same beam
	rm -r "$dir"
done
