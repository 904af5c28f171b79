#!/bin/sh
# Measures time and memory of bin/baca-beam on 2 cores, for scale.md:
# scale.sh SCALE-MIX.csv.gz [ROWS...]. Needs GNU time and some GB in out/scale.
set -eu
from=$1
shift
[ $# -gt 0 ] || set -- 10000 100000 1000000 5000000
mkdir -p out/scale
for rows in "$@"; do
	library=out/scale/$rows.csv.gz
	# The records again and again with new ids in the first column, or evenly some of them.
	gzip -dc "$from" | awk -v rows="$rows" 'NR == 1 { print; next } { sub(/^[^,]*,/, ""); line[n++] = $0 }
		END { for (i = 0; i < rows; i++) print "m" i + 1 "," line[rows < n ? int(i * n / rows) : i % n] }' | gzip -1 > "$library"
	rm -rf "out/scale/$rows"
	/usr/bin/time -f "$rows rows: %e s, %U s user, %S s system, %M KiB at the peak" \
		taskset -c 0,1 bin/baca-beam --out "out/scale/$rows" --shards 16 "$library"
	du -sk "out/scale/$rows"
done
