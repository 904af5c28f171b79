#!/bin/sh
# Names the place where the project is published, github.com/OWNER/baca: as the module's path, in all imports, and as the
# address of the source in CITATION.cff, package.json, the wheel and the container. Once, before the first release:
#
#   build/tools/packaging/owner.sh OWNER
#   git diff && make lint
#
# A release of version 0.1.0 has the tag v0.1.0, and for its nested modules build/beam/v0.1.0, build/gpu/v0.1.0 and build/research/v0.1.0,
# which require the former: strangers' modules ignore their replace.
set -eu
case "${1-}" in '' | *[!A-Za-z0-9-]*)
	echo "usage: owner.sh OWNER: want a name of letters, digits and dashes" >&2
	exit 2 ;;
esac
cd "$(git rev-parse --show-toplevel)"
export MODULE="github.com/$1/baca"
git grep -lIzP '(?<![\w./-])baca/((algo|app|build|wasm|web|weights)\b|\.\.\.|"\))' -- ':!*/owner.sh' |
	xargs -0 perl -pi -e 's{(?<![\w./-])baca/(?=(algo|app|build|wasm|web|weights)\b|\.\.\.|"\))}{$ENV{MODULE}/}g'
git ls-files -z '*go.mod' | xargs -0 perl -pi -e 's{^(module |replace |require |\t)baca(?=\s|$)}{$1$ENV{MODULE}}'
VERSION=$(sed -n 's/^const Version = "\(.*\)"$/\1/p' algo/model/model.go)
export VERSION
git ls-files -z '*go.mod' | xargs -0 perl -pi -e 's{^(require |\t)(\Q$ENV{MODULE}\E) v0\.0\.0$}{$1$2 v$ENV{VERSION}}'
git ls-files -z '*.go' | xargs -0 gofmt -w
perl -pi -e 's{^(license: MIT)$}{$1\nrepository-code: https://$ENV{MODULE}}' CITATION.cff
perl -pi -e 's{^(  "license": .*)$}{$1\n  "repository": {"type": "git", "url": "git+https://$ENV{MODULE}.git"},}' build/npm/package/package.json
perl -pi -e 's{^(Requires-Python: .*)$}{$1\nProject-URL: Source, https://$ENV{MODULE}}' build/python/wheel/main.go
perl -pi -e 's{^ARG SOURCE$}{ARG SOURCE=https://$ENV{MODULE}}' build/tools/packaging/Dockerfile
