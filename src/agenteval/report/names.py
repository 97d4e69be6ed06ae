"""The names of tasks as text: two tasks never have the same, however long their ids are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from agenteval.records import TaskId
from agenteval.report.formatting import columns, fit, value_text, visible

__all__ = ["distinct", "task_names"]


def task_names(ids: Iterable[TaskId], width: int | None = None) -> Mapping[TaskId, str]:
    """Return each task's name on one line, safe to show, of at most `width` columns.

    1 and ``"1"`` are two tasks: where names meet, they are written as JSON writes the ids, and so
    are names that begin or end with a blank.

    >>> task_names([1, "1", "refund", ""])
    {1: '1', '1': '"1"', 'refund': 'refund', '': '""'}
    """
    listed = list(dict.fromkeys(ids))
    shown = [visible(task) for task in listed]
    counts = Counter(shown)
    names = [
        name if counts[name] == 1 and name == name.strip() != "" else value_text(task)
        for task, name in zip(listed, shown, strict=True)
    ]
    if len(set(names)) < len(names):  # an id spells another one's JSON
        names = [value_text(task) for task in listed]
    return dict(zip(listed, names if width is None else distinct(names, width), strict=True))


def distinct(names: Sequence[str], width: int) -> list[str]:
    """Return the names cut to `width` columns so that none that differ become the same.

    A name is cut at its end; where that makes two the same, in the middle; and where both their
    ends are the same, they are numbered.

    >>> distinct(["returns/damaged/kettle", "returns/damaged/teapot", "a"], 16)
    ['returns...kettle', 'returns...teapot', 'a']
    """
    cut = [fit(name, width) for name in names]
    cut = _again(names, cut, [_middle(name, width) for name in names])
    if len(set(cut)) == len(set(names)):
        return cut
    taken = set(cut)
    numbered: dict[str, str] = {}
    met = _met(names, cut)
    for name, short in zip(names, cut, strict=True):
        if short in met and name not in numbered:
            number = len(numbered) + 1
            while (one := _numbered(name, number, width)) in taken:
                number += 1
            taken.add(one)
            numbered[name] = one
    return [numbered.get(name, short) for name, short in zip(names, cut, strict=True)]


def _met(names: Sequence[str], cut: Sequence[str]) -> set[str]:
    """Return the cut names that stand for several."""
    counts = Counter(short for _, short in set(zip(names, cut, strict=True)))
    return {short for short, count in counts.items() if count > 1}


def _again(names: Sequence[str], cut: Sequence[str], other: Sequence[str]) -> list[str]:
    """Return the cut names, and the other ones in place of those that stand for several."""
    met = _met(names, cut)
    return [longer if short in met else short for short, longer in zip(cut, other, strict=True)]


def _middle(name: str, width: int) -> str:
    if columns(name) <= width:
        return name
    tail = max((width - 3) // 2, 0)
    end = ""
    for char in reversed(name[-tail:] if tail else ""):
        if columns(char + end) > tail:
            break
        end = char + end
    whole = fit(name, width - columns(end)) + end
    # A sign that changes the one before it may have lost that one.
    return whole if columns(whole) <= width else fit(name, width)


def _numbered(name: str, number: int, width: int) -> str:
    mark = f" #{number}"
    return fit(name, max(width - len(mark), 0)) + mark
