"""Given-when-then for matches: commands are decided, their events stored in memory and folded."""

from collections.abc import Iterable
from typing import Any

import pytest

from plyscribe.domain.chain import StoredEvent, canonical_json, first_link, link_all
from plyscribe.domain.codec import format_event
from plyscribe.domain.commands import Actor, Command, CreateMatch, MakeMove, Secret, StartMatch, TakeSeat
from plyscribe.domain.decide import decide
from plyscribe.domain.dice import commit
from plyscribe.domain.errors import Refusal
from plyscribe.domain.events import Account, Dice, EventData, Guest, Occupant, SealedSeeds, ServerDice
from plyscribe.domain.match import Match, fold
from plyscribe.domain.rulesets import register
from tests.domain.toy import TOY_V1

register(TOY_V1)

STREAM = "match-aaaaaaaaaaaaaaaaaaaaaaaaaa"
SECRET = bytes(range(32))
SEEDS_SECRET = bytes(range(32, 64))
SEALED = SealedSeeds(commit(SEEDS_SECRET), "0123456789abcdef")
SERVER_DICE = ServerDice(STREAM, commit(SECRET), "0123456789abcdef")

ANN, BEN, CAT, DAN, RECORDER = (Actor("player", f"player-{name * 26}") for name in "abcdr")
SYSTEM, CLOCK = Actor("system", "verify"), Actor("system", "deadline")
ORGANISER = Actor("organiser", "player-" + "o" * 26)


def account(actor: Actor) -> Account:
    return Account(actor.id)


class Table:
    """A match under test: every command that is carried out is appended, as a store would."""

    def __init__(self) -> None:
        self.match = Match(STREAM)
        self.entries: list[StoredEvent] = []

    def when(self, command: type[Command], actor: Actor, at: int | None = None, **fields: Any) -> list[EventData]:
        """What the events of the command say; they are appended."""
        number = len(self.entries) + 1
        order = command(
            actor=actor,
            at=1000 + number if at is None else at,
            id=f"{number:032x}",
            secret=Secret(SECRET, SEEDS_SECRET),
            **fields,
        )
        events = decide(order, self.match)
        start = self.match.head or first_link(STREAM)
        stored = link_all(start, self.match.version + 1, map(format_event, events))
        self.entries += stored
        self.match = fold(self.match, stored)
        assert self.match.fault is None
        return [event.data for event in events]

    def play(self, *moves: str) -> None:
        """Moves of whoever is on turn."""
        for move in moves:
            seat = self.match.play.turn.seat
            self.when(MakeMove, Actor("player", self.match.lifecycle.seats[seat - 1].occupant.player), move=move)

    @property
    def status(self) -> str:
        return self.match.life.status


def new_match(
    ruleset: str = "pathagon",
    seats: tuple[Occupant | None, ...] = (None, None),
    creator: Actor = ANN,
    dice: Dice | None = SERVER_DICE,
    **more: Any,
) -> Table:
    table = Table()
    table.when(CreateMatch, creator, ruleset=ruleset, seats=seats, dice=dice, **more)
    return table


def hot_seat(ruleset: str = "pathagon", seats: int = 2, **more: Any) -> Table:
    """A match that Ann plays alone on all seats, started by call so that no entropy is waited for."""
    table = new_match(ruleset, (account(ANN),) * seats, start="call", **more)
    table.when(StartMatch, ANN)
    return table


def recorded(ruleset: str = "toy", names: tuple[str, ...] = ("Ada", "Bea"), **more: Any) -> Table:
    """A match that a recorder enters for guests."""
    return new_match(ruleset, tuple(map(Guest, names)), RECORDER, recorder=RECORDER.id, **more)


def two_players(ruleset: str = "pathagon", **more: Any) -> Table:
    """A match of Ann and Ben under way, without dice."""
    table = new_match(ruleset, (account(ANN), account(BEN)), **more)
    table.when(TakeSeat, BEN, seat=2)
    return table


def refused(table: Table, command: type[Command], actor: Actor, at: int | None = None, **fields: Any) -> Refusal:
    """The refusal that must come; nothing is recorded."""
    before = list(table.entries)
    with pytest.raises(Refusal) as refusal:
        table.when(command, actor, at, **fields)
    assert table.entries == before
    return refusal.value


def refusal(table: Table, command: type[Command], actor: Actor, at: int | None = None, **fields: Any) -> str:
    """The code of the refusal that must come."""
    return str(refused(table, command, actor, at, **fields).code)


def store_again(raws: Iterable[dict[str, Any]]) -> list[StoredEvent]:
    """Events of the match as who changes them would store them, in one chain."""
    return link_all(first_link(STREAM), 1, map(canonical_json, raws))
