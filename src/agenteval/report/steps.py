"""One run as a table: its calls against the reference, and the scores that they come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from agenteval.records import Difference, PathRow, Scores, Step, Verdict
from agenteval.report.arguments import (
    cost_of,
    outcome_of,
    row_of,
    scores_of,
    steps_of,
    verdict_of,
    whole_of,
)
from agenteval.report.formatting import (
    call_text,
    columns,
    fit,
    money,
    rate,
    table,
    value_text,
    visible,
)

__all__ = ["steps_text"]

_LEAST_CALL = 20
"""Columns that a call keeps at the least, whatever is said beside it."""


def steps_text(
    steps: Iterable[Step],
    scores: Scores | PathRow | None = None,
    *,
    row: PathRow | None = None,
    passed: bool | None = None,
    verdict: tuple[Verdict, str] | None = None,
    cost: float | None = None,
    reference_cost: float | None = None,
    final: bool = True,
    differences: bool = False,
    width: int = 80,
) -> str:
    r"""Show a run step by step against its reference, and its scores one a line.

    Args:
        steps: The rows of `agenteval.compare_steps`.
        scores: The run's `agenteval.score_trajectory`; without it, and without a `row`, there is
            the table alone. A whole row may stand here, too.
        row: The run's row of `agenteval.score_runs`, which stands in for each of `scores`,
            `passed`, `verdict`, `cost` and `reference_cost` that is not given.
        passed: The run's outcome.
        verdict: The pair that `agenteval.trajectory_verdict` returns.
        cost: What the run cost in US dollars.
        reference_cost: What the reference costs in US dollars.
        final: Whether the run ended in a final answer, which is the table's last row.
        differences: Whether to say under a call which of its arguments differ from the reference.
        width: How many columns the text may take, 1 or more; what is longer is cut at its end.

    Returns:
        Lines of at most `width` columns without a line break at the end. What is not known has no
        line.

    Raises:
        TypeError: `steps`, `scores`, `row` or `verdict` is not what the functions named above give,
            or a number is none.
        ValueError: `width` is below 1, or a verdict, a score or a cost is not allowed.

    >>> from agenteval.trajectory import Call, compare_steps
    >>> reference = [Call("get_policy", {"topic": "damaged"})]
    >>> run = [Call("get_policy", {"topic": "returns"}), Call("get_policy", {"topic": "damaged"})]
    >>> print(steps_text(compare_steps(reference, run), verdict=("fail", "argument accuracy 0.50")))
    step  call                         verdict
       1  get_policy(topic="returns")  wrong argument
       2  get_policy(topic="damaged")  matches step 1
       3  final answer
    <BLANKLINE>
    trajectory  FAIL, argument accuracy 0.50
    """
    listed = steps_of(steps, "steps_text")
    if row is None and isinstance(scores, Mapping) and "verdict" in scores:
        row, scores = cast("PathRow", scores), None
    width = whole_of("steps_text: width", width, least=1)
    row = row_of(row, "steps_text")
    if scores is None and "coverage" in row:
        scores = cast("Scores", row)
    if verdict is None and "verdict" in row:
        verdict = (row["verdict"], row.get("why", ""))
    block = _score_lines(
        listed,
        scores_of(scores, "steps_text"),
        outcome_of("steps_text: passed", row.get("passed") if passed is None else passed),
        verdict_of(verdict, "steps_text"),
        cost_of("steps_text: cost", row.get("cost") if cost is None else cost),
        cost_of(
            "steps_text: reference_cost",
            row.get("reference_cost") if reference_cost is None else reference_cost,
        ),
    )
    lines = _step_lines(listed, final=final, differences=differences, width=width)
    if block:
        lines += ["", *block]
    return "\n".join(fit(line, width) for line in lines)


def _step_lines(steps: list[Step], *, final: bool, differences: bool, width: int) -> list[str]:
    said = [_verdict(step) for step in steps]
    # The verdict matters more than the end of a long call, an error's text less.
    widest = max(map(columns, (*said, "verdict")))
    room = max(width - len("step") - 4 - min(widest, width // 2), _LEAST_CALL)
    calls = [fit(call_text(step["name"], step["args"]), room) for step in steps]
    left = width - len("step") - 4 - max(map(columns, (*calls, "final answer")))
    rows = [["step", "call", "verdict"]]
    rows += [
        ["-" if step["step"] is None else str(step["step"]), call, fit(verdict, left)]
        for step, call, verdict in zip(steps, calls, said, strict=True)
    ]
    if final:
        made = sum(step["step"] is not None for step in steps)
        rows.append([str(made + 1), "final answer"])
    lines = table(rows, right={0})
    if not differences:
        return lines
    whole = lines[:1]
    for step, line in zip(steps, lines[1:], strict=False):
        whole.append(line)
        whole += [
            fit(f"        {name}: {_difference(difference)}", width)
            for name, difference in step["differences"].items()
        ]
    return whole + lines[len(steps) + 1 :]


def _verdict(step: Step) -> str:
    verdict = step["verdict"]
    if verdict in {"missing", "out of order"} and step["reference_step"] is not None:
        verdict += f" (step {step['reference_step']})"
    return verdict if step["error"] is None else f"{verdict}; error: {step['error']}"


def _difference(difference: Difference) -> str:
    if "actual" not in difference:
        return f"not given, {value_text(difference['reference'])} in the reference"
    if "reference" not in difference:
        return f"{value_text(difference['actual'])}, not in the reference"
    return f"{value_text(difference['actual'])}, not {value_text(difference['reference'])}"


def _score_lines(
    steps: list[Step],
    scores: Scores | None,
    passed: bool | None,
    verdict: tuple[Verdict, str] | None,
    cost: float | None,
    reference_cost: float | None,
) -> list[str]:
    lines: list[list[str]] = []
    if passed is not None:
        lines.append(["outcome", _passed(passed)])
    if scores is not None:
        lines += _four_scores(steps, scores)
    if cost is not None:
        against = (
            "" if reference_cost is None else f" against a reference of {money(reference_cost)}"
        )
        lines.append(["cost", money(cost) + against])
    if verdict is not None:
        word = verdict[0] if verdict[0] == "pass" else verdict[0].upper()
        lines.append(["trajectory", visible(f"{word}, {verdict[1]}" if verdict[1] else word)])
    return table(lines)


def _four_scores(steps: list[Step], scores: Mapping[str, Any]) -> list[list[str]]:
    lines = []
    if scores["coverage"] is not None:
        lines.append(["coverage", _passed(scores["coverage"])])
    accuracy = scores["argument_accuracy"]
    if accuracy is not None:
        lines.append(["argument accuracy", f"{rate(accuracy)}{_share(steps, accuracy)}"])
    if scores["extra_steps"] is not None:
        lines.append(
            ["extra steps", f"{scores['extra_steps']:+d}" if scores["extra_steps"] else "0"]
        )
    if scores["duplicate_writes"] is not None:
        lines.append(["duplicate writes", str(scores["duplicate_writes"])])
    return lines


def _passed(passed: bool) -> str:
    return "pass" if passed else "FAIL"


def _share(steps: list[Step], accuracy: float) -> str:
    """Return the calls that `accuracy` is made of, such as `` (4 of 5)``, where it can be told.

    A wrong argument shows that its tool is the reference's. Of a tool that has extra calls alone
    the rows do not say it (the reference may have it as an option), but if so they are right, and
    the accuracy says of how many calls the wrong ones are a part. Without a wrong one it does not.
    """
    made = [step for step in steps if step["step"] is not None]
    named = {step["name"] for step in steps if step["reference_step"] is not None}
    least = sum(step["name"] in named for step in made)
    mistaken = [step for step in made if step["verdict"] == "wrong argument"]
    wrong = len(mistaken) + sum(_repeats(step, mistaken) for step in made)
    if wrong and accuracy < 1:
        asked = round(wrong / (1 - accuracy))
    else:
        asked = least if least == len(made) else 0
    if not asked or not least <= asked <= len(made) or abs(1 - wrong / asked - accuracy) > 1e-9:
        return ""
    return f" ({asked - wrong} of {asked})"


def _repeats(step: Step, wrong: list[Step]) -> bool:
    """Say whether a duplicate write repeats a call with a wrong argument: it is as wrong."""
    return step["verdict"] == "DUPLICATE WRITE" and any(
        step["name"] == other["name"] and step["args"] == other["args"] for other in wrong
    )
