"""Fair seats for boards of two: in the end, everyone has had both seats about equally often."""

from collections.abc import Mapping, Sequence

Board = tuple[int, int]


def balance_seats(boards: Sequence[Board], surplus: Mapping[int, int]) -> list[Board]:
    """The boards in the same order, some turned, so that the sum of the squares of all final surpluses is minimal.

    `surplus` is how much more often each entrant has had seat 1 than seat 2. No board is turned without a gain. To turn
    a path of boards, from an entrant with a greater surplus to one with a smaller one, changes only these two. When no
    path brings a gain, nothing does (as with flows of minimum convex cost).
    """
    ends = {each: surplus[each] for board in boards for each in board}
    turned = list(boards)
    seconds: dict[int, dict[int, None]] = {each: {} for each in ends}
    for place, (first, second) in enumerate(turned):
        ends[first] += 1
        ends[second] -= 1
        seconds[first][place] = None
    while path := _find_path(turned, seconds, ends):
        first, last = turned[path[0]][0], turned[path[-1]][1]
        for place in path:
            del seconds[turned[place][0]][place]
            turned[place] = turned[place][::-1]
            seconds[turned[place][0]][place] = None
        ends[first] -= 2
        ends[last] += 2
    return turned


def _find_path(boards: Sequence[Board], seconds: Mapping[int, dict[int, None]], ends: Mapping[int, int]) -> list[int]:
    """The places of the boards to turn: a shortest useful path from the greatest surplus; empty if there is none."""
    least, hopeless = min(ends.values(), default=0), set[int]()
    for first in sorted(ends, key=lambda each: -ends[each]):
        if ends[first] - least <= 2:
            break
        if first in hopeless:
            continue
        came: dict[int, list[int]] = {first: []}
        queue = [first]
        for one in queue:
            for place in seconds[one]:
                other = boards[place][1]
                if other not in came:
                    came[other] = [*came[one], place]
                    queue.append(other)
                    if ends[first] - ends[other] > 2:
                        return came[other]
        # Entrants reached from here reach nobody else, and have no greater surplus or were tried before.
        hopeless |= came.keys()
    return []
