#!/usr/bin/env python3
"""Lets the advisor work on bundled kernels on the simulator, by `kw agent run`: every step is right and says why it was made, and the
edit that the kernel calls for is found and kept.

    check_advisor.py KW TASKS
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

# Task, candidate, the edit that must be the best step's or one that it is built on, by how much time must shrink.
CASES = [
    ("transpose", "baseline.cu", "pad the rows of 'tile' by one element", 0.9),
    ("axpby", "axpby.cu", "four elements a thread in axpby", 1.0),
    ("stencil", "stencil.cu", None, 1.0),
]


def show(kw, session, *options):
    return json.loads(subprocess.run([kw, "session", "show", session, *options, "--json"], capture_output=True, text=True,
                                     check=True).stdout)


def check(kw, tasks, task, candidate, edit, shrinks):
    with tempfile.TemporaryDirectory() as folder:
        session = str(pathlib.Path(folder) / "advisor.kwsession")
        # Under a name of its own: a baseline would be measured against itself.
        copy = pathlib.Path(folder) / f"begin_{candidate}"
        shutil.copy(tasks / task / candidate, copy)
        done = subprocess.run([kw, "agent", "run", str(tasks / task), "--candidate", str(copy), "--driver", "advisor", "--device", "sim",
                               "--seed", "7", "--steps", "6", "-o", session], capture_output=True, text=True)
        if done.returncode != 0:
            yield f"exit {done.returncode}: {done.stderr}"
            return
        steps = [show(kw, session, "--step", str(summary["step"])) for summary in show(kw, session)["steps"]]
        for step in steps:
            print(f"{task} {step['step']} <- {step['parent']}: {step['title']}: {step['median_us']:.4g} us, reward {step['reward']}\n"
                  f"    {step['thought']}")
            if step["driver"] != "advisor" or not step["correct"] or not step["thought"]:
                yield f"step {step['step']} ({step['title']}): driver {step['driver']}, {step['because']}"
        if len(steps) < 2:
            yield "nothing was proposed"
        if not edit:
            return
        found = [step for step in steps if step["title"] == edit]
        if not found:
            yield f"'{edit}' was not proposed"
        elif not found[0]["median_us"] <= shrinks * steps[0]["median_us"]:
            yield f"'{edit}' takes {found[0]['median_us']} us, the candidate {steps[0]['median_us']}"


def main():
    kw, tasks = sys.argv[1], pathlib.Path(sys.argv[2])
    problems = [f"{case[0]}: {problem}" for case in CASES for problem in check(kw, tasks, *case)]
    with tempfile.TemporaryDirectory() as folder:
        refused = subprocess.run([kw, "agent", "run", str(tasks / "transpose"), "--candidate", "baseline.cu", "--driver", "advisor",
                                  "-o", str(pathlib.Path(folder) / "s.kwsession")], capture_output=True, text=True)
        if refused.returncode != 2 or "measured against itself" not in refused.stderr:
            problems.append(f"a baseline is taken for a candidate: exit {refused.returncode}, {refused.stderr}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
