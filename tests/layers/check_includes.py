#!/usr/bin/env python3
"""Fails when an #include crosses a line of docs/design.md, section 1.

    check_includes.py [ROOT]      check the tree
    check_includes.py --self-test prove that each rule can fail
"""

import pathlib
import re
import sys
import tempfile

# Which folders of the project a folder may include from, itself aside. The longest matching prefix counts.
ALLOWED = {
    "engine/base": [],
    "engine/device": ["engine/base"],
    "engine/device/sim": ["engine/base", "engine/device"],
    "engine/device/cuda": ["engine/base", "engine/device", "engine/compile"],
    "engine/compile": ["engine/base"],
    "engine/task": ["engine/base", "engine/device", "engine/compile"],
    "engine/verify": ["engine/base", "engine/device", "engine/task"],
    "engine/audit": ["engine/base", "engine/compile", "engine/device", "engine/task"],
    "engine/bench": ["engine/base"],
    "engine/profile": ["engine/base", "engine/device", "engine/compile"],
    "engine/timeline": ["engine/base", "engine/device", "engine/profile"],
    "engine/runtime": ["engine/base", "engine/device"],
    "engine/reward": ["engine/base", "engine/bench"],
    "engine/pipeline": ["engine/base", "engine/device", "engine/compile", "engine/task", "engine/verify", "engine/audit",
                        "engine/bench", "engine/profile", "engine/reward"],
    "engine/report": ["engine/base", "engine/device", "engine/compile", "engine/task", "engine/verify", "engine/audit", "engine/bench",
                      "engine/profile", "engine/reward", "engine/pipeline"],
    "engine/rpc": ["engine/base", "engine/device", "engine/compile", "engine/task", "engine/verify", "engine/audit", "engine/profile", "engine/pipeline"],
    "engine/worker": ["engine"],
    "agent": ["engine"],
    "agent/review": ["engine", "agent", "widgets"],
    "widgets": [],
    "editor": ["engine", "widgets"],
    "profiler_views": ["engine", "widgets"],
    "app/cli": ["engine", "agent"],
    "app/desktop": ["engine", "agent", "widgets", "editor", "profiler_views"],
}
# Refused although a broader entry above allows it.
REFUSED = {
    "agent": ["agent/review", "engine/worker"],
    "app/cli": ["agent/review"],
}
QT_FOLDERS = ["widgets", "editor", "profiler_views", "agent/review", "app/desktop"]
CUDA_FOLDERS = ["engine/device/cuda", "engine/compile", "engine/profile/cupti"]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
QT = re.compile(r"^(Q[A-Z]\w*|Qt\w*/.*|Qsci/.*|qcustomplot\.h)$")
CUDA = re.compile(r"^(cuda|cuda_\w+|nvrtc|cupti\w*|nvml|driver_types|vector_types)\.h$|^cuda/")


def under(path, folder):
    return path == folder or path.startswith(folder + "/")


def rule_for(path):
    matches = [folder for folder in ALLOWED if under(path, folder)]
    return max(matches, key=len) if matches else None


def problems_in(root):
    root = pathlib.Path(root)
    for top in ("engine", "agent", "widgets", "editor", "profiler_views", "app"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in (".h", ".cpp", ".inc"):
                continue
            path = file.relative_to(root).as_posix()
            folder = rule_for(path)
            if folder is None:
                yield f"{path}: no rule says what this folder may include; add it to {pathlib.Path(__file__).name}"
                continue
            text = file.read_text(encoding="utf-8")
            for match in INCLUDE.finditer(text):
                line = text.count("\n", 0, match.start(2)) + 1
                target = match.group(2)
                if QT.match(target) and not any(under(path, f) for f in QT_FOLDERS):
                    yield f"{path}:{line}: includes Qt's {target}; only {', '.join(QT_FOLDERS)} may"
                if CUDA.match(target) and not any(under(path, f) for f in CUDA_FOLDERS):
                    yield f"{path}:{line}: includes CUDA's {target}; only {', '.join(CUDA_FOLDERS)} may"
                target_folder = rule_for(target)
                if match.group(1) == '"' and target_folder is None and (file.parent / target).exists():
                    yield f"{path}:{line}: include \"{target}\" from the repository root"
                if target_folder is None or target_folder == folder:
                    continue
                allowed = any(under(target, f) for f in ALLOWED[folder])
                refused = any(under(target, f) for f in REFUSED.get(folder, []))
                if not allowed or refused:
                    yield f"{path}:{line}: {folder} may not include {target}"


def self_test():
    cases = {
        ("engine/base/a.cpp", '#include "engine/task/task.h"'): "may not include",
        ("engine/device/sim/a.cpp", '#include "engine/compile/compiler.h"'): "may not include",
        ("engine/task/a.h", "#include <QString>"): "includes Qt",
        ("agent/session/a.cpp", "#include <QObject>"): "includes Qt",
        ("agent/session/a.cpp", '#include "agent/review/steps.h"'): "may not include",
        ("engine/pipeline/a.cpp", "#include <cuda.h>"): "includes CUDA",
        ("editor/a.cpp", '#include "profiler_views/timeline/timeline.h"'): "may not include",
        ("widgets/a.cpp", '#include "engine/base/result.h"'): "may not include",
        ("app/cli/a.cpp", '#include "agent/review/steps.h"'): "may not include",
        ("engine/unheard_of/a.h", ""): "no rule",
    }
    failures = 0
    for (path, text), expected in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, path)
            file.parent.mkdir(parents=True)
            file.write_text(text + "\n")
            found = list(problems_in(folder))
            if len(found) != 1 or expected not in found[0]:
                print(f"self-test: {path} with {text!r}: expected one '{expected}', found {found}")
                failures += 1
    print(f"self-test: {len(cases) - failures} of {len(cases)} rules fail as they should")
    return failures


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 1 if self_test() else 0
    root = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    found = list(problems_in(root))
    print("\n".join(found) if found else "every include stays within its lines")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
