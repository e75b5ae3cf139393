"""Duplicates: matches of one creator that share their dice, which are revealed when the last of them is over.

The first match fixes the dice and which matches share them, because the ids of the others follow from its id. So the
set is closed before anybody has rolled. The matches also name the key of the dice, so a new server key changes nothing.
"""

from collections.abc import Sequence

from plyscribe.domain.commands import Actor, CreateMatch, Secret
from plyscribe.domain.errors import Unknown, WrongPerson, WrongValue
from plyscribe.domain.events import Occupant, SharedDice
from plyscribe.domain.match import Match
from plyscribe.service.config import SERVER, ServerKey
from plyscribe.service.store import port
from plyscribe.service.streams.ids import job_command, stream_id


def share_dice(key: ServerKey, first: str, count: int) -> tuple[SharedDice, bytes]:
    """New dice for `count` matches, of which `first` is the first, and their secret."""
    others = (stream_id("match", job_command("duplicate", first, number)) for number in range(2, count + 1))
    return key.seal_shared(f"block-{first.removeprefix('match-')}", (first, *others))


def duplicate_id(match: Match, number: int) -> str:
    """The id of the match with this number among those that share the dice of `match`; Unknown if there is none."""
    dice = match.life.created.dice
    count = len(dice.matches) if isinstance(dice, SharedDice) else 1
    if isinstance(dice, SharedDice) and 1 <= number <= count:
        return dice.matches[number - 1]
    why = f"{count} matches share its dice" if count > 1 else "it does not share its dice"
    raise Unknown("duplicate/unknown", f"{match.stream} has no duplicate {number}: {why}")


def draft_duplicate(
    match: Match,
    id: str,
    seats: Sequence[Occupant | None],
    actor: Actor,
    at: int,
    asked: port.CommandKey,
    key: ServerKey,
) -> CreateMatch:
    """The command that creates the match `id`, with the dice of `match`. It differs from `match` in its seats alone.

    Refusal unless the actor created `match`; DiceKeyMissing if we do not have the key of the dice.
    """
    life = match.life
    created, dice = life.created, life.created.dice
    assert isinstance(dice, SharedDice)
    if actor.id != life.creator:
        raise WrongPerson("match/not-yours", "only the creator of a match can create its duplicates")
    if len(seats) != len(life.seats):
        raise WrongValue("dice/shared", f"matches that share dice have the same number of seats: {len(life.seats)}")
    bots, seeds = key.seal_seeds(id)
    return CreateMatch(
        actor=actor,
        at=at,
        id=asked.id.hex(),
        secret=Secret(key.secret_of(dice), seeds),
        ruleset=created.ruleset,
        ruleset_version=created.ruleset_version,
        options=created.options,
        seats=tuple(seats),
        recorder=created.recorder,
        dice=dice,
        bots=bots,
        private=created.private,
        start=created.start,
        limits=created.limits,
        about=created.about,
        server=SERVER,
    )
