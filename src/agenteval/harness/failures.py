"""Exceptions as text: what a run says about the exception that ended it.

An agent's exception is foreign code: its ``__str__`` may raise, return megabytes, or recurse. None
of that may break the run that reports it.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

__all__ = ["contract_broken", "describe", "failed", "own_error"]

_LONGEST = 2_000
"""Characters kept of an exception's own text."""

_FRAMES = 20
"""Frames kept of a traceback: the innermost ones, where the fault is."""


def describe(error: BaseException) -> str:
    """Return ``"KeyError: 'order'"`` for an exception; never raises.

    >>> describe(KeyError("order"))
    "KeyError: 'order'"
    >>> describe(ValueError())
    'ValueError'
    """
    name = type(error).__name__
    try:
        text = str(error)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - the text is foreign code and may raise anything
        text = "<its text cannot be read>"
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 3] + "..."
    return f"{name}: {text}" if text else name


def _traceback_text(error: BaseException) -> str | None:
    """Return the traceback below the library's own frames, or None when there is nothing below.

    The exception's own line is left out: `describe` gives it, and printing it again would run
    foreign code again.
    """
    import traceback  # here, because only failed runs need it

    frames = _foreign(error.__traceback__)
    if frames is None:
        return None
    lines = traceback.format_tb(frames, limit=-_FRAMES)
    return "Traceback (most recent call last):\n" + "".join(lines)


def own_error(error: BaseException) -> BaseException:
    """Return what foreign code raised: a StopIteration leaves a coroutine as a RuntimeError."""
    if type(error) is RuntimeError and isinstance(error.__cause__, StopIteration):
        return error.__cause__
    return error


def failed(run: dict[str, Any], error: BaseException) -> None:
    """Make `run` one that failed by `error`: its type replaces all other reasons."""
    run["passed"] = False
    run["reasons"] = [f"error: {type(error).__name__}"]
    run["error"] = describe(error)
    text = _traceback_text(error)
    if text is not None:
        run["traceback"] = text + run["error"] + "\n"


def contract_broken(run: dict[str, Any], error: BaseException) -> None:
    """Make `run` one whose result broke the contract, by the library's own `error` about it.

    The sentence stands as it is: ``str()`` of a KeyError would put quotes around it.
    """
    kind = type(error).__name__
    run["reasons"] = [f"error: {kind}"]
    sentence = error.args[0] if error.args else None
    run["error"] = f"{kind}: {sentence}" if type(sentence) is str else describe(error)


def _foreign(frames: TracebackType | None) -> TracebackType | None:
    """Drop the frames of this package from the top of a traceback."""
    while frames is not None and _is_ours(frames):
        frames = frames.tb_next
    return frames


def _is_ours(frame: TracebackType) -> bool:
    module = frame.tb_frame.f_globals.get("__name__", "")
    return isinstance(module, str) and module.startswith("agenteval.harness.")
