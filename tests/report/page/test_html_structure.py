"""The page's bones: well-formed, self-contained, in order, and readable without eyes or mouse."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from agenteval.harness import summarize
from agenteval.report import html, html_fragment
from agenteval.report.page.style import FRAGMENT_STYLE, PAGE_STYLE


@pytest.fixture(scope="module")
def page(make_desk: Any) -> str:
    report, tasks = make_desk()
    before = summarize([run for run in report["runs"] if run["repeat"] < 3], label="old")
    return html(report, tasks=tasks, baseline=before, title="The desk")


@pytest.fixture(scope="module")
def document(page: str, read: Any) -> Any:
    """The page taken apart."""
    return read(page)


def test_the_page_is_one_document_with_language_title_and_encoding(
    page: str, document: Any
) -> None:
    assert page.startswith("<!DOCTYPE html>\n")
    [root] = document.all("html")
    assert root.attributes["lang"] == "en"
    assert [one.text for one in document.all("title") if "svg" not in one.parents] == ["The desk"]
    assert {"charset": "utf-8"} in [one.attributes for one in document.all("meta")]
    assert [one.tag for one in document.all("header", "main")] == ["header", "main"]


def test_nothing_is_loaded_and_nothing_runs(page: str, document: Any) -> None:
    assert document.all("script", "link", "img", "iframe", "object", "embed", "base") == []
    names = {name for one in document.elements for name in one.attributes}
    assert not [name for name in names if name.startswith("on")]
    assert not names & {"src", "srcset", "action", "background"}
    assert "url(" not in page
    assert "@import" not in page
    policy = [one.attributes.get("content") for one in document.all("meta")]
    assert "default-src 'none'; style-src 'unsafe-inline'" in policy
    addresses = set(re.findall(r"\w+://[^\"' ]+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}, "a name of a vocabulary, never fetched"


def test_headings_go_down_one_level_at_a_time_from_one_first_heading(document: Any) -> None:
    levels = [int(one.tag[1]) for one in document.all("h1", "h2", "h3", "h4", "h5", "h6")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert set(levels) == {1, 2, 3, 4}


def test_every_section_has_a_heading(page: str, document: Any) -> None:
    found = re.findall(r'<section id="\w+">\n<h2>([^<]+)</h2>', page)
    assert len(found) == len(document.all("section"))
    assert found == [
        "Against the baseline",
        "Reliability over repeats",
        "Why runs failed",
        "Outcome and path",
        "What runs took",
        "Tasks",
    ]


def test_links_lead_to_a_place_on_the_page_and_the_first_skips_to_the_tasks(document: Any) -> None:
    anchors = [one.attributes["id"] for one in document.elements if "id" in one.attributes]
    assert len(set(anchors)) == len(anchors)
    links = [one.attributes["href"] for one in document.all("a")]
    assert {link[1:] for link in links} <= set(anchors)
    assert {link[0] for link in links} == {"#"}
    assert links[0] == "#tasks"
    assert any(link.startswith("#task-") for link in links), "from the comparison to its tasks"


def test_tables_have_captions_and_headers_for_every_column_and_row(
    page: str, document: Any
) -> None:
    assert len(document.all("table")) > 10
    assert len(document.all("caption")) == len(document.all("table"))
    assert all(one.text.strip() for one in document.all("caption"))
    for header in document.all("th"):
        where = "col" if "thead" in header.parents else "row"
        assert header.attributes["scope"] == where
    for table in re.findall(r"<table.*?</table>", page, re.DOTALL):
        head, *rows = table.split("<tr>")[1:]
        width = head.count("<th ")
        assert rows
        for row in rows:
            assert row.startswith('<th scope="row">')
            assert row.count("<td>") == width - 1


def test_charts_say_in_words_what_they_show(document: Any) -> None:
    charts = document.all("svg")
    assert len(charts) == 3
    for chart in charts:
        assert chart.attributes["role"] == "img"
        assert chart.attributes["aria-label"]
    for part in ("title", "desc"):
        said = [one for one in document.all(part) if one.parents[-1:] == ("svg",)]
        assert len(said) == 3
        assert all(one.text.strip() for one in said)


def test_all_that_opens_opens_with_the_keyboard(page: str, document: Any) -> None:
    for one in document.all("details"):
        assert "open" not in one.attributes
    assert page.count("<details") == len(re.findall(r"<details[^>]*><summary>", page))
    assert not [one for one in document.elements if "tabindex" in one.attributes]
    assert not [one for one in document.elements if one.tag in {"button", "input", "label"}]


def test_good_and_bad_are_words_and_never_color_alone(document: Any) -> None:
    for kind in ("good", "warn", "bad"):
        found = list(document.with_class(kind))
        assert found
        for one in found:
            assert re.search(r"[a-z]{3}|DUPLICATE", one.text), one


def test_marks_that_are_hidden_from_readers_are_said_in_words_beside_them(document: Any) -> None:
    for tally in document.with_class("tally"):
        assert re.search(r"\d of \d passed|passed|failed", tally.text)


COLORS = re.compile(r"--(\w+):(#[0-9a-f]{6})")


def luminance(color: str) -> float:
    """Relative luminance, WCAG 2.1."""
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_contrast_formula_gives_its_known_ends() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(
        4.48, abs=0.01
    )  # the well-known near miss


def schemes() -> list[dict[str, str]]:
    return [dict(COLORS.findall(rule)) for rule in re.findall(r":root\{[^}]*\}", PAGE_STYLE)]


def test_there_is_a_light_a_dark_and_a_printed_scheme_with_the_same_names() -> None:
    light, dark, printed = schemes()
    assert light.keys() == dark.keys()
    assert luminance(light["paper"]) > 0.9
    assert luminance(dark["paper"]) < 0.05
    assert printed == light
    order = [PAGE_STYLE.index(rule) for rule in ("color-scheme:dark", "@media print")]
    assert order == sorted(order), "what is printed wins over the dark scheme"


@pytest.mark.parametrize("scheme", schemes(), ids=["light", "dark", "print"])
@pytest.mark.parametrize("ink", ["ink", "soft", "link", "good", "warn", "bad"])
@pytest.mark.parametrize("ground", ["paper", "tint"])
def test_text_can_be_read_on_every_ground(scheme: dict[str, str], ink: str, ground: str) -> None:
    assert contrast(scheme[ink], scheme[ground]) >= 4.5


def test_every_color_is_named_in_the_schemes_and_none_stands_elsewhere() -> None:
    rules = re.sub(r":root\{[^}]*\}", "", PAGE_STYLE)
    assert set(re.findall(r"var\(--(\w+)\)", rules)) == set(schemes()[0])
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b|rgba?\(|hsla?\(", rules) == []


def styled(sheet: str) -> set[str]:
    return set(re.findall(r"\.([a-z][\w-]*)(?=[^{}]*\{)", re.sub(r"\{[^{}]*\}", "{}", sheet)))


def worn(document: Any) -> set[str]:
    return {
        name for one in document.elements for name in (one.attributes.get("class") or "").split()
    }


def test_no_rule_of_the_style_sheet_is_for_nothing(
    document: Any, desk: Any, make_run: Callable[..., Any], read: Any
) -> None:
    small = html(desk[0], max_bytes=2_000)
    cut = html(summarize([make_run("a", 0, answer="x" * 9000)]))
    many = html(summarize([make_run(n, 0) for n in range(201)]))
    seen = worn(document) | worn(read(small)) | worn(read(cut)) | worn(read(many))
    columns = {f"n{place}" for place in range(1, 10)}
    assert styled(PAGE_STYLE) - columns <= seen


def test_the_piece_for_notebooks_styles_only_itself(desk: Any, read: Any) -> None:
    for selector in re.findall(r"([^{}]+)\{", FRAGMENT_STYLE):
        for one in selector.split(","):
            assert one.strip().startswith(".agenteval-report")
    document = read(html_fragment(desk[0]))
    columns = {f"n{place}" for place in range(1, 6)}
    assert styled(FRAGMENT_STYLE) - columns <= worn(document)
    assert "@media" not in FRAGMENT_STYLE, "a notebook's theme is not the system's"
