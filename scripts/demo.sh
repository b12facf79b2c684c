#!/usr/bin/env bash
# From a fresh machine to a report: installs what is missing, builds
# bin/fairdeck and inspects a deck of 60 sleeves that lies in testdata.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

case "${1:-}" in
  '') ;;
  *)
    say "usage: scripts/demo.sh"
    say "Installs what is missing, builds bin/fairdeck and inspects the deck in testdata/decks."
    [ "$1" = -h ] || [ "$1" = --help ]
    exit
    ;;
esac

"$ROOT/scripts/setup.sh"
find_go
step "Building bin/fairdeck (about a minute the first time)"
"$ROOT/scripts/build.sh"

deck=$ROOT/testdata/decks/d2_marks_matte_blue
out=$ROOT/out/demo
step "Inspecting the 60 sleeves in testdata/decks/d2_marks_matte_blue"
rm -rf "$out"
code=0
"$ROOT/bin/fairdeck" inspect "$deck" --out "$out" || code=$?
# 10 says "something is flagged", which is the truth about this deck.
case $code in
  0 | 10) ;;
  *) die "fairdeck inspect ended with exit code $code" ;;
esac
[ -s "$out/report.html" ] || die "there is no report at $out/report.html"
