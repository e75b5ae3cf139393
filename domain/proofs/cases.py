"""The proofs of a ruleset: the cases that its author writes, and the files that are generated from them.

The author writes `cases.json`: positions to count from and matches to play. Generated are `perft.txt`, a transcript of
each match, `card.txt` (seats, options and effects), and `digest.txt`, the SHA-256 over all of them. A change of
behaviour changes the digest, so a released ruleset, whose digest is fixed, cannot change unnoticed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from plyscribe.domain.chain import canonical_json
from plyscribe.domain.effects import describe_kinds
from plyscribe.domain.errors import RulesetError
from plyscribe.domain.proofs.perft import PerftCase, count_case, format_perft
from plyscribe.domain.proofs.playthrough import (
    PlaythroughCase,
    Withdrawal,
    apply_step,
    choose_steps,
    format_case,
    format_playthrough,
    read_steps,
    start_state,
)
from plyscribe.domain.ruleset import AnyRuleset, Over

PERFT = "perft.txt"
CARD = "card.txt"
DIGEST = "digest.txt"
EXAMPLE = """\
{
  "perft": [
    {"name": "default", "seats": 2, "options": {}, "depth": 3},
    {"name": "later", "seats": 2, "options": {"size": 5}, "moves": ["a1", "b2"], "dice": "any text", "depth": 2}
  ],
  "playthroughs": [
    {"name": "plain", "seats": 2, "options": {}, "seed": 1},
    {"name": "left", "seats": 3, "options": {}, "seed": 2, "ends": "withdrawal",
     "withdrawals": [{"ply": 4, "seat": 2}, {"ply": 9, "seat": 1, "awaiting": "roll"}]},
    {"name": "scripted", "seats": 2, "options": {"ply_limit": 60}, "seed": 3,
     "moves": ["a1"], "rolls": [[3, 5]], "greedy": 4, "every": 5}
  ]
}
"""
"""A cases.json with every field that it can have; the moves and options are made up."""


@dataclass(frozen=True, slots=True)
class Cases:
    """The cases of one ruleset; each perft case comes with the depth to count to."""

    perft: tuple[tuple[PerftCase, int], ...]
    playthroughs: tuple[PlaythroughCase, ...]

    @property
    def settings(self) -> list[tuple[int, dict[str, Any]]]:
        """The seats and options of every case."""
        counted = [(case.seats, case.options) for case, _ in self.perft]
        return counted + [(case.seats, case.options) for case in self.playthroughs]


def parse_cases(raw: Any) -> Cases:
    """The cases that the value of a cases.json describes; ValueError naming the entry that cannot be read."""
    if not isinstance(raw, dict) or set(raw) != {"perft", "playthroughs"}:
        raise ValueError("cases.json holds an object with the keys perft and playthroughs")
    perft = tuple(_parse_entry("perft", entry, _perft_case) for entry in raw["perft"])
    playthroughs = tuple(_parse_entry("playthroughs", entry, _playthrough_case) for entry in raw["playthroughs"])
    if not perft or not playthroughs:
        raise ValueError("cases.json needs at least one perft case and one playthrough")
    _require_names([case.name for case, _ in perft])
    _require_names([case.name for case in playthroughs])
    return Cases(perft, playthroughs)


def _parse_entry(kind: str, entry: Any, make: Any) -> Any:
    try:
        return make(**entry)
    except (TypeError, ValueError) as error:
        raise ValueError(f"cases.json, {kind}, {entry!r}: {error}") from None


def _perft_case(depth: int, moves: list[str] | None = None, **fields: Any) -> tuple[PerftCase, int]:
    return PerftCase(moves=tuple(moves or ()), **fields), depth


def _playthrough_case(**fields: Any) -> PlaythroughCase:
    withdrawals = tuple(Withdrawal(**withdrawal) for withdrawal in fields.pop("withdrawals", ()))
    rolls = tuple(tuple(values) for values in fields.pop("rolls", ()))
    return PlaythroughCase(moves=tuple(fields.pop("moves", ())), rolls=rolls, withdrawals=withdrawals, **fields)


def _require_names(names: list[str]) -> None:
    for name in names:
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) or names.count(name) > 1:
            raise ValueError(f"cases.json: {name!r} is not a distinct name of lower-case words and hyphens")


def playthrough_file(case: PlaythroughCase) -> str:
    """The name of the file that holds the transcript of the case."""
    return f"playthrough-{case.name}.txt"


def prove(ruleset: AnyRuleset, cases: Cases, before: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    """The generated files by name; ValueError or RulesetError if a case cannot be played.

    `before` are the files as they were. A match that has a transcript there keeps its steps, if they are still legal.
    """
    files = {
        CARD: format_card(ruleset),
        PERFT: format_perft(count_case(ruleset, case, depth) for case, depth in cases.perft),
    }
    for case in cases.playthroughs:
        name = playthrough_file(case)
        steps = _find_steps(ruleset, case, before.get(name, "")) or choose_steps(ruleset, case)
        files[name] = format_playthrough(ruleset, case, steps)
    return {**files, DIGEST: f"{behaviour_digest(files)} draft\n"}


def _find_steps(ruleset: AnyRuleset, case: PlaythroughCase, transcript: str) -> list[str]:
    """The steps in the transcript; none if it is of another case, or its match no longer ends as the case says."""
    if f"case {format_case(case)}" not in transcript.splitlines():
        return []
    state, steps = start_state(ruleset, case), read_steps(transcript)
    try:
        for step in steps:
            state = apply_step(ruleset, state, step)
    except RulesetError:
        return []
    over = ruleset.turn(state)
    return steps if isinstance(over, Over) and case.ends in (None, over.reason) else []


def format_card(ruleset: AnyRuleset) -> str:
    """The seats and options that a ruleset accepts, its presets for rated matches, and its effects, as text."""
    presets = {name: dict(options) for name, options in ruleset.presets.items()}
    return (
        f"{ruleset.id} version {ruleset.version}\n"
        f"seats {ruleset.min_seats}..{ruleset.max_seats}\n"
        f"options {canonical_json(ruleset.options_schema()).decode()}\n"
        f"presets {canonical_json(presets).decode()}\n"
        f"effects {canonical_json(describe_kinds(ruleset.effect_kinds)).decode()}\n"
    )


def behaviour_digest(files: Mapping[str, str]) -> str:
    """SHA-256 in hex over card, perft file and transcripts, in any order. Drawn boards do not count."""
    total = sha256()
    for name in sorted(files):
        lines = behaviour_lines(files[name])
        total.update(f"{name} {len(lines)}\n".encode())
        total.update("".join(f"{line}\n" for line in lines).encode())
    return total.hexdigest()


def behaviour_lines(text: str) -> list[str]:
    """The lines of a proof without drawn boards."""
    return [line for line in text.splitlines() if not line.startswith("|")]


def is_released(digest: str) -> bool:
    """Whether this digest.txt belongs to a released version: its second word is `released`, not `draft`."""
    return digest.split()[1:2] == ["released"]
