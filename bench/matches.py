"""Random matches to measure with, the same in every run, and their stored form, without a server."""

import random
from collections.abc import Sequence
from typing import Any

from plyscribe.domain.chain import StoredEvent, first_link, link_all
from plyscribe.domain.codec import Event, format_event
from plyscribe.domain.commands import Actor, Command, CreateMatch, MakeMove, Secret, StartMatch
from plyscribe.domain.decide import decide
from plyscribe.domain.dice import commit
from plyscribe.domain.events import Account, ServerDice
from plyscribe.domain.match import Match, evolve
from plyscribe.domain.ruleset import Over
from plyscribe.domain.rulesets import find_ruleset

ANN = Actor("player", "player-" + "a" * 26)


def random_moves(ruleset_id: str, seed: int) -> list[str]:
    """The moves of a match that is played at random to its end."""
    ruleset, rng = find_ruleset(ruleset_id), random.Random(seed)
    state, moves = ruleset.initial_state(ruleset.parse_options({}), 2), []
    while not isinstance(ruleset.turn(state), Over):
        move = ruleset.sample_move(state, rng.randrange)
        moves.append(ruleset.format_move(state, move))
        state = ruleset.apply_move(state, move)
    return moves


def long_moves(plies: int) -> list[str]:
    """The first `plies` moves of a longer random match of pathagon."""
    return next(moves[:plies] for seed in range(1000) if len(moves := random_moves("pathagon", seed)) > plies)


def decide_events(ruleset_id: str, moves: Sequence[str], actor: Actor = ANN) -> list[Event]:
    """The events of a match that one account plays in both seats."""
    account = Account(actor.id)
    match, events = Match(stream_name(0)), list[Event]()
    created = CreateMatch(**_base(0, actor), ruleset=ruleset_id, seats=(account, account), server="plyscribe")
    match = _carry_out(created, match, events)
    for ply, move in enumerate(moves, 1):
        match = _carry_out(MakeMove(**_base(ply, actor), move=move), match, events)
    return events


def decide_random_events(ruleset_id: str, plies: int, seats: int = 2) -> list[Event]:
    """The events of a match with server dice, played at random for `plies` plies by one account in all seats."""
    rng, account, secret = random.Random(1), Account(ANN.id), bytes(32)
    match, events = Match(stream_name(0)), list[Event]()
    dice = ServerDice(match.stream, commit(secret), "0" * 16)
    created = CreateMatch(**_base(0, ANN), ruleset=ruleset_id, seats=(account,) * seats, dice=dice, start="call")
    match = _carry_out(created, match, events)
    match = _carry_out(StartMatch(**_base(1, ANN), secret=Secret(secret)), match, events)
    while (play := match.play) and play.ply < plies:
        move = play.ruleset.format_move(play.state, play.ruleset.sample_move(play.state, rng.randrange))
        match = _carry_out(MakeMove(**_base(play.ply + 2, ANN), move=move, secret=Secret(secret)), match, events)
    return events


def _carry_out(command: Command, match: Match, events: list[Event]) -> Match:
    """The match after the command, whose events are added to `events`."""
    for event in decide(command, match):
        match = evolve(match, event)
        events.append(event)
    return match


def _base(number: int, actor: Actor) -> dict[str, Any]:
    return {"actor": actor, "at": 1_800_000_000_000 + 1000 * number, "id": random.Random(number).randbytes(16).hex()}


def store_form(stream: str, events: Sequence[Event]) -> list[StoredEvent]:
    """The events as they are stored in a stream with this id."""
    return link_all(first_link(stream), 1, map(format_event, events))


def stream_name(number: int) -> str:
    """A match id, a different one for each number."""
    letters = random.Random(f"match {number}")
    return "match-" + "".join(letters.choices("abcdefghijklmnopqrstuvwxyz234567", k=26))
