#!/usr/bin/env bash
# Runs every fuzz target of build/fuzz for a while, starting from its seed corpus.
#   packaging/fuzz.sh [SECONDS_EACH]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
count=0
for target in build/fuzz/bin/fuzz_*; do
  [ -x "$target" ] || continue
  name=$(basename "$target")
  mkdir -p "build/fuzz/corpus/$name" "build/fuzz/crashes/$name"
  echo "$name: $seconds s"
  "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -artifact_prefix="build/fuzz/crashes/$name/" -print_final_stats=0 \
    "build/fuzz/corpus/$name" "tests/fuzz/corpus/${name#fuzz_}" >"build/fuzz/$name.log" 2>&1 || { tail -n 40 "build/fuzz/$name.log" >&2; echo "$name found a fault; input in build/fuzz/crashes/$name" >&2; exit 1; }
  count=$((count + 1))
done
[ "$count" -gt 0 ] || { echo "no fuzz target is built; run: cmake --preset fuzz && cmake --build --preset fuzz" >&2; exit 1; }
echo "$count fuzz targets ran without a fault"
