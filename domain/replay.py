"""Replay: a match from its events, and its position at any ply of the surviving line."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.errors import Unknown
from plyscribe.domain.match import Match, damaged, fold
from plyscribe.domain.ruleset import Turn


class Position(NamedTuple):
    """A state with its place. `version` is the last event folded into it; `turn` is None if nothing is awaited."""

    version: int
    ply: int
    state: Any
    turn: Turn | None


def replay(stream: str, entries: Iterable[StoredEvent]) -> Match:
    """The match folded from these events, up to the first fault, which is in `fault`; never fails."""
    return fold(Match(stream), entries)


def has_settled(match: Match, ply: int) -> bool:
    """Whether the position at a ply is final: the next move was made, and no recorder can take it back."""
    return match.play is not None and match.life.created.recorder is None and match.play.ply > ply


def position_at(match: Match, ply: int) -> Position:
    """The position just before move `ply` + 1, after all rolls and withdrawals; Unknown if there is no such ply.

    Of a damaged match there are the positions up to the event at fault; WrongTime for those after it.
    """
    play = match.play
    if match.fault and (play is None or ply > play.ply):
        raise damaged(match.fault)
    if play is None:
        raise Unknown("position/unknown", "the first position of this match cannot be read")
    if not 0 <= ply <= play.ply:
        raise Unknown("position/unknown", f"the match has positions 0..{play.ply}, not {ply}", ply=play.ply)
    if ply == play.ply and match.fault:
        # The play stands just before the fault. What has happened to the match since is not part of this position.
        turn = None if match.life.status == "open" else play.turn
        return Position(match.fault.version - 1, ply, play.state, turn)
    if ply == play.ply:
        return Position(match.version, ply, play.state, match.turn)
    step = play.steps[ply]
    # A fork copies its line in one event, which passes all of its positions at once.
    version = step.version if step.is_copied else step.version - 1
    return Position(version, ply, step.state, play.ruleset.turn(step.state))
