#!/usr/bin/env python3
"""Times of every bundled kernel on several devices side by side: how good the simulator's estimates are, and how steady timing is.

    bench/devices/devices.py [--bin build/release/bin] [--devices cuda:0,sim:h200] [--repeat 1] [TASK…]

A line per source of a task: the candidate's median in µs on each device, the ratio of the second device to the first, and with
--repeat the spread (largest ÷ smallest − 1) of repeated evaluations on the first. Wrong candidates are said to be wrong.
"""

import argparse
import json
import pathlib
import subprocess
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def evaluate(kw, task, candidate, device):
    """The median in µs, or the reason why there is none."""
    command = [kw, "eval", task, "--candidate", candidate, "--device", device, "--json"]
    result = subprocess.run(command, capture_output=True, text=True)
    if not result.stdout:
        return (result.stderr.strip().splitlines() or ["no output"])[-1]
    evaluation = json.loads(result.stdout)
    bench = evaluation.get("bench")
    if not bench or bench.get("problem"):
        return "wrong" if result.returncode == 1 else "not timed"
    return bench["median_us"]


def shown(value):
    return f"{value:12.4g}" if isinstance(value, float) else f"{value[:12]:>12}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=ROOT / "build/release/bin", type=pathlib.Path)
    parser.add_argument("--devices", default="cuda:0,sim:h200")
    parser.add_argument("--repeat", default=1, type=int)
    parser.add_argument("tasks", nargs="*", type=pathlib.Path, default=sorted((ROOT / "resources/tasks").iterdir()))
    arguments = parser.parse_args()
    devices = arguments.devices.split(",")
    kw = arguments.bin / "kw"
    print(f"{'task':12} {'source':26}" + "".join(f"{d:>12}" for d in devices) + f"{'ratio':>8}{'spread':>9}   µs")
    for task in arguments.tasks:
        settings = tomllib.loads((task / "task.toml").read_text())
        trusted = {settings["reference"]}
        for source in sorted(task.glob("*.cu")):
            if source.name in trusted:
                continue
            times = [[evaluate(kw, task, source, d) for _ in range(arguments.repeat if d == devices[0] else 1)] for d in devices]
            first = [t for t in times[0] if isinstance(t, float)]
            ratio = spread = ""
            if len(devices) > 1 and first and isinstance(times[1][0], float):
                ratio = f"{times[1][0] / first[0]:.2f}"
            if len(first) > 1:
                spread = f"{100 * (max(first) / min(first) - 1):.2f} %"
            print(f"{task.name:12} {source.name:26}" + "".join(shown(t[0]) for t in times) + f"{ratio:>8}{spread:>9}", flush=True)


if __name__ == "__main__":
    main()
