#!/bin/sh
# The parts of a library, part-00.smi and so on, by GNU parallel, four at a time. What
# was killed goes on when the same is started again.
set -eu
exec parallel --jobs 4 "${BACA:-baca}" score --workers 1 --resume --out {.}.csv {} ::: part-*.smi
