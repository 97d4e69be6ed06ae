"""The way data flows: which module may import which, read from the source with ``ast``."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import agenteval

SOURCE = Path(agenteval.__file__).parent
ALL = {"records", "trajectory", "reliability", "runlog", "harness", "measures", "traces", "report"}
MAY_IMPORT = {
    "_messages": set(),
    "records": set(),
    "trajectory": {"records"},
    "reliability": {"records"},
    "runlog": {"records"},
    "harness": {"records", "trajectory", "runlog"},
    "measures": {"records", "trajectory"},
    "traces": {"records", "trajectory"},
    "report": ALL - {"report"},
    "__init__": ALL,
}
FILES = sorted(SOURCE.rglob("*.py"))
MODULES = {
    ".".join(("agenteval", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path
    for path in FILES
}
READABLE = [str(path.relative_to(SOURCE)) for path in FILES]


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


@cache
def nodes_of(path: Path) -> tuple[ast.Import | ast.ImportFrom | ast.Assert, ...]:
    """Every import and every assert of the file, at any depth; each file is parsed once."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.Import, ast.ImportFrom, ast.Assert)
    return tuple(node for node in ast.walk(tree) if isinstance(node, kinds))


def imported_modules(path: Path) -> list[str]:
    """Every module that the file imports, at any depth, by its full name."""
    names: list[str] = []
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import, line {node.lineno}"
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            names += [name if name in MODULES else node.module or "" for name in inside]
    return names


@pytest.mark.parametrize("path", FILES, ids=READABLE)
def test_a_module_imports_only_what_the_table_allows(path: Path) -> None:
    room = room_of(path)
    ours = {name.split(".")[1] for name in imported_modules(path) if name.startswith("agenteval.")}
    assert ours - {room, "_messages"} <= MAY_IMPORT[room]


@pytest.mark.parametrize("path", FILES, ids=READABLE)
def test_nothing_but_the_standard_library_is_imported(path: Path) -> None:
    roots = {name.split(".")[0] for name in imported_modules(path)}
    assert roots <= set(sys.stdlib_module_names) | {"agenteval"}


def test_no_two_modules_import_each_other() -> None:
    graph = {
        name: {other for other in imported_modules(path) if other in MODULES and other != name}
        for name, path in MODULES.items()
    }
    seen: set[str] = set()

    def visit(name: str, above: tuple[str, ...]) -> None:
        assert name not in above, " -> ".join((*above[above.index(name) :], name))
        if name not in seen:
            for other in sorted(graph[name]):
                visit(other, (*above, name))
            seen.add(name)

    for name in sorted(graph):
        visit(name, ())


@pytest.mark.parametrize("path", FILES, ids=READABLE)
def test_a_module_has_one_job_and_stays_readable(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 450


@pytest.mark.parametrize("path", FILES, ids=READABLE)
def test_the_source_raises_and_never_asserts(path: Path) -> None:
    assert not [node.lineno for node in nodes_of(path) if isinstance(node, ast.Assert)]


def test_importing_loads_only_the_standard_library_and_itself() -> None:
    program = (
        "import sys; before = set(sys.modules); import agenteval;"
        "print(*sorted({name.split('.')[0] for name in set(sys.modules) - before}))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert set(done.stdout.split()) - set(sys.stdlib_module_names) == {"agenteval"}


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    """The modules of a bare interpreter that has imported the package."""
    program = "import sys, agenteval; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("heavy", ["asyncio", "concurrent.futures", "html", "json", "xml.etree"])
def test_importing_leaves_heavy_modules_for_those_who_need_them(
    loaded: set[str], heavy: str
) -> None:
    assert "agenteval" in loaded
    assert heavy not in loaded
