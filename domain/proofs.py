"""The proofs of a ruleset: what its author writes down by hand, and what follows from it.

By hand comes `cases.json`: positions to count from and matches to play. From it follow `perft.txt`, a transcript of
each match and `digest.txt`, the SHA-256 over all of them. A change of behaviour changes the digest, so a released
ruleset, whose digest stands, cannot change unnoticed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from domain.perft import PerftCase, count_case, format_perft
from domain.playthrough import PlaythroughCase, Withdrawal, choose_steps, format_playthrough
from domain.ruleset import AnyRuleset

PERFT = "perft.txt"
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
"""A cases.json with everything that one can hold; its moves and options are those of some ruleset."""


@dataclass(frozen=True, slots=True)
class Cases:
    """The cases of one ruleset; perft cases with the depth to count to."""

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
        raise ValueError("cases.json needs at least one case for perft and one playthrough")
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
            raise ValueError(f"cases.json: {name!r} is no distinct name of lower-case words and hyphens")


def playthrough_file(case: PlaythroughCase) -> str:
    """The name of the file that holds the transcript of the case."""
    return f"playthrough-{case.name}.txt"


def prove(ruleset: AnyRuleset, cases: Cases) -> dict[str, str]:
    """All files that follow from the cases, by name; ValueError or RulesetError where a case cannot be played."""
    files = {PERFT: format_perft(count_case(ruleset, case, depth) for case, depth in cases.perft)}
    for case in cases.playthroughs:
        files[playthrough_file(case)] = format_playthrough(ruleset, case, choose_steps(ruleset, case))
    return {**files, DIGEST: f"{behaviour_digest(files)} draft\n"}


def behaviour_digest(files: Mapping[str, str]) -> str:
    """SHA-256 in hex over perft file and transcripts, whatever their order; drawn boards do not count."""
    total = sha256()
    for name in sorted(files):
        lines = behaviour_lines(files[name])
        total.update(f"{name} {len(lines)}\n".encode())
        total.update("".join(f"{line}\n" for line in lines).encode())
    return total.hexdigest()


def behaviour_lines(text: str) -> list[str]:
    """The lines of a proof that tell of behaviour: all but drawn boards."""
    return [line for line in text.splitlines() if not line.startswith("|")]


def is_released(digest: str) -> bool:
    """Whether a digest.txt stands for a released version: its second word is `released`, not `draft`."""
    return digest.split()[1:2] == ["released"]
