"""Where all importers put what they read: pairing, the final answer and the counts live here.

An importer walks through its format in order and tells the recorder what it meets; the recorder
pairs results with calls, decides how the trace ended, and makes the `AgentResult`. Every step is
constant time, so a trace is read in time linear in its length.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from typing import Any

from agenteval.records import AgentResult, TaskId, Trace
from agenteval.traces.arguments import decode_arguments
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.reading import plain
from agenteval.trajectory.calls import Call

__all__ = ["CUT_OFF", "FAILED", "FINAL", "INCOMPLETE", "REFUSED", "IsError", "Recorder"]

IsError = Callable[[str], object]
"""A predicate on a result's text: true when it tells of a failure."""

FINAL = "final"
"""The trace ends in an answer."""
INCOMPLETE = "incomplete"
"""It ends in a call, a result or a question that the agent did not answer any more."""
CUT_OFF = "cut off"
"""The last reply hit a length limit."""
REFUSED = "refused"
"""The model, or a filter before it, refused."""
FAILED = "failed"
"""The trace itself says that the run broke."""

_NO_MESSAGE = "the tool failed without a message"


class _Made:
    """One call while the trace is being read."""

    __slots__ = ("answered", "args", "error", "name", "spoiled")

    def __init__(self, name: str, args: dict[str, Any], error: str | None) -> None:
        self.name = name
        self.args = args
        self.error = error
        self.spoiled = error  # what was wrong before any result
        self.answered = False


def _last_open(calls: list[_Made] | None) -> _Made | None:
    """Take calls off the end up to one that no result has answered by another way."""
    while calls:
        made = calls.pop()
        if not made.answered:
            return made
    return None


def _first_open(calls: deque[_Made] | None) -> _Made | None:
    """Take calls off the front up to one that no result has answered by another way."""
    while calls:
        made = calls.popleft()
        if not made.answered:
            return made
    return None


class Recorder:
    """Collects what an importer meets and makes an `AgentResult` of it.

    Args:
        format: The format's name; the importer is called ``from_`` and this name.
        is_error: A predicate on the text of results; those that the format itself marks as failed
            are not asked about.

    Tell it in the order of the trace: `turn` when a message of the model begins, `user` when
    somebody asks, then `text`, `call`, `result`, `hosted` as they come.
    """

    def __init__(self, format: str, *, is_error: IsError | None = None) -> None:  # noqa: A002 - the word for it
        if is_error is not None and not callable(is_error):
            raise TypeError(
                f"from_{format}: is_error must be a function of a result's text, "
                f"got {type(is_error).__name__} {is_error!r}"
            )
        self.format = format
        self._is_error = is_error
        self._made: list[_Made] = []
        self._open_by_id: dict[Hashable, list[_Made]] = {}
        self._open_by_name: dict[Hashable, deque[_Made]] = {}
        self._closed_by_id: dict[Hashable, _Made] = {}
        self._hosted: list[str] = []
        self._hosted_ids: set[str | int | None] = set()
        self._unpaired = 0
        self._unparsed = 0
        self._seen = False
        self._begun = False
        self._cases: list[TaskId] | None = None
        self._earlier_status: str | None = None
        self._begin()

    def _begin(self) -> None:
        self._answer: list[str] = []
        self._replace = False
        self._silent = False
        self._open_question = False
        self._stopped: str | None = None
        self._ended: str | None = None
        self._turn_starts = len(self._made)

    def turn(self, *, whole: bool = False) -> None:
        """Note that a message of the model begins: its text replaces that of earlier ones.

        Args:
            whole: True where all that the model says in it stands in it: if that is nothing, the
                answer stays what it was, but the trace does not end in it.
        """
        self._seen = True
        self._replace = True
        self._silent = whole
        self._stopped = None
        self._turn_starts = len(self._made)

    def user(self) -> None:
        """Note that the agent was asked something, which leaves the trace open until it replies."""
        self._seen = True
        self._open_question = True

    def text(self, text: str, *, join: bool = True) -> None:
        """Note a piece of the model's own text, not of its reasoning.

        Pieces of one message are joined. The answer is the text after the last call; text of a
        later message, or after a hosted tool, replaces what was said before.

        Args:
            text: The piece; blank ones before any other are passed over.
            join: False when the piece begins a new message.
        """
        self._seen = True
        if not text.strip() and (self._replace or not join or not self._answer):
            return
        if self._replace or not join:
            self._answer = []
            self._replace = False
        self._answer.append(text)
        self._silent = False
        self._open_question = False

    def refusal(self, text: str) -> None:
        """Note a refusal that the format marks as one; its text is the answer, to be seen."""
        self.text(text)
        self.stop(REFUSED)

    def stop(self, status: str) -> None:
        """Note why the current message ended, if not in an answer; a later message clears it."""
        self._seen = True
        self._stopped = status

    def ended(self, status: str) -> None:
        """Note the format's own word on how the current conversation ended.

        ``"final"`` is believed only where there is an answer and no call of the last turn is open;
        it says that a last question or result needed no reply.
        """
        self._ended = status

    def call(
        self,
        name: str,
        arguments: Any,
        id: str | int | None = None,  # noqa: A002 - the formats' own word
        *,
        error: str | None = None,
        by_user: bool = False,
    ) -> None:
        """Note a tool call.

        Args:
            name: The tool's name.
            arguments: As the trace has them; see `decode_arguments`.
            id: What its result will name, if the format has ids.
            error: What is known to be wrong with the call before any result.
            by_user: True where the simulated user, not the agent, made the call: the agent's last
                text stays the answer.
        """
        made = self._add(name, arguments, error)
        if id is None:
            self._open_by_name.setdefault((name, "no id"), deque()).append(made)
        else:
            self._open_by_id.setdefault(id, []).append(made)
            self._open_by_id.setdefault((id, name), []).append(made)
        self._open_by_name.setdefault(name, deque()).append(made)
        self._open_by_name.setdefault(None, deque()).append(made)
        if not by_user:
            self._answer = []

    def answered_call(
        self, name: str, arguments: Any, *, text: str | None = None, error: bool | str | None = None
    ) -> None:
        """Note a call whose result stands in the same record; nothing else pairs with it.

        Args:
            name: The tool's name.
            arguments: As the trace has them; see `decode_arguments`.
            text: The result as text; ``None`` where the trace does not hold it, which nobody can
                be asked about.
            error: The format's own signal: True, or a text of its own, when the tool failed.
        """
        self._settle(self._add(name, arguments, None), text, error)
        self._answer = []

    def _add(self, name: str, arguments: Any, error: str | None) -> _Made:
        self._seen = True
        args, problem = decode_arguments(plain(arguments))
        if problem is not None:
            self._unparsed += 1
        made = _Made(name, args, problem if error is None else error)
        self._made.append(made)
        return made

    def result(
        self,
        id: str | int | None = None,  # noqa: A002 - the formats' own word
        *,
        name: str | None = None,
        text: str = "",
        error: bool | str | None = None,
        replaces: bool = False,
    ) -> None:
        """Note a call's result and pair it.

        With an id it answers the nearest earlier unanswered call of that id (of the same name, if
        the result has one and there is such a call); without one the first unanswered call of
        that name, one that has no id either before others; without either the first unanswered
        call. A result with an id that no call has
        pairs by name with calls that have no id.

        Args:
            id: The id of the call that it answers.
            name: The tool's name.
            text: The result as text.
            error: The format's own signal: True, or a text of its own, when the tool failed.
            replaces: True in a format where a later result of an answered call takes the place of
                the one before; else it is unpaired.
        """
        self._seen = True
        made = self._answered_by(id, name)
        if made is None and id is not None and id in self._hosted_ids:
            return
        self._open_question = True
        if made is None:
            self._unpaired += 1
        else:
            self._settle(made, text, error)
            if replaces and id is not None:
                self._closed_by_id[id] = made

    def _settle(self, made: _Made, text: str | None, error: bool | str | None) -> None:
        made.answered = True
        made.error = made.spoiled
        if isinstance(error, str):
            made.error = error if error.strip() else text or _NO_MESSAGE
        elif error or (text is not None and self._is_error is not None and self._is_error(text)):
            made.error = text or _NO_MESSAGE

    def _answered_by(self, id: str | int | None, name: str | None) -> _Made | None:  # noqa: A002 - see result
        if id is None:
            without_id = _first_open(self._open_by_name.get((name, "no id")))
            return without_id or _first_open(self._open_by_name.get(name))
        found = None if name is None else _last_open(self._open_by_id.get((id, name)))
        found = found or _last_open(self._open_by_id.get(id)) or self._closed_by_id.get(id)
        return found or _first_open(self._open_by_name.get((name, "no id")))

    def hosted(self, name: str, id: str | int | None = None) -> None:  # noqa: A002 - the formats' own word
        """Note the use of a tool that the provider ran itself: it is no call of the agent's.

        Args:
            name: The tool's name.
            id: What its result will name, where that could be taken for a result of the agent's.
        """
        self._seen = True
        self._hosted.append(name)
        self._hosted_ids.add(id)
        self._replace = True

    def cases(self, names: list[TaskId]) -> None:
        """Note the conversations that the trace holds, read or not."""
        self._cases = names

    def conversation(self) -> None:
        """Note that a conversation begins: nothing pairs or joins across this border.

        One with nothing in it did not end in an answer either.
        """
        if (self._begun or self._seen) and self._earlier_status in (None, FINAL):
            self._earlier_status = self._status()
        self._begun = True
        self._open_by_id.clear()
        self._open_by_name.clear()
        self._closed_by_id.clear()
        self._begin()

    def _status(self) -> str:
        if self._ended is not None and self._ended != FINAL:
            return self._ended
        if self._stopped is not None:
            return self._stopped
        if not "".join(self._answer).strip():
            return INCOMPLETE
        if any(not made.answered for made in self._made[self._turn_starts :]):
            return INCOMPLETE
        waits = self._open_question or self._silent
        return INCOMPLETE if waits and self._ended is None else FINAL

    def finish(self, trace: Any = None) -> AgentResult:
        """Return what the trace came to.

        Args:
            trace: What the importer was given, for the message where nothing was found in it.

        Returns:
            ``status`` is ``"final"`` when the (last) conversation ends in an answer and no earlier
            one did not; else ``"incomplete"``, ``"cut off"``, ``"refused"`` or ``"failed"``.

        Raises:
            TraceFormatError: Nothing was read at all.
        """
        if not self._seen:
            raise TraceFormatError(
                f"from_{self.format}", "messages, calls or results", trace, "nothing was found"
            )
        own = self._status()
        earlier = self._earlier_status
        unanswered = [at for at, made in enumerate(self._made) if not made.answered]
        found: Trace = {
            "format": self.format,
            "calls": len(self._made),
            "unanswered": len(unanswered),
            "unanswered_calls": unanswered,
            "unpaired_results": self._unpaired,
            "unparsed_arguments": self._unparsed,
            "hosted": self._hosted,
        }
        if self._cases is not None:
            found["cases"] = self._cases
        return {
            "status": own if earlier in (None, FINAL) else earlier,
            "answer": "".join(self._answer) or None,
            "tool_calls": len(self._made),
            "tools_used": list(dict.fromkeys(made.name for made in self._made)),
            "calls": [Call(made.name, made.args, made.error) for made in self._made],
            "trace": found,
        }
