"""A gate for a test suite: no task that used to pass may fail with the agent under test.

Copy it beside your tests, put your agent and tasks in, and run pytest.
"""

from __future__ import annotations

from agenteval import assert_no_regressions, evaluate, outcomes

REPEATS = 5  # one run of an agent shows little

TASKS = [
    {"id": "damaged", "input": "The lamp arrived broken.", "expected": "refund"},
    {"id": "wrong-size", "input": "My boots are too small.", "expected": "exchange"},
    {"id": "late", "input": "My parcel is a week late.", "expected": "claim"},
    {"id": "greeting", "input": "Good morning!", "expected": "How can I help?"},
]

# What the version in use did. Make it once with `outcomes(evaluate(agent, TASKS, ...)["runs"])` and
# keep it in a file; with JSON use text as task ids, because JSON turns the id 1 into "1".
BASELINE = {
    "damaged": [True, True, True, True, True],
    "wrong-size": [True, True, True, False, True],
    "late": [False, False, True, False, False],
    "greeting": [False, False, False, False, False],
}


def agent(question: str) -> dict:
    """Stand in for your agent."""
    rules = {"broken": "refund", "too small": "exchange", "late": "claim"}
    answer = next((rules[words] for words in rules if words in question), None)
    return {"status": "final", "answer": answer, "tool_calls": 1, "tools_used": ["policy"]}


def test_what_passed_before_passes_now() -> None:
    report = evaluate(agent, TASKS, repeats=REPEATS)
    # With `allow_removed=False` a task that was dropped from TASKS fails the gate too.
    assert_no_regressions(BASELINE, outcomes(report["runs"]), allow_removed=False)
