"""What a value reads back as: itself, or marked."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
import math
import random
import sys
import types
from collections import Counter, OrderedDict, namedtuple
from decimal import Decimal

import pytest

from agenteval.runlog import RunLog, read_log
from agenteval.runlog.encoding import decode_line, encode_line
from agenteval.runlog.plain import restore
from agenteval.trajectory import Call


def back(value):
    """Write `value` inside a run's line and read it again; the line is strict JSON in ASCII."""
    line = encode_line({"id": 1, "metadata": value})
    assert line.isascii()
    assert line.endswith(b"\n")
    assert b"\n" not in line[:-1]
    json.loads(line, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    return decode_line(line)["metadata"]


def same(left, right):
    """Equality that tells 1 from True and 1.0, 0.0 from -0.0, and lets NaN equal itself."""
    if type(left) is not type(right):
        return False
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return list(map(repr, left)) == list(map(repr, right)) and all(
            map(same, left.values(), right.values())
        )
    return left == right if isinstance(left, int) else repr(left) == repr(right)


class Color(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    HIGH = 3


class Word(str):
    __slots__ = ()

    def __str__(self):
        return "not what it holds"


class Mood(str, enum.Enum):
    GLAD = "glad"


class Share(float):
    __slots__ = ()


class Unspeakable:
    def __repr__(self):
        raise RuntimeError("no")


class Vague:
    def __getattr__(self, name):
        raise RuntimeError(name)

    def __repr__(self):
        return "Vague()"


class LazyMapping(dict):
    def items(self):
        raise OSError("the table is gone")

    def __repr__(self):
        return "LazyMapping()"


class ArrayScalar:
    """As numpy's scalars look from outside: no number, without a shape, with an item."""

    def __init__(self, value):
        self.value = value
        self.shape = ()

    def item(self):
        return self.value

    def __repr__(self):
        return f"ArrayScalar({self.value})"


class Array(ArrayScalar):
    def __init__(self, value):
        super().__init__(value)
        self.shape = (1,)


Point = namedtuple("Point", "x y")
HALVES = (
    "\ud83d" + "\ude00"
)  # two characters, unlike the one that JSON's escapes would make of them


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(None, id="none"),
        pytest.param(True, id="true"),
        pytest.param(1, id="int"),
        pytest.param(1.0, id="float that is whole"),
        pytest.param(-0.0, id="negative zero"),
        pytest.param(5e-324, id="smallest float"),
        pytest.param(0.1 + 0.2, id="float with all digits"),
        pytest.param(math.nan, id="nan"),
        pytest.param([math.inf, -math.inf], id="infinities"),
        pytest.param(10**18, id="int of 19 digits"),
        pytest.param(10**599, id="int of 600 digits"),
        pytest.param(-(10**600), id="int just beyond"),
        pytest.param(1 << 100_000, id="int beyond what Python turns to text"),
        pytest.param("a\x85b\u2028c\u2029d\x0b\x0c\x1c\r\n", id="all line ends of Unicode"),
        pytest.param("\x00\x1f\x7f\ufeff\uffff", id="control characters"),
        pytest.param("\ud800", id="lone high surrogate"),
        pytest.param("x\udfffy", id="lone low surrogate"),
        pytest.param(HALVES, id="surrogate pair in two halves"),
        pytest.param([HALVES, "\U0001f600"], id="halves beside the whole"),
        pytest.param({HALVES: 1, "\U0001f600": 2}, id="halves as a key"),
        pytest.param("\\ud83d\\ude00", id="text that looks like escapes"),
        pytest.param("日本語 \U0001f600", id="beyond ASCII"),
        pytest.param({}, id="empty dict"),
        pytest.param([[], {}, ""], id="empty things"),
        pytest.param({1: "a", "1": "b"}, id="keys 1 and '1'"),
        pytest.param({None: 0, True: 1, 2.5: 2, math.inf: 3}, id="keys of all plain kinds"),
        pytest.param({"a": {1: {2: {3: []}}}}, id="number keys nested"),
        pytest.param({"__repr__": "mine"}, id="own dict like a repr mark"),
        pytest.param({"__float__": "nan"}, id="own dict like a float mark"),
        pytest.param({"__int__": "x"}, id="own dict like a broken mark"),
        pytest.param({"__items__": [["__repr__", 1]]}, id="own dict like an escaped mark"),
        pytest.param({"__str__": {"__str__": []}}, id="own marks nested"),
        pytest.param({"__repr__": "x", "y": 1}, id="own dict with a mark's key and another"),
        pytest.param({"": {"\n": "\n"}}, id="odd keys"),
    ],
)
def test_reads_back_as_itself(value):
    assert same(back(value), value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param((1, (2,)), [1, [2]], id="tuples are lists"),
        pytest.param(Point(1, 2), [1, 2], id="named tuple"),
        pytest.param(Level.HIGH, 3, id="int enumeration"),
        pytest.param(Mood.GLAD, "glad", id="str enumeration"),
        pytest.param(Word("held"), "held", id="str subclass"),
        pytest.param(Share("nan"), math.nan, id="float subclass"),
        pytest.param({Word("key"): Level.HIGH}, {"key": 3}, id="subclasses in a dict"),
        pytest.param(OrderedDict(b=1, a=2), {"b": 1, "a": 2}, id="ordered dict"),
        pytest.param(Counter("aab"), {"a": 2, "b": 1}, id="counter"),
        pytest.param(types.MappingProxyType({"a": 1}), {"a": 1}, id="read-only mapping"),
        pytest.param(ArrayScalar(3), 3, id="array scalar"),
        pytest.param(ArrayScalar(math.nan), math.nan, id="array scalar nan"),
        pytest.param(
            Call("rm", {"path": (1,)}, "denied"),
            {"name": "rm", "args": {"path": [1]}, "error": "denied"},
            id="call",
        ),
        pytest.param(
            {
                1,
            },
            {"__repr__": "{1}"},
            id="set",
        ),
        pytest.param(b"\xff\n", {"__repr__": "b'\\xff\\n'"}, id="bytes"),
        pytest.param(Decimal("1.10"), {"__repr__": "Decimal('1.10')"}, id="decimal"),
        pytest.param(
            datetime.date(2024, 5, 1), {"__repr__": "datetime.date(2024, 5, 1)"}, id="date"
        ),
        pytest.param(1 + 2j, {"__repr__": "(1+2j)"}, id="complex"),
        pytest.param(Color.RED, {"__repr__": repr(Color.RED)}, id="enumeration"),
        pytest.param(..., {"__repr__": "Ellipsis"}, id="ellipsis"),
        pytest.param(Array(3), {"__repr__": "ArrayScalar(3)"}, id="array"),
        pytest.param(
            ArrayScalar(1j),
            {"__repr__": "ArrayScalar(1j)"},
            id="array scalar without a plain value",
        ),
        pytest.param(
            Unspeakable(), {"__repr__": "<Unspeakable whose repr fails>"}, id="repr that raises"
        ),
        pytest.param(Vague(), {"__repr__": "Vague()"}, id="attributes that raise"),
        pytest.param(LazyMapping(), {"__repr__": "LazyMapping()"}, id="mapping that raises"),
        pytest.param(
            {(1, 2): "x", "(1, 2)": "y"},
            {"__items__": [[[1, 2], "x"], ["(1, 2)", "y"]]},
            id="keys that are tuples",
        ),
        pytest.param(
            {Color.RED: math.inf},
            {"__items__": [[{"__repr__": repr(Color.RED)}, math.inf]]},
            id="keys that are objects",
        ),
        pytest.param(
            [{"deep": {2}}, 1], [{"deep": {"__repr__": "{2}"}}, 1], id="only the odd part is marked"
        ),
    ],
)
def test_reads_back_plain_or_marked(value, expected):
    assert same(back(value), expected)


def test_a_mark_says_the_repr_of_an_object_even_with_halves_in_it():
    assert back(types.SimpleNamespace(text=[HALVES])) == {
        "__repr__": f"namespace(text=[{HALVES!r}])"
    }

    class Raw:
        def __repr__(self):
            return HALVES

    assert back(Raw()) == {"__repr__": HALVES}


def test_a_long_repr_is_cut():
    stored = back(bytes(1_000_000))
    assert len(stored["__repr__"]) == 10_000
    assert stored["__repr__"].endswith("...")


def test_what_is_read_can_be_written_again_and_reads_the_same():
    once = back(
        {
            "a": {
                1,
            },
            "b": {(1,): 2},
            "c": [math.inf, HALVES],
            "d": {5: 1 << 9999},
        }
    )
    assert same(back(once), once)


def test_circles_are_marked_where_they_close():
    circle: list = [1]
    circle.append({"again": circle})
    assert back(circle) == [1, {"again": {"__repr__": "[1, {'again': [...]}]"}}]


def test_circles_that_branch_do_not_explode():
    circle: list = []
    circle.extend([circle] * 50)
    assert len(back(circle)) == 50


def test_the_same_value_twice_is_no_circle():
    twice = [{1: 2}]
    assert back([twice, twice, {"x": twice}]) == [twice, twice, {"x": twice}]


@pytest.mark.parametrize("depth", [50, 98])
def test_deep_nesting_reads_back(depth):
    value: object = math.nan
    for _ in range(depth // 2):
        value = [{"down": value}]
    assert same(back(value), value)


@pytest.mark.parametrize("depth", [500, 100_000])
@pytest.mark.parametrize("plain", [True, False], ids=["plain", "with a set"])
def test_deeper_nesting_is_marked(depth, plain):
    value: object = 1 if plain else {1}
    for _ in range(depth):
        value = [value]
    stored, levels = back(value), 0
    while isinstance(stored, list):
        (stored,) = stored
        levels += 1
    assert levels == 100
    assert list(stored) == ["__repr__"]


def test_a_stack_that_is_nearly_full_still_leaves_a_readable_line(path, make_run, make_tasks):
    value: object = {1}
    for _ in range(90):
        value = [value]

    def append_at_the_bottom(log, run):
        try:
            append_at_the_bottom(log, run)
        except RecursionError:
            if not log.has("a", 0):
                log.append(run)

    with RunLog(path, make_tasks("a"), repeats=1) as log:
        append_at_the_bottom(log, make_run("a", metadata=value))
        assert log.has("a", 0)
    (run,) = read_log(path)
    assert run["id"] == "a"
    assert run["answer"] == "yes"


def test_a_value_that_changes_while_it_is_written(monkeypatch):
    class Growing(dict):
        """A dict that another thread adds to, seen from inside ``items``."""

        def items(self):
            raise RuntimeError("dictionary changed size during iteration")

        def __repr__(self):
            return "{...}"

    def checked_too_early(value):
        return True

    monkeypatch.setattr("agenteval.runlog.encoding.is_plain", checked_too_early)
    assert encode_line({"id": 1, "cost": math.nan}) == b'{"id":1,"cost":{"__float__":"nan"}}\n'
    assert encode_line({"id": 1, "metadata": {1: Growing(a=1)}}) == (
        b'{"id":1,"metadata":{"__items__":[[1,{"__repr__":"{...}"}]]}}\n'
    )


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"__float__": "1.5"}, id="float"),
        pytest.param({"__float__": []}, id="float of a list"),
        pytest.param({"__int__": "ten"}, id="int"),
        pytest.param({"__int__": 10}, id="int of an int"),
        pytest.param({"__items__": 5}, id="items"),
        pytest.param({"__items__": [[1, 2, 3]]}, id="items of threes"),
        pytest.param({"__str__": [1]}, id="str"),
        pytest.param([{"a": {"__str__": None}}], id="nested"),
    ],
)
def test_a_broken_mark_is_an_error(value):
    with pytest.raises(ValueError, match=r"the mark '__.*__' cannot hold"):
        restore(value)


def random_value(draw: random.Random, depth: int):
    """Return a value and what it reads back as."""
    kind = draw.randrange(12 if depth else 8)
    if kind < 8:
        leaf = draw.choice(
            [
                None,
                draw.random() < 0.5,
                draw.randrange(-3, 4),
                draw.randrange(-(2**70), 2**70),
                draw.choice([-1, 1]) << draw.randrange(0, 4000),
                draw.choice([math.nan, math.inf, -math.inf, -0.0, 0.0, 1e308]),
                draw.gauss(0, 1e6),
                random_text(draw),
            ]
        )
        return leaf, leaf
    parts = [random_value(draw, depth - 1) for _ in range(draw.randrange(4))]
    values, stored = [part[0] for part in parts], [part[1] for part in parts]
    if kind == 8:
        return values, stored
    if kind == 9:
        return tuple(values), stored
    if kind == 10:
        keys = [random_text(draw) for _ in parts]
    else:
        keys = [random_value(draw, 0)[0] for _ in parts]
    # A key may come twice, also as 1 and True: the dict that Python makes of them is what counts.
    places = dict(zip(keys, range(len(keys)), strict=True))
    return (
        {key: values[place] for key, place in places.items()},
        {key: stored[place] for key, place in places.items()},
    )


def random_text(draw: random.Random) -> str:
    if draw.random() < 0.2:
        return draw.choice(["__repr__", "__items__", "__float__", "__int__", "__str__", "id"])
    ranges = [(0, 0x80), (0x80, 0x100), (0x2020, 0x2030), (0xD800, 0xE000), (0x1F600, 0x1F610)]
    return "".join(chr(draw.randrange(*draw.choice(ranges))) for _ in range(draw.randrange(6)))


def test_random_values_read_back():
    draw = random.Random(20240501)
    for _ in range(3000):
        value, stored = random_value(draw, 4)
        assert same(back(value), stored), value


def test_random_values_do_not_shift_the_lines(path, make_run, make_tasks):
    draw = random.Random(7)
    drawn = [random_value(draw, 3) for _ in range(200)]
    with RunLog(path, make_tasks("a"), repeats=200) as log:
        for repeat, (value, _) in enumerate(drawn):
            log.append(make_run("a", repeat, metadata=value))
    runs = list(read_log(path))
    assert [run["repeat"] for run in runs] == list(range(200))
    assert all(same(run["metadata"], stored) for run, (_, stored) in zip(runs, drawn, strict=True))


def test_writing_does_not_change_the_run(path, make_run, make_tasks):
    @dataclasses.dataclass
    class Note:
        text: str

    run = make_run("a", metadata={1: (Note("x"), {math.nan}), "__repr__": [HALVES]})
    before = repr(run)
    with RunLog(path, make_tasks("a"), repeats=1) as log:
        log.append(run)
    assert repr(run) == before


@pytest.mark.skipif(
    not hasattr(sys, "set_int_max_str_digits"), reason="this Python has no limit of digits"
)
def test_a_reader_with_a_lower_limit_of_digits_can_read_every_number():
    line = encode_line({"id": 1, "metadata": [10**599, 10**600, 10**5000]})
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)  # the lowest there is
    try:
        assert decode_line(line)["metadata"] == [10**599, 10**600, 10**5000]
    finally:
        sys.set_int_max_str_digits(limit)
