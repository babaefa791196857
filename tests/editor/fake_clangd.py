#!/usr/bin/env python3
"""A language server that behaves as its first argument says: good, silent, garbage, crash, endless, odd."""

import json
import sys

mode = sys.argv[1] if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "good"


def read():
    length = 0
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            sys.exit(0)
        if line == b"\r\n":
            break
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length))


def send(message):
    body = json.dumps(message).encode()
    # In two pieces, so that the reader has to put them together.
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body[: len(body) // 2])
    sys.stdout.buffer.flush()
    sys.stdout.buffer.write(body[len(body) // 2 :])
    sys.stdout.buffer.flush()


text, flags = "", []
while True:
    message = read()
    method, identity = message.get("method"), message.get("id")
    if method == "initialize":
        flags = message["params"]["initializationOptions"]["fallbackFlags"]
        if mode == "silent":
            continue
        if mode == "garbage":
            sys.stdout.buffer.write(b"this is no message\r\n\r\n")
            sys.stdout.buffer.flush()
            continue
        send({"jsonrpc": "2.0", "method": "window/logMessage", "params": {"message": "hello"}})
        send({"jsonrpc": "2.0", "id": 77, "method": "workspace/configuration", "params": {}})
        send({"jsonrpc": "2.0", "id": identity, "result": {"capabilities": {}}})
    elif method == "textDocument/didOpen":
        text = message["params"]["textDocument"]["text"]
    elif method == "textDocument/didChange":
        text = message["params"]["contentChanges"][0]["text"]
    elif method == "textDocument/completion":
        if mode == "crash":
            sys.exit(3)
        if mode == "hang":
            continue
        if mode == "odd":
            send({"jsonrpc": "2.0", "id": "x", "result": 1})
            send({"jsonrpc": "2.0", "id": identity, "result": {"items": [1, {"label": 2}, {}, {"label": "ok", "kind": "x"}]}})
            continue
        place = message["params"]["position"]
        line = text.split("\n")[place["line"]][: place["character"]]
        send({"jsonrpc": "2.0", "id": identity, "result": {"isIncomplete": False, "items": [
            {"label": " my_function(int a)", "filterText": "my_function", "kind": 3, "detail": "void",
             "documentation": {"kind": "plaintext", "value": "What it does.\nMore."}},
            {"label": "seen_" + line.strip().replace(" ", "_"), "kind": 6},
            {"label": "flag_" + str("-nocudalib" in flags and "--cuda-gpu-arch=sm_80" in flags), "kind": 6}]}})
    elif method == "textDocument/hover":
        send({"jsonrpc": "2.0", "id": identity, "result": {"contents": {"kind": "plaintext", "value": "int x"}}})
    elif method == "textDocument/signatureHelp":
        if mode == "odd":
            send({"jsonrpc": "2.0", "id": identity, "error": {"code": -1, "message": "no"}})
            continue
        send({"jsonrpc": "2.0", "id": identity, "result": {"signatures": [{"label": "f(int a, int b) -> void"}]}})
