"""How good the path of every run was, beside its outcome."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from typing import Any, cast

from agenteval._messages import cut
from agenteval.records import (
    ArgsMatch,
    Diagnosis,
    Mode,
    PathRow,
    Run,
    Scores,
    Step,
    Task,
    Verdict,
    WriteTools,
)
from agenteval.trajectory.calls import Call, as_calls
from agenteval.trajectory.matching import check_mode
from agenteval.trajectory.path import read_path
from agenteval.trajectory.references import as_slots
from agenteval.trajectory.rules import Rules, read_rules
from agenteval.trajectory.scoring import score_path
from agenteval.trajectory.steps import step_rows
from agenteval.trajectory.stored import is_stored, run_args
from agenteval.trajectory.task_keys import TASK_KEYS, refuse_slips
from agenteval.trajectory.tasks import TaskPath, read_task_path
from agenteval.trajectory.verdict import check_limits, trajectory_verdict
from agenteval.trajectory.writes import WRITE_TOOLS, write_names

__all__ = ["compare_run", "score_runs"]


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
            ``references``, have their runs scored; the others are left out. Tuples and sets in
            arguments count as the lists that JSON makes of them, on both sides: a run that came
            back from a log is scored like one that did not.
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
        ValueError: A run belongs to no task, a mode is unknown, or a task holds what
            `validate_tasks` refuses in what it says about paths, a misspelled key among it.

    >>> task = {"id": 7, "input": "", "expected": None, "reference": [{"name": "look"}]}
    >>> run = {"id": 7, "repeat": 0, "passed": True, "calls": [{"name": "guess"}]}
    >>> [row] = score_runs([run], [task])
    >>> row["verdict"], row["why"], row["diagnosis"]
    ('fail', 'a required call is missing', 'lucky')
    """
    standard: Mode = "in_order" if mode is None else mode
    check_mode(standard, "score_runs")
    read_rules(args_match, "score_runs")
    check_limits(min_argument_accuracy, max_extra_steps, "score_runs")
    write_names(write_tools, (), "score_runs")
    limits = {
        "min_argument_accuracy": min_argument_accuracy,
        "max_extra_steps": max_extra_steps,
    }
    graders = {
        task["id"]: _Grader(task, standard, args_match, write_tools, limits, "score_runs")
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
            rows.append(_row(cast("Run", run), _outcome(run, place), grader))
    return rows


def compare_run(
    run: Run,
    task: Task,
    mode: Mode | None = None,
    *,
    write_tools: WriteTools = WRITE_TOOLS,
    args_match: ArgsMatch = "exact",
    reference: int | None = None,
) -> list[Step]:
    """Answer what each call of a run was, against its task's reference, as `score_runs` reads both.

    Args:
        run: One run, as ``evaluate(...)["runs"]`` has them.
        task: Its task, with ``reference`` or ``references``.
        mode: As in `score_runs`.
        write_tools: As in `score_runs`.
        args_match: As in `score_runs`.
        reference: Which of the task's ``references`` to take, from 0; the best if left out.

    Returns:
        The rows of `compare_steps`.

    Raises:
        TypeError: The run or the task is no dict.
        ValueError: The run is another task's or did not record its calls, the task has no such
            reference, or holds what `validate_tasks` refuses in what it says about paths.

    >>> task = {"id": 7, "input": "", "expected": None, "reference": [{"name": "look"}]}
    >>> run = {"id": 7, "repeat": 0, "passed": True, "calls": [{"name": "guess"}]}
    >>> [(row["name"], row["verdict"]) for row in compare_run(run, task)]
    [('guess', 'extra'), ('look', 'missing')]
    """
    standard: Mode = "in_order" if mode is None else mode
    check_mode(standard, "compare_run")
    [checked] = _checked_tasks([task], "compare_run")
    grader = _Grader(checked, standard, args_match, write_tools, {}, "compare_run")
    given: Any = run  # what arrives need not be what the annotation says
    if not isinstance(given, Mapping) or given.get("id") != checked["id"]:
        raise (ValueError if isinstance(given, Mapping) else TypeError)(
            f"compare_run: run must be a run of task {cut(checked['id'])}, "
            f"got {type(run).__name__} {cut(run)}"
        )
    references = grader.references
    if run.get("calls") is None or not references:
        lacking = "task has no reference" if not references else "run did not record its calls"
        raise ValueError(f"{grader.where}: the {lacking}, so there is nothing to compare")
    if reference is None:
        several = len(references) > 1
        reference = grader.judge(run["calls"], run.get("repeat", 0))[0] if several else 0
    elif type(reference) is not int or reference not in range(len(references)):
        raise (ValueError if type(reference) is int else TypeError)(
            f"{grader.where}: reference must be from 0 to {len(references) - 1}, "
            f"got {cut(reference)}"
        )
    return grader.steps(run["calls"], run.get("repeat", 0), reference)


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
    name = holder.get("id")
    return isinstance(name, (str, int)) and not isinstance(name, bool)


def _checked_tasks(tasks: Iterable[Task], function: str = "score_runs") -> list[Task]:
    seen: set[Any] = set()
    listed = _listed(tasks, "tasks")
    for place, task in enumerate(listed):
        if not (isinstance(task, Mapping) and _has_id(task)):
            raise TypeError(
                f"{function}: tasks[{place}] must be a task with an 'id', "
                f"got {type(task).__name__} {cut(task)}"
            )
        if task["id"] in seen:
            raise ValueError(f"score_runs: two tasks have the id {cut(task['id'])}")
        seen.add(task["id"])
        unknown = task.keys() - TASK_KEYS
        if unknown:
            refuse_slips(task, unknown, f"{function}: task {cut(task['id'])}")
    return listed


def _outcome(run: Mapping[str, Any], place: int) -> bool:
    """Return whether a run passed; text is no outcome, as ``"False"`` would be true."""
    passed = run["passed"]
    if passed is True or passed is False:
        return passed
    if not isinstance(passed, (str, bytes)):
        try:
            if passed == 0 or passed == 1:
                return bool(passed)
        except (TypeError, ValueError):  # an array, or a table's NA: neither is an outcome
            pass
    raise TypeError(
        f"score_runs: runs[{place}] (task {cut(run['id'])}): 'passed' must be True or False, "
        f"got {type(passed).__name__} {cut(passed)}"
    )


class _Grader:
    """What one task says about the paths of its runs, read and checked once."""

    def __init__(
        self,
        task: Task,
        mode: Mode,
        args_match: ArgsMatch,
        write_tools: WriteTools,
        limits: Mapping[str, Any],
        function: str,
    ) -> None:
        self.function = function
        self.where = f"{function}: task {cut(task['id'])}"
        self.path: TaskPath = read_task_path(task, self.where, mode, args_match)
        self.references = self.path.in_form_of_runs()
        self.write_tools = write_tools
        self.limits = limits

    def judge(self, recorded: Any, repeat: int) -> tuple[int, Scores, Verdict, str]:
        """Return the position, scores, verdict and why of the reference that fits best."""
        where, calls, writing = self._read(recorded, repeat)
        judged = []
        mode, rules = self.path.mode, self._rules_for(calls, where)
        for place, reference in enumerate(self.references):
            scores = score_path(reference, calls, mode, writing, rules, where)
            verdict, why = trajectory_verdict(scores, mode=mode, **self.limits)
            judged.append((place, scores, verdict, why))
        return min(judged, key=_badness)

    def steps(self, recorded: Any, repeat: int, reference: int) -> list[Step]:
        """Return the rows of the calls against one of the references."""
        where, calls, writing = self._read(recorded, repeat)
        steps, rules = self.references[reference], self._rules_for(calls, where) or Rules({})
        return list(
            step_rows(read_path(steps, calls, self.path.mode, writing, rules, where), rules)
        )

    def _rules_for(self, calls: list[Call], where: str) -> Rules | None:
        """Return the rules, where an argument that they name may be in any of the references."""
        rules = self.path.rules
        if rules is None:
            return None
        steps = chain.from_iterable(map(as_slots, self.references))
        rules.check_names(chain.from_iterable(step.calls for step in steps), calls, where)
        return rules._replace(checked=True)

    def _read(self, recorded: Any, repeat: int) -> tuple[str, list[Call], Collection[str]]:
        """Return the place of a run, its calls in the form of a log's, and which of them write."""
        where = f"{self.where}, repeat {repeat}"
        calls = [
            call if is_stored(call.args) else Call(call.name, run_args(call.args), call.error)
            for call in as_calls(recorded, f"{where}: calls")
        ]
        return where, calls, write_names(self.write_tools, calls, self.function)


_RANK = {"pass": 0, "warn": 1, "fail": 2}


_UNKNOWN: dict[str, None] = dict.fromkeys(
    ("coverage", "argument_accuracy", "extra_steps", "duplicate_writes")
)


def _row(run: Run, passed: bool, grader: _Grader) -> PathRow:
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
    row = {
        "id": run["id"],
        "repeat": repeat,
        "passed": passed,
        **numbers,
        "verdict": verdict,
        "why": why,
        "diagnosis": _diagnosis(passed, verdict),
    }
    if best is not None and grader.path.several:
        row["reference"] = best
    if run.get("cost") is not None:
        row["cost"] = run["cost"]
    if grader.path.cost is not None:
        row["reference_cost"] = grader.path.cost
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
