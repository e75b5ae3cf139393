"""Forks: new matches that begin with the line of another one, up to any of its plies."""

from collections.abc import Sequence
from typing import Any

from domain.chain import StoredEvent
from domain.commands import CreateMatch
from domain.errors import WrongTime, WrongValue
from domain.events import MAX_LINE_STEPS, Account, Dice, LineCopied, Occupant, RecordedDice, ServerDice
from domain.fork import trace_line
from domain.match import Match, damaged
from service.config import SERVER, ServerKey


def draft_fork(
    parent: Match,
    entries: Sequence[StoredEvent],
    fork: str,
    wanted: dict[str, Any],
    base: dict[str, Any],
    key: ServerKey,
) -> CreateMatch:
    """The command that creates the match `fork`, which goes on where `parent` stood at ply `wanted["ply"]`.

    `entries` are the parent's events up to its version, `wanted` the body of the request, `base` who asks and when.
    Refusal where the parent has no such ply, where its line is too long, or its dice are still secret.
    """
    play, created = parent.play, parent.life.created
    if play is None:
        assert parent.fault is not None  # a created match without a fault has a play
        raise damaged(parent.fault)
    if wanted["ply"] > play.ply:
        raise WrongValue("fork/ply", f"the match has plies 0..{play.ply}, not {wanted['ply']}", ply=play.ply)
    sound = [entry for entry in entries if parent.fault is None or entry.version < parent.fault.version]
    steps = trace_line(sound, wanted["ply"])
    if len(steps) > MAX_LINE_STEPS:
        why = f"{len(steps)} moves, rolls and withdrawals led there, and a fork copies {MAX_LINE_STEPS} at most"
        raise WrongValue("fork/too-long", why)
    dice, salts = _choose_dice(parent, fork, wanted["dice"], key)
    return CreateMatch(
        **base,
        secret=key.secret_of(dice) if isinstance(dice, ServerDice) else None,
        ruleset=created.ruleset,
        ruleset_version=created.ruleset_version,
        options=created.options,
        seats=_choose_seats(wanted["seats"], len(created.seats), base["actor"].id),
        recorder=base["actor"].id if wanted["recorded"] else None,
        dice=dice,
        private=wanted["private"] or created.private,
        start=wanted["start"],
        limits=wanted["limits"],
        about=wanted["about"],
        parent={"match": parent.stream, "ply": wanted["ply"]},
        line=LineCopied(steps, salts),
        server=SERVER,
    )


def _choose_seats(wanted: Sequence[Occupant | None] | None, seats: int, account: str) -> tuple[Occupant | None, ...]:
    if wanted is None:
        return (Account(account),) * seats
    if len(wanted) != seats:
        raise WrongValue("fork/seats", f"the match has {seats} seats, and so has its fork")
    return tuple(wanted)


def _choose_dice(parent: Match, fork: str, wanted: str, key: ServerKey) -> tuple[Dice | None, Any]:
    """The dice of the fork, and the salts of the parent's where they go on."""
    life = parent.life
    if life.created.dice is None:
        return None, None
    if wanted == "fresh":
        return key.seal(fork)[0], None
    if isinstance(life.created.dice, RecordedDice):
        return RecordedDice(), None
    if life.secret is None:
        raise WrongTime("fork/dice-secret", "the dice of the match are secret until it is over: take fresh ones")
    # Those that were shared are no secret any more that a fork must keep for others.
    dice = life.created.dice
    return ServerDice(dice.dice_id, dice.commitment, dice.key), life.entropies
