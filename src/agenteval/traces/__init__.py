"""Other people's traces, as parsed JSON, into `agenteval.records.AgentResult`s."""

from agenteval.traces.adk import from_adk, references_from_adk
from agenteval.traces.anthropic import from_anthropic
from agenteval.traces.bedrock import from_bedrock
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.gemini import from_gemini
from agenteval.traces.inspect_log import from_inspect
from agenteval.traces.langchain import from_langchain
from agenteval.traces.mcp import from_mcp
from agenteval.traces.openai_chat import from_openai_chat
from agenteval.traces.openai_responses import from_openai_responses
from agenteval.traces.otel import from_otel
from agenteval.traces.recognize import from_trace
from agenteval.traces.vercel_ai import from_vercel_ai

__all__ = [
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
]
