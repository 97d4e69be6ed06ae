"""Whatever agents and customers write, it is shown as text and changes nothing else on the page."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest

from agenteval.harness import summarize
from agenteval.report import html, html_fragment
from agenteval.report.formatting import visible
from agenteval.report.page.text import block, bounded, escaped, isolated
from agenteval.trajectory import Call


def evaluation(text: str, make_run: Callable[..., dict[str, Any]]) -> tuple[Any, list[Any], Any]:
    """A report with `text` in every place where text can come from outside, its tasks and rows."""
    task = {
        "id": text + "1",
        "input": {text: [text]},
        "expected": [text, "x"],
        "reference": [Call(text, {text: text, "k": 1}), Call("file", {})],
        "metadata": text,
    }
    calls = [
        {"name": text, "args": {text: text, "k": [text]}, "error": text},
        {"name": text + "x", "args": {}, "error": None},
    ]
    known = {
        "status": text + "s",
        "answer": text,
        "calls": calls,
        "reasons": [text + "r", f"forbidden tool: {text}"],
        "error": "E: " + text,
        "traceback": "T\n" + text,
        "attempts": 2,
        "retried_errors": [text],
        "tools_used": [text],
    }
    runs = [make_run(task["id"], repeat, **known) for repeat in range(2)]
    return summarize(runs, label=text + "l"), [task], known


@pytest.fixture(scope="module")
def expected(make_run: Any, read: Any) -> Any:
    """The page of plain words."""
    report, tasks, _ = evaluation("word", make_run)
    return read(html(report, tasks=tasks, baseline=report))


@pytest.fixture(scope="module")
def expected_piece(make_run: Any, read: Any) -> Any:
    report, _, _ = evaluation("word", make_run)
    return read(html_fragment(report))


def test_text_never_becomes_markup(hostile: str, make_run: Any, read: Any, expected: Any) -> None:
    report, tasks, _ = evaluation(hostile, make_run)
    page = read(html(report, tasks=tasks, baseline=report))
    # What is long or has line breaks stands in a block, a cut has a mark, and a long reason stands
    # in a place of its own.
    either = {"bdi", "pre", "span", "dt", "dd"}
    assert [tag for tag, _ in page.shape if tag not in either] == [
        tag for tag, _ in expected.shape if tag not in either
    ]
    assert {names for _, names in page.shape} <= {names for _, names in expected.shape}


def test_text_is_shown_as_it_is_written(hostile: str, make_run: Any, read: Any) -> None:
    report, tasks, _ = evaluation(hostile, make_run)
    page = read(html(report, tasks=tasks))
    kept = visible(hostile, keep="\n\t")[:300]
    assert kept in page.text
    one_line = visible(hostile)[:150]
    names = [one.text for one in page.all("h3")]
    assert one_line in names[0]  # in quotes where it begins with a blank


def test_nothing_on_the_page_can_reorder_or_hide_its_neighbors(hostile: str, make_run: Any) -> None:
    report, tasks, _ = evaluation(hostile, make_run)
    for page in (html(report, tasks=tasks), html_fragment(report)):
        assert re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", page) == []


def test_the_piece_for_notebooks_takes_the_same_text(
    hostile: str, make_run: Any, read: Any, expected_piece: Any
) -> None:
    report, _, _ = evaluation(hostile, make_run)
    assert read(html_fragment(report)).shape == expected_piece.shape


def test_very_long_text_is_cut_and_says_how_long_it_was(make_run: Any, read: Any) -> None:
    run = make_run("a", 0, answer="x" * 123_456, error="y" * 99_999)
    page = html(summarize([run]))
    assert "cut, 123,456 characters in all" in page
    assert "cut, 99,999 characters in all" in page
    assert len(page) < 40_000
    read(page)


def test_a_value_that_cannot_be_shown_does_not_stop_the_page(make_run: Any, read: Any) -> None:
    class Broken:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    task = {"id": "a", "input": Broken(), "expected": None}
    call = {"name": "look", "args": {"at": Broken(), "set": {1}}, "error": None}
    page = html(summarize([make_run("a", 0, calls=[call])]), tasks=[task])
    read(page)
    assert "Broken whose repr fails" in page


def test_random_text_survives_escaping(read: Any) -> None:
    dice = random.Random(5)
    alphabet = "<>&\"'ab \n\t\r\x00\x1f\x85\u200b\u202e\u2028\ud800\udfff\ufffe😀é"
    for _ in range(300):
        text = "".join(dice.choices(alphabet, k=dice.randrange(30)))
        page = f'<div><i title="{escaped(text)}">{escaped(text)}</i>{block(text, limit=99)}</div>'
        document = read(page)
        [inline], [kept] = document.all("i"), document.all("pre")
        assert inline.attributes["title"] == inline.text == visible(text)
        # A browser drops the line break right after <pre>, the standard library does not.
        assert kept.text.removeprefix("\n") == visible(text, keep="\n\t")


@pytest.mark.parametrize(
    ("cut", "shown"),
    [
        pytest.param(bounded("abc", 3), "abc", id="fits"),
        pytest.param(
            bounded("<<<<", 3),
            '&lt;&lt;&lt;<span class="cut"> … cut, 4 characters in all</span>',
            id="cut before it is escaped",
        ),
        pytest.param(isolated("a" * 9, limit=4), "<bdi>aaaa…</bdi>", id="one line"),
        pytest.param(isolated("two\nlines"), "<bdi>two\\nlines</bdi>", id="a line break"),
        pytest.param(isolated(7), "<bdi>7</bdi>", id="a number"),
        pytest.param(isolated(""), '<bdi>""</bdi>', id="nothing"),
        pytest.param(isolated("  "), '<bdi>"  "</bdi>', id="blanks"),
    ],
)
def test_what_is_cut_says_so(cut: str, shown: str) -> None:
    assert cut == shown
