"""A refund desk, evaluated: outcome, path and reliability of a small agent over a real database.

The agent works by rules, not by a model, so the example runs offline and prints the same text every
time. Its tools read and write an SQLite database of orders, policies and claims. It has three
seeded faults, the kind that real agents have: it wanders, it guesses when a service is down, and
now and then it files a claim twice while its answer stays right.

Run it with ``python examples/refund_desk.py``.
"""

from __future__ import annotations

import random
import re
import sqlite3
from collections import Counter

from agenteval import (
    Call,
    compare_run,
    evaluate,
    outcomes,
    reliability_table,
    report,
    score_runs,
)

# --------------------------------------------------------------------------------------------
# The world: a database, and the four tools that reach it. The last one writes.

SCHEMA = """
CREATE TABLE orders (id TEXT PRIMARY KEY, customer TEXT, item TEXT, state TEXT, days INTEGER);
CREATE TABLE policies (topic TEXT PRIMARY KEY, reason TEXT, state TEXT, at_least INTEGER,
                       at_most INTEGER);
CREATE TABLE claims (number INTEGER PRIMARY KEY, reference TEXT, order_id TEXT, reason TEXT);

INSERT INTO orders VALUES
    ('88120', 'Ada',    'lamp',    'delivered',  12),  -- days since the state was reached
    ('88121', 'Bo',     'desk',    'delivered',  88),
    ('88122', 'Chidi',  'chair',   'delivered', 120),
    ('88123', 'Dana',   'mirror',  'delivered',   2),
    ('88124', 'Emeka',  'teapot',  'delivered',  20),
    ('88125', 'Fatima', 'jacket',  'delivered',   9),
    ('88126', 'Goran',  'boots',   'delivered',  45),
    ('88127', 'Hana',   'kettle',  'delivered',   1),
    ('88128', 'Ines',   'radio',   'shipped',    40),
    ('88129', 'Jonas',  'blender', 'shipped',     3),
    ('88130', 'Kofi',   'rug',     'delivered',   5);

INSERT INTO policies VALUES
    ('damaged_delivery', 'damaged',    'delivered',  0, 90),
    ('wrong_item',       'wrong_item', 'delivered',  0, 60),
    ('returns',          'return',     'delivered',  0, 30),
    ('lost_parcel',      'lost',       'shipped',   14, 365);

INSERT INTO claims VALUES (1, 'CL-88130', '88130', 'damaged');
"""


class ToolError(Exception):
    """What a tool says when it cannot do what it was asked."""


class Desk:
    """The refund desk's tools over one fresh database."""

    def __init__(self, *, policy_service_down: bool = False) -> None:
        self.database = sqlite3.connect(":memory:")
        self.database.row_factory = sqlite3.Row
        self.database.executescript(SCHEMA)
        self.policy_service_down = policy_service_down

    def lookup_order(self, order_id: str) -> dict:
        row = self.database.execute("SELECT * FROM orders WHERE id = ?", (order_id,)).fetchone()
        if row is None:
            raise ToolError(f"no order {order_id}")
        claims = self.database.execute(
            "SELECT reference FROM claims WHERE order_id = ?", (order_id,)
        )
        return dict(row) | {"claims": [claim["reference"] for claim in claims]}

    def search_orders(self, query: str) -> list[str]:
        rows = self.database.execute("SELECT id FROM orders WHERE id LIKE ?", (f"%{query}%",))
        return [row["id"] for row in rows]

    def get_policy(self, topic: str) -> dict:
        if self.policy_service_down:
            self.policy_service_down = False  # the next request finds it up again
            raise ToolError("policy service timed out")
        row = self.database.execute("SELECT * FROM policies WHERE topic = ?", (topic,)).fetchone()
        return dict(row)

    def create_claim(self, order_id: str, reason: str) -> str:
        reference = f"CL-{order_id}"
        self.database.execute(
            "INSERT INTO claims (reference, order_id, reason) VALUES (?, ?, ?)",
            (reference, order_id, reason),
        )
        return reference

    def filed(self) -> list[list[str]]:
        rows = self.database.execute("SELECT order_id, reason FROM claims ORDER BY number")
        return [list(row) for row in rows]

    def close(self) -> None:
        self.database.close()


# --------------------------------------------------------------------------------------------
# The agent: `make_agent` returns a function from a customer's message to an agent result.

TOPICS = {
    "damaged": "damaged_delivery",
    "wrong": "wrong_item",
    "return": "returns",
    "arrived yet": "lost_parcel",
}


class Clerk:
    """One conversation: reads the message, works the desk, answers; keeps the calls it made."""

    def __init__(self, desk: Desk, *, wanders: bool, guesses: bool, files_twice: bool) -> None:
        self.desk = desk
        self.wanders = wanders
        self.guesses = guesses
        self.files_twice = files_twice
        self.calls: list[Call] = []

    def use(self, tool: str, **args: str):
        try:
            answer = getattr(self.desk, tool)(**args)
        except ToolError as error:
            self.calls.append(Call(tool, args, error=str(error)))
            return None
        self.calls.append(Call(tool, args))
        return answer

    def answer(self, message: str) -> str:
        order_id = re.search(r"\d{5}", message)[0]
        topic = next(topic for word, topic in TOPICS.items() if word in message)
        order = self.use("lookup_order", order_id=order_id)
        if order is None:
            return f"There is no order {order_id}."
        if order["claims"]:
            return f"Order {order_id} already has claim {order['claims'][0]}."
        if self.wanders:
            self.use("search_orders", query=order_id)
            self.use("get_policy", topic="returns" if topic != "returns" else "wrong_item")
        policy = self.use("get_policy", topic=topic)
        if policy is None and self.guesses:
            return f"Claim CL-{order_id} is filed, the window is 90 days."
        if policy is None:
            policy = self.use("get_policy", topic=topic)
        window = f"{policy['at_most']} day window"
        in_time = policy["at_least"] <= order["days"] <= policy["at_most"]
        if order["state"] != policy["state"] or not in_time:
            return f"Order {order_id} does not qualify under the {window}."
        claim = self.use("create_claim", order_id=order_id, reason=policy["reason"])
        if self.files_twice:
            claim = self.use("create_claim", order_id=order_id, reason=policy["reason"])
        return f"Claim {claim} is filed under the {window}."


def cost_of(turns: int) -> float:
    """What a model would cost, in USD: each turn reads all the turns before it."""
    return round(0.015 * turns + 0.005 * turns * (turns - 1) / 2, 4)


def make_agent(seed: int | None = None):
    """Return a careful agent, or with a `seed` one that has the three faults now and then."""
    conversations: Counter[str] = Counter()

    def agent(message: str) -> dict:
        conversations[message] += 1
        dice = random.Random(f"{seed}/{message}/{conversations[message]}")
        wanders, files_twice, service_down, guesses = (
            seed is not None and dice.random() < chance for chance in (0.25, 0.15, 0.15, 0.4)
        )
        desk = Desk(policy_service_down=service_down)
        clerk = Clerk(desk, wanders=wanders, guesses=guesses, files_twice=files_twice)
        try:
            return {
                "status": "final",
                "answer": clerk.answer(message),
                "calls": clerk.calls,
                "cost": cost_of(len(clerk.calls) + 1),
                "metadata": {"claims": desk.filed()},  # what the database holds afterwards
            }
        finally:
            desk.close()

    return agent


# --------------------------------------------------------------------------------------------
# The tasks: what customers write, the right answer, and the path that a support lead approved.


def task(
    name: str, message: str, expected: str, topic: str | None = None, reason: str | None = None
) -> dict:  # a task is a plain dict; this only spares the table below from saying things twice
    order_id = re.search(r"\d{5}", message)[0]
    reference = [Call("lookup_order", {"order_id": order_id})]
    if topic:
        reference.append(Call("get_policy", {"topic": topic}))
    if reason:
        reference.append(Call("create_claim", {"order_id": order_id, "reason": reason}))
    return {
        "id": name,
        "input": message,
        "expected": expected,
        "reference": reference,
        "reference_cost": cost_of(len(reference) + 1),
        "max_tool_calls": 8,
        "forbidden_tools": [] if reason else ["create_claim"],
        "metadata": {"order_id": order_id, "reason": reason},
    }


TASKS = [
    task(
        "damaged",
        "Order 88120 arrived damaged. Refund it if it qualifies, otherwise explain what the "
        "customer can do instead.",
        "Claim CL-88120 is filed under the 90 day window.",
        "damaged_delivery",
        "damaged",
    ),
    task(
        "damaged-last-day",
        "My desk, order 88121, came damaged.",
        "Claim CL-88121 is filed under the 90 day window.",
        "damaged_delivery",
        "damaged",
    ),
    task(
        "damaged-too-late",
        "Order 88122 was damaged when it came.",
        "Order 88122 does not qualify under the 90 day window.",
        "damaged_delivery",
    ),
    task(
        "wrong-item",
        "You sent me the wrong mirror, order 88123.",
        "Claim CL-88123 is filed under the 60 day window.",
        "wrong_item",
        "wrong_item",
    ),
    task(
        "wrong-color",
        "The teapot of order 88124 has the wrong color.",
        "Claim CL-88124 is filed under the 60 day window.",
        "wrong_item",
        "wrong_item",
    ),
    task(
        "return",
        "I want to return the jacket of order 88125.",
        "Claim CL-88125 is filed under the 30 day window.",
        "returns",
        "return",
    ),
    task(
        "return-too-late",
        "Please take a return of order 88126.",
        "Order 88126 does not qualify under the 30 day window.",
        "returns",
    ),
    task(
        "damaged-kettle",
        "The kettle of order 88127 is damaged!",
        "Claim CL-88127 is filed under the 90 day window.",
        "damaged_delivery",
        "damaged",
    ),
    task(
        "lost",
        "Order 88128 has not arrived yet.",
        "Claim CL-88128 is filed under the 365 day window.",
        "lost_parcel",
        "lost",
    ),
    task(
        "not-lost-yet",
        "Order 88129 has not arrived yet.",
        "Order 88129 does not qualify under the 365 day window.",
        "lost_parcel",
    ),
    task(
        "claimed-before",
        "The rug of order 88130 is damaged.",
        "Order 88130 already has claim CL-88130.",
    ),
    task("unknown-order", "Order 99999 came damaged.", "There is no order 99999."),
]


def right_claim_is_there(task: dict, result: dict) -> str | None:
    """Assert the state of the database: the claim that the task calls for, and no other.

    Like most checks of this kind it asks whether the claim is there, not how often.
    """
    order_id, reason = task["metadata"]["order_id"], task["metadata"]["reason"]
    filed = {tuple(claim) for claim in result["metadata"]["claims"]} - {("88130", "damaged")}
    due = {(order_id, reason)} if reason else set()
    return None if filed == due else f"claims are {sorted(filed)}, not {sorted(due)}"


# --------------------------------------------------------------------------------------------
# The evaluation.

SEED = 112


def main() -> None:
    result = evaluate(make_agent(SEED), TASKS, repeats=5, checks=[right_claim_is_there])
    rows = score_runs(result["runs"], TASKS)

    print(report.text(result, rows=rows))

    print("\nOne run set against its reference: damaged, repeat 3 of 5\n")
    run = next(run for run in result["runs"] if run["id"] == "damaged" and run["repeat"] == 2)
    row = next(row for row in rows if row["id"] == "damaged" and row["repeat"] == 2)
    print(report.steps_text(compare_run(run, TASKS[0]), row=row))

    print("\nReliability: the share of tasks that passed k times out of k\n")
    print("outcome alone")
    print(report.curve_text(reliability_table(outcomes(rows))))
    print("\noutcome and path")
    print(report.curve_text(reliability_table(outcomes(rows, by="both"))))


if __name__ == "__main__":
    main()
