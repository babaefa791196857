#!/usr/bin/env python3
"""Takes every step of a lesson through the simulator at small sizes, as `kw agent run` does, and holds what became of it against what the
lesson says.

    check_lesson.py KW LESSON TASK
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib


def outcome_of(step):
    if step["correct"]:
        return "correct"
    return "wrong" if step["evaluation"]["compile"]["ok"] else "does not compile"


def show(kw, session, *options):
    return json.loads(subprocess.run([kw, "session", "show", session, *options, "--json"], capture_output=True, text=True,
                                     check=True).stdout)


def main():
    kw, folder, task = sys.argv[1:]
    lesson = tomllib.loads((pathlib.Path(folder) / "lesson.toml").read_text(encoding="utf-8"))
    sources = {path.name for path in pathlib.Path(folder).glob("*.cu")}
    problems = [f"{name} belongs to no step" for name in sources - {step["file"] for step in lesson["step"]}]
    with tempfile.TemporaryDirectory() as out:
        session = str(pathlib.Path(out) / "lesson.kwsession")
        done = subprocess.run([kw, "agent", "run", task, "--driver", "lesson", "--lesson", folder, "--device", "sim", "--seed", "7",
                               "--stages", "compile,verify,reward", "-o", session], capture_output=True, text=True)
        if done.returncode != 0:
            print(f"exit {done.returncode}: {done.stderr}")
            return 1
        listed = show(kw, session)["steps"]
        if len(listed) != len(lesson["step"]):
            problems.append(f"{len(listed)} steps of {len(lesson['step'])}")
        for summary, written in zip(listed, lesson["step"]):
            step = show(kw, session, "--step", str(summary["step"]))
            expected, outcome = written.get("expect", "correct"), outcome_of(step)
            print(f"{written['file']:32} {outcome}")
            if outcome != expected:
                problems.append(f"{written['file']} is {outcome}, not {expected}: {step['because']}")
            if step["driver"] != "lesson" or step["thought"] != written["thought"]:
                problems.append(f"{written['file']} is not kept as the lesson has it")
    for problem in problems:
        print(f"PROBLEM: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
