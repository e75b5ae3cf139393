"""Replaying a recorded match under another version of its rules, to find the first event that would differ.

This is how a new version of a ruleset is tested against every match ever played.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple, NoReturn

from plyscribe.domain.chain import StoredEvent, canonical_json
from plyscribe.domain.codec import Event, dump_data, parse_event
from plyscribe.domain.errors import FoldError, IllegalMove, MoveError, NotInPlay, OptionError, RollError
from plyscribe.domain.events import (
    DiceRolled,
    DrawAgreed,
    EventData,
    LineCopied,
    MatchAborted,
    MatchCreated,
    MatchEnded,
    MatchStarted,
    MatchVerified,
    MoveMade,
    MovesTakenBack,
    SeatWithdrawn,
    ServerDice,
    StepsTakenBack,
)
from plyscribe.domain.proofs.playthrough import describe_turn
from plyscribe.domain.ruleset import AnyRuleset, Decision, Over, Roll, Turn

OPTIONS, ILLEGAL, TURN, ROLL = "options", "illegal", "turn", "roll"
END, WITHDRAWAL, VIEW, FAILS = "end", "withdrawal", "view", "fails"


class Difference(NamedTuple):
    """The first event of a match that the candidate would not have led to.

    If the candidate expects more events than were recorded, that is the version behind the last one. `kind` is the
    kind of difference: refused `options`, an `illegal` move (`clause` says why), another `turn`, `roll` or `end`, a
    refused `withdrawal`, another final `view`, or a ruleset that `fails`.
    """

    version: int
    ply: int
    """Moves before it on the surviving line."""
    kind: str
    expected: str
    """The recorded event."""
    came: str
    """What the candidate has instead."""
    clause: str | None = None


def find_difference(entries: Sequence[StoredEvent], candidate: AnyRuleset) -> Difference | None:
    """The first event of the match that this ruleset would not have led to; None if it leads to all of them.

    Checks only rules: no hashes, dice or rights. StreamError if the events cannot be read as a match.
    """
    events = [parse_event(entry) for entry in entries]
    if not events or not isinstance(events[0].data, MatchCreated):
        raise FoldError(1, "the match was never created")
    replay = _Replay(candidate, events[0].data)
    for event in [*events, None]:
        try:
            replay.require_settled() if event is None else replay.follow(event)
        except FoldError:
            raise
        except Exception as error:
            differs = error if isinstance(error, _Differs) else _Differs(FAILS, repr(error))
            version, recorded = (
                (event.version, _format_event(event.data)) if event else (len(events) + 1, "nothing yet")
            )
            return Difference(version, replay.ply, differs.kind, recorded, differs.came, differs.clause)
    return None


class _Differs(Exception):
    def __init__(self, kind: str, came: str, clause: str | None = None) -> None:
        super().__init__(came)
        self.kind, self.came, self.clause = kind, came, clause


class _Replay:
    """A match under the candidate."""

    def __init__(self, ruleset: AnyRuleset, created: MatchCreated) -> None:
        self._line: list[tuple[int, Any]] = []
        """The surviving line: for each step 1 if it was a move, else 0, and the state before it."""

        self._ruleset = ruleset
        self._server_dice = isinstance(created.dice, ServerDice)
        self._state: Any = None
        self._playing = False
        self._agreed = False

    @property
    def ply(self) -> int:
        """Moves on the surviving line."""
        return sum(is_move for is_move, _ in self._line)

    def follow(self, event: Event) -> None:
        """Apply one event; _Differs if it does not follow from the rules."""
        data = event.data
        try:
            self._follow(event.version, data)
        except OptionError as error:
            raise _Differs(OPTIONS, str(error)) from None
        except MoveError as error:
            raise _Differs(ILLEGAL, str(error), error.clause if isinstance(error, IllegalMove) else None) from None
        except RollError as error:
            raise _Differs(ROLL, str(error)) from None
        except NotInPlay as error:
            raise _Differs(WITHDRAWAL, str(error)) from None
        self._agreed = isinstance(data, DrawAgreed)

    def _follow(self, version: int, data: EventData) -> None:
        match data:
            case MatchCreated(options=options, seats=seats):
                self._state = self._ruleset.initial_state(self._ruleset.parse_options(options), len(seats))
            case LineCopied(steps):
                for step in steps:
                    self._follow(version, step)
            case MatchStarted():
                self._playing = True
            case MoveMade(seat, text):
                self._require_turn(Decision(seat))
                move = self._ruleset.parse_move(self._state, text)
                self._go_on(self._ruleset.apply_move(self._state, move), is_move=1)
            case DiceRolled(sides, count, purpose, seat, values):
                self._require_turn(Roll(sides, count, purpose, seat))
                self._go_on(self._ruleset.apply_roll(self._state, values))
            case MatchEnded(reason, ranks):
                self._end(Over(reason, ranks))
            case MatchVerified(digest=digest):
                self._require_view(digest)
            case _:
                self.require_settled()
                self._follow_other(version, data)

    def _follow_other(self, version: int, data: EventData) -> None:
        match data:
            case SeatWithdrawn(seat):
                self._go_on(self._ruleset.withdraw(self._state, seat))
            case MovesTakenBack(ply):
                if not 0 <= ply < self.ply:
                    raise FoldError(version, f"there is no move {ply + 1} to take back")
                self._return_to([place for place, (is_move, _) in enumerate(self._line) if is_move][ply])
            case StepsTakenBack(steps):
                if not 1 <= steps <= len(self._line):
                    raise FoldError(version, f"there are no {steps} steps to take back")
                self._return_to(len(self._line) - steps)
            case MatchAborted():
                self._playing = False

    def _go_on(self, state: Any, is_move: int = 0) -> None:
        self._line.append((is_move, self._state))
        self._state = state

    def _return_to(self, place: int) -> None:
        self._state = self._line[place][1]
        del self._line[place:]
        # It may have ended, and goes on.
        self._playing = True

    def _end(self, over: Over) -> None:
        if self._agreed and not isinstance(self._ruleset.turn(self._state), Over):
            self._go_on(self._ruleset.end(self._state, over))
        self._require_turn(over)
        self._playing = False

    def _require_turn(self, recorded: Turn) -> None:
        turn = self._ruleset.turn(self._state)
        if turn != recorded:
            _differ(turn, recorded)

    def _require_view(self, digest: str) -> None:
        found = sha256(canonical_json(self._ruleset.view(self._state))).hexdigest()
        if found != digest:
            raise _Differs(VIEW, f"the final view has the digest {found}")

    def require_settled(self) -> None:
        """_Differs if, under the candidate, the end or a roll of the server's dice must follow at once."""
        if self._playing:
            turn = self._ruleset.turn(self._state)
            if isinstance(turn, Over) or (isinstance(turn, Roll) and self._server_dice):
                _differ(turn, None)


def _differ(turn: Turn, recorded: Turn | None) -> NoReturn:
    both = turn, recorded
    kind = next((kind for it, kind in ((Over, END), (Roll, ROLL)) if any(isinstance(each, it) for each in both)), TURN)
    raise _Differs(kind, describe_turn(turn))


def _format_event(data: EventData) -> str:
    return f"{data.type} {canonical_json(dump_data(data)).decode()}"
