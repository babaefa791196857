#!/usr/bin/env python3
"""PyTorch problems as tasks, on whatever device there is: each is made into a task, its kernel is evaluated, and then edited and
evaluated again in a warm worker.

    tests/gpu/torch_check.py [--bin build/release/bin] [--out FOLDER] [--device auto]

Prints a table: reward, times of the candidate, eager and torch.compile, and the seconds from an edit to the reward. Exits 1 where a
kernel is not found correct. With --out the evaluations are written there as JSON. $KERNELWRIGHT_PYTHON names the Python with PyTorch.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/evaluate"))
from evaluate import Worker, task_files  # noqa: E402

PROBLEMS = pathlib.Path(__file__).parent / "torch"
EDITS = 5
TOLERANCE = {"residual_norm": "atol = 1e-2\nrtol = 1e-2"}  # half precision


def make(program, problem, folder):
    task = folder / problem.stem
    subprocess.run([program, "task", "new", "--from-torch", problem, "-o", task], check=True, stdout=subprocess.DEVNULL)
    (task / "kernel.cu").write_text(problem.with_suffix(".cu").read_text())
    if problem.stem in TOLERANCE:
        toml = task / "task.toml"
        toml.write_text(toml.read_text().replace("atol = 1e-4\nrtol = 1e-4", TOLERANCE[problem.stem]))
    return task


def text_of(bench, name):
    for each in bench.get("baselines", []):
        if each["name"] == name:
            return each.get("problem") or f"{each['median_us']:.1f} µs ({each['ratio']:.2f}×)"
    return "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=ROOT / "build/release/bin", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--device", default="auto")
    arguments = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for problem in sorted(PROBLEMS.glob("*.py")):
            task = make(arguments.bin / "kw", problem, pathlib.Path(folder))
            worker = Worker(arguments.bin / "kw-worker")
            times = []
            for edit in range(EDITS + 1):
                files = task_files(task)
                files["kernel.cu"] += f"\n// edit {edit}\n"
                start = time.perf_counter()
                evaluation = worker.call("evaluate", {"files": files, "options": {"device": arguments.device}})
                times.append(time.perf_counter() - start)
            worker.close()
            reward, bench = evaluation.get("reward", {}), evaluation.get("bench", {})
            print(f"{problem.stem:14} reward {reward.get('value')}: {reward.get('because')}")
            print(f"{'':14} candidate {bench.get('median_us', 0):.1f} µs, eager {text_of(bench, 'eager')}, compile {text_of(bench, 'compile')}")
            print(f"{'':14} edit to reward {statistics.median(times[1:]):.2f} s (median of {EDITS}), the first {times[0]:.1f} s", flush=True)
            if not evaluation.get("verify", {}).get("ok"):
                wrong += 1
                print(json.dumps(evaluation.get("verify", evaluation.get("compile")))[:2000])
            if arguments.out:
                arguments.out.mkdir(parents=True, exist_ok=True)
                (arguments.out / f"{problem.stem}.json").write_text(json.dumps(evaluation, indent=1) + "\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
