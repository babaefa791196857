"""Talks to kw-worker: JSON-RPC 2.0 with Content-Length framing over its standard input and output.

Needs nothing but Python's standard library, so that it runs wherever the worker does.
"""

import base64
import json
import os
import pathlib
import queue
import signal
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROTOCOL_HEADER = b"Content-Length: "
TEXT = {".cu", ".cuh", ".h", ".hpp", ".inl", ".toml"}


class Refused(Exception):
    """The worker answered with an error; `error` is its JSON."""

    def __init__(self, error):
        super().__init__(error.get("message", str(error)))
        self.error = error
        self.code = error.get("data", {}).get("code", "")
        self.stage = error.get("data", {}).get("stage", "")


def default_programs():
    return ROOT / "build" / "release" / "bin"


def read_task(folder):
    """A task's files as the worker takes them."""
    files = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.suffix in TEXT:
            files[path.relative_to(folder).as_posix()] = path.read_text(encoding="utf-8")
        elif path.suffix == ".npy":
            files[path.relative_to(folder).as_posix()] = {"base64": base64.b64encode(path.read_bytes()).decode()}
    return files


class Worker:
    """A `kw-worker serve` of one's own."""

    def __init__(self, program, *options):
        self.process = subprocess.Popen([str(program), *options, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, start_new_session=True)
        self._answers = queue.Queue()
        self.live = []
        self._words = []
        self._id = 0
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._listen, daemon=True).start()
        self.capabilities = self.call("initialize", {"protocol": 1}, timeout=30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _read(self):
        stream = self.process.stdout
        while line := stream.readline():
            if not line.startswith(PROTOCOL_HEADER):
                continue
            length = int(line[len(PROTOCOL_HEADER):])
            stream.readline()
            self._answers.put(json.loads(stream.read(length)))
        self._answers.put(None)

    def _listen(self):
        for line in self.process.stderr:
            self._words = (self._words + [line.decode(errors="replace").rstrip()])[-20:]

    def send(self, method, params):
        self._id += 1
        body = json.dumps({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}).encode()
        self.process.stdin.write(PROTOCOL_HEADER + str(len(body)).encode() + b"\r\n\r\n" + body)
        self.process.stdin.flush()
        return self._id

    def wait(self, request, timeout):
        """The result of a request. Live updates that come before it are kept in `live`, with their times."""
        until = time.monotonic() + timeout
        while True:
            try:
                message = self._answers.get(timeout=max(0.01, until - time.monotonic()))
            except queue.Empty:
                raise TimeoutError(f"the worker did not answer within {timeout} s") from None
            if message is None:
                raise EOFError("the worker ended: " + " | ".join(self._words[-3:]))
            if message.get("method") == "live":
                self.live.append((time.monotonic(), message["params"]["update"]))
            if message.get("id") != request:
                continue
            if "error" in message:
                raise Refused(message["error"])
            return message["result"]

    def call(self, method, params=None, timeout=120):
        return self.wait(self.send(method, params or {}), timeout)

    def evaluate(self, files, timeout=240, **options):
        return self.call("evaluate", {"files": files, "options": options}, timeout)

    def executors(self):
        """Process ids of the children that run kernels."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if int(fields[1]) == self.process.pid and fields[0] != "Z" and b"exec" in words:
                found.append(int(entry.name))
        return found

    def close(self):
        if self.process.poll() is None:
            try:
                self.send("shutdown", {})
                self.process.wait(5)
            except (OSError, subprocess.TimeoutExpired):
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
