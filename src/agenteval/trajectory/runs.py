"""How good the path of every run was, beside its outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, cast

from agenteval._messages import cut
from agenteval.records import Diagnosis, Mode, PathRow, Run, Scores, Task, Verdict, WriteTools
from agenteval.trajectory.calls import Call, as_calls
from agenteval.trajectory.scoring import WRITE_TOOLS, score_trajectory, trajectory_verdict

__all__ = ["score_runs"]


def score_runs(
    runs: Iterable[Run],
    tasks: Iterable[Task],
    mode: Mode | None = None,
    *,
    write_tools: WriteTools = WRITE_TOOLS,
    min_argument_accuracy: float = 0.9,
    max_extra_steps: int = 4,
) -> list[PathRow]:
    """Answer for every run how it got there, and what that says beside its outcome.

    Args:
        runs: Graded runs, as ``evaluate(...)["runs"]`` has them.
        tasks: The tasks that were run. Those with a ``reference``, or with several acceptable
            ``references``, have their runs scored; the others are left out.
        mode: The mode of tasks that name none; ``in_order`` if left out.
        write_tools: As in `score_trajectory`.
        min_argument_accuracy: As in `trajectory_verdict`.
        max_extra_steps: As in `trajectory_verdict`.

    Returns:
        One row for every run of such a task, in the order of `runs`: ``id``, ``repeat``,
        ``passed``, the four scores, ``verdict``, ``why`` and ``diagnosis``: ``sound`` (right, by a
        sensible path), ``lucky`` (right, by a broken path), ``blocked`` (wrong by a sensible path:
        usually a missing tool or context) or ``failed``. A path with a warning counts as sensible.
        Where they are known, ``cost`` and the task's ``reference_cost``. Of several references the
        best counts, and ``reference`` is its position from 0.

        A run that did not record its calls is never a pass: its scores are ``None`` and ``why``
        says so.

    Raises:
        TypeError: A run, a task or a call has the wrong shape; the message names task and repeat.
        ValueError: A run belongs to no task, or a mode is unknown.

    >>> task = {"id": 7, "input": "", "expected": None, "reference": [{"name": "look"}]}
    >>> run = {"id": 7, "repeat": 0, "passed": True, "calls": [{"name": "guess"}]}
    >>> [row] = score_runs([run], [task])
    >>> row["verdict"], row["why"], row["diagnosis"]
    ('fail', 'a required call is missing', 'lucky')
    """
    by_id = _tasks_by_id(tasks)
    rows: list[PathRow] = []
    for place, run in enumerate(_listed(runs, "runs")):
        if not isinstance(run, Mapping) or "id" not in run or "passed" not in run:
            raise TypeError(
                f"score_runs: runs[{place}] must be a graded run with 'id' and 'passed', "
                f"got {type(run).__name__} {cut(run)}"
            )
        task = by_id.get(run["id"])
        if task is None:
            raise ValueError(
                f"score_runs: runs[{place}] belongs to no task: its id is {cut(run['id'])}; "
                "pass the tasks that were run"
            )
        if not _references(task):
            continue
        judge = partial(
            _judge,
            mode=task.get("mode") or mode or "in_order",
            write_tools=write_tools,
            min_argument_accuracy=min_argument_accuracy,
            max_extra_steps=max_extra_steps,
        )
        rows.append(_row(cast("Run", run), task, judge))
    return rows


def _listed(items: Iterable[Any], what: str) -> list[Any]:
    if isinstance(items, (str, bytes, Mapping)) or not isinstance(items, Iterable):
        hint = (
            "; pass report['runs']"
            if isinstance(items, Mapping) and "runs" in items
            else f"; pass a list of {what}"
        )
        raise TypeError(
            f"score_runs: {what} must be a list, got {type(items).__name__} {cut(items)}{hint}"
        )
    return list(items)


def _tasks_by_id(tasks: Iterable[Task]) -> dict[Any, Task]:
    by_id: dict[Any, Task] = {}
    for place, task in enumerate(_listed(tasks, "tasks")):
        if not isinstance(task, Mapping) or "id" not in task:
            raise TypeError(
                f"score_runs: tasks[{place}] must be a task with an 'id', "
                f"got {type(task).__name__} {cut(task)}"
            )
        if task["id"] in by_id:
            raise ValueError(f"score_runs: two tasks have the id {cut(task['id'])}")
        by_id[task["id"]] = cast("Task", task)
    return by_id


def _references(task: Task) -> Sequence[Sequence[Any]]:
    """Return the acceptable references of a task; none when its path is not graded."""
    one, several = task.get("reference"), task.get("references")
    if one is not None and several is not None:
        raise ValueError(
            f"score_runs: task {cut(task['id'])} has both 'reference' and 'references'; "
            "put every acceptable one into 'references'"
        )
    if several is None:
        return [] if one is None else [one]
    if isinstance(several, (str, bytes, Mapping)) or not isinstance(several, Sequence):
        raise TypeError(
            f"score_runs: task {cut(task['id'])}: references must be a list of references, "
            f"got {type(several).__name__} {cut(several)}"
        )
    return several


_RANK = {"pass": 0, "warn": 1, "fail": 2}


_UNKNOWN: dict[str, None] = dict.fromkeys(
    ("coverage", "argument_accuracy", "extra_steps", "duplicate_writes")
)

_Judged = tuple[Scores, Verdict, str]


def _row(run: Run, task: Task, judge: Callable[[list[Call], Any], _Judged]) -> PathRow:
    """Return the row of one run: its calls against the best of the task's references."""
    repeat = run.get("repeat", 0)
    numbers: Mapping[str, Any] = _UNKNOWN
    verdict: Verdict = "fail"
    best: int | None = None
    if run.get("calls") is None:
        error = run.get("error")
        why = "the run did not record its calls" + (f" ({error})" if error else "")
    else:
        where = f"score_runs: task {cut(run['id'])}, repeat {repeat}: calls"
        calls = as_calls(run["calls"], where)
        judged = [judge(calls, reference) for reference in _references(task)]
        best = min(range(len(judged)), key=lambda place: _badness(judged[place]))
        numbers, verdict, why = judged[best]
    row = {
        "id": run["id"],
        "repeat": repeat,
        "passed": bool(run["passed"]),
        **numbers,
        "verdict": verdict,
        "why": why,
        "diagnosis": _diagnosis(bool(run["passed"]), verdict),
    }
    if best is not None and task.get("references") is not None:
        row["reference"] = best
    for key, holder in (("cost", run), ("reference_cost", task)):
        if holder.get(key) is not None:
            row[key] = holder[key]  # type: ignore[literal-required]  # a key of its TypedDict
    return cast("PathRow", row)


def _judge(
    calls: list[Call],
    reference: Any,
    *,
    mode: Mode,
    write_tools: WriteTools,
    min_argument_accuracy: float,
    max_extra_steps: int,
) -> _Judged:
    scores = score_trajectory(reference, calls, mode, write_tools=write_tools)
    verdict, why = trajectory_verdict(
        scores,
        mode=mode,
        min_argument_accuracy=min_argument_accuracy,
        max_extra_steps=max_extra_steps,
    )
    return scores, verdict, why


def _badness(judged: _Judged) -> tuple[Any, ...]:
    """Order acceptable references: the one with the best verdict, then with the best numbers."""
    scores, verdict, _ = judged
    return (
        _RANK[verdict],
        not scores["coverage"],
        scores["duplicate_writes"],
        -scores["argument_accuracy"],
        abs(scores["extra_steps"]),
    )


def _diagnosis(passed: bool, verdict: Verdict) -> Diagnosis:
    if verdict == "fail":
        return "lucky" if passed else "failed"
    return "sound" if passed else "blocked"
