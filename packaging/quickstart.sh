#!/usr/bin/env bash
# Installs what is missing, builds, and opens the workbench on a bundled lesson.
# Without a display it does the same under a virtual one and says where it put the picture and the report.
#   packaging/quickstart.sh [TASK|SESSION]     default: the softmax lesson, recorded on a GPU
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build
. packaging/common.sh
task=${1:-resources/lessons/recorded/softmax.kwsession}

step "Packages"
install_packages "${KW_PACKAGES_BUILD[@]}" "${KW_PACKAGES_RUN[@]}"
step "CUDA toolkit"
provide_toolkit
step "Build"
build_preset release kernelwright kw kw-worker
bin=build/release/bin

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  step "Opening the workbench"
  printf '\nOK: the workbench opens on %s; on the command line, try: %s/kw eval resources/tasks/softmax\n' "$task" "$bin"
  exec "$bin/kernelwright" "$task"
fi
step "No display: opening the workbench under a virtual one"
xvfb-run -a -s '-screen 0 1440x900x24' "$bin/kernelwright" --screenshot build/quickstart.png "$task" || die "the workbench did not open"
"$bin/kw" eval resources/tasks/softmax | tee build/quickstart.txt || die "kw eval resources/tasks/softmax"
printf '\nOK: picture of the workbench: build/quickstart.png, report: build/quickstart.txt; next: %s/kw eval resources/tasks/softmax\n' "$bin"
