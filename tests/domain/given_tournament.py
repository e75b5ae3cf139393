"""Given-when-then for tournaments: commands are decided, their events stored in memory and folded."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

from plyscribe.domain.chain import StoredEvent, first_link, link_all
from plyscribe.domain.codec import format_event
from plyscribe.domain.commands import Actor, Command
from plyscribe.domain.errors import Refusal
from plyscribe.domain.events import Account, BuiltIn, Guest, SeatWithdrawn
from plyscribe.domain.rulesets import register
from plyscribe.domain.tournament import commands
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.domain.tournament.schedule import Pairing
from plyscribe.domain.tournament.state import MAX_ATTEMPTS, Game, Tournament
from tests.domain.toy import TOY_V1

register(TOY_V1)

STREAM = "tournament-" + "a" * 26
ORGANISER = Actor("organiser", "player-" + "o" * 26)
SYSTEM = Actor("system", "tournament")
BOT = BuiltIn("random", 1, 0, None)

Pairer = Callable[[Tournament], Pairing | None]


class GivenTournament:
    """A tournament under test: every command that is carried out is appended, as a store would."""

    def __init__(self, entrants: int = 0, **terms: Any) -> None:
        self.state = Tournament(STREAM)
        self.clock_ms = 1000
        self.entries: list[StoredEvent] = []
        terms = {"name": "Cup", "ruleset": "toy", "format": {"kind": "swiss", "rounds": 9}, "seed": 1, **terms}
        self.when(commands.CreateTournament, **terms)
        for _ in range(entrants):
            self.enter()

    def when(self, command: type[Command], actor: Actor = ORGANISER, **fields: Any) -> list[Any]:
        """What the events of the command say; they are appended."""
        number = len(self.entries) + 1
        order = command(actor=actor, at=self.clock_ms + number, id=f"{number:032x}", **fields)
        events = TOURNAMENT.decide(order, self.state).events
        start = self.state.head or first_link(STREAM)
        stored = link_all(start, self.state.version + 1, map(format_event, events))
        self.entries += stored
        self.state = TOURNAMENT.fold(self.state, stored)
        return [event.data for event in events]

    def wait(self, ms: int) -> None:
        """Let so much time pass."""
        self.clock_ms += ms

    def enter(self) -> None:
        self.when(commands.RegisterEntrant, occupant=BOT)

    def enter_guest(self, name: str, **fields: Any) -> None:
        self.when(commands.RegisterEntrant, occupant=Guest(name), **fields)

    def enter_account(self, player: Actor) -> None:
        self.when(commands.RegisterEntrant, player, occupant=Account(player.id))

    def name_arbiter(self, player: Actor) -> Actor:
        """The arbiter as an actor."""
        self.when(commands.NameArbiter, player=player.id)
        return Actor("arbiter", player.id)

    def report(self, round: int, board: int, *ranks: int, game: int = 1) -> None:
        place = {"round": round, "board": board, "game": game}
        self.when(commands.ReportResult, Actor("table", f"{round}-{board}-0"), **place, ranks=ranks)

    def start(self) -> None:
        self.when(commands.StartTournament)

    def begun(self, *pairing: Any, **more: Any) -> "GivenTournament":
        """The tournament itself, started, and with its first round if a pairing is given."""
        self.start()
        if pairing or more:
            self.pair(*pairing, **more)
        return self

    def leave(self, entrant: int) -> None:
        self.when(commands.WithdrawEntrant, entrant=entrant)

    def sit_out(self, entrant: int, round: int) -> None:
        self.when(commands.AnnounceAbsence, entrant=entrant, round=round)

    def annul(self, round: int, board: int, game: int = 1) -> None:
        self.when(commands.AnnulGame, round=round, board=board, game=game, why="a fault of the platform")

    def give_up(self, round: int, board: int, game: int = 1) -> None:
        for _ in range(MAX_ATTEMPTS):
            self.fail(round, board, game=game)

    def retry(self, round: int, board: int, game: int = 1) -> None:
        self.when(commands.RetryGame, round=round, board=board, game=game, why="the cause is mended")

    def adjudicate(self, round: int, board: int, *ranks: int, game: int = 1) -> None:
        self.when(commands.AdjudicateGame, round=round, board=board, game=game, ranks=ranks, why="a clear position")

    def forfeit(self, round: int, board: int, *entrants: int, game: int = 1) -> None:
        self.when(commands.ForfeitGame, round=round, board=board, game=game, entrants=entrants, why="never came")

    def pair(
        self, boards: Sequence[Sequence[int]], byes: Sequence[int] = (), costs: Any = None, engine: str = "by hand"
    ) -> None:
        fields = {"boards": tuple(map(tuple, boards)), "byes": tuple(byes), "costs": costs or {}, "engine": engine}
        self.when(commands.PairRound, SYSTEM, round=len(self.state.rounds) + 1, **fields)

    def decide(
        self, round: int, board: int, *ranks: int, game: int = 1, left: Sequence[SeatWithdrawn] = (), made_at: int = 0
    ) -> None:
        match = f"match-{round}-{board}-{game}"
        place = {"round": round, "board": board, "game": game, "match": match}
        self.when(
            commands.EnterResult, SYSTEM, **place, ranks=ranks, reason="played", made_at=made_at, left=tuple(left)
        )

    def fail(self, round: int, board: int, cause: str = "refuted", game: int = 1, made_at: int = 0) -> None:
        number = len(self.state.rounds[round - 1].games[board - 1][game - 1].failed) + 1
        place = {"round": round, "board": board, "game": game, "match": f"match-{round}-{board}-{game}-{number}"}
        self.when(commands.NoteFailure, SYSTEM, **place, cause=cause, why="it failed", made_at=made_at)

    def decide_all(self, rank: Callable[[Game], Sequence[int]]) -> None:
        """All games of the last round, ranked so."""
        for games in self.state.rounds[-1].games:
            for game in games:
                self.decide(game.round, game.board, *rank(game), game=game.game)

    def play(self, pairer: Pairer, rank: Callable[[Game], Sequence[int]], most: int = 1000) -> "GivenTournament":
        """Rounds as they are paired, until there is none or there are so many."""
        if self.state.status == "open":
            self.start()
        while len(self.state.rounds) < most:
            pairing = pairer(self.state)
            if pairing is None:
                break
            self.pair(*pairing)
            self.decide_all(rank)
        return self


def by_number(game: Game) -> Sequence[int]:
    """The better seed wins."""
    return [sorted(game.entrants).index(entrant) + 1 for entrant in game.entrants]


def by_chance(seed: int) -> Callable[[Game], Sequence[int]]:
    """Anything may happen, ties too; the better seeds fare better."""
    rng = Random(seed)

    def rank(game: Game) -> Sequence[int]:
        strength = [int(rng.gauss(-entrant / 4, 1.5)) for entrant in game.entrants]
        return [1 + sum(other > own for other in strength) for own in strength]

    return rank


def refusal(
    tournament: GivenTournament, command: type[Command], actor: Actor = ORGANISER, **fields: Any
) -> tuple[type[Refusal], str]:
    """The class and code with which the command is refused; nothing is recorded."""
    before = tournament.state
    with pytest.raises(Refusal) as refused:
        tournament.when(command, actor, **fields)
    assert tournament.state == before
    return type(refused.value), refused.value.code
