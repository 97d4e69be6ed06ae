"""Points in time, as every exporter writes them, as numbers that can be compared."""

from __future__ import annotations

import re
from typing import Any

from agenteval.traces.errors import TraceFormatError

__all__ = ["point"]

_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?\Z", re.ASCII)
_ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9})\d*)?\s*(Z|[+-]\d\d:?\d\d)?\Z",
    re.ASCII | re.IGNORECASE,
)


def point(raw: Any, where: str) -> int | float | None:
    """Return a point in time as a number; within one trace the numbers are of one unit.

    Args:
        raw: A number, also as text (OTLP's nanoseconds, Jaeger's microseconds); an ISO date, which
            gives nanoseconds; ``[seconds, nanoseconds]`` as JavaScript's SDK writes it; or nothing:
            ``None``, ``""`` and 0, which protobuf writes for a time that is not set.
        where: The place, for the message.

    Raises:
        TraceFormatError: `raw` is none of these.

    >>> point("1750000000030000000", "here") < point("2025-06-15T15:06:40.031Z", "here")
    True
    """
    if raw is None or raw == "" or raw == 0:
        return None
    if isinstance(raw, (int, float)) and not isinstance(raw, bool) and raw == raw:  # no NaN
        return raw
    if isinstance(raw, str):
        if _NUMBER.match(raw):
            return int(raw) if raw.lstrip("-").isdecimal() else float(raw)
        found = _ISO.match(raw.strip())
        if found is not None:
            return _nanoseconds(found, raw, where)
    if (
        isinstance(raw, (list, tuple))
        and len(raw) == 2
        and all(isinstance(part, int) and not isinstance(part, bool) for part in raw)
    ):
        return int(raw[0]) * 1_000_000_000 + int(raw[1])
    raise TraceFormatError(where, "a point in time: a number or an ISO date", raw)


def _nanoseconds(found: re.Match[str], raw: str, where: str) -> int:
    from datetime import datetime  # here, because importing agenteval must stay quick

    day, clock, fraction, zone = found.groups()
    zone = "+00:00" if zone is None or zone in "zZ" else zone
    if ":" not in zone:
        zone = f"{zone[:3]}:{zone[3:]}"
    try:
        moment = datetime.fromisoformat(f"{day}T{clock}{zone}")
    except ValueError:
        raise TraceFormatError(where, "a point in time: a number or an ISO date", raw) from None
    return int(moment.timestamp()) * 1_000_000_000 + int((fraction or "0").ljust(9, "0"))
