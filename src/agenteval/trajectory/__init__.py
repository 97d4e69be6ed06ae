"""Did it get there sensibly: a run's calls set against a reference path."""

from agenteval.trajectory.calls import Call, as_call, as_dict

__all__ = ["Call", "as_call", "as_dict"]
