"""LangChain messages as dicts, and one run of a LangGraph graph as its streams tell it."""

from __future__ import annotations

from typing import Any


def ai(content: Any = "", **fields: Any) -> dict[str, Any]:
    return {"type": "ai", "content": content, **fields}


def tool(call_id: str, content: Any = "ok", **fields: Any) -> dict[str, Any]:
    return {"type": "tool", "tool_call_id": call_id, "content": content, **fields}


def call(name: str, args: Any = None, call_id: str | None = "c1") -> dict[str, Any]:
    return {"name": name, "args": {} if args is None else args, "id": call_id, "type": "tool_call"}


HUMAN = {"type": "human", "content": "Add milk.", "id": "h1"}
MESSAGES = [
    HUMAN,
    ai("On it.", id="a1", tool_calls=[call("add", {"item": "milk"})]),
    tool("c1", id="t1"),
    ai("Added.", id="a2"),
]
NODE = {"langgraph_node": "agent"}
VALUES = [{"messages": MESSAGES[:end]} for end in (1, 2, 3, 4)]
UPDATES: list[dict[str, Any]] = [
    {"agent": {"messages": MESSAGES[1:2]}},
    {"tools": {"messages": MESSAGES[2:3], "count": 1}},
    {"log": None},
    {"agent": {"messages": MESSAGES[3]}},
]
