"""Reports for the tests of their text forms: a refund desk, and runs with anything in them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from agenteval.harness import summarize
from agenteval.trajectory import Call

ODD_TEXTS = {
    "empty": "",
    "blank": " \n ",
    "long": "a very long answer " * 600,
    "one-long-word": "x" * 5_000,
    "lines": "one\ntwo\r\nthree\u2028four",
    "controls": "bell \x07 null \x00 escape \x1b[31mred\x1b[0m \x85 \x9b",
    "right-to-left": "شكرا جزيلا, תודה רבה",
    "override": "user\u202egnp.exe\u2066",
    "emoji": "👩‍🚀👍🏽❤️1️⃣🇩🇪" * 20,
    "wide": "東京都庁" * 40,
    "combining": "Z\u0351\u036b\u0343a\u0321\u035b" * 30,
    "lone-surrogates": "half \ud800 and \udfff",
    "no-characters": "\ufffe\uffff\ufeff",
    "markup": "<script>alert('hi')</script> & </failure> ]]> <!-- -->",
    "markdown": "| a | `b` ``c`` \\| **d** [e](http://f) @someone #1 $x$ <b>",
    "backticks": "```",
    "pipes": "|||\\|",
    "braces": "{} {0} %s",
}


@pytest.fixture
def odd_texts() -> dict[str, str]:
    """Text of every kind that has ever broken a report."""
    return ODD_TEXTS


@pytest.fixture
def run() -> Callable[..., dict[str, Any]]:
    """A run that passed; with reasons, one that failed."""

    def make(task: Any = "a", repeat: int = 0, *reasons: str, **given: Any) -> dict[str, Any]:
        whole = {
            "id": task,
            "repeat": repeat,
            "passed": not reasons,
            "reasons": list(reasons),
            "status": "final",
            "answer": "Your claim is C-1.",
            "tool_calls": 3,
            "tools_used": ["lookup_order", "get_policy", "create_claim"],
            "seconds": 1.5,
        }
        return {**whole, **given}

    return make


@pytest.fixture
def report() -> Callable[..., Any]:
    """What `summarize` makes of runs."""
    return summarize


@pytest.fixture
def desk(run) -> Any:
    """Four tasks by five: always right, mostly right, seldom right, never finished."""
    runs = [run("address", n, cost=0.02, tool_calls=2) for n in range(5)]
    runs += [
        run("refund", n, *(["wrong answer"] if n == 1 else []), cost=0.21, first_output_seconds=1.0)
        for n in range(5)
    ]
    for n in range(5):
        if n == 3:
            runs.append(run("exchange", n, cost=0.1, tool_calls=5))
        else:
            reasons = ["wrong answer", "over budget"] if n else ["wrong answer"]
            runs.append(run("exchange", n, *reasons, cost=0.3, answer="Sent.", tool_calls=9 + n))
    crash = {"status": None, "answer": None, "tool_calls": None, "tools_used": None}
    runs += [
        run(
            "crash", n, "error: KeyError", error="KeyError: 'order'", traceback="Traceback", **crash
        )
        for n in range(4)
    ]
    runs.append(
        run("crash", 4, "error: TimeoutError", error="TimeoutError: 30 s", abandoned=True, **crash)
    )
    return summarize(runs, label="refund desk 2")


@pytest.fixture
def refund() -> tuple[list[Call], list[Call]]:
    """The textbook's reference and run: a search too many, a wrong argument, a claim twice."""
    lookup = Call("lookup_order", {"order_id": "88120"})
    policy = Call("get_policy", {"topic": "damaged_delivery"})
    claim = Call("create_claim", {"order_id": "88120", "reason": "damaged"})
    search = Call("search_orders", {"query": "88120"})
    guess = Call("get_policy", {"topic": "returns"})
    return [lookup, policy, claim], [lookup, search, guess, policy, claim, claim]


@pytest.fixture
def odd_report(run) -> Callable[[int], tuple[Any, list[dict[str, Any]]]]:
    """A report of runs with odd text everywhere, and path rows for some of them."""

    def make(seed: int) -> tuple[Any, list[dict[str, Any]]]:
        rng = random.Random(seed)
        texts = [*ODD_TEXTS.values(), "plain"]

        def odd() -> str:
            return rng.choice(texts)

        runs, rows = [], []
        for name in rng.sample([*texts, 7, "7", -1], 6):
            for repeat in range(rng.randrange(1, 5)):
                reasons = [odd() for _ in range(rng.randrange(3))]
                made = run(name, repeat, *reasons)
                made |= {
                    "answer": rng.choice([odd(), None]),
                    "status": rng.choice(["final", odd()]),
                }
                made["tool_calls"] = rng.choice([None, rng.randrange(30)])
                if rng.random() < 0.7:
                    made["calls"] = [
                        {
                            "name": odd(),
                            "args": {odd(): rng.choice([odd(), None, [1, {odd(): odd()}], 2.5])},
                            "error": rng.choice([None, odd()]),
                        }
                        for _ in range(rng.randrange(6))
                    ]
                if rng.random() < 0.5:
                    made |= {"error": odd(), "traceback": odd(), "abandoned": True}
                if rng.random() < 0.5:
                    made |= {"cost": rng.random(), "first_output_seconds": rng.random()}
                runs.append(made)
                if rng.random() < 0.5:
                    verdict = rng.choice(["pass", "warn", "fail"])
                    rows.append(
                        {
                            "id": name,
                            "repeat": repeat,
                            "passed": made["passed"],
                            "verdict": verdict,
                            "why": "" if verdict == "pass" else odd(),
                            "diagnosis": rng.choice(["sound", "lucky", "blocked", "failed"]),
                        }
                    )
        return summarize(runs, label=odd()), rows

    return make
