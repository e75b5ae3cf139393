"""Portals: first what to do and where, then how: the arrows of a new element, or the exits that get demons."""

from typing import Any

import numpy as np

from plyscribe.domain.ruleset import AnyRuleset, Decision
from plyscribe.domain.rulesets.portals_v1.actions import BUILD, WAYLESS, find_kinds, find_sites, find_ways
from plyscribe.domain.rulesets.portals_v1.board import ARROWS, each, lay_board
from plyscribe.domain.rulesets.portals_v1.moves import BARE, ENTER, EXIT, LAUNCH, WORDS, Move
from plyscribe.domain.rulesets.portals_v1.state import State
from plyscribe.envs.spaces.action_ids import Actions, Path
from plyscribe.envs.spaces.crystals_v1 import read_contest_rolls
from plyscribe.envs.spaces.planes import Array, Board, Planes, Scene, count_planes, name_seats, spread, squash

DIRECTIONS = ("lower left", "lower right", "left", "right", "upper left", "upper right")
ON_FIELDS = tuple(kind for kind in range(len(WORDS)) if kind not in BARE)
DEMONS = range(1, 64)
"""The ways to give demons to some of six exits."""


class PortalActions(Actions):
    """A path of one or two ids.

    The first id is the kind of action and its field: `portal`, `platform` and `launch` with each of f fields, `enter`,
    `exit`. The second, if the move needs one, is a way to draw arrows to the six neighbours (728 ids), or the exits
    that get demons (63 ids): 3f + 793 ids in all, where moves number up to 1,456f.
    """

    longest = 2

    def __init__(self, radius: int) -> None:
        self._board = lay_board(radius)
        self._fields = tuple(self._board.names)
        self._rank = {number: rank for rank, number in enumerate(self._fields)}
        self._enter = len(ON_FIELDS) * len(self._fields)
        self._arrows = self._enter + len(BARE)
        self._demons = self._arrows + len(ARROWS) - 1
        self._arrow_ids = {arrows: self._arrows + rank for rank, arrows in enumerate(ARROWS[1:])}
        self.size = self._demons + len(DEMONS)

    def list_ids(self, ruleset: AnyRuleset, state: State, path: Path) -> list[int]:
        """The heads of legal moves, or the ways of the head that was chosen."""
        if not isinstance(state.turn, Decision):
            return []
        seat = state.turn.seat
        if path:
            kind, number = self._read_head(path[0])
            return sorted(self._find_way_id(kind, way) for way in find_ways(state, seat, kind, number))
        heads = [self._find_head(kind, n) for kind in find_kinds(state) for n in each(find_sites(state, seat, kind))]
        return sorted(heads)

    def find_move(self, ruleset: AnyRuleset, state: State, path: Path) -> Move | None:
        """The move; None if the head alone does not say how."""
        if not path:
            return None
        kind, number = self._read_head(path[0])
        if len(path) == 2:
            return kind, number, self._read_way(path[1])
        assert isinstance(state.turn, Decision)
        if kind in BARE or (kind == LAUNCH and find_ways(state, state.turn.seat, kind, number) == WAYLESS):
            return kind, number, 0
        return None

    def find_path(self, ruleset: AnyRuleset, state: State, move: Move) -> Path:
        """The head, then the way if there is one."""
        kind, number, way = move
        head = self._find_head(kind, number)
        return (head, self._find_way_id(kind, way)) if way else (head,)

    def describe(self, id: int) -> str:
        """`portal c3`, `enter`, `arrows` or `demons`; the latter with a sign for each direction, lower left first.

        `<` is an arrow that comes in, `>` one that goes out, `x` an exit with a demon, `.` none.
        """
        if id < self._arrows:
            kind, number = self._read_head(id)
            return WORDS[kind] if kind in BARE else f"{WORDS[kind]} {self._board.names[number]}"
        way = self._read_way(id)
        if id < self._demons:
            return "arrows " + "".join("<" if way >> d & 1 else ">" if way >> 6 + d & 1 else "." for d in range(6))
        return "demons " + "".join("x" if way >> d & 1 else "." for d in range(6))

    def read_field(self, head: int) -> tuple[int, str] | None:
        """The kind of a head, as a place in `portal`, `platform`, `launch`, and its field; None without a field."""
        if head >= self._enter:
            return None
        kind, number = self._read_head(head)
        return ON_FIELDS.index(kind), self._board.names[number]

    def _find_head(self, kind: int, number: int) -> int:
        if kind in BARE:
            return self._enter + BARE.index(kind)
        return ON_FIELDS.index(kind) * len(self._fields) + self._rank[number]

    def _read_head(self, id: int) -> tuple[int, int]:
        if id >= self._enter:
            return (ENTER, EXIT)[id - self._enter], 0
        kind, rank = divmod(id, len(self._fields))
        return ON_FIELDS[kind], self._fields[rank]

    def _find_way_id(self, kind: int, way: int) -> int:
        return self._arrow_ids[way] if kind in BUILD else self._demons + way - 1

    def _read_way(self, id: int) -> int:
        return DEMONS[id - self._demons] if id >= self._demons else ARROWS[1:][id - self._arrows]


def make_actions(options: dict[str, Any], seats: int) -> PortalActions:
    """The ids for the radius."""
    return PortalActions(options["radius"])


def make_board(options: dict[str, Any], seats: int) -> Board:
    """Planes of rows and numbers: row 0 is row a, the lowest; column n is number n + 1 of a row.

    A row of the board has the numbers that its names have, so rows are slanted: lower left of a place is one row
    and one column before it, upper right one row and one column behind.
    """
    radius, pool = options["radius"], options["pool"]
    board, actions = lay_board(radius), make_actions(options, seats)
    size = 2 * radius + 1
    places = (size, size)
    place = {name: (ord(name[0]) - 97, int(name[1:]) - 1) for name in board.numbers}
    is_field = np.zeros((1, size, size), np.float32)
    for row, column in place.values():
        is_field[0, row, column] = 1
    direction = {
        (name, board.names[number + step]): d
        for name, number in board.numbers.items()
        for d, step in enumerate(board.steps)
        if number + step in board.names
    }

    def read_platforms(scene: Scene) -> Array:
        planes = np.zeros((4 + 2 * seats, size, size), np.float32)
        planes[0] = is_field[0]
        for name, platform in scene.view["platforms"].items():
            row, column = place[name]
            planes[1, row, column] = 1
            planes[2, row, column] = platform["center"]
            if platform["start"] is not None:
                planes[4 + scene.distance(platform["start"]), row, column] = 1
            if platform["colour"] == "demon":
                planes[3, row, column] = squash(platform["pawns"])
            elif platform["colour"] is not None:
                planes[4 + seats + scene.distance(platform["colour"]), row, column] = platform["pawns"] / pool
        return planes

    def read_portals(scene: Scene) -> Array:
        planes = np.zeros((13, size, size), np.float32)
        for name, portal in scene.view["portals"].items():
            row, column = place[name]
            planes[0, row, column] = 1
            for first, beside in ((1, portal["in"]), (7, portal["out"])):
                for other in beside:
                    planes[first + direction[name, other], row, column] = 1
        return planes

    def read_tallies(scene: Scene) -> Array:
        pools = [number / pool for number in scene.from_here(scene.view["pool"])]
        return spread(pools + [float(done) for done in scene.from_here(scene.view["centered"])], places)

    def read_dice(scene: Scene) -> Array:
        contest = scene.view["contest"] or ["out"] * seats
        return spread([*read_contest_rolls(scene, contest, 8), (scene.view["d8"] or 0) / 8], places)

    def read_choice(scene: Scene) -> Array:
        planes = np.zeros((len(ON_FIELDS), size, size), np.float32)
        if scene.path and (chosen := actions.read_field(scene.path[0])):
            kind, name = chosen
            planes[kind, place[name][0], place[name][1]] = 1
        return planes

    return Board(
        places,
        [
            Planes(
                (
                    *("field", "platform", "centre", "demons"),
                    *name_seats("START", seats),
                    *name_seats("pawns", seats),
                ),
                "1 on fields, platforms, the centre; n demons as n / (1 + n); 1 on a START; pawns divided by the pool",
                read_platforms,
            ),
            Planes(
                ("portal", *(f"arrow from {way}" for way in DIRECTIONS), *(f"arrow to {way}" for way in DIRECTIONS)),
                "1 on portals; 1 on a portal with an arrow that comes from or goes to its neighbour there",
                read_portals,
            ),
            Planes(
                (*name_seats("pool", seats), *name_seats("centred", seats)),
                "pawns in the pool, divided by all; 1 if the first condition is fulfilled",
                read_tallies,
            ),
            Planes(
                (*name_seats("contest entry", seats), *name_seats("contest roll", seats), "d8"),
                "1 in the contest for the first turn; its roll in this round divided by 8; the roll of the turn too",
                read_dice,
            ),
            Planes(
                tuple(f"chosen: {WORDS[kind]}" for kind in ON_FIELDS),
                "1 on the field of the first id, while the second is due",
                read_choice,
            ),
            *count_planes(places, seats, options["ply_limit"]),
        ],
    )
