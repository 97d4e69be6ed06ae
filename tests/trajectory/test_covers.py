from __future__ import annotations

import itertools
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


@pytest.mark.parametrize(
    ("mode", "kind", "message"),
    [
        (
            "in_ordr",
            ValueError,
            r"covers: unknown mode 'in_ordr'; use one of 'exact', 'in_order', "
            r"'any_order', 'unordered', 'subset' \(did you mean 'in_order'\?\)",
        ),
        ("superset", ValueError, r"covers: unknown mode 'superset'.*did you mean 'subset'"),
        (None, TypeError, r"covers: unknown mode None; use one of"),
        (["exact"], TypeError, r"covers: unknown mode \['exact'\]"),
    ],
)
def test_an_unknown_mode_is_an_error_and_never_any_order(mode, kind, message):
    with pytest.raises(kind, match=message):
        covers([], [], mode)
