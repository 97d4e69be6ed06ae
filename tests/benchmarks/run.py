"""Print the whole table of timings: ``python tests/benchmarks/run.py``."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

from timing import Row, medians, show


def start_up() -> Row:
    """``import agenteval`` over a bare interpreter, each in a process of its own."""

    def start(program: str) -> None:
        subprocess.run([sys.executable, "-c", program], check=True)

    start("import agenteval")  # once for the byte code
    bare, ours = medians(
        lambda: start("pass"), lambda: start("import agenteval"), rounds=15, scale=1e3
    )
    return Row("import agenteval, over a bare interpreter", ours - bare, "ms", None, "25 ms")


def main() -> None:
    rows = [start_up()]
    for path in sorted(Path(__file__).parent.glob("bench_*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        if spec is None or spec.loader is None:
            raise SystemExit(f"cannot load {path}")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        rows += module.rows()
    show(rows)


if __name__ == "__main__":
    main()
