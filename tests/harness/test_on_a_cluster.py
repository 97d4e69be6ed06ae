"""The example that leaves this process, run as a user runs it."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "on_a_cluster.py"

KINDS = {True: "a Dask cluster", False: "processes of this machine"}

EXPECTED = """\
ran on {kind}, outside of this process
pass rate 12/15
reach 13      16 calls  ((2 * 3) + 7)  []
reach 26      16 calls  ((4 * 5) + 6)  []
reach 30     843 calls  ((5 * 8) - (1 + 9))  []
reach 24    4572 calls  impossible  ['over budget', 'gave up on a game that can be won']
reach 100    126 calls  impossible  []
"""


def test_the_example(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLE)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    has_dask = importlib.util.find_spec("distributed") is not None
    assert done.stdout == EXPECTED.format(kind=KINDS[has_dask])
