"""Whether an agent can be relied on: pass^k over repeats, and what changed between two versions.

Everything here takes plain outcomes, ``{task id: [True, False, ...]}``, so it can be used alone, on
numbers from anywhere.
"""

from __future__ import annotations

from agenteval.reliability.comparing import assert_no_regressions, compare, regressions
from agenteval.reliability.flaky import chance_of_flip, flaky_tasks
from agenteval.reliability.intervals import reliability_table, wilson_interval
from agenteval.reliability.passk import (
    NotEnoughRuns,
    pass_at_k,
    pass_hat_k,
    reliability_curve,
)
from agenteval.reliability.planning import repeats_needed, smallest_difference, tasks_needed
from agenteval.reliability.runs import outcomes

__all__ = [
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
]
