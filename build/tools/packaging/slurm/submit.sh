#!/bin/sh
# Scores a library on a Slurm cluster: submit.sh SHARDS FOLDER INPUT...
#
# FOLDER and the inputs are on a disk that all nodes see. After a failure, give the
# same command again: what is finished is not done again. BACA names the program if
# it is not in the PATH of the nodes.
set -eu
if [ $# -lt 3 ]; then
	echo "usage: $0 SHARDS FOLDER INPUT..." >&2
	exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
shards=$1
folder=$2
shift 2
array=0-$((shards - 1))
score=$(sbatch --parsable --array="$array" "$here/shard.sbatch" "$folder" "$@")
# This one names the shards that failed, if some did.
sbatch --parsable --dependency="afterany:$score" "$here/merge.sbatch" "$folder"
