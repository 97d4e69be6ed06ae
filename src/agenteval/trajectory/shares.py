"""Which call takes which reference step in any order: as many as possible, never greedy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from agenteval.trajectory.bitsets import bits, members

__all__ = ["assign_steps"]


def assign_steps(
    accepted: Sequence[int],
    steps: Sequence[int],
    calls: Iterable[int],
    failed: Sequence[bool],
    required: Sequence[bool],
) -> dict[int, int]:
    """Give as many of `calls` as possible one of `steps`, and as many required steps a call.

    Args:
        accepted: For every reference step the calls that it accepts, as `align` takes them.
        steps: The steps to be taken, in ascending order.
        calls: The calls that may take them.
        failed: For every call whether its tool reported an error: one that answered is served
            first, then the earlier.
        required: For every step whether it has to be taken.

    Returns:
        ``{step: call}``. Of steps that accept the same calls, the earlier has the earlier call.
    """
    width = len(failed)
    free = bits([width - 1 - call for call in calls])
    alike: dict[int, list[int]] = {}  # steps by the calls that they accept
    seen = 0
    shared = False
    for step in steps:
        if mask := accepted[step] & free:
            if mask not in alike:
                shared = shared or bool(seen & mask)
                seen |= mask
                alike[mask] = []
            alike[mask].append(step)
    if shared:
        return _assigned(alike, failed, required)
    owner: dict[int, int] = {}
    for mask, group in alike.items():
        owner.update(_taken_alone(mask, group, failed, required))
    return owner


def _taken_alone(
    mask: int, steps: Sequence[int], failed: Sequence[bool], required: Sequence[bool]
) -> Iterator[tuple[int, int]]:
    """Return which steps take which of the calls that no other step accepts."""
    width = len(failed)
    calls = [width - 1 - place for place in members(mask)]
    if len(calls) > len(steps):
        calls = sorted(calls, key=lambda call: (failed[call], call))[: len(steps)]
    elif len(calls) < len(steps):
        steps = sorted(sorted(steps, key=lambda step: not required[step])[: len(calls)])
    return zip(steps, sorted(calls), strict=True)


def _assigned(
    alike: Mapping[int, Sequence[int]], failed: Sequence[bool], required: Sequence[bool]
) -> dict[int, int]:
    shares = _Shares(
        [
            _Group(mask, needed, some)
            for mask, steps in alike.items()
            for needed in (True, False)
            if (some := [step for step in steps if required[step] is needed])
        ]
    )
    kind_of = shares.read_kinds(len(failed))
    served: dict[int, list[int]] = {}
    for call in sorted(kind_of, key=lambda call: (failed[call], call)):
        if shares.serve(kind_of[call]):
            served.setdefault(kind_of[call], []).append(call)
    shares.prefer_required()
    return shares.dealt(served)


@dataclass(slots=True)
class _Group:
    """Steps that accept the same calls and are all required, or all not."""

    mask: int
    required: bool
    steps: list[int]
    taken: int = 0  # that many of them, from the first on


class _Shares:
    """How many calls of each kind are given steps of each group.

    Calls of one kind may take the same steps. They are served one by one by augmenting paths (Kuhn
    1955), through kinds and groups and not through single calls and steps: one that was served
    stays so, so which calls are served depends on their order alone. A search that fails rules out
    every group that it saw, because no later search could get away from there either.

    Kinds and groups have numbers; sets of them, and of steps, are bits.
    """

    def __init__(self, groups: list[_Group]) -> None:
        self._groups = groups
        self._group_of = {step: at for at, group in enumerate(groups) for step in group.steps}
        self._next = bits(sorted(group.steps[0] for group in groups))  # steps that come next
        self._ruled_out = 0  # groups
        self._groups_for: list[int] = []  # for every kind the groups that it may take
        self._steps_for: list[int] = []  # and the steps
        self._held: list[dict[int, int]] = []  # for every kind how many it has, by group
        self._holders = [0] * len(groups)  # for every group the kinds that have some of it

    def read_kinds(self, width: int) -> dict[int, int]:
        """Return for every call that may take a step its kind."""
        may_take: dict[int, int] = {}  # place: groups
        for at, group in enumerate(self._groups):
            for place in members(group.mask):
                may_take[place] = may_take.get(place, 0) | 1 << at
        kinds: dict[int, int] = {}
        for groups in may_take.values():
            if groups not in kinds:
                kinds[groups] = len(kinds)
                found = [step for at in members(groups) for step in self._groups[at].steps]
                self._groups_for.append(groups)
                self._steps_for.append(bits(found))
                self._held.append({})
        return {width - 1 - place: kinds[groups] for place, groups in may_take.items()}

    def serve(self, kind: int) -> bool:
        """Give one more call of `kind` the first free step that it may take; say if it worked.

        Where none is free, others are moved on to make room.
        """
        seen = self._ruled_out
        reached_by: dict[int, int] = {}  # group: kind
        left_by: dict[int, int] = {}  # kind: the group that it would leave
        known = 1 << kind
        queue = [kind]
        for asking in queue:
            if free := self._steps_for[asking] & self._next:
                self._take((free & -free).bit_length() - 1, asking, reached_by, left_by)
                return True
            reach = self._groups_for[asking] & ~seen
            seen |= reach
            for group in members(reach):
                reached_by[group] = asking
                more = self._holders[group] & ~known
                known |= more
                for other in members(more):
                    left_by[other] = group
                    queue.append(other)
        self._ruled_out = seen
        return False

    def _take(
        self, step: int, asking: int, reached_by: Mapping[int, int], left_by: Mapping[int, int]
    ) -> None:
        """Let `asking` take a free step, and the kind before it what it leaves, up to the first."""
        at = self._group_of[step]
        group = self._groups[at]
        group.taken += 1
        self._next ^= 1 << step
        if group.taken < len(group.steps):
            self._next |= 1 << group.steps[group.taken]
        self._give(asking, at, 1)
        while asking in left_by:
            at = left_by[asking]
            self._give(asking, at, -1)
            asking = reached_by[at]
            self._give(asking, at, 1)

    def _give(self, kind: int, group: int, more: int) -> None:
        held = self._held[kind]
        held[group] = held.get(group, 0) + more
        if held[group]:
            self._holders[group] |= 1 << kind
        else:
            del held[group]
            self._holders[group] &= ~(1 << kind)

    def prefer_required(self) -> None:
        """Hand calls on from optional steps to required ones, where a chain of calls leads there.

        The calls served stay the same, so afterwards both sides are the best that they can be
        (Mendelsohn and Dulmage 1958).
        """
        optional = bits([at for at, group in enumerate(self._groups) if not group.required])
        if not optional:
            return
        takers = [0] * len(self._groups)
        for kind, groups in enumerate(self._groups_for):
            for at in members(groups):
                takers[at] |= 1 << kind
        ruled_out = 0  # kinds from which no chain leads to an optional step, nor ever will
        for at, group in enumerate(self._groups):
            while group.required and group.taken < len(group.steps):
                seen = self._hand_on(at, optional, takers, ruled_out)
                if seen is not None:
                    ruled_out = seen
                    break

    def _hand_on(
        self, start: int, optional: int, takers: Sequence[int], ruled_out: int
    ) -> int | None:
        """Give a step of the group `start` a call that holds an optional one, by a chain of calls.

        Returns:
            `None` where that worked, else the kinds from which there is no way, with `ruled_out`.
        """
        seen = ruled_out
        goes_to: dict[int, int] = {}  # kind: group
        left_by: dict[int, int] = {}  # group: kind
        queue = [start]
        for wanted in queue:
            more = takers[wanted] & ~seen
            seen |= more
            for kind in members(more):
                goes_to[kind] = wanted
                for held in self._held[kind].keys() - left_by.keys():
                    left_by[held] = kind
                    queue.append(held)
                    if optional >> held & 1:
                        self._move_up(held, start, left_by, goes_to)
                        return None
        return seen

    def _move_up(
        self, end: int, start: int, left_by: Mapping[int, int], goes_to: Mapping[int, int]
    ) -> None:
        """Let every kind on the way leave its group for the one that it goes to."""
        self._groups[end].taken -= 1
        self._groups[start].taken += 1
        group = end
        while group != start:
            kind = left_by[group]
            self._give(kind, group, -1)
            group = goes_to[kind]
            self._give(kind, group, 1)

    def dealt(self, served: Mapping[int, list[int]]) -> dict[int, int]:
        """Return ``{step: call}``, of the calls served of every kind."""
        of_mask: dict[int, tuple[list[int], list[int]]] = {}
        for kind, calls in served.items():
            left = iter(sorted(calls))
            for at in sorted(self._held[kind], key=lambda at: self._groups[at].steps[0]):
                given = of_mask.setdefault(self._groups[at].mask, ([], []))[1]
                given.extend(islice(left, self._held[kind][at]))
        for group in self._groups:
            if group.taken:
                of_mask[group.mask][0].extend(group.steps[: group.taken])
        return {
            step: call
            for steps, calls in of_mask.values()
            for step, call in zip(sorted(steps), sorted(calls), strict=True)
        }
