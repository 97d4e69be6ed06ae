"""Did it get there sensibly: a run's calls set against a reference path."""

from agenteval.trajectory.calls import Call, as_call, as_calls, as_dict
from agenteval.trajectory.matching import covers
from agenteval.trajectory.mcp_tools import write_tools_from_mcp
from agenteval.trajectory.runs import score_runs
from agenteval.trajectory.scoring import (
    WRITE_TOOLS,
    precision_recall,
    score_trajectory,
    trajectory_verdict,
)
from agenteval.trajectory.steps import compare_steps

__all__ = [
    "WRITE_TOOLS",
    "Call",
    "as_call",
    "as_calls",
    "as_dict",
    "compare_steps",
    "covers",
    "precision_recall",
    "score_runs",
    "score_trajectory",
    "trajectory_verdict",
    "write_tools_from_mcp",
]
