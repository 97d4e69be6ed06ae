"""The smallest evaluation: three tasks, a scripted agent, three different outcomes.

Run it with ``python examples/arithmetic.py``.
"""

from __future__ import annotations

from agenteval import evaluate

TASKS = [
    {"id": "add-1", "input": "What is 2 + 3?", "expected": "5", "max_tool_calls": 2},
    {"id": "add-2", "input": "What is 4 + 4?", "expected": "8", "forbidden_tools": ["rm"]},
    {"id": "add-3", "input": "What is 1 + 9?", "expected": "10"},
]


def agent(question: str) -> dict:
    if question == "What is 2 + 3?":
        return {"status": "final", "answer": "5.", "tool_calls": 1, "tools_used": ["calculator"]}
    if question == "What is 4 + 4?":
        return {"status": "final", "answer": "8", "tool_calls": 2, "tools_used": ["bc", "rm"]}
    return {}["sum"]  # the third task meets a bug


def main() -> None:
    report = evaluate(agent, TASKS)
    print(f"pass rate {report['passed']}/{report['total']}")
    for run in report["runs"]:
        print(run["id"], run["reasons"])


if __name__ == "__main__":
    main()
