from __future__ import annotations

from types import SimpleNamespace

import pytest

from agenteval.trajectory import (
    Call,
    compare_steps,
    score_runs,
    score_trajectory,
    write_tools_from_mcp,
)

TOOLS = [
    {"name": "get_invoice", "annotations": {"title": "Get invoice", "readOnlyHint": True}},
    {
        "name": "set_due_date",
        "annotations": {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True},
    },
    {"name": "send_invoice", "annotations": {"destructiveHint": False}},
    {"name": "delete_invoice", "annotations": {"destructiveHint": True}},
    {"name": "legacy_tool", "inputSchema": {"type": "object"}},
    {"name": "odd_tool", "annotations": {"readOnlyHint": True, "destructiveHint": True}},
    {"name": "null_tool", "annotations": {"readOnlyHint": None, "destructiveHint": None}},
    {"name": "no_annotations", "annotations": None},
    {"name": "text_hint", "annotations": {"readOnlyHint": "false"}},
]
WRITES = {
    "send_invoice",
    "delete_invoice",
    "legacy_tool",
    "null_tool",
    "no_annotations",
    "text_hint",
}


class Tool(SimpleNamespace):
    """An object as MCP clients have them."""


class Page:
    """A client's page that, like a pydantic model, can be iterated over as pairs."""

    def __init__(self, tools: list) -> None:
        self.tools = tools
        self.nextCursor = None

    def __iter__(self):
        yield from (("tools", self.tools), ("nextCursor", None))


def as_objects(tools: list[dict]) -> list[Tool]:
    return [
        Tool(
            name=tool["name"],
            annotations=Tool(**tool["annotations"]) if tool.get("annotations") else None,
        )
        for tool in tools
    ]


def in_snake_case(tools: list[dict]) -> list[dict]:
    """The same tools as the Python SDK dumps them from its objects."""
    names = {"readOnlyHint": "read_only_hint", "idempotentHint": "idempotent_hint"}
    return [
        {
            "name": tool["name"],
            "annotations": {
                names.get(key, key): hint for key, hint in (tool.get("annotations") or {}).items()
            },
        }
        for tool in tools
    ]


@pytest.mark.parametrize(
    "listed",
    [
        pytest.param({"jsonrpc": "2.0", "id": 1, "result": {"tools": TOOLS}}, id="response"),
        pytest.param({"tools": TOOLS}, id="result"),
        pytest.param({"tools": TOOLS, "nextCursor": "p2"}, id="result with a cursor"),
        pytest.param(TOOLS, id="list"),
        pytest.param(tuple(TOOLS), id="tuple"),
        pytest.param(iter(TOOLS), id="iterator"),
        pytest.param([{"tools": TOOLS[:4], "nextCursor": "p2"}, {"tools": TOOLS[4:]}], id="pages"),
        pytest.param(
            [{"result": {"tools": TOOLS[:2]}}, {"result": {"tools": TOOLS[2:]}}], id="responses"
        ),
        pytest.param(in_snake_case(TOOLS), id="the Python SDK's names"),
        pytest.param(as_objects(in_snake_case(TOOLS)), id="the Python SDK's objects"),
        pytest.param(as_objects(TOOLS), id="a client's tools"),
        pytest.param(Page(as_objects(TOOLS)), id="a client's page"),
        pytest.param([Page(as_objects(TOOLS[:3])), Page(as_objects(TOOLS[3:]))], id="its pages"),
    ],
)
def test_a_tool_is_a_write_unless_it_says_that_it_may_run_twice(listed):
    assert write_tools_from_mcp(listed) == WRITES


def test_no_tools_are_no_writes():
    assert write_tools_from_mcp([]) == frozenset()
    assert write_tools_from_mcp({"tools": []}) == frozenset()


def test_the_names_are_what_scoring_takes():
    send = Call("send_invoice", {"id": "i1"})
    scores = score_trajectory([send], [send, send], write_tools=write_tools_from_mcp(TOOLS))
    assert scores["duplicate_writes"] == 1


def broken(_name):
    raise LookupError("no such tool")


@pytest.mark.parametrize(
    ("write_tools", "kind", "message"),
    [
        pytest.param({1}, TypeError, r"must be names .*, got int 1 in \{1\}", id="a number"),
        pytest.param(["a", None], TypeError, r"must be names .*, got NoneType None", id="a list"),
        pytest.param(frozenset({("a",)}), TypeError, r"must be names .*, got tuple", id="a tuple"),
        pytest.param("send", TypeError, r"must be a collection of .*, got str 'send'", id="text"),
        pytest.param(7, TypeError, r"must be a collection of tool names or a predicate", id="int"),
        pytest.param(
            broken, ValueError, r"raised LookupError for the tool 'send': no such tool", id="raises"
        ),
    ],
)
def test_write_tools_are_names_or_a_predicate(write_tools, kind, message):
    with pytest.raises(kind, match=rf"^score_trajectory: write_tools {message}"):
        score_trajectory([], [Call("send")], write_tools=write_tools)
    with pytest.raises(kind, match=rf"^compare_steps: write_tools {message}"):
        compare_steps([], [Call("send")], write_tools=write_tools)
    task = {"id": 1, "reference": []}
    runs = [{"id": 1, "passed": True, "calls": [Call("send")]}] if kind is ValueError else []
    with pytest.raises(kind, match=rf"^score_runs: write_tools {message}"):
        score_runs(runs, [task], write_tools=write_tools)


@pytest.mark.parametrize(
    "write_tools",
    [["send"], ("send",), {"send": 1}.keys(), {"send"}, lambda name: name == "send", "send".__eq__],
    ids=repr,
)
def test_every_kind_of_write_tools(write_tools):
    twice = [Call("send"), Call("send"), Call("get"), Call("get")]
    assert score_trajectory([], twice, write_tools=write_tools)["duplicate_writes"] == 1


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        pytest.param({}, r"found no tools in dict \{\}; pass the result of tools/list", id="empty"),
        pytest.param({"error": {"code": -32601}}, r"found no tools in dict", id="error response"),
        pytest.param("tools", r"found no tools in str 'tools'", id="text"),
        pytest.param(None, r"found no tools in NoneType None", id="none"),
        pytest.param([{"title": "x"}], r"found no tools in dict \{'title': 'x'\}", id="no name"),
        pytest.param(["get_invoice"], r"found no tools in str 'get_invoice'", id="names"),
        pytest.param([{"name": 7}], r"a tool's name must be a str, got \{'name': 7\}", id="number"),
    ],
)
def test_bad_input_is_named(listed, message):
    with pytest.raises(TypeError, match=rf"write_tools_from_mcp: {message}"):
        write_tools_from_mcp(listed)
