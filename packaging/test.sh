#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test. Ends with one line that says how it went.
#   packaging/test.sh            everything that CI runs
#   packaging/test.sh --quick    the release build and its tests only
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build
. packaging/common.sh
quick=; [ "${1:-}" = --quick ] && quick=1

step "Packages"
install_packages "${KW_PACKAGES_BUILD[@]}" "${KW_PACKAGES_RUN[@]}" $([ -n "$quick" ] || echo "${KW_PACKAGES_CHECK[@]}")
step "CUDA toolkit"
provide_toolkit
step "Release build"
build_preset release
step "Tests"
ctest --preset release --timeout 300 || die "tests (release)"
if [ -z "$quick" ]; then
  step "Style of what changed"
  packaging/check_style.sh || die "style"
  step "Tests with AddressSanitizer and UndefinedBehaviorSanitizer"
  build_preset asan
  ctest --preset asan --timeout 600 -LE 'slow_sanitized' || die "tests (asan)"
  step "Fuzzing, briefly"
  build_preset fuzz
  packaging/fuzz.sh 10 || die "fuzzing"
fi
printf '\nOK: built and tested in %d s; the programs are in build/release/bin\n' $((SECONDS - KW_STARTED))
