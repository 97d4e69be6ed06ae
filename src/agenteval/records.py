"""The shapes that the library passes around: plain dicts, described for readers and type checkers.

Everything here is data. A task goes in, a run comes out, a row says how good the run's path was;
all of it is dicts and lists that ``json.dumps`` takes as they are. `Report` and `Comparison` are
the results a person looks at first.

The only behavior in this module is `DrawnReport`: the dict that `agenteval.summarize` returns can
show itself in a notebook and under ``print``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar, Literal, Protocol, TypedDict

__all__ = [
    "MODES",
    "Agent",
    "AgentResult",
    "ArgsMatch",
    "ArgsRule",
    "AsyncAgent",
    "CallDict",
    "CallLike",
    "Change",
    "Check",
    "CheckResult",
    "Comparison",
    "Diagnosis",
    "Difference",
    "DrawnReport",
    "Estimator",
    "Mode",
    "Outcome",
    "PathRow",
    "Progress",
    "Recovery",
    "ReliabilityRow",
    "Report",
    "Rule",
    "Run",
    "Scores",
    "Step",
    "SupportsCall",
    "Task",
    "TaskId",
    "Trace",
    "Verdict",
    "WriteTools",
]

TaskId = str | int
"""What names a task: 1 and ``"1"`` are two different tasks."""

Mode = Literal["exact", "in_order", "any_order", "unordered", "subset"]
"""How a run is held against its reference; see `agenteval.covers`."""

MODES: tuple[Mode, ...] = ("exact", "in_order", "any_order", "unordered", "subset")

Verdict = Literal["pass", "warn", "fail"]
"""What a trajectory comes to; see `agenteval.trajectory_verdict`."""

Diagnosis = Literal["sound", "lucky", "blocked", "failed"]
"""Outcome and path together: right and sensible, right by a broken path, wrong by a sensible
path, neither."""

Recovery = Literal["no error", "retried", "worked around", "gave up", "invented"]
"""What an agent did after a tool had failed; see `agenteval.recovery`."""

Estimator = Literal["first", "subsets"]
"""Which repeats pass^k looks at: the first k, or every k of them."""

Rule = Literal["majority", "all"]
"""When a task with several repeats counts as passed: in more than half of them, or in all."""

Outcome = Any
"""One repeat's outcome: ``True``/``False``, or 0/1 of any number type."""


class CallDict(TypedDict, total=False):
    """A tool call as JSON stores it: ``name``, ``args`` and, when the tool failed, ``error``."""

    name: str
    args: dict[str, Any]
    error: str | None


class SupportsCall(Protocol):
    """Anything with a call's three attributes; `agenteval.Call` is the library's own."""

    @property
    def name(self) -> str:
        """The tool's name."""

    @property
    def args(self) -> Mapping[str, Any]:
        """The arguments by name."""

    @property
    def error(self) -> str | None:
        """What went wrong in the tool, or ``None``."""


CallLike = SupportsCall | Mapping[str, Any]
"""A `agenteval.Call`, or a dict with ``name`` and ``args``."""

WriteTools = Callable[[str], bool] | Collection[str]
"""Which tools change the world: a collection of names, or a predicate on a name."""

ArgsRule = (
    Literal["exact", "ignore", "subset", "superset"]
    | Sequence[str]
    | Callable[[Mapping[str, Any], Mapping[str, Any]], bool]
)
"""When a call's arguments agree with a reference call's: a named rule, the argument names to
compare (dotted for nested ones), or a callable ``(actual_args, reference_args) -> bool``."""

ArgsMatch = ArgsRule | Mapping[str, ArgsRule]
"""One rule for all tools, or a mapping of tool name (``"*"`` for the rest) to a rule."""


class _TaskRequired(TypedDict):
    id: TaskId
    input: Any
    expected: Any


class Task(_TaskRequired, total=False):
    """One case of an evaluation.

    ``expected`` is a string or a number, a list of acceptable ones, or ``None`` for "no fixed
    answer, a check decides". Own extra keys are allowed and ignored; one that nearly spells a known
    key is refused, because a typing slip must not switch a safety check off.
    """

    max_tool_calls: int
    max_cost: float
    max_seconds: float
    forbidden_tools: Sequence[str]
    reference: Sequence[Any]
    references: Sequence[Sequence[Any]]
    mode: Mode
    args_match: ArgsMatch
    reference_cost: float
    metadata: Any


class Trace(TypedDict, total=False):
    """What an importer found in a trace, and what it could not use.

    ``calls``, ``unanswered``, ``unpaired_results`` and ``unparsed_arguments`` are counts;
    ``unanswered_calls`` are the positions (from 0) of the calls without a result in the trace;
    ``hosted`` are the names of tools that the provider ran itself; ``cases`` are the ids of the
    conversations in a file that holds several. Spans add three counts: ``unrecorded_arguments``,
    the calls whose arguments the trace does not hold; ``unread_messages``, the lists of messages
    that an exporter cut in the middle; ``unrecorded_calls``, the turns that ended in calls of which
    the trace holds nothing.
    """

    format: str
    calls: int
    unanswered: int
    unanswered_calls: list[int]
    unpaired_results: int
    unparsed_arguments: int
    hosted: list[str]
    cases: list[TaskId]
    unrecorded_arguments: int
    unread_messages: int
    unrecorded_calls: int


class AgentResult(TypedDict, total=False):
    """What an agent returns for one input.

    ``status`` is ``"final"`` when the agent finished. Where ``calls`` is given, ``tool_calls`` and
    ``tools_used`` may be left out: they follow from it. What is left out is unknown, never zero.
    """

    status: str
    answer: str | None
    tool_calls: int
    tools_used: Sequence[str]
    calls: Sequence[CallLike]
    cost: float
    first_output_seconds: float
    usage: Mapping[str, Any]
    metadata: Any
    trace: Trace


class _RunRequired(TypedDict):
    id: TaskId
    repeat: int
    passed: bool
    reasons: list[str]
    status: str | None
    answer: str | None
    tool_calls: int | None
    tools_used: list[str] | None
    seconds: float


class Run(_RunRequired, total=False):
    """One graded attempt at a task; ``repeat`` counts from 0, ``seconds`` is wall time.

    ``error`` (``"KeyError: 'order'"``) and ``traceback`` are there when the agent raised or broke
    the contract. ``attempts`` and ``retried_errors`` are there when the infrastructure's faults
    were retried. ``abandoned`` is true when a stuck agent was left behind at its timeout.
    ``check_errors`` says of each check that raised what it raised (``"state: KeyError: 'order'"``).
    """

    error: str
    traceback: str
    check_errors: list[str]
    calls: list[CallDict]
    cost: float
    first_output_seconds: float
    usage: dict[str, Any]
    attempts: int
    retried_errors: list[str]
    abandoned: bool
    trace: Trace
    metadata: Any


class _ReportRequired(TypedDict):
    pass_rate: float
    passed: int
    total: int
    tasks: int
    reasons: dict[str, int]
    runs: list[Run]


class Report(_ReportRequired, total=False):
    """All runs and what they come to.

    ``pass_rate`` is ``passed / total`` over runs, 0 to 1; ``tasks`` the number of distinct tasks;
    ``reasons`` counts each reason, commonest first. ``abandoned`` counts agents left behind at
    their timeout, ``label`` names the agent's version.
    """

    label: str
    abandoned: int


class Scores(TypedDict):
    """Four numbers about a run's path, never one: see `agenteval.score_trajectory`."""

    coverage: bool
    argument_accuracy: float
    extra_steps: int
    duplicate_writes: int


class Difference(TypedDict, total=False):
    """One argument that differs.

    A missing argument has no ``actual``, an unexpected one no ``reference``.
    """

    reference: Any
    actual: Any


class Step(TypedDict):
    """One row of a run set against its reference; see `agenteval.compare_steps`.

    ``step`` counts the run's calls from 1 and is ``None`` for a reference step that is missing.
    ``reference_step`` counts from 1 and is ``None`` where the row has no counterpart.
    """

    step: int | None
    name: str
    args: dict[str, Any]
    verdict: str
    reference_step: int | None
    differences: dict[str, Difference]
    error: str | None


class PathRow(TypedDict, total=False):
    """How good one run's path was, beside its outcome; see `agenteval.score_runs`.

    The four scores are ``None`` for a run that did not record its calls. ``reference`` is the
    position (from 0) of the acceptable reference that the scores are against.
    """

    id: TaskId
    repeat: int
    passed: bool
    coverage: bool | None
    argument_accuracy: float | None
    extra_steps: int | None
    duplicate_writes: int | None
    verdict: Verdict
    why: str
    diagnosis: Diagnosis
    reference: int
    cost: float
    reference_cost: float


class ReliabilityRow(TypedDict):
    """One k of a reliability table; all values 0 to 1, higher is better."""

    k: int
    tasks: int
    pass_hat_k: float
    low: float
    high: float
    pass_at_k: float


class Change(TypedDict):
    """One task whose pass rate changed, with Fisher's exact two-sided p-value over its repeats."""

    id: TaskId
    old_rate: float
    new_rate: float
    p: float


class Comparison(TypedDict):
    """Two versions set side by side; see `agenteval.compare`."""

    old_pass_rate: float
    new_pass_rate: float
    regressions: list[TaskId]
    fixed: list[TaskId]
    still_failing: list[TaskId]
    added: list[TaskId]
    removed: list[TaskId]
    changes: list[Change]
    p_value: float


CheckResult = bool | str | list[str] | None
"""``None``, ``True`` or an empty list pass; text is a reason; ``False`` is a reason named after
the check."""


class Agent(Protocol):
    """A callable that takes a task's input and returns an `AgentResult`."""

    def __call__(self, input: Any, /) -> Mapping[str, Any]:  # noqa: A002 - the task's own key
        """Work on ``input`` and say what came of it."""


class AsyncAgent(Protocol):
    """An `Agent` whose result is awaited."""

    def __call__(self, input: Any, /) -> Awaitable[Mapping[str, Any]]:  # noqa: A002 - the task's own key
        """Work on ``input`` and say what came of it."""


Check = Callable[[Task, AgentResult], Any]
"""``check(task, result)`` returns a `CheckResult`, or an awaitable of one."""

Progress = Callable[[int, int, Run], object]
"""``progress(done, total, run)`` is called after every finished run."""


class DrawnReport(dict[str, Any]):
    """A `Report` that prints as text and draws itself in a notebook; in all else a plain dict.

    The two drawing functions are filled in by ``agenteval/__init__.py``, the one place that knows
    both ends, so that the modules that make reports need not know the one that draws them.
    """

    __slots__ = ()

    draw_text: ClassVar[Callable[[Any], str]] = staticmethod(dict.__repr__)
    draw_html: ClassVar[Callable[[Any], str] | None] = None

    def __str__(self) -> str:
        return type(self).draw_text(self)

    def _repr_html_(self) -> str | None:
        draw = type(self).draw_html
        return None if draw is None else draw(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        # IPython asks here for the plain form of what a cell comes to.
        printer.text("..." if cycle else str(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)
