"""All forms of one report: text, Markdown, a page, JUnit XML, and one run step by step.

The refund desk of ``refund_desk.py`` is evaluated and compared with the careful agent that it was
before its three faults. Run it with ``python examples/full_report.py FOLDER``; without a folder it
writes into a new one in the system's place for temporary files.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from agenteval import (
    compare,
    compare_run,
    evaluate,
    outcomes,
    reliability_table,
    report,
    score_runs,
)
from refund_desk import SEED, TASKS, make_agent, right_claim_is_there


def forms() -> dict[str, str]:
    """Evaluate both versions and return the files: name to content."""
    checks = [right_claim_is_there]
    before = evaluate(make_agent(), TASKS, repeats=5, checks=checks, label="careful clerk")
    now = evaluate(make_agent(SEED), TASKS, repeats=5, checks=checks, label="clerk with faults")
    rows = score_runs(now["runs"], TASKS)
    changed = compare(outcomes(before["runs"]), outcomes(now["runs"]))

    # One run to look at closely: the one that filed its claim twice and still answered right.
    run = next(run for run in now["runs"] if run["id"] == "damaged" and run["repeat"] == 2)
    row = next(row for row in rows if row["id"] == "damaged" and row["repeat"] == 2)
    steps = compare_run(run, TASKS[0])
    curve = reliability_table(outcomes(rows, by="both"))

    return {
        "report.txt": report.text(now, rows=rows, comparison=changed) + "\n",
        "report.md": report.markdown(now, rows=rows, comparison=changed),
        "report.html": report.html(now, rows=rows, tasks=TASKS, baseline=before),
        "report.xml": report.junit_xml(now, rows=rows, by="both"),
        "steps.txt": f"{report.steps_text(steps, row=row)}\n\n{report.curve_text(curve)}\n",
    }


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in forms().items():
        path = folder / name
        path.write_text(content, encoding="utf-8")
        print(f"wrote {path}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="refund-desk-")))
