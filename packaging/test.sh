#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test. Ends with one line that says how it went.
#   packaging/test.sh            what CI runs: release build and tests, style, a short fuzzing run with sanitizers
#   packaging/test.sh --quick    the release build and its tests only
#   packaging/test.sh --full     and the tests once more under AddressSanitizer and UndefinedBehaviorSanitizer
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build
. packaging/common.sh
quick=; full=
case "${1:-}" in --quick) quick=1 ;; --full) full=1 ;; "") ;; *) die "unknown option $1; see the top of packaging/test.sh" ;; esac

step "Packages"
install_packages "${KW_PACKAGES_BUILD[@]}" "${KW_PACKAGES_RUN[@]}" $([ -n "$quick" ] || echo "${KW_PACKAGES_CHECK[@]}")
step "CUDA toolkit"
provide_toolkit
step "Release build"
build_preset release
step "Servers that the agent's tests talk to"
provide_llm_tools
step "PyTorch, for the tests of its tasks"
provide_torch
step "Tests"
ctest --preset release --timeout 300 || die "tests (release)"
if [ -z "$quick" ]; then
  step "The Debian package"
  packaging/check_package.sh || die "package"
  step "Style of what changed"
  packaging/check_style.sh || die "style"
  step "Fuzzing, briefly"
  build_preset fuzz fuzzers
  ctest --test-dir build/fuzz -L fuzz --output-on-failure || die "fuzzing: a fault was found; its input is below build/fuzz/fuzz/found"
fi
if [ -n "$full" ]; then
  step "Tests with AddressSanitizer and UndefinedBehaviorSanitizer"
  build_preset asan
  ctest --preset asan --timeout 600 || die "tests (asan)"
fi
printf '\nOK: built and tested in %d s; the programs are in build/release/bin\n' $((SECONDS - KW_STARTED))
