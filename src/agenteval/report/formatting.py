"""Values as text for people: made safe to show, cut and aligned by the columns a terminal gives.

Nothing here knows about reports. Text that comes from an agent may hold anything: terminal escapes,
line breaks, right-to-left overrides, halves of surrogate pairs. `visible` makes it safe first; all
other functions expect, or make, such text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import floor, log10
from typing import Any

from agenteval._messages import cut as cut_repr

__all__ = [
    "call_text",
    "columns",
    "duration",
    "fit",
    "money",
    "number",
    "p_value",
    "pad",
    "plural",
    "rate",
    "repeat_name",
    "table",
    "value_text",
    "visible",
    "wrap",
]

# Control characters, line and paragraph separators, what reorders its neighbors, halves of
# surrogate pairs, the byte order mark and the two code points that are no characters and that
# XML 1.0 forbids.
_UNSAFE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
_NAMED = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_JOINER = "\u200d"
_EMOJI_STYLE = "\ufe0f"
_SOFT_HYPHEN = "\u00ad"  # a format character to Unicode, a hyphen to terminals
_FLAG_A, _FLAG_Z = "\U0001f1e6", "\U0001f1ff"  # two of these letters are one flag


def visible(text: object, *, keep: str = "") -> str:
    r"""Return `text` with everything that a page or a terminal cannot show spelled out.

    What comes back is one line (unless `keep` holds a line break), encodes as UTF-8, is allowed in
    XML 1.0 and does not reorder what stands beside it. Text in any script passes unchanged.

    Args:
        text: The text; anything else is shown by `str`, or by its type when that fails.
        keep: Characters to leave as they are, such as ``"\n\t"``.

    >>> visible("two\nlines \x1b[31m \udc80")
    'two\\nlines \\x1b[31m \\udc80'
    >>> visible("two\nlines", keep="\n")
    'two\nlines'
    """
    if not isinstance(text, str):
        try:
            text = str(text)
        except Exception:  # noqa: BLE001 - a report must not fail on a value that cannot be shown
            text = f"<{type(text).__name__} whose str fails>"

    def spell(match: re.Match[str]) -> str:
        char = match.group()
        if char in keep:
            return char
        code = ord(char)
        return _NAMED.get(char) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")

    return _UNSAFE.sub(spell, text)


def _cells(text: str) -> Iterable[tuple[str, int]]:
    """Yield each character with the columns that it adds after those before it.

    East-asian wide characters and emoji take two; combining marks, and what a zero-width joiner,
    a skin tone or the second half of a flag adds to an emoji, none.
    """
    from unicodedata import category, east_asian_width  # here, because only such text needs it

    before = ""
    before_width = 0
    half_flag = False
    for char in text:
        half_flag = _FLAG_A <= char <= _FLAG_Z and not half_flag
        if half_flag or _FLAG_A <= char <= _FLAG_Z:
            before, before_width = char, 2 * half_flag
            yield char, before_width
            continue
        joined = before == _JOINER and not char.isalnum()
        if joined or (before_width == 2 and "\U0001f3fb" <= char <= "\U0001f3ff"):
            yield char, 0
            before = char
            continue
        if char == _EMOJI_STYLE:
            grows = before_width == 1 and not before.isalpha()
            yield char, int(grows)
            before_width += grows
            continue
        kind = category(char)
        if (kind in {"Mn", "Me", "Cf"} and char != _SOFT_HYPHEN) or "\u1160" <= char <= "\u11ff":
            yield char, 0
            if char == _JOINER and before_width == 2:
                before = char
            continue
        # Python calls characters wide that its version does not know: so are the emoji of them.
        wide = east_asian_width(char) in "WF" if kind != "Cn" else char >= "\U0001f300"
        before, before_width = char, 1 + wide
        yield char, before_width


def columns(text: str) -> int:
    """Return how many columns of a terminal `text` takes.

    >>> columns("naïve"), columns("東京"), columns("👩‍🚀")
    (5, 4, 2)
    """
    if text.isascii():
        return len(text)
    return sum(width for _, width in _cells(text))


def fit(text: object, width: int) -> str:
    r"""Return `text` on one line of at most `width` columns, its end cut and marked when too long.

    >>> fit("a long sentence", 10)
    'a long ...'
    >>> fit("東京都庁", 7)
    '東京...'
    >>> fit("one\ntwo", 20)
    'one\\ntwo'
    """
    # To escape all of a book of an answer would be slow; and as marks take no columns, even what
    # fits could be endless.
    limit = 8 * max(width, 8)
    whole = text if isinstance(text, str) else visible(text)
    shown = visible(whole[:limit])
    if max(len(whole), len(shown)) <= limit and columns(shown) <= width:
        return shown
    mark = "..."[: max(width, 0)]
    room = width - len(mark)
    kept = []
    for char, taken in _cells(shown[: limit - len(mark)]):
        room -= taken
        if room < 0:
            break
        kept.append(char)
    return "".join(kept).rstrip(_JOINER) + mark


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Return `text` filled up with blanks to `width` columns, at its left when `right`.

    >>> pad("東京", 6) + "|", pad("7", 4, right=True)
    ('東京  |', '   7')
    """
    blanks = " " * (width - columns(text))
    return blanks + text if right else text + blanks


def table(rows: Iterable[Sequence[str]], *, right: Collection[int] = ()) -> list[str]:
    """Return the rows as lines with their columns aligned, two blanks apart, none at the end.

    Args:
        rows: The cells, each already one line; a row may be shorter than the others.
        right: The positions of the columns to align at the right.

    >>> table([["step", "call"], ["1", "rm()"]], right={0})
    ['step  call', '   1  rm()']
    """
    listed = [list(row) for row in rows]
    widths: list[int] = []
    for row in listed:
        for place, cell in enumerate(row):
            taken = columns(cell)
            if place == len(widths):
                widths.append(taken)
            elif taken > widths[place]:
                widths[place] = taken
    return [
        "  ".join(
            pad(cell, widths[place], right=place in right) for place, cell in enumerate(row)
        ).rstrip()
        for row in listed
    ]


def wrap(text: str, width: int, *, later: int | None = None) -> list[str]:
    """Return `text` as lines of at most `width` columns, broken at blanks.

    A word that is longer than a line is cut, and blanks in a row count as one.

    Args:
        text: The text, safe to show.
        width: The columns of the first line.
        later: The columns of the others, when they are not as wide.

    >>> wrap("over budget, wrong answer, not final", 20)
    ['over budget, wrong', 'answer, not final']
    """
    lines: list[str] = []
    line = ""
    room = width
    for word in text.split():
        if line and columns(line) + 1 + columns(word) <= room:
            line += f" {word}"
            continue
        if line:
            lines.append(line)
            room = width if later is None else later
        line = fit(word, room)
    return [*lines, line] if line else lines


def value_text(value: object) -> str:
    """Return a value as JSON writes it, and as Python's repr where JSON cannot; never raises.

    The text is safe to show and not cut.

    >>> value_text("88120"), value_text({"a": [1, None]}), value_text({1, 1})
    ('"88120"', '{"a": [1, null]}', '{1}')
    """
    import json  # here, because reading it in takes longer than most uses of the library

    try:
        text = json.dumps(value, ensure_ascii=False)
    except Exception:  # noqa: BLE001 - a report must not fail on an argument that JSON cannot hold
        text = cut_repr(value, 2000)
    return visible(text)


def call_text(name: str, args: Mapping[str, Any]) -> str:
    """Return a tool call as one reads it in code, safe to show and not cut.

    >>> call_text("get_policy", {"topic": "damaged", "limit": 2})
    'get_policy(topic="damaged", limit=2)'
    """
    inside = ", ".join(f"{visible(key)}={value_text(value)}" for key, value in args.items())
    return f"{visible(name)}({inside})"


def number(value: float) -> str:
    """Return a number with what its size makes worth reading, without needless zeros.

    >>> number(3), number(3.25), number(12.0), number(0.004321), number(1234567)
    ('3', '3.25', '12', '0.0043', '1,234,567')
    """
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    if value == int(value):
        return f"{int(value):,}"
    if abs(value) < 0.1:
        return f"{value:.2g}"
    return f"{value:,.2f}".rstrip("0").rstrip(".")


def rate(value: float) -> str:
    """Return a share of 0 to 1 with two decimals; only a true 0 or 1 is shown as one.

    What is nearer to one of them than four decimals tell is said to be below or above the last.

    >>> rate(2 / 3), rate(1.0), rate(0.9996), rate(0.0004), rate(1e-9)
    ('0.67', '1.00', '0.9996', '0.0004', 'below 0.0001')
    """
    if value in (0, 1):
        return f"{value:.2f}"
    for digits in (2, 3, 4):
        text = f"{value:.{digits}f}"
        if float(text) not in (0, 1):
            return text
    return "below 0.0001" if value < 0.5 else "above 0.9999"


def p_value(value: float) -> str:
    """Return a p-value with two significant digits.

    >>> p_value(1.0), p_value(0.140625), p_value(0.038574), p_value(1e-9)
    ('1.00', '0.14', '0.039', 'below 0.0001')
    """
    if 0 <= value < 0.0001:
        return "below 0.0001"
    return f"{value:.2f}" if value >= 0.1 else f"{value:.{1 - floor(log10(value))}f}"


def money(value: float) -> str:
    """Return an amount in US dollars: cents, and two significant digits below one cent.

    >>> money(0.21), money(1234.5), money(0.00123), money(0)
    ('$0.21', '$1,234.50', '$0.0012', '$0.00')
    """
    sign = "-" if value < 0 else ""
    size = abs(value)
    if 0 < size < 0.01:
        return f"{sign}${size:.{1 - floor(log10(size))}f}"
    return f"{sign}${size:,.2f}"


def duration(seconds: float) -> str:
    """Return a time in the unit that fits it.

    >>> duration(0.0042), duration(0.31), duration(12.345), duration(754)
    ('4.2 ms', '310 ms', '12.3 s', '12 min 34 s')
    """
    if seconds < 0.9995:
        return f"{seconds * 1000:.2g} ms" if seconds < 0.01 else f"{seconds * 1000:.0f} ms"
    if seconds < 119.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    return f"{whole // 60:,} min {whole % 60} s"


def plural(count: int, word: str, many: str | None = None) -> str:
    """Return the count with its word in the right number.

    >>> plural(1, "run"), plural(1200, "run"), plural(2, "retry", "retries")
    ('1 run', '1,200 runs', '2 retries')
    """
    return f"{count:,} {word if count == 1 else many or word + 's'}"


def repeat_name(repeat: object, total: int) -> str:
    """Return what people call a run among its task's repeats; data counts from 0, people from 1.

    >>> repeat_name(2, 5), repeat_name(None, 5)
    ('repeat 3 of 5', 'a repeat')
    """
    if not isinstance(repeat, int):
        return "a repeat"
    return f"repeat {repeat + 1:,} of {max(total, repeat + 1):,}"
