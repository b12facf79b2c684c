#!/usr/bin/env bash
# Measures the shuffle scores and writes docs/RANDOMNESS.md. About half an hour on two busy cores; with --quick a tenth of the trials and the
# page goes to standard output.
set -euo pipefail
cd "$(dirname "$0")/.."

shared=${FAIRDECK_FIXTURES:+$(dirname "$FAIRDECK_FIXTURES")}
shared=${shared:-../shared}
commit=$(git rev-parse --short HEAD)
if [ -n "$(git status --porcelain -- randomness internal/shufflestudy scripts)" ]; then
  commit="$commit with uncommitted changes"
fi
cores=$(nproc 2>/dev/null || echo '?')
machine="Machine: $(uname -sm), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -1), $cores cores, $(go env GOVERSION)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
args=(-commit "$commit" -machine "$machine")
if [ -d "$shared" ]; then
  args+=(-shared "$shared")
fi
if [ "${1:-}" = --quick ]; then
  nice -n 10 go run ./internal/shufflestudy/evaluate "${args[@]}" -quick
  exit
fi
scripts/bench-randomness.sh >"$work/bench.txt"
nice -n 10 go run ./internal/shufflestudy/evaluate "${args[@]}" -bench "$work/bench.txt" >"$work/page.md"
mkdir -p docs
mv "$work/page.md" docs/RANDOMNESS.md
echo "wrote docs/RANDOMNESS.md"
