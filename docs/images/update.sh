#!/usr/bin/env bash
# Takes the pictures of the documentation anew, from the real program under a virtual display.
#   docs/images/update.sh [BUILD] [FOLDER]     default: build/release docs/images; look at them before committing
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build/release}; out=${2:-docs/images}
mkdir -p "$out"
home=$(mktemp -d); trap 'rm -rf "$home"' EXIT
export XDG_CONFIG_HOME=$home/config XDG_DATA_HOME=$home/data XDG_RUNTIME_DIR=$home LC_ALL=C.UTF-8

# take NAME SCALE ARGUMENTS…
take() {
  local name=$1 scale=$2; shift 2
  QT_SCALE_FACTOR=$scale xvfb-run -a -s '-screen 0 3840x2400x24' "$build/bin/kernelwright" "$@" --screenshot "$out/$name.png"
  printf '%s.png\n' "$name"
}

# First, while nothing has been opened yet.
take start 1 --theme dark --size 1280x800

wrong=$home/softmax
cp -r resources/tasks/softmax "$wrong"
sed -i 's|out\[i\] /= sum;|out[i] /= i % 100 == 7 ? sum + 1.0f : sum;|' "$wrong/softmax.cu"

take workbench 1 --theme dark --size 1440x900 --layout review --profile --pane metrics resources/tasks/softmax
take edit 1 --theme light --size 1280x800 --layout edit --run --pane problems resources/tasks/softmax
take profile 1 --theme dark --size 1920x1080 --layout profile --profile --pane metrics resources/tasks/matmul
take profile_light 1 --theme light --size 1920x1080 --layout profile --profile --pane occupancy resources/tasks/matmul
take correctness 1 --theme dark --size 1440x900 --layout review --run --pane correctness "$wrong"
take correctness_light 2 --theme light --size 1280x800 --layout review --run --pane correctness "$wrong"
take code 1 --theme dark --size 1440x900 --layout edit --profile --pane code resources/tasks/reduction
take timeline 1 --theme light --size 1440x900 --layout profile --profile --pane timeline resources/tasks/layernorm
