"""Reads pages as a browser would, and makes runs to show on them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest

from agenteval.harness import summarize
from agenteval.trajectory import Call

VOID = {"meta", "br", "link", "img", "hr", "input"}


@dataclass
class Element:
    """One element as the parser saw it, with all the text inside it."""

    tag: str
    attributes: dict[str, str | None]
    parents: tuple[str, ...]
    text: str = ""


@dataclass
class Document(HTMLParser):
    """A page taken apart; raises where a tag is left open or closed twice."""

    source: str
    elements: list[Element] = field(default_factory=list)
    open: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.feed(self.source)
        self.close()
        assert self.open == [], "left open"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"an attribute twice: {attrs}"
        element = Element(tag, dict(attrs), tuple(one.tag for one in self.open))
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.text += data

    def all(self, *tags: str) -> list[Element]:
        return [element for element in self.elements if element.tag in tags]

    def with_class(self, name: str) -> Iterator[Element]:
        return (one for one in self.elements if name in (one.attributes.get("class") or "").split())

    @property
    def shape(self) -> list[tuple[str, tuple[str, ...]]]:
        """The tags and the names of their attributes: what must not depend on what is shown."""
        return [(one.tag, tuple(one.attributes)) for one in self.elements]

    @property
    def text(self) -> str:
        return "".join(one.text for one in self.all("body"))


@pytest.fixture(scope="session")
def read() -> Callable[[str], Document]:
    """Parse a page as HTML, after a look at whether it is well-formed and can be stored."""

    def parse(page: str) -> Document:
        page.encode("utf-8")
        ElementTree.fromstring(page.removeprefix("<!DOCTYPE html>\n"))
        return Document(page)

    return parse


def one_run(task: Any, repeat: int, **known: Any) -> dict[str, Any]:
    run: dict[str, Any] = {
        "id": task,
        "repeat": repeat,
        "passed": True,
        "reasons": [],
        "status": "final",
        "answer": "5",
        "tool_calls": 2,
        "tools_used": ["look", "file"],
        "seconds": 1.25,
        "calls": [
            {"name": "look", "args": {"order": 7}, "error": None},
            {"name": "file", "args": {"order": 7}, "error": None},
        ],
        "cost": 0.04,
    }
    run |= known
    if run["reasons"]:
        run["passed"] = False
    return run


@pytest.fixture(scope="session")
def make_run() -> Callable[..., dict[str, Any]]:
    return one_run


def six_tasks() -> tuple[Any, list[dict[str, Any]]]:
    """A report of six tasks, five repeats each, with every kind of path and outcome; its tasks."""
    dice = random.Random(20)
    look, file = Call("look", {"order": 7}), Call("file", {"order": 7})
    tasks = [
        {
            "id": f"task {n}",
            "input": f"please do {n}",
            "expected": "5",
            "reference": [look, file],
            "reference_cost": 0.04,
        }
        for n in range(6)
    ]
    runs = []
    for n, task in enumerate(tasks):
        for repeat in range(5):
            fault = dice.choice(["", "", "wrong", "lucky", "error", "both"]) if n else ""
            calls = [{"name": "look", "args": {"order": 7}, "error": None}]
            if fault in {"lucky", "both"}:
                calls += [
                    {"name": "look", "args": {"order": 8, "deep": True}, "error": "no order 8"},
                    {"name": "search", "args": {}, "error": None},
                ]
            if fault != "both":
                calls += [{"name": "file", "args": {"order": 7}, "error": None}]
            if fault == "lucky":
                calls += [{"name": "file", "args": {"order": 7}, "error": None}]
            reasons = {"wrong": ["wrong answer"], "both": ["wrong answer", "over budget"]}
            known: dict[str, Any] = {"calls": calls, "tool_calls": len(calls)}
            known["reasons"] = reasons.get(fault, [])
            known["cost"] = round(0.02 * len(calls), 3)
            if fault == "error":
                known = {
                    "reasons": ["error: KeyError"],
                    "status": None,
                    "answer": None,
                    "tool_calls": None,
                    "tools_used": None,
                    "calls": None,
                    "cost": None,
                    "error": "KeyError: 'order'",
                    "traceback": "Traceback (most recent call last):\n  ...\nKeyError: 'order'",
                    "attempts": 3,
                    "retried_errors": ["TimeoutError: slow", "TimeoutError: slow"],
                }
            runs.append(one_run(task["id"], repeat, **known))
    return summarize(runs), tasks


@pytest.fixture(scope="session")
def make_desk() -> Callable[[], tuple[Any, list[dict[str, Any]]]]:
    return six_tasks


@pytest.fixture
def desk() -> tuple[Any, list[dict[str, Any]]]:
    return six_tasks()


HOSTILE = {
    "script": "<script>alert(1)</script>",
    "end tags": "</td></table></details></bdi></pre></style></title>--><!--",
    "attribute": '" onmouseover="alert(1)" x=\'',
    "entity": "&lt;b&gt; &amp; &#x3c; &nbsp;",
    "cdata": "]]><![CDATA[x",
    "nothing": "",
    "blanks": "  \n\n\t ",
    "long": "word " * 20_000,
    "one long word": "a" * 50_000,
    "right to left": "שלום עולם, مرحبا بالعالم",
    "override": "abc\u202edef\u2066ghi",
    "emoji": "👩‍🚀🏳️‍🌈👍🏽",
    "controls": "".join(map(chr, range(32))) + "\x7f\x80\x9f\u2028\ufeff\uffff\ufffe",
    "surrogates": "\ud800 \udfff \udc80abc",
    "combining": "Z̴̡̈a̶l̷g̸o̵" * 50,
    "format": "{0} %s ${x} {{y}}",
}


@pytest.fixture(params=HOSTILE.values(), ids=HOSTILE.keys())
def hostile(request: pytest.FixtureRequest) -> str:
    """Text as an agent, or someone who talks to it, may send it."""
    return request.param
