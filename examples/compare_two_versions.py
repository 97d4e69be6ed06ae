"""Two versions of an agent with the same pass rate: one task was fixed, and another one broke.

The pass rate alone would call them equal. Run it with ``python examples/compare_two_versions.py``.
"""

from __future__ import annotations

from agenteval import (
    chance_of_flip,
    compare,
    evaluate,
    flaky_tasks,
    outcomes,
    reliability_curve,
    report,
    scripted_agent,
)

REPEATS = 5

TASKS = [
    {"id": "return-window", "input": "How long can I return a coat?", "expected": "30 days"},
    {"id": "wrong-size", "input": "My boots are too small.", "expected": "free exchange"},
    {"id": "damaged", "input": "The lamp arrived broken.", "expected": "refund"},
    {"id": "gift-card", "input": "Can I return a gift card?", "expected": "no"},
    {"id": "late-parcel", "input": "My parcel is a week late.", "expected": "claim filed"},
    {"id": "open-box", "input": "I opened the headphones.", "expected": "store credit"},
]


def version(**answers: str | list[str]):
    """Script an agent: a task's answer, or its answers repeat by repeat, where they change."""
    script = {}
    for task in TASKS:
        told = answers.get(task["id"].replace("-", "_"), task["expected"])
        told = [told] * REPEATS if isinstance(told, str) else told
        script[task["input"]] = [
            {"status": "final", "answer": answer, "tool_calls": 1, "tools_used": ["search_policy"]}
            for answer in told
        ]
    return scripted_agent(script)


# The first version does not know the return window. The second one does: its prompt now quotes the
# policy, and the policy's words about refunds made it forget that exchanges are free. Both are
# unsteady about late parcels.
OLD = version(
    return_window="14 days",
    late_parcel=["claim filed", "claim filed", "please wait", "claim filed", "please wait"],
)
NEW = version(
    wrong_size="refund",
    late_parcel=["please wait", "claim filed", "claim filed", "please wait", "claim filed"],
)


def main() -> None:
    old, new = (outcomes(evaluate(agent, TASKS, repeats=REPEATS)["runs"]) for agent in (OLD, NEW))

    print(report.comparison_text(compare(old, new)))
    print()
    print("pass^k  old   new")
    curves = [reliability_curve(side, estimator="subsets") for side in (old, new)]
    for k in curves[0]:
        print(f"  k={k}   {curves[0][k]:.2f}  {curves[1][k]:.2f}")
    print()
    for task, rate in flaky_tasks(new).items():
        print(f"{task} passes {rate:.0%} of the time. The chance to notice that it is flaky:")
        for repeats in (2, REPEATS):
            print(f"  {repeats} repeats  {chance_of_flip(rate, repeats):.0%}")


if __name__ == "__main__":
    main()
