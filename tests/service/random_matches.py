"""Random matches in all states: what lists are compared on."""

import random
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import sqlalchemy as sa

from plyscribe.domain import commands
from plyscribe.domain.commands import Actor, Command, Secret
from plyscribe.domain.errors import DomainError
from plyscribe.domain.events import Account, Guest, MatchRefuted, MatchVerified, Occupant, RecordedDice
from plyscribe.domain.match import Match
from plyscribe.domain.ruleset import Decision
from plyscribe.service.composition import Parts
from plyscribe.service.database.table_sets import Tables
from plyscribe.service.streams.ids import command_of, stream_id

PLAYERS = [Actor("player", f"player-{letter * 26}") for letter in "abcdefg"]
TOURNAMENTS = [f"tournament-{letter * 26}" for letter in "xy"]
SYSTEM = Actor("system", "verify")
ORGANISER = Actor("organiser", "player-" + "z" * 26)
NOTES = [
    None,
    {"place": "Turin", "event": "Club evening"},
    {"place": "New Turin", "event": "Club Cup, round 2"},
    {"event": "Évening"},
]
TIMES = 50
"""Few enough that many matches are created in the same millisecond."""


class Play:
    """Plays matches at random on a store; what the rules of matches refuse is let be."""

    def __init__(self, parts: Parts, seed: int) -> None:
        self.rng = random.Random(seed)
        self.matches: list[str] = []
        self._parts = parts

    def create(self) -> None:
        """A new match of a random kind, or none."""
        rng, creator = self.rng, self.rng.choice(PLAYERS)
        recorder = creator.id if rng.random() < 0.2 else None
        asked = command_of("test", "POST", "/", f"{rng.random()}", b"")
        match = stream_id("match", asked)
        dice, secret = self._parts.config.server_key.seal(match)
        command = commands.CreateMatch(
            actor=creator,
            at=rng.randrange(1, TIMES),
            secret=Secret(secret),
            ruleset=rng.choice(["pathagon", "zhen", "toy"]),
            seats=tuple(self._occupant(recorder) for _ in range(2)),
            recorder=recorder,
            dice=RecordedDice() if recorder and rng.random() < 0.5 else dice,
            start=rng.choice(["auto", "call"]),
            rated=rng.random() < 0.2,
            private=rng.random() < 0.25,
            about=NOTES[len(self.matches) % len(NOTES)],
            tournament={"id": rng.choice(TOURNAMENTS)} if rng.random() < 0.3 else None,
        )
        with suppress(DomainError):
            self._parts.matches.execute(match, lambda _: command, asked, new=True)
            self.matches.append(match)

    def step(self, match: str) -> None:
        """Something that may happen next to a match."""
        state = self._parts.matches.read(match)
        command, actor = self._next(state)
        fields = {"actor": actor, "at": self.rng.randrange(TIMES, 2 * TIMES), "secret": self._parts.secret_for(state)}
        asked = command_of("test", "POST", "/", None, b"")
        with suppress(DomainError):
            self._parts.matches.execute(match, lambda _: command(**fields), asked)

    def go_on(self, steps: int) -> None:
        """New matches now and then, and steps of those that are there."""
        for _ in range(steps):
            if self.rng.random() < 0.1:
                self.create()
            if self.matches:
                self.step(self.rng.choice(self.matches))

    def _occupant(self, recorder: str | None) -> Occupant | None:
        kinds = [None, Account(self.rng.choice(PLAYERS).id), Account(self.rng.choice(PLAYERS).id)]
        return self.rng.choice([*kinds, Guest("Ada")] if recorder else kinds)

    def _next(self, match: Match) -> tuple[Callable[..., Command], Actor]:
        rng, life = self.rng, match.life
        someone = rng.choice(PLAYERS)
        seat = rng.randrange(1, len(life.seats) + 1)
        occupant = life.seats[seat - 1].occupant
        held = Actor("player", occupant.player) if isinstance(occupant, Account) else someone
        creator = Actor("player", life.creator)
        start = commands.StartMatch, creator
        if life.status == "open":
            take, leave = (partial(each, seat=seat) for each in (commands.TakeSeat, commands.LeaveSeat))
            salt = partial(commands.AddEntropy, seat=seat, entropy="salt")
            abort = [(commands.AbortMatch, creator)] * (rng.random() < 0.2)
            return rng.choice([(take, held), (take, held), (salt, held), (leave, held), start, start, *abort])
        if life.status == "playing":

            def answer(**base: Any) -> Command:
                return commands.AnswerDraw(**base, seat=seat, accept=rng.random() < 0.5)

            offer, leave = (partial(each, seat=seat) for each in (commands.OfferDraw, commands.Withdraw))
            return rng.choice([self._move(match, creator)] * 8 + [(offer, held), (answer, held), (leave, held)])
        verdict = rng.choice([MatchVerified(match.version, ""), MatchRefuted(1, "test")])
        judge, annul = partial(commands.RecordVerdict, verdict=verdict), partial(commands.AnnulMatch, why="test")
        return rng.choice([(judge, SYSTEM), (annul, ORGANISER), start, start, start])

    def _move(self, match: Match, creator: Actor) -> tuple[Callable[..., Command], Actor]:
        play = match.play
        assert play is not None
        if not isinstance(play.turn, Decision):
            return commands.StartMatch, creator
        occupant = match.life.seats[play.turn.seat - 1].occupant
        actor = Actor("player", occupant.player) if isinstance(occupant, Account) else creator
        move = play.ruleset.format_move(play.state, play.ruleset.sample_move(play.state, self.rng.randrange))
        return partial(commands.MakeMove, move=move), actor


def dump(table: Tables[Any]) -> dict[str, Any]:
    """All rows of the tables that are read."""
    with table.database.reading() as connection:
        return {live.name: set(connection.execute(sa.select(live)).all()) for live in table.live}
