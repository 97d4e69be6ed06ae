"""The charts: every point where its value says, readable without a style sheet."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest

from agenteval.measures.distributions import distribution
from agenteval.report.formatting import money, number
from agenteval.report.page.svg import (
    BOTTOM,
    HEIGHT,
    LEFT,
    TOP,
    WIDTH,
    curve_svg,
    histogram_svg,
    ticks,
)

SVG = "{http://www.w3.org/2000/svg}"


def rows(*values: tuple[float, float, float, float], first: int = 1) -> list[Any]:
    return [
        {"k": k, "tasks": 9, "pass_hat_k": value, "low": low, "high": high, "pass_at_k": at}
        for k, (low, value, high, at) in enumerate(values, first)
    ]


CURVE = rows((0.5, 0.7, 0.9, 0.7), (0.3, 0.5, 0.7, 0.85), (0.1, 0.4, 0.6, 0.95))


def parse(svg: str) -> ElementTree.Element:
    root = ElementTree.fromstring(svg)
    assert root.tag == SVG + "svg"
    assert root.attrib["role"] == "img"
    assert root.attrib["viewBox"] == f"0 0 {WIDTH} {HEIGHT}"
    assert root.find(SVG + "title").text == root.attrib["aria-label"]
    assert root.find(SVG + "desc").text
    return root


def of_class(root: ElementTree.Element, *names: str) -> list[ElementTree.Element]:
    return [one for one in root.iter() if set(names) <= set(one.attrib.get("class", "").split())]


def points_of(path: str) -> list[tuple[float, float]]:
    return [
        tuple(map(float, point.split()))  # type: ignore[misc]  # two numbers
        for point in path.removeprefix("M").split("L")
    ]


def height(value: float) -> float:
    return BOTTOM - value * (BOTTOM - TOP)


def test_the_curve_s_points_stand_at_their_values() -> None:
    root = parse(curve_svg(CURVE))
    [line] = [one for one in of_class(root, "c-line") if one.tag == SVG + "path"]
    points = points_of(line.attrib["d"])
    assert [y for _, y in points] == pytest.approx([height(v) for v in (0.7, 0.5, 0.4)], abs=0.06)
    steps = [after[0] - before[0] for before, after in pairwise(points)]
    assert steps[0] == pytest.approx(steps[1], abs=0.11)
    dots = [
        (float(one.attrib["cx"]), float(one.attrib["cy"]))
        for one in of_class(root, "c-dot", "c-line")
    ]
    assert dots == points
    [at] = [one for one in of_class(root, "c-at") if one.tag == SVG + "path"]
    assert [y for _, y in points_of(at.attrib["d"])] == pytest.approx(
        [height(v) for v in (0.7, 0.85, 0.95)], abs=0.06
    )
    assert at.attrib["stroke-dasharray"]
    assert "stroke-dasharray" not in line.attrib


def test_the_band_goes_along_the_interval_s_two_ends() -> None:
    [band] = of_class(parse(curve_svg(CURVE)), "c-band")
    points = [tuple(map(float, pair.split(","))) for pair in band.attrib["points"].split()]
    expected = [0.9, 0.7, 0.6, 0.1, 0.3, 0.5]
    assert [y for _, y in points] == pytest.approx([height(v) for v in expected], abs=0.06)
    assert [x for x, _ in points[:3]] == [x for x, _ in points[:2:-1]]


def test_one_repeat_has_a_point_with_an_error_bar() -> None:
    root = parse(curve_svg(rows((0.2, 0.5, 0.8, 0.5))))
    [bar] = of_class(root, "c-bar")
    assert f" {height(0.8):.1f}".rstrip("0").rstrip(".") in bar.attrib["d"]
    assert f"V{height(0.2):.1f}".rstrip("0").rstrip(".") in bar.attrib["d"]
    assert of_class(root, "c-band") == []
    assert [one.text for one in of_class(root, "c-name")] == ["pass^k 0.50"]


def test_a_baseline_has_a_line_of_its_own_shape() -> None:
    before = rows((0.5, 0.6, 0.8, 0.6), (0.2, 0.3, 0.5, 0.7))
    root = parse(curve_svg(CURVE, baseline=before))
    [line] = [
        one
        for one in of_class(root, "c-old")
        if one.tag == SVG + "path" and "c-dot" not in one.attrib["class"]
    ]
    assert [y for _, y in points_of(line.attrib["d"])] == pytest.approx(
        [height(0.6), height(0.3)], abs=0.06
    )
    names = sorted(one.text for one in of_class(root, "c-name"))
    assert names == ["baseline 0.30", "pass@k 0.95", "pass^k 0.40"]
    dashes = [
        one.attrib.get("stroke-dasharray")
        for one in root.iter(SVG + "path")
        if one.attrib.get("class") in {"c-line", "c-old", "c-at"}
    ]
    assert len(set(dashes)) == 3, "told apart without color"


def test_the_words_of_a_curve_have_all_its_numbers() -> None:
    said = parse(curve_svg(CURVE)).find(SVG + "desc").text
    assert said == (
        "k 1: pass^k 0.70 (0.50 to 0.90), pass@k 0.70; k 2: pass^k 0.50 (0.30 to 0.70), "
        "pass@k 0.85; k 3: pass^k 0.40 (0.10 to 0.60), pass@k 0.95."
    )


@pytest.mark.parametrize(
    "values",
    [
        pytest.param((1.0, 1.0, 1.0), id="all at the top"),
        pytest.param((0.0, 0.0, 0.0), id="all at the bottom"),
        pytest.param((0.5, 0.5, 0.51), id="together"),
        pytest.param((0.0, 0.02, 1.0), id="two at the bottom"),
    ],
)
def test_names_beside_the_lines_do_not_touch(values: tuple[float, float, float]) -> None:
    one, other, at = values
    root = parse(
        curve_svg(
            rows((0, one, 1, at), (0, one, 1, at)),
            baseline=rows((0, other, 1, 1), (0, other, 1, 1)),
        )
    )
    heights = sorted(float(name.attrib["y"]) for name in of_class(root, "c-name"))
    assert len(heights) == 3
    assert all(after - before >= 12.9 for before, after in pairwise(heights))
    assert heights[0] >= TOP
    assert heights[-1] <= BOTTOM + 5


def drawn(values: list[float], show: Callable[[float], str] = number) -> ElementTree.Element:
    found = distribution(values, len(values))
    marks = [("p50", found["p50"]), ("p90", found["p90"])]
    svg = histogram_svg(found["histogram"], title="Calls", axis="calls", marks=marks, show=show)
    return parse(svg)


def test_bars_are_as_high_as_their_counts_and_stand_over_their_numbers() -> None:
    root = drawn([4, 4, 4, 4, 5, 5, 7])
    bars = list(root.iter(SVG + "rect"))
    high = [float(bar.attrib["height"]) for bar in bars]
    assert [h / high[0] for h in high] == pytest.approx([1, 0.5, 0.25], abs=0.01)
    assert all(
        float(bar.attrib["y"]) + float(bar.attrib["height"]) == pytest.approx(BOTTOM, abs=0.06)
        for bar in bars
    )
    middles = [float(bar.attrib["x"]) + float(bar.attrib["width"]) / 2 for bar in bars]
    below = {
        one.text: float(one.attrib["x"])
        for one in of_class(root, "c-tick")
        if one.attrib["text-anchor"] == "middle"
    }
    assert middles == pytest.approx([below["4"], below["5"], below["7"]], abs=0.11)


def test_percentiles_are_pointed_out_where_they_are() -> None:
    root = drawn([1] * 5 + [11] * 5)
    assert [one.text for one in of_class(root, "c-name")] == ["p50 6", "p90 11"]
    at = [float(one.attrib["d"].split()[0][1:]) for one in of_class(root, "c-mark")]
    bars = [float(b.attrib["x"]) + float(b.attrib["width"]) / 2 for b in root.iter(SVG + "rect")]
    assert at[0] == pytest.approx(sum(bars) / 2, abs=0.2)
    assert at[1] == pytest.approx(bars[-1], abs=0.2)
    anchors = [one.attrib["text-anchor"] for one in of_class(root, "c-name")]
    assert anchors == ["start", "end"], "the last one would not fit to the right of its line"


@pytest.mark.parametrize(
    "values",
    [
        pytest.param([3], id="one run"),
        pytest.param([0, 0, 0], id="zeros"),
        pytest.param([0.0], id="one zero"),
        pytest.param([2.5] * 7, id="all the same"),
        pytest.param([0.0001, 0.0002, 0.00031], id="tiny"),
        pytest.param([1, 1_000_000], id="far apart"),
        pytest.param([1e-9, 1e9], id="very far apart"),
        pytest.param(list(range(200)), id="many"),
    ],
)
def test_every_distribution_fits_into_its_chart(values: list[float]) -> None:
    for show in (number, money):
        root = drawn(values, show)
        bars = list(root.iter(SVG + "rect"))
        assert bars
        for bar in bars:
            x, y, wide, high = (float(bar.attrib[key]) for key in ("x", "y", "width", "height"))
            assert LEFT - 1 <= x <= x + wide <= WIDTH
            assert TOP <= y <= BOTTOM
            assert wide >= 1.5
            assert high >= 1.5
        labels = [
            one.text for one in of_class(root, "c-tick") if one.attrib["y"] == str(BOTTOM + 16)
        ]
        assert len(set(labels)) == len(labels) > 0


def test_the_words_of_a_histogram_count_the_runs() -> None:
    said = drawn([4, 4, 6]).find(SVG + "desc").text
    assert said == "4: 2 runs; 6: 1 run."
    found = distribution([0.1, 0.2, 0.25], 3)["histogram"]
    counted = sum(one["count"] for one in found)
    said = drawn([0.1, 0.2, 0.25]).find(SVG + "desc").text
    assert counted == 3
    assert " up to " in said


def test_text_in_a_chart_is_escaped() -> None:
    root = parse(histogram_svg([{"low": 1, "high": 2, "count": 1}], title="a<b&\x00", axis='"<'))
    assert root.attrib["aria-label"] == "a<b&\\x00"
    assert '"<' in [one.text for one in of_class(root, "c-axis")]


def test_a_chart_brings_no_color_and_no_id_of_its_own() -> None:
    for root in (parse(curve_svg(CURVE, baseline=CURVE)), drawn([1, 2, 2])):
        for one in root.iter():
            assert {one.attrib.get("fill"), one.attrib.get("stroke")} <= {
                None,
                "none",
                "currentColor",
            }
            assert "id" not in one.attrib, "several charts stand in one notebook"
            assert "style" not in one.attrib


def test_ticks_are_round_ascending_and_inside() -> None:
    dice = random.Random(3)
    for _ in range(500):
        low = dice.uniform(-5, 5) * 10 ** dice.randint(-4, 4)
        high = low + dice.uniform(0.1, 9) * 10 ** dice.randint(-4, 4)
        found = ticks(low, high, 5)
        slack = (high - low) * 1e-6
        assert 2 <= len(found) <= 7
        assert low - slack <= found[0] <= found[-1] <= high + slack
        widths = [after - before for before, after in pairwise(found)]
        assert max(widths) - min(widths) <= slack
        digits = f"{widths[0]:.3e}"
        assert digits[:5] in {"1.000", "2.000", "5.000"}


@pytest.mark.parametrize("high", [5, 4, float("inf"), float("nan")])
def test_ticks_of_no_range_are_its_start(high: float) -> None:
    assert ticks(5, high, 4) == [5]
