"""Can you rely on the agent? pass^k over repeats, and what changed between two versions.

Everything here takes plain outcomes, ``{task id: [True, False, ...]}``, so it can be used alone, on
numbers from anywhere.
"""

from __future__ import annotations

from agenteval.reliability.comparing import assert_no_regressions, compare, regressions
from agenteval.reliability.passk import (
    NotEnoughRuns,
    pass_at_k,
    pass_hat_k,
    reliability_curve,
)
from agenteval.reliability.runs import outcomes

__all__ = [
    "NotEnoughRuns",
    "assert_no_regressions",
    "compare",
    "outcomes",
    "pass_at_k",
    "pass_hat_k",
    "regressions",
    "reliability_curve",
]
