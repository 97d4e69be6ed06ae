"""The example that writes every form, and the notebook: both run, and show what they stored."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

import agenteval
from agenteval.report import html_fragment, text

EXAMPLES = Path(__file__).parents[2] / "examples"


def run_example(*arguments: str, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / "full_report.py"), *arguments],
        capture_output=True,
        cwd=cwd,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"} | environment,
        timeout=60,
        check=False,
    )
    assert done.stderr.decode() == ""
    assert done.returncode == 0
    return done.stdout.decode()


def test_the_full_report_writes_every_form_into_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    printed = run_example(str(folder), cwd=tmp_path)
    names = ["report.txt", "report.md", "report.html", "report.xml", "steps.txt"]
    assert printed.splitlines() == [f"wrote {folder / name}" for name in names]
    files = {name: (folder / name).read_text(encoding="utf-8") for name in names}
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)

    assert files["report.txt"].startswith("label        clerk with faults\n")
    assert "against the baseline" in files["report.txt"]
    assert "| --" in files["report.md"]
    assert ElementTree.fromstring(files["report.xml"]).tag.startswith("testsuite")
    assert "DUPLICATE WRITE" in files["steps.txt"]
    page = files["report.html"]
    ElementTree.fromstring(page.removeprefix("<!DOCTYPE html>\n"))
    assert page.count('<details class="task"') == 12
    assert page.count('<table class="steps') == 60
    assert "DUPLICATE WRITE" in page
    assert "Against the baseline" in page


def test_without_a_folder_it_names_the_one_it_made(tmp_path: Path) -> None:
    printed = run_example(cwd=tmp_path, TMPDIR=str(tmp_path), TEMP=str(tmp_path), TMP=str(tmp_path))
    [folder] = tmp_path.iterdir()
    assert folder.name.startswith("refund-desk-")
    assert printed.splitlines()[0] == f"wrote {folder / 'report.txt'}"


def test_a_report_draws_itself_prints_as_text_and_is_a_plain_dict_in_all_else() -> None:
    runs = [{"id": n, "repeat": 0, "passed": n > 0, "reasons": ["r"] * (n == 0)} for n in range(3)]
    drawn = agenteval.summarize(runs)
    assert drawn._repr_html_() == html_fragment(drawn)
    assert str(drawn) == text(drawn)
    written: list[str] = []
    printer = SimpleNamespace(text=written.append)
    drawn._repr_pretty_(printer, cycle=False)
    drawn._repr_pretty_(printer, cycle=True)
    assert written == [text(drawn), "..."]
    assert json.loads(json.dumps(drawn)) == dict(drawn)
    again = pickle.loads(pickle.dumps(drawn))
    assert again == drawn
    assert again._repr_html_() == drawn._repr_html_()


@pytest.fixture(scope="module")
def notebook() -> dict[str, Any]:
    stored: dict[str, Any] = json.loads((EXAMPLES / "notebook.ipynb").read_text(encoding="utf-8"))
    return stored


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def whole(lines: str | list[str]) -> str:
    return lines if isinstance(lines, str) else "".join(lines)


def without_times(text: str) -> str:
    """How long a run took is another number on every machine."""
    return re.sub(r"^(time +).*", r"\1...", text, flags=re.MULTILINE)


def test_the_notebook_is_stored_with_what_its_cells_showed(notebook: dict[str, Any]) -> None:
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    cells = code_cells(notebook)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    shown = [output for cell in cells for output in cell["outputs"]]
    assert {output["output_type"] for output in shown} == {"execute_result", "stream"}
    assert [output for output in shown if output.get("name") == "stderr"] == []
    [drawn] = [output for output in shown if "text/html" in output.get("data", {})]
    assert '<div class="agenteval-report">' in whole(drawn["data"]["text/html"])
    assert "<svg" in whole(drawn["data"]["text/html"])


def test_the_notebook_holds_nothing_of_the_machine_it_ran_on(notebook: dict[str, Any]) -> None:
    text = json.dumps(notebook)
    assert not re.findall(r"/(?:home|root|tmp|usr|opt|var|Users)/|[A-Z]:\\\\|site-packages", text)
    assert notebook["metadata"] == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    assert [cell["metadata"] for cell in notebook["cells"]] == [{}] * len(notebook["cells"])


def test_the_notebooks_cells_run_in_order_and_show_what_is_stored(
    notebook: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "notebook"}
    for number, cell in enumerate(code_cells(notebook), 1):
        tree = ast.parse(whole(cell["source"]), f"notebook cell {number}")
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        value = None
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, f"notebook cell {number}", "exec"), names)
            if last is not None:
                expression = compile(ast.Expression(last.value), f"notebook cell {number}", "eval")
                value = eval(expression, names)
        stored = {output["output_type"]: output for output in cell["outputs"]}
        assert whole(stored.pop("stream", {"text": ""})["text"]) == printed.getvalue()
        if value is None:
            assert stored == {}
            continue
        data = stored["execute_result"]["data"]
        if "text/html" in data:
            again = "; store it again with: jupyter execute --inplace examples/notebook.ipynb"
            assert whole(data["text/html"]) == value._repr_html_(), again
            assert without_times(whole(data["text/plain"])) == without_times(str(value))
        else:
            assert ast.literal_eval(whole(data["text/plain"])) == value
    assert list(tmp_path.iterdir()) == []
