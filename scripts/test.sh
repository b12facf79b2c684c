#!/usr/bin/env bash
# Runs every test: format, vet, Go tests (with the leak count of OpenCV's
# Mats), a shell lint where shellcheck is installed, and the browser tests.
#   scripts/test.sh [go test arguments]     e.g. scripts/test.sh -run TestFind ./vision/card
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
"$ROOT/scripts/setup.sh" --test
find_go
cd "$ROOT"

if [ $# -gt 0 ]; then
  exec go test -buildvcs=false -tags "$TEST_TAGS" "$@"
fi

step "Format and vet"
unformatted=$(git ls-files '*.go' 2>/dev/null | xargs -r gofmt -l)
[ -z "$unformatted" ] || die "gofmt would change: $unformatted"
go vet -buildvcs=false -tags "$TEST_TAGS" ./...
if have shellcheck; then
  shellcheck -x scripts/*.sh .ci/run
fi

step "Go tests"
go test -buildvcs=false -tags "$TEST_TAGS" -timeout 20m ./...

step "Browser tests"
"$ROOT/scripts/build.sh"
"$ROOT/scripts/e2e.sh"
