from __future__ import annotations

import itertools
import random
from decimal import Decimal
from unittest import mock

import pytest

from agenteval.trajectory import Call, compare_steps, one_of, score_trajectory

MODES = ("exact", "in_order", "any_order", "unordered", "subset")


def covered(reference, actual, rule, mode="in_order") -> bool:
    return score_trajectory(reference, actual, mode, args_match=rule)["coverage"]


def one(wanted: dict, given: dict, rule) -> bool:
    return covered([Call("f", wanted)], [Call("f", given)], rule)


@pytest.mark.parametrize(
    ("rule", "wanted", "given", "agree"),
    [
        pytest.param("exact", {"a": 1}, {"a": 1}, True, id="exact"),
        pytest.param("exact", {"a": 1}, {"a": 1, "b": 2}, False, id="exact, one more"),
        pytest.param("ignore", {"a": 1}, {"b": 2}, True, id="ignore"),
        pytest.param("subset", {"a": 1, "b": 2}, {"a": 1}, True, id="subset: fewer"),
        pytest.param("subset", {"a": 1}, {"a": 1, "b": 2}, False, id="subset: one more"),
        pytest.param("subset", {"a": 1, "b": 2}, {"a": 2}, False, id="subset: other value"),
        pytest.param("subset", {"a": 1}, {}, True, id="subset: none"),
        pytest.param("superset", {"a": 1}, {"a": 1, "b": 2}, True, id="superset: one more"),
        pytest.param("superset", {"a": 1, "b": 2}, {"a": 1}, False, id="superset: fewer"),
        pytest.param("superset", {"a": 1}, {"a": 2, "b": 2}, False, id="superset: other value"),
        pytest.param("superset", {}, {"a": 1}, True, id="superset of none"),
        pytest.param("superset", {"a": None}, {}, False, id="none given is not left out"),
        pytest.param("superset", {"a": [1, {"b": 1}]}, {"a": [1, {"b": 1.0}]}, True, id="nested"),
        pytest.param("superset", {"a": {"x": 1}}, {"a": {"x": 1, "y": 2}}, False, id="top level"),
        pytest.param(["a"], {"a": 1, "b": 2}, {"a": 1, "b": 3}, True, id="names"),
        pytest.param(["a"], {"a": 1}, {"a": 2}, False, id="names, other value"),
        pytest.param(["a"], {"a": 1}, {"b": 1}, False, id="names, one side lacks it"),
        pytest.param(["a"], {"b": 1}, {"a": 1}, False, id="names, the other side lacks it"),
        pytest.param(("a", "c"), {"a": 1, "c": 2}, {"a": 1, "c": 3}, False, id="two names"),
        pytest.param({"a"}, {"a": 1}, {"a": 1, "b": 2}, True, id="set of names"),
        pytest.param(["o.id"], {"o": {"id": 1, "x": 1}}, {"o": {"id": 1}}, True, id="dotted"),
        pytest.param(["o.id"], {"o": {"id": 1}}, {"o": {"id": 2}}, False, id="dotted, other value"),
        pytest.param(["o.id"], {"o": {"id": 1}}, {"o": 1}, False, id="dotted, no dict there"),
        pytest.param(
            ["o.p.q"], {"o": {"p": {"q": [1]}}}, {"o": {"p": {"q": [1]}}}, True, id="deep"
        ),
        pytest.param(["o.id"], {"o.id": 1}, {"o.id": 1, "o": 2}, True, id="a name with a dot"),
        pytest.param(["o.id"], {"o": mock.ANY}, {"o": {"id": 1}}, True, id="an object above it"),
        pytest.param(
            lambda actual, reference: actual["a"] >= reference["a"],
            {"a": 1},
            {"a": 2},
            True,
            id="callable",
        ),
        pytest.param(
            lambda actual, reference: actual["a"] >= reference["a"],
            {"a": 2},
            {"a": 1},
            False,
            id="callable: actual first",
        ),
        pytest.param({"f": "ignore"}, {"a": 1}, {"a": 2}, True, id="by tool"),
        pytest.param({"g": "ignore"}, {"a": 1}, {"a": 2}, False, id="by tool, the rest exact"),
        pytest.param(
            {"g": "exact", "*": "ignore"}, {"a": 1}, {"a": 2}, True, id="by tool, the rest"
        ),
        pytest.param(
            {"f": "exact", "*": "ignore"}, {"a": 1}, {"a": 2}, False, id="before the rest"
        ),
        pytest.param({"f": ["a"]}, {"a": 1}, {"a": 1, "b": 2}, True, id="by tool, names"),
    ],
)
def test_when_arguments_agree(rule, wanted, given, agree):
    assert one(wanted, given, rule) is agree
    rows = compare_steps([Call("f", wanted)], [Call("f", given)], args_match=rule)
    assert (rows[0]["verdict"] == "matches step 1") is agree
    assert rows[0]["differences"] == {} or not agree


class StartsWith:
    """Decides by ``==`` and can be hashed, which says nothing about what it equals."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and other.startswith(self.text)

    def __hash__(self) -> int:
        return 7


@pytest.mark.parametrize(
    ("wanted", "given", "agree"),
    [
        pytest.param({"a": mock.ANY}, {"a": [1]}, True, id="anything"),
        pytest.param({"a": mock.ANY}, {}, False, id="but not nothing"),
        pytest.param({"a": [mock.ANY, 2]}, {"a": [1, 2]}, True, id="in a list"),
        pytest.param({"a": [mock.ANY, 2]}, {"a": [1, 3]}, False, id="in a list, the rest differs"),
        pytest.param({"a": {"b": {"c": mock.ANY}}}, {"a": {"b": {"c": 1}}}, True, id="in dicts"),
        pytest.param({"a": pytest.approx(0.3)}, {"a": 0.1 + 0.2}, True, id="approx"),
        pytest.param({"a": pytest.approx(0.3)}, {"a": 0.4}, False, id="not approx"),
        pytest.param({"a": {"b": pytest.approx(0.3)}}, {"a": {"b": 0.1 + 0.2}}, True, id="nested"),
        pytest.param({"a": StartsWith("ab")}, {"a": "abc"}, True, id="own class"),
        pytest.param({"a": StartsWith("ab")}, {"a": "bc"}, False, id="own class, other text"),
    ],
)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("length", [pytest.param(0, id="short"), pytest.param(70, id="long")])
def test_an_object_in_the_reference_decides_by_its_own_equality(wanted, given, agree, mode, length):
    others = [Call("g", {"n": n}) for n in range(length)]
    reference, actual = [Call("f", wanted), *others], [Call("f", given), *others]
    scores = score_trajectory(reference, actual, mode)
    assert scores["coverage"] is agree
    assert scores["argument_accuracy"] == (length + agree) / (length + 1)
    assert (compare_steps(reference, actual, mode)[0]["verdict"] == "matches step 1") is agree


def test_repeated_writes_against_an_object_that_decides():
    any_city, other = Call("w", {"city": mock.ANY}), Call("w", {"city": "B"})
    again = [Call("w", {"city": "A"})] * 2
    for mode in MODES:
        for reference, repeats in (([any_city], 1), ([any_city, any_city], 1), ([other], 1)):
            scores = score_trajectory(reference, again, mode, write_tools={"w"})
            assert scores["duplicate_writes"] == repeats
    twice = [Call("w", {"city": city}) for city in "AABB"]
    scores = score_trajectory([any_city, any_city], twice, "any_order", write_tools={"w"})
    assert scores["duplicate_writes"] == 2  # what equals anything does not ask for a repeat


@pytest.mark.parametrize("rule", ["ignore", "subset", "superset", ["order"]], ids=str)
def test_a_tolerant_rule_does_not_lift_the_gate_on_repeated_writes(rule):
    def claim(order, note="n"):
        return Call("create_claim", {"order": order, "note": note})

    twice = [claim(1)] * 2
    rows = compare_steps([claim(1), claim(1, "m")], twice, args_match=["order"])
    assert [row["verdict"] for row in rows] == ["matches step 1", "DUPLICATE WRITE"]
    for other in (claim(2), claim(1, "m")):
        scores = score_trajectory([claim(1), other], twice, args_match=rule)
        assert scores["duplicate_writes"] == 1
    assert score_trajectory(twice, twice, args_match=rule)["duplicate_writes"] == 0
    either = one_of(claim(1), claim(2))
    assert score_trajectory([either, either], twice)["duplicate_writes"] == 0


def test_equal_writes_of_other_types_are_the_same_write():
    five = [Call("create_claim", {"order": 5}), Call("create_claim", {"order": Decimal("5.00")})]
    for calls in (five, five[::-1]):
        assert score_trajectory(calls[:1], calls)["duplicate_writes"] == 1


@pytest.mark.parametrize("mode", ["any_order", "unordered", "subset"])
def test_an_assignment_is_never_greedy(mode):
    reference = [Call("f", {"a": 1}), Call("f", {"a": 1, "b": 2})]
    actual = [Call("f", {"a": 1, "b": 2}), Call("f", {"a": 1})]
    assert covered(reference, actual, "superset", mode)
    assert covered(reference[::-1], actual, "superset", mode)
    assert covered(actual, reference, "subset", mode)


def test_one_reference_call_stands_for_one_call():
    a, b = Call("w", {"city": "A"}), Call("w", {"city": "B"})
    rows = compare_steps([a, b], [b, b], "any_order")
    assert [row["verdict"] for row in rows] == ["matches step 2", "extra", "missing"]
    assert not covered([Call("f"), Call("f")], [Call("f")], "superset", "any_order")


def random_call(rng: random.Random, deciding: bool) -> Call:
    values = [1, 2, [1], mock.ANY] if deciding else [1, 2, [1]]
    args = {name: rng.choice(values) for name in "pq" if rng.random() < 0.6}
    return Call(rng.choice("fw"), args, "down" if not deciding and rng.random() < 0.2 else None)


def rules(rng: random.Random):
    return rng.choice(
        [
            "exact",
            "ignore",
            "subset",
            "superset",
            lambda actual, reference: len(actual) >= len(reference),
            {"f": "superset", "*": "subset"},
            {"f": "ignore"},
        ]
    )


def cases(seed: int, count: int):
    rng = random.Random(seed)
    for _ in range(count):
        reference = [random_call(rng, deciding=True) for _ in range(rng.randrange(5))]
        actual = [random_call(rng, deciding=False) for _ in range(rng.randrange(6))]
        yield rng, reference, actual, rules(rng)


def agreeing(reference, actual, rule) -> list[list[bool]]:
    """Which reference call accepts which call, by comparing them alone."""

    def accepts(step: Call, call: Call) -> bool:
        own = rule.get(step.name, rule.get("*", "exact")) if isinstance(rule, dict) else rule
        if step.name != call.name:
            return False
        if callable(own):
            return own(call.args, step.args)
        a, r = call.args, step.args
        return {
            "exact": lambda: r == a,
            "ignore": lambda: True,
            "subset": lambda: all(name in r and r[name] == a[name] for name in a),
            "superset": lambda: all(name in a and r[name] == a[name] for name in r),
        }[own]()

    return [[accepts(step, call) for call in actual] for step in reference]


def most_pairs(agree: list[list[bool]], calls: int) -> int:
    """The size of a maximum assignment, by trying every one."""
    best = 0
    steps = range(len(agree))
    for size in range(1, min(len(agree), calls) + 1):
        if any(
            all(agree[step][call] for step, call in zip(chosen, order, strict=True))
            for chosen in itertools.combinations(steps, size)
            for order in itertools.permutations(range(calls), size)
        ):
            best = size
    return best


def in_order(agree: list[list[bool]], calls: int) -> bool:
    found = 0
    for call in range(calls):
        if found < len(agree) and agree[found][call]:
            found += 1
    return found == len(agree)


def test_coverage_under_rules_by_brute_force():
    seen = dict.fromkeys(MODES, 0)
    for _, reference, actual, rule in cases(seed=51, count=600):
        agree, n, m = agreeing(reference, actual, rule), len(reference), len(actual)
        most = most_pairs(agree, m)
        expected = {
            "exact": n == m and all(agree[place][place] for place in range(n)),
            "in_order": in_order(agree, m),
            "any_order": most == n,
            "unordered": most == n == m,
            "subset": most == m,
        }
        tools = {step.name for step in reference}
        asked = [place for place, call in enumerate(actual) if call.name in tools]
        right = sum(any(row[place] for row in agree) for place in asked)
        accuracy = 1.0 if not reference else right / len(asked) if asked else 0.0
        for mode in MODES:
            scores = score_trajectory(reference, actual, mode, args_match=rule)
            assert scores["coverage"] is expected[mode], (reference, actual, rule, mode)
            assert scores["argument_accuracy"] == accuracy
            assert scores["extra_steps"] == m - n
            seen[mode] += expected[mode]
    assert min(seen.values()) > 25


@pytest.mark.parametrize("mode", ["any_order", "unordered", "subset"])
def test_scores_do_not_depend_on_how_the_reference_lists_its_calls(mode):
    for rng, reference, actual, rule in cases(seed=52, count=500):
        scores = score_trajectory(reference, actual, mode, args_match=rule, write_tools={"w"})
        shuffled = rng.sample(reference, len(reference))
        other = score_trajectory(shuffled, actual, mode, args_match=rule, write_tools={"w"})
        assert scores == other, (reference, actual, rule)


@pytest.mark.parametrize("mode", MODES)
def test_table_and_scores_agree_under_rules(mode, counted):
    for _, reference, actual, rule in cases(seed=53, count=500):
        keywords = {"args_match": rule, "write_tools": {"w"}}
        scores = score_trajectory(reference, actual, mode, **keywords)
        rows = compare_steps(reference, actual, mode, **keywords)
        count = counted(rows)
        place = (reference, actual, rule, [row["verdict"] for row in rows])
        assert sum(row["step"] is not None for row in rows) == len(actual)
        assert count["DUPLICATE WRITE"] == scores["duplicate_writes"], place
        faulty = count["missing"] + count["out of order"] > 0
        if mode in ("in_order", "any_order"):
            assert faulty is not scores["coverage"], place
        elif mode == "subset":
            assert (count["matches"] == len(actual)) is scores["coverage"], place
        else:
            assert (count["matches"] == len(rows)) is scores["coverage"], place


def test_only_what_the_rule_compares_is_a_difference():
    wanted = Call("f", {"a": 1, "b": 2, "o": {"id": 1}})
    given = Call("f", {"a": 2, "c": 3, "o": {"id": 2}})

    def differing(rule) -> dict:
        return compare_steps([wanted], [given], args_match=rule)[0]["differences"]

    a, o = {"reference": 1, "actual": 2}, {"reference": {"id": 1}, "actual": {"id": 2}}
    assert differing("exact") == {"a": a, "b": {"reference": 2}, "o": o, "c": {"actual": 3}}
    assert differing("superset") == {"a": a, "b": {"reference": 2}, "o": o}
    assert differing("subset") == {"a": a, "c": {"actual": 3}, "o": o}
    assert differing(["a"]) == {"a": a}
    assert differing(["b", "o.id"]) == {"b": {"reference": 2}, "o.id": a}
    assert differing(lambda actual, reference: False) == differing("exact")


@pytest.mark.parametrize("score", [score_trajectory, compare_steps])
@pytest.mark.parametrize(
    ("rule", "kind", "message"),
    [
        pytest.param(
            "exakt",
            ValueError,
            r"args_match 'exakt' is no rule; use one of 'exact', 'ignore', 'subset', 'superset' "
            r"\(did you mean 'exact'\?\), or a list of the argument names",
            id="misspelled",
        ),
        pytest.param("a", ValueError, r"args_match 'a' is no rule.*or a list", id="one name"),
        pytest.param(None, TypeError, r"args_match must be one of .* got NoneType None", id="none"),
        pytest.param(7, TypeError, r"args_match must be one of .* got int 7", id="number"),
        pytest.param(b"a", TypeError, r".* got bytes b'a'", id="bytes"),
        pytest.param(
            [], ValueError, r"args_match lists no argument to compare; say 'ignore'", id="no name"
        ),
        pytest.param(
            ["a", 1], TypeError, r"args_match must list argument names, got 1", id="names"
        ),
        pytest.param(
            {1: "exact"}, TypeError, r"args_match must map tool names .* got the key 1", id="tool"
        ),
        pytest.param(
            {"f": "exakt"}, ValueError, r"args_match of 'f' 'exakt' is no rule", id="by tool"
        ),
        pytest.param(
            {"f": {"f": "exact"}}, TypeError, r"args_match of 'f' must be one of", id="nested"
        ),
    ],
)
def test_a_bad_rule_is_named(score, rule, kind, message):
    with pytest.raises(kind, match=rf"^{score.__name__}: {message}"):
        score([], [], args_match=rule)


@pytest.mark.parametrize("score", [score_trajectory, compare_steps])
@pytest.mark.parametrize(
    ("rule", "reference", "actual"),
    [
        pytest.param(["b"], {"a": 1}, {"a": 1}, id="equal calls"),
        pytest.param(["b"], {"a": 1}, {"a": 2}, id="other calls"),
        pytest.param(["a", "b"], {"a": 1}, {"a": 1}, id="one of two names"),
        pytest.param(["b"], {"a": mock.ANY}, {"a": 1}, id="beside an object that decides"),
        pytest.param(["a.b"], {"a": {"c": 1}}, {"a": {"c": 1}}, id="dotted"),
        pytest.param({"f": ["b"]}, {"a": 1}, {"a": 1}, id="by tool"),
    ],
)
def test_a_name_that_neither_side_has_is_an_error(score, rule, reference, actual):
    message = (
        rf"^{score.__name__}: args_match compares the argument '(b|a\.b)' of the tool 'f', which "
        r"neither the reference nor the run has; .*\{'f': \.\.\., '\*': \.\.\.\}"
    )
    with pytest.raises(ValueError, match=message):
        score([Call("f", reference)], [Call("f", actual)], args_match=rule)


def test_a_name_is_looked_for_only_in_calls_of_its_tool():
    reference = [Call("f", {"a": 1}), Call("g", {"b": 1})]
    with pytest.raises(ValueError, match=r"argument 'a' of the tool 'g'"):
        score_trajectory(reference, reference, args_match=["a"])
    assert covered(reference, reference, {"f": ["a"], "g": ["b"]})
    assert covered(reference, [*reference, Call("h")], {"f": ["a"], "*": ["b"]})


def test_an_optional_argument_may_be_left_out_by_some_calls():
    reference = [Call("f", {"a": 1}), Call("f", {"b": 1})]
    assert covered(reference, reference, ["b"])
    assert not covered(reference, reference[:1] * 2, ["b"])


def test_a_rule_that_raises_is_named_with_the_function_that_asked_it():
    def broken(actual, reference):
        raise KeyError("a")

    with pytest.raises(ValueError, match=r"^score_trajectory: args_match raised KeyError: 'a'"):
        score_trajectory([Call("f")], [Call("f")], args_match=broken)


@pytest.mark.parametrize("name", ["a", "u.id"])
def test_calls_of_which_nothing_is_compared_match_only_when_they_are_the_same(name):
    named = Call("f", {"a": 1, "u": {"id": 1}})
    for other, covers_it in ((Call("f", {"b": 3}), False), (Call("f", {"b": 2}), True)):
        reference, actual = [named, Call("f", {"b": 2})], [named, other]
        for mode in MODES:
            assert covered(reference, actual, [name], mode) == covers_it


@pytest.mark.parametrize("mode", ["any_order", "unordered", "subset"])
def test_an_object_of_the_runs_that_decides_takes_no_step_from_another_call(mode):
    reference = [Call("f", {"a": 1}), Call("f", {"a": 2})]
    run = [Call("f", {"a": mock.ANY}), Call("f", {"a": 1})]
    assert score_trajectory(reference, run, mode)["coverage"]
    assert [row["verdict"] for row in compare_steps(reference, run, mode)] == [
        "matches step 2",
        "matches step 1",
    ]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("pair", [(1, True), (1, 1.0), (0.0, -0.0)], ids=str)
def test_a_callable_is_asked_about_equal_values_of_other_kinds(pair, turned):
    calls = [Call("f", {"x": value}) for value in pair]

    def strict(actual, reference):
        return repr(actual["x"]) == repr(reference["x"])

    reference = calls[::-1] if turned else calls
    scores = score_trajectory(reference, calls, "any_order", args_match=strict)
    assert (scores["coverage"], scores["argument_accuracy"]) == (True, 1.0)
    rows = compare_steps(reference, calls, "any_order", args_match=strict)
    assert {row["verdict"] for row in rows} == {"matches step 1", "matches step 2"}


async def asked_later(actual, reference):
    return actual == reference


@pytest.mark.parametrize(
    ("rule", "got"),
    [
        pytest.param(asked_later, "coroutine", id="async"),
        pytest.param(lambda actual, reference: "no", "str 'no'", id="text"),
        pytest.param(lambda actual, reference: (False, "why"), "tuple", id="pair"),
        pytest.param(lambda actual, reference: NotImplemented, "NotImplemented", id="not said"),
    ],
)
def test_a_callable_says_true_or_false(rule, got):
    with pytest.raises(ValueError, match=rf"args_match raised TypeError: .* got {got}.*step 1 of"):
        score_trajectory([Call("f", {"a": 5})], [Call("f", {"a": 500})], args_match=rule)
