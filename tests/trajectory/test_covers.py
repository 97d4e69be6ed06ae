from __future__ import annotations

import itertools
import random
from unittest import mock

import pytest

from agenteval.trajectory import Call, covers

MODES = ("exact", "in_order", "any_order", "unordered", "subset")


@pytest.mark.parametrize(
    ("reference", "actual", "holds"),
    [
        pytest.param("ab", "ab", MODES, id="the same"),
        pytest.param("ab", "ba", ("any_order", "unordered", "subset"), id="swapped"),
        pytest.param("ab", "axb", ("in_order", "any_order"), id="an extra"),
        pytest.param("ab", "xbya", ("any_order",), id="swapped with extras"),
        pytest.param("ab", "a", ("subset",), id="one missing"),
        pytest.param("aa", "a", ("subset",), id="a repeat missing"),
        pytest.param("a", "aa", ("in_order", "any_order"), id="a repeat too many"),
        pytest.param("aba", "aab", ("any_order", "unordered", "subset"), id="a repeat elsewhere"),
        pytest.param("", "", MODES, id="both empty"),
        pytest.param("", "a", ("in_order", "any_order"), id="empty reference"),
        pytest.param("a", "", ("subset",), id="empty run"),
    ],
)
def test_each_mode(reference, actual, holds):
    keys = [Call(name).key() for name in reference], [Call(name).key() for name in actual]
    assert tuple(mode for mode in MODES if covers(*keys, mode)) == holds


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "wrap",
    [pytest.param(str, id="hashable keys"), pytest.param(lambda key: [key], id="unhashable keys")],
)
def test_all_short_sequences_by_definition(mode, wrap, cover_by_definition):
    words = ["".join(word) for n in range(5) for word in itertools.product("ab", repeat=n)]
    for reference, actual in itertools.product(words, words):
        keys = list(map(wrap, reference)), list(map(wrap, actual))
        assert covers(*keys, mode) is cover_by_definition(*keys, mode), keys


def test_calls_themselves_will_do_for_keys():
    assert covers([Call("f", {"a": [1]})], [Call("g"), Call("f", {"a": [1]})])
    assert covers((Call("f"),), [Call("f")], "exact")


def test_keys_that_decide_by_their_own_equality_are_not_taken_greedily():
    loose, strict = ("f", (("a", mock.ANY),)), ("f", (("a", 1),))
    actual = [("f", (("a", 1),)), ("f", (("a", 2),))]
    for reference in ([loose, strict], [strict, loose]):
        assert covers(reference, actual, "any_order")
        assert covers(reference, actual, "unordered")
    assert not covers([strict, strict], actual, "any_order")


class Loose:
    """Equals anything, and can be hashed all the same."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 7


class Sour:
    """Cannot be compared."""

    __hash__ = None

    def __eq__(self, other: object) -> bool:
        raise KeyError("sour")


@pytest.mark.parametrize("mode", ["any_order", "unordered", "subset"])
@pytest.mark.parametrize("side", [0, 1])
def test_a_hash_is_not_trusted_where_an_object_decides(mode, side):
    loose, strict = [("f", (("a", Loose()),)), "b"], ["b", ("f", (("a", 1),))]
    keys = (loose, strict) if side == 0 else (strict, loose)
    assert covers(*keys, mode)
    assert covers([Call("f", {"a": key}) for key in (Loose(), 2)], [Call("f", {"a": 2})] * 2, mode)


class Choice:
    """Equals any of some numbers, whatever its hash."""

    def __init__(self, numbers: list[int], hashed: int) -> None:
        self.numbers = numbers
        self.hashed = hashed

    def __eq__(self, other: object) -> bool:
        return self is other if isinstance(other, Choice) else other in self.numbers

    def __hash__(self) -> int:
        return self.hashed


def by_every_way(wanted: list, given: list, mode: str) -> bool:
    if mode == "exact":
        return wanted == given
    if mode == "in_order":
        ways = itertools.combinations(given, len(wanted))
        return any(list(way) == wanted for way in ways)
    if mode == "unordered" and len(wanted) != len(given):
        return False
    needed, held = (given, wanted) if mode == "subset" else (wanted, given)
    return any(list(way) == needed for way in itertools.permutations(held, len(needed)))


@pytest.mark.parametrize("mode", MODES)
def test_objects_that_decide_by_trying_every_way(mode):
    rng = random.Random(31)

    def key() -> object:
        if rng.random() < 0.35:
            return Choice(rng.sample([1, 2, 3], 2), rng.choice([1, 2]))
        return rng.choice([1, 2, 3])

    held = 0
    for _ in range(2500):
        wanted, given = ([key() for _ in range(rng.randrange(5))] for _ in range(2))
        expected = by_every_way(wanted, given, mode)
        assert covers(wanted, given, mode) is expected, (wanted, given)
        held += expected
    assert 100 < held < 2400


@pytest.mark.parametrize("mode", MODES)
def test_any_iterable_of_keys_will_do(mode):
    assert covers((key for key in "ab"), iter("ab"), mode)
    assert not covers((key for key in "aab"), iter("abb"), mode)


@pytest.mark.parametrize("mode", MODES)
def test_a_key_is_itself_whatever_it_says(mode):
    nan = float("nan")
    assert covers([nan, [nan]], [nan, [nan]], mode)


@pytest.mark.parametrize("mode", MODES)
def test_calls_too_deep_for_a_hash_are_compared(mode):
    def deep(inner: object) -> Call:
        for _ in range(600):
            inner = [inner]
        return Call("f", {"a": inner})

    assert covers([deep(1)], [deep(1)], mode)
    assert not covers([deep(1)], [deep(2)], mode)


@pytest.mark.parametrize("bad", [None, 7, Call("f"), {"f": 1}], ids=repr)
def test_keys_must_be_a_collection(bad):
    kind = type(bad).__name__
    with pytest.raises(TypeError, match=f"covers: reference_keys must be a list .*got {kind}"):
        covers(bad, [])
    with pytest.raises(TypeError, match=f"covers: actual_keys must be a list .*got {kind} .*pass"):
        covers([], bad)


@pytest.mark.parametrize("mode", MODES)
def test_an_equality_that_raises_is_named(mode):
    with pytest.raises(ValueError, match="covers: comparing two keys raised KeyError: 'sour'"):
        covers([[Sour()]], [["a"]], mode)


class NoTruth:
    """Answers every ``==`` with something that is neither true nor false, as arrays do."""

    __hash__ = None

    def __eq__(self, other: object) -> NoTruth:
        return self

    def __bool__(self) -> bool:
        raise ValueError("ambiguous")

    def __repr__(self) -> str:
        return "a column"


@pytest.mark.parametrize(
    ("mode", "kind", "message"),
    [
        (
            "in_ordr",
            ValueError,
            r"covers: unknown mode 'in_ordr'; use one of 'exact', 'in_order', "
            r"'any_order', 'unordered', 'subset' \(did you mean 'in_order'\?\)",
        ),
        ("superset", ValueError, r"covers: unknown mode 'superset'.*did you mean 'any_order'\?"),
        ("strict", ValueError, r"unknown mode 'strict'; use one of .*did you mean 'exact'\?"),
        ("EXACT", ValueError, r"unknown mode 'EXACT'; use one of .*did you mean 'exact'\?"),
        ("IN_ORDER", ValueError, r"unknown mode 'IN_ORDER'; .*did you mean 'in_order'\?"),
        ("ANY_ORDER", ValueError, r"unknown mode 'ANY_ORDER'; .*did you mean 'any_order'\?"),
        ("in order", ValueError, r"unknown mode 'in order'; .*did you mean 'in_order'\?"),
        ("tool-sequence", ValueError, r"mode 'tool-sequence'; .*did you mean 'in_order'\?"),
        ("Subset", ValueError, r"unknown mode 'Subset'; .*did you mean 'subset'\?"),
        (None, TypeError, r"covers: unknown mode None; use one of"),
        (["exact"], TypeError, r"covers: unknown mode \['exact'\]"),
        (NoTruth(), TypeError, r"covers: unknown mode a column; use one of"),
    ],
)
def test_an_unknown_mode_is_an_error_and_never_any_order(mode, kind, message):
    with pytest.raises(kind, match=message):
        covers([], [], mode)
