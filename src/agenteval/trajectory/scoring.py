"""Four numbers about a run's path, and what they come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from agenteval._messages import cut
from agenteval.records import CallLike, Mode, Scores, Verdict, WriteTools
from agenteval.trajectory.calls import Call, as_calls
from agenteval.trajectory.matching import check_mode, covers

__all__ = [
    "WRITE_TOOLS",
    "precision_recall",
    "score_trajectory",
    "trajectory_verdict",
    "write_test",
]

WRITE_TOOLS = frozenset({"create_claim", "issue_refund", "send_message", "cancel_order"})
"""The write tools of one example, a refund desk. **They are not yours**: a run of other tools is
never checked for duplicate writes until you pass your own ``write_tools=``; a server that speaks
MCP knows them, see `write_tools_from_mcp`."""

# Comparing raw arguments runs in C and beats building keys as long as few steps have to be tried.
_FEW_STEPS = 64


def write_test(write_tools: WriteTools, where: str) -> Callable[[str], bool]:
    """Return `write_tools` as a predicate on a tool's name."""
    if type(write_tools) is frozenset:
        return write_tools.__contains__
    if isinstance(write_tools, (str, bytes)) or not (
        callable(write_tools) or isinstance(write_tools, Collection)
    ):
        raise TypeError(
            f"{where}: write_tools must be a collection of tool names or a predicate on a name, "
            f"got {type(write_tools).__name__} {cut(write_tools)}; pass a set of names"
        )
    if isinstance(write_tools, Collection):
        return frozenset(write_tools).__contains__
    return write_tools


def score_trajectory(
    reference: Iterable[CallLike],
    actual: Iterable[CallLike],
    mode: Mode = "in_order",
    *,
    write_tools: WriteTools = WRITE_TOOLS,
) -> Scores:
    """Answer how a run reached its answer: four numbers, never one.

    Args:
        reference: The calls that somebody who knows the domain would approve of.
        actual: The calls that the run made, in order.
        mode: How the one is held against the other, see `covers`.
        write_tools: Which tools change the world: names, or a predicate on a name. The default is
            one example's, see `WRITE_TOOLS`.

    Returns:
        ``coverage``: whether `covers` holds.
        ``argument_accuracy``: of the calls to a tool that the reference names, the share that the
        reference contains, 0 to 1, higher is better; 0.0 when there is no such call, 1.0 when the
        reference is empty (nothing to get wrong).
        ``extra_steps``: calls of the run minus calls of the reference; negative when fewer.
        ``duplicate_writes``: writes repeated with identical arguments, 0 is best. A write that
        reported an error did not happen, so a retry after it is no duplicate; a repeat that the
        reference itself contains is allowed.

    Raises:
        TypeError: A call is neither a `Call` nor a dict with ``name`` and ``args``.
        ValueError: `mode` is unknown.

    >>> score_trajectory(
    ...     [Call("lookup", {"order": 7}), Call("create_claim", {"order": 7})],
    ...     [Call("lookup", {"order": 8}), Call("lookup", {"order": 7}),
    ...      Call("create_claim", {"order": 7}), Call("create_claim", {"order": 7})],
    ... )
    {'coverage': True, 'argument_accuracy': 0.75, 'extra_steps': 2, 'duplicate_writes': 1}
    """
    check_mode(mode, "score_trajectory")
    is_write = write_test(write_tools, "score_trajectory")
    steps = as_calls(reference, "score_trajectory: reference")
    calls = as_calls(actual, "score_trajectory: actual")
    if len(steps) > _FEW_STEPS:
        return _score_by_key(steps, calls, mode, is_write)
    return _score_raw(steps, calls, mode, is_write)


def _score_raw(
    steps: list[Call], calls: list[Call], mode: Mode, is_write: Callable[[str], bool]
) -> Scores:
    accepted: dict[str, list[Any]] = {}
    for step in steps:
        if step.name in accepted:
            accepted[step.name].append(step.args)
        else:
            accepted[step.name] = [step.args]
    asked = right = 0
    writes: list[Call] = []
    for call in calls:
        name = call.name
        if name in accepted:
            asked += 1
            if call.args in accepted[name]:
                right += 1
        if is_write(name) and call.error is None:
            writes.append(call)
    return {
        "coverage": _covers_raw(steps, calls, mode, accepted),
        "argument_accuracy": _share(right, asked, steps),
        "extra_steps": len(calls) - len(steps),
        "duplicate_writes": _repeats(writes, steps) if len(writes) > 1 else 0,
    }


def _share(right: int, asked: int, steps: Sequence[Call]) -> float:
    if not steps:
        return 1.0
    return right / asked if asked else 0.0


def _covers_raw(
    steps: list[Call], calls: list[Call], mode: Mode, accepted: dict[str, list[Any]]
) -> bool:
    """Do what `covers` does without keys; uses up `accepted`, the steps' arguments by tool."""
    if mode == "in_order":
        rest = iter(calls)
        for step in steps:
            name, args = step.name, step.args
            for call in rest:
                if call.name == name and args == call.args:
                    break
            else:
                return False
        return True
    if mode == "exact":
        return len(steps) == len(calls) and all(
            step.name == call.name and step.args == call.args
            for step, call in zip(steps, calls, strict=True)
        )
    found = 0
    for call in calls:
        left = accepted.get(call.name)
        if left and call.args in left:
            left.remove(call.args)
            found += 1
    if mode == "subset":
        return found == len(calls)
    return found == len(steps) and (mode == "any_order" or found == len(calls))


def _repeats(writes: list[Call], steps: list[Call]) -> int:
    """Count the answered writes beyond the first of their kind and beyond the reference's own."""
    made = Counter(call.key() for call in writes)
    if len(made) == len(writes):
        return 0
    allowed = Counter(step.key() for step in steps)
    return sum(max(0, count - max(1, allowed[key])) for key, count in made.items())


def _score_by_key(
    steps: list[Call], calls: list[Call], mode: Mode, is_write: Callable[[str], bool]
) -> Scores:
    step_keys = [step.key() for step in steps]
    call_keys = [call.key() for call in calls]
    names = {step.name for step in steps}
    accepted = set(step_keys)
    asked = sum(call.name in names for call in calls)
    right = sum(key in accepted for key in call_keys)
    writes = Counter(
        key
        for call, key in zip(calls, call_keys, strict=True)
        if is_write(call.name) and call.error is None
    )
    allowed = Counter(key for key in step_keys if key in writes)
    return {
        "coverage": covers(step_keys, call_keys, mode),
        "argument_accuracy": _share(right, asked, steps),
        "extra_steps": len(calls) - len(steps),
        "duplicate_writes": sum(
            max(0, count - max(1, allowed[key])) for key, count in writes.items()
        ),
    }


def trajectory_verdict(
    scores: Scores | Mapping[str, Any],
    *,
    mode: Mode = "in_order",
    min_argument_accuracy: float = 0.9,
    max_extra_steps: int = 4,
) -> tuple[Verdict, str]:
    """Answer what the four numbers come to, and why: the first fault that holds.

    Any duplicate write fails, whatever the other three numbers say.

    Args:
        scores: What `score_trajectory` returned.
        mode: The mode that the scores were made with. It only words a failed coverage truly: where
            a call too many fails as well, nobody can say that one is missing.
        min_argument_accuracy: Below it the path fails; 0 to 1.
        max_extra_steps: Above it the path gets a warning.

    Returns:
        ``("pass", "")``, or ``"warn"`` or ``"fail"`` with the reason.

    Raises:
        ValueError: `scores` lacks one of the four, one is unknown, or `mode` is.

    >>> trajectory_verdict({"coverage": True, "argument_accuracy": 0.8, "extra_steps": 1,
    ...                     "duplicate_writes": 0})
    ('fail', 'argument accuracy 0.80')
    """
    check_mode(mode, "trajectory_verdict")
    try:
        unknown = [name for name in Scores.__required_keys__ if scores[name] is None]  # type: ignore[literal-required]  # the names are the TypedDict's own
    except (KeyError, TypeError):
        raise ValueError(
            f"trajectory_verdict: scores must be what score_trajectory returns, got {cut(scores)}"
        ) from None
    if unknown:
        raise ValueError(
            f"trajectory_verdict: {', '.join(sorted(unknown))} is unknown in {cut(scores)}; "
            "a run that recorded no calls has no verdict of its own, see score_runs"
        )
    if scores["duplicate_writes"] > 0:
        return "fail", "a write tool ran twice with identical arguments"
    if not scores["coverage"]:
        return "fail", _NOT_COVERED.get(mode, "a required call is missing")
    accuracy = scores["argument_accuracy"]
    if accuracy < min_argument_accuracy:
        return "fail", f"argument accuracy {accuracy:.2f}"
    extra = scores["extra_steps"]
    if extra > max_extra_steps:
        return "warn", f"{extra} step{'s' if extra != 1 else ''} above the reference"
    return "pass", ""


_NOT_COVERED: dict[str, str] = {
    "exact": "the calls are not exactly those of the reference",
    "unordered": "the calls are not those of the reference, in any order",
    "subset": "a call is not in the reference",
}


def precision_recall(reference: Iterable[CallLike], actual: Iterable[CallLike]) -> dict[str, float]:
    """Answer which share of the calls was right, and which share of the reference was found.

    For those who report these numbers elsewhere: order does not count, a call counts as often as
    it was made.

    Returns:
        ``precision`` (matched calls / calls made), ``recall`` (matched calls / reference calls)
        and ``f1`` (their harmonic mean), 0 to 1, higher is better. With an empty reference there
        is nothing to miss: recall is 1.0, and precision 1.0 if no call was made. A run without
        calls has precision 0.0 against any other reference.

    Raises:
        TypeError: A call is neither a `Call` nor a dict with ``name`` and ``args``.

    >>> precision_recall([Call("a"), Call("b")], [Call("b"), Call("b"), Call("c"), Call("d")])
    {'precision': 0.25, 'recall': 0.5, 'f1': 0.3333333333333333}
    """
    wanted = Counter(call.key() for call in as_calls(reference, "precision_recall: reference"))
    made = Counter(call.key() for call in as_calls(actual, "precision_recall: actual"))
    both = (wanted & made).total()
    of_made, of_wanted = made.total(), wanted.total()
    precision = both / of_made if of_made else float(not of_wanted)
    recall = both / of_wanted if of_wanted else 1.0
    f1 = 2 * both / (of_made + of_wanted) if of_made + of_wanted else 1.0
    return {"precision": precision, "recall": recall, "f1": f1}
