"""Positions: the state of a match at any ply of its surviving line."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.errors import Unknown
from plyscribe.domain.match import Match, fold
from plyscribe.domain.ruleset import Turn


class Position(NamedTuple):
    """A state with its place: `version` is the last event folded into it, `turn` is None while nothing is awaited."""

    version: int
    ply: int
    state: Any
    turn: Turn | None


def replay(stream: str, entries: Iterable[StoredEvent]) -> Match:
    """The match that these events make, or its good prefix with the first fault in `fault`; never fails."""
    return fold(Match(stream), entries)


def has_settled(match: Match, ply: int) -> bool:
    """Whether the position at a ply can never change: the next move is made, and nobody takes moves back."""
    return match.play is not None and match.life.created.recorder is None and match.play.ply > ply


def position_at(match: Match, ply: int) -> Position:
    """The state just before move `ply` + 1, all else folded in; Unknown where the match has no such ply."""
    play = match.play
    if play is None:
        raise Unknown("position/unknown", "not even the first position of the match is known")
    if not 0 <= ply <= play.ply:
        raise Unknown("position/unknown", f"the match has positions 0..{play.ply}, not {ply}", ply=play.ply)
    if ply == play.ply:
        return Position(match.fault.version - 1 if match.fault else match.version, ply, play.state, match.turn)
    step = play.steps[ply]
    # A copied line came all at once: before it there was no such ply, and with it each of its positions is passed.
    version = step.version if step.is_copied else step.version - 1
    return Position(version, ply, step.state, play.ruleset.turn(step.state))
