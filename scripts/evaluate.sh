#!/usr/bin/env bash
# Measures accuracy on pictures with known truth.
#   scripts/evaluate.sh              all of it, on the seeds kept for this; writes docs/ACCURACY.md
#   scripts/evaluate.sh --quick      a small part on development seeds, to the terminal
#   -o FILE                          write there instead
#   --only SECTION,...               decks whole gallery limits odd clean groups reference finding photos template edges deals faces
# What concerns faces is written to ACCURACY-faces.md beside it.
# The rendered decks and photographs lie in $FAIRDECK_FIXTURES, or in
# ../shared/fixtures beside the checkout; without them their sections say so.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

args=()
out=$ROOT/docs/ACCURACY.md
quick=
only=
given="scripts/evaluate.sh${*:+ $*}"
while [ $# -gt 0 ]; do
  case $1 in
    --quick)
      quick=1
      out=
      args+=(-quick)
      ;;
    --only | -only)
      [ $# -ge 2 ] || die "--only needs the names of sections"
      only=$2
      args+=(-only "$2")
      shift
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
    *) die "unknown argument $1 (see scripts/evaluate.sh --help)" ;;
  esac
  shift
done
[ -n "$quick" ] || args+=(-held-out)
[ -z "$out" ] || args+=(-o "$(realpath -m "$out")")

"$ROOT/scripts/setup.sh"
find_go
cd "$ROOT"
FAIRDECK_FIXTURES=$(realpath -m "${FAIRDECK_FIXTURES:-$ROOT/../shared/fixtures}")
export FAIRDECK_FIXTURES

step "Building"
"$ROOT/scripts/build.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Without -tags matprofile: counting open Mats has its price.
programs=(./scripts/internal/accuracy ./scripts/internal/photos ./scripts/internal/deals ./scripts/internal/faces)
[ ! -d scripts/internal/edges ] || programs+=(./scripts/internal/edges)
go build -buildvcs=false -o "$work/" "${programs[@]}"
commit=$(git describe --tags --always --dirty 2>/dev/null || echo unknown)

wanted() { [ -z "$only" ] || [[ ",$only," == *",$1,"* ]]; }

# join SECTION PROGRAM ARGUMENTS...: a table made by another program.
join() {
  local section=$1
  shift
  wanted "$section" || return 0
  step "$(basename "$1")"
  if nice "$@" >"$work/$section.md"; then
    args+=("-$section" "$work/$section.md")
  else
    say "$(basename "$1") failed; its tables are left out"
  fi
}

if [ -d "$FAIRDECK_FIXTURES/real" ]; then
  join photos "$work/photos" "$FAIRDECK_FIXTURES"
fi
if [ -x "$work/edges" ]; then
  sides=(-seeds 200)
  [ -z "$quick" ] || sides=(-seeds 10 -marks 4)
  [ ! -d "$FAIRDECK_FIXTURES/decks" ] || sides+=(-decks "$FAIRDECK_FIXTURES/decks")
  [ ! -d "$FAIRDECK_FIXTURES/real/sheet-stacks" ] || sides+=(-photos "$FAIRDECK_FIXTURES/real/sheet-stacks")
  join edges "$work/edges" "${sides[@]}"
fi
deals=(-markdown -seeds 1:21 -held-out)
[ -z "$quick" ] || deals=(-markdown -seeds 300:301 -cards 12)
join deals "$work/deals" "${deals[@]}"
if wanted faces; then
  step "Faces"
  fronts=(-commit "$commit" -fairdeck "$ROOT/bin/fairdeck")
  # 42 decks of each style are 10,080 readings.
  if [ -n "$quick" ]; then fronts+=(-seeds 0:1); else fronts+=(-seeds 0:42 -held-out); fi
  [ -z "$out" ] || fronts+=(-o "$(dirname "$(realpath -m "$out")")/ACCURACY-faces.md")
  nice "$work/faces" "${fronts[@]}"
  [ "$only" != faces ] || exit 0
fi
step "Accuracy"
nice "$work/accuracy" -commit "$commit" -command "$given" -fairdeck "$ROOT/bin/fairdeck" -fixtures "$FAIRDECK_FIXTURES" "${args[@]}"
[ -z "$out" ] || say "written: $out"
