"""What beyond right and wrong comes free with the runs: steps, money, time and recovery.

Every figure says how many runs it covers: what a run did not record is unknown, never zero.
"""

from agenteval.measures.admissions import admits_failure
from agenteval.measures.distributions import Bin, Distribution
from agenteval.measures.spending import (
    By,
    CostPerTask,
    Latency,
    TailRun,
    cost_per_completed_task,
    latency,
    step_counts,
    tail,
)
from agenteval.measures.tool_failures import (
    HAMMERING,
    Hammered,
    ToolErrors,
    recovery,
    recovery_counts,
    tool_errors,
)

__all__ = [
    "HAMMERING",
    "Bin",
    "By",
    "CostPerTask",
    "Distribution",
    "Hammered",
    "Latency",
    "TailRun",
    "ToolErrors",
    "admits_failure",
    "cost_per_completed_task",
    "latency",
    "recovery",
    "recovery_counts",
    "step_counts",
    "tail",
    "tool_errors",
]
