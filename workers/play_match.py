"""The job in which built-in bots play: what they do up to the next decision of somebody else, or a part of it."""

import time
from collections.abc import Sequence
from typing import Any

from domain.bots import choose_move
from domain.commands import Actor, AnswerDraw, Command, PlayOn
from domain.decide import draft_decision
from domain.decide.play import MAX_MOVES_A_COMMAND
from domain.events import BuiltIn
from domain.match import Match
from domain.waiting import find_bot_due
from service.clock import now_ms
from service.composition import Parts
from service.errors import VersionConflict
from service.ids import job_command
from workers.process import process_parts

PLAYER = Actor("system", "play")

TOGETHER_S = 1.0
"""How long a bot's moves are kept to be stored together with those after them."""


def play_matches(due: Sequence[tuple[str, int]]) -> None:
    """Play on in matches, given by stream and version; may run any number of times, at the same time too.

    One command a match is stored at most. The relay sees it, and has the job done again where a bot is still due.
    """
    for stream, version in due:
        play_match(process_parts(), stream, version)


def play_match(parts: Parts, stream: str, version: int) -> None:
    """Store what the built-in bots do, if the match still stands at this version and waits for one of them."""
    match = parts.matches.read(stream)
    if match.version != version or find_bot_due(match) is None:
        return
    asked = job_command("play", stream, version)
    base: dict[str, Any] = {"actor": PLAYER, "at": now_ms(), "id": asked.id.hex(), "secret": parts.secret_for(match)}
    command = _choose(match, base)
    try:
        parts.matches.execute(stream, lambda _: command, asked, version)
    except VersionConflict:
        return  # Somebody left, say. The relay tells what it waits for now.


def _choose(match: Match, base: dict[str, Any]) -> Command:
    """An answer to a draw, which bots decline, or moves, one after another until no bot is due any more."""
    due = find_bot_due(match)
    if due is not None and due[1] == "draw":
        return AnswerDraw(**base, seat=due[0], accept=False)
    moves: list[str] = []
    ply = match.play.ply if match.play else 0
    until = time.monotonic() + TOGETHER_S
    while due is not None and len(moves) < MAX_MOVES_A_COMMAND and (not moves or time.monotonic() < until):
        moves.append(_choose_move(match, due[0], ply + len(moves)))
        match = _look_ahead(match, moves[-1], base)
        due = find_bot_due(match)
    return PlayOn(**base, moves=tuple(moves))


def _look_ahead(match: Match, move: str, base: dict[str, Any]) -> Match:
    """The match as it will stand after the move of the seat on turn, and the rolls that follow."""
    if match.life.created.dice is not None:
        return draft_decision(PlayOn(**base, moves=(move,)), match).match
    # Nothing is rolled or recorded here: what the rules make of the move is enough to choose the next one.
    play = match.play
    assert play is not None
    state = play.ruleset.apply_move(play.state, play.ruleset.parse_move(play.state, move))
    return match._replace(play=play._replace(state=state, offer=None))


def _choose_move(match: Match, seat: int, ply: int) -> str:
    bot, play = match.life.seats[seat - 1].occupant, match.play
    assert isinstance(bot, BuiltIn)
    assert play is not None
    return play.ruleset.format_move(play.state, choose_move(bot, play.ruleset, play.state, seat, ply))
