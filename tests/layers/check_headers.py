#!/usr/bin/env python3
"""Fails when a header does not compile alone.

    check_headers.py BUILD_FOLDER

Each header is compiled as the only content of a source, with the flags of a source of its folder and without precompiled headers.
"""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOPS = ("engine", "agent", "widgets", "editor", "profiler_views", "app")


def flags_by_folder(build):
    """Compiler and flags of the first source of each folder, less what names this source or a precompiled header."""
    flags = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        if ROOT not in source.parents or build in source.parents:
            continue
        folder = source.parent.relative_to(ROOT).as_posix()
        if folder in flags:
            continue
        words = shlex.split(entry["command"])
        kept, skip = [], 0
        for i, word in enumerate(words):
            if skip:
                skip -= 1
            elif word in ("-o", "-include", "-MT", "-MF") or (word == "-c"):
                skip = 1
            elif word in ("-MD", "-Winvalid-pch", "-fpch-preprocess", "-Werror", "-g", "-O2", "-O3"):
                pass
            else:
                kept.append(word)
        flags[folder] = kept
    return flags


def nearest(folder, flags):
    """The flags of the folder, else of the nearest one above it, else of the first one below it; none where there is no such source."""
    for near in (folder, *folder.parents[:-1]):
        if near.as_posix() in flags:
            return flags[near.as_posix()]
    return next((flags[name] for name in sorted(flags) if name.startswith(folder.as_posix() + "/")), None)


def check(header, flags, scratch):
    relative = header.relative_to(ROOT).as_posix()
    command = nearest(header.parent.relative_to(ROOT), flags)
    if command is None:
        return f"{relative}: no source near it is built, so its flags are unknown"
    source = scratch / (relative.replace("/", "__") + ".cpp")
    source.write_text(f'#include "{relative}"\n')
    command = command + ["-O0", "-fsyntax-only", str(source)]
    result = subprocess.run(command, capture_output=True, text=True)
    return None if result.returncode == 0 else f"{relative} does not compile alone:\n{result.stderr}"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    flags = flags_by_folder(build)
    headers = sorted(h for top in TOPS for h in (ROOT / top).rglob("*.h"))
    scratch = build / "header_check"  # a fixed place, so that ccache recognises the sources
    scratch.mkdir(exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [p for p in pool.map(lambda h: check(h, flags, scratch), headers) if p]

    # The check itself must be able to fail.
    with tempfile.NamedTemporaryFile("w", suffix=".h", dir=ROOT / "engine/base", prefix="incomplete_") as bad:
        bad.write("inline std::string missing_include();\n")
        bad.flush()
        if check(pathlib.Path(bad.name), flags, scratch) is None:
            problems.append("a header with a missing include was not noticed")

    print("\n".join(problems) if problems else f"{len(headers)} headers compile alone")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
