"""Which tools of an MCP server must not run twice, read from the server's own ``tools/list``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from agenteval._messages import cut

__all__ = ["write_tools_from_mcp"]

_HINTS = (  # each by the protocol's name and by that of the Python SDK's objects
    ("readOnlyHint", "read_only_hint"),
    ("idempotentHint", "idempotent_hint"),
)


def write_tools_from_mcp(tools: Any) -> frozenset[str]:
    """Answer which tools of an MCP server change the world each time they run.

    That is every tool whose annotations say neither ``readOnlyHint`` nor ``idempotentHint``. Hints
    that are absent or null take the specification's defaults, which are false for both, so a tool
    without annotations counts as a write. The Python SDK's names for them (``read_only_hint``,
    ``idempotent_hint``) are read, too.

    Args:
        tools: What ``tools/list`` returned: the whole JSON-RPC response, its ``result``, the list
            of tools alone, or a list of such pages. Objects of an MCP client that have these names
            as attributes will do as well.

    Returns:
        The names, as ``write_tools=`` of `score_trajectory` takes them.

    Raises:
        TypeError: There is no list of tools in it, or a tool has no name.

    >>> sorted(write_tools_from_mcp([
    ...     {"name": "get_invoice", "annotations": {"readOnlyHint": True}},
    ...     {"name": "set_due_date", "annotations": {"idempotentHint": True}},
    ...     {"name": "send_invoice"},
    ... ]))
    ['send_invoice']
    """
    return frozenset(
        _name(tool) for tool in _tools(tools) if not any(_says(tool, names) for names in _HINTS)
    )


def _get(holder: Any, key: str) -> Any:
    return holder.get(key) if isinstance(holder, Mapping) else getattr(holder, key, None)


def _tools(found: Any) -> Iterator[Any]:
    """Yield the tools of a response, a result, a list of tools or a list of pages."""
    for key in ("tools", "result"):  # first, because a client's own page object may be iterable too
        inner = _get(found, key)
        if inner is not None:
            yield from _tools(inner)
            return
    if not isinstance(found, Iterable) or isinstance(found, (str, bytes, Mapping)):
        raise TypeError(
            f"write_tools_from_mcp: found no tools in {type(found).__name__} {cut(found)}; "
            "pass the result of tools/list, its list of tools, or a list of its pages"
        )
    for item in found:
        if _get(item, "name") is None:
            yield from _tools(item)
        else:
            yield item


def _name(tool: Any) -> str:
    name = _get(tool, "name")
    if not isinstance(name, str):
        raise TypeError(f"write_tools_from_mcp: a tool's name must be a str, got {cut(tool)}")
    return name


def _says(tool: Any, names: tuple[str, ...]) -> bool:
    """Say whether the tool's annotations state a hint; anything but true leaves it a write.

    The first name under which the hint is filled counts.
    """
    annotations = _get(tool, "annotations")
    said = (_get(annotations, name) for name in names)
    return next((one for one in said if one is not None), None) is True
