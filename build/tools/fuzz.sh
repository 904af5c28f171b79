#!/bin/sh
# Runs every fuzz target for $FUZZTIME each and fails if one finds something. What it finds is
# kept in the testdata/fuzz of the package, where `go test` runs it again: mend the cause, give
# the file a name that says what it is, and commit both.
set -eu
cd "$(dirname "$0")/../.."
go=${GO:-go}
failed=
for folder in $(grep -rl --include='*_test.go' --exclude-dir=node_modules '^func Fuzz' . | xargs -n 1 dirname | sort -u); do
	targets=$("$go" test -list '^Fuzz' "$folder" | grep '^Fuzz') # or set -e ends this
	for target in $targets; do
		echo "$folder $target"
		"$go" test -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-1m}" -fuzzminimizetime 10s "$folder" || failed="$failed $target"
	done
done
if [ -n "$failed" ]; then
	echo "these found something:$failed" >&2
	exit 1
fi
