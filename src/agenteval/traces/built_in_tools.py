"""Built-in tools of the Responses API that the caller runs: calls of the agent like any other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.traces.reading import optional_mapping, plain

__all__ = ["BUILT_IN", "built_in_arguments", "runs_in_container"]

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
