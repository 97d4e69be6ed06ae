"""A curve drawn with characters: every mark where its number says."""

from __future__ import annotations

import random

import pytest

from agenteval.reliability import reliability_curve, reliability_table
from agenteval.report import curve_text

# tau-bench, airline, gpt-4o with tool calling, 50 tasks by 4: tasks by passes 0 to 4, and the
# published pass^1 to 4. The bounds are made up.
AIRLINE = {
    f"{passes}-{n}": [True] * passes + [False] * (4 - passes)
    for passes, tasks in enumerate((14, 12, 10, 4, 10))
    for n in range(tasks)
}
PUBLISHED = [
    {"k": 1, "tasks": 50, "pass_hat_k": 0.42, "low": 0.32, "high": 0.52, "pass_at_k": 0.42},
    {"k": 2, "tasks": 50, "pass_hat_k": 0.273, "low": 0.18, "high": 0.39, "pass_at_k": 0.566667},
    {"k": 3, "tasks": 50, "pass_hat_k": 0.22, "low": 0.13, "high": 0.34, "pass_at_k": 0.66},
    {"k": 4, "tasks": 50, "pass_hat_k": 0.2, "low": 0.11, "high": 0.33, "pass_at_k": 0.72},
]
PICTURE = """\
   1.0 |
       |
       |
       |
       |
   0.5 |  :
       |  *     :
       |  :     *     :     :
       |        :     *     *
       |              :     :
   0.0 +------------------------
     k    1     2     3     4
pass^k   0.42  0.27  0.22  0.20
   low   0.32  0.18  0.13  0.11
  high   0.52  0.39  0.34  0.33
pass@k   0.42  0.57  0.66  0.72"""


def test_a_published_curve_with_its_interval() -> None:
    assert curve_text(PUBLISHED) == PICTURE


def test_the_rows_of_a_reliability_table_are_taken_as_they_are() -> None:
    lines = curve_text(reliability_table(AIRLINE)).splitlines()
    assert lines[11:13] == PICTURE.splitlines()[11:13]
    assert lines[-1] == PICTURE.splitlines()[-1]
    assert [line.split()[0] for line in lines[13:15]] == ["low", "high"]


def marks(picture: str) -> dict[int, dict[int, str]]:
    """Read a picture back: column (from 0) to level (10 at the top) to mark."""
    lines = picture.splitlines()[:11]
    found: dict[int, dict[int, str]] = {}
    for level, line in zip(range(10, -1, -1), lines, strict=True):
        for place, char in enumerate(line[8:]):
            if char in "*:":
                found.setdefault(place // 6, {})[level] = char
    return found


@pytest.mark.parametrize("seed", range(20))
def test_every_mark_stands_at_its_value(seed) -> None:
    rng = random.Random(seed)
    rows = []
    for k in range(1, rng.randrange(2, 13)):
        low, value, high = sorted(round(rng.random(), 2) for _ in range(3))
        rows.append(
            {"k": k, "tasks": 9, "pass_hat_k": value, "low": low, "high": high, "pass_at_k": 1.0}
        )
    picture = curve_text(rows)
    found = marks(picture)
    assert sorted(found) == list(range(len(rows)))
    for place, row in enumerate(rows):
        [value] = [level for level, mark in found[place].items() if mark == "*"]
        assert abs(value / 10 - row["pass_hat_k"]) <= 0.0501
        assert abs(min(found[place]) / 10 - row["low"]) <= 0.0501
        assert abs(max(found[place]) / 10 - row["high"]) <= 0.0501
        assert len(found[place]) == max(found[place]) - min(found[place]) + 1
    assert picture.isascii()


def test_a_plain_curve_has_no_interval() -> None:
    curve = reliability_curve(AIRLINE, estimator="subsets")
    picture = curve_text(curve)
    assert ":" not in picture
    assert picture.splitlines()[12] == "pass^k   0.42  0.27  0.22  0.20"
    assert len(picture.splitlines()) == 13


def test_one_point() -> None:
    assert marks(curve_text({1: 0.0})) == {0: {0: "*"}}
    assert marks(curve_text({5: 1.0})) == {0: {10: "*"}}


def test_a_curve_is_drawn_in_the_order_of_k() -> None:
    assert curve_text({3: 0.1, 1: 0.9}) == curve_text({1: 0.9, 3: 0.1})


def test_long_numbers_keep_their_columns_apart() -> None:
    lines = curve_text({1: 0.99996, 2: 0.5}).splitlines()
    assert lines[-1].split() == ["pass^k", ">0.9999", "0.50"]


def test_a_long_curve_fits_a_line_and_keeps_its_ends() -> None:
    picture = curve_text({k: 1 / k for k in range(1, 101)})
    assert max(map(len, picture.splitlines())) <= 80
    ks = picture.splitlines()[11].split()[1:]
    assert (ks[0], ks[-1], len(ks)) == ("1", "100", 12)
    assert len(set(ks)) == 12


@pytest.mark.parametrize("points", [1, 5, 8, 9, 12, 30])
def test_numbers_of_any_length_stay_apart_and_on_the_line(points) -> None:
    rows = [
        {"k": k, "pass_hat_k": 10.0**-k, "low": 1e-9, "high": 1 - 10.0**-k, "pass_at_k": 1 - 1e-9}
        for k in range(1, points + 1)
    ]
    lines = curve_text(rows).splitlines()
    assert max(map(len, lines)) <= 80
    table = [line.split()[1:] for line in lines[11:]]
    assert {len(numbers) for numbers in table} == {min(points, 12)}
    assert table[0][-1] == str(points)
    assert {*table[2]} <= {"<0.0001", "<.01"}
    assert {*table[4]} <= {">0.9999", ">.99"}


def test_numbers_are_as_exact_as_the_line_lets_them() -> None:
    few = curve_text({k: 10.0**-k for k in range(1, 6)}).splitlines()[-1]
    assert few.split() == ["pass^k", "0.10", "0.01", "0.001", "0.0001", "<0.0001"]
    many = curve_text({k: 10.0**-k for k in range(1, 13)}).splitlines()[-1]
    assert many.split() == ["pass^k", "0.10", "0.01", *["<.01"] * 10]


def test_great_k_take_no_more_than_the_line() -> None:
    lines = curve_text({10**n: 0.5 for n in range(1, 60)}).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[11].split()[1] == "10"


WRONG = [
    pytest.param({}, ValueError, "the curve is empty; a curve needs at least one k", id="empty"),
    pytest.param([], ValueError, "the curve is empty", id="no-rows"),
    pytest.param({1: 1.5}, ValueError, r"k=1 has 1\.5; values are from 0 to 1", id="too-great"),
    pytest.param({1: float("nan")}, ValueError, "k=1 has nan", id="nan"),
    pytest.param(0.5, TypeError, "curve must be the rows of .*, got float 0.5", id="number"),
    pytest.param(
        {"pass_rate": 1.0, "runs": []},
        TypeError,
        "got a report; pass reliability_table",
        id="report",
    ),
    pytest.param("curve", TypeError, "curve must be .*, got str 'curve'", id="text"),
    pytest.param([0.5], TypeError, "got a row float 0.5", id="values-without-k"),
    pytest.param([{"k": 1}], TypeError, "got a row dict {'k': 1}", id="half-a-row"),
]


@pytest.mark.parametrize(("curve", "error", "message"), WRONG)
def test_what_is_no_curve(curve, error, message) -> None:
    with pytest.raises(error, match=rf"curve_text: .*{message}"):
        curve_text(curve)
