"""Zhen: drive cubes along a line of tiles, and enemy cubes into your own goal.

docs/rulesets/zhen.md has the rules ZH1..ZH9.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from plyscribe.domain.effects import Effect, EffectKind, list_end_kinds
from plyscribe.domain.errors import BadNotation, IllegalMove
from plyscribe.domain.options import Integer, options_schema, parse_options
from plyscribe.domain.phrases import Phrase, say
from plyscribe.domain.ruleset import MATCH_OVER, Duel, Over, RandBelow, evaluate_over, rank_by, require_seats

OPTIONS = [
    Integer("tiles", 10, 4, 20),
    Integer("cubes", 10, 2, 30),
    Integer("ply_limit", 200, 1, nullable=True),
]

END_CLAUSES = MappingProxyType({"blocked": "ZH7", "ply-limit": "ZH9"})

EFFECT_KINDS = (
    EffectKind("placed", ("ZH4",), ("seat", "target")),
    EffectKind("moved", ("ZH2",), ("seat", "source", "target", "amount")),
    EffectKind("carried", ("ZH2",), ("seat", "owner", "source", "target", "amount")),
    EffectKind("entered", ("ZH3",), ("seat", "source", "target", "amount")),
    EffectKind("captured", ("ZH3",), ("seat", "owner", "source", "target", "amount")),
    EffectKind("blocked", ("ZH7",), ("seat", "owner")),
    EffectKind("swept", ("ZH7",), ("seat", "owner", "source", "target", "amount")),
    *list_end_kinds(END_CLAUSES),
)

GOAL = "goal"

Shifts = tuple[tuple[int, ...], ...]

Move = int
"""The number of a tile. The only action on an empty tile is to put a cube there, on any other to move its cubes."""


@dataclass(frozen=True, slots=True)
class Track:
    """The geometry of a number of tiles, and what the only action on a tile adds to the line."""

    end: int
    """The place of seat 2's goal: the number of tiles plus one."""
    shifts: tuple[Shifts, Shifts] = field(compare=False, repr=False)
    """For each seat, by tile and by the cubes on it; 0 when there is no action."""
    spelled: dict[str, tuple[int, int]] = field(compare=False, repr=False)
    """Every well-formed move: its source (0: the reserve) and target (0: the goal), by notation."""


@cache
def lay_track(tiles: int) -> Track:
    """The track with this number of tiles."""
    end = tiles + 1
    one, two = (
        tuple(tuple(_shift(end, seat, tile, cubes) for cubes in range(1024)) for tile in range(end)) for seat in (1, 2)
    )
    return Track(end, (one, two), _spell_moves(tiles))


def _spell_moves(tiles: int) -> dict[str, tuple[int, int]]:
    numbers = range(1, tiles + 1)
    puts = {f"+{n}": (0, n) for n in numbers}
    return puts | {f"{n}-{target or GOAL}": (n, target) for n in numbers for target in (0, *numbers)}


def _shift(end: int, seat: int, tile: int, cubes: int) -> int:
    one, two = cubes & 31, cubes >> 5
    if not cubes:
        return (1 if seat == 1 else 32) << 10 * tile  # ZH4
    target = tile - one if seat == 1 else tile + two  # ZH1, ZH2
    if target == tile or not 0 <= target <= end:
        return 0  # ZH2, ZH3
    if target in (0, end) and not (one and two):
        return 0  # ZH3
    return (cubes << 10 * target) - (cubes << 10 * tile)


class Setup(NamedTuple):
    """What stays the same in a match."""

    track: Track
    ply_limit: int | None


class State(NamedTuple):
    """A position. `line` is one number; `before` is the line before the last move.

    Each place has ten bits, five for each seat's cubes. Seat 1's goal has the lowest:

        place    0          1        2        ..   end - 1     end
                 goal of    tile 1   tile 2        last tile   goal of
                 seat 1                                        seat 2
    """

    setup: Setup
    ply: int
    line: int
    before: int | None
    reserve: int
    """The cubes in reserve of the seat on turn."""
    reserve_other: int
    over: Over | None


class ZhenV1(Duel[State, Move]):
    """Zhen, version 1."""

    id = "zhen"
    version = 1
    behaviour = "d7daec79fd135820c251f818a7d9a466ec64fc714aa7d0d2e65827b60c91e162"
    released = True
    title = "Zhen"
    effect_kinds = EFFECT_KINDS
    end_clauses = END_CLAUSES

    def parse_options(self, raw: dict[str, Any]) -> dict[str, Any]:
        return parse_options(raw, OPTIONS)

    def options_schema(self) -> dict[str, Any]:
        return options_schema(OPTIONS)

    def initial_state(self, options: dict[str, Any], seats: int) -> State:
        require_seats(self, seats)
        setup = Setup(lay_track(options["tiles"]), options["ply_limit"])
        return State(setup, 0, 0, None, options["cubes"], options["cubes"], None)

    def legal_moves(self, state: State, prefix: str = "") -> Iterator[Move]:
        return self._starting_with(prefix, state, iter(()) if state.over else _actions(state))

    def sample_move(self, state: State, randbelow: RandBelow) -> Move:
        """A legal move, uniformly distributed: tiles are drawn until one allows an action."""
        (track, _), ply, line, before, reserve, _, _ = state
        shifts = track.shifts[ply & 1]
        tiles = track.end - 1
        while True:
            tile = 1 + randbelow(tiles)
            cubes = line >> 10 * tile & 1023
            shift = shifts[tile][cubes]
            if shift and (cubes or reserve) and line + shift != before:
                return tile

    def parse_move(self, state: State, text: str) -> Move:
        track = state.setup.track
        spelled = track.spelled.get(text)
        if spelled is None:
            raise BadNotation(
                text, state.ply, say("+1, 2-1 or 1-goal, with tiles from 1 to {last}", last=track.end - 1)
            )
        source, target = spelled
        breach = _find_breach(state, source, target)
        if breach:
            raise IllegalMove(text, state.ply, *breach)
        return source or target

    def format_move(self, state: State, move: Move) -> str:
        if not _cubes(state.line, move):
            return f"+{move}"
        return f"{move}-{_reach(state, move) % state.setup.track.end or GOAL}"

    def apply_move(self, state: State, move: Move) -> State:
        setup, ply, line, _, reserve, reserve_other, _ = state
        cubes = line >> 10 * move & 1023
        shift = setup.track.shifts[ply & 1][move][cubes]
        if not cubes:
            reserve -= 1
        # State(...) takes twice as long.
        after = tuple.__new__(State, (setup, ply + 1, line + shift, line, reserve_other, reserve, None))
        if not _can_act(after):
            after = after._replace(line=_collect(after))
            return self.end(after, Over("blocked", self.standing(after)))  # ZH7, ZH8
        return self.end(after, Over("ply-limit", self.standing(after))) if ply + 1 == setup.ply_limit else after

    def end(self, state: State, over: Over) -> State:
        return state._replace(over=over)

    def standing(self, state: State) -> tuple[int, ...]:
        return state.over.ranks if state.over else rank_by(_captured(state))  # ZH8, ZH9

    def evaluate(self, state: State, seat: int) -> int:
        """Cubes captured, then cubes it can capture at once, then actions to choose from, each minus the enemy's."""
        if state.over:
            return evaluate_over(state.over, seat)
        passed = state._replace(
            ply=state.ply + 1, before=None, reserve=state.reserve_other, reserve_other=state.reserve
        )
        ahead = _prospect(state) - _prospect(passed)
        return ahead if _seat(state) == seat else -ahead

    def view(self, state: State) -> dict[str, Any]:
        reserve = [state.reserve, state.reserve_other]
        return {
            **self._view_head(state),
            **_view_line(state, state.line),
            "reserve": reserve[::-1] if state.ply & 1 else reserve,
            "before": None if state.before is None else _view_line(state, state.before),
        }

    def render_text(self, state: State) -> str:
        view = self.view(state)
        places = [view["goals"][0], *view["tiles"], view["goals"][1]]
        heads = ["goal", *(f"{tile:4}" for tile in range(1, state.setup.track.end)), " goal"]
        one, two = (
            "".join(str(cubes[index] or ".").rjust(len(head)) for cubes, head in zip(places, heads, strict=True))
            for index in (0, 1)
        )
        return "\n".join(
            [
                f"tile   {''.join(heads)}",
                f"seat 1 {one}   <",
                f"seat 2 {two}   >",
                "",
                f"Reserve: {view['reserve'][0]} of seat 1, {view['reserve'][1]} of seat 2.",
            ]
        )

    def _list_move_effects(self, before: State, move: Move, after: State) -> Iterator[Effect]:
        (track, _), ply, line, *_ = before
        seat, other = (2, 1) if ply & 1 else (1, 2)
        cubes = _cubes(line, move)
        if cubes:
            yield from _list_travel(track, seat, other, move, cubes)
        else:
            yield Effect("placed", "ZH4", True, seat, target=str(move))
        if after.over and after.over.reason == "blocked":
            yield Effect("blocked", "ZH7", False, seat, other)
            yield from _list_sweep(track, seat, line + track.shifts[ply & 1][move][cubes])


def _list_travel(track: Track, seat: int, other: int, tile: int, cubes: int) -> Iterator[Effect]:
    """The cubes of a tile that the seat moves, its own ones first."""
    one, two = cubes & 31, cubes >> 5
    own, enemy, reach = (one, two, tile - one) if seat == 1 else (two, one, tile + two)
    source = str(tile)
    if 0 < reach < track.end:
        target = str(reach)
        yield Effect("moved", "ZH2", True, seat, source=source, target=target, amount=own)
        if enemy:
            yield Effect("carried", "ZH2", False, seat, other, source=source, target=target, amount=enemy)
    else:
        yield Effect("entered", "ZH3", True, seat, source=source, target=GOAL, amount=own)
        yield Effect("captured", "ZH3", False, seat, other, source=source, target=GOAL, amount=enemy)


def _list_sweep(track: Track, seat: int, line: int) -> Iterator[Effect]:
    """All cubes on the tiles, which the seat takes into its goal."""
    for tile in range(1, track.end):
        cubes = _cubes(line, tile)
        for owner, amount in ((1, cubes & 31), (2, cubes >> 5)):
            if amount:
                yield Effect("swept", "ZH7", False, seat, owner, source=str(tile), target=GOAL, amount=amount)


def _seat(state: State) -> int:
    return 1 + (state.ply & 1)


def _cubes(line: int, place: int) -> int:
    return line >> 10 * place & 1023


def _reach(state: State, tile: int) -> int:
    """The place to which the seat on turn would move the tile's cubes; beyond the line if they overshoot."""
    own = _cubes(state.line, tile) >> 5 * (state.ply & 1) & 31
    return tile + own if state.ply & 1 else tile - own  # ZH1, ZH2


def _actions(state: State) -> Iterator[Move]:
    (track, _), ply, line, before, reserve, _, _ = state
    shifts = track.shifts[ply & 1]
    for tile in range(1, track.end):
        cubes = line >> 10 * tile & 1023
        shift = shifts[tile][cubes]
        if shift and (cubes or reserve) and line + shift != before:  # ZH4, ZH5
            yield tile


def _can_act(state: State) -> bool:
    """Whether there is any action. It is asked after every move, and a generator would double the cost."""
    (track, _), ply, line, before, reserve, _, _ = state
    tiles = line
    for shifts in track.shifts[ply & 1][1:]:
        tiles >>= 10
        cubes = tiles & 1023
        if (cubes or reserve) and (shift := shifts[cubes]) and line + shift != before:  # ZH4, ZH5
            return True
    return False


def _find_breach(state: State, source: int, target: int) -> tuple[str, Phrase] | None:
    """A rule that the move breaks, and how; None when the move is legal."""
    (track, _), ply, line, before, reserve, _, over = state
    if over:
        return END_CLAUSES.get(over.reason, "ZH7"), MATCH_OVER
    cubes = line >> 10 * (source or target) & 1023
    if not source:
        if not reserve:
            return "ZH4", say("the reserve is empty. Move cubes that are on the tiles.")
        if cubes:
            return "ZH4", say("tile {to} is not empty. Put the cube on an empty tile, or move cubes.", to=target)
        return None
    own, end = cubes >> 5 * (ply & 1) & 31, track.end
    reach = source + own if ply & 1 else source - own
    if not own:
        return "ZH2", say(
            "tile {from} has no cube of the seat on turn. Choose a tile that has one, or put a cube on an empty tile.",
            **{"from": source},
        )
    if not 0 <= reach <= end:
        return "ZH3", say(
            "{amount} steps from tile {from} go beyond the goal. Choose another tile.", amount=own, **{"from": source}
        )
    if reach in (0, end) and own << 5 * (ply & 1) == cubes:
        return "ZH3", say(
            "tile {from} has no enemy cube to take into the goal. Choose another tile.", **{"from": source}
        )
    if line + track.shifts[ply & 1][source][cubes] == before:
        return "ZH5", say(
            "the cubes on tile {from} can only undo the enemy's last move. Choose another tile.", **{"from": source}
        )
    if reach % end != target:
        return "ZH2", say(
            "the cubes on tile {from} move one step towards the seat's goal for each of its cubes. Enter {move}.",
            move=f"{source}-{reach % end or GOAL}",
            **{"from": source},
        )
    return None


def _collect(state: State) -> int:
    """The line after the opponent of the seat on turn took all cubes on the tiles into its goal."""
    end = state.setup.track.end
    tiles = sum(_cubes(state.line, tile) for tile in range(1, end))
    goals = _cubes(state.line, 0) + (_cubes(state.line, end) << 10 * end)
    return goals + (tiles << 10 * (0 if state.ply & 1 else end))


def _captured(state: State) -> tuple[int, int]:
    """The number of enemy cubes in the goal of seat 1, and in that of seat 2."""
    return _cubes(state.line, 0) >> 5, _cubes(state.line, state.setup.track.end) & 31


def _prospect(state: State) -> int:
    """The value for the seat on turn of what it captured, what it can capture at once, and its actions."""
    (track, _), ply, line, before, reserve, _, _ = state
    second, tiles, number, most = ply & 1, line, 0, 0
    # As in _actions, of which a list would take twice as long.
    for tile, shifts in enumerate(track.shifts[second][1:], 1):
        tiles >>= 10
        cubes = tiles & 1023
        if (cubes or reserve) and (shift := shifts[cubes]) and line + shift != before:
            number += 1
            one, two = cubes & 31, cubes >> 5
            own, enemy, distance = (two, one, track.end - tile) if second else (one, two, tile)
            if own == distance and enemy > most:
                most = enemy
    return 100 * _captured(state)[second] + 30 * most + number


def _view_line(state: State, line: int) -> dict[str, Any]:
    goal, *tiles, other = [
        [_cubes(line, place) & 31, _cubes(line, place) >> 5] for place in range(state.setup.track.end + 1)
    ]
    return {"tiles": tiles, "goals": [goal, other]}


ZHEN_V1 = ZhenV1()
