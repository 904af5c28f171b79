#!/bin/sh
# Scores a library on a Kubernetes cluster: shards.yaml, followed by merge.yaml. After a
# failure, start it again: what is finished is not done again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# finish JOB applies JOB.yaml and waits until it is complete, or has failed.
finish() {
	kubectl delete --ignore-not-found job "baca-$1"
	kubectl apply -f "$here/$1.yaml"
	until kubectl wait --for=condition=Complete --timeout=10s "job/baca-$1" 2>/dev/null; do
		if kubectl wait --for=condition=Failed --timeout=1s "job/baca-$1" 2>/dev/null; then
			kubectl logs "job/baca-$1" --tail=20 >&2 || true
			return 1
		fi
	done
}
finish shards
finish merge
