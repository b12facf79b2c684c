# Shared by the scripts beside it; sourced, not run.
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export ROOT

# The one build variant that tests use: gocv counts open Mats with it.
export TEST_TAGS=matprofile

say() { printf '%s\n' "$*" >&2; }
step() { printf '\n== %s\n' "$*" >&2; }
die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# as_root CMD...: runs as it is for root, through sudo otherwise.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif have sudo; then
    sudo "$@"
  else
    die "this needs root and there is no sudo; run as root: $*"
  fi
}

# distribution: debian, fedora, macos or the name the system gives itself.
distribution() {
  if [ "$(uname -s)" = Darwin ]; then
    echo macos
    return
  fi
  local id='' like=''
  if [ -r /etc/os-release ]; then
    id=$(. /etc/os-release && echo "${ID:-}")
    like=$(. /etc/os-release && echo "${ID_LIKE:-}")
  fi
  case " $id $like " in
    *" debian "* | *" ubuntu "*) echo debian ;;
    *" fedora "* | *" rhel "*) echo fedora ;;
    *) echo "${id:-unknown}" ;;
  esac
}

# apt_missing PKG...: prints those that are not installed.
apt_missing() {
  local p
  for p in "$@"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || echo "$p"
  done
}

# apt_install WHY PKG...: installs what is missing and says so.
apt_install() {
  local why=$1
  shift
  local missing
  mapfile -t missing < <(apt_missing "$@")
  [ ${#missing[@]} -eq 0 ] && return 0
  step "Installing $why: ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends "${missing[@]}" >/dev/null
}

# find_go puts a Go toolchain on PATH or says how to get one. Any Go from 1.21
# on fetches the version that go.mod names by itself.
find_go() {
  if ! have go && [ -x /usr/local/go/bin/go ]; then
    PATH=/usr/local/go/bin:$PATH
    export PATH
  fi
  if ! have go && [ "$(distribution)" = debian ]; then
    local candidate
    candidate=$(apt-cache policy golang-go 2>/dev/null | sed -n 's/.*Candidate: *[0-9]*:\{0,1\}\([0-9]*\.[0-9]*\).*/\1/p')
    case "$candidate" in
      '' | 1.[0-9] | 1.1[0-9] | 1.20) ;;
      *) apt_install 'Go' golang-go ;;
    esac
  fi
  have go || die "Go 1.26 is needed and not here.
  Get it from https://go.dev/dl/ (unpack to /usr/local/go), then run this again."
  local v
  v=$(go env GOVERSION 2>/dev/null)
  case "$v" in
    go1.[0-9] | go1.[0-9].* | go1.1[0-9] | go1.1[0-9].* | go1.20 | go1.20.*)
      die "Go $v is too old: 1.26 is needed (1.21 or newer fetches it by itself). Get it from https://go.dev/dl/." ;;
  esac
}
