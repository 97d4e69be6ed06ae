"""The smallest pieces of a page: escaped text, text cut with a word on what is missing, tables.

Every value that comes from a run reaches the page through `escaped` or a function built on it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from agenteval.report.formatting import plural, visible

__all__ = ["block", "bounded", "escaped", "isolated", "table"]


def escaped(value: object, *, keep: str = "", quote: bool = True) -> str:
    r"""Return `value` as text that is safe between tags and inside a quoted attribute.

    What a page cannot hold or show (control characters, halves of surrogate pairs, what reorders
    its neighbors) is spelled out, so the result encodes as UTF-8 and is well-formed XML.

    Args:
        value: The text, or anything else that `str` shows.
        keep: Control characters to leave as they are.
        quote: Escape quotation marks as well. Only an attribute needs that, and runs are full of
            them.

    >>> escaped('<script>alert("hi")</script> \x00')
    '&lt;script&gt;alert(&quot;hi&quot;)&lt;/script&gt; \\x00'
    """
    from html import escape  # here, because only those who write a page need it

    return escape(visible(value, keep=keep), quote=quote)


def bounded(text: object, limit: int) -> str:
    """Return `text` escaped, at most `limit` characters of it, and how many there are in all.

    >>> bounded("a" * 5000, 4)
    'aaaa<span class="cut"> … cut, 5,000 characters in all</span>'
    """
    whole = text if isinstance(text, str) else visible(text)
    shown = escaped(whole[:limit], keep="\n\t", quote=False)
    if len(whole) <= limit:
        return shown
    total = plural(len(whole), "character")
    return f'{shown}<span class="cut"> … cut, {total} in all</span>'


def isolated(value: object, *, limit: int = 200) -> str:
    """Return `value` on one line, in an element that keeps right-to-left text to itself.

    Text that would not be seen at all, empty or blank, stands in quotation marks.

    >>> isolated("شكرا")
    '<bdi>شكرا</bdi>'
    """
    text = visible(value)
    if len(text) > limit:
        text = text[:limit] + "…"
    if not text.strip():
        text = f'"{text}"'
    return f"<bdi>{escaped(text, quote=False)}</bdi>"


def block(value: object, *, limit: int) -> str:
    r"""Return `value` as a block that keeps its line breaks, in the direction it is written in.

    >>> block("two\nlines", limit=100)
    '<pre dir="auto">two\nlines</pre>'
    """
    # A parser drops a line break right after <pre>, so one that belongs to the text is doubled.
    shown = bounded(value, limit)
    return f'<pre dir="auto">{chr(10) if shown.startswith(chr(10)) else ""}{shown}</pre>'


def table(
    caption: str,
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: Collection[int] = (),
    kind: str = "",
) -> str:
    """Return a table whose cells are markup already; the first cell of a row is its header.

    Args:
        caption: What the table shows, as markup.
        head: The columns' headers.
        rows: The cells, row by row.
        numbers: The positions of the columns that hold numbers, aligned at the right.
        kind: A class for the style sheet.
    """
    # One class on the table rather than one on each cell, and no white space between elements:
    # a page may hold thousands of tables, and each blank is one more node to parse.
    right = "".join(f" n{place + 1}" for place in sorted(numbers))
    top = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>'
        for first, *rest in rows
    )
    return (
        f'<table class="{f"{kind}{right}".strip()}"><caption>{caption}</caption>'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>\n"
    )
