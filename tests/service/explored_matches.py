"""Matches that the explorer counts: played, checked and, if wanted, annulled, in a store in memory."""

from itertools import count
from random import Random
from typing import Any

from plyscribe.domain import commands
from plyscribe.domain.bots import build_bot, choose_move
from plyscribe.domain.commands import Actor, Command
from plyscribe.domain.events import Account, MatchVerified
from plyscribe.domain.match import Match
from plyscribe.domain.ruleset import Decision
from plyscribe.service.composition import Parts
from plyscribe.service.streams.ids import command_of, stream_id

ANN, BEN = Actor("player", "player-" + "a" * 26), Actor("player", "player-" + "b" * 26)
VERIFIER, ORGANISER = Actor("system", "verify"), Actor("organiser", "player-" + "z" * 26)

JULY = 1_721_000_000_000
"""A moment in July 2024."""

_numbers = count()


class Table:
    """A match in which Ann has the odd seats and Ben the even ones."""

    def __init__(
        self,
        parts: Parts,
        ruleset: str = "pathagon",
        seats: int = 2,
        at: int = JULY,
        private: bool = False,
        **options: Any,
    ) -> None:
        self.parts, self.at = parts, at
        asked = command_of("test", "POST", f"/{next(_numbers)}", None, b"")
        self.id = stream_id("match", asked)
        dice, self.secret = parts.config.server_key.seal(self.id)
        held = [Account((ANN, BEN)[seat % 2].id) for seat in range(seats)]
        self.actors = [(ANN, BEN)[seat % 2] for seat in range(seats)]
        fields = {"ruleset": ruleset, "seats": tuple(held), "options": options, "dice": dice, "private": private}
        self.do(commands.CreateMatch, ANN, start="call", new=True, server="plyscribe", **fields)
        for seat, actor in enumerate(self.actors, 1):
            if actor is BEN:
                self.do(commands.TakeSeat, BEN, seat=seat)
        self.do(commands.StartMatch, ANN)

    def do(self, command: type[Command], actor: Actor, new: bool = False, **fields: Any) -> None:
        asked = command_of("test", "POST", f"/{next(_numbers)}", None, b"")
        secret = self.parts.config.server_key.seal(self.id)[1] if new else self.parts.secret_for(self.match)
        more = {"secret": secret} if secret else {}
        made = command(actor=actor, at=self.at, **more, **fields)
        self.parts.matches.execute(self.id, lambda _: made, asked, new=new)

    @property
    def match(self) -> Match:
        return self.parts.matches.read(self.id)

    def play(self, *moves: str) -> "Table":
        """Make these moves, each by the seat on turn."""
        for move in moves:
            self.do(commands.MakeMove, self._find_actor(), move=move)
        return self

    def play_out(self, bot: str = "random", seed: int = 1, plies: int = 10_000) -> "Table":
        """Let bots play on, at most so many moves."""
        build, random = build_bot(bot, seed), Random(seed)
        for _ in range(plies):
            play = self.match.play
            assert play is not None
            if not isinstance(play.turn, Decision):
                break
            if bot == "random":
                move = play.ruleset.sample_move(play.state, random.randrange)
            else:
                move = choose_move(build, play.ruleset, play.state, play.turn.seat, play.ply)
            self.play(play.ruleset.format_move(play.state, move))
        return self

    def end(self, loser: int | None = None) -> str:
        """Let a seat give up, unless the match is over, and check the match; returns its id."""
        if loser is not None:
            self.do(commands.Withdraw, self.actors[loser - 1], seat=loser)
        self.do(commands.RecordVerdict, VERIFIER, verdict=MatchVerified(self.match.version, ""))
        return self.id

    def annul(self) -> None:
        self.do(commands.AnnulMatch, ORGANISER, why="a test")

    def _find_actor(self) -> Actor:
        play = self.match.play
        assert play is not None
        assert isinstance(play.turn, Decision)
        return self.actors[play.turn.seat - 1]
