#!/usr/bin/env python3
"""Whether requests are what the vendors' own packages (openai, anthropic) take: check_requests.py PROTOCOL LOG, LOG as llm_server.py writes
it. Members that the types do not know are refused too."""

import json
import sys

from pydantic import TypeAdapter


def type_of(protocol):
    if protocol == "chat":
        from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming as Params
    elif protocol == "responses":
        from openai.types.responses.response_create_params import ResponseCreateParamsStreaming as Params
    else:
        from anthropic.types.message_create_params import MessageCreateParamsStreaming as Params
    return Params


params = type_of(sys.argv[1])
known = set(params.__annotations__)
for base in params.__orig_bases__:
    known |= set(getattr(base, "__annotations__", {}))
count = 0
for line in open(sys.argv[2], encoding="utf-8"):
    body = json.loads(json.loads(line)["body"])
    TypeAdapter(params).validate_python(body)
    unknown = set(body) - known
    assert not unknown, f"members that are not known: {unknown}"
    count += 1
assert count > 0, "there are no requests"
print(f"{count} requests fit {params.__name__}")
