"""Four numbers about how a run reached its answer, quick for references of one fixed line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from agenteval.records import ArgsMatch, CallLike, Mode, Scores, WriteTools
from agenteval.trajectory.calls import Call, as_calls, is_plain
from agenteval.trajectory.matching import check_mode, covers_plain
from agenteval.trajectory.path import read_path
from agenteval.trajectory.references import Slot, read_reference
from agenteval.trajectory.rules import Rules, read_rules
from agenteval.trajectory.writes import WRITE_TOOLS, alike, write_names

__all__ = ["precision_recall", "score_path", "score_trajectory"]

# Comparing raw arguments runs in C and beats building keys as long as few steps have to be tried.
_FEW = 64


def score_trajectory(
    reference: Iterable[Any],
    actual: Iterable[CallLike],
    mode: Mode = "in_order",
    *,
    write_tools: WriteTools = WRITE_TOOLS,
    args_match: ArgsMatch = "exact",
) -> Scores:
    """Answer how a run reached its answer: four numbers, never one.

    Args:
        reference: The calls that somebody who knows the domain would approve of; also groups of
            them, see `any_order_of`, `optional` and `one_of`. Arguments may hold any object whose
            ``==`` decides, such as `unittest.mock.ANY`.
        actual: The calls that the run made, in order.
        mode: How the one is held against the other, see `covers`.
        write_tools: Which tools change the world: names, or a predicate on a name. The default is
            one example's, see `WRITE_TOOLS`.
        args_match: When arguments agree: ``"exact"``; ``"ignore"``; ``"subset"`` (every argument
            of the actual call is the reference's) or ``"superset"`` (every argument of the
            reference is the actual call's); a list of the argument names to compare, dotted for
            nested ones; a callable ``(actual_args, reference_args) -> bool``; or a mapping of tool
            name (``"*"`` for the rest, exact if left out) to one of these. Whatever the rule, as
            many steps as possible are matched, so that in a mode without order the scores never
            depend on how the reference lists its calls.

    Returns:
        ``coverage``: whether `covers` holds; an optional step may be missing.
        ``argument_accuracy``: of the calls to a tool that the reference names, the share that some
        reference call accepts, 0 to 1, higher is better; when there is no such call 0.0, or 1.0 if
        the reference requires none (nothing to get wrong).
        ``extra_steps``: calls of the run minus calls of the reference, negative when fewer; an
        optional step counts when it was taken.
        ``duplicate_writes``: writes repeated with identical arguments, 0 is best. A write that
        reported an error did not happen, so a retry after it is no duplicate; a repeat that the
        reference itself contains is allowed.

    Raises:
        TypeError: A call is neither a `Call` nor a dict with ``name`` and ``args``, or a rule or
            `write_tools` is of the wrong kind.
        ValueError: `mode` or a rule is unknown, or a rule compares an argument that neither side
            has.

    >>> score_trajectory(
    ...     [Call("lookup", {"order": 7}), Call("create_claim", {"order": 7})],
    ...     [Call("lookup", {"order": 8}), Call("lookup", {"order": 7}),
    ...      Call("create_claim", {"order": 7}), Call("create_claim", {"order": 7})],
    ... )
    {'coverage': True, 'argument_accuracy': 0.75, 'extra_steps': 2, 'duplicate_writes': 1}
    """
    where = "score_trajectory"
    check_mode(mode, where)
    steps = read_reference(reference, "score_trajectory: reference")
    calls = as_calls(actual, "score_trajectory: actual")
    plain = isinstance(args_match, str) and args_match == "exact"
    rules = None if plain else read_rules(args_match, where)
    return score_path(steps, calls, mode, write_names(write_tools, calls, where), rules, where)


def score_path(
    steps: list[Call] | list[Slot],
    calls: list[Call],
    mode: Mode,
    writing: Collection[str],
    rules: Rules | None,
    where: str,
) -> Scores:
    """Do what `score_trajectory` does with what has been read already; no `rules` are exact ones.

    One fixed line of calls is counted through. Where that cannot tell, because a rule or an object
    in the reference accepts calls that differ from each other, an alignment is made.
    """
    scores = None
    if not steps or type(steps[0]) is Call:
        if rules is None and len(steps) <= _FEW:
            try:
                scores = _tally(steps, calls, mode, writing)  # type: ignore[arg-type]  # calls, or none
            except Exception:  # noqa: BLE001 - an == raised: the alignment names where, if it has to ask it
                scores = None
        else:
            scores = _tally_keys(steps, calls, mode, writing, rules, where)  # type: ignore[arg-type]  # calls, or none
    if scores is None:
        scores = read_path(steps, calls, mode, writing, rules or Rules({}), where).scores()
    return scores


def _tally(
    steps: list[Call], calls: list[Call], mode: Mode, writing: Collection[str]
) -> Scores | None:
    """Score by comparing raw arguments; ``None`` when only an alignment can tell."""
    accepted: dict[str, list[Any]] = {}
    for step in steps:
        name = step.name
        if name in accepted:
            accepted[name].append(step.args)
        else:
            accepted[name] = [step.args]
    asked = right = 0
    writes = []
    rest = iter(steps)
    wanted = next(rest, None)
    next_name, next_args = (None, None) if wanted is None else (wanted.name, wanted.args)
    for call in calls:
        name = call.name
        if name in accepted:
            asked += 1
            args = call.args
            if name == next_name and next_args == args:
                right += 1
                wanted = next(rest, None)
                if wanted is None:
                    next_name = None
                else:
                    next_name, next_args = wanted.name, wanted.args
            elif args in accepted[name]:
                right += 1
        if name in writing and call.error is None:
            writes.append(call)
    covered: bool | None = wanted is None
    if mode != "in_order":
        covered = _covers_raw(steps, calls, mode, accepted)
    repeats = _repeats(writes, steps) if len(writes) > 1 else 0
    if covered is None or repeats is None:
        return None
    return {
        "coverage": covered,
        "argument_accuracy": right / asked if asked else float(not steps),
        "extra_steps": len(calls) - len(steps),
        "duplicate_writes": repeats,
    }


def _covers_raw(
    steps: list[Call], calls: list[Call], mode: Mode, accepted: dict[str, list[Any]]
) -> bool | None:
    """Do what `covers` does without keys; uses up `accepted`, the steps' arguments by tool."""
    if mode == "exact":
        return len(steps) == len(calls) and all(
            step.name == call.name and step.args == call.args
            for step, call in zip(steps, calls, strict=True)
        )
    found = 0
    missed = set()
    for call in calls:
        left = accepted.get(call.name)
        if left and call.args in left:
            left.remove(call.args)
            found += 1
        else:
            missed.add(call.name)
    covered = (mode == "subset" or found == len(steps)) and (
        mode == "any_order" or found == len(calls)
    )
    # Where calls and steps of a tool are left, one may have taken the first step that it equals
    # from another; not where all of them are data.
    doubtful = {} if covered else {name for name in missed if accepted.get(name)}
    if doubtful and not _all_plain(one for one in (*steps, *calls) if one.name in doubtful):
        return None
    return covered


def _all_plain(calls: Iterable[Call]) -> bool:
    return all(is_plain(call.args) for call in calls)


def _repeats(writes: list[Call], steps: list[Call]) -> int | None:
    """Count the answered writes beyond the first of their kind and beyond the reference's own."""
    if len(writes) <= _FEW:
        seen: list[tuple[str, Any]] = []
        for write in writes:
            if (write.name, write.args) in seen:
                break
            seen.append((write.name, write.args))
        else:
            return 0
    repeats = 0
    for group in alike(((write, write) for write in writes), "writes"):
        if len(group) > 1:
            name, args = group[0].name, group[0].args
            own = [step for step in steps if step.name == name]
            if not _all_plain(own):
                return None
            repeats += max(0, len(group) - max(1, sum(step.args == args for step in own)))
    return repeats


def _tally_keys(
    steps: list[Call],
    calls: list[Call],
    mode: Mode,
    writing: Collection[str],
    rules: Rules | None,
    where: str,
) -> Scores | None:
    """Score by keys, in linear time; ``None`` when there are none or only an alignment can tell."""
    tools = {step.name for step in steps}
    if not _all_plain(steps) or not _all_plain(calls):
        return None
    step_keys = exact_steps = [step.key() for step in steps]
    call_keys = exact_calls = [call.key() for call in calls]
    if rules is not None:
        if not all(rules.of(tool).by_key for tool in tools):
            return None
        rules.check_names(steps, calls, where)
        step_keys = [rules.key(step) for step in steps]
        call_keys = [rules.key(call) for call in calls]
    asked = sum(call.name in tools for call in calls)
    allowed = set(step_keys)
    right = sum(key in allowed for key in call_keys)
    own = Counter(exact_steps)  # a repeat is one of identical arguments, whatever the rule
    writes = Counter(
        key
        for call, key in zip(calls, exact_calls, strict=True)
        if call.name in writing and call.error is None
    )
    return {
        "coverage": covers_plain(step_keys, call_keys, mode),
        "argument_accuracy": right / asked if asked else float(not steps),
        "extra_steps": len(calls) - len(steps),
        "duplicate_writes": sum(max(0, count - max(1, own[key])) for key, count in writes.items()),
    }


def precision_recall(reference: Iterable[Any], actual: Iterable[CallLike]) -> dict[str, float]:
    """Answer which share of the calls was right, and which share of the reference was found.

    For those who report these numbers elsewhere: order does not count, and a call counts as often
    as it was made.

    Returns:
        ``precision`` (matched calls / calls made), ``recall`` (matched steps / reference steps, of
        optional ones those that were taken) and ``f1`` (their harmonic mean), 0 to 1, higher is
        better. With an empty reference there is nothing to miss: recall is 1.0, and precision 1.0
        if no call was made. A run without calls has precision 0.0 against any other reference.

    Raises:
        TypeError: A call is neither a `Call` nor a dict with ``name`` and ``args``.

    >>> precision_recall([Call("a"), Call("b")], [Call("b"), Call("b"), Call("c"), Call("d")])
    {'precision': 0.25, 'recall': 0.5, 'f1': 0.3333333333333333}
    """
    where = "precision_recall"
    steps = read_reference(reference, f"{where}: reference")
    calls = as_calls(actual, f"{where}: actual")
    matched, wanted = _matched(steps, calls, where)
    made = len(calls)
    return {
        "precision": matched / made if made else float(not wanted),
        "recall": matched / wanted if wanted else 1.0,
        "f1": 2 * matched / (made + wanted) if made or wanted else 1.0,
    }


def _matched(steps: Sequence[Call | Slot], calls: Sequence[Call], where: str) -> tuple[int, int]:
    """Count the calls that some step of their own accepts, and the steps that have to be met."""
    plain = [step for step in steps if isinstance(step, Call)]
    if len(plain) == len(steps) and _all_plain(plain) and _all_plain(calls):
        wanted = Counter(step.key() for step in plain)
        return (wanted & Counter(call.key() for call in calls)).total(), len(steps)
    path = read_path(steps, list(calls), "any_order", (), Rules({}), where)
    return len(path.aligned.matched), len(calls) - path.scores()["extra_steps"]
