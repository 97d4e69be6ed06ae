"""Where the messages of a LangGraph run stand: states, updates, and what a stream puts around them.

| what a graph streams | an entry |
|---|---|
| one mode | what that mode gives |
| several modes | ``[mode, data]`` |
| subgraphs | ``[namespace, data]``, ``[namespace, mode, data]`` |
| version 2 | ``{"type": mode, "ns": [...], "data": ...}`` |
| LangGraph's servers | ``{"event": mode, "data": ...}``, the mode also as ``mode|namespace`` |
| ``astream_events`` | see `agenteval.traces.langchain_events` |

``values`` gives states, each repeating the one before; ``updates`` what each node changed;
``messages`` pairs of a message, or a chunk of one, and metadata; ``tasks`` what each node got and
returned, and ``debug`` the same, each in a ``payload``. Of several modes the first of these in
which a message is found is read, for each tells of the whole run: ``updates``, ``values``,
``messages``, ``tasks``, ``debug``. Other modes (``custom``, ``checkpoints``) are passed over, and
the checkpoints of ``debug``: they hold the program's own data, or what these tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agenteval.traces.errors import TraceFormatError
from agenteval.traces.langchain_chains import is_executor_result, refuse_steps
from agenteval.traces.langchain_chunks import join_chunks
from agenteval.traces.langchain_copies import drop_copies
from agenteval.traces.langchain_events import is_event, read_events
from agenteval.traces.langchain_shapes import (
    Message,
    is_message,
    is_own_style,
    read_message,
    spelled_out,
)
from agenteval.traces.langgraph_updates import (
    INTERRUPT,
    Found,
    beside_messages,
    changed,
    each,
    has_messages,
    inside,
    is_message_like,
    listed_messages,
    refuse_hidden,
    refuse_lost,
    refuse_others,
)
from agenteval.traces.reading import mapping, plain
from agenteval.traces.recorder import FAILED, INCOMPLETE

__all__ = ["is_langchain", "read_run"]

_MODES = ("updates", "values", "messages", "tasks")
_DEBUGGED = "tasks of debug"  # read where no mode tells of a message
_TASKS = ("task", "task_result")
_STANDS = (None, "updates", "values", "tasks", _DEBUGGED, "error")
_UNREAD_MODES = (
    *("custom", "debug", "checkpoints", "metadata", "error", "end"),
    *("messages/partial", "messages/complete", "messages/metadata"),
)


@dataclass(frozen=True, slots=True)
class _Part:
    """One entry of a trace, taken out of what a stream puts around it."""

    data: Any
    where: str
    mode: str | None = None
    graph: tuple[Any, ...] = ()
    waits: bool = False
    streamed: bool = False


def read_run(trace: Any, function: str) -> tuple[list[Message], str | None]:
    """Return the messages of a trace in order, each once and whole, and how the graph stands.

    Args:
        trace: Messages, a state, an update, or a list of states, updates or parts of a stream.
        function: The importer's public name.

    Returns:
        The messages; and, by the last that is told of the graph, ``"incomplete"`` where it waits
        for a person or has nodes left to run, ``"failed"`` where it broke, or ``None``.

    Raises:
        TraceFormatError: A record has the wrong kind, or no message is found.
    """
    if _has_events(trace):
        return read_events(trace, f"{function}: ")
    parts = _parts(trace, f"{function}: ")
    found = _find(parts)
    own = [one for one in found if not one.beside]
    if not own:
        refuse_hidden(found)
        modes = ", ".join(dict.fromkeys(part.mode for part in parts if part.mode is not None))
        hint = "no message was found"
        if modes:
            hint += f" in the modes {modes}: stream one of {', '.join(_MODES)} beside them"
        raise TraceFormatError(function, "LangChain messages", trace, hint)
    messages = [read_message(one.message, one.where, one.listed) for one in own]
    refuse_lost((one for one in found if one.beside), messages)
    if _can_repeat(trace, parts, messages):
        messages = drop_copies(join_chunks(messages))
    return messages, _standing(parts)


def is_langchain(trace: Any) -> bool:
    """Say whether a trace has a message in one of LangChain's own styles, or an agent's steps."""
    if not isinstance(trace, (Mapping, list, tuple)):
        return False
    if (isinstance(trace, Mapping) and is_executor_result(trace)) or _has_events(trace):
        return True
    for part in _parts(trace, ""):
        record = plain(part.data)
        if not isinstance(record, Mapping) or (part.mode is None and "role" in record):
            continue
        if _has_own_style(record):
            return True
    return False


def _has_events(trace: Any) -> bool:
    """Say whether a trace is events of ``astream_events``, which tell of each step by itself."""
    return not isinstance(trace, Mapping) and any(is_event(one) for one in trace)


def _standing(parts: Sequence[_Part]) -> str | None:
    told = [part for part in parts if part.mode in _STANDS]
    if not told:
        return None
    last = plain(told[-1].data)
    if told[-1].mode == "error":
        return FAILED
    if told[-1].waits:
        return INCOMPLETE
    if not isinstance(last, Mapping):
        return None
    waits = last.get(INTERRUPT)
    if "messages" not in last:  # a task, or a snapshot of a graph that has nodes to run
        if "result" in last and last.get("error"):
            return FAILED
        waits = waits or last.get("interrupts") or ("values" in last and last.get("next"))
    return INCOMPLETE if waits else None


def _parts(trace: Any, where: str) -> list[_Part]:
    if isinstance(trace, Mapping) or _is_named_tuple(trace):
        return [_part(trace, where)]
    return _in_order([_part(one, f"{where}[{at}]") for at, one in enumerate(trace)])


def _in_order(parts: list[_Part]) -> list[_Part]:
    """Return snapshots in the order of their steps: a graph lists its history from the latest."""
    first, last = (_step(parts[at]) if parts else None for at in (0, -1))
    newest_first = first is not None and last is not None and first > last
    return parts[::-1] if newest_first else parts


def _step(part: _Part) -> int | None:
    """Return the number of the step that a snapshot of a graph was taken after."""
    snapshot = part.data
    if not isinstance(snapshot, Mapping) or "values" not in snapshot:
        return None
    metadata = plain(snapshot.get("metadata"))
    step = metadata.get("step") if isinstance(metadata, Mapping) else None
    return step if isinstance(step, int) else None


def _part(one: Any, where: str) -> _Part:
    entry = one._asdict() if _is_named_tuple(one) else spelled_out(plain(one))
    if isinstance(entry, Mapping):
        return _part_of_object(entry, where)
    if not isinstance(entry, (list, tuple)):
        return _Part(one, where)
    if len(entry) == 3 and _is_namespace(entry[0]) and isinstance(entry[1], str):
        return _opened(entry[2], f"{where}[2]", entry[1], entry[0])
    if len(entry) == 3 and isinstance(entry[0], str):  # a server's: its event, data and id
        entry = entry[:2]
    if len(entry) == 2:
        first, second = entry
        if isinstance(first, str):
            mode, *graph = first.split("|")
            return _opened(second, f"{where}[1]", mode, graph)
        if _is_namespace(first):
            return _opened(second, f"{where}[1]", None, first)
        if not is_message_like(second):  # a message and its metadata
            return _Part(first, f"{where}[0]", streamed=True)
    if entry and all(map(is_message_like, entry)):  # a graph whose state is the list of messages
        return _Part({"messages": entry}, where)
    return _Part(one, where)


def _part_of_object(entry: Mapping[str, Any], where: str) -> _Part:
    if "payload" in entry and "step" in entry:
        return _debugged(entry, where, ())
    word = entry.get("type", entry.get("event"))
    if not isinstance(word, str) or "data" not in entry or "content" in entry:
        return _Part(entry, where)
    mode, *graph = word.split("|")
    if mode not in (*_MODES, *_UNREAD_MODES):
        return _Part(entry, where)
    namespace = plain(entry.get("ns"))
    graph = list(namespace) if _is_namespace(namespace) else graph
    waits = bool(entry.get("interrupts"))
    return _opened(entry["data"], inside(where, "data"), mode, graph, waits=waits)


def _opened(
    data: Any, where: str, mode: str | None, graph: Sequence[Any], *, waits: bool = False
) -> _Part:
    pair = plain(data)
    if mode == "debug" and isinstance(pair, Mapping) and "payload" in pair:
        return _debugged(pair, where, graph)
    if mode in (None, "messages") and isinstance(pair, (list, tuple)) and len(pair) == 2:
        data, where = pair[0], f"{where}[0]"
    return _Part(data, where, mode, tuple(graph), waits, streamed=True)


def _debugged(entry: Mapping[str, Any], where: str, graph: Sequence[Any]) -> _Part:
    """Take what a task got or returned out of an entry of ``debug``, which also has checkpoints."""
    mode = _DEBUGGED if entry.get("type") in _TASKS else "debug"
    return _Part(entry["payload"], inside(where, "payload"), mode, tuple(graph), streamed=True)


def _is_named_tuple(value: Any) -> bool:
    """Say whether a value is a snapshot, or a part of a server's stream, as the library has it."""
    return isinstance(value, tuple) and hasattr(value, "_asdict")


def _is_namespace(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value)


def _can_repeat(trace: Any, parts: Sequence[_Part], messages: Sequence[Message]) -> bool:
    """Say whether a trace may tell of a message twice: not a list of whole messages, or a state."""
    if any(message.chunk for message in messages):
        return True
    if isinstance(trace, Mapping):
        return "messages" not in trace
    records = [plain(part.data) for part in parts]
    return any(part.streamed for part in parts) or not any(
        isinstance(record, Mapping) and is_message(record) for record in records
    )


def _find(parts: Sequence[_Part]) -> list[Found]:
    """Find the messages, in the first mode that has any."""
    modes = {part.mode for part in parts} - {None}
    order: list[str | None] = [mode for mode in (*_MODES, _DEBUGGED) if mode in modes]
    for mode in order or [None]:
        found = list(_find_in([part for part in parts if part.mode in (None, mode)]))
        if found:
            return found
    return []


def _find_in(parts: Sequence[_Part]) -> Iterator[Found]:
    records = [(part, mapping(part.data, part.where)) for part in parts]
    if any(is_message(record) for _, record in records):
        for at, (part, record) in enumerate(records):
            yield Found(record, part.where, at if part.streamed else 0)
        return
    named = any("messages" in one or has_messages(one, part.where) for part, one in records)
    before: dict[tuple[Any, ...], list[Any]] = {}
    for at, (part, record) in enumerate(records):
        if "messages" in record:
            refuse_steps(record, part.where)
            messages = plain(record["messages"])
            known = before.get(part.graph, [])
            now = list(messages) if isinstance(messages, (list, tuple)) else []
            goes_on = now[: len(known)] == known
            before[part.graph] = now
            skipped = len(known) if goes_on else 0
            yield from listed_messages(messages, inside(part.where, "messages"), at, skipped)
            yield from beside_messages(record, part.where, at)
            continue
        found = list(changed(record, part.where, at, named=named))
        if not found and part.mode is None:
            refuse_others(record, part.where)
        yield from found


def _has_own_style(record: Mapping[str, Any]) -> bool:
    """Say whether a record is a message of LangChain's own, or holds one where they are read."""
    if is_own_style(record):
        return True
    for value in _entries(record):
        if is_own_style(value) or any(is_own_style(held) for held in _entries(value)):
            return True
    return False


def _entries(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the objects in a record, also in its lists."""
    for value in record.values():
        for one, _ in each(value, ""):
            inner = plain(one)
            if isinstance(inner, Mapping):
                yield inner
