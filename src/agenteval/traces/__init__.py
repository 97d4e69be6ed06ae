"""Other people's traces, as parsed JSON, into `agenteval.records.AgentResult`s."""

from agenteval.traces.errors import TraceFormatError

__all__ = ["TraceFormatError"]
