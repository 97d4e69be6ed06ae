"""Did it reach the right outcome: run tasks against an agent, grade, explain."""

from agenteval.harness.evaluation import evaluate, evaluate_async, iter_runs, run_task
from agenteval.harness.grading import grade
from agenteval.harness.rubric import rubric_check
from agenteval.harness.scripted import scripted_agent
from agenteval.harness.summary import summarize
from agenteval.harness.text import normalize
from agenteval.harness.validation import validate_tasks

__all__ = [
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
]
