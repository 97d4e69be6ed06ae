from __future__ import annotations

import copy
import json
import pickle
import random
from collections import Counter, OrderedDict
from dataclasses import FrozenInstanceError, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType, SimpleNamespace
from unittest import mock
from uuid import UUID

import pytest

from agenteval.trajectory import Call, as_call, as_dict, score_trajectory
from agenteval.trajectory.calls import as_calls, is_plain


def test_the_key_of_flat_arguments_is_the_name_and_the_sorted_items():
    assert Call("f", {"b": 2, "a": "x"}).key() == ("f", (("a", "x"), ("b", 2)))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param({}, None, True, id="none means empty"),
        pytest.param({"a": 1}, {"a": 1.0}, True, id="1 and 1.0 are equal in Python"),
        pytest.param({"a": 1}, {"a": True}, True, id="so are 1 and True"),
        pytest.param({"a": 1}, {"a": "1"}, False, id="1 and its text are not"),
        pytest.param({"a": None}, {}, False, id="none given is not left out"),
        pytest.param({"a": [1]}, {"a": (1,)}, False, id="a list is no tuple"),
        pytest.param({"a": [1, 2]}, {"a": [2, 1]}, False, id="lists have an order"),
        pytest.param({"a": {"x": 1, "y": 2}}, {"a": {"y": 2, "x": 1}}, True, id="dicts have none"),
        pytest.param({"a": {1, 2}}, {"a": frozenset({2, 1})}, True, id="a set and a frozen one"),
        pytest.param({"a": {}}, {"a": []}, False, id="an empty dict is no empty list"),
        pytest.param({"a": {"k": 1}}, {"a": [("k", 1)]}, False, id="a dict is no list of pairs"),
        pytest.param(
            {"a": "caf\u00e9"}, {"a": json.loads('"caf\\u00e9"')}, True, id="unicode escape"
        ),
        pytest.param({"a": "é"}, {"a": "e\u0301"}, False, id="unicode is not normalized"),
        pytest.param({"a": [{"b": [1.0]}]}, {"a": [{"b": [1]}]}, True, id="nested 1 and 1.0"),
        pytest.param({1: "x", "1": "y"}, {"1": "y", 1: "x"}, True, id="names of two kinds"),
        pytest.param(OrderedDict(a=1, b=2), OrderedDict(b=2, a=1), True, id="order of arguments"),
        pytest.param(
            {"a": OrderedDict(x=1, y=2)},
            {"a": OrderedDict(y=2, x=1)},
            False,
            id="two ordered dicts in another order",
        ),
        pytest.param(
            {"a": OrderedDict(x=[1], y=2)},
            {"a": OrderedDict(x=[1.0], y=2)},
            True,
            id="two ordered dicts",
        ),
        pytest.param(
            {"a": OrderedDict(x=1, y=2)}, {"a": {"y": 2, "x": 1}}, True, id="an ordered and a dict"
        ),
        pytest.param(
            {"a": {"y": 2, "x": 1}}, {"a": OrderedDict(x=1, y=2)}, True, id="a dict and an ordered"
        ),
        pytest.param(
            {"a": [OrderedDict(x=1)]}, {"a": [OrderedDict(x=2)]}, False, id="two in lists"
        ),
        pytest.param(
            {"a": Counter(x=1)}, {"a": Counter(x=2)}, False, id="a dict with a == of its own"
        ),
        pytest.param({"a": int}, {"a": int}, True, id="classes"),
    ],
)
def test_two_calls_are_the_same_exactly_when_their_arguments_are(one, other, same):
    a, b = Call("f", one), Call("f", other)
    assert (a == b) is same
    assert (a.key() == b.key()) is same
    assert len({a, b}) == 2 - same


def random_json(rng: random.Random, depth: int = 3):
    kind = rng.randrange(8 if depth else 5)
    if kind == 5:
        return [random_json(rng, depth - 1) for _ in range(rng.randrange(3))]
    if kind > 5:
        return {rng.choice("xy"): random_json(rng, depth - 1) for _ in range(rng.randrange(3))}
    return rng.choice([0, 1, 1.0, True, False, None, "", "x", "1", 0.5])


def test_keys_are_equal_exactly_when_calls_are_on_random_json():
    rng = random.Random(11)
    calls = [
        Call(
            rng.choice("fg"),
            {name: random_json(rng) for name in rng.sample("ab", rng.randrange(3))},
        )
        for _ in range(220)
    ]
    equal = 0
    for a in calls:
        for b in calls:
            same = a.name == b.name and a.args == b.args
            assert (a.key() == b.key()) is same, (a, b)
            assert (hash(a) == hash(b)) or not same
            equal += same
    assert equal > 5 * len(calls)  # the alphabet is short enough to meet equals often


def test_an_error_is_no_part_of_a_calls_identity():
    assert Call("f", {}, "timeout") == Call("f", {})
    assert hash(Call("f", {}, "timeout")) == hash(Call("f", {}))


def test_a_call_is_frozen_and_small():
    call = Call("f", {"a": 1})
    with pytest.raises(FrozenInstanceError):
        call.name = "g"
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'zzz'"):
        call.zzz = 1
    with pytest.raises(AttributeError, match="cannot delete field 'args'"):
        del call.args
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'zzz'"):
        del call.zzz
    assert not hasattr(call, "__dict__")


def test_a_call_survives_copies():
    call = Call("f", {"a": [1]}, "down")
    for other in (pickle.loads(pickle.dumps(call)), copy.deepcopy(call), replace(call)):
        assert (other, other.error) == (call, "down")
        assert pickle.loads(pickle.dumps(call.key())) == copy.deepcopy(call.key()) == other.key()
    assert replace(call, args={}).args == {}
    match call:
        case Call(name, args, error):
            assert (name, args, error) == ("f", {"a": [1]}, "down")


def test_any_mapping_will_do_for_arguments():
    assert Call("f", MappingProxyType({"a": 1})).args == {"a": 1}
    assert type(Call("f", OrderedDict(a=1)).args) is dict


@pytest.mark.parametrize(
    ("args", "error", "message"),
    [
        pytest.param(
            '{"a": 1}',
            None,
            r"Call\('f'\): args must be a mapping, got str '\{\"a\": 1\}'; decode it",
            id="JSON text",
        ),
        pytest.param("", None, r"args must be a mapping, got str ''", id="empty text"),
        pytest.param([], None, r"args must be a mapping, got list \[\]; pass a dict", id="list"),
        pytest.param(False, None, r"args must be a mapping, got bool False", id="False"),
        pytest.param(
            {}, True, r"Call\('f'\): error must be a str or None, got bool True", id="error"
        ),
        pytest.param(
            {}, ValueError("x"), r"error must be .* pass the error's text", id="exception"
        ),
    ],
)
def test_a_call_says_what_is_wrong_with_it(args, error, message):
    with pytest.raises(TypeError, match=message):
        Call("f", args, error)
    with pytest.raises(TypeError, match=message):
        as_call({"name": "f", "args": args, "error": error})


def test_a_name_must_be_text():
    with pytest.raises(TypeError, match=r"Call: name must be a str, got int 7"):
        Call(7)


def test_long_values_are_cut_in_messages():
    with pytest.raises(TypeError) as caught:
        Call("f", "x" * 5000)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(Call("f", {"a": 1}, "down"), id="Call"),
        pytest.param({"name": "f", "args": {"a": 1}, "error": "down"}, id="dict"),
        pytest.param(SimpleNamespace(name="f", args={"a": 1}, error="down"), id="look-alike"),
    ],
)
def test_as_call_reads_every_form(call):
    whole = as_call(call)
    assert (whole, whole.error) == (Call("f", {"a": 1}), "down")
    assert as_dict(call) == {"name": "f", "args": {"a": 1}, "error": "down"}


@pytest.mark.parametrize(
    "call", [{"name": "f"}, {"name": "f", "args": None}, {"name": "f", "error": None}]
)
def test_arguments_may_be_left_out(call):
    assert as_call(call) == Call("f")


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"id": "call_1", "type": "tool_call"}, id="a LangChain tool call"),
        pytest.param({"result": "ok", "seconds": 0.2, "mirror": 1}, id="one's own"),
        pytest.param({"error": None, "is_error": False, "error_type": None}, id="error is there"),
        pytest.param({"arguments": "{}"}, id="arguments are there"),
        pytest.param({7: "x"}, id="no text"),
    ],
)
@pytest.mark.parametrize("wrap", [dict, MappingProxyType])
def test_other_keys_are_the_owners(wrap, more):
    call = wrap({"name": "f", "args": {"a": 1}, **more})
    assert as_calls([call], "here") == [Call("f", {"a": 1})]


FOR_ARGS = (
    "argument arguments Args ARGS arg args_ kwargs tool_input toolInput input inputs parameters "
    "params function_args raw_arguments payload"
)
FOR_ERROR = "is_error isError Error errors eror erorr err error_message exception failed"


@pytest.mark.parametrize("key", FOR_ARGS.split())
def test_arguments_under_another_key_are_refused(key):
    with pytest.raises(TypeError, match=f"stand under 'args', got them under '{key}' in .*rename"):
        as_call({"name": "f", key: {"a": 1}})
    with pytest.raises(TypeError, match=rf"here\[1\]: a call's arguments .*'{key}'"):
        as_calls([Call("f"), {"name": "f", "error": None, "id": 1, key: {}}], "here")


def test_a_call_with_keys_of_ones_own_says_that_it_has_no_arguments():
    with pytest.raises(TypeError, match=r"got none beside 'x' in \{.*write 'args': \{\} if it has"):
        as_call({"name": "f", "x": 1})
    assert as_call({"name": "f", "args": {}, "x": 1}) == Call("f")


@pytest.mark.parametrize("key", FOR_ERROR.split())
@pytest.mark.parametrize("value", [True, False, None, "down"])
def test_an_error_under_another_key_is_refused_whatever_it_says(key, value):
    with pytest.raises(TypeError, match=f"error stands under 'error', got '{key}' in .*in text"):
        as_call({"name": "f", "args": {}, key: value})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("status", "error"),
        ("status", "Failed"),
        ("status", "failure"),
        ("ok", False),
        ("success", False),
    ],
)
def test_a_failure_under_another_key_is_refused(key, value):
    with pytest.raises(TypeError, match=f"error stands under 'error', got '{key}' in .*in text"):
        as_call({"name": "f", "args": {}, key: value})
    assert as_call({"name": "f", "args": {}, "error": "down", key: value}).error == "down"


@pytest.mark.parametrize(
    ("key", "value"), [("status", "completed"), ("status", None), ("ok", True), ("success", None)]
)
def test_a_success_under_another_key_is_the_owners(key, value):
    assert as_call({"name": "f", "args": {}, key: value}) == Call("f")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param([Call("f")], r"got list .*pass the calls of a list one by one", id="a list"),
        pytest.param({"args": {}}, r"a call needs a 'name', got \{'args': \{\}\}", id="no name"),
        pytest.param(
            {"name": "f", "arguments": {"a": 1}},
            r"arguments stand under 'args', got them under 'arguments' in .*from_trace",
            id="OpenAI's key",
        ),
        pytest.param({"name": "f", "input": {}}, r"got them under 'input'", id="Anthropic's key"),
        pytest.param("f", r"a call must be a Call or a dict .*, got str 'f'", id="a name alone"),
        pytest.param(None, r"got NoneType None", id="None"),
    ],
)
def test_as_call_says_what_it_needs(call, message):
    with pytest.raises(TypeError, match=message):
        as_call(call)


def nested(depth: int, inner: object = 1) -> object:
    for _ in range(depth):
        inner = [inner]
    return inner


def test_deep_arguments_have_a_key_or_say_that_they_have_none():
    assert Call("f", {"a": nested(200)}).key() == Call("f", {"a": nested(200)}).key()
    deep = Call("f", {"a": nested(2000)})
    with pytest.raises(ValueError, match=r"Call.key: the arguments of 'f' are nested too deep"):
        deep.key()
    with pytest.raises(ValueError, match="compare such calls with =="):
        hash(deep)
    one, same, other = (Call("f", {"a": nested(600, inner)}) for inner in (1, 1.0, 2))
    assert one == same != other


@pytest.mark.parametrize("mode", ["exact", "in_order", "any_order", "unordered", "subset"])
@pytest.mark.parametrize("depth", [150, 199, 201, 494, 600])
def test_deep_arguments_are_scored(mode, depth):
    reference, actual = ([Call("w", {"a": nested(depth)})] * 2 for _ in range(2))
    scores = score_trajectory(reference, actual, mode, write_tools={"w"})
    assert (scores["coverage"], scores["duplicate_writes"]) == (True, 0)
    other = [Call("w", {"a": nested(depth, 2)})]
    assert score_trajectory(other, actual, mode, write_tools={"w"})["coverage"] is False


def test_as_calls_names_the_position():
    with pytest.raises(TypeError, match=r"^here\[1\]: a call needs a 'name'"):
        as_calls([Call("f"), {"nam": "g"}], "here")
    with pytest.raises(TypeError, match=r"^here must be a list of calls, got dict"):
        as_calls({"name": "f"}, "here")
    with pytest.raises(TypeError, match=r"^here must be a list of calls, got Call"):
        as_calls(Call("f"), "here")
    with pytest.raises(TypeError, match=r"^here must be a list of calls, got NoneType"):
        as_calls(None, "here")


def test_as_calls_takes_any_iterable():
    assert as_calls(iter([{"name": "f"}, Call("g")]), "here") == [Call("f"), Call("g")]
    assert as_calls((Call("g"),), "here") == [Call("g")]


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ({"a": [1, (2.0, None)], "b": {"c": {True, "x"}}}, True),
        ({"a": [Decimal("1.5"), date(2026, 1, 2), UUID(int=7), Fraction(1, 3), int]}, True),
        (nested(200), True),
        (nested(201), False),
        (nested(2000), False),
        (mock.ANY, False),
        ({"a": [mock.ANY]}, False),
        ({"a": {"b": pytest.approx(1)}}, False),
    ],
)
def test_plain_is_what_holds_nothing_but_data(value, plain):
    assert is_plain(value) is plain
