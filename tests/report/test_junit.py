"""The report as JUnit XML: by the rules of the schemas in use, and read back."""

from __future__ import annotations

import copy
import json
import re
import xml.etree.ElementTree as ET

import pytest

from agenteval.report import junit_xml
from agenteval.report.formatting import visible

# The rules of Maven Surefire's surefire-test-report-3.0.xsd, which are the stricter ones; what it
# allows, the junit-10.xsd of Jenkins allows too. Element to attributes: True when required.
ATTRIBUTES = {
    "testsuite": {
        "name": True,
        "tests": True,
        "errors": True,
        "skipped": True,
        "failures": True,
        "time": False,
        "group": False,
        "version": False,
    },
    "properties": {},
    "property": {"name": True, "value": True},
    "testcase": {"name": True, "classname": False, "group": False, "time": True},
    "failure": {"message": False, "type": True},
    "error": {"message": False, "type": True},
    "rerunFailure": {"message": False, "type": True},
    "rerunError": {"message": False, "type": True},
    "flakyFailure": {"message": False, "type": True},
    "flakyError": {"message": False, "type": True},
    "stackTrace": {},
    "system-out": {},
}
AGAIN = "stackTrace (system-out )?(system-err )?"
CHILDREN = {
    "testsuite": "(properties )*(testcase )*",
    "properties": "(property )*",
    "testcase": "(failure )*(rerunFailure )*(flakyFailure )*(skipped )?(error )?(rerunError )*"
    "(flakyError )*(system-out )?(system-err )?",
    "rerunFailure": AGAIN,
    "rerunError": AGAIN,
    "flakyFailure": AGAIN,
    "flakyError": AGAIN,
}
HOLDS_ELEMENTS = {*CHILDREN}
TIME = r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]{0,3})?"
KINDS = ("failure", "error", "rerunFailure", "rerunError", "flakyFailure", "flakyError")


def validated(shown: str) -> ET.Element:
    """Read the XML and hold every element against the schema's rules."""
    shown.encode()
    suite = ET.fromstring(shown)
    assert suite.tag == "testsuite"
    for element in suite.iter():
        allowed = ATTRIBUTES[element.tag]
        assert set(element.attrib) <= set(allowed)
        assert {name for name, required in allowed.items() if required} <= set(element.attrib)
        order = "".join(f"{child.tag} " for child in element)
        assert re.fullmatch(CHILDREN.get(element.tag, ""), order), (element.tag, order)
        if element.tag in HOLDS_ELEMENTS:
            assert not (element.text or "").strip()
        if "time" in element.attrib:
            assert re.fullmatch(TIME, element.attrib["time"])
    cases = suite.findall("testcase")
    assert int(suite.attrib["tests"]) == len(cases)
    assert int(suite.attrib["failures"]) == sum(case.find("failure") is not None for case in cases)
    assert int(suite.attrib["errors"]) == sum(case.find("error") is not None for case in cases)
    return suite


def test_the_rules_can_be_broken() -> None:
    good = '<testsuite name="" tests="1" errors="0" failures="0" skipped="0">{}</testsuite>'
    validated(good.format('<testcase name="" time="1.000"/>'))
    for bad in (
        '<testcase name=""/>',
        '<testcase name="" time="1.0000"/>',
        '<testcase name="" time="1"><properties/></testcase>',
        '<testcase name="" time="1"><flakyFailure type="">text</flakyFailure></testcase>',
        '<testcase name="" time="1"><system-out/><flakyFailure type=""/></testcase>',
    ):
        with pytest.raises((AssertionError, KeyError)):
            validated(good.format(bad))


def case_of(shown: str, name: str) -> ET.Element:
    [case] = [case for case in validated(shown).findall("testcase") if case.get("name") == name]
    return case


def kinds(case: ET.Element) -> dict[str, int]:
    return {kind: len(case.findall(kind)) for kind in KINDS if case.find(kind) is not None}


OUTCOMES = [
    pytest.param("+", {}, {}, id="passed"),
    pytest.param("-", {"failure": 1}, {"failure": 1}, id="failed"),
    pytest.param("!", {"error": 1}, {"error": 1}, id="crashed"),
    pytest.param("+++++", {}, {}, id="always-passed"),
    pytest.param(
        "-----",
        {"failure": 1, "rerunFailure": 4},
        {"failure": 1, "rerunFailure": 4},
        id="always-failed",
    ),
    pytest.param("!!!", {"error": 1, "rerunError": 2}, {"error": 1, "rerunError": 2}, id="crashes"),
    pytest.param(
        "!-!",
        {"failure": 1, "rerunError": 2},
        {"failure": 1, "rerunError": 2},
        id="failed-and-crashed",
    ),
    pytest.param("+-+", {"flakyFailure": 1}, {"failure": 1, "flakyFailure": 1}, id="flaky"),
    pytest.param("!++", {"flakyError": 1}, {"error": 1, "flakyError": 1}, id="flaky-by-a-crash"),
    pytest.param(
        "+-!++",
        {"flakyFailure": 1, "flakyError": 1},
        {"failure": 1, "flakyFailure": 1, "flakyError": 1},
        id="flaky-by-both",
    ),
    pytest.param(
        "-+", {"failure": 1, "flakyFailure": 1}, {"failure": 1, "flakyFailure": 1}, id="half"
    ),
    pytest.param(
        "-+-!-",
        {"failure": 1, "flakyFailure": 3, "flakyError": 1},
        {"failure": 1, "flakyFailure": 3, "flakyError": 1},
        id="seldom-passed",
    ),
]
REASONS = {"+": [], "-": ["wrong answer"], "!": ["error: KeyError"]}


@pytest.mark.parametrize(("repeats", "majority", "all_of_them"), OUTCOMES)
def test_repeats_inside_a_test_case(report, run, repeats, majority, all_of_them) -> None:
    made = report([run("a", n, *REASONS[mark]) for n, mark in enumerate(repeats)])
    assert kinds(case_of(junit_xml(made), "a")) == majority
    assert kinds(case_of(junit_xml(made, rule="all"), "a")) == all_of_them


def test_a_failure_says_what_happened(report, run) -> None:
    calls = [
        {"name": "lookup", "args": {"order": "7"}, "error": "timeout"},
        {"name": "pay", "args": {}, "error": None},
    ]
    reasons = ["wrong answer", "forbidden tool: rm"]
    made = report([run("a", 0, *reasons, answer="two\nlines", calls=calls)])
    [failure] = case_of(junit_xml(made), "a")
    assert failure.attrib == {"message": "wrong answer; forbidden tool: rm", "type": "wrong answer"}
    assert failure.text == (
        "repeat 1 of 1: wrong answer; forbidden tool: rm\n"
        "status: final\n"
        "answer: two\nlines\n"
        '   1  lookup(order="7")  error: timeout\n'
        "   2  pay()"
    )


def test_an_error_has_its_type_and_traceback(desk) -> None:
    case = case_of(junit_xml(desk), "crash")
    error = case.find("error")
    assert error.get("type") == "KeyError"
    assert error.get("message") == "passed 0 of 5 repeats: error: KeyError"
    assert "no answer\nerror: KeyError: 'order'\ntraceback: Traceback" in error.text
    assert [again.get("type") for again in case.findall("rerunError")] == [
        *["KeyError"] * 3,
        "TimeoutError",
    ]


KIND_OF_FAULT = [
    pytest.param(["error: KeyError"], "error", "KeyError", id="crash"),
    pytest.param(["check error: state: KeyError"], "error", "check error", id="broken-check"),
    pytest.param(["wrong answer", "check error: s: E"], "failure", "wrong answer", id="both"),
    pytest.param(["forbidden tool: rm"], "failure", "forbidden tool", id="forbidden"),
    pytest.param(["not final"], "failure", "not final", id="not-final"),
]


@pytest.mark.parametrize(("reasons", "element", "kind"), KIND_OF_FAULT)
def test_an_error_is_what_broke_before_it_could_be_judged(
    report, run, reasons, element, kind
) -> None:
    [found] = case_of(junit_xml(report([run("a", 0, *reasons)])), "a")
    assert (found.tag, found.get("type")) == (element, kind)


def test_the_log_of_the_repeats(report, run) -> None:
    runs = [run("a", 0, cost=0.21), run("a", 1, "wrong answer", tool_calls=1), run("a", 2)]
    row = {
        "id": "a",
        "repeat": 2,
        "passed": True,
        "verdict": "warn",
        "why": "",
        "diagnosis": "sound",
    }
    case = case_of(junit_xml(report(runs), rows=[row]), "a")
    assert case.find("system-out").text == (
        "passed 2 of 3 repeats\n"
        "repeat 1 of 3: passed, 3 calls, 1.5 s, $0.21\n"
        "repeat 2 of 3: wrong answer, 1 call, 1.5 s\n"
        "repeat 3 of 3: passed, 3 calls, 1.5 s, trajectory warn"
    )
    assert case.get("time") == "4.500"


def rows_of(desk, verdicts: str) -> list[dict]:
    names = {"p": "pass", "w": "warn", "f": "fail"}
    return [
        {
            "id": run["id"],
            "repeat": run["repeat"],
            "passed": run["passed"],
            "verdict": names[verdicts[run["repeat"]]],
            "why": "a write tool ran twice",
            "diagnosis": "",
        }
        for run in desk["runs"]
    ]


BY = [
    pytest.param("passed", {}, id="by-outcome"),
    pytest.param("trajectory", {"failure": 1, "flakyFailure": 3}, id="by-path"),
    pytest.param("both", {"failure": 1, "flakyFailure": 3}, id="by-both"),
]


@pytest.mark.parametrize(("by", "wanted"), BY)
def test_a_right_answer_by_a_broken_path(desk, by, wanted) -> None:
    case = case_of(junit_xml(desk, rows=rows_of(desk, "fpfwf"), by=by), "address")
    assert kinds(case) == wanted
    if wanted:
        assert case.find("failure").get("message") == (
            "passed 2 of 5 repeats: trajectory: a write tool ran twice"
        )
        assert case.find("failure").get("type") == "trajectory"


def test_by_both_a_run_has_to_be_right_in_both(desk) -> None:
    # The outcomes of this task are + - + + +.
    shown = junit_xml(desk, rows=rows_of(desk, "fppff"), by="both")
    case = case_of(shown, "refund")
    assert case.find("failure").get("message") == (
        "passed 1 of 5 repeats: trajectory: a write tool ran twice"
    )
    only_path = case_of(junit_xml(desk, rows=rows_of(desk, "fppff"), by="trajectory"), "refund")
    assert "passed 2 of 5" in only_path.find("system-out").text


def test_a_crash_stays_an_error_when_paths_count_too(desk) -> None:
    case = case_of(junit_xml(desk, rows=rows_of(desk, "fffff"), by="both"), "crash")
    assert kinds(case) == {"error": 1, "rerunError": 4}


def test_the_suite_tells_the_figures(desk) -> None:
    suite = validated(junit_xml(desk, name="nightly"))
    assert (suite.get("name"), suite.get("tests")) == ("nightly", "4")
    assert (suite.get("failures"), suite.get("errors"), suite.get("skipped")) == ("1", "1", "0")
    assert suite.get("time") == "30.000"
    told = {one.get("name"): one.get("value") for one in suite.find("properties")}
    assert told["label"] == "refund desk 2"
    assert told["pass rate"].startswith("0.50 (10 of 20 runs, 4 tasks)")
    assert told["pass^5"] == "0.25"
    assert {case.get("classname") for case in suite.findall("testcase")} == {"nightly"}


def test_names_that_look_alike_are_told_apart(report, run) -> None:
    shown = junit_xml(report([run(1), run("1"), run("2"), run("a\n"), run("a\\n")]))
    names = [case.get("name") for case in validated(shown).findall("testcase")]
    assert sorted(names) == ['"1"', '"a\\\\n"', '"a\\n"', "1", "2"]


@pytest.mark.parametrize("rule", ["majority", "all"])
@pytest.mark.parametrize("seed", range(40))
def test_any_run_makes_valid_xml(odd_report, seed, rule) -> None:
    made, rows = odd_report(seed)
    suite = validated(junit_xml(made, rows=rows, rule=rule))
    assert len({case.get("name") for case in suite.findall("testcase")}) == made["tasks"]


def test_text_comes_back_as_it_was(odd_texts, report, run) -> None:
    for text in odd_texts.values():
        made = report([run("a", 0, "wrong answer", answer=text)])
        [failure] = case_of(junit_xml(made), "a")
        assert visible(text[:4000], keep="\n\t") in failure.text


def test_long_runs_are_cut(report, run) -> None:
    call = {"name": "n" * 1000, "args": {"a": "b" * 1000}, "error": "e" * 1000}
    runs = [run("a", n, "r", answer="x" * 200_000, calls=[call] * 300) for n in range(3)]
    shown = junit_xml(report(runs))
    assert len(shown) < 300_000
    assert "... (200,000 characters)" in shown
    assert "and 200 more calls" in shown


def test_no_text_of_a_run_is_endless(report, run) -> None:
    for long in ("x" * 10**5, "\x00" * 10**5, "x " * 10**5):
        crash = {"error": long, "traceback": long, "status": long, "answer": long}
        made = report(
            [run(long, n, f"error: {long}", long, long, **crash) for n in range(3)], label=long
        )
        shown = junit_xml(made, name=long)
        assert len(shown) < 100_000
        suite = validated(shown)
        [case] = suite.findall("testcase")
        for problem in case:
            assert len(problem.get("message", "")) < 1_100
            assert len(problem.get("type", "")) <= 200
        assert len(suite.get("name")) <= 200


def test_it_can_be_read_as_text_and_as_bytes(desk) -> None:
    shown = junit_xml(desk)
    assert shown.startswith('<?xml version="1.0"?>\n<testsuite ')
    assert ET.fromstring(shown.encode()).attrib == ET.fromstring(shown).attrib


def test_a_stored_report_makes_the_same(desk) -> None:
    assert junit_xml(json.loads(json.dumps(desk))) == junit_xml(desk)


def test_a_report_is_not_changed(desk) -> None:
    before = copy.deepcopy(dict(desk))
    junit_xml(desk)
    assert dict(desk) == before


def test_no_runs_at_all() -> None:
    empty = {"pass_rate": 0.0, "passed": 0, "total": 0, "tasks": 0, "reasons": {}, "runs": []}
    assert validated(junit_xml(empty)).get("tests") == "0"


WRONG = [
    pytest.param({"by": "path"}, r"unknown by 'path'; use one of 'passed', 'traj", id="by"),
    pytest.param({"rule": "any"}, r"unknown rule 'any'; use one of 'majority', 'all'", id="rule"),
    pytest.param(
        {"by": "both"},
        r"run 'crash', repeat 0, has no row to be judged by; pass rows=agenteval\.score_runs",
        id="no-rows",
    ),
]


@pytest.mark.parametrize(("choice", "message"), WRONG)
def test_a_bad_choice_is_refused(desk, choice, message) -> None:
    with pytest.raises(ValueError, match=rf"junit_xml: {message}"):
        junit_xml(desk, **choice)


def test_what_is_no_report() -> None:
    with pytest.raises(TypeError, match=r"junit_xml: report must be what .* got list \[\]"):
        junit_xml([])
