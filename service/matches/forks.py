"""Forks: new matches that begin with the moves of another match, up to any ply."""

from collections.abc import Sequence
from typing import Any

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.commands import CreateMatch, Secret
from plyscribe.domain.dice import commit, parse_secret
from plyscribe.domain.errors import WrongTime, WrongValue
from plyscribe.domain.events import (
    Account,
    Dice,
    LineCopied,
    LineStep,
    MatchCreated,
    Occupant,
    RecordedDice,
    ServerDice,
)
from plyscribe.domain.line import copy_line
from plyscribe.domain.match import Match, damaged
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.variation import Tried, begin, follow, read_line, write_line
from plyscribe.service.config import SERVER, ServerKey
from plyscribe.service.matches.seating import WantedBot, seat_all


def draft_fork(
    parent: Match,
    entries: Sequence[StoredEvent],
    fork: str,
    wanted: dict[str, Any],
    base: dict[str, Any],
    key: ServerKey,
) -> CreateMatch:
    """The command that creates the match `fork`, which goes on where `parent` stood at ply `wanted["ply"]`.

    `entries` are the parent's events up to its version, `wanted` is the body of the request, `base` says who asks and
    when. Refusal if the parent has no such ply, or if its dice are still secret or belong to another server; the
    errors of `follow` for steps that the rules refuse.
    """
    play, created = parent.play, parent.life.created
    if play is None:
        assert parent.fault is not None  # a created match without a fault has a play
        raise damaged(parent.fault)
    if wanted["ply"] > play.ply:
        raise WrongValue("fork/ply", f"the match has plies 0..{play.ply}, not {wanted['ply']}", ply=play.ply)
    sound = [entry for entry in entries if parent.fault is None or entry.version < parent.fault.version]
    steps = _go_on(play.ruleset, created, copy_line(sound, wanted["ply"]), wanted["steps"])
    dice, salts = _choose_dice(parent, fork, wanted["dice"], key)
    bots, seeds = key.seal_seeds(fork)
    return CreateMatch(
        **base,
        secret=Secret(key.secret_of(dice) if isinstance(dice, ServerDice) else None, seeds),
        ruleset=created.ruleset,
        ruleset_version=created.ruleset_version,
        options=created.options,
        seats=_choose_seats(wanted["seats"], len(created.seats), base["actor"].id),
        recorder=base["actor"].id if wanted["recorded"] else None,
        dice=dice,
        bots=bots,
        private=wanted["private"] or created.private,
        start=wanted["start"],
        limits=wanted["limits"],
        about=wanted["about"],
        parent={"match": parent.stream, "ply": wanted["ply"]},
        line=LineCopied(steps, salts),
        server=SERVER,
    )


def _go_on(
    ruleset: AnyRuleset, created: MatchCreated, line: tuple[LineStep, ...], steps: Sequence[Tried]
) -> tuple[LineStep, ...]:
    """The line with steps that were tried after it; the errors of `follow`."""
    if not steps:
        return line
    start = begin(ruleset, dict(created.options), len(created.seats))
    return (*line, *write_line(follow(start, read_line(line)), steps))


def _choose_seats(
    wanted: Sequence[Occupant | WantedBot | None] | None, seats: int, account: str
) -> tuple[Occupant | None, ...]:
    if wanted is None:
        return (Account(account),) * seats
    if len(wanted) != seats:
        raise WrongValue("fork/seats", f"a fork has as many seats as its match: {seats}")
    return seat_all(wanted)


def _choose_dice(parent: Match, fork: str, wanted: str, key: ServerKey) -> tuple[Dice | None, Any]:
    """The dice of the fork, and the parent's salts if the fork goes on with the parent's dice."""
    life = parent.life
    if life.created.dice is None:
        return None, None
    if wanted == "fresh":
        return key.seal(fork)[0], None
    if isinstance(life.created.dice, RecordedDice):
        return RecordedDice(), None
    # Shared dice become the fork's own: they are revealed, so the fork keeps no secret for other matches.
    dice = ServerDice(life.created.dice.dice_id, life.created.dice.commitment, life.created.dice.key)
    _require_revealed(dice, life.secret, key)
    return dice, life.entropies


def _require_revealed(dice: ServerDice, revealed: str | None, key: ServerKey) -> None:
    """Refusal unless the parent itself reveals the secret of its dice, and it is one of ours.

    An imported parent may name the dice of any match. No fork of it may give away a secret that it does not reveal.
    """
    if revealed is None or commit(parse_secret(revealed)) != dice.commitment:
        raise WrongTime("fork/dice-secret", "the dice of the match are secret until it is over: use fresh dice")
    if not key.has_secret_of(dice):
        raise WrongValue("fork/dice-key", "the dice of the match belong to another server: use fresh dice")
