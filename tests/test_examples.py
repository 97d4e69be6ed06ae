"""The examples are run as a user runs them, and print what they printed when they were written."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXPECTED = Path(__file__).parent / "expected"


def run_example(name: str, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples" / name)],
        capture_output=True,
        cwd=cwd,
        env=os.environ | {"PYTHONIOENCODING": "utf-8", "PYTHONHASHSEED": "random"},
        timeout=60,
        check=False,
    )
    assert done.stderr.decode() == ""
    assert done.returncode == 0
    return done.stdout.decode()


def without_times(text: str) -> str:
    """How long a run took is another number on every machine."""
    return re.sub(r"^(time +).*", r"\1...", text, flags=re.MULTILINE)


@pytest.mark.parametrize("name", ["arithmetic", "refund_desk"])
def test_an_example_prints_what_it_should(name: str, tmp_path: Path) -> None:
    expected = (EXPECTED / f"{name}.txt").read_text(encoding="utf-8")
    assert without_times(run_example(f"{name}.py", tmp_path)) == expected
