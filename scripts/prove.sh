#!/usr/bin/env bash
# Proves that a fresh machine gets from a clone to a report: makes a minimal
# Debian root, copies Go and a clean clone of this commit into it and runs a
# script there. Needs root and debootstrap.
#   scripts/prove.sh [bookworm|trixie] [demo|test]
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

suite=${1:-bookworm}
what=${2:-demo}
case "$suite" in bookworm | trixie) ;; *) die "suite $suite: bookworm (Debian 12) or trixie (Debian 13)" ;; esac
case "$what" in demo | test) ;; *) die "$what: demo or test" ;; esac
[ "$(id -u)" = 0 ] || die "chroot needs root: sudo $0 $*"
have debootstrap || apt_install 'debootstrap' debootstrap
find_go

root=$(mktemp -d "${TMPDIR:-/tmp}/fairdeck-prove.XXXXXX")
clean() {
  for m in "$root/dev" "$root/proc"; do
    # Lazily: something inside may still be ending.
    if mountpoint -q "$m"; then umount -R -l "$m"; fi
  done
  # Never through a mount that is still there.
  if ! mount | grep -q " $root/"; then rm -rf --one-file-system "$root"; fi
}
trap clean EXIT

mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources 2>/dev/null |
  sed -n 's/^URIs: *//p;s/^deb \(http[^ ]*\).*/\1/p' | head -n 1 || true)
step "A minimal $suite in $root"
debootstrap --variant=minbase "$suite" "$root" ${mirror:+"$mirror"} >/dev/null
cp /etc/resolv.conf /etc/hosts "$root/etc/"
# Networks with their own certificate authority: take the host's trust along.
mkdir -p "$root/usr/local/share/fairdeck"
cp /etc/ssl/certs/ca-certificates.crt "$root/usr/local/share/fairdeck/ca.crt"
mount -t proc proc "$root/proc"
mount --rbind --make-rslave /dev "$root/dev" 2>/dev/null || mount --bind /dev "$root/dev"

step "Go $(go env GOVERSION) and a clean clone of $(git -C "$ROOT" rev-parse --short HEAD)"
cp -a "$(go env GOROOT)" "$root/usr/local/go"
git clone -q "$ROOT" "$root/src"

step "scripts/$what.sh in there"
start=$(date +%s)
chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb PATH=/usr/local/go/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  LANG=C.UTF-8 CI="${CI:-}" GOPROXY="$(go env GOPROXY)" GOSUMDB="$(go env GOSUMDB)" GOTOOLCHAIN=local \
  SSL_CERT_FILE=/usr/local/share/fairdeck/ca.crt NODE_EXTRA_CA_CERTS=/usr/local/share/fairdeck/ca.crt \
  bash -c "cd /src && ./scripts/$what.sh"
say ""
say "scripts/$what.sh on a fresh $suite: $(($(date +%s) - start)) s, exit code 0"
if [ "$what" = demo ]; then
  mkdir -p "$ROOT/out/prove-$suite"
  cp -r "$root/src/out/demo/." "$ROOT/out/prove-$suite/"
  say "its report: out/prove-$suite/report.html"
fi
