"""Inspect (inspect_ai): evaluation logs as JSON, their samples, and the messages of those.

Where a call lives: ``tool_calls`` of an assistant message, with decoded arguments. A failed tool's
message has an ``error`` with a type and a message; arguments that were not valid JSON have a
``parse_error``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from agenteval.records import AgentResult, TaskId
from agenteval.traces.call_shapes import refuse_call, refuse_held
from agenteval.traces.encoded import content_parts
from agenteval.traces.endings import calls_follow, reason_in, status_of_reason
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.marks import (
    CERTAIN,
    NO,
    Likeness,
    message_mark,
    objects_in,
    refuse_foreign,
)
from agenteval.traces.reading import (
    choose_cases,
    identifier,
    mapping,
    opened,
    optional_mapping,
    optional_sequence,
    optional_text,
    plain,
    sequence,
    text,
)
from agenteval.traces.recorder import CUT_OFF, FAILED, IsError, Recorder

__all__ = ["FORMAT", "from_inspect", "looks_like"]

FORMAT = "inspect"

_ROLES = ("system", "user", "assistant", "tool")
_SAME_KEYS = "openai_chat"  # Inspect's messages have its keys, with another shape of call below
_ATTACHMENT = "attachment://"


def looks_like(trace: Any) -> Likeness:
    """Say how much a trace looks like an Inspect log or a sample of one."""
    if isinstance(trace, Mapping):
        return CERTAIN if "samples" in trace or _is_sample(trace) else NO
    return CERTAIN if any(_is_sample(one) for one in objects_in(trace)) else NO


def _is_sample(record: Mapping[str, Any]) -> bool:
    return "epoch" in record and "messages" in record


def from_inspect(
    trace: Any, *, is_error: IsError | None = None, case: str | int | None = None
) -> AgentResult:
    """Read an Inspect log: which tools the agent called in its samples, and what it answered.

    Args:
        trace: A log with ``samples``, one sample, or a list of samples; as parsed JSON or as
            Inspect's objects.
        is_error: A predicate on a result's text that says whether the tool failed. A tool message
            with an ``error`` is one without it.
        case: The id or the position of the one sample to read. Without it the calls of all samples
            are read in order; ``status`` is then that of the first that did not end in an answer.
            A sample that ran in several epochs is called by its id and epoch, as ``"7 epoch 2"``.

    Returns:
        `AgentResult` with ``status``, ``answer``, ``tool_calls``, ``tools_used``, ``calls`` and
        ``trace``, where ``cases`` names the samples. A sample that raised has the status
        ``"failed"``, one that hit a limit ``"cut off"``. An answer submitted through a tool is
        ``"final"``.

    Raises:
        TraceFormatError: It is no such log, it was read without its samples, or a record inside
            has the wrong kind.
        ValueError: No sample is called `case`.

    >>> call = {"id": "c1", "function": "buy", "arguments": {"item": "mug"}}
    >>> error = {"type": "timeout", "message": "timed out"}
    >>> messages = [
    ...     {"role": "user", "content": "Buy a mug."},
    ...     {"role": "assistant", "content": "", "tool_calls": [call]},
    ...     {"role": "tool", "tool_call_id": "c1", "content": "", "error": error},
    ...     {"role": "assistant", "content": "The shop is closed."},
    ... ]
    >>> from_inspect({"samples": [{"id": 1, "epoch": 1, "messages": messages}]})["calls"]
    [Call(name='buy', args={'item': 'mug'}, error='timed out')]
    """
    whole = opened(trace, "from_inspect", "an Inspect log with samples")
    recorder = Recorder(FORMAT, is_error=is_error)
    samples = _samples(whole)
    recorder.cases([name for name, _ in samples])
    for _, (place, sample) in choose_cases(samples, case, "from_inspect"):
        recorder.conversation()
        _Sample(sample, place, recorder).read()
    return recorder.finish(trace)


def _samples(trace: Any) -> list[tuple[TaskId, tuple[str, Mapping[str, Any]]]]:
    if isinstance(trace, Mapping) and "samples" not in trace:
        found = [("from_inspect: sample", trace)]
    else:
        place = "from_inspect: "
        if isinstance(trace, Mapping):
            place = "from_inspect: samples"
            trace = sequence(trace["samples"], place)
        found = [(f"{place}[{at}]", one) for at, one in enumerate(trace)]
    samples = []
    for place, one in found:
        sample = mapping(one, place)
        if "messages" not in sample:
            raise TraceFormatError(place, "a sample with 'messages'", sample)
        samples.append((place, sample))
    ids = [identifier(sample.get("id"), f"{place}.id") for place, sample in samples]
    often = Counter(ids)
    named: list[tuple[TaskId, tuple[str, Mapping[str, Any]]]] = []
    for at, (own, (place, sample)) in enumerate(zip(ids, samples, strict=True)):
        name = at if own is None else own
        if own is not None and often[own] > 1:
            epoch = identifier(sample.get("epoch"), f"{place}.epoch")
            name = f"{own} epoch {at if epoch is None else epoch}"
        named.append((name, (place, sample)))
    return named


class _Sample:
    """Reads the messages of one sample."""

    def __init__(self, sample: Mapping[str, Any], where: str, recorder: Recorder) -> None:
        self.sample = sample
        self.where = where
        self.recorder = recorder
        self._last_result = ""  # the last message's text, where that is a result and no failure
        place = f"{where}.attachments"
        self.attachments = optional_mapping(sample.get("attachments"), place) or {}

    def read(self) -> None:
        place = f"{self.where}.messages"
        for at, one in enumerate(sequence(self.sample["messages"], place)):
            message = mapping(one, f"{place}[{at}]")
            self._message(message, f"{place}[{at}]")
        answer = self._submitted()
        if answer is not None:
            self.recorder.turn()
            self.recorder.text(answer)
        status = self._ending()
        if status is not None:
            self.recorder.ended(status)

    def _ending(self) -> str | None:
        """Return what the sample says of its end, if that was no ordinary one."""
        if self.sample.get("error") is not None:
            return FAILED
        if self.sample.get("limit") is not None:
            return CUT_OFF
        choice, place = self._choice()
        reason = reason_in(choice, "stop_reason", place)
        if calls_follow(reason):  # also after a submitted answer, whose call Inspect takes out
            return None
        return status_of_reason(reason)

    def _choice(self) -> tuple[Mapping[str, Any], str]:
        """Return the first choice of the sample's output with its place; an empty one for none."""
        place = f"{self.where}.output"
        output = optional_mapping(self.sample.get("output"), place) or {}
        choices = optional_sequence(output.get("choices"), f"{place}.choices")
        place = f"{place}.choices[0]"
        return (mapping(choices[0], place) if choices else {}), place

    def _submitted(self) -> str | None:
        """Return an answer that was handed in through a tool, as agents of Inspect do.

        What the last call returned is then written into the sample's output, alone or behind what
        the model said; an output that is only what the model said beside a call is no answer.
        """
        handed_in = self._last_result.strip()
        if not handed_in:
            return None
        choice, place = self._choice()
        place = f"{place}.message"
        reply = optional_mapping(choice.get("message"), place) or {}
        completion = self._result_text(reply.get("content"), f"{place}.content").strip()
        ends_so = completion == handed_in or completion.endswith(f"\n\n{handed_in}")
        return completion if ends_so else None

    def _message(self, message: Mapping[str, Any], where: str) -> None:
        role = message.get("role")
        self._last_result = ""
        if message_mark(message) != _SAME_KEYS:
            refuse_foreign(message, FORMAT, where)
        refuse_held(message, ("tool_calls",), where)
        if role == "assistant":
            self.recorder.turn(whole=True)
            self._content(message.get("content"), f"{where}.content")
            place = f"{where}.tool_calls"
            for at, one in enumerate(optional_sequence(message.get("tool_calls"), place)):
                self._call(mapping(one, f"{place}[{at}]"), f"{place}[{at}]")
        elif role == "tool":
            self._result(message, where)
        elif role == "user":
            self._parts(message.get("content"), f"{where}.content", by_user=True)
            self.recorder.user()
        elif role != "system":
            raise TraceFormatError(f"{where}.role", f"one of {', '.join(_ROLES)}", role)

    def _content(self, content: Any, where: str) -> None:
        for part, place in self._parts(content, where):
            kind = part.get("type")
            if kind == "text":
                said = text(part.get("text"), f"{place}.text")
                refused = part.get("refusal") is True
                (self.recorder.refusal if refused else self.recorder.text)(self._stored(said))
            elif kind == "tool_use":  # a tool that the provider ran itself
                name = part.get("name", part["tool_type"])
                self.recorder.hosted(text(name, f"{place}.name"))

    def _parts(
        self, content: Any, where: str, *, by_user: bool = False
    ) -> list[tuple[Mapping[str, Any], str]]:
        """Return the parts of a content with their places; text is one part."""
        parts = content_parts(content, where, by_user=by_user)
        for part, place in parts:
            if "tool_type" not in part:  # which tells Inspect's tool_use from Anthropic's
                refuse_foreign(part, FORMAT, place)
                refuse_call(part, place)
                text(part.get("type"), f"{place}.type")
        return parts

    def _call(self, call: Mapping[str, Any], where: str) -> None:
        arguments = plain(call.get("arguments"))
        if isinstance(arguments, Mapping):
            arguments = {
                name: self._stored(value) if isinstance(value, str) else value
                for name, value in arguments.items()
            }
        self.recorder.call(
            text(call.get("function"), f"{where}.function"),
            arguments,
            identifier(call.get("id"), f"{where}.id"),
            error=optional_text(call.get("parse_error"), f"{where}.parse_error"),
        )

    def _result(self, message: Mapping[str, Any], where: str) -> None:
        error: str | bool | None = optional_text(message.get("tool_error"), f"{where}.tool_error")
        own = optional_mapping(message.get("error"), f"{where}.error")
        if own is not None:
            error = optional_text(own.get("message"), f"{where}.error.message") or True
        result = self._result_text(message.get("content"), f"{where}.content")
        self._last_result = "" if error else result
        self.recorder.result(
            identifier(message.get("tool_call_id"), f"{where}.tool_call_id"),
            name=optional_text(message.get("function"), f"{where}.function"),
            text=result,
            error=error,
        )

    def _result_text(self, content: Any, where: str) -> str:
        content = plain(content)
        if isinstance(content, str):
            return self._stored(content)
        pieces = []
        for part, place in self._parts(content, where):
            said = optional_text(part.get("text"), f"{place}.text")
            pieces.append(self._stored(said or ""))
        return "\n".join(pieces)

    def _stored(self, said: str) -> str:
        """Return long text from where a log keeps it apart."""
        if not said.startswith(_ATTACHMENT):
            return said
        kept = self.attachments.get(said.removeprefix(_ATTACHMENT))
        return kept if isinstance(kept, str) else said
