"""Text made safe, cut and aligned by what a terminal shows."""

from __future__ import annotations

import random
import unicodedata

import pytest

from agenteval.report.formatting import (
    call_text,
    columns,
    duration,
    fit,
    money,
    number,
    p_value,
    pad,
    plural,
    rate,
    table,
    value_text,
    visible,
    wrap,
)

VISIBLE = [
    pytest.param("plain", "plain", id="plain"),
    pytest.param("naïve 東京 שלום 👍", "naïve 東京 שלום 👍", id="any-script"),
    pytest.param("a\nb\tc\rd", r"a\nb\tc\rd", id="line-breaks"),
    pytest.param("\x00\x1b\x7f\x85", r"\x00\x1b\x7f\x85", id="controls"),
    pytest.param("\u2028\u2029", r"\u2028\u2029", id="line-separators"),
    pytest.param("\u202e\u2066\u2069", r"\u202e\u2066\u2069", id="direction-overrides"),
    pytest.param("\ud800\udfff", r"\ud800\udfff", id="lone-surrogates"),
    pytest.param("\ufffe\uffff\ufeff", r"\ufffe\uffff\ufeff", id="no-characters"),
    pytest.param(None, "None", id="none"),
    pytest.param(3.5, "3.5", id="number"),
]


@pytest.mark.parametrize(("given", "wanted"), VISIBLE)
def test_visible(given, wanted) -> None:
    assert visible(given) == wanted


def test_visible_keeps_what_it_is_told_to() -> None:
    assert visible("a\nb\tc\r", keep="\n\t") == "a\nb\tc\\r"


def test_every_character_is_shown_or_spelled_out() -> None:
    for code in range(0x110000):
        if code % 97 and code > 0x10000:
            continue
        shown = visible(chr(code))
        shown.encode()
        assert not any(unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} for char in shown)
        # XML 1.0, production 2: Char.
        assert all(
            char in "\t\n\r" or " " <= char <= "\ud7ff" or "\ue000" <= char <= "\ufffd"
            or char >= "\U00010000"
            for char in shown
        )  # fmt: skip


def test_a_value_that_cannot_be_shown_is_named() -> None:
    class Broken:
        def __str__(self) -> str:
            raise RuntimeError

        __repr__ = __str__

    assert visible(Broken()) == "<Broken whose str fails>"
    assert value_text(Broken()) == "<Broken whose repr fails>"
    assert fit(Broken(), 12) == "<Broken w..."


# The widths that Kitty, WezTerm and other terminals of today give them.
WIDTHS = [
    pytest.param("", 0, id="empty"),
    pytest.param("plain", 5, id="ascii"),
    pytest.param("naïve", 5, id="composed"),
    pytest.param("nai\u0308ve", 5, id="decomposed"),
    pytest.param("東京", 4, id="wide"),
    pytest.param("ｶﾞ", 2, id="half-width"),
    pytest.param("שלום", 4, id="right-to-left"),
    pytest.param("👍", 2, id="emoji"),
    pytest.param("👍🏽", 2, id="skin-tone"),
    pytest.param("👩‍🚀", 2, id="joined"),
    pytest.param("👩‍👩‍👧‍👦", 2, id="family"),
    pytest.param("👩‍🚀👩‍🚀a", 5, id="two-joined-and-a-letter"),
    pytest.param("🤷🏽‍♂️x", 3, id="joined-by-a-narrow-sign"),
    pytest.param("a\u200db", 2, id="letters-do-not-join"),
    pytest.param("👩\u200da", 3, id="no-letter-joins-an-emoji"),
    pytest.param("❤", 1, id="text-heart"),
    pytest.param("❤️", 2, id="emoji-heart"),
    pytest.param("1️⃣", 2, id="keycap"),
    pytest.param("🇩🇪", 2, id="flag"),
    pytest.param("🇩🇪🇫🇷x", 5, id="flags"),
    pytest.param("🇩", 2, id="half-a-flag"),
    pytest.param("co\u00adop", 5, id="soft-hyphen"),
    pytest.param("한", 2, id="hangul"),
    pytest.param("\u1112\u1161\u11ab", 2, id="hangul-of-three-parts"),
]


@pytest.mark.parametrize(("text", "wanted"), WIDTHS)
def test_columns(text, wanted) -> None:
    assert columns(text) == wanted


FITS = [
    pytest.param("ten chars.", 10, "ten chars.", id="just-fits"),
    pytest.param("ten chars..", 10, "ten cha...", id="one-too-many"),
    pytest.param("東京都庁", 8, "東京都庁", id="wide-fits"),
    pytest.param("東京都庁", 7, "東京...", id="wide"),
    pytest.param("東京都庁", 6, "東...", id="wide-one-column-free"),
    pytest.param("👩‍🚀👩‍🚀👩‍🚀", 5, "👩‍🚀...", id="never-within-an-emoji"),
    pytest.param("a👩\u200d東東", 6, "a👩...", id="no-joiner-before-the-mark"),
    pytest.param("🇩🇪🇫🇷🇮🇹", 5, "🇩🇪...", id="never-within-a-flag"),
    pytest.param("x🇩🇪🇫🇷🇮🇹", 5, "x...", id="no-room-for-a-flag"),
    pytest.param("\u00ad" * 9, 8, "\u00ad" * 5 + "...", id="soft-hyphens"),
    pytest.param("a\nb", 10, r"a\nb", id="escaped"),
    pytest.param("long", 3, "...", id="only-the-mark"),
    pytest.param("long", 2, "..", id="not-even-the-mark"),
    pytest.param("long", 0, "", id="no-room"),
    pytest.param("", 0, "", id="nothing"),
    pytest.param(12345678, 5, "12...", id="a-number"),
]


@pytest.mark.parametrize(("text", "width", "wanted"), FITS)
def test_fit(text, width, wanted) -> None:
    assert fit(text, width) == wanted


@pytest.mark.parametrize("seed", range(20))
def test_fit_and_wrap_never_take_more_than_they_are_given(odd_texts, seed) -> None:
    rng = random.Random(seed)
    for text in [*odd_texts.values(), "".join(rng.choices("a東👩\u200d🚀\u0301 \n", k=200))]:
        width = rng.randrange(1, 100)
        cut = fit(text, width)
        assert columns(cut) <= width
        assert cut == visible(text) or cut.endswith("..."[:width])
        assert fit(cut, width) == cut
        for line in wrap(visible(text), width, later=width + 5)[1:]:
            assert columns(line) <= width + 5


def test_a_book_is_cut_without_reading_it() -> None:
    assert fit("x" * 50_000_000, 10) == "xxxxxxx..."


def test_pad_by_columns() -> None:
    assert pad("東京", 6) == "東京  "
    assert pad("東京", 6, right=True) == "  東京"
    assert pad("too long", 3) == "too long"


def test_a_table_is_aligned_by_columns() -> None:
    lines = table([["n", "name", "x"], ["10", "東京", "y"], ["7", "👍", "z"]], right={0})
    assert lines == [" n  name  x", "10  東京  y", " 7  👍    z"]
    assert table([]) == []


def test_a_table_has_no_blanks_at_its_end() -> None:
    assert table([["a", "long"], ["b", ""], ["c"]]) == ["a  long", "b", "c"]


def test_wrap_keeps_every_word() -> None:
    text = "error: KeyError (4); over budget (2); forbidden tool: rm"
    for width in range(12, 40):
        assert " ".join(wrap(text, width)) == text


VALUES = [
    pytest.param("88120", '"88120"', id="text"),
    pytest.param('say "hi"', r'"say \"hi\""', id="quotes"),
    pytest.param(None, "null", id="none"),
    pytest.param(True, "true", id="bool"),
    pytest.param(2.5, "2.5", id="number"),
    pytest.param({"a": [1, {"b": None}]}, '{"a": [1, {"b": null}]}', id="nested"),
    pytest.param("東京", '"東京"', id="any-script"),
    pytest.param("\ud800", r'"\ud800"', id="lone-surrogate"),
    pytest.param("a\x85b", r'"a\x85b"', id="a-control-that-json-leaves"),
    pytest.param({1, 2}, "{1, 2}", id="no-json"),
    pytest.param(b"\x00", r"b'\x00'", id="bytes"),
]


@pytest.mark.parametrize(("value", "wanted"), VALUES)
def test_value_text(value, wanted) -> None:
    assert value_text(value) == wanted


def test_a_value_that_holds_itself_is_shown() -> None:
    value: list = []
    value.append(value)
    assert value_text(value) == "[[...]]"


def test_call_text() -> None:
    assert call_text("f", {}) == "f()"
    assert call_text("a\nb", {"c\n": "d", 5: None}) == 'a\\nb(c\\n="d", 5=null)'


NUMBERS = [
    pytest.param(rate, 0.0, "0.00", id="rate-0"),
    pytest.param(rate, 1.0, "1.00", id="rate-1"),
    pytest.param(rate, 0.996, "0.996", id="rate-nearly-1"),
    pytest.param(rate, 0.9999999, "above 0.9999", id="rate-so-near-1"),
    pytest.param(rate, 1e-9, "below 0.0001", id="rate-so-near-0"),
    pytest.param(rate, 1 - 1e-9, "above 0.9999", id="rate-nearer-to-1"),
    pytest.param(rate, 0.004, "0.004", id="rate-nearly-0"),
    pytest.param(rate, 1 / 3, "0.33", id="rate-third"),
    pytest.param(p_value, 0.0625, "0.062", id="p"),
    pytest.param(p_value, 0.0, "below 0.0001", id="p-0"),
    pytest.param(money, 0.005, "$0.0050", id="less-than-a-cent"),
    pytest.param(money, -0.21, "-$0.21", id="negative-money"),
    pytest.param(money, 0.009999, "$0.0100", id="nearly-a-cent"),
    pytest.param(duration, 0, "0 ms", id="no-time"),
    pytest.param(duration, 0.9996, "1.0 s", id="nearly-a-second"),
    pytest.param(duration, 119.96, "2 min 0 s", id="nearly-two-minutes"),
    pytest.param(duration, 90, "90.0 s", id="a-minute-and-a-half"),
    pytest.param(number, 0.1, "0.1", id="a-tenth"),
    pytest.param(number, 4.5, "4.5", id="half"),
    pytest.param(number, float("inf"), "inf", id="infinite"),
    pytest.param(number, float("nan"), "nan", id="nan"),
]


@pytest.mark.parametrize(("shown", "value", "wanted"), NUMBERS)
def test_numbers(shown, value, wanted) -> None:
    assert shown(value) == wanted


def test_plural() -> None:
    assert (plural(0, "run"), plural(1, "run")) == ("0 runs", "1 run")
