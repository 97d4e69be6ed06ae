"""The events of ``astream_events``: what models, tools and chains did, as the messages of the run.

| event | what is read |
|---|---|
| ``on_chat_model_end`` | the model's message, also one of version 1, inside ``generations`` |
| ``on_tool_start`` | a call that no model asked for, in a trace that was filtered |
| ``on_tool_end`` | the tool's message, or its bare output |
| ``on_tool_error`` | the error, which no other event has |
| ``on_chain_end`` | messages that a node made itself, and the run's answer |

Each step's messages come again in the states around it, together with what the run was given:
messages that were in an input first are not the run's, and those that were read are not read again.
But what only runs inside a node were given, such as the function of a conditional edge, which gets
the state with the node's own message before the node ends, does not take it from that node.
Of what a model says inside a tool, only the calls are of the run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from agenteval.traces.errors import TraceFormatError
from agenteval.traces.langchain_calls import MadeCall, made_calls
from agenteval.traces.langchain_shapes import (
    RESULT_KINDS,
    Message,
    is_known_message,
    read_message,
)
from agenteval.traces.reading import (
    identifier,
    json_text,
    mapping,
    optional_mapping,
    optional_sequence,
    optional_text,
    plain,
    text,
)
from agenteval.traces.recorder import FAILED, INCOMPLETE

__all__ = ["is_event", "read_events"]

_INTERRUPT = "__interrupt__"
_SERVERS = "events"  # the mode in which LangGraph's servers stream events
_PASSED_OVER = ("metadata", "end")
_WANTED = "an event of astream_events"


def is_event(record: Any) -> bool:
    """Say whether a record is an event of ``astream_events``.

    >>> is_event({"event": "on_tool_end", "name": "weigh", "data": {"output": "3 kg"}})
    True
    """
    record = plain(record)
    if not isinstance(record, Mapping) or "data" not in record:
        return False
    event = record.get("event")
    if event == _SERVERS:
        return is_event(record["data"])
    return isinstance(event, str) and event.startswith("on_")


def read_events(events: Sequence[Any], where: str) -> tuple[list[Message], str | None]:
    """Return the messages of a run, and how it stands, as its events tell.

    Args:
        events: In order.
        where: The importer's name and a blank.

    Raises:
        TraceFormatError: Something among them is no event, or a field has the wrong kind.
    """
    run = _Run()
    for at, one in enumerate(events):
        record = mapping(one, f"{where}[{at}]")
        event, place = record.get("event"), f"{where}[{at}]"
        if event == _SERVERS:
            record, place = mapping(record.get("data"), f"{place}.data"), f"{place}.data"
        if is_event(record):
            run.read(record, place)
        elif event == "error":
            run.failed = True
        elif event not in _PASSED_OVER:
            raise TraceFormatError(
                place, _WANTED, one, "events stand among themselves: take the mixture apart"
            )
    if not run.messages:
        raise TraceFormatError(
            where.rstrip(": "),
            "events with on_chat_model_end, on_tool_end or on_tool_error among them",
            events,
            "no model's message and no tool was found in them",
        )
    return run.messages, run.standing()


class _Asked:
    """A call that a model asked for, and the run of the tool that it began."""

    __slots__ = ("answered", "call", "ended_at", "started")

    def __init__(self, call: MadeCall) -> None:
        self.call = call
        self.started = False
        self.answered = False
        self.ended_at: int | None = None  # where its end stands that told nothing, in version 1


class _Run:
    """Takes the events of a run one by one."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._said: set[Hashable] = set()
        self._given: dict[Hashable, tuple[str, ...]] = {}  # the runs in which it was an input first
        self._by_id: dict[str | int, _Asked] = {}
        self._waiting: dict[Hashable, deque[_Asked]] = {}  # by name and arguments, and by name
        self._by_run: dict[str, _Asked] = {}
        self._tools: set[str] = set()
        self._open: set[str] = set()  # runs of the whole and of models that have not ended
        self._waits = False
        self.failed = False

    def standing(self) -> str | None:
        if self.failed:
            return FAILED
        return INCOMPLETE if self._open or self._waits else None

    def read(self, event: Mapping[str, Any], where: str) -> None:
        kind = event["event"]
        data = mapping(event["data"], f"{where}.data")
        run = optional_text(event.get("run_id"), f"{where}.run_id") or where
        place = f"{where}.parent_ids"
        parents = enumerate(optional_sequence(event.get("parent_ids"), place))
        above = [text(one, f"{place}[{at}]") for at, one in parents]
        inside = any(one in self._tools for one in above)
        whole = event.get("parent_ids") is not None and not above
        self._note_standing(kind, data, run, whole=whole)
        if kind == "on_chat_model_end":
            for message in _of_model(data.get("output"), f"{where}.data.output"):
                self._say(message, run, inside=inside)
        elif kind == "on_tool_start":
            self._start(event, data, run, where)
        elif kind == "on_tool_end":
            self._end(event, data, run, where)
        elif kind == "on_tool_error":
            asked = self._start(event, data, run, where)
            error = data.get("error")
            if isinstance(error, BaseException):
                error = str(error) or repr(error)
            self._answer(asked, {"content": json_text(error), "status": "error"}, where)
        if not kind.startswith("on_tool_"):
            within = above[:-1] if _is_node(event, above, where) else above
            for message in _messages(data.get("input"), f"{where}.data.input"):
                self._given.setdefault(_key(message), tuple(within))
        if kind == "on_chain_end":
            self._chain(data.get("output"), f"{where}.data.output", run, inside=inside, whole=whole)

    def _note_standing(self, kind: str, data: Mapping[str, Any], run: str, *, whole: bool) -> None:
        if kind.startswith("on_chat_model_") or (whole and kind.startswith("on_chain_")):
            if kind.endswith("_end"):
                self._open.discard(run)
            else:
                self._open.add(run)
        if whole and kind in ("on_chain_stream", "on_chain_end"):
            told = plain(data.get("chunk", data.get("output")))
            waits = isinstance(told, Mapping) and _INTERRUPT in told
            self._waits = waits or (self._waits and kind == "on_chain_end")

    def _say(self, message: Message, run: str, *, inside: bool) -> None:
        """Add what a model or a node said, unless it was said, or given from outside its run."""
        key = _key(message)
        calls = made_calls(message.fields, message.where)
        if key in self._said or run not in self._given.get(key, (run,)):
            return
        self._said.add(key)
        if inside and not calls:
            return
        self.messages.append(message)
        for call in calls:
            asked = _Asked(call)
            if call.id is not None:
                self._by_id[call.id] = asked
            for key in _keys(call.name, call.arguments):
                self._waiting.setdefault(key, deque()).append(asked)

    def _start(
        self, event: Mapping[str, Any], data: Mapping[str, Any], run: str, where: str
    ) -> _Asked:
        """Return the call that a tool runs; one that nobody asked for is one of its own."""
        self._tools.add(run)
        known = self._by_run.get(run)
        if known is not None:
            return known
        name = optional_text(event.get("name"), f"{where}.name") or "unnamed"
        given = plain(data.get("input"))
        call_id = identifier(data.get("tool_call_id"), f"{where}.data.tool_call_id")
        asked = self._by_id.get(call_id) if call_id is not None else None
        for key in _keys(name, given):
            asked = asked or self._take(key)
        if asked is None:
            asked = self._add(name, given, call_id, run, where)
        asked.started = True
        self._by_run[run] = asked
        return asked

    def _take(self, key: Hashable) -> _Asked | None:
        waiting = self._waiting.get(key)
        while waiting:
            asked = waiting.popleft()
            if not (asked.started or asked.answered):
                return asked
        return None

    def _add(
        self, name: str, given: Any, call_id: str | int | None, run: str, where: str
    ) -> _Asked:
        own = {"name": name, "args": given, "id": run if call_id is None else call_id}
        message = Message("ai", {"content": "", "tool_calls": [own]}, where)
        self._say(message, run, inside=False)
        return self._by_id[own["id"]]

    def _end(self, event: Mapping[str, Any], data: Mapping[str, Any], run: str, where: str) -> None:
        output = plain(data.get("output"))
        place = f"{where}.data.output"
        told = [one for one in _messages(output, place) if one.kind in RESULT_KINDS]
        for message in told:
            asked = self._by_id.get(_call_id(message) or "")
            if asked is not None:
                self._by_run.setdefault(run, asked)
        asked = self._start(event, data, run, where)
        for message in told:
            self._answer(self._by_id.get(_call_id(message) or "", asked), message.fields, place)
        if not told:
            ended_at = len(self.messages) if output is None and not asked.answered else None
            self._answer(asked, {"content": json_text(output)}, place)
            asked.ended_at = ended_at

    def _answer(self, asked: _Asked, fields: Mapping[str, Any], where: str) -> None:
        whose = {"tool_call_id": asked.call.id, "name": asked.call.name}
        message = Message("tool", {**fields, **whose}, where)
        if not asked.answered:
            self.messages.append(message)
        elif asked.ended_at is not None:  # its node tells what the tool's own end did not
            self.messages[asked.ended_at] = message
        asked.answered = asked.started = True
        asked.ended_at = None

    def _chain(self, output: Any, where: str, run: str, *, inside: bool, whole: bool) -> None:
        output = plain(output)
        messages = list(_messages(output, where))
        for at, message in enumerate(messages):
            if message.kind == "ai" and (not whole or at == len(messages) - 1):
                self._say(message, run, inside=inside)
            asked = self._by_id.get(_call_id(message) or "") if message.kind == "tool" else None
            if asked is not None:
                self._answer(asked, message.fields, message.where)
        if whole and not messages and isinstance(output, Mapping):
            words = output.get("output")  # an AgentExecutor's
            if isinstance(words, str) and words != _last_words(self.messages):
                self._say(Message("ai", {"content": words}, where), run, inside=False)


def _is_node(event: Mapping[str, Any], above: Sequence[str], where: str) -> bool:
    """Say whether a run is a node's: what it is given is the state of the graph around it."""
    metadata = optional_mapping(event.get("metadata"), f"{where}.metadata") or {}
    return len(above) == 1 or metadata.get("langgraph_node", ()) == event.get("name")


def _keys(name: str, arguments: Any) -> tuple[Hashable, ...]:
    """Return by what the call that a tool runs is found; frameworks add arguments of their own."""
    return (name, json_text(plain(arguments))), (name, None)


def _call_id(message: Message) -> str | int | None:
    return identifier(message.fields.get("tool_call_id"), f"{message.where}.tool_call_id")


def _key(message: Message) -> Hashable:
    """Return what tells a message from others: its id, or else what it says and asks for."""
    if message.id is not None:
        return message.id
    in_content = message.kind not in RESULT_KINDS
    made = made_calls(message.fields, message.where, in_content=in_content)
    calls = tuple(call.id for call in made)
    return (message.kind, json_text(message.fields.get("content")), calls)


def _last_words(messages: Sequence[Message]) -> Any:
    return messages[-1].fields.get("content") if messages and messages[-1].kind == "ai" else None


def _of_model(output: Any, where: str) -> Iterator[Message]:
    """Yield the message of a model's end, of version 1 the first of its generations."""
    fields = mapping(output, where)
    if "generations" not in fields:
        yield read_message(fields, where)
        return
    for at, batch in enumerate(optional_sequence(fields["generations"], f"{where}.generations")):
        place = f"{where}.generations[{at}]"
        several = optional_sequence(batch, place)
        if several:
            message = mapping(several[0], f"{place}[0]").get("message")
            yield read_message(message, f"{place}[0].message")


def _messages(value: Any, where: str) -> Iterator[Message]:
    """Yield the messages that a state, an update, a command or a tool's output is or holds."""
    value = plain(value)
    if isinstance(value, (list, tuple)):
        for at, one in enumerate(value):
            yield from _messages(one, f"{where}[{at}]")
    elif isinstance(value, Mapping):
        if is_known_message(value):
            yield read_message(value, where)
        elif "messages" in value:
            yield from _messages(value["messages"], f"{where}.messages")
        elif "update" in value and "goto" in value:
            update = optional_mapping(value["update"], f"{where}.update") or {}
            yield from _messages(update.get("messages"), f"{where}.update.messages")
