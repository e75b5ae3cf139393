"""A decision in the making: its events so far, and the match after them."""

from collections.abc import Sequence
from typing import Any

from plyscribe.domain.aggregate import Decided
from plyscribe.domain.codec import Event
from plyscribe.domain.commands import Actor, Command
from plyscribe.domain.dice import commit, roll_dice
from plyscribe.domain.errors import DiceKeyMissing, RollError, WrongTime
from plyscribe.domain.events import (
    DiceRevealed,
    DiceRolled,
    EventData,
    MatchEnded,
    MoveMade,
    SeedsRevealed,
    ServerDice,
    SharedDice,
)
from plyscribe.domain.match import Match, Play, damaged, evolve, make_move
from plyscribe.domain.phrases import say
from plyscribe.domain.ruleset import Over, Roll
from plyscribe.domain.seeds import require_seeds_secret

MAX_ROLLS_A_COMMAND = 1000


class Draft:
    """The events decided so far, and the match after them."""

    __slots__ = ("_by", "_command", "events", "match")

    def __init__(self, match: Match, command: Command, by: Actor) -> None:
        self.match = match
        self.events: list[Event] = []
        self._command = command
        self._by = str(by)

    def emit(self, data: EventData) -> None:
        """Add an event, and apply it to the match."""
        self.match = evolve(self.match, self._add(data))

    def make_move(self, seat: int, text: str, move: Any, thought_ms: int | None = None) -> None:
        """Add a move of the seat on turn, as `emit` would, without parsing its text again."""
        made = MoveMade(seat, text, *self.play.time_move(self._command.at, thought_ms))
        event = self._add(made)
        play = make_move(self.play, event, made, move)
        stream, _, head, life, *_ = self.match
        self.match = Match(stream, event.version, head, life, play, at=event.at)

    def _add(self, data: EventData) -> Event:
        event = Event(self.match.version + 1, self._command.at, self._by, self._command.id, data)
        self.events.append(event)
        return event

    @property
    def decided(self) -> Decided[Match]:
        """The events, and the match after them."""
        return Decided(self.events, self.match.with_head)

    @property
    def play(self) -> Play:
        """The play; WrongTime when the match is damaged and cannot go on."""
        if self.match.fault is not None:
            raise damaged(self.match.fault)
        assert self.match.play is not None  # a created match without a fault has a play
        return self.match.play

    def require_room(self) -> None:
        """WrongTime if the match is full. A command that was recorded needs no room: older matches may be longer."""
        if self.match.is_full and not self._command.again:
            version = self.match.version
            why = f"the match has {version} events, as many as one may have: withdraw, agree on a draw or abort it"
            raise WrongTime("match/too-long", why, version=version)

    def settle(self) -> None:
        """Make all rolls that are due, with server dice; then end the match and reveal its dice if the game is over."""
        life = self.match.life
        if isinstance(life.created.dice, ServerDice):
            self._roll_all(life.created.dice, life.entropies)
        turn = self.play.turn
        if isinstance(turn, Over):
            self.end(turn.reason, turn.ranks)

    def _roll_all(self, dice: ServerDice, entropies: Sequence[str | None]) -> None:
        for made in range(MAX_ROLLS_A_COMMAND):
            turn = self.play.turn
            if not isinstance(turn, Roll):
                return
            if self._command.rolls is None:
                secret, number = self._secret(dice), self.play.rolls + 1
                values = roll_dice(secret, dice.dice_id, entropies, number, turn.sides, turn.count)
            else:
                # If a due roll was not recorded, any values will do: from here on the events differ anyway.
                values = (*self._command.rolls[made : made + 1], (1,) * turn.count)[0]
            self.emit(DiceRolled(turn.sides, turn.count, turn.purpose, turn.seat, values))
        raise RollError(say("one command leads to more than {most} rolls", most=MAX_ROLLS_A_COMMAND))

    def end(self, reason: str, ranks: tuple[int, ...]) -> None:
        """End the match with this outcome and reveal its own secrets."""
        self.emit(MatchEnded(reason, ranks))
        self.reveal_own()

    def reveal_own(self) -> None:
        """Reveal the secrets of the match: of its server dice, unless others share them, and of its bots' seeds."""
        created, secret = self.match.life.created, self._command.secret
        dice, seeds = created.dice, created.bots
        if isinstance(dice, ServerDice) and not isinstance(dice, SharedDice):
            self.reveal(dice)
        if seeds is not None:
            self.emit(SeedsRevealed(require_seeds_secret(seeds, secret and secret.seeds).hex()))

    def reveal(self, dice: ServerDice) -> None:
        """Reveal the secret of these dice of the match."""
        self.emit(DiceRevealed(self._secret(dice).hex()))

    def _secret(self, dice: ServerDice) -> bytes:
        if self._command.rolls is not None:
            return b""  # A match that reveals its dice is verified with their secret, so this is never recorded.
        secret = self._command.secret and self._command.secret.dice
        if secret is None or commit(secret) != dice.commitment:
            raise DiceKeyMissing(dice.key)
        return secret
