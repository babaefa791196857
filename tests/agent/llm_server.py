#!/usr/bin/env python3
"""A server that answers as a script says: llm_server.py SCRIPT LOG [CERTIFICATE KEY]

SCRIPT is a JSON list of answers, one for each request; the last one is given again and again. An answer has `status`, `headers`,
`body`, and: `split` (bytes of a piece; pieces are sent one by one), `pause_ms` (between pieces), `wait_ms` (before the first byte),
`endless` (the body is sent over and over), `hang` (after the body nothing more comes and the connection stays), `reset` (the connection
breaks after the body), `base64` (the body is in base64). Every request is written to LOG as a line of JSON. The first line on standard
output is the port.
"""

import base64
import json
import socket
import ssl
import struct
import sys
import threading
import time

script = json.load(open(sys.argv[1], encoding="utf-8"))
log = open(sys.argv[2], "a", encoding="utf-8")
lock = threading.Lock()
count = 0


def read_request(stream):
    head = b""
    while b"\r\n\r\n" not in head:
        piece = stream.recv(65536)
        if not piece:
            return None
        head += piece
        if head[0] == 0x16:  # TLS, where there is none: said as others say it
            stream.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            return None
    head, body = head.split(b"\r\n\r\n", 1)
    lines = head.decode("latin-1").split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:])}
    while len(body) < int(headers.get("content-length", 0)):
        body += stream.recv(65536)
    return lines[0], headers, body


def next_answer(request):
    global count
    line, headers, body = request
    with lock:
        answer = script[min(count, len(script) - 1)]
        count += 1
        log.write(json.dumps({"line": line, "headers": headers, "body": body.decode("utf-8", "replace")}) + "\n")
        log.flush()
    return answer


def serve(stream):
    try:
        request = read_request(stream)
        if request is None:
            return
        answer = next_answer(request)
        time.sleep(answer.get("wait_ms", 0) / 1000)
        headers = {"Content-Type": "text/event-stream", "Connection": "close", **answer.get("headers", {})}
        head = f"HTTP/1.1 {answer.get('status', 200)} Scripted\r\n" + "".join(f"{k}: {v}\r\n" for k, v in headers.items())
        stream.sendall(head.encode() + b"\r\n")
        body = answer.get("body", "")
        body = base64.b64decode(body) if answer.get("base64") else body.encode()
        size = answer.get("split", len(body)) or 1
        while True:
            for start in range(0, len(body), size):
                stream.sendall(body[start:start + size])
                if answer.get("pause_ms"):
                    time.sleep(answer["pause_ms"] / 1000)
            if not answer.get("endless"):
                break
        if answer.get("hang"):
            time.sleep(60)
        if answer.get("reset"):
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except OSError:
        pass  # the client has gone
    finally:
        stream.close()


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    context = None
    if len(sys.argv) > 3:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[3], sys.argv[4])
    print(listener.getsockname()[1], flush=True)

    def start(connection):
        try:
            serve(context.wrap_socket(connection, server_side=True) if context else connection)
        except (OSError, ssl.SSLError):
            connection.close()

    while True:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=start, args=(connection,), daemon=True).start()


main()
