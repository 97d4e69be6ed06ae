"""How good the path of every run was, beside its outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from agenteval._messages import cut
from agenteval.records import (
    ArgsMatch,
    Diagnosis,
    Mode,
    PathRow,
    Run,
    Scores,
    Task,
    Verdict,
    WriteTools,
)
from agenteval.trajectory.calls import Call, as_calls
from agenteval.trajectory.matching import check_mode
from agenteval.trajectory.references import Slot, read_reference
from agenteval.trajectory.rules import read_rules
from agenteval.trajectory.scoring import score_path
from agenteval.trajectory.verdict import trajectory_verdict
from agenteval.trajectory.writes import WRITE_TOOLS, write_names

__all__ = ["score_runs"]


def score_runs(
    runs: Iterable[Run],
    tasks: Iterable[Task],
    mode: Mode | None = None,
    *,
    write_tools: WriteTools = WRITE_TOOLS,
    args_match: ArgsMatch = "exact",
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
        args_match: The ``args_match`` of tasks that have none, as in `score_trajectory`.
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
    limits = {
        "min_argument_accuracy": min_argument_accuracy,
        "max_extra_steps": max_extra_steps,
    }
    graders = {
        task["id"]: _Grader(
            task, "in_order" if mode is None else mode, args_match, write_tools, limits
        )
        for task in _checked_tasks(tasks)
    }
    rows: list[PathRow] = []
    for place, run in enumerate(_listed(runs, "runs")):
        if not (isinstance(run, Mapping) and _has_id(run) and "passed" in run):
            raise TypeError(
                f"score_runs: runs[{place}] must be a graded run with 'id' and 'passed', "
                f"got {type(run).__name__} {cut(run)}"
            )
        if run["id"] not in graders:
            raise ValueError(
                f"score_runs: runs[{place}] belongs to no task: its id is {cut(run['id'])}; "
                "pass the tasks that were run"
            )
        grader = graders[run["id"]]
        if grader.references:
            rows.append(_row(cast("Run", run), grader))
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


def _has_id(holder: Mapping[str, Any]) -> bool:
    return isinstance(holder.get("id"), (str, int))


def _checked_tasks(tasks: Iterable[Task]) -> list[Task]:
    seen: set[Any] = set()
    listed = _listed(tasks, "tasks")
    for place, task in enumerate(listed):
        if not (isinstance(task, Mapping) and _has_id(task)):
            raise TypeError(
                f"score_runs: tasks[{place}] must be a task with an 'id', "
                f"got {type(task).__name__} {cut(task)}"
            )
        if task["id"] in seen:
            raise ValueError(f"score_runs: two tasks have the id {cut(task['id'])}")
        seen.add(task["id"])
    return listed


class _Grader:
    """What one task says about the paths of its runs, read and checked once."""

    def __init__(
        self,
        task: Task,
        mode: Mode,
        args_match: ArgsMatch,
        write_tools: WriteTools,
        limits: Mapping[str, Any],
    ) -> None:
        self.where = f"score_runs: task {cut(task['id'])}"
        its_mode = task.get("mode")
        self.mode: Mode = mode if its_mode is None else its_mode
        check_mode(self.mode, self.where)
        own = task.get("args_match")
        rule = args_match if own is None else own
        self.rules = None if rule == "exact" else read_rules(rule, self.where)
        self.write_tools = write_tools
        self.limits = limits
        self.several = task.get("references") is not None
        self.references = self._read(task)
        self.reference_cost = task.get("reference_cost")

    def _read(self, task: Task) -> list[list[Call] | list[Slot]]:
        """Return the acceptable references; none when the task's path is not graded."""
        one, several = task.get("reference"), task.get("references")
        if several is None:
            return [] if one is None else [read_reference(one, f"{self.where}: reference")]
        if one is not None:
            raise ValueError(
                f"{self.where} has both 'reference' and 'references'; "
                "put every acceptable one into 'references'"
            )
        if isinstance(several, (str, bytes, Mapping)) or not isinstance(several, Sequence):
            raise TypeError(
                f"{self.where}: references must be a list of references, "
                f"got {type(several).__name__} {cut(several)}"
            )
        return [
            read_reference(reference, f"{self.where}: references[{place}]")
            for place, reference in enumerate(several)
        ]

    def judge(self, recorded: Any, repeat: int) -> tuple[int, Scores, Verdict, str]:
        """Return the position, scores, verdict and why of the reference that fits best."""
        where = f"{self.where}, repeat {repeat}"
        calls = as_calls(recorded, f"{where}: calls")
        writing = write_names(self.write_tools, calls, "score_runs")
        judged = []
        for place, reference in enumerate(self.references):
            scores = score_path(reference, calls, self.mode, writing, self.rules, where)
            verdict, why = trajectory_verdict(scores, mode=self.mode, **self.limits)
            judged.append((place, scores, verdict, why))
        return min(judged, key=_badness)


_RANK = {"pass": 0, "warn": 1, "fail": 2}


_UNKNOWN: dict[str, None] = dict.fromkeys(
    ("coverage", "argument_accuracy", "extra_steps", "duplicate_writes")
)


def _row(run: Run, grader: _Grader) -> PathRow:
    """Return the row of one run: its calls against the best of the task's references."""
    repeat = run.get("repeat", 0)
    numbers: Mapping[str, Any] = _UNKNOWN
    verdict: Verdict = "fail"
    best: int | None = None
    if run.get("calls") is None:
        error = run.get("error")
        why = "the run did not record its calls" + (f" ({error})" if error else "")
    else:
        best, numbers, verdict, why = grader.judge(run["calls"], repeat)
    passed = bool(run["passed"])
    row = {
        "id": run["id"],
        "repeat": repeat,
        "passed": passed,
        **numbers,
        "verdict": verdict,
        "why": why,
        "diagnosis": _diagnosis(passed, verdict),
    }
    if best is not None and grader.several:
        row["reference"] = best
    if run.get("cost") is not None:
        row["cost"] = run["cost"]
    if grader.reference_cost is not None:
        row["reference_cost"] = grader.reference_cost
    return cast("PathRow", row)


def _badness(judged: tuple[int, Scores, Verdict, str]) -> tuple[Any, ...]:
    """Order acceptable references: the one with the best verdict, then with the best numbers."""
    _, scores, verdict, _ = judged
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
