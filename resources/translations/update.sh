#!/usr/bin/env bash
# Brings the translations up to date with the strings in the sources. New ones are to be translated in the .ts files.
set -euo pipefail
cd "$(dirname "$0")/../.."
for file in resources/translations/kernelwright_*.ts; do
  /usr/lib/qt6/bin/lupdate -I . -no-obsolete -locations none -extensions cpp,h app/desktop widgets editor profiler_views agent/review -ts "$file"
done
