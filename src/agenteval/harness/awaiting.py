"""An evaluation that is awaited on the caller's event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from threading import Thread
from typing import Any

from agenteval.harness.driving import Evaluation, report_of
from agenteval.harness.loops import BorrowedLoop
from agenteval.harness.options import Setup
from agenteval.records import Report, Run

__all__ = ["report_awaited"]


async def report_awaited(setup: Setup) -> Report:
    """Return the report of the evaluation that `setup` describes.

    The evaluation is driven from a thread of its own, as it would be without a loop; its
    coroutines come back to this loop. So there is one way of driving, and the log's writes do not
    hold the loop up.
    """
    loop = asyncio.get_running_loop()
    borrowed = BorrowedLoop(loop)
    if callable(setup.progress):
        setup = replace(setup, progress=_on_loop(setup.progress, borrowed))
    evaluation = Evaluation(setup, borrowed, threads=True)
    ended: asyncio.Future[tuple[bool, Any]] = loop.create_future()

    def drive() -> None:
        outcome: tuple[bool, Any]
        try:
            outcome = True, report_of(evaluation)
        except BaseException as error:  # noqa: BLE001 - raised again where it is awaited
            outcome = False, error
        with suppress(RuntimeError):  # the loop is closed, nobody waits
            loop.call_soon_threadsafe(ended.set_result, outcome)

    thread = Thread(target=drive, name="agenteval-evaluation", daemon=True)
    thread.start()
    try:
        returned, value = await asyncio.shield(ended)
    except asyncio.CancelledError:
        evaluation.interrupt()
        borrowed.end()
        while not ended.done():
            with suppress(asyncio.CancelledError):
                await asyncio.shield(ended)
        raise
    finally:
        if ended.done():  # it is not when the loop is torn down under this
            thread.join()
    if not returned:
        raise value
    report: Report = value
    return report


def _on_loop(
    progress: Callable[[int, int, Run], object], loop: BorrowedLoop
) -> Callable[[int, int, Run], object]:
    """Have `progress` called in the caller's thread, where its loop and widgets live."""

    def tell(done: int, total: int, run: Run) -> None:
        async def call() -> None:
            progress(done, total, run)

        loop.wait(call())

    return tell
