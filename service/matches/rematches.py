"""Rematches: the next match of the same players. If two players ask at the same time, both get the same match."""

from typing import Any

from plyscribe.domain.commands import Actor, CreateMatch, Secret
from plyscribe.domain.decide.opening import require_may_ask_rematch
from plyscribe.domain.events import Account, Occupant, RecordedDice
from plyscribe.domain.limits import rotate_limits
from plyscribe.domain.match import Match
from plyscribe.service.config import SERVER, ServerKey
from plyscribe.service.matches.seating import renew_all
from plyscribe.service.store import port
from plyscribe.service.streams.ids import job_command, stream_id


def rematch_id(match: str) -> tuple[str, port.CommandKey]:
    """The id of a match's rematch, and the key of the command that creates it; the same for everybody who asks."""
    asked = job_command("rematch", match)
    return stream_id("match", asked), asked


def draft_rematch(old: Match, actor: Actor, at: int, key: ServerKey) -> CreateMatch:
    """The command that creates the rematch of a match: the same terms, with every player one seat further on.

    The player of seat 2 gets seat 1, the player of seat 1 the last seat. Refusal if the match has no outcome, if the
    actor neither played in it nor created it, or if it was recorded and the actor is not its recorder.
    """
    life = old.life
    require_may_ask_rematch(actor, life)
    id, asked = rematch_id(old.stream)
    server_dice, secret = key.seal(id)
    bots, seeds = key.seal_seeds(id)
    created = life.created
    return CreateMatch(
        actor=actor,
        at=at,
        id=asked.id.hex(),
        secret=Secret(secret, seeds),
        ruleset=created.ruleset,
        ruleset_version=created.ruleset_version,
        options=created.options,
        seats=_rotate([seat.occupant for seat in life.seats]),
        recorder=created.recorder,
        dice=RecordedDice() if isinstance(created.dice, RecordedDice) else server_dice,
        bots=bots,
        rated=created.rated,
        private=created.private,
        start=created.start,
        limits=rotate_limits(created.limits, len(life.seats)),
        rematch_of=old.stream,
        server=SERVER,
    )


def _rotate(seats: list[Any]) -> tuple[Occupant | None, ...]:
    return renew_all((*seats[1:], seats[0]))


def seats_offered(rematch: Match, account: str) -> list[int]:
    """The seats that the rematch offered to this account when it was created."""
    return [number for number, who in enumerate(rematch.life.created.seats, 1) if who == Account(account)]
