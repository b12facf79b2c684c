#!/usr/bin/env bash
# Measures speed and memory, as ratios within one run; writes docs/PERFORMANCE.md.
#   scripts/bench.sh             on an otherwise idle machine
#   scripts/bench.sh --quick     fewer sleeves and repetitions, to the terminal
#   -o FILE                      write there instead
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

args=()
out=$ROOT/docs/PERFORMANCE.md
given="scripts/bench.sh${*:+ $*}"
while [ $# -gt 0 ]; do
  case $1 in
    --quick)
      out=
      args+=(-quick)
      ;;
    -o)
      [ $# -ge 2 ] || die "-o needs a file"
      out=$2
      shift
      ;;
    -h | --help)
      sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"
      exit 0
      ;;
    *) die "unknown argument $1 (see scripts/bench.sh --help)" ;;
  esac
  shift
done
[ -z "$out" ] || args+=(-o "$(realpath -m "$out")")

"$ROOT/scripts/setup.sh"
find_go
cd "$ROOT"
step "Building"
"$ROOT/scripts/build.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -buildvcs=false -o "$work/" ./scripts/internal/bench
commit=$(git describe --tags --always --dirty 2>/dev/null || echo unknown)
step "Speed"
"$work/bench" -commit "$commit" -command "$given" -fairdeck "$ROOT/bin/fairdeck" "${args[@]}"
[ -z "$out" ] || say "written: $out"
