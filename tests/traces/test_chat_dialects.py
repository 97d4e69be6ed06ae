"""Benchmarks' own ways to store chat messages: AgentDojo, tau-bench, tau2-bench, SWE-agent."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from agenteval.traces import TraceFormatError, from_openai_chat, from_trace

Cases = Callable[[str], list[dict[str, Any]]]


@pytest.fixture
def trace(cases: Cases) -> Callable[[str], Any]:
    """A copy of a hand-made benchmark run, to be changed at will."""
    by_name = {case["name"]: case["trace"] for case in cases("benchmark_runs")}
    return lambda name: copy.deepcopy(by_name[name])


@pytest.mark.parametrize(
    ("name", "status"),
    [
        pytest.param("agentdojo", "final", id="agentdojo"),
        pytest.param("tau1", "final", id="tau-bench, though the user has the last word"),
        pytest.param("tau2", "final", id="tau2-bench, though the user has the last word"),
        pytest.param("swe_agent", "incomplete", id="SWE-agent ends in a patch, not an answer"),
    ],
)
def test_the_status(trace: Callable[[str], Any], name: str, status: str) -> None:
    assert from_openai_chat(trace(name))["status"] == status


@pytest.mark.parametrize(
    ("wrapping", "content"),
    [
        pytest.param(lambda messages: {"traj": messages}, "Hi.", id="tau-bench"),
        pytest.param(
            lambda messages: {"simulations": [{"id": "s", "messages": messages}]}, "Hi.", id="tau2"
        ),
        pytest.param(
            lambda messages: {"termination_reason": "agent_stop", "messages": messages},
            "Hi.",
            id="tau2, one simulation",
        ),
        pytest.param(
            lambda messages: {"suite_name": "library", "messages": messages},
            [{"type": "text", "content": "Hi."}],
            id="AgentDojo",
        ),
        pytest.param(
            lambda messages: {"history": messages, "trajectory": []}, "Hi.", id="SWE-agent"
        ),
    ],
)
def test_a_dialect_is_recognized_without_any_call(
    wrapping: Callable[[Any], Any], content: Any
) -> None:
    run = wrapping([{"role": "assistant", "content": content}])
    result = from_trace(run)
    assert (result["trace"]["format"], result["answer"]) == ("openai_chat", "Hi.")
    assert result["status"] == "final"


@pytest.mark.parametrize("key", ["history", "trajectory"])
def test_half_a_wrapping_is_none(key: str) -> None:
    with pytest.raises(TraceFormatError, match="an object with 'messages' or 'choices' or 'role'"):
        from_openai_chat({key: [{"role": "assistant", "content": "Hi."}]})
    with pytest.raises(TraceFormatError, match="from_trace"):
        from_trace({key: [{"role": "assistant", "content": "Hi."}]})


def test_only_tau2_names_the_call_in_the_messages_own_id() -> None:
    function = {"name": "f", "arguments": "{}"}
    call = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "function": function}],
    }
    row = {"role": "tool", "id": "row 7", "name": "f", "content": "no"}
    (made,) = from_openai_chat([call, row], is_error="no".__eq__)["calls"]
    assert made.error == "no", "a log's own id is not the call's: the name pairs"
    named = row | {"tool_call_id": "c1", "requestor": "assistant"}
    (made,) = from_openai_chat([call, named], is_error="no".__eq__)["calls"]
    assert made.error == "no"


def test_agentdojo_says_that_the_run_broke(trace: Callable[[str], Any]) -> None:
    run = trace("agentdojo") | {"error": "out of context"}
    assert from_openai_chat(run)["status"] == "failed"


def test_agentdojo_results_find_their_call_in_tool_call(trace: Callable[[str], Any]) -> None:
    run = trace("agentdojo")
    for message in run["messages"]:
        if message["role"] == "tool":
            message["tool_call_id"] = None
    run["messages"][2:4] = reversed(run["messages"][2:4])
    assert [call.error for call in from_openai_chat(run)["calls"]] == [
        "ValueError: card expired",
        None,
    ]


def test_tau_bench_tells_failures_by_their_first_word(trace: Callable[[str], Any]) -> None:
    run = trace("tau1")
    run["traj"][3]["content"] = "Unknown action refnd"
    run["traj"][5]["content"] = "No Error here"
    assert [call.error for call in from_openai_chat(run)["calls"]] == ["Unknown action refnd", None]


def test_a_tau_bench_user_who_goes_on_leaves_the_run_open(trace: Callable[[str], Any]) -> None:
    run = trace("tau1")
    run["traj"][-1]["content"] = "And now?"
    assert from_openai_chat(run)["status"] == "incomplete"


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        pytest.param("user_stop", "final", id="user hangs up"),
        pytest.param("agent_stop", "final", id="agent hangs up"),
        pytest.param("max_steps", "cut off", id="too long"),
        pytest.param("too_many_errors", "failed", id="too many errors"),
        pytest.param("some_new_reason", "failed", id="a reason not known"),
        pytest.param(None, "incomplete", id="none: the user has the last word"),
    ],
)
def test_how_a_tau2_simulation_ended(
    trace: Callable[[str], Any], reason: str | None, status: str
) -> None:
    simulation = trace("tau2")["simulations"][0] | {"termination_reason": reason}
    assert from_openai_chat({"simulations": [simulation]})["status"] == status
    assert from_openai_chat(simulation)["status"] == status, "a simulation alone"
    assert from_trace(simulation)["status"] == status


def results_file(simulation: dict[str, Any]) -> dict[str, Any]:
    other = copy.deepcopy(simulation) | {"id": "s2", "termination_reason": "max_steps"}
    other["messages"] = other["messages"][:5]
    return {"tasks": [], "simulations": [simulation, other]}


@pytest.mark.parametrize(
    ("case", "calls", "status"),
    [
        pytest.param(None, 5, "cut off", id="all of them, with the first trouble"),
        pytest.param("s1", 3, "final", id="by id"),
        pytest.param("s2", 2, "cut off", id="the other"),
        pytest.param(0, 3, "final", id="by position"),
        pytest.param(1, 2, "cut off", id="the other position"),
    ],
)
def test_a_tau2_file_with_several_simulations(
    trace: Callable[[str], Any], case: str | int | None, calls: int, status: str
) -> None:
    whole = results_file(trace("tau2")["simulations"][0])
    for read in (from_openai_chat, from_trace):
        result = read(whole, case=case)
        assert (len(result["calls"]), result["status"]) == (calls, status)
        assert result["trace"]["cases"] == ["s1", "s2"]


def test_a_tau2_result_is_never_taken_from_the_next_simulation(
    trace: Callable[[str], Any],
) -> None:
    whole = results_file(trace("tau2")["simulations"][0])
    whole["simulations"].reverse()
    result = from_openai_chat(whole)
    assert result["status"] == "cut off", "of the first, though the last is final"
    assert result["trace"]["unanswered_calls"] == [1]
    assert result["trace"]["unpaired_results"] == 0


def test_a_case_that_is_not_there(trace: Callable[[str], Any]) -> None:
    with pytest.raises(ValueError, match=r"no case 's9' in this trace; use one of 's1', or a pos"):
        from_openai_chat(trace("tau2"), case="s9")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"simulations": []}, "expected at least one simulation", id="none"),
        pytest.param({"simulations": {}}, "simulations: expected a list", id="no list"),
        pytest.param({"simulations": [3]}, r"simulations\[0\]: expected an object", id="a number"),
        pytest.param(
            {"simulations": [{"id": "s"}]},
            r"simulations\[0\].messages: expected a list",
            id="empty",
        ),
        pytest.param(
            {"simulations": [{"id": "s", "messages": [], "termination_reason": 3}]},
            r"simulations\[0\].termination_reason: expected text",
            id="reason",
        ),
    ],
)
def test_a_damaged_results_file(change: dict[str, Any], message: str) -> None:
    with pytest.raises(TraceFormatError, match=message):
        from_openai_chat(change)


def test_a_swe_agent_step_may_answer_several_calls(trace: Callable[[str], Any]) -> None:
    run = trace("swe_agent")
    call = copy.deepcopy(run["history"][2]["tool_calls"][0]) | {"id": "c2"}
    run["history"][2]["tool_calls"].append(call)
    run["history"][3]["tool_call_ids"].append("c2")
    assert from_openai_chat(run)["trace"]["unanswered"] == 0


def test_a_swe_agent_run_whose_calls_are_text_is_refused_not_read_as_empty(
    trace: Callable[[str], Any],
) -> None:
    run = trace("swe_agent")
    del run["history"][2]["tool_calls"]
    with pytest.raises(TraceFormatError, match="expected a SWE-agent run with function calling"):
        from_openai_chat(run)


def asked(*names: str) -> dict[str, Any]:
    calls = [{"id": name, "function": {"name": name, "arguments": "{}"}} for name in names]
    return {"role": "assistant", "content": None, "tool_calls": calls, "name": "agent"}


def test_autogen_bundles_results_in_one_message() -> None:
    answers = [
        {"tool_call_id": "g", "role": "tool", "content": "Error: g"},
        {"tool_call_id": "f", "role": "tool", "content": "f is fine"},
    ]
    bundle = {"role": "tool", "tool_responses": answers, "content": "Error: g\n\nf is fine"}
    said = {"role": "assistant", "content": "Done."}
    for name in ("user", None):
        messages = [asked("f", "g"), bundle | {"name": name}, said]
        result = from_openai_chat(messages, is_error=lambda text: text.startswith("Error"))
        assert [call.error for call in result["calls"]] == [None, "Error: g"]
        assert (result["status"], result["trace"]["unpaired_results"]) == ("final", 0)
        assert from_trace(messages)["trace"]["unanswered"] == 0


def test_a_bundle_of_autogen_with_a_part_that_is_no_result_is_refused() -> None:
    bundle = {"role": "tool", "tool_responses": [7], "content": "x"}
    with pytest.raises(TraceFormatError, match=r"tool_responses\[0\]: expected an object"):
        from_openai_chat([asked("f"), bundle])


def test_ollama_names_the_tool_of_a_result() -> None:
    calls = [{"function": {"name": name, "arguments": {}}} for name in ("f", "g", "f")]
    messages = [
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "tool_name": "g", "content": "g"},
        {"role": "tool", "tool_name": "f", "content": "first f"},
        {"role": "tool", "tool_name": "f", "content": "second f"},
        {"role": "assistant", "content": "Done."},
    ]
    result = from_openai_chat(messages, is_error=bool)
    assert [call.error for call in result["calls"]] == ["first f", "g", "second f"]
    assert result["status"] == "final"
    with pytest.raises(TraceFormatError, match="tool_name: expected text, got int 7"):
        from_openai_chat([messages[0], {"role": "tool", "tool_name": 7, "content": "g"}])
