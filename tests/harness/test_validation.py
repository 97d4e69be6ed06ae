"""Tasks are checked before the first agent call is paid for."""

from __future__ import annotations

import json
import random
import types
from decimal import Decimal
from unittest.mock import ANY

import pytest

from agenteval.harness import evaluate, evaluate_async, iter_runs, run_task, validate_tasks
from agenteval.trajectory import Call, any_order_of, one_of, optional, score_runs
from agenteval.trajectory.tasks import PATH_KEYS

NAN = float("nan")
STEP = {"name": "look", "args": {}}
OPTIONAL = (
    "max_tool_calls max_cost max_seconds forbidden_tools reference references mode args_match "
    "reference_cost metadata"
)

WRONG = [
    pytest.param(
        {"id": None}, TypeError, "'id' must be a str or an int, got NoneType", id="id None"
    ),
    pytest.param({"id": True}, TypeError, "'id' must be a str or an int, got bool", id="id bool"),
    pytest.param({"id": 1.0}, TypeError, "'id' must be a str or an int, got float", id="id float"),
    pytest.param(
        {"expected": True},
        TypeError,
        "'expected' must be .* got bool True; answers are text",
        id="expected bool",
    ),
    pytest.param(
        {"expected": {"a": 1}},
        TypeError,
        "'expected' must be a str, a number, a list",
        id="expected dict",
    ),
    pytest.param({"expected": {"a"}}, TypeError, "'expected' must be", id="expected set"),
    pytest.param(
        {"expected": b"yes"}, TypeError, "'expected' must be .* got bytes", id="expected bytes"
    ),
    pytest.param({"expected": []}, ValueError, "'expected' is an empty list", id="expected empty"),
    pytest.param(
        {"expected": ["a", None]},
        TypeError,
        r"'expected'\[1\] must be a str or a number",
        id="expected None inside",
    ),
    pytest.param(
        {"expected": ["a", False]},
        TypeError,
        r"'expected'\[1\] must be .*bool",
        id="expected bool inside",
    ),
    pytest.param(
        {"expected": NAN}, ValueError, "'expected' is NaN, often an empty cell", id="expected NaN"
    ),
    pytest.param(
        {"expected": ["a", NAN]}, ValueError, r"'expected'\[1\] is NaN", id="expected NaN inside"
    ),
    pytest.param(
        {"max_tool_calls": -1},
        ValueError,
        "'max_tool_calls' must be an int of at least 0, got -1",
        id="budget negative",
    ),
    pytest.param(
        {"max_tool_calls": 2.0},
        TypeError,
        "'max_tool_calls' must be an int .*got float 2.0",
        id="budget float",
    ),
    pytest.param(
        {"max_tool_calls": True},
        TypeError,
        "'max_tool_calls' must be an int .*got bool",
        id="budget bool",
    ),
    pytest.param(
        {"max_tool_calls": "2"},
        TypeError,
        "'max_tool_calls' must be an int .*got str",
        id="budget text",
    ),
    pytest.param(
        {"max_cost": -1},
        ValueError,
        "'max_cost' must be a number of at least 0",
        id="cost negative",
    ),
    pytest.param({"max_cost": NAN}, ValueError, "'max_cost' must be .*got nan", id="cost NaN"),
    pytest.param({"max_cost": "1"}, TypeError, "'max_cost' must be .*got str", id="cost text"),
    pytest.param(
        {"max_seconds": -1}, ValueError, "'max_seconds' must be a number", id="time negative"
    ),
    pytest.param(
        {"max_seconds": True}, TypeError, "'max_seconds' must be a number", id="time bool"
    ),
    pytest.param(
        {"reference_cost": [1]}, TypeError, "'reference_cost' must be a number", id="reference cost"
    ),
    pytest.param(
        {"reference_cost": -0.1}, ValueError, "'reference_cost' must be .*got -0.1", id="below 0"
    ),
    pytest.param(
        {"reference_cost": NAN}, ValueError, "'reference_cost' must be .*got nan", id="NaN cost"
    ),
    pytest.param(
        {"reference_cost": True}, TypeError, "'reference_cost' must be .*bool", id="cost bool"
    ),
    pytest.param(
        {"forbidden_tools": "rm"},
        TypeError,
        r"'forbidden_tools' must be a list of tool names, got str 'rm'; write \['rm'\]",
        id="forbidden text",
    ),
    pytest.param(
        {"forbidden_tools": {"rm": True}},
        TypeError,
        "'forbidden_tools' must be a list .*got dict",
        id="forbidden dict",
    ),
    pytest.param(
        {"forbidden_tools": 3}, TypeError, "'forbidden_tools' must be a list", id="forbidden int"
    ),
    pytest.param(
        {"forbidden_tools": ["rm", None]},
        TypeError,
        r"'forbidden_tools'\[1\] must be a tool's name",
        id="forbidden None inside",
    ),
    pytest.param(
        {"reference": STEP},
        TypeError,
        "'reference' must be a list of calls, got dict",
        id="one step",
    ),
    pytest.param(
        {"reference": "look"}, TypeError, "'reference' must be a list of calls, got str", id="text"
    ),
    pytest.param(
        {"reference": ["look"]},
        TypeError,
        r"'reference'\[0\]: a call must be a Call",
        id="text step",
    ),
    pytest.param(
        {"reference": [STEP, None]}, TypeError, r"'reference'\[1\]: a call must be", id="step None"
    ),
    pytest.param(
        {"reference": [[STEP]]}, TypeError, r"'reference'\[0\]: a call must be", id="list step"
    ),
    pytest.param(
        {"reference": [{"tool": "look"}]},
        ValueError,
        r"'reference'\[0\]: a step must be a call or one group",
        id="step without name",
    ),
    pytest.param(
        {"reference": [{"optionl": STEP}]},
        ValueError,
        "did you mean 'optional'",
        id="misspelled group",
    ),
    pytest.param(
        {"reference": [{"optional": STEP, "one_of": [STEP]}]},
        ValueError,
        r"'reference'\[0\]: a step must be a call or one group",
        id="two groups",
    ),
    pytest.param(
        {"reference": [{"name": "look", "args": "{}"}]},
        TypeError,
        r"'reference'\[0\]: Call\('look'\): args must be a mapping",
        id="arguments text",
    ),
    pytest.param(
        {"reference": [{"name": "look", "arguments": {}}]},
        TypeError,
        r"'reference'\[0\]: a call's arguments stand under 'args'",
        id="arguments elsewhere",
    ),
    pytest.param(
        {"references": [STEP]}, TypeError, r"'references'\[0\] must be a list of calls", id="flat"
    ),
    pytest.param(
        {"references": []}, ValueError, "'references' is an empty list", id="no references"
    ),
    pytest.param(
        {"references": "look"},
        TypeError,
        "'references' must be a list of references",
        id="references text",
    ),
    pytest.param(
        {"reference": [STEP], "references": [[STEP]]},
        ValueError,
        "has both 'reference' and 'references'",
        id="both",
    ),
    pytest.param(
        {"mode": "in_ordr"},
        ValueError,
        "'mode': unknown mode 'in_ordr'; .*did you mean 'in_order'",
        id="mode slip",
    ),
    pytest.param(
        {"mode": "superset"}, ValueError, "did you mean 'any_order'", id="another library's mode"
    ),
    pytest.param(
        {"mode": ["exact"]}, TypeError, r"'mode': unknown mode \['exact'\]", id="mode list"
    ),
    pytest.param(
        {"reference": [{"one_of": []}]}, ValueError, "one_of needs at least one", id="group empty"
    ),
    pytest.param(
        {"reference": [STEP, {"one_of": STEP}]},
        TypeError,
        r"'reference'\[1\]: one_of needs a list of calls",
        id="group of one call",
    ),
    pytest.param(
        {"reference": [{"any_order_of": [STEP, {"name": "look", "args": "{}"}]}]},
        TypeError,
        r"'reference'\[0\]: Call\('look'\): args must be a mapping",
        id="arguments text in a group",
    ),
    pytest.param(
        {"references": [[STEP], [STEP, {"optional": {"any_order_of": [STEP]}}]]},
        TypeError,
        r"'references'\[1\]\[1\]: any_order_of cannot stand inside optional",
        id="group in the wrong place",
    ),
    pytest.param(
        {"references": [[{"optional": {"optionl": STEP}}]]},
        ValueError,
        r"'references'\[0\]\[0\]: a step must be .*did you mean 'optional'",
        id="misspelled group inside",
    ),
    pytest.param(
        {"reference": iter([STEP])},
        TypeError,
        "'reference' must be a list of calls, got list_iterator",
        id="reference used up by reading",
    ),
    pytest.param(
        {"args_match": {"look": ["a", 7]}},
        TypeError,
        "args_match of 'look' must list argument names, got 7",
        id="rule of no names",
    ),
    pytest.param(
        {"args_match": "exat"},
        ValueError,
        "'exat' is no rule; .*did you mean 'exact'",
        id="rule slip",
    ),
    pytest.param({"args_match": 3}, TypeError, "args_match must be one of 'exact'", id="rule int"),
    pytest.param({"args_match": []}, ValueError, "args_match lists no argument", id="rule empty"),
    pytest.param(
        {"args_match": {"look": "exat"}},
        ValueError,
        "args_match of 'look' 'exat' is no rule",
        id="rule slip of a tool",
    ),
    pytest.param(
        {"args_match": {3: "exact"}},
        TypeError,
        "args_match must map tool names",
        id="rule of no tool",
    ),
]


@pytest.mark.parametrize(("change", "kind", "text"), WRONG)
def test_a_wrong_task_is_named_before_anything_is_paid_for(make_task, change, kind, text):
    asked = []
    tasks = [make_task("first"), {**make_task("second"), **change}]
    name = repr(tasks[1]["id"])
    with pytest.raises(kind, match=text) as caught:
        evaluate(asked.append, tasks)
    assert str(caught.value).startswith(f"evaluate: task {name} (position 1)")
    with pytest.raises(kind, match=text) as caught:
        validate_tasks(iter(tasks))
    assert str(caught.value).startswith(f"validate_tasks: task {name} (position 1)")
    with pytest.raises(kind, match=text) as caught:
        iter_runs(asked.append, tasks)
    assert str(caught.value).startswith(f"iter_runs: task {name} (position 1)")
    with pytest.raises(kind, match=text) as caught:
        evaluate_async(asked.append, tasks).send(None)
    assert str(caught.value).startswith(f"evaluate_async: task {name} (position 1)")
    with pytest.raises(kind, match=text) as caught:
        run_task(asked.append, tasks[1])
    assert str(caught.value).startswith(f"run_task: task {name}")
    assert asked == []


@pytest.mark.parametrize(
    ("tasks", "kind", "text"),
    [
        pytest.param([], ValueError, "there are no tasks; pass at least one", id="none"),
        pytest.param(
            {"id": 1},
            TypeError,
            "must be a list of task dicts, got dict .*wrap one task",
            id="one task",
        ),
        pytest.param(
            {"tasks": [{"id": 1}]},
            TypeError,
            r"got dict .*pass tasks\['tasks'\]",
            id="a file's dict",
        ),
        pytest.param(
            "tasks.json",
            TypeError,
            "must be a list of task dicts, got str .*load them first, for instance with json.loads",
            id="text",
        ),
        pytest.param(
            ['{"id": 1}\n'],
            TypeError,
            "task at position 0 must be a dict.*decode each line with json.loads",
            id="lines",
        ),
        pytest.param(7, TypeError, "must be a list of task dicts, got int", id="int"),
        pytest.param(
            ["id"],
            TypeError,
            r"task at position 0 must be a dict.*df.to_dict\('records'\)",
            id="columns",
        ),
        pytest.param(
            [None], TypeError, "task at position 0 must be a dict, got NoneType", id="None"
        ),
    ],
)
def test_wrong_collections(tasks, kind, text):
    with pytest.raises(kind, match=f"evaluate: .*{text}"):
        evaluate(len, tasks)


@pytest.mark.parametrize("key", ["id", "input", "expected"])
def test_a_missing_key_is_named(make_task, key):
    task = make_task()
    del task[key]
    with pytest.raises(
        ValueError, match=rf"position 1\): '{key}' is missing; a task needs 'id', 'inp"
    ):
        validate_tasks([make_task("a"), task])


def test_a_missing_key_and_its_slip(make_task):
    task = make_task(expecteds="5")
    del task["expected"]
    with pytest.raises(
        ValueError, match=r"'expected' is missing \(is 'expecteds' meant to be it\?\)"
    ):
        validate_tasks([task])


def test_an_id_stands_once(make_task):
    tasks = [make_task("a"), make_task("b"), make_task("a")]
    with pytest.raises(ValueError, match="evaluate: task id 'a' stands at positions 0 and 2; give"):
        evaluate(len, tasks)


def test_one_and_its_text_are_two_ids(make_task, good):
    report = evaluate(good, [make_task(1), make_task("1")])
    assert [run["id"] for run in report["runs"]] == [1, "1"]
    assert report["tasks"] == 2


SLIPS = {
    "forbidden_tools": (
        "forbiden_tools forbidden_tool forbidden-tools forbiddenTools Forbidden_Tools "
        "forbidden_toosl forbiden_tool FORBIDDEN_TOOLS forbidden__tools forbbiden_tools "
        "fobidden_tools forbid_tools forbidden"
    ),
    "max_tool_calls": (
        "max_tool_call max_tools_calls maxToolCalls max-tool-calls max_toolcalls max_tool_cals "
        "max_tool_clals mx_tool_calls max_tools_call max_calls maxCalls"
    ),
    "max_cost": "max_costs max_cst maxCost max_cots Max_Cost",
    "max_seconds": "max_second maxSeconds max_secounds",
    "reference": "refernce Reference referense refrence reference_",
    "references": "refernces References",
    "reference_cost": "reference_costs referenceCost refrence_cost",
    "args_match": "arg_match args_mach argsMatch",
    "mode": "Mode MODE",
    "expected": "Expected EXPECTED",
}


@pytest.mark.parametrize(
    ("slip", "meant"), [(slip, key) for key, slips in SLIPS.items() for slip in slips.split()]
)
def test_a_slip_switches_nothing_off(make_task, slip, meant):
    with pytest.raises(
        ValueError, match=f"unknown key '{slip}' nearly spells '{meant}'; correct it"
    ):
        validate_tasks([make_task(expected=None, **{slip: None})])


OWN = (
    "metadata2 inputs input_text tags model models modes code node node_id preference preferences "
    "difference inference idx uid ids expected_output expected_tools max_tokens max_turns "
    "max_steps max_records max_rounds max_retries max_count max_score max_cost_usd "
    "forbidden_topics forbidden_words allowed_tools tools notes weight category difficulty "
    "reference_answer reference_id reference_code arguments match meta _id"
)


@pytest.mark.parametrize("key", [*OWN.split(), 7, ("a", "b")], ids=str)
def test_own_keys_are_allowed(make_task, key):
    assert validate_tasks([{**make_task(), key: 1}])


@pytest.mark.parametrize("key", ["Expected", "ID", "Input", "meta_data", "Metadata"])
def test_a_look_alike_of_a_harmless_key_is_ones_own_while_the_key_is_there(make_task, key):
    assert validate_tasks([make_task(metadata={}, **{key: 1})])


def test_random_single_slips_are_found(make_task):
    """Drop, double, swap or replace one letter after the first: always refused."""
    dice = random.Random(11)
    for key in ("forbidden_tools", "max_tool_calls", "max_seconds", "args_match", "reference_cost"):
        for _ in range(60):
            at = dice.randrange(1, len(key) - 1)
            slip = dice.choice(
                [
                    key[:at] + key[at + 1 :],
                    key[:at] + key[at] + key[at:],
                    key[:at] + key[at + 1] + key[at] + key[at + 2 :],
                    key[:at] + dice.choice("qxz") + key[at + 1 :],
                ]
            )
            if slip != key:
                with pytest.raises(ValueError, match=f"nearly spells '{key}'"):
                    validate_tasks([make_task(**{slip: None})])


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({}, id="required only"),
        pytest.param(dict.fromkeys(OPTIONAL.split()), id="all None, as a table leaves them"),
        pytest.param(
            {"forbidden_tools": ("rm",), "max_tool_calls": 0, "max_cost": 0}, id="zero limits"
        ),
        pytest.param({"forbidden_tools": {"rm"}}, id="a set of tools"),
        pytest.param({"expected": [1, 2.5, "x"]}, id="mixed acceptable"),
        pytest.param({"expected": Decimal("1.5")}, id="decimal"),
        pytest.param({"reference_cost": Decimal("1.5")}, id="decimal cost"),
        pytest.param({"reference": [STEP, Call("pay", {"to": ANY})]}, id="reference"),
        pytest.param({"reference": []}, id="empty reference"),
        pytest.param(
            {"reference": [types.SimpleNamespace(name="look", args={}, error=None)]},
            id="look-alike step",
        ),
        pytest.param(
            {
                "reference": [
                    any_order_of(Call("a"), Call("b")),
                    optional(Call("c")),
                    one_of(Call("d")),
                ]
            },
            id="groups",
        ),
        pytest.param({"references": [[STEP], (Call("b"),)]}, id="references"),
        pytest.param(
            {"mode": "exact", "args_match": {"look": ["path"], "*": "subset"}}, id="rules"
        ),
        pytest.param({"args_match": lambda actual, reference: True}, id="own rule"),
        pytest.param({"input": object()}, id="any input"),
    ],
)
def test_good_tasks(make_task, more):
    tasks = [{**make_task(), **more}]
    assert validate_tasks(tasks) == tasks
    assert validate_tasks(task for task in tasks)[0] is tasks[0]


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        pytest.param(parameter.values[0], parameter.values[1], id=parameter.id)
        for parameter in WRONG
        if parameter.values[0].keys() & set(PATH_KEYS)
    ]
    + [pytest.param({slip: None}, ValueError, id=slip) for slip in ("refernce", "argsMatch")],
)
def test_scoring_refuses_what_validation_does(make_task, change, kind):
    task = {**make_task("t"), **change}
    with pytest.raises(kind, match=r"^validate_tasks: task 't' \(position 0\)") as validated:
        validate_tasks([task])
    with pytest.raises(kind, match=r"^score_runs: task 't'") as scored:
        score_runs([], [task])
    texts = [str(caught.value) for caught in (validated, scored)]
    assert texts[0].removeprefix("validate_tasks: task 't' (position 0)") == texts[1].removeprefix(
        "score_runs: task 't'"
    )


def test_a_task_may_be_any_mapping(make_task, good):
    assert evaluate(good, [types.MappingProxyType(make_task())])["passed"] == 1


def test_tasks_are_not_changed(make_task):
    tasks = [make_task(forbidden_tools=["b", "a"], reference=[STEP], own={"x": [1]})]
    before = json.dumps(tasks)
    validate_tasks(tasks)
    assert json.dumps(tasks) == before


def test_a_long_value_is_cut(make_task):
    with pytest.raises(TypeError) as caught:
        validate_tasks([make_task(forbidden_tools="x" * 10_000)])
    assert len(str(caught.value)) < 300


def test_counts_of_other_libraries(make_task, make_result):
    class Whole:
        def __index__(self):
            return 2

    run = run_task(lambda given: make_result(tool_calls=Whole()), make_task(max_tool_calls=1))
    assert (run["reasons"], run["tool_calls"]) == (["over budget"], 2)
