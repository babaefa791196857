#!/usr/bin/env python3
"""How long the desktop program takes until its window can be used, and what it holds in memory then.

    bench/start/start.py [BUILD] [TASK]      default: build/release resources/tasks/softmax

Off-screen, with a fresh configuration each time. Prints the median and the worst of ten starts; exits 1 beyond the
aims of 0.7 s (median) and 200 MiB.
"""
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
STARTS = 10
AIM_MS, AIM_MIB = 700, 200


def start(program, task):
    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, HOME=home, XDG_CONFIG_HOME=home, XDG_DATA_HOME=home, XDG_RUNTIME_DIR=home,
                           QT_QPA_PLATFORM="offscreen")
        os.chmod(home, 0o700)
        told = subprocess.run([program, "--report-start", task], env=environment, capture_output=True, text=True, check=True)
    milliseconds, mib = re.search(r"usable after (\d+) ms, (\d+) MiB", told.stdout).groups()
    return int(milliseconds), int(mib)


def main():
    build = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/release"
    task = sys.argv[2] if len(sys.argv) > 2 else str(ROOT / "resources/tasks/softmax")
    start(build / "bin/kernelwright", task)  # the disk's cache is warm from here on
    starts = [start(build / "bin/kernelwright", task) for _ in range(STARTS)]
    times, memory = [each[0] for each in starts], [each[1] for each in starts]
    print(f"usable after {statistics.median(times):.0f} ms (worst {max(times)} ms, aim {AIM_MS} ms), "
          f"{max(memory)} MiB resident (aim {AIM_MIB} MiB), {STARTS} starts")
    return 0 if statistics.median(times) <= AIM_MS and max(memory) <= AIM_MIB else 1


if __name__ == "__main__":
    sys.exit(main())
