from __future__ import annotations

import itertools
import json
import random
from datetime import date
from unittest import mock

import pytest

from agenteval.trajectory import (
    Call,
    any_order_of,
    compare_steps,
    one_of,
    optional,
    precision_recall,
    reference_to_json,
    score_trajectory,
    trajectory_verdict,
)
from agenteval.trajectory.path import read_path
from agenteval.trajectory.references import as_slots, read_reference
from agenteval.trajectory.rules import Rules

MODES = ("exact", "in_order", "any_order", "unordered", "subset")

CIRCLE: list = []
CIRCLE.append(CIRCLE)
A, B, C, D, X, W = (Call(name) for name in "abcdxw")


def shown(reference, actual, mode="in_order") -> str:
    """``1 2`` for matches, ``o1`` out of order, ``e`` extra, ``D`` duplicate, ``-1`` missing."""
    short = {"matches": "", "out": "o", "extra": "e", "DUPLICATE": "D", "missing": "-"}
    rows = compare_steps(reference, actual, mode, write_tools={"w"})
    return " ".join(
        short[row["verdict"].split()[0]] + str(row["reference_step"] or "") for row in rows
    )


@pytest.mark.parametrize(
    ("reference", "actual", "covered", "extra", "table"),
    [
        pytest.param([any_order_of(A, B), C], [B, A, C], True, 0, "2 1 3", id="parallel"),
        pytest.param([any_order_of(A, B), C], [B, X, A, C], True, 1, "2 e 1 3", id="with an extra"),
        pytest.param([any_order_of(A, B), C], [B, C, A], False, 0, "2 o3 1", id="one too late"),
        pytest.param([any_order_of(A, B), C], [B, C], False, -1, "2 -1 3", id="one missing"),
        pytest.param([any_order_of(A, A)], [A], False, -1, "1 -2", id="a repeat missing"),
        pytest.param(
            [any_order_of(A, B), any_order_of(A, C)], [B, A, C, A], True, 0, "2 1 4 3", id="two"
        ),
        pytest.param([optional(A), B], [A, B], True, 0, "1 2", id="optional, taken"),
        pytest.param([optional(A), B], [B], True, 0, "2", id="optional, left out"),
        pytest.param([optional(A), B], [B, A], True, 1, "2 e", id="optional, out of place"),
        pytest.param(
            [optional(A), optional(B), C], [C, A, B], True, 2, "3 e e", id="required first"
        ),
        pytest.param([A, optional(A)], [A], True, 0, "1", id="the required one of two"),
        pytest.param([optional(A), A], [A], True, 0, "2", id="whichever stands first"),
        pytest.param(
            [optional(W), W], [W, W, W], True, 1, "1 2 D", id="optional repeat of a write"
        ),
        pytest.param([one_of(A, B), C], [B, C], True, 0, "1 2", id="one of two"),
        pytest.param([one_of(A, B), C], [A, B, C], True, 1, "1 e 2", id="both"),
        pytest.param([one_of(A, B), C], [C], False, -1, "-1 2", id="neither"),
        pytest.param([one_of(A, B), A], [B, A], True, 0, "1 2", id="the other one"),
        pytest.param([one_of(A, B), A], [A, B], False, 0, "1 e -2", id="not the other way"),
        pytest.param([any_order_of(one_of(A, B), A)], [A, B], True, 0, "2 1", id="never greedy"),
        pytest.param(
            [any_order_of(A, optional(B)), C], [B, A, C], True, 0, "2 1 3", id="optional in a group"
        ),
        pytest.param([optional(one_of(A, B)), C], [B, C], True, 0, "1 2", id="optional choice"),
        pytest.param([], [], True, 0, "", id="empty"),
        pytest.param([optional(A)], [], True, 0, "", id="nothing required"),
    ],
)
def test_groups_in_order(reference, actual, covered, extra, table):
    for form in (reference, json.loads(json.dumps(reference_to_json(reference)))):
        scores = score_trajectory(form, actual, write_tools={"w"})
        assert (scores["coverage"], scores["extra_steps"]) == (covered, extra)
        assert shown(form, actual) == table


@pytest.mark.parametrize(
    ("mode", "actual", "covered"),
    [
        ("exact", [B, A, C], True),
        ("exact", [B, A, D, C], True),
        ("exact", [B, A, X, C], False),
        ("exact", [B, A, C, D], False),
        ("any_order", [C, X, B, A], True),
        ("any_order", [C, B], False),
        ("unordered", [D, C, B, A], True),
        ("unordered", [C, B, A], True),
        ("unordered", [C, B, A, D, D], False),
        ("subset", [D, B], True),
        ("subset", [D, D], False),
    ],
)
def test_groups_in_every_mode(mode, actual, covered):
    reference = [any_order_of(A, B), optional(D), C]
    assert score_trajectory(reference, actual, mode)["coverage"] is covered


def test_all_tools_of_a_group_are_the_references_tools():
    reference = [one_of(Call("f", {"a": 1}), Call("g", {"a": 1}))]
    actual = [Call("g", {"a": 2}), Call("f", {"a": 1}), Call("h")]
    assert score_trajectory(reference, actual)["argument_accuracy"] == 0.5

    row = compare_steps(reference, actual)[0]
    assert (row["verdict"], row["reference_step"]) == ("wrong argument", 1)
    assert row["differences"] == {"a": {"reference": 1, "actual": 2}}


@pytest.mark.parametrize("mode", MODES)
def test_a_run_that_leaves_out_what_is_optional_got_nothing_wrong(mode):
    scores = score_trajectory([optional(A), any_order_of(optional(B), optional(C))], [], mode)
    assert scores["argument_accuracy"] == 1.0
    assert trajectory_verdict(scores, mode=mode) == ("pass", "")
    assert score_trajectory([optional(A), B], [], mode)["argument_accuracy"] == 0.0


def test_a_missing_choice_is_shown_by_its_first_call():
    [row] = compare_steps([one_of(Call("f", {"a": 1}), B)], [])
    assert (row["name"], row["args"], row["verdict"]) == ("f", {"a": 1}, "missing")


def test_groups_and_objects_that_decide():
    reference = [any_order_of(Call("f", {"a": mock.ANY}), Call("f", {"a": 1}))]
    assert score_trajectory(reference, [Call("f", {"a": 1}), Call("f", {"a": 2})])["coverage"]


def test_precision_and_recall_of_a_reference_with_groups():
    reference = [any_order_of(A, B), optional(C), one_of(D, X)]
    assert precision_recall(reference, [B, A, X]) == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert precision_recall(reference, [B, C])["recall"] == 0.5


# --- by brute force -------------------------------------------------------------------------------


def random_reference(rng: random.Random) -> list:
    def call() -> Call:
        return Call(rng.choice("abw"), {"n": rng.randrange(2)} if rng.random() < 0.4 else {})

    def choice():
        return one_of(call(), call()) if rng.random() < 0.25 else call()

    def maybe():
        return optional(choice()) if rng.random() < 0.3 else choice()

    steps = []
    for _ in range(rng.randrange(4)):
        if rng.random() < 0.35:
            steps.append(any_order_of(*(maybe() for _ in range(rng.randint(1, 3)))))
        else:
            steps.append(maybe())
    return steps


def references(seed: int, count: int):
    rng = random.Random(seed)
    for _ in range(count):
        reference = random_reference(rng)
        slots = as_slots(read_reference(reference, "test"))
        actual = [
            Call(call.name, call.args, "down" if rng.random() < 0.2 else None)
            for slot in slots
            for call in [rng.choice(slot.calls)]
            if rng.random() < 0.8
        ]
        if rng.random() < 0.5:
            rng.shuffle(actual)
        for _ in range(rng.randrange(3)):
            noise = Call(rng.choice("abwx"), {"n": rng.randrange(2)} if rng.random() < 0.4 else {})
            actual.insert(rng.randrange(len(actual) + 1), noise)
        yield reference, slots, actual[:7]


def every_way(slots, actual, ordered: bool):
    """Yield every way to give steps calls of their own, block after block if `ordered`."""

    def give(step: int, given: dict):
        if step == len(slots):
            yield dict(given)
            return
        yield from give(step + 1, given)
        for place, call in enumerate(actual):
            if place in given.values() or call not in slots[step].calls:
                continue
            if ordered and any(
                slots[other].block < slots[step].block and taken > place
                for other, taken in given.items()
            ):
                continue
            yield from give(step + 1, {**given, step: place})

    yield from give(0, {})


def worth(slots, given: dict) -> tuple[int, int]:
    required = sum(slots[step].required for step in given)
    return required, len(given) - required


def test_groups_by_trying_every_way():
    seen = dict.fromkeys(MODES, 0)
    for reference, slots, actual in references(seed=61, count=500):
        required = sum(slot.required for slot in slots)
        ways = {flag: list(every_way(slots, actual, flag)) for flag in (True, False)}
        most = {flag: max(worth(slots, given) for given in ways[flag]) for flag in ways}
        all_taken = {
            flag: any(
                len(given) == len(actual) and worth(slots, given)[0] == required
                for given in ways[flag]
            )
            for flag in ways
        }
        expected = {
            "exact": all_taken[True],
            "in_order": most[True][0] == required,
            "any_order": most[False][0] == required,
            "unordered": all_taken[False],
            "subset": any(len(given) == len(actual) for given in ways[False]),
        }
        for mode in MODES:
            scores = score_trajectory(reference, actual, mode, write_tools={"w"})
            place = (reference, actual, mode)
            assert scores["coverage"] is expected[mode], place
            path = read_path(slots, actual, mode, (), Rules({}), "test")
            matched = path.aligned.matched
            ordered = mode in ("exact", "in_order")
            assert matched in ways[ordered], place
            assert worth(slots, matched) == most[ordered], place
            assert scores["extra_steps"] == len(actual) - required - most[ordered][1], place
            seen[mode] += expected[mode]
    assert min(seen.values()) > 50


@pytest.mark.parametrize("mode", MODES)
def test_table_and_scores_agree_with_groups(mode, counted):
    for reference, slots, actual in references(seed=62, count=700):
        scores = score_trajectory(reference, actual, mode, write_tools={"w"})
        rows = compare_steps(reference, actual, mode, write_tools={"w"})
        count = counted(rows)
        place = (reference, actual, [row["verdict"] for row in rows])
        of_calls = [row["step"] for row in rows if row["step"] is not None]
        assert of_calls == list(range(1, len(actual) + 1))
        assert count["DUPLICATE WRITE"] == scores["duplicate_writes"], place
        if mode in ("in_order", "any_order"):
            faulty = count["missing"] + count["out of order"] > 0
            assert faulty is not scores["coverage"], place
        if mode == "subset":
            assert (count["matches"] == len(actual)) is scores["coverage"], place
        tools = {call.name for slot in slots for call in slot.calls}
        wanted = [call for slot in slots for call in slot.calls]
        asked = [call for call in actual if call.name in tools]
        right = [call for call in asked if call in wanted]
        nothing = not any(slot.required for slot in slots)
        assert scores["argument_accuracy"] == (len(right) / len(asked) if asked else nothing)
        assert count["wrong argument"] <= len(asked) - len(right), place


def test_a_line_is_aligned_the_same_with_and_without_the_machinery_for_groups(pairs):
    for reference, actual in pairs(seed=63, count=400):
        grouped = [*reference, optional(Call("never"))]
        rows = compare_steps(reference, actual, write_tools={"a"})
        assert compare_steps(grouped, actual, write_tools={"a"}) == rows


@pytest.mark.parametrize("mode", ["any_order", "unordered", "subset"])
def test_scores_do_not_depend_on_how_a_reference_with_groups_is_listed(mode):
    rng = random.Random(64)
    for reference, _, actual in references(seed=64, count=400):
        scores = score_trajectory(reference, actual, mode, write_tools={"w"})
        other = rng.sample(reference, len(reference))
        assert score_trajectory(other, actual, mode, write_tools={"w"}) == scores


def test_groups_of_many_calls_need_no_recursion():
    rng = random.Random(65)
    many = [Call("f", {"n": n}) for n in range(300)]
    shuffled = rng.sample(many, len(many))
    assert score_trajectory([any_order_of(*many), A], [*shuffled, A])["coverage"]
    chain = [one_of(Call("f", {"n": n}), Call("f", {"n": n + 1})) for n in range(1500)]
    actual = [Call("f", {"n": n}) for n in range(1, 1501)]
    assert score_trajectory(chain, actual[::-1], "unordered")["coverage"]


# --- forms ----------------------------------------------------------------------------------------


def test_json_forms():
    reference = [
        A,
        any_order_of(Call("f", {"x": [1]}), optional(B)),
        optional(one_of(C, D)),
        {"name": "g", "args": None},
    ]
    forms = [
        {"name": "a", "args": {}},
        {
            "any_order_of": [
                {"name": "f", "args": {"x": [1]}},
                {"optional": {"name": "b", "args": {}}},
            ]
        },
        {"optional": {"one_of": [{"name": "c", "args": {}}, {"name": "d", "args": {}}]}},
        {"name": "g", "args": {}},
    ]
    assert reference_to_json(reference) == forms
    assert reference_to_json(json.loads(json.dumps(forms))) == forms
    assert reference_to_json(tuple(forms)) == forms


def test_a_json_form_holds_lists_where_a_run_does():
    [form] = reference_to_json([Call("f", {"at": (1, 2), "s": {2, 1}})])
    assert form == {"name": "f", "args": {"at": [1, 2], "s": [1, 2]}}
    assert json.loads(json.dumps([form])) == [form]


@pytest.mark.parametrize(
    ("reference", "kind", "message"),
    [
        pytest.param(
            [A, Call("f", {"x": mock.ANY})],
            TypeError,
            r"reference\[1\]: the argument 'x' holds _ANY <ANY>, which JSON cannot hold; keep such",
            id="an object that decides",
        ),
        pytest.param(
            [any_order_of(A, optional(one_of(B, Call("f", {"x": [{"y": pytest.approx(1)}]}))))],
            TypeError,
            r"reference\[0\]: the argument 'x' holds ApproxScalar",
            id="in groups",
        ),
        pytest.param(
            [Call("f", {"x": date(2026, 1, 2)})],
            TypeError,
            r"reference\[0\]: the argument 'x' holds date datetime.date\(2026, 1, 2\)",
            id="a date",
        ),
        pytest.param(
            [Call("f", {"x": {1: 2}})],
            TypeError,
            r"reference\[0\]: the argument 'x' has the key int 1, which JSON would make a text",
            id="a key that JSON changes",
        ),
        pytest.param(
            [Call("f", {7: 2})], TypeError, r"reference\[0\]: args has the key int 7", id="a name"
        ),
        pytest.param(
            [Call("f", {"x": CIRCLE})],
            ValueError,
            r"reference\[0\]: the argument 'x' is nested too deep for JSON, or contains itself",
            id="a circle",
        ),
        pytest.param(None, TypeError, r"reference must be a list .*got NoneType None", id="None"),
        pytest.param(A, TypeError, r"reference must be a list of calls, got Call", id="one call"),
        pytest.param("a", TypeError, r"reference must be a list of calls, got str", id="text"),
        pytest.param(
            {"optional": A}, TypeError, r"reference must be a list of calls, got dict", id="a group"
        ),
    ],
)
def test_what_has_no_json_form_is_named(reference, kind, message):
    with pytest.raises(kind, match=f"^reference_to_json: {message}"):
        reference_to_json(reference)


def test_an_iterator_of_steps_has_a_json_form():
    assert reference_to_json(iter([A])) == [{"name": "a", "args": {}}]


@pytest.mark.parametrize(
    ("key", "group"),
    [
        ("optional", "optional"),
        ("Optional", "optional"),
        ("one_of", "one_of"),
        ("oneOf", "one_of"),
        ("any-order-of", "any_order_of"),
    ],
)
def test_a_group_among_the_keys_of_a_call_is_refused(key, group):
    step = {"name": "f", "args": {}, key: True}
    message = rf"\[0\]: '{key}' stands among the keys of a call, .*inside the group: {{'{group}': "
    for read in (reference_to_json, lambda steps: score_trajectory(steps, [])):
        with pytest.raises(ValueError, match=message):
            read([step])
    with pytest.raises(ValueError, match=f"^any_order_of: '{key}' stands"):
        any_order_of(step)


def test_other_keys_of_a_reference_call_are_the_owners():
    step = {"name": "a", "args": {}, "id": "call_1", "type": "tool_call", "note": "x", 7: 8}
    assert score_trajectory([step], [A])["coverage"]
    assert reference_to_json([step]) == [{"name": "a", "args": {}}]


def test_all_forms_of_a_reference_score_alike():
    for reference, _, actual in references(seed=66, count=200):
        stored = json.loads(json.dumps(reference_to_json(reference)))
        assert compare_steps(stored, actual) == compare_steps(reference, actual)


@pytest.mark.parametrize(
    ("step", "kind", "message"),
    [
        pytest.param({}, ValueError, r"\[1\]: a step must be a call or one group", id="empty"),
        pytest.param(
            {"anyorder_of": [A]},
            ValueError,
            r"\[1\]: a step must be a call or one group, got \{'anyorder_of'.*; a call needs a "
            r"'name', in a group use one of 'any_order_of', 'optional', 'one_of' "
            r"\(did you mean 'any_order_of'\?\)",
            id="misspelled",
        ),
        pytest.param({"optional": A, "one_of": [B]}, ValueError, r"one group", id="two groups"),
        pytest.param(
            {"one_of": []}, ValueError, r"one_of needs at least one call", id="empty group"
        ),
        pytest.param({"one_of": "ab"}, TypeError, r"one_of needs a list of calls", id="text"),
        pytest.param({"one_of": A}, TypeError, r"one_of needs a list of calls", id="one call"),
        pytest.param(
            {"one_of": [{"optional": A}]}, TypeError, r"optional cannot stand", id="inside"
        ),
        pytest.param(
            {"optional": {"any_order_of": [A, B]}},
            TypeError,
            r"any_order_of cannot stand inside optional",
            id="optional group",
        ),
        pytest.param({"optional": [A]}, TypeError, r"a call must be a Call .* got list", id="list"),
        pytest.param({"any_order_of": [A, 7]}, TypeError, r"a call must be .* got int 7", id="int"),
        pytest.param("a", TypeError, r"\[1\]: a call must be a Call .* got str 'a'", id="name"),
    ],
)
def test_a_bad_step_is_named(step, kind, message):
    with pytest.raises(kind, match=message):
        score_trajectory([A, step], [])
    with pytest.raises(kind, match=message):
        reference_to_json([A, step])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: one_of(), r"^one_of: pass at least one call"),
        (lambda: any_order_of(), r"^any_order_of: pass at least one call"),
        (lambda: any_order_of(any_order_of(A)), r"^any_order_of: any_order_of cannot stand inside"),
        (lambda: optional("a"), r"^optional: a call must be"),
        (lambda: one_of(A, optional(B)), r"^one_of: optional cannot stand inside one_of"),
    ],
)
def test_a_group_is_checked_when_it_is_made(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()


def test_order_of_blocks_by_trying_every_run():
    reference = [any_order_of(A, B), C]
    for run in itertools.product([A, B, C], repeat=4):
        word = "".join(call.name for call in run)
        expected = any(
            "a" in word[:cut] and "b" in word[:cut] and "c" in word[cut:] for cut in range(5)
        )
        assert score_trajectory(reference, run)["coverage"] is expected
