#!/usr/bin/env bash
# clang-format over the whole project, clang-tidy over the sources that changed.
#   packaging/check_style.sh [BASE]     what counts as changed is all since the commit BASE; default: since the last commit's parent
set -euo pipefail
cd "$(dirname "$0")/.."
base=${1:-$(git rev-parse -q --verify HEAD~1 || true)}
folders=(engine agent app widgets editor profiler_views tests bench)

mapfile -t all < <(git ls-files -- "${folders[@]}" | grep -E '\.(cpp|h)$')
clang-format-19 --dry-run -Werror "${all[@]}"
echo "clang-format: ${#all[@]} files are formatted"

if [ -n "$base" ]; then changed=$(git diff --name-only --diff-filter=d "$base" -- "${folders[@]}"); else changed=$(git ls-files -- "${folders[@]}"); fi
mapfile -t sources < <(printf '%s\n' "$changed" | grep -E '^(engine|agent|app|widgets|editor|profiler_views)/.*\.cpp$' || true)
[ ${#sources[@]} = 0 ] && { echo "clang-tidy: nothing changed"; exit; }
# GCC's precompiled headers and flags are not clang's: take the commands without them.
mkdir -p build/tidy
python3 - <<'PY'
import json, re
with open("build/release/compile_commands.json") as f: entries = json.load(f)
for entry in entries:
    entry["command"] = re.sub(r"\s(-Winvalid-pch|-fpch-preprocess|-include \S*cmake_pch\S*)", "", entry["command"])
with open("build/tidy/compile_commands.json", "w") as f: json.dump(entries, f)
PY
printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$(nproc)" clang-tidy-19 --quiet -p build/tidy 2>build/tidy/stderr.log \
  || { grep -vE 'warnings (generated|treated)|Suppressed|Use -header' build/tidy/stderr.log | head -20 >&2; exit 1; }
echo "clang-tidy: ${#sources[@]} changed sources are clean"
