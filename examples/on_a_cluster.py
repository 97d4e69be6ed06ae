"""Outgrow one process: the same evaluation on a cluster, or in processes of this machine.

``evaluate`` takes any ``concurrent.futures.Executor``. Here it is Dask's when ``distributed`` is
installed (``pip install distributed``; for a real cluster give ``Client`` the address of your
scheduler), else the standard library's processes.

Agent and checks travel to the workers, so they stand at the top level of a module; and because a
worker may import this file, all that starts something is below ``if __name__ == "__main__"``.

Run it with ``python examples/on_a_cluster.py``.
"""

from __future__ import annotations

import multiprocessing
import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from agenteval import evaluate

WORKERS = 2

GAMES = [((2, 3, 7), 13), ((4, 5, 6), 26), ((1, 5, 8, 9), 30), ((3, 3, 7, 7), 24), ((2, 2, 2), 100)]
TASKS = [
    {
        "id": f"reach {target}",
        "input": {"numbers": list(numbers), "target": target},
        "expected": None,  # many ways lead to the target: the check below decides
        "max_tool_calls": 2_000,
    }
    for numbers, target in GAMES
]


def agent(game: dict) -> dict:
    """Make the target of all the numbers, by search; a calculator is the only tool."""
    calls = []

    def search(values: list[int], texts: list[str]) -> str | None:
        if len(values) == 1:
            return texts[0] if values[0] == game["target"] else None
        for i, a in enumerate(values):
            for j, b in enumerate(values):
                if i == j:
                    continue
                rest = [n for n in range(len(values)) if n not in (i, j)]
                for sign, value in (("+", a + b), ("-", a - b), ("*", a * b)):
                    calls.append({"name": "calculate", "args": {"sum": f"{a} {sign} {b}"}})
                    found = search(
                        [value, *(values[n] for n in rest)],
                        [f"({texts[i]} {sign} {texts[j]})", *(texts[n] for n in rest)],
                    )
                    if found:
                        return found
        return None

    answer = search(game["numbers"], [str(number) for number in game["numbers"]])
    return {
        "status": "final",
        "answer": answer or "impossible",
        "calls": calls,
        "metadata": {"process": os.getpid()},
    }


def reaches_the_target(task: dict, result: dict) -> str | None:
    """Check the answer by working it out, not by comparing its text."""
    if result["answer"] == "impossible":
        return None if task["id"] == "reach 100" else "gave up on a game that can be won"
    value = eval(result["answer"], {"__builtins__": {}})
    return None if value == task["input"]["target"] else f"the answer makes {value}"


@contextmanager
def workers() -> Iterator[tuple[str, Executor]]:
    """Open an executor, and say what it is."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        # Started afresh rather than forked: that works on every platform, and beside threads.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(WORKERS, mp_context=context) as executor:
            yield "processes of this machine", executor
    else:
        with (
            LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as here,
            Client(here) as client,
        ):
            yield "a Dask cluster", client.get_executor()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, workers() as (kind, executor):
        report = evaluate(
            agent,
            TASKS,
            repeats=3,
            checks=[reaches_the_target],
            executor=executor,
            timeout=30,
            log=Path(folder) / "runs.jsonl",  # on disk run by run: a broken cluster loses nothing
        )
    elsewhere = {run["metadata"]["process"] for run in report["runs"]} - {os.getpid()}
    print(f"ran on {kind}, {'outside of' if elsewhere else 'inside'} this process")
    print(f"pass rate {report['passed']}/{report['total']}")
    for run in report["runs"]:
        if run["repeat"] == 0:
            print(
                f"{run['id']:<10} {run['tool_calls']:>5} calls  {run['answer']}  {run['reasons']}"
            )


if __name__ == "__main__":
    main()
