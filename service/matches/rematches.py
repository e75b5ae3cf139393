"""Rematches: the next match of the same players. A match has one, whoever asks for it first."""

from typing import Any

from plyscribe.domain.commands import Actor, CreateMatch
from plyscribe.domain.decide.opening import require_may_ask_rematch
from plyscribe.domain.events import Account, Occupant, RecordedDice
from plyscribe.domain.match import Match
from plyscribe.service.config import SERVER, ServerKey
from plyscribe.service.matches.seating import renew_all
from plyscribe.service.store import port
from plyscribe.service.streams.ids import job_command, stream_id


def rematch_id(match: str) -> tuple[str, port.CommandKey]:
    """The id of a match's rematch and what the store remembers its creation by: the same whoever asks."""
    asked = job_command("rematch", match)
    return stream_id("match", asked), asked


def draft_rematch(old: Match, actor: Actor, at: int, key: ServerKey) -> CreateMatch:
    """The command that creates the rematch of a match: all as it was, but everyone one seat further on.

    Who had seat 2 gets seat 1, who had seat 1 the last one. Refusal where the match has no outcome, or the actor has
    no part in it; of a recorded match, where the actor is not its recorder.
    """
    life = old.life
    require_may_ask_rematch(actor, life)
    id, asked = rematch_id(old.stream)
    server_dice, secret = key.seal(id)
    created = life.created
    return CreateMatch(
        actor=actor,
        at=at,
        id=asked.id.hex(),
        secret=secret,
        ruleset=created.ruleset,
        ruleset_version=created.ruleset_version,
        options=created.options,
        seats=_rotate([seat.occupant for seat in life.seats]),
        recorder=created.recorder,
        dice=RecordedDice() if isinstance(created.dice, RecordedDice) else server_dice,
        rated=created.rated,
        private=created.private,
        start=created.start,
        limits=created.limits,
        rematch_of=old.stream,
        server=SERVER,
    )


def _rotate(seats: list[Any]) -> tuple[Occupant | None, ...]:
    return renew_all((*seats[1:], seats[0]))


def seats_offered(rematch: Match, account: str) -> list[int]:
    """The seats that the rematch was created with for this account."""
    return [number for number, who in enumerate(rematch.life.created.seats, 1) if who == Account(account)]
