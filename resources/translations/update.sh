#!/usr/bin/env bash
# Brings the translations up to date with the strings in the sources. New ones are to be translated in the .ts files.
set -euo pipefail
cd "$(dirname "$0")/../.."
for file in resources/translations/kernelwright_*.ts; do
  # English needs no more than what the sources cannot say: singular and plural.
  only=(); [[ $file == *_en.ts ]] && only=(-pluralonly)
  /usr/lib/qt6/bin/lupdate -I . "${only[@]}" -no-obsolete -locations none -extensions cpp,h app/desktop widgets editor profiler_views agent/review -ts "$file"
done
