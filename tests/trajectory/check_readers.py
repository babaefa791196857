#!/usr/bin/env python3
"""Reads a session's exports with other projects' readers: Harbor's models of ATIF, and Hugging Face's datasets for the
rows that trainers take. Those that are not installed are left out; with none of them the status is 77.

    check_readers.py KW SESSION WHEELS     WHEELS: folder that may hold Harbor's wheel
"""

import importlib.metadata
import json
import pathlib
import subprocess
import sys
import tempfile
import types

kw, session, wheels = sys.argv[1:4]
used = []


def export(form, folder):
    path = pathlib.Path(folder) / form
    # The steps of a lesson follow each other, so that none has two from the same parent.
    more = ["--pairs", "task"] if form == "dpo" else []
    subprocess.run([kw, "session", "export", session, "--format", form, *more, "-o", path], check=True)
    return path


def with_harbor(folder):
    found = sorted(pathlib.Path(wheels).glob("harbor-*.whl"))
    if not found:
        return
    try:
        import pydantic  # noqa: F401
    except ImportError:
        return
    # Only its models are wanted, not the program around them, which needs a newer Python.
    sys.path.insert(0, str(found[-1]))
    for name in ("harbor", "harbor.models"):
        module = types.ModuleType(name)
        module.__path__ = [f"{found[-1]}/{name.replace('.', '/')}"]
        sys.modules[name] = module
    from harbor.models.trajectories import Trajectory
    text = export("atif", folder).read_text(encoding="utf-8")
    trajectory = Trajectory.model_validate(json.loads(text))
    assert trajectory.steps, "no steps"
    # What it refuses shows that it looks.
    broken = json.loads(text)
    broken["steps"][0]["step_id"] = 99
    try:
        Trajectory.model_validate(broken)
    except ValueError:
        pass
    else:
        raise AssertionError("Harbor's models accept a step that is numbered wrongly")
    used.append(found[-1].name.split("-py3")[0])


# As TRL documents them: SFT's conversations, KTO's and DPO's rows, all as lists of messages.
COLUMNS = {"chat": {"messages"}, "kto": {"prompt", "completion", "label"}, "dpo": {"prompt", "chosen", "rejected"}}


def with_datasets(folder):
    try:
        import datasets
    except ImportError:
        return
    datasets.disable_progress_bars()
    for form, columns in COLUMNS.items():
        rows = datasets.load_dataset("json", data_files=str(export(form, folder)), split="train",
                                     cache_dir=f"{folder}/cache")
        assert len(rows) > 0, f"{form}: no rows"
        assert columns <= set(rows.column_names), f"{form}: columns {rows.column_names}"
        for row in rows:
            for column in columns - {"label"}:
                for message in row[column]:
                    assert message["role"] in ("system", "user", "assistant", "tool"), message
                    assert message["content"] is not None or message.get("tool_calls"), message
            assert form != "kto" or isinstance(row["label"], bool), row["label"]
    used.append("datasets " + importlib.metadata.version("datasets"))


with tempfile.TemporaryDirectory() as folder:
    with_harbor(folder)
    with_datasets(folder)
print("read with " + ", ".join(used) if used else "neither Harbor's models nor datasets are installed")
sys.exit(0 if used else 77)
