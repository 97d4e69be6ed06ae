"""How to evaluate an agent that you have: three loops, each wrapped in three to five lines.

The loops are what the providers' own guides show: one over OpenAI's chat completions, one over
Anthropic's messages, one that hands everything to a LangGraph graph. The model behind them is a
stand-in that goes by a script and answers in the real response shapes, so that the example runs
offline; put your client in its place and nothing else changes.

Run it with ``python examples/wrap_an_agent.py``.
"""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import Any

from agenteval import (
    Call,
    evaluate,
    from_anthropic,
    from_langchain,
    from_openai_chat,
    score_runs,
)

# --------------------------------------------------------------------------------------------
# A plant nursery: its tools, and the tasks with the paths that its owner would approve.

STOCK = {"palm": 4, "fern": 0}


def stock_level(item: str) -> str:
    return str(STOCK[item])


def place_order(item: str, count: int) -> str:
    if count > STOCK[item]:
        raise ValueError(f"only {STOCK[item]} {item}s left")
    return "order 881 is placed"


TOOLS = {"stock_level": stock_level, "place_order": place_order}

TASKS = [
    {
        "id": "palms",
        "input": "Order 3 palms.",
        "expected": "Order 881 is placed.",
        "reference": [
            Call("stock_level", {"item": "palm"}),
            Call("place_order", {"item": "palm", "count": 3}),
        ],
    },
    {
        "id": "ferns",
        "input": "Order 2 ferns.",
        "expected": "Sorry, only 0 ferns left.",
        "reference": [Call("stock_level", {"item": "fern"})],
        "forbidden_tools": ["place_order"],
    },
]

# --------------------------------------------------------------------------------------------
# The wraps: all that you have to write. Each is an agent: a question in, a result out.


def openai_agent(question: str) -> dict:
    messages = run_openai_loop(question)
    return from_openai_chat(messages, is_error=lambda text: text.startswith("Error"))


def anthropic_agent(question: str) -> dict:
    messages = run_anthropic_loop(question)
    return from_anthropic(messages)


def langgraph_agent(question: str) -> dict:
    state = graph.invoke({"messages": [{"role": "user", "content": question}]})
    return from_langchain(state)


def main() -> None:
    for agent in (openai_agent, anthropic_agent, langgraph_agent):
        report = evaluate(agent, TASKS)
        rows = score_runs(report["runs"], TASKS, write_tools={"place_order"})
        print(f"{agent.__name__}: {report['passed']} of {report['total']} passed")
        for run, row in zip(report["runs"], rows, strict=True):
            print(f"  {run['id']}: {run['answer']} {run['reasons']}, path {row['verdict']}")
            for call in run["calls"]:
                error = f"  error: {call['error']}" if call["error"] else ""
                print(f"    {call['name']}({call['args']}){error}")


# --------------------------------------------------------------------------------------------
# The loops that you have already.


def use(tool: str, arguments: dict[str, Any]) -> str:
    return TOOLS[tool](**arguments)


def run_openai_loop(question: str) -> list[Any]:
    messages: list[Any] = [{"role": "user", "content": question}]
    while True:
        reply = openai_client.chat.completions.create(model="m", messages=messages)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return messages
        for call in message.tool_calls:
            try:
                content = use(call.function.name, json.loads(call.function.arguments))
            except ValueError as error:
                content = f"Error: {error}"
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})


def run_anthropic_loop(question: str) -> list[Any]:
    messages: list[Any] = [{"role": "user", "content": question}]
    while True:
        reply = anthropic_client.messages.create(model="m", max_tokens=99, messages=messages)
        messages.append({"role": "assistant", "content": reply.content})
        if reply.stop_reason != "tool_use":
            return messages
        results = []
        for block in reply.content:
            if block.type == "tool_use":
                result = {"type": "tool_result", "tool_use_id": block.id}
                try:
                    result |= {"content": use(block.name, block.input)}
                except ValueError as error:
                    result |= {"content": str(error), "is_error": True}
                results.append(result)
        messages.append({"role": "user", "content": results})


# --------------------------------------------------------------------------------------------
# The stand-ins for the model and for the graph: nothing below is of use outside this example.


def think(question: str, results: list[str]) -> tuple[str, dict[str, Any]] | str:
    """Say what the model does next: call a tool, or answer. It never looks at the stock."""
    count, item = re.search(r"(\d+) (palm|fern)", question).groups()
    if not results:
        return "stock_level", {"item": item}
    if len(results) == 1:
        return "place_order", {"item": item, "count": int(count)}
    short = re.search(r"only .*", results[1])
    return f"Sorry, {short[0]}." if short else "Order 881 is placed."


class Spoken:
    """An object as the SDKs return them: fields as attributes, ``model_dump`` for plain data."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    def __getattr__(self, name: str) -> Any:
        value = self.data[name]
        if isinstance(value, list):
            return [Spoken(one) for one in value]
        return Spoken(value) if isinstance(value, dict) and name != "input" else value

    def model_dump(self) -> dict[str, Any]:
        return self.data


def complete(*, model: str, messages: list[Any]) -> Spoken:
    results = [one["content"] for one in messages[1:] if isinstance(one, dict)]
    step = think(messages[0]["content"], results)
    message: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": None}
    if isinstance(step, str):
        message["content"] = step
    else:
        function = {"name": step[0], "arguments": json.dumps(step[1])}
        call = {"id": f"call_{len(messages)}", "type": "function", "function": function}
        message["tool_calls"] = [call]
    reason = "stop" if isinstance(step, str) else "tool_calls"
    choice = {"index": 0, "finish_reason": reason, "message": message}
    return Spoken({"object": "chat.completion", "model": model, "choices": [choice]})


def create(*, model: str, messages: list[Any], **_: Any) -> Spoken:
    results = [one["content"][0]["content"] for one in messages[1:] if one["role"] == "user"]
    step = think(messages[0]["content"], results)
    if isinstance(step, str):
        blocks, reason = [{"type": "text", "text": step}], "end_turn"
    else:
        block = {"type": "tool_use", "id": f"toolu_{len(messages)}", "name": step[0]}
        blocks, reason = [block | {"input": step[1]}], "tool_use"
    return Spoken({"type": "message", "model": model, "content": blocks, "stop_reason": reason})


def invoke(state: dict[str, Any]) -> dict[str, Any]:
    question = state["messages"][0]["content"]
    messages: list[dict[str, Any]] = [{"type": "human", "content": question}]
    results: list[str] = []
    while not isinstance(step := think(question, results), str):
        call = {"name": step[0], "args": step[1], "id": f"c{len(results)}", "type": "tool_call"}
        messages.append({"type": "ai", "content": "", "tool_calls": [call]})
        answer = {"type": "tool", "tool_call_id": call["id"], "name": step[0], "status": "success"}
        try:
            answer["content"] = use(*step)
        except ValueError as error:
            answer |= {"content": str(error), "status": "error"}
        results.append(answer["content"])
        messages.append(answer)
    messages.append({"type": "ai", "content": step, "tool_calls": []})
    return {"messages": [Spoken(message) for message in messages]}


openai_client = SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=complete)))
anthropic_client = SimpleNamespace(messages=SimpleNamespace(create=create))
graph = SimpleNamespace(invoke=invoke)

if __name__ == "__main__":
    main()
