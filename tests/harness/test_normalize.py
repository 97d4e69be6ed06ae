"""Text as it is compared."""

from __future__ import annotations

import random
import sys

import pytest

from agenteval.harness import normalize


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Paris.", "paris", id="trailing stop"),
        pytest.param("PARIS!!", "paris", id="trailing exclamation marks"),
        pytest.param("Paris. ! .", "paris", id="marks with blanks between"),
        pytest.param("  New \t\n York ", "new york", id="white space collapses"),
        pytest.param("a\u00a0b\u2003c\u3000d\u2028e\x85f", "a b c d e f", id="unicode white space"),
        pytest.param("Paris?", "paris?", id="question mark stays"),
        pytest.param("3.14", "3.14", id="inner stop stays"),
        pytest.param(".5", ".5", id="leading stop stays"),
        pytest.param("the answer", "the answer", id="articles stay"),
        pytest.param("caf\u00e9", "caf\u00e9", id="accents stay"),
        pytest.param("5,000", "5,000", id="commas stay"),
        pytest.param("a\u200bb", "a\u200bb", id="zero width space is no white space"),
        pytest.param("...", "", id="marks only"),
        pytest.param("", "", id="empty"),
        pytest.param("\ud800 X.", "\ud800 x", id="lone surrogate"),
    ],
)
def test_examples(text, expected):
    assert normalize(text) == expected


def test_every_character_is_normalized_once_and_for_all():
    characters = map(chr, range(sys.maxunicode + 1))
    changing = [each for each in characters if each.isspace() or each.lower() != each]
    assert len(changing) > 1000
    for each in changing:
        once = normalize(f"A{each}.B{each}.")
        assert normalize(once) == once, hex(ord(each))


def test_random_text_is_normalized_once_and_for_all():
    dice = random.Random(7)
    alphabet = "aA .!\t\n\u00a0\u2028\u0130\u03a3\u1e9e?"
    for _ in range(5000):
        once = normalize("".join(dice.choices(alphabet, k=dice.randrange(9))))
        assert normalize(once) == once
        assert once == once.strip()
        assert not once.endswith((".", "!"))
        assert "  " not in once


@pytest.mark.parametrize("text", [5, None, b"Paris", ["Paris"]], ids=repr)
def test_only_text_is_normalized(text):
    with pytest.raises(TypeError, match=r"normalize: text must be a str, got \w+ .*convert it"):
        normalize(text)
