"""What a task says about the paths of its runs, read to score them and to check it beforehand.

`agenteval.validate_tasks` and `agenteval.score_runs` read it here, so that neither refuses what the
other takes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from agenteval._messages import cut
from agenteval.records import ArgsMatch, Mode
from agenteval.trajectory.calls import Call
from agenteval.trajectory.matching import check_mode
from agenteval.trajectory.references import Slot, read_reference
from agenteval.trajectory.rules import Rules, read_rules
from agenteval.trajectory.stored import is_stored, reference_args

__all__ = ["PATH_KEYS", "TaskPath", "read_task_path"]

PATH_KEYS = ("reference", "references", "mode", "args_match", "reference_cost")


class TaskPath(NamedTuple):
    """What a task says about the paths of its runs.

    ``references`` are the acceptable ones, none when the task's path is not graded; ``several``
    says whether the task lists them under ``references``. No ``rules`` are exact ones. ``cost`` is
    its ``reference_cost``, as the task has it.
    """

    references: list[list[Call] | list[Slot]]
    several: bool
    mode: Mode
    rules: Rules | None
    cost: Any

    def in_form_of_runs(self) -> list[list[Call] | list[Slot]]:
        """Return the references with their arguments as a run holds its own.

        A callable rule gets them as the author of the task wrote them.
        """
        return [[self._stored(step) for step in steps] for steps in self.references]

    def _stored(self, step: Any) -> Any:
        if isinstance(step, Slot):
            return step._replace(calls=tuple(map(self._stored, step.calls)))
        asks = self.rules is not None and self.rules.of(step.name).decide is not None
        return step if asks or is_stored(step.args) else Call(step.name, reference_args(step.args))


def read_task_path(
    task: Mapping[str, Any],
    where: str,
    mode: Mode = "in_order",
    args_match: ArgsMatch = "exact",
) -> TaskPath:
    """Read `PATH_KEYS` of a task; one that is ``None`` counts as left out.

    Args:
        task: The task.
        where: What begins every message, such as ``"score_runs: task 7"``.
        mode: The mode of a task that names none.
        args_match: The rule of a task that has none.

    Raises:
        TypeError: A value is of the wrong kind.
        ValueError: A mode, a rule or a group is unknown, there are no references in the list of
            them, or both ``reference`` and ``references``; or a cost is not finite or below 0.
    """
    own_mode, own_rule = task.get("mode"), task.get("args_match")
    if own_mode is not None:
        check_mode(own_mode, f"{where}: 'mode'")
        mode = own_mode
    rule = args_match if own_rule is None else own_rule
    one, several = task.get("reference"), task.get("references")
    if several is None:
        references = [] if one is None else [_reference(one, f"{where}: 'reference'")]
    elif one is not None:
        raise ValueError(
            f"{where} has both 'reference' and 'references'; "
            "put every acceptable reference into 'references'"
        )
    else:
        references = _references(several, f"{where}: 'references'")
    rules = None if isinstance(rule, str) and rule == "exact" else read_rules(rule, where)
    return TaskPath(
        references,
        several is not None,
        mode,
        rules,
        _cost(task.get("reference_cost"), f"{where}: 'reference_cost'"),
    )


def _cost(value: Any, what: str) -> Any:
    if value is None:
        return None
    if type(value) is not float and type(value) is not int:
        from numbers import Number  # here, because only numbers of other libraries need it

        if isinstance(value, bool) or not isinstance(value, Number):
            raise TypeError(
                f"{what} must be a number of at least 0, got {type(value).__name__} {cut(value)}"
            )
    if not 0 <= value < math.inf:
        raise ValueError(f"{what} must be a number of at least 0, got {cut(value)}")
    return value


def _references(several: Any, what: str) -> list[list[Call] | list[Slot]]:
    if isinstance(several, (str, bytes, Mapping)) or not isinstance(several, Sequence):
        raise TypeError(
            f"{what} must be a list of references, each a list of calls, "
            f"got {type(several).__name__} {cut(several)}"
        )
    if not several:
        raise ValueError(f"{what} is an empty list; leave it out, or list a reference")
    return [_reference(reference, f"{what}[{place}]") for place, reference in enumerate(several)]


def _reference(reference: Any, what: str) -> list[Call] | list[Slot]:
    """Read one reference; a task is read more than once, which an iterator does not survive."""
    if not isinstance(reference, Sequence):
        raise TypeError(
            f"{what} must be a list of calls, got {type(reference).__name__} {cut(reference)}"
        )
    return read_reference(reference, what)
