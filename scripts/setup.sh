#!/usr/bin/env bash
# Installs what fairdeck needs to build; with --test also what its tests need.
# On Debian and Ubuntu it installs; elsewhere it names the packages.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

want_test=no
case "${1:-}" in
  '') ;;
  --test) want_test=yes ;;
  -h | --help)
    say "usage: scripts/setup.sh [--test]"
    say "Installs a C++ compiler, pkg-config and OpenCV's development files (Debian, Ubuntu);"
    say "--test adds Chromium and Node.js for the browser tests and PostgreSQL for the store's."
    exit 0
    ;;
  *) die "unknown argument $1 (try --help)" ;;
esac

case "$(distribution)" in
  debian)
    apt_install 'a C++ compiler and OpenCV (about 600 MB on a bare system)' ca-certificates g++ pkg-config libopencv-dev
    apt_install 'ffmpeg, which reads videos and RTSP' ffmpeg
    if [ $want_test = yes ]; then
      apt_install 'a browser for the page tests' chromium fonts-dejavu-core
      apt_install 'PostgreSQL for the store tests' postgresql
      have node || apt_install 'Node.js for the page tests' nodejs
      have npm || apt_install 'npm for the page tests' npm
      have git || apt_install 'git' git
    fi
    ;;
  macos)
    if ! have pkg-config || ! pkg-config --exists opencv4; then
      say "On macOS install OpenCV and the tools once, then run this again:"
      say "  brew install opencv pkg-config go"
      say "fairdeck is tried with OpenCV 4.6 to 4.10; 'bin/fairdeck doctor' tells what it found."
      exit 1
    fi
    ;;
  fedora)
    if ! have pkg-config || ! pkg-config --exists opencv4; then
      say "On Fedora install OpenCV and the tools once, then run this again:"
      say "  sudo dnf install opencv-devel gcc-c++ pkgconf-pkg-config golang"
      say "fairdeck is tried with OpenCV 4.6 to 4.10; 'bin/fairdeck doctor' tells what it found."
      exit 1
    fi
    ;;
  *)
    if ! have pkg-config || ! pkg-config --exists opencv4; then
      die "this system is not known to the script. Install Go 1.26, a C++ compiler, pkg-config and
  OpenCV 4.6 to 4.10 with its development files (pkg-config must know 'opencv4'), then run this again."
    fi
    ;;
esac

pkg-config --exists opencv4 || die "pkg-config does not know opencv4 although the packages are there; is PKG_CONFIG_PATH set oddly?"
find_go
say "Ready: $(go env GOVERSION), OpenCV $(pkg-config --modversion opencv4), $(c++ --version | head -n 1)"
