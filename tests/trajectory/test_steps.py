from __future__ import annotations

import copy
import json
import random
from unittest.mock import ANY

import pytest

from agenteval.trajectory import Call, compare_steps, nearest, one_of, score_trajectory

MODES = ("exact", "in_order", "any_order", "unordered", "subset")


def calls(names: str) -> list[Call]:
    """Read ``"w! q"`` as a call of w that failed and one of q."""
    return [Call(word[0], {}, "down" if "!" in word else None) for word in names.split()]


def test_the_worked_example():
    look = Call("lookup_order", {"order_id": "88120"})
    policy = Call("get_policy", {"topic": "damaged_delivery"})
    claim = Call("create_claim", {"order_id": "88120", "reason": "damaged"})
    search = Call("search_orders", {"query": "88120"})
    returns = Call("get_policy", {"topic": "returns"})
    rows = compare_steps([look, policy, claim], [look, search, returns, policy, claim, claim])
    assert [(row["step"], row["name"], row["args"], row["verdict"]) for row in rows] == [
        (1, "lookup_order", {"order_id": "88120"}, "matches step 1"),
        (2, "search_orders", {"query": "88120"}, "extra"),
        (3, "get_policy", {"topic": "returns"}, "wrong argument"),
        (4, "get_policy", {"topic": "damaged_delivery"}, "matches step 2"),
        (5, "create_claim", {"order_id": "88120", "reason": "damaged"}, "matches step 3"),
        (6, "create_claim", {"order_id": "88120", "reason": "damaged"}, "DUPLICATE WRITE"),
    ]
    assert [row["reference_step"] for row in rows] == [1, None, 2, 2, 3, None]
    assert [row["differences"] for row in rows if row["step"] != 3] == [{}] * 5
    assert rows[2]["differences"] == {
        "topic": {"reference": "damaged_delivery", "actual": "returns"}
    }
    assert json.loads(json.dumps(rows)) == rows


@pytest.mark.parametrize(
    ("reference", "actual", "expected"),
    [
        pytest.param("w q w", "w w q", "m1 o3 m2", id="the aligned steps"),
        pytest.param("a b", "b a", "o2 m1", id="swapped: the earlier step is in order"),
        pytest.param("a b c", "a c", "m1 -2 m3", id="a missing step where it would have been"),
        pytest.param("a b c", "x a c y", "e m1 -2 m3 e", id="before the next step's call"),
        pytest.param("a b", "a x y", "m1 e e -2", id="at the end when nothing follows"),
        pytest.param("a b", "", "-1 -2", id="no calls"),
        pytest.param("", "a a", "e e", id="empty reference"),
        pytest.param("a a", "a", "m1 -2", id="a repeat missing"),
        pytest.param("w", "w w", "m1 D", id="a write repeated"),
        pytest.param("w", "w! w", "e m1", id="a failed write retried"),
        pytest.param("w", "w! w w", "e m1 D", id="and once more"),
        pytest.param("w", "w! w!", "m1 e", id="failed twice: the earlier one"),
        pytest.param("w w", "w w", "m1 m2", id="a repeat of the reference"),
        pytest.param("w w", "w! w w", "e m1 m2", id="with a retry"),
        pytest.param("a w", "w a w", "D m1 m2", id="the one that stands for no step is too many"),
        pytest.param("a", "a! a", "e m1", id="an answer is preferred"),
        pytest.param("a b", "a! b a b", "e e m1 m2", id="as long as no step is lost by it"),
        pytest.param("a b", "a! b a", "m1 m2 e", id="a longer alignment goes first"),
        pytest.param("w", "x x", "e e -1", id="extras are no duplicates of reads"),
        pytest.param("", "w w! w", "e e D", id="a write outside of the reference"),
    ],
)
def test_what_each_call_was(reference, actual, expected):
    rows = compare_steps(calls(reference), calls(actual), write_tools={"w"})
    short = {"matches": "m", "out": "o", "extra": "e", "DUPLICATE": "D", "missing": "-"}
    got = [short[row["verdict"].split()[0]] + str(row["reference_step"] or "") for row in rows]
    assert got == expected.split()


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("in_order", ["out of order", "missing 1", "matches step 2"]),
        ("exact", ["out of order", "missing 1", "matches step 2"]),
        ("any_order", ["matches step 3", "matches step 2", "missing 1"]),
        ("unordered", ["matches step 3", "matches step 2", "missing 1"]),
        ("subset", ["matches step 3", "matches step 2"]),
    ],
)
def test_the_mode_decides_what_order_means(mode, expected, verdicts):
    rows = compare_steps(calls("a b c"), calls("c b"), mode)
    assert verdicts(rows) == expected


@pytest.mark.parametrize(
    ("wanted", "given", "differences"),
    [
        pytest.param({"a": 1}, {"a": 2}, {"a": {"reference": 1, "actual": 2}}, id="other value"),
        pytest.param({"a": 1}, {}, {"a": {"reference": 1}}, id="missing"),
        pytest.param({}, {"b": 2}, {"b": {"actual": 2}}, id="unexpected"),
        pytest.param(
            {"a": None}, {"b": None}, {"a": {"reference": None}, "b": {"actual": None}}, id="none"
        ),
        pytest.param(
            {"a": [1], "b": 1.0},
            {"a": [2], "b": 1},
            {"a": {"reference": [1], "actual": [2]}},
            id="nested, and 1.0 is 1",
        ),
    ],
)
def test_every_wrong_argument_is_named(wanted, given, differences):
    [row, missing] = compare_steps([Call("f", wanted)], [Call("f", given)])
    assert (row["verdict"], row["reference_step"]) == ("wrong argument", 1)
    assert row["differences"] == differences
    assert (missing["step"], missing["verdict"], missing["args"]) == (None, "missing", wanted)


def test_a_wrong_argument_goes_to_the_step_with_the_fewest_differences():
    reference = [Call("f", {"a": 1, "b": 1}), Call("g"), Call("f", {"a": 2, "b": 2})]
    [row, *_] = compare_steps(reference, [Call("f", {"a": 2, "b": 3})])
    assert (row["reference_step"], list(row["differences"])) == (3, ["b"])


def test_among_steps_as_near_a_missing_one_comes_first_and_each_once():
    reference = [Call("f", {"a": n}) for n in (1, 2, 3)]
    actual = [Call("f", {"a": n}) for n in (1, 8, 9, 10)]
    rows = [row for row in compare_steps(reference, actual) if row["verdict"] == "wrong argument"]
    assert [row["reference_step"] for row in rows] == [2, 3, 1]


@pytest.mark.parametrize(
    "rule", ["exact", "subset", "superset", ["n.x", "n.y"], {"f": lambda actual, reference: False}]
)
def test_the_index_finds_the_nearest_step_as_comparing_all_does(rule):
    rng = random.Random(31)

    def call() -> Call:
        args = {name: rng.randrange(4) for name in "abc" if rng.random() < 0.7}
        return Call("f", {**args, "n": {"x": rng.randrange(3), "y": rng.randrange(3)}})

    few = [call() for _ in range(12)]
    for _ in range(4):
        reference = [rng.choice(few) for _ in range(40)] + [call() for _ in range(20)]
        for row in compare_steps(reference, [call() for _ in range(8)], args_match=rule):
            if row["verdict"] == "wrong argument":
                alone = [
                    compare_steps([step], [Call("f", row["args"])], args_match=rule)[0]
                    for step in reference
                ]
                fewest = min(len(one["differences"]) for one in alone)
                assert len(row["differences"]) == fewest
                assert row["differences"] == alone[row["reference_step"] - 1]["differences"]


@pytest.mark.parametrize("rule", ["exact", "subset", "superset", ["a", "n.x"], ["b"]], ids=str)
def test_the_index_finds_among_objects_that_decide_what_comparing_all_finds(rule, monkeypatch):
    rng = random.Random(32)
    values = [0, 1, [2], ANY, pytest.approx(1, abs=0.5)]

    def call(most: int) -> Call:
        args = {name: rng.choice(values[:most]) for name in "abc" if rng.random() < 0.7}
        return Call("f", {**args, "n": {"x": rng.choice(values[:most]), "y": rng.randrange(2)}})

    cases = []
    for _ in range(6):
        few = [call(5) for _ in range(12)]
        reference = [rng.choice(few) for _ in range(40)] + [call(5) for _ in range(20)]
        cases.append((reference, [Call("f", {**call(3).args, "d": 1}) for _ in range(20)]))
    rows = [compare_steps(*case, args_match=rule) for case in cases]
    monkeypatch.setattr(nearest, "_FEW", 1000)
    assert [compare_steps(*case, args_match=rule) for case in cases] == rows


@pytest.mark.parametrize("mode", MODES)
def test_table_and_scores_never_contradict_each_other(mode, pairs, counted):
    for reference, actual in pairs(seed=41, count=1500):
        scores = score_trajectory(reference, actual, mode, write_tools={"a"})
        rows = compare_steps(reference, actual, mode, write_tools={"a"})
        count = counted(rows)
        place = (reference, actual, [row["verdict"] for row in rows])

        # one row a call, in order, saying what the call was
        of_calls = [row for row in rows if row["step"] is not None]
        assert [row["step"] for row in of_calls] == list(range(1, len(actual) + 1))
        for row, call in zip(of_calls, actual, strict=True):
            assert (row["name"], row["args"], row["error"]) == (call.name, call.args, call.error)

        # every step is matched, displaced or missing, once
        steps = [
            row["reference_step"]
            for row in rows
            if row["verdict"].startswith(("matches", "out of order", "missing"))
        ]
        assert len(steps) == len(set(steps))
        if mode != "subset":
            assert sorted(steps) == list(range(1, len(reference) + 1))

        # coverage
        faulty = count["missing"] + count["out of order"]
        if mode in ("in_order", "any_order"):
            assert (faulty > 0) is not scores["coverage"], place
        elif mode == "subset":
            assert (count["matches"] == len(actual)) is scores["coverage"], place
        else:
            assert (count["matches"] == len(rows)) is scores["coverage"], place

        # duplicate writes, argument accuracy
        assert count["DUPLICATE WRITE"] == scores["duplicate_writes"], place
        wanted = [(call.name, call.args) for call in reference]
        tools = {call.name for call in reference}
        for row in of_calls:
            wrong = row["name"] in tools and (row["name"], row["args"]) not in wanted
            if row["verdict"] == "wrong argument":
                assert wrong
                assert row["differences"]
            else:
                assert not wrong or row["verdict"] == "DUPLICATE WRITE"
                assert not row["differences"]

        # what matches stands in order where order counts, and is the same call
        matches = [row for row in of_calls if row["verdict"].startswith("matches")]
        for row in matches:
            assert (row["name"], row["args"]) == wanted[row["reference_step"] - 1]
        if mode in ("in_order", "exact"):
            assert [row["reference_step"] for row in matches] == sorted(
                row["reference_step"] for row in matches
            )


def test_nothing_is_changed_and_nothing_shared():
    reference = [{"name": "f", "args": {"a": [1]}}, Call("g", {"x": {}})]
    actual = [Call("g", {"x": {}}), {"name": "f", "args": {"a": [2]}}]
    before = copy.deepcopy((reference, actual))
    for row in compare_steps(reference, actual):
        row["args"]["new"] = 1
    assert (reference, actual) == before


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (([], [], "any"), ValueError, r"compare_steps: unknown mode 'any'"),
        (([{"nam": "f"}], []), ValueError, r"compare_steps: reference\[0\]: a step must be a call"),
        (([], [7]), TypeError, r"compare_steps: actual\[0\]: a call must be .* got int 7"),
    ],
)
def test_bad_input_is_named(arguments, kind, message):
    with pytest.raises(kind, match=message):
        compare_steps(*arguments)


@pytest.mark.parametrize("mode", ["in_order", "exact"])
@pytest.mark.parametrize(
    ("first", "last", "rule"),
    [
        pytest.param(Call("w", {"a": 1}), Call("w", {"a": 2}), "ignore", id="a rule"),
        pytest.param(Call("w", {"a": ANY}), Call("w", {"a": ANY}), "exact", id="an object"),
        pytest.param(
            one_of(Call("x"), Call("w", {"a": ANY})),
            one_of(Call("y"), Call("w", {"a": ANY})),
            "exact",
            id="a choice",
        ),
    ],
)
def test_a_step_whose_only_call_in_the_wrong_place_is_a_duplicate_is_missing(
    first, last, rule, mode, verdicts
):
    reference = [first, Call("q"), Call("p"), last]
    run = [Call("q"), Call("p"), Call("w", {"a": 3}), Call("w", {"a": 3})]
    rows = compare_steps(reference, run, mode, write_tools={"w"}, args_match=rule)
    assert verdicts(rows) == [
        "missing 1",
        "matches step 2",
        "matches step 3",
        "matches step 4",
        "DUPLICATE WRITE",
    ]
    scores = score_trajectory(reference, run, mode, write_tools={"w"}, args_match=rule)
    assert (scores["coverage"], scores["duplicate_writes"]) == (False, 1)
