"""A run set against its reference, call by call: the table that a person reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from agenteval.records import ArgsMatch, CallLike, Difference, Mode, Step, WriteTools
from agenteval.trajectory.calls import Call, as_calls
from agenteval.trajectory.matching import check_mode
from agenteval.trajectory.nearest import NearestStep
from agenteval.trajectory.path import Path, read_path
from agenteval.trajectory.references import read_reference
from agenteval.trajectory.rules import Rules, read_rules
from agenteval.trajectory.writes import WRITE_TOOLS, write_names

__all__ = ["compare_steps", "step_rows"]


def compare_steps(
    reference: Iterable[Any],
    actual: Iterable[CallLike],
    mode: Mode = "in_order",
    *,
    write_tools: WriteTools = WRITE_TOOLS,
    args_match: ArgsMatch = "exact",
) -> list[Step]:
    """Answer what each call of a run was: in the reference, extra, wrong, repeated or missing.

    Takes what `score_trajectory` takes, and never contradicts its numbers.

    Returns:
        One row for every call, in order, with its ``step`` from 1, and one for every reference
        step that is missing, with ``step`` ``None``, where the step would have been (after the
        calls in a mode without order). ``verdict`` is the first of these that holds:

        - ``DUPLICATE WRITE``: a write repeated with identical arguments, beyond the reference's
          own repeats, counting only calls that answered; ``reference_step`` is the step that it
          stands for all the same, where a rule lets it;
        - ``matches step N``;
        - ``out of order``: the call that a required step asks for, in the wrong place;
        - ``wrong argument``: a call to a tool of the reference that no reference call accepts,
          against the step of that tool from which the fewest arguments differ; ``differences``
          names them, each with the value of the sides that have it;
        - ``extra``;
        - ``missing``: no call stands for this required step. (In mode ``subset`` none is
          required, so none is missing.)

        ``reference_step`` counts from 1 through the groups of a reference, and is ``None`` for
        ``extra``, and for most of ``DUPLICATE WRITE``.

    Raises:
        TypeError: As `score_trajectory`.
        ValueError: As `score_trajectory`.

    >>> rows = compare_steps(
    ...     [Call("lookup", {"order": 7}), Call("create_claim", {"order": 7})],
    ...     [Call("lookup", {"order": 8}), Call("create_claim", {"order": 7})],
    ... )
    >>> [(row["step"], row["verdict"]) for row in rows]
    [(1, 'wrong argument'), (None, 'missing'), (2, 'matches step 2')]
    >>> rows[0]["differences"]
    {'order': {'reference': 7, 'actual': 8}}
    """
    where = "compare_steps"
    check_mode(mode, where)
    steps = read_reference(reference, "compare_steps: reference")
    calls = as_calls(actual, "compare_steps: actual")
    rules = read_rules(args_match, where)
    writing = write_names(write_tools, calls, where)
    return list(step_rows(read_path(steps, calls, mode, writing, rules, where), rules))


def step_rows(path: Path, rules: Rules) -> Iterator[Step]:
    """Yield the rows of `compare_steps` for what has been read already."""
    step_of = {call: step for step, call in path.aligned.matched.items()}
    displaced = {call: step for step, call in path.aligned.displaced.items()}
    nearest = NearestStep(path.slots, rules, [*step_of.values(), *displaced.values()])
    missing = _missing_steps(path)
    missing.reverse()
    ordered = path.mode in ("in_order", "exact")
    for place, call in enumerate(path.calls):
        step: int | None = None
        differences: dict[str, Difference] = {}
        if place in step_of:
            step = step_of[place]
            block = path.slots[step].block
            while ordered and missing and path.slots[missing[-1]].block < block:
                yield _missing(path, missing.pop())
            verdict = f"matches step {step + 1}"
            if place in path.repeated:  # it took a step that a rule lets it take, and ran twice
                verdict = "DUPLICATE WRITE"
        elif place in path.repeated:  # a step that it would stand for in the wrong place is missing
            verdict = "DUPLICATE WRITE"
        elif place in displaced and path.slots[displaced[place]].required:
            verdict, step = "out of order", displaced[place]
        elif call.name in path.tools and place not in path.right:
            verdict = "wrong argument"
            step, differences = nearest(call)
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
        yield _missing(path, missing.pop())


def _missing_steps(path: Path) -> list[int]:
    if path.mode == "subset":
        return []
    matched, displaced = path.aligned
    nobody = {None, *path.repeated}
    return [
        step
        for step, slot in enumerate(path.slots)
        if slot.required and step not in matched and displaced.get(step) in nobody
    ]


def _missing(path: Path, step: int) -> Step:
    call: Call = path.slots[step].calls[0]
    return {
        "step": None,
        "name": call.name,
        "args": dict(call.args),
        "verdict": "missing",
        "reference_step": step + 1,
        "differences": {},
        "error": None,
    }
