"""One line of a log as bytes and back."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from agenteval.runlog.plain import PlainValues, is_plain, restore

__all__ = ["decode_line", "encode_line", "sorted_text"]

_PLAIN = PlainValues()


class _Codec:
    """JSON's reader and writers, made once: making them costs as much as a small run's line."""

    def __init__(self) -> None:
        import json  # here, because only a log needs it

        # Values are checked before they are written: no circles, nothing infinite.
        options: dict[str, Any] = {"allow_nan": False, "check_circular": False}
        self.text = json.JSONEncoder(separators=(",", ":"), **options).encode
        self.sorted_text = json.JSONEncoder(sort_keys=True, **options).encode
        self.value = json.JSONDecoder().decode
        self.error = json.JSONDecodeError


@cache
def _codec() -> _Codec:
    return _Codec()


def sorted_text(value: Any) -> str:
    """Return a plain `value` as ASCII JSON with its keys in order."""
    return _codec().sorted_text(value)


def encode_line(record: Mapping[str, Any]) -> bytes:
    r"""Return `record` as one line of ASCII JSON, newline included; no value makes it raise.

    >>> encode_line({"id": 1, "cost": float("nan")})
    b'{"id":1,"cost":{"__float__":"nan"}}\n'
    """
    encode = _codec().text
    try:
        if is_plain(record):
            text = encode(record)
            if "\\ud" not in text:  # a surrogate: the two halves of a pair may be two characters
                return text.encode("ascii") + b"\n"
    except (RuntimeError, TypeError, ValueError):
        pass  # a thread that the agent left behind changes a value while it is written
    fields = {name: _PLAIN.convert(value) for name, value in record.items()}
    return encode(fields).encode("ascii") + b"\n"


def decode_line(line: bytes) -> Any:
    r"""Return the value that `encode_line` made a line of.

    Raises:
        ValueError: The line is not JSON, or a mark in it is broken.

    >>> decode_line(b'{"id":1,"cost":{"__float__":"nan"}}\n')
    {'id': 1, 'cost': nan}
    """
    codec = _codec()
    try:
        value = codec.value(line.decode("utf-8"))
        return restore(value) if b'"__' in line else value
    except codec.error as error:
        raise ValueError(f"{error.msg} at character {error.pos}") from None
    except RecursionError:
        raise ValueError("nested too deep") from None
