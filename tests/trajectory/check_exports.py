#!/usr/bin/env python3
"""Reads an export as somebody else would, with Python's standard library alone, and says what is not as published.

    check_exports.py atif|chat|kto|dpo|chrome|html FILE
"""

import datetime
import html.parser
import json
import sys


class Wrong(Exception):
    pass


def need(condition, what):
    if not condition:
        raise Wrong(what)


def no_constants(name):
    raise Wrong(f"{name} is not JSON")


def load(text):
    return json.loads(text, parse_constant=no_constants)


def fields(value, where, required, optional):
    """Exactly these members, of these types."""
    need(isinstance(value, dict), f"{where} is no object")
    for name, kind in required.items():
        need(name in value, f"{where} lacks {name}")
    known = {**required, **optional}
    for name, item in value.items():
        need(name in known, f"{where} has {name}, which nobody knows")
        kind = known[name]
        need(isinstance(item, kind) and (kind is bool or kind is object or not isinstance(item, bool)),
             f"{where}.{name} is {type(item).__name__}")


NUMBER = (int, float)


def atif(text):
    """The field list of ATIF v1.7; unknown members are refused, as its readers do."""
    root = load(text)
    fields(root, "trajectory", {"schema_version": str, "agent": dict, "steps": list},
           {"session_id": str, "trajectory_id": str, "notes": str, "final_metrics": dict,
            "continued_trajectory_ref": str, "extra": dict, "subagent_trajectories": list})
    need(root["schema_version"] == "ATIF-v1.7", "another version")
    fields(root["agent"], "agent", {"name": str, "version": str},
           {"model_name": str, "tool_definitions": list, "extra": dict})
    need(root["steps"], "no steps")
    for number, step in enumerate(root["steps"], 1):
        where = f"step {number}"
        agent_only = {"model_name": str, "reasoning_effort": (str, float), "reasoning_content": str, "tool_calls": list,
                      "metrics": dict, "llm_call_count": int}
        fields(step, where, {"step_id": int, "source": str, "message": (str, list)},
               {"timestamp": str, "observation": dict, "extra": dict, "is_copied_context": bool, **agent_only})
        need(step["step_id"] == number, f"{where} is called {step['step_id']}")
        need(step["source"] in ("system", "user", "agent"), f"{where} is of {step['source']}")
        if step["source"] != "agent":
            need(not agent_only.keys() & step.keys(), f"{where} has what only an agent's has")
        if "timestamp" in step:
            datetime.datetime.fromisoformat(step["timestamp"].replace("Z", "+00:00"))
        calls = set()
        for call in step.get("tool_calls", []):
            fields(call, f"{where} call", {"tool_call_id": str, "function_name": str, "arguments": dict}, {"extra": dict})
            need(call["tool_call_id"] not in calls, f"{where} has two calls {call['tool_call_id']}")
            calls.add(call["tool_call_id"])
        if "observation" in step:
            fields(step["observation"], f"{where} observation", {"results": list}, {})
            for result in step["observation"]["results"]:
                fields(result, f"{where} result", {}, {"source_call_id": str, "content": (str, list), "extra": dict,
                                                       "subagent_trajectory_ref": list})
                need(result.get("source_call_id") in calls | {None}, f"{where} has a result of no call")
        if "metrics" in step:
            fields(step["metrics"], f"{where} metrics", {},
                   {"prompt_tokens": int, "completion_tokens": int, "cached_tokens": int, "cost_usd": NUMBER,
                    "prompt_token_ids": list, "completion_token_ids": list, "logprobs": list, "extra": dict})
    fields(root.get("final_metrics", {}), "final_metrics", {},
           {"total_prompt_tokens": int, "total_completion_tokens": int, "total_cached_tokens": int,
            "total_cost_usd": NUMBER, "total_steps": int, "extra": dict})
    return len(root["steps"])


def messages(list_, where, tools=False):
    need(isinstance(list_, list) and list_, f"{where} has no messages")
    open_calls = []
    for i, message in enumerate(list_):
        at = f"{where} message {i}"
        role = message.get("role")
        optional = {"assistant": {"tool_calls": list, "reasoning_content": str}, "tool": {"name": str}}.get(role, {})
        required = {"role": str, "content": str, **({"tool_call_id": str} if role == "tool" else {})}
        fields(message, at, required, optional)
        need(role in ("system", "user", "assistant") + (("tool",) if tools else ()), f"{at} is of {role}")
        need(role != "system" or i == 0, f"{at} is a system message in between")
        if role == "tool":
            need(open_calls and open_calls[0] == message["tool_call_id"], f"{at} answers no call")
            open_calls.pop(0)
        else:
            need(not open_calls, f"{at} comes before the results of calls")
            for call in message.get("tool_calls", []):
                fields(call, at, {"id": str, "type": str, "function": dict}, {})
                fields(call["function"], at, {"name": str, "arguments": str}, {})
                load(call["function"]["arguments"])
                open_calls.append(call["id"])
    need(not open_calls, f"{where} ends before the results of calls")
    return list_


def rows(text):
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else [], 1):
        yield f"row {number}", load(line)


def chat(text):
    count = 0
    for where, row in rows(text):
        fields(row, where, {"messages": list, "tools": list}, {})
        list_ = messages(row["messages"], where, tools=True)
        need(any(m["role"] == "assistant" for m in list_), f"{where} teaches nothing")
        need(list_[0]["role"] in ("system", "user"), f"{where} begins with {list_[0]['role']}")
        names = set()
        for tool in row["tools"]:
            fields(tool, where, {"type": str, "function": dict}, {})
            fields(tool["function"], where, {"name": str, "parameters": dict}, {"description": str})
            names.add(tool["function"]["name"])
        called = {c["function"]["name"] for m in list_ for c in m.get("tool_calls", [])}
        need(called == names, f"{where} calls {called} and has {names}")
        count += 1
    return count


def prompts(text, *completions, **others):
    count = 0
    for where, row in rows(text):
        fields(row, where, {"prompt": list, **{name: list for name in completions}, **others}, {})
        need(messages(row["prompt"], where)[-1]["role"] == "user", f"{where} prompt does not end with the user")
        for name in completions:
            need([m["role"] for m in messages(row[name], where)] == ["assistant"], f"{where} {name} is no reply")
        if "chosen" in completions:
            need(row["chosen"] != row["rejected"], f"{where} compares a reply with itself")
        count += 1
    return count


def chrome(text):
    root = load(text)
    need(isinstance(root["traceEvents"], list), "no events")
    named, ends = {0}, {}
    for event in root["traceEvents"]:
        need(event["ph"] in "XCM", f"phase {event['ph']}")
        if event["ph"] == "M":
            named.add(event["tid"])
        elif event["ph"] == "X":
            need(event["dur"] >= 0 and event["tid"] in named, f"{event}")
            need(event["ts"] + 0.01 >= ends.get(event["tid"], 0), f"{event} overlaps the one before")
            ends[event["tid"]] = event["ts"] + event["dur"]
    return len(root["traceEvents"])


class Page(html.parser.HTMLParser):
    EMPTY = {"meta", "br"}

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.count = [], set(), set(), 0

    def handle_starttag(self, tag, attributes):
        need(tag not in ("script", "link", "img", "iframe", "object", "base", "form"), f"the page has <{tag}>")
        for name, value in attributes:
            need(not name.startswith("on"), f"the page has {name}")
            need(name not in ("src", "srcset", "action", "background"), f"the page refers to {value}")
            if name == "id":
                self.ids.add(value)
            if name == "href":
                need(value.startswith("#"), f"the page refers to {value}")
                self.links.add(value[1:])
        self.count += tag == "details"
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        need(self.open and self.open.pop() == tag, f"</{tag}> closes nothing")


def page(text):
    reader = Page()
    reader.feed(text)
    reader.close()
    need(not reader.open, f"{reader.open} are left open")
    need(reader.links <= reader.ids, f"{reader.links - reader.ids} lead nowhere")
    need("url(" not in text and "@import" not in text, "the style refers to something")
    return reader.count


READERS = {"atif": atif, "chat": chat, "chrome": chrome, "html": page,
           "kto": lambda text: prompts(text, "completion", label=bool),
           "dpo": lambda text: prompts(text, "chosen", "rejected")}


def main():
    kind, path = sys.argv[1:]
    with open(path, encoding="utf-8", errors="strict", newline="") as file:
        text = file.read()
    try:
        print(READERS[kind](text))
    except (Wrong, ValueError, KeyError, TypeError) as problem:
        print(f"{path} as {kind}: {problem!r}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
