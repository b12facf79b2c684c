#!/usr/bin/env bash
# The speed of the shuffle battery: null tables of 100,000 permutations of 60 cards, one core, against the same battery in numpy.
# Times are processor time, so that other work on the machine counts little. Usage: scripts/bench-randomness.sh [permutations for numpy]
set -euo pipefail
cd "$(dirname "$0")/.."
peer_draws=${1:-10000}

out=$(GOMAXPROCS=1 go test ./randomness/battery -run xxx -bench 'Null60' -benchtime 5x)
grep -E '^(cpu|Benchmark)' <<<"$out"

# ours NAME: cpu-ns per permutation of one benchmark.
ours() { awk -v name="$1" '$1 ~ "^" name "(-|$)" {for (i = 2; i <= NF; i++) if ($i == "cpu-ns/permutation") print $(i-1)}' <<<"$out"; }

# The whole command, with both null laws: wall and processor time of one run on one core and of one run on all.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if go build -buildvcs=false -o "$work/fairdeck" ./cmd/fairdeck 2>/dev/null; then
  for deck in 'distinct 1x60' 'copies 6x2+4x12'; do
    name=${deck%% *} shape=${deck#* }
    "$work/fairdeck" shuffle simulate --deck "$shape" --shuffle random --seed 3 >"$work/before.txt"
    "$work/fairdeck" shuffle simulate --from "$work/before.txt" --shuffle riffle:7+cut --seed 4 >"$work/after.txt"
    for workers in 1 0; do
      code=0
      TIMEFORMAT="fairdeck shuffle score, 60 cards, $name, --workers $workers: %R s, processor time %U s"
      time "$work/fairdeck" shuffle score --before "$work/before.txt" --after "$work/after.txt" --workers "$workers" >/dev/null || code=$?
      [ "$code" -eq 0 ] || [ "$code" -eq 10 ] || echo "fairdeck shuffle score ended with code $code"
    done
  done 2>&1
else
  echo "fairdeck does not build here (OpenCV missing?): the whole command was not timed"
fi

peer=''
for python in python3 /usr/bin/python3; do
  if "$python" -c 'import numpy' 2>/dev/null; then
    peer=$python
    break
  fi
done
if [ -z "$peer" ]; then
  echo "numpy is not installed: no comparison (Debian: apt-get install python3-numpy)"
  exit 0
fi
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
theirs=$("$peer" scripts/peers/shuffle_null.py "$peer_draws")
echo "$theirs"
for pair in distinct:BenchmarkNull60Distinct copies:BenchmarkNull60Copies; do
  deck=${pair%%:*} name=${pair#*:}
  a=$(ours "$name")
  b=$(sed -n "s/^numpy .* $deck: \([0-9]*\) ns.*/\1/p" <<<"$theirs")
  if [ -n "$a" ] && [ -n "$b" ]; then
    awk -v d="$deck" -v a="$a" -v b="$b" 'BEGIN {printf "%s: numpy takes %.1f times as long (%.0f and %.0f ns)\n", d, b / a, b, a}'
  fi
done
