"""The rows of a match: one of `matches`, one of `plies` for each step that was made in it, and its opening lines."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

import orjson

from plyscribe.domain.chain import StoredEvent, canonical_json
from plyscribe.domain.clocks import Timing, read_timing
from plyscribe.domain.codec import parse_event
from plyscribe.domain.effects import NAMES, Effect, Moved, Rolled, Withdrew
from plyscribe.domain.errors import OptionError
from plyscribe.domain.events import Account, BuiltIn, MatchEnded, Occupant
from plyscribe.domain.match import LINE, Match, Play, Seat
from plyscribe.domain.positions import fold_move, fold_position, position_key
from plyscribe.domain.replay import TakenStep, list_steps
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.datasets.schema import OPENING_MOVES
from plyscribe.service.datasets.splits import split_of

Row = dict[str, Any]

FINISHED = ("verified", "scored")
"""The statuses of matches that were played to their end, and whose second execution found no fault."""

_ENDED = MatchEnded.type.encode()


class OpeningLine(NamedTuple):
    """The first moves of a match with all steps between them, and the position before the next move."""

    ply: int
    steps: tuple[str, ...]
    position: str


class MatchRows(NamedTuple):
    """What a match adds to a dataset. The rows of its steps are made as they are taken, since they may be many."""

    match: Row
    plies: Iterator[Row]
    openings: list[OpeningLine]


def judge(match: Match, ruleset: str, until_ms: int) -> str | None:
    """Why a match is not in a dataset of the ruleset; None if it is.

    Only public matches that ended before `until_ms` and were verified since are. One that was annulled, aborted or
    refuted is not, nor one that cannot be read as a whole.
    """
    life = match.lifecycle
    if life is None or life.created.ruleset != ruleset:
        return "other"
    if life.created.private:
        return "private"
    if life.status not in FINISHED or life.outcome is None:
        return life.status if life.status != "ended" else "unverified"
    if match.fault is not None or match.play is None:
        return "damaged"
    return None if life.ended_at < until_ms else "later"


def describe_rows(match: Match, entries: Sequence[StoredEvent]) -> MatchRows:
    """The rows of a match that `judge` takes, from all its events. They follow from the events up to its end."""
    play, life = match.play, match.life
    assert play is not None
    assert life.outcome is not None
    taken = list(list_steps(play))
    split, ranks = split_of(match.stream), list(life.outcome.ranks)
    keep = {"match": match.stream, "split": split, "ruleset_version": life.created.ruleset_version}
    row = {
        **keep,
        **_describe_match(match, entries),
        "copied_plies": sum(step.is_copied for step in play.steps),
        "line": sha256("\n".join(map(_write_step, taken)).encode()).hexdigest(),
        "final_position": position_key(play.ruleset, play.state),
        "ranks": ranks,
    }
    return MatchRows(row, _list_plies(match, play, taken, keep, ranks), list(_list_openings(play, taken)))


def _list_plies(match: Match, play: Play, taken: Sequence[TakenStep], keep: Row, ranks: list[int]) -> Iterator[Row]:
    clocks = _Clocks(match, play)
    for number, step in enumerate(taken):
        # The line that a fork began with was played in another match, which may be private or in another split.
        if step.version != LINE:
            yield {**keep, **_describe_step(play, number, step, clocks), "ranks": ranks}


def _list_openings(play: Play, taken: Sequence[TakenStep]) -> Iterator[OpeningLine]:
    """The lines before each of the first moves but the first; none of a fork, since its parent has them too."""
    line: list[str] = []
    for step in taken:
        if step.version == LINE or step.ply > OPENING_MOVES + 1:
            return
        if isinstance(step.step, Moved) and step.ply > 1:
            yield OpeningLine(step.ply - 1, tuple(line), position_key(play.ruleset, step.before))
        line.append(_write_step(step))


def _describe_match(match: Match, entries: Sequence[StoredEvent]) -> Row:
    life, created = match.life, match.life.created
    assert match.play is not None
    assert life.outcome is not None
    options = canonical_json(created.options).decode()
    return {
        "hash": _find_end(entries).h.hex(),
        "options": options,
        "preset": _name_preset(match.play.ruleset, options),
        "seats": [_describe_seat(seat) for seat in life.seats],
        "rated": created.rated,
        "recorded": created.recorder is not None,
        "dice": None if created.dice is None else created.dice.mode,
        "limits": None if created.limits is None else canonical_json(dict(created.limits)).decode(),
        "tournament": (created.tournament or {}).get("id"),
        "server": created.server,
        "created_at": life.created_at,
        "ended_at": life.ended_at,
        "plies": match.play.ply,
        "reason": life.outcome.reason,
    }


def _find_end(entries: Sequence[StoredEvent]) -> StoredEvent:
    """The last event that ended the match: what was taken back and ended again counts once."""
    return next(
        entry for entry in reversed(entries) if _ENDED in entry.e and isinstance(parse_event(entry).data, MatchEnded)
    )


def _describe_seat(seat: Seat) -> Row:
    held: Occupant | None = seat.occupant
    row: Row = dict.fromkeys(("player", "bot", "bot_version", "playouts", "build"))
    match held:
        case Account(player):
            build = seat.builds[-1].digest if seat.builds else None
            return {"kind": "account", **row, "player": player, "build": build}
        case BuiltIn(bot, version, _, playouts):
            return {"kind": "bot", **row, "bot": bot, "bot_version": version, "playouts": playouts}
    # The name of a guest is that of a person, who was not asked.
    return {"kind": "guest", **row}


@lru_cache(maxsize=256)
def _name_preset(ruleset: AnyRuleset, options: str) -> str | None:
    for name, preset in {"default": {}, **ruleset.presets}.items():
        try:
            if canonical_json(ruleset.parse_options(dict(preset))).decode() == options:
                return name
        except OptionError:
            continue
    return None


def _describe_step(play: Play, number: int, step: TakenStep, clocks: "_Clocks") -> Row:
    ruleset, is_move = play.ruleset, isinstance(step.step, Moved)
    folded = fold_position(ruleset, step.before)
    took_ms, clock_ms = clocks.charge(number, step) if is_move else (None, None)
    return {
        "step": number,
        "ply": step.ply - is_move,
        "kind": _name_kind(step),
        "seat": step.seat,
        "position": folded.key,
        "move": step.notation,
        "folded_move": fold_move(ruleset, folded, step.step.move) if isinstance(step.step, Moved) else None,
        "roll": list(step.step.values) if isinstance(step.step, Rolled) else None,
        "effects": [_describe_effect(effect) for effect in step.list_effects(ruleset)],
        "took_ms": took_ms,
        "clock_ms": clock_ms,
        "evaluation": [ruleset.evaluate(step.before, seat) for seat in range(1, clocks.seats + 1)],
    }


def _name_kind(step: TakenStep) -> str:
    match step.step:
        case Moved():
            return "move"
        case Rolled():
            return "roll"
        case Withdrew():
            return "left"
    return "ended"


def _write_step(step: TakenStep) -> str:
    """A step as a word of a line."""
    match step.step:
        case Moved():
            return step.notation or ""
        case Rolled(values):
            return f"({','.join(map(str, values))})"
        case Withdrew(seat):
            return f"left {seat}"
    return "ended"


def _describe_effect(effect: Effect) -> Row:
    return {NAMES.get(name, name): value for name, value in effect._asdict().items()}


class _Clocks:
    """How long each move took, and what its seat had left for it, in the order of the steps."""

    def __init__(self, match: Match, play: Play) -> None:
        created = match.life.created
        self.seats = len(match.life.seats)
        # What a recorder took to enter a move says nothing of those who made it.
        self._took = None if created.recorder else iter([step.took_ms for step in play.steps if not step.is_copied])
        self._timings = {
            seat: _Running(read_timing(created.limits, seat)) if created.limits else None
            for seat in range(1, self.seats + 1)
        }
        self._adjustments = play.adjustments

    def charge(self, number: int, step: TakenStep) -> tuple[int | None, int | None]:
        """What the move took, and what its seat had for it when its clock began; None for what nobody knows."""
        if self._took is None or step.seat is None:
            return None, None
        took_ms, running = next(self._took), self._timings[step.seat]
        if running is None:
            return took_ms, None
        given = [each for each in self._adjustments if each.seat == step.seat and each.length <= number]
        clock_ms = running.time_for_next(
            sum(each.add_ms for each in given), sum(each.add_ms for each in given if each.length == number)
        )
        running.charge(took_ms)
        return took_ms, clock_ms


class _Running:
    """A seat's clock, charged move by move: Timing.time_after would add all moves up again for each of them."""

    def __init__(self, timing: Timing) -> None:
        self._timing = timing
        self._moves = 0
        self._left = sum(phase.add_ms for phase in timing.phases if not phase.after)

    def time_for_next(self, more: int, more_for_move: int) -> int:
        """The milliseconds for the next move, with what an organiser gave in all, and for this move."""
        timing = self._timing
        if not timing.phases:
            return timing.time_for_next(self._moves, None, more_for_move)
        return timing.time_for_next(self._moves, self._left + more)

    def charge(self, ms: int) -> None:
        """Charge a move that took so long."""
        phases = self._timing.phases
        self._left -= self._timing.find_phase(self._moves).charge(ms) if phases else 0
        self._moves += 1
        self._left += sum(phase.add_ms for phase in phases if phase.after == self._moves)


def dump_row(row: Row) -> bytes:
    """A row as a line of JSON with sorted keys: what the digest of a table is made of."""
    return orjson.dumps(row, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)
