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
