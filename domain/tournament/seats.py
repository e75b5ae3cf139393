"""Seats of boards of two that are still to be played, so that at the end everybody had both about equally often."""

from collections.abc import Mapping, Sequence

Board = tuple[int, int]


def balance_seats(boards: Sequence[Board], surplus: Mapping[int, int]) -> list[Board]:
    """The boards in their order, some of them turned, so that the squares of what all end with sum up to the least.

    `surplus` is how much oftener everybody had seat 1 than seat 2 so far. Boards are turned no more than it takes: none
    where nothing is gained. Turning a path of boards, from who has seat 1 too often to who has it too seldom, changes
    those two alone; where no path gains anything, nothing does (as with flows of least convex cost).
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
    """The places of boards to turn, the shortest ones from who has the greatest surplus; none where none is of use."""
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
        # Whoever was reached reaches nobody else, and has no greater surplus or was tried before.
        hopeless |= came.keys()
    return []
