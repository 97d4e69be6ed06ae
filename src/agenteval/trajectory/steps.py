"""A run set against its reference, call by call: the table that a person reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from agenteval.records import CallLike, Difference, Mode, Step, WriteTools
from agenteval.trajectory.alignment import Alignment, align
from agenteval.trajectory.calls import Call, as_calls
from agenteval.trajectory.matching import check_mode
from agenteval.trajectory.scoring import WRITE_TOOLS, write_test

__all__ = ["compare_steps"]


def compare_steps(
    reference: Iterable[CallLike],
    actual: Iterable[CallLike],
    mode: Mode = "in_order",
    *,
    write_tools: WriteTools = WRITE_TOOLS,
) -> list[Step]:
    """Answer what each call of a run was: in the reference, extra, wrong, repeated or missing.

    Takes what `score_trajectory` takes, and never contradicts its numbers.

    Returns:
        One row for every call, in order, with its ``step`` from 1, and one for every reference
        step that is missing, with ``step`` ``None``, where the step would have been (after the
        calls in a mode without order). ``verdict`` is the first of these that holds:

        - ``matches step N``;
        - ``DUPLICATE WRITE``: a write repeated with identical arguments, beyond the reference's
          own repeats, counting only calls that answered;
        - ``out of order``: the call that reference step asks for, in the wrong place;
        - ``wrong argument``: a call to a tool of the reference that the reference does not
          contain, against the step of that tool from which the fewest arguments differ;
        - ``extra``;
        - ``missing``: no call stands for this reference step. (In mode ``subset`` none is
          required, so none is missing.)

    Raises:
        TypeError: A call is neither a `Call` nor a dict with ``name`` and ``args``.
        ValueError: `mode` is unknown.

    >>> rows = compare_steps(
    ...     [Call("lookup", {"order": 7}), Call("create_claim", {"order": 7})],
    ...     [Call("lookup", {"order": 8}), Call("create_claim", {"order": 7})],
    ... )
    >>> [(row["step"], row["verdict"]) for row in rows]
    [(1, 'wrong argument'), (None, 'missing'), (2, 'matches step 2')]
    >>> rows[0]["differences"]
    {'order': {'reference': 7, 'actual': 8}}
    """
    check_mode(mode, "compare_steps")
    is_write = write_test(write_tools, "compare_steps")
    steps = as_calls(reference, "compare_steps: reference")
    calls = as_calls(actual, "compare_steps: actual")
    aligned = align(_accepted(steps, calls), [call.error is not None for call in calls], mode)
    return list(_rows(steps, calls, mode, aligned, _duplicates(calls, is_write, aligned)))


def _accepted(steps: Sequence[Call], calls: Sequence[Call]) -> list[int]:
    """Return for every step the calls equal to it, as the bits that `align` takes."""
    equal: dict[object, int] = {}
    for place, call in enumerate(reversed(calls)):
        key = call.key()
        equal[key] = equal.get(key, 0) | 1 << place
    return [equal.get(step.key(), 0) for step in steps]


def _duplicates(
    calls: Sequence[Call], is_write: Callable[[str], bool], aligned: Alignment
) -> set[int]:
    """Return the positions of the writes that were repeated.

    Of equal writes as many are allowed as the reference has steps for them, one at least; those
    that stand for a step are never the duplicates, and of the others the last ones are.
    """
    standing = aligned.steps_by_call()
    equal: dict[object, list[int]] = {}
    for place, call in enumerate(calls):
        if is_write(call.name):
            equal.setdefault(call.key(), []).append(place)
    found: set[int] = set()
    for places in equal.values():
        answered = [place for place in places if calls[place].error is None]
        steps = sum(place in standing for place in places)
        excess = len(answered) - max(1, steps)
        if excess > 0:
            found.update([place for place in answered if place not in standing][-excess:])
    return found


def _rows(
    steps: Sequence[Call],
    calls: Sequence[Call],
    mode: Mode,
    aligned: Alignment,
    duplicates: set[int],
) -> Iterator[Step]:
    step_of = {call: step for step, call in enumerate(aligned.matched) if call is not None}
    displaced = {call: step for step, call in enumerate(aligned.displaced) if call is not None}
    taken = {*step_of.values(), *displaced.values()}
    missing = [step for step in range(len(steps)) if step not in taken and mode != "subset"]
    missing.reverse()
    ordered = mode in ("in_order", "exact")
    known = {step.key() for step in steps}
    nearest = _Nearest(steps, taken)
    for place, call in enumerate(calls):
        step: int | None = None
        differences: dict[str, Difference] = {}
        if place in step_of:
            step = step_of[place]
            while ordered and missing and missing[-1] < step:
                yield _missing(steps, missing.pop())
            verdict = f"matches step {step + 1}"
        elif place in duplicates:
            verdict = "DUPLICATE WRITE"
        elif place in displaced:
            verdict, step = "out of order", displaced[place]
        elif call.name in nearest.steps_of and call.key() not in known:
            verdict, step = "wrong argument", nearest(call)
            differences = _differences(steps[step].args, call.args)
        else:
            verdict = "extra"
        yield {
            "step": place + 1,
            "name": call.name,
            "args": dict(call.args),
            "verdict": verdict,
            "reference_step": None if step is None else step + 1,
            "differences": differences,
            "error": call.error,
        }
    while missing:
        yield _missing(steps, missing.pop())


def _missing(steps: Sequence[Call], step: int) -> Step:
    return {
        "step": None,
        "name": steps[step].name,
        "args": dict(steps[step].args),
        "verdict": "missing",
        "reference_step": step + 1,
        "differences": {},
        "error": None,
    }


class _Nearest:
    """Find the reference step that a call with a wrong argument most likely meant."""

    def __init__(self, steps: Sequence[Call], taken: set[int]) -> None:
        self.steps = steps
        self.spoken_for = set(taken)
        self.steps_of: dict[str, list[int]] = {}
        for place, step in enumerate(steps):
            self.steps_of.setdefault(step.name, []).append(place)

    def __call__(self, call: Call) -> int:
        """Return the step of the call's tool from which the fewest arguments differ.

        Among several a step that no call stands for comes first, then the earliest.
        """
        step = min(
            self.steps_of[call.name],
            key=lambda place: (
                len(_differences(self.steps[place].args, call.args)),
                place in self.spoken_for,
            ),
        )
        self.spoken_for.add(step)
        return step


_ABSENT = object()


def _differences(reference: Mapping[str, Any], actual: Mapping[str, Any]) -> dict[str, Difference]:
    """Return the arguments that differ, each with the values of the sides that have it."""
    found: dict[str, Difference] = {}
    for name in dict.fromkeys([*reference, *actual]):
        wanted, given = reference.get(name, _ABSENT), actual.get(name, _ABSENT)
        if wanted is _ABSENT:
            found[name] = {"actual": given}
        elif given is _ABSENT:
            found[name] = {"reference": wanted}
        elif wanted is not given and wanted != given:
            found[name] = {"reference": wanted, "actual": given}
    return found
