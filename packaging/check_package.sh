#!/usr/bin/env bash
# Makes the Debian package from a finished release build, unpacks it elsewhere, and sees that what is in it works from there.
#   packaging/check_package.sh [BUILD]     default: build/release
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build/release}")
die() { printf '%s\n' "FAILED: $*" >&2; exit 1; }

rm -rf "$build/package" && mkdir -p "$build/package"
(cd "$build" && cpack -G DEB -B "$build/package" >"$build/package/cpack.log" 2>&1) || { tail -n 20 "$build/package/cpack.log"; die "cpack"; }
deb=$(ls "$build"/package/*.deb)
root="$build/package/root"
dpkg-deb -x "$deb" "$root"
dpkg-deb -f "$deb" Depends | grep -q libqt6widgets6 || die "the package does not depend on Qt"

desktop-file-validate "$root"/usr/share/applications/*.desktop || die "desktop file"
appstreamcli validate --no-net --no-color "$root"/usr/share/metainfo/*.metainfo.xml || die "AppStream metadata"
xmllint --noout "$root"/usr/share/mime/packages/*.xml "$root"/usr/share/icons/hicolor/scalable/apps/*.svg || die "XML"

# From another folder, so that nothing is found in the source tree.
cd "$root"
"$root/usr/bin/kw" --version >/dev/null || die "kw"
[ -e "$root/usr/lib/kernelwright/libkw_trace.so" ] || die "the library of kw trace is missing"
[ -e "$root/usr/lib/kernelwright/simulated-cuda/libcudart.so.13" ] || die "the library of kw run is missing"
home=$(mktemp -d); trap 'rm -rf "$home"' EXIT
HOME=$home XDG_CONFIG_HOME=$home/config XDG_DATA_HOME=$home/data QT_QPA_PLATFORM=offscreen \
  "$root/usr/bin/kernelwright" --size 1280x800 --screenshot "$build/package/start.png" "$root/usr/share/kernelwright/tasks/softmax" \
  || die "kernelwright does not start from the package"
printf 'OK: %s (%s)\n' "$deb" "$(du -h "$deb" | cut -f1)"
