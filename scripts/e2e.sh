#!/usr/bin/env bash
# Browser tests: opens what fairdeck writes in a real Chromium.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$ROOT/e2e"
browser=
for b in "${FAIRDECK_CHROMIUM:-}" chromium chromium-browser google-chrome; do
  if [ -n "$b" ] && have "$b"; then
    browser=$(command -v "$b")
    break
  fi
done
[ -n "$browser" ] || die "no Chromium found: scripts/setup.sh --test installs it, or set FAIRDECK_CHROMIUM"
[ -d node_modules ] || npm ci --no-audit --no-fund --loglevel=error
FAIRDECK_CHROMIUM=$browser node --test --test-concurrency=1 ./*.test.mjs
