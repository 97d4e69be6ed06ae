"""Did it reach the right outcome: run tasks against an agent, grade, explain."""

from agenteval.harness.evaluation import evaluate, run_task
from agenteval.harness.grading import grade
from agenteval.harness.rubric import rubric_check
from agenteval.harness.scripted import scripted_agent
from agenteval.harness.summary import summarize
from agenteval.harness.text import normalize
from agenteval.harness.validation import validate_tasks

__all__ = [
    "evaluate",
    "grade",
    "normalize",
    "rubric_check",
    "run_task",
    "scripted_agent",
    "summarize",
    "validate_tasks",
]
