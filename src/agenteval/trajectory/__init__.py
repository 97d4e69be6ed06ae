"""Did it get there sensibly: a run's calls set against a reference path."""

from agenteval.trajectory.calls import Call, as_call, as_dict
from agenteval.trajectory.matching import covers
from agenteval.trajectory.mcp_tools import write_tools_from_mcp
from agenteval.trajectory.references import any_order_of, one_of, optional, reference_to_json
from agenteval.trajectory.runs import compare_run, score_runs
from agenteval.trajectory.scoring import precision_recall, score_trajectory
from agenteval.trajectory.steps import compare_steps
from agenteval.trajectory.verdict import trajectory_verdict
from agenteval.trajectory.writes import WRITE_TOOLS

__all__ = [
    "WRITE_TOOLS",
    "Call",
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
]
