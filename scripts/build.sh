#!/usr/bin/env bash
# Builds bin/fairdeck. The first build compiles the OpenCV binding and takes
# about a minute on two cores; later ones take seconds.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
find_go
cd "$ROOT"
mkdir -p bin
version=$(git describe --tags --always --dirty 2>/dev/null || echo unknown)
go build -trimpath -buildvcs=false -ldflags "-X main.version=$version" -o bin/fairdeck ./cmd/fairdeck
