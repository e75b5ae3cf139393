"""What the explorer keeps of a match: its opening by positions, what each step did, and the terms that find it."""

import time
import zlib
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NamedTuple

import orjson

from plyscribe.domain.chain import canonical_json
from plyscribe.domain.effects import Effect
from plyscribe.domain.match import Match, Play
from plyscribe.domain.positions import fold_move, fold_position
from plyscribe.domain.replay import list_steps
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.explorer.explorer_tables import MOST_TERMS, OPENING

COUNTED = ("verified", "scored")
"""The statuses of matches that count: they were played to their end and found without fault."""

LEFT = ("refuted", "annulled")
"""The statuses of matches that may have counted before, and never will again."""

MOST_EFFECTS = 30_000
"""The effects of a match that can be searched: the steps after so many are not looked at."""

MAX_TERM = 100
"""Characters of a term. Rulesets of the operator's own may have words of any length."""

DEFAULT = "default"
"""What options are called that are all as the ruleset has them by default."""

Json = dict[str, Any]


class Facts(NamedTuple):
    """What is kept of a match at a version."""

    id: str
    version: int
    counts: bool
    is_final: bool
    """Whether it never counts again. It is then noted even if it was not known, for those who read it earlier."""

    values: Json
    """The other columns of its row."""


NOTHING: Mapping[str, Any] = {
    "rules": "",
    "seats": 0,
    "options": "",
    "at": 0,
    "month": 0,
    "winners": "",
    "opening": b"[]",
    "terms": b"[]",
    "effects": 0,
    "steps": b"",
}
"""The columns of a match that does not count."""


def find_facts(match: Match, stream: str, version: int, status: str) -> Facts | None:
    """What is kept of a match with this status, which everybody may read; None while it is under way.

    `stream` and `version` are what it is listed by: those of its import, if it is imported.
    """
    life, play, outcome = match.life, match.play, match.life.outcome
    if match.fault is not None or play is None or outcome is None or status not in COUNTED:
        is_over = status not in ("open", "playing")
        return Facts(stream, version, False, status in LEFT, dict(NOTHING)) if is_over else None
    ended_at = max(0, life.ended_at)
    steps, effects = _describe_steps(play)
    values = {
        "rules": name_rules(play.ruleset),
        "seats": len(life.seats),
        "options": label_options(play.ruleset, life.created.options),
        "at": ended_at,
        "month": month_of(ended_at),
        "winners": format_winners(outcome.ranks),
        "opening": orjson.dumps(_list_opening(play)),
        "terms": orjson.dumps(_list_terms(play.ruleset, steps)),
        "effects": effects,
        # An effect is written as the list of its fields.
        "steps": zlib.compress(orjson.dumps(steps, default=tuple)),
    }
    return Facts(stream, version, True, False, values)


def name_rules(ruleset: AnyRuleset) -> str:
    """The ruleset with its version."""
    return f"{ruleset.id}@{ruleset.version}"


def label_options(ruleset: AnyRuleset, options: Mapping[str, Any]) -> str:
    """What matches with these options are counted under: `default`, the name of a preset, or else a digest."""
    complete = ruleset.parse_options(dict(options))
    named = {DEFAULT: {}, **ruleset.presets}
    for name, preset in named.items():
        if complete == ruleset.parse_options(dict(preset)):
            return name
    return sha256(canonical_json(complete)).hexdigest()[:12]


def month_of(at: int) -> int:
    """The month of a time in UTC milliseconds, as a number: 202407 is July 2024."""
    moment = time.gmtime(at / 1000)
    return moment.tm_year * 100 + moment.tm_mon


def format_winners(ranks: tuple[int, ...]) -> str:
    """The seats that won, with commas; empty if all share the first place.

    >>> format_winners((2, 1, 1)), format_winners((1, 1))
    ('2,3', '')
    """
    best = [seat for seat, rank in enumerate(ranks, 1) if rank == 1]
    return "" if len(best) == len(ranks) else ",".join(map(str, best))


def make_term(rules: str, *words: str) -> str:
    """The term of these words in a ruleset."""
    # PostgreSQL has no text with the character 0.
    return ":".join((rules, *words))[:MAX_TERM].replace("\0", "")


def _count_copied(play: Play) -> int:
    """How many moves the match has from another one: they were decided there, and count there alone."""
    return next((ply for ply, step in enumerate(play.steps) if not step.is_copied), play.ply)


def _list_opening(play: Play) -> list[tuple[int, str, str]]:
    """The ply and the key of each of the first positions, and the move there as it is played in the folded one."""
    ruleset, opening = play.ruleset, []
    for ply in range(_count_copied(play), min(OPENING, play.ply)):
        state = play.steps[ply].state
        folded = fold_position(ruleset, state)
        opening.append((ply, folded.key, fold_move(ruleset, folded, ruleset.parse_move(state, play.steps[ply].move))))
    return opening


def _describe_steps(play: Play) -> tuple[list[Any], int]:
    """The steps as they are stored, and how many effects they have."""
    steps: list[Any] = []
    effects = 0
    for taken in list_steps(play, _count_copied(play) + 1):
        done = taken.list_effects(play.ruleset)
        effects += len(done)
        if effects > MOST_EFFECTS:
            break
        steps.append((taken.ply, taken.seat, taken.notation, done))
    return steps, min(effects, MOST_EFFECTS)


def _list_terms(ruleset: AnyRuleset, steps: list[Any]) -> list[str]:
    """Each kind of effect that the match has, alone, and with each piece and each word."""
    rules, found = name_rules(ruleset), dict[str, None]()
    found[make_term(rules)] = None
    kind, piece, word = map(Effect._fields.index, ("kind", "piece", "word"))
    seen = {(each[kind], each[piece], each[word]) for *_, effects in steps for each in effects}
    found |= dict.fromkeys(sorted(make_term(rules, name) for name, *_ in seen))
    found |= dict.fromkeys(
        sorted(make_term(rules, name, detail) for name, *details in seen for detail in details if detail is not None)
    )
    return list(found)[:MOST_TERMS]
