"""Built-in tools of the Responses API that the caller runs: calls of the agent like any other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.traces.call_shapes import refuse_call
from agenteval.traces.reading import (
    either,
    mapping,
    optional_mapping,
    optional_sequence,
    optional_text,
    plain,
)

__all__ = [
    "BUILT_IN",
    "built_in_arguments",
    "refuse_unknown_call",
    "runs_in_container",
    "shell_result",
]

_HOSTED = (  # some providers give these a name and arguments, too
    "code_interpreter_call",
    "file_search_call",
    "image_generation_call",
    "web_search_call",
)

BUILT_IN = {  # the fields in which their items have the arguments
    "computer_call": ("action", "actions"),
    "local_shell_call": ("action",),
    "shell_call": ("action",),
    "apply_patch_call": ("operation",),
    "tool_search_call": ("arguments",),
}


def built_in_arguments(item: Mapping[str, Any], kind: str) -> Any:
    """Return the arguments of a call, ``None`` where it has none.

    >>> built_in_arguments({"type": "shell_call", "action": {"commands": ["ls"]}}, "shell_call")
    {'commands': ['ls']}
    """
    for field in BUILT_IN[kind]:
        if item.get(field) is not None:
            found = plain(item[field])
            return {field: found} if field == "actions" else found
    return None


def runs_in_container(item: Mapping[str, Any], where: str) -> bool:
    """Say whether the provider runs the tool itself, so that the call is none of the agent's."""
    environment = optional_mapping(item.get("environment"), f"{where}.environment") or {}
    return str(environment.get("type")).startswith("container")


def refuse_unknown_call(item: Mapping[str, Any], kind: str, where: str) -> None:
    """Raise where an item of a kind that is not known is a call that the caller is to answer.

    Without a ``call_id`` nobody can answer it: then the provider ran the tool itself.

    Raises:
        TraceFormatError: It has the shape of a call, and an id for its result.
    """
    if kind not in BUILT_IN and kind not in _HOSTED and either(item, "callId", "call_id"):
        refuse_call(item, where)


def shell_result(output: Any, where: str) -> tuple[str, bool | None]:
    """Return what the commands of a shell printed, and whether one of them failed.

    Args:
        output: The list under an item's ``output``.
        where: The place of the item, for messages.

    Raises:
        TraceFormatError: A field has the wrong kind.
    """
    printed: list[str] = []
    error: bool | None = None
    for at, one in enumerate(optional_sequence(output, f"{where}.output")):
        place = f"{where}.output[{at}]"
        command = mapping(one, place)
        printed += (
            optional_text(command.get(stream), f"{place}.{stream}") or ""
            for stream in ("stdout", "stderr")
        )
        outcome = optional_mapping(command.get("outcome"), f"{place}.outcome") or {}
        code = either(outcome, "exitCode", "exit_code")
        if outcome.get("type") == "timeout" or code not in (None, 0):
            error = True
    return "".join(printed), error
