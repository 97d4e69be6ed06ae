"""Evaluate agents: is the answer right, is the path sensible, can one rely on it.

Plain functions over plain data, standard library only:

- `agenteval.harness` runs tasks against an agent and grades each run;
- `agenteval.trajectory` sets the calls of a run against a reference;
- `agenteval.reliability` computes pass^k and what changed between two versions;
- `agenteval.traces` reads other people's traces, `agenteval.measures` counts steps, cost, time and
  recovery, `agenteval.runlog` keeps finished runs, `agenteval.report` shows all of it;
- `agenteval.records` describes the shapes.

Every public function is offered here as well: ``from agenteval import evaluate``. Modules are
loaded when a name of theirs is first asked for, so that ``import agenteval`` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agenteval.records import DrawnReport

if TYPE_CHECKING:
    from agenteval import report
    from agenteval.harness import (
        evaluate,
        evaluate_async,
        grade,
        iter_runs,
        normalize,
        rubric_check,
        run_task,
        scripted_agent,
        summarize,
        validate_tasks,
    )
    from agenteval.measures import (
        admits_failure,
        cost_per_completed_task,
        latency,
        recovery,
        recovery_counts,
        step_counts,
        tail,
        tool_errors,
    )
    from agenteval.reliability import (
        NotEnoughRuns,
        assert_no_regressions,
        chance_of_flip,
        compare,
        flaky_tasks,
        outcomes,
        pass_at_k,
        pass_hat_k,
        regressions,
        reliability_curve,
        reliability_table,
        repeats_needed,
        smallest_difference,
        tasks_needed,
        wilson_interval,
    )
    from agenteval.runlog import (
        RunLogError,
        read_log,
    )
    from agenteval.traces import (
        TraceFormatError,
        from_adk,
        from_anthropic,
        from_bedrock,
        from_gemini,
        from_inspect,
        from_langchain,
        from_mcp,
        from_openai_chat,
        from_openai_responses,
        from_otel,
        from_trace,
        from_vercel_ai,
        references_from_adk,
    )
    from agenteval.trajectory import (
        WRITE_TOOLS,
        Call,
        any_order_of,
        as_call,
        as_dict,
        compare_run,
        compare_steps,
        covers,
        one_of,
        optional,
        precision_recall,
        reference_to_json,
        score_runs,
        score_trajectory,
        trajectory_verdict,
        write_tools_from_mcp,
    )

__all__ = [
    "WRITE_TOOLS",
    "Call",
    "NotEnoughRuns",
    "RunLogError",
    "TraceFormatError",
    "admits_failure",
    "any_order_of",
    "as_call",
    "as_dict",
    "assert_no_regressions",
    "chance_of_flip",
    "compare",
    "compare_run",
    "compare_steps",
    "cost_per_completed_task",
    "covers",
    "evaluate",
    "evaluate_async",
    "flaky_tasks",
    "from_adk",
    "from_anthropic",
    "from_bedrock",
    "from_gemini",
    "from_inspect",
    "from_langchain",
    "from_mcp",
    "from_openai_chat",
    "from_openai_responses",
    "from_otel",
    "from_trace",
    "from_vercel_ai",
    "grade",
    "iter_runs",
    "latency",
    "normalize",
    "one_of",
    "optional",
    "outcomes",
    "pass_at_k",
    "pass_hat_k",
    "precision_recall",
    "read_log",
    "recovery",
    "recovery_counts",
    "reference_to_json",
    "references_from_adk",
    "regressions",
    "reliability_curve",
    "reliability_table",
    "repeats_needed",
    "report",
    "rubric_check",
    "run_task",
    "score_runs",
    "score_trajectory",
    "scripted_agent",
    "smallest_difference",
    "step_counts",
    "summarize",
    "tail",
    "tasks_needed",
    "tool_errors",
    "trajectory_verdict",
    "validate_tasks",
    "wilson_interval",
    "write_tools_from_mcp",
]

__version__ = "0.1.0"

_HOMES = {
    "harness": (
        "evaluate",
        "evaluate_async",
        "grade",
        "iter_runs",
        "normalize",
        "rubric_check",
        "run_task",
        "scripted_agent",
        "summarize",
        "validate_tasks",
    ),
    "measures": (
        "admits_failure",
        "cost_per_completed_task",
        "latency",
        "recovery",
        "recovery_counts",
        "step_counts",
        "tail",
        "tool_errors",
    ),
    "reliability": (
        "NotEnoughRuns",
        "assert_no_regressions",
        "chance_of_flip",
        "compare",
        "flaky_tasks",
        "outcomes",
        "pass_at_k",
        "pass_hat_k",
        "regressions",
        "reliability_curve",
        "reliability_table",
        "repeats_needed",
        "smallest_difference",
        "tasks_needed",
        "wilson_interval",
    ),
    "runlog": (
        "RunLogError",
        "read_log",
    ),
    "traces": (
        "TraceFormatError",
        "from_adk",
        "from_anthropic",
        "from_bedrock",
        "from_gemini",
        "from_inspect",
        "from_langchain",
        "from_mcp",
        "from_openai_chat",
        "from_openai_responses",
        "from_otel",
        "from_trace",
        "from_vercel_ai",
        "references_from_adk",
    ),
    "trajectory": (
        "Call",
        "WRITE_TOOLS",
        "any_order_of",
        "as_call",
        "as_dict",
        "compare_run",
        "compare_steps",
        "covers",
        "one_of",
        "optional",
        "precision_recall",
        "reference_to_json",
        "score_runs",
        "score_trajectory",
        "trajectory_verdict",
        "write_tools_from_mcp",
    ),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load the module that offers `name`; Python asks here for what is not loaded yet."""
    from importlib import import_module  # here, because nothing else needs it

    if name in _HOME:
        value = getattr(import_module(f"agenteval.{_HOME[name]}"), name)
    elif name in _HOMES or name == "report":
        value = import_module(f"agenteval.{name}")
    else:
        raise AttributeError(f"module 'agenteval' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_HOMES, *(name for name in globals() if name.startswith("__"))})


def _draw_text(found: Any) -> str:
    from agenteval.report import text  # here, because most programs never print a report

    return text(found)


def _draw_html(found: Any) -> str:
    from agenteval.report import html_fragment  # here, because only notebooks need it

    return html_fragment(found)


# The one place that knows both ends: the dict that a report is, and the module that draws it.
DrawnReport.draw_text = staticmethod(_draw_text)
DrawnReport.draw_html = staticmethod(_draw_html)
