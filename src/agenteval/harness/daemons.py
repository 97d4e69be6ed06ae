"""Threads that nobody waits for, in the form of an executor."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Thread
from typing import Any

__all__ = ["DaemonThreads"]


class DaemonThreads(ThreadPoolExecutor):
    """Calls each function in a daemon thread of its own.

    A subclass because an event loop accepts nothing else as its default executor. The stock one
    joins its threads when the interpreter exits, so a call that hangs would hang it for ever; and
    it has a limit of its own, which would undo the width that was asked for.
    """

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Start ``function(*args, **kwargs)``."""
        future: Future[Any] = Future()

        def work() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(function(*args, **kwargs))
            except BaseException as error:  # noqa: BLE001 - it belongs to whoever asks the future
                future.set_exception(error)

        Thread(target=work, name="agenteval-call", daemon=True).start()
        return future
