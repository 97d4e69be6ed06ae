"""References that are not one fixed line: groups of steps, their JSON forms, and how to read them.

A group is its JSON form, so that a reference can be stored with its case as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from agenteval import _messages
from agenteval._messages import cut
from agenteval.records import CallLike
from agenteval.trajectory.calls import Call, as_call
from agenteval.trajectory.stored import json_args

__all__ = [
    "Slot",
    "any_order_of",
    "as_slots",
    "one_of",
    "optional",
    "read_reference",
    "reference_to_json",
]

Step = CallLike | Mapping[str, Any]


def any_order_of(*steps: Step) -> dict[str, Any]:
    """Make one group of steps whose order among themselves means nothing, such as parallel calls.

    Args:
        *steps: Calls, or calls in `optional` or `one_of`.

    Returns:
        The group in its JSON form, to stand in a reference in place of a call.

    Raises:
        TypeError: A step is neither a call nor such a group.
        ValueError: There is no step.

    >>> any_order_of(Call("weather"), Call("news"))
    {'any_order_of': [{'name': 'weather', 'args': {}}, {'name': 'news', 'args': {}}]}
    """
    return _checked({"any_order_of": list(steps)}, "any_order_of")


def optional(step: Step) -> dict[str, Any]:
    """Make a step that may be taken or left out: taken in its place it is no extra step.

    Args:
        step: A call, or several in `one_of`.

    Returns:
        The step in its JSON form, to stand in a reference in place of a call.

    Raises:
        TypeError: `step` is neither a call nor a `one_of`.

    >>> optional(Call("greet"))
    {'optional': {'name': 'greet', 'args': {}}}
    """
    return _checked({"optional": step}, "optional")


def one_of(*calls: CallLike) -> dict[str, Any]:
    """Make one step that any of several calls will do for.

    Args:
        *calls: The acceptable calls; a table that has to show the step shows the first.

    Returns:
        The step in its JSON form, to stand in a reference in place of a call.

    Raises:
        TypeError: One of them is no call.
        ValueError: There is none.

    >>> one_of(Call("refund_card"), Call("refund_bank"))
    {'one_of': [{'name': 'refund_card', 'args': {}}, {'name': 'refund_bank', 'args': {}}]}
    """
    return _checked({"one_of": list(calls)}, "one_of")


class Slot(NamedTuple):
    """One step of a reference: the calls that will do, and the group that it belongs to.

    Slots of one ``block`` are taken in any order, blocks one after the other.
    """

    calls: tuple[Call, ...]
    block: int
    required: bool = True


# Which groups may stand inside which; a reference may hold all of them.
_INSIDE: dict[str, tuple[str, ...]] = {
    "any_order_of": ("optional", "one_of"),
    "optional": ("one_of",),
    "one_of": (),
}

_BY_LETTERS = {name.replace("_", ""): name for name in _INSIDE}


def read_reference(reference: Iterable[Any], where: str) -> list[Call] | list[Slot]:
    """Return a reference as the list of its calls, or of its slots if there is a group in it.

    A list that holds nothing but calls is returned as it is.

    Raises:
        TypeError: Something in it is neither a call nor a group; the message names the position.
    """
    if type(reference) is list:
        for step in reference:
            if type(step) is not Call:
                break
        else:
            return reference
    steps = _listed(reference, where)
    line = _plain_line(steps)
    if line is not None:
        return line
    slots: list[Slot] = []
    for block, step in enumerate(steps):
        slots.extend(_slots_at(step, block, f"{where}[{block}]"))
    if all(slot.required and len(slot.calls) == 1 for slot in slots) and (
        len({slot.block for slot in slots}) == len(slots)
    ):
        return [slot.calls[0] for slot in slots]
    return slots


_CALL_KEYS = frozenset(("name", "args", "error"))


def _plain_line(steps: list[Any]) -> list[Call] | None:
    """Return the calls of a reference of plain calls; ``None`` when something else is in it."""
    calls: list[Call] = []
    for step in steps:
        if type(step) is Call:
            calls.append(step)
        elif type(step) is dict and step.keys() <= _CALL_KEYS:
            try:
                calls.append(as_call(step))
            except TypeError:
                return None
        else:
            return None
    return calls


def _listed(reference: Any, where: str) -> list[Any]:
    if isinstance(reference, (str, bytes, Mapping, Call)) or not isinstance(reference, Iterable):
        raise TypeError(
            f"{where} must be a list of calls, got {type(reference).__name__} {cut(reference)}; "
            "pass a list of Call or {'name': ..., 'args': {...}}"
        )
    return list(reference)


def as_slots(steps: Sequence[Call | Slot]) -> list[Slot]:
    """Return the steps of `read_reference` as slots."""
    return [
        Slot((step,), place) if isinstance(step, Call) else step for place, step in enumerate(steps)
    ]


def reference_to_json(reference: Iterable[Any]) -> list[dict[str, Any]]:
    """Return a reference as JSON stores it, its groups included.

    What comes back from ``json.loads`` is a reference again, with tuples and sets as the lists that
    a run has in their place.

    Args:
        reference: Calls and groups.

    Raises:
        TypeError: Something in it is neither a call nor a group, or an argument holds what JSON
            cannot, such as `unittest.mock.ANY`.

    >>> reference_to_json([Call("look"), optional(Call("greet"))])
    [{'name': 'look', 'args': {}}, {'optional': {'name': 'greet', 'args': {}}}]
    """
    where = "reference_to_json: reference"
    steps = _listed(reference, where)
    read_reference(steps, where)
    return [
        _form(step, partial(json_args, where=f"{where}[{place}]"))
        for place, step in enumerate(steps)
    ]


def _checked(form: dict[str, Any], where: str) -> dict[str, Any]:
    if form[where] == []:
        raise ValueError(f"{where}: pass at least one call")
    _slots_at(form, 0, where)
    return _form(form)


def _slots_at(step: Any, block: int, where: str) -> list[Slot]:
    try:
        return _slots(step, block)
    except (TypeError, ValueError) as slip:
        kind = TypeError if isinstance(slip, TypeError) else ValueError  # no kind of their own
        raise kind(f"{where}: {slip}") from None


def _group(step: Any) -> str | None:
    """Return which group `step` is, ``None`` for a call; a misspelled group is an error."""
    if not isinstance(step, Mapping):
        return None
    if "name" in step or "args" in step:
        _refuse_group_words(step)
        return None
    found = [form for form in _INSIDE if form in step]
    if len(found) == 1 and len(step) == 1:
        return found[0]
    raise ValueError(
        f"a step must be a call or one group, got {cut(step)}; "
        "a call needs a 'name', in a group "
        f"{_messages.one_of(next(iter(step), None), _INSIDE)}"
    )


def _refuse_group_words(call: Mapping[Any, Any]) -> None:
    """Raise when a call has a group's name among its keys, where it would have no effect."""
    for key in call:
        plain = "".join(filter(str.isalnum, key)).lower() if isinstance(key, str) else ""
        group = _BY_LETTERS.get(plain)
        if group is not None:
            raise ValueError(
                f"{cut(key)} stands among the keys of a call, in {cut(call)}; put the call inside "
                f"the group: {{{group!r}: ...}}"
            )


def _slots(step: Any, block: int, inside: str | None = None) -> list[Slot]:
    group = _group(step)
    if group is None:
        return [Slot((as_call(step),), block)]
    if inside is not None and group not in _INSIDE[inside]:
        raise TypeError(f"{group} cannot stand inside {inside}, got {cut(step)}")
    inner = step[group]
    if group == "optional":
        return [slot._replace(required=False) for slot in _slots(inner, block, group)]
    if isinstance(inner, (str, bytes, Mapping)) or not isinstance(inner, Sequence):
        raise TypeError(f"{group} needs a list of calls, got {type(inner).__name__} {cut(inner)}")
    if not inner:
        raise ValueError(f"{group} needs at least one call, got {cut(inner)}")
    slots = [slot for one in inner for slot in _slots(one, block, group)]
    if group == "one_of":
        return [Slot(tuple(slot.calls[0] for slot in slots), block)]
    return slots


def _form(step: Any, form_of: Callable[[Mapping[str, Any]], Any] = dict) -> dict[str, Any]:
    """Return a step that has been read already as a dict; `form_of` says what its arguments are."""
    group = _group(step)
    if group is None:
        call = as_call(step)
        return {"name": call.name, "args": form_of(call.args)}
    inner = step[group]
    if group == "optional":
        return {group: _form(inner, form_of)}
    return {group: [_form(one, form_of) for one in inner]}
