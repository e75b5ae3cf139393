"""The quick way to verify a match: it confirms honest matches cheaply and says nothing about all others.

The commands are decided again and must lead to the recorded bytes and hashes. Most events of a match are moves with
another move behind them, and these are only folded: once `decide` has accepted a move by the same actor for the same
seat, a fold checks all that `decide` would check.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import takewhile
from typing import Any

from plyscribe.domain.chain import StoredEvent, first_link, link_all
from plyscribe.domain.codec import Event, ReadMove, format_event, parse_event, read_move, read_moves
from plyscribe.domain.commands import Command, MakeMove, Secret, parse_actor
from plyscribe.domain.decide import draft_decision
from plyscribe.domain.decide.play import MAX_MOVE_LENGTH, MAX_MOVES_A_COMMAND
from plyscribe.domain.draft import Draft
from plyscribe.domain.events import (
    DiceRevealed,
    MatchCreated,
    MoveMade,
    SeatTaken,
    SeedsRevealed,
    ServerDice,
    StepsTakenBack,
)
from plyscribe.domain.match import Match, fold_steps
from plyscribe.domain.reconstruction import rebuild_command

_Hand = tuple[str, str]
"""The actor of a move, as in its envelope, and the seat, in digits."""
_Origin = tuple[str, str, str]
"""At, by and cause of a move, as in its envelope. Of other events only the cause."""


def confirm_match(stream: str, entries: Sequence[StoredEvent]) -> Match | None:
    """The match, if deciding its commands again leads to exactly these bytes and hashes.

    None says nothing: the match may be faulty, or its dice still secret.
    """
    with suppress(Exception):
        match, place, last, secret = Match(stream), 0, ("", "", ""), _find_secret(entries)
        hands: set[_Hand] = set()
        made: Counter[str] = Counter()
        while place < len(entries):
            if quiet := _quiet_moves(entries, place, hands, last):
                folded = fold_steps(match, quiet)
                if folded.version - match.version < len(quiet):
                    return None
                at, by, cause, *_ = quiet[-1][1].groups()
                match, place, last = folded, place + len(quiet), (at, by, cause)
                made.update(found[3] for _, found in quiet)
            command = _read_command(entries, place, secret)
            if command is None:
                return None
            origin = _find_origin(command)
            if not _may_follow(origin, last):
                return None
            draft = draft_decision(command, match)
            decided = link_all(match.head or first_link(stream), match.version + 1, map(format_event, draft.events))
            behind = place + len(decided)
            if decided != entries[place:behind]:
                return None
            hands = _add_hand(hands, draft, match)
            match, place, last = draft.match.with_head(decided[-1].h), behind, origin
            made[command.id] += 1
        if max(made.values()) > MAX_MOVES_A_COMMAND:
            return None
        return match if match.life.secret or not isinstance(match.life.created.dice, ServerDice) else None
    return None


def _quiet_moves(entries: Sequence[StoredEvent], place: int, hands: set[_Hand], last: _Origin) -> list[ReadMove]:
    """The moves from `place` on that are followed by another move and made by a known hand.

    A fold checks all that `decide` checks of such a move: that its seat is on turn and that it is legal. Nothing else
    can follow from the move, because the next event is a move. `last` is the origin of the event before them.
    """
    moves: list[ReadMove] = []
    for stored, found in read_moves(entries, place):
        at, by, cause, _, move, seat, _, _ = found.groups()
        origin = at, by, cause
        if (by, seat) not in hands or len(move) > MAX_MOVE_LENGTH or not _may_follow(origin, last):
            return moves
        moves.append((stored, found))
        last = origin
    return moves[:-1]


def _may_follow(origin: _Origin, last: _Origin) -> bool:
    """Whether the first event of a command, or a bot's move, may come after an event of origin `last`.

    One command may make several moves of bots. They equal the moves of as many commands, except that they share a
    cause and that their number is limited.
    """
    return origin[2] != last[2] or (origin == last and origin[1].startswith("system:"))


def _find_origin(command: Command) -> _Origin:
    is_move = isinstance(command, MakeMove)
    return (str(command.at), str(command.actor), command.id) if is_move else ("", "", command.id)


def _add_hand(hands: set[_Hand], draft: Draft, before: Match) -> set[_Hand]:
    """The hands whose moves `decide` has accepted since the lifecycle last changed: what it checks depends on that."""
    if draft.match.lifecycle is not before.lifecycle:
        return set()
    made = draft.events[0]
    return hands | {(made.by, str(made.data.seat))} if isinstance(made.data, MoveMade) else hands


def _find_secret(entries: Sequence[StoredEvent]) -> Secret:
    """What the match revealed after its last move."""
    found = Secret()
    for entry in reversed(entries):
        if b'"type":"move-made"' in entry.e:
            break
        if b'-revealed"' in entry.e:
            revealed = parse_event(entry).data
            if isinstance(revealed, DiceRevealed):
                found = found._replace(dice=bytes.fromhex(revealed.secret))
            if isinstance(revealed, SeedsRevealed):
                found = found._replace(seeds=bytes.fromhex(revealed.secret))
    return found


def _read_command(entries: Sequence[StoredEvent], place: int, secret: Secret) -> Command | None:
    found = read_move(entries[place])
    if not found:
        return rebuild_command(_read_inputs(entries, place), secret)
    # The pattern may have misread the event. Then the command does not lead to the same bytes.
    at, by, cause, lag, move, seat, spent, _ = found.groups()
    base: dict[str, Any] = {"actor": parse_actor(by), "at": int(at), "id": cause, "secret": secret, "again": True}
    return MakeMove(**base, move=move, seat=int(seat), thought_ms=int(spent) if spent and lag else None)


def _read_inputs(entries: Sequence[StoredEvent], place: int) -> list[Event]:
    """The events at `place` that hold the inputs of their command.

    That is one event, but two for a fork, whose line is in the second, and for a seat that is taken with entropy, and
    all that a correction entered.
    """
    first = parse_event(entries[place])
    if isinstance(first.data, StepsTakenBack):
        return list(takewhile(lambda event: event.cause == first.cause, map(parse_event, entries[place:])))
    if isinstance(first.data, MatchCreated | SeatTaken) and place + 1 < len(entries):
        second = parse_event(entries[place + 1])
        return [first, second] if second.cause == first.cause else [first]
    return [first]
