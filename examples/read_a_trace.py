"""A recorded conversation in, the step table out.

The conversation below is what a logger kept of an agent that runs on OpenAI chat messages. Nothing
but the parsed JSON is needed to hold it against the path that a dispatcher would approve.

Run it with ``python examples/read_a_trace.py``.
"""

from __future__ import annotations

import json

from agenteval import (
    Call,
    compare_steps,
    from_trace,
    report,
    score_trajectory,
    trajectory_verdict,
)

RECORDED = r"""
{"messages": [
  {"role": "system", "content": "You work for a parcel service."},
  {"role": "user", "content": "Parcel 7141 has not moved for a week. Please sort it out."},
  {"role": "assistant", "content": "Let me look at both.", "tool_calls": [
    {"id": "call_1", "type": "function",
     "function": {"name": "track", "arguments": "{\"parcel\": 7141}"}},
    {"id": "call_2", "type": "function",
     "function": {"name": "find_policy", "arguments": "{\"topic\": \"delay\"}"}}]},
  {"role": "tool", "tool_call_id": "call_2", "content": "lost after 7 days: open a search"},
  {"role": "tool", "tool_call_id": "call_1", "content": "depot Lyon, 8 days ago"},
  {"role": "assistant", "content": null, "tool_calls": [
    {"id": "call_3", "type": "function",
     "function": {"name": "open_search", "arguments": "{\"parcel\": 7141, \"depot\": \"Lyon\"}"}}]},
  {"role": "tool", "tool_call_id": "call_3", "content": "Error: search desk timed out"},
  {"role": "assistant", "content": null, "tool_calls": [
    {"id": "call_4", "type": "function",
     "function": {"name": "open_search", "arguments": "{\"depot\": \"Lyon\", \"parcel\": 7141}"}}]},
  {"role": "tool", "tool_call_id": "call_4", "content": "search S-52 is open"},
  {"role": "assistant", "content": null, "tool_calls": [
    {"id": "call_5", "type": "function",
     "function": {"name": "open_search", "arguments": "{\"parcel\": 7141, \"depot\": \"Lyon\"}"}}]},
  {"role": "tool", "tool_call_id": "call_5", "content": "search S-53 is open"},
  {"role": "assistant", "content": "Search S-53 for parcel 7141 is open."}
]}
"""

REFERENCE = [
    Call("track", {"parcel": 7141}),
    Call("find_policy", {"topic": "lost"}),
    Call("open_search", {"parcel": 7141, "depot": "Lyon"}),
]
WRITES = {"open_search"}


def main() -> None:
    # Chat messages have no mark for a failed tool, so the rule is ours to give.
    result = from_trace(json.loads(RECORDED), is_error=lambda text: text.startswith("Error"))

    trace = result["trace"]
    print(
        f"format {trace['format']}, status {result['status']}, {trace['calls']} calls, "
        f"{trace['unanswered']} without a result"
    )
    print(f"answer: {result['answer']}\n")

    # The retry after the timeout is no duplicate: the first attempt did not happen. The third is.
    steps = compare_steps(REFERENCE, result["calls"], write_tools=WRITES)
    scores = score_trajectory(REFERENCE, result["calls"], write_tools=WRITES)
    print(
        report.steps_text(
            steps, scores, verdict=trajectory_verdict(scores), differences=True, width=100
        )
    )


if __name__ == "__main__":
    main()
