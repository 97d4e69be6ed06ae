"""The README is run: its blocks in order, as a reader would paste them, output compared."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GATE = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks() -> list[tuple[str, str, int]]:
    """Every fenced block: its language, its text and the line it starts at."""
    return [
        (match[1], match[2], README.count("\n", 0, match.start()) + 2)
        for match in FENCE.finditer(README)
    ]


def without_trailing_blanks(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def test_every_python_block_runs_and_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "readme"}
    found = blocks()
    ran = 0
    for number, (language, text, line) in enumerate(found):
        if language != "python":
            continue
        printed = io.StringIO()
        # blank lines in front, so that a traceback names the README's own line
        code = compile("\n" * (line - 1) + text, str(ROOT / "README.md"), "exec")
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        ran += 1
        if number + 1 < len(found) and found[number + 1][0] == "text":
            expected = found[number + 1][1]
            assert without_trailing_blanks(printed.getvalue()) == without_trailing_blanks(
                expected
            ), f"README line {line}"
        else:
            assert printed.getvalue() == "", f"README line {line} prints what it does not show"
    assert ran >= 10


def test_the_gate_runs_exactly_the_readmes_test_command() -> None:
    commands = [text.strip() for language, text, _ in blocks() if language == "sh"]
    assert commands[0] == "pip install -e . && python examples/refund_desk.py"
    assert commands[1] == "pip install -e '.[test]' && pytest"
    assert f"\n{commands[1]}\n" in GATE
