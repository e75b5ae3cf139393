"""Plyscribe, the match server for board games, as a library: rules, records, verification and a client.

Rules
-----
`find_ruleset` returns the rules of a game. `start_match` begins a match and `list_moves` lists what the seat to move
may play. A match that is played here stays here: no server takes part.

>>> import plyscribe
>>> plyscribe.find_ruleset("zhen").title
'Zhen'
>>> line = plyscribe.start_match("zhen", options={"tiles": 6})
>>> line.turn
Decision(seat=1)
>>> plyscribe.list_moves(line)
['+1', '+2', '+3', '+4', '+5', '+6']
>>> line.move("+5")

A move that the rules forbid raises an error with a stable code, and the clause that it breaks.

>>> try:
...     line.move("+5")
... except plyscribe.IllegalMove as error:
...     print(error.code, error.clause)
move/illegal ZH4

`load_rulesets` adds the games of installed packages. docs/kit.md says how to make one: a `Game` is a `Ruleset` with its
rulebook, board and sentences.

>>> "zhen" in [rules.id for rules in plyscribe.load_rulesets()]
True

Games with dice wait for a `Roll`. You roll.

>>> rings = plyscribe.start_match("rings", seats=3)
>>> rings.turn
Roll(sides=210, count=1, purpose='terrain', seat=None)
>>> rings.roll((42,))

Bots play any game. With the same seed they make the same moves.

>>> bot = plyscribe.make_bot("greedy", seed=7)
>>> line.move(plyscribe.choose_move(bot, line))
>>> line.ply
2

Records
-------
A record is a match as text, to type and to keep. docs/record-format.md describes the format.

>>> record = plyscribe.make_record(line, ["Ada", "Bea"], place="Turin")
>>> text = plyscribe.format_record(record)
>>> print(text)  # doctest: +ELLIPSIS
[ruleset zhen 1]
[option tiles 6]
...
[seat 1 Ada]
[seat 2 Bea]
[place Turin]
[result *]
<BLANKLINE>
1. +5 2. ...
>>> plyscribe.parse_record(text) == record
True

Bundles
-------
A bundle is a whole match in one file: every event that the server stored. `replay_bundle` rebuilds the match, and
`position_at` gives the position before any move.

>>> from pathlib import Path
>>> raw = Path("match.ndjson").read_bytes()
>>> match = plyscribe.replay_bundle(raw)
>>> match.life.status, match.play.ply
('scored', 3)
>>> position = plyscribe.position_at(match, 1)
>>> position.turn
Decision(seat=2)
>>> print(match.play.ruleset.render_text(position.state))  # doctest: +ELLIPSIS
tile   goal   1 ...

`verify_bundle` executes the match again and checks every byte, hash, move, roll and result. `result` is 'ok', 'fault',
or 'unknown' if something could not be checked here. docs/verification.md says what this proves.

>>> report = plyscribe.verify_bundle(raw)
>>> report.result
'ok'
>>> [check.check for check in report.checks if check.result == "ok"]
['form', 'head', 'behaviour', 'chain', 'canonical', 'rules', 'outcome', 'verdict']
>>> report = plyscribe.verify_bundle(raw.replace(b'"move":"+3"', b'"move":"+4"'))
>>> report.result, report.fault.check, report.fault.line
('fault', 'form', 5)

Answers to moves are receipts. A receipt that you kept shows whether the server rewrote the match later.

>>> receipts = plyscribe.parse_receipts(Path("receipts.ndjson").read_bytes())
>>> plyscribe.verify_bundle(raw, receipts).checks[-1]
Check(check='receipt', result='ok', why=None, version=None)

Servers
-------
`Client` talks to a server, with one method for each operation. It repeats what the network lost; every command counts
once. A refusal raises `Problem`, with the server's `code`.

>>> with plyscribe.Client("http://127.0.0.1:8420") as server:  # doctest: +SKIP
...     token = server.sign_up("My bot", "bot")["token"]
>>> with plyscribe.Client("http://127.0.0.1:8420", token) as server:  # doctest: +SKIP
...     match = server.create_match("zhen", [{"bot": "greedy"}, {"bot": "mcts"}])["match"]
...     for event in server.follow(match):
...         print(event["type"])
...     report = plyscribe.verify_bundle(server.bundle(match))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plyscribe.domain.bots import Bot, make_bot
    from plyscribe.domain.bundle.receipt import Receipt, parse_receipts
    from plyscribe.domain.bundle.report import Check, Report
    from plyscribe.domain.bundle.report import check_bytes as verify_bundle
    from plyscribe.domain.errors import (
        BadNotation,
        BundleError,
        DomainError,
        IllegalMove,
        OptionError,
        ReceiptError,
        RecordError,
        RollError,
        UnknownRuleset,
    )
    from plyscribe.domain.match import Match
    from plyscribe.domain.record import Record, format_record, parse_record
    from plyscribe.domain.record.values import Line
    from plyscribe.domain.replay import Position, position_at
    from plyscribe.domain.ruleset import Decision, Over, Roll, Ruleset
    from plyscribe.domain.rulesets import find_ruleset
    from plyscribe.domain.rulesets import list_newest as list_rulesets
    from plyscribe.domain.rulesets import register as register_ruleset
    from plyscribe.service.client import Client, Problem
    from plyscribe.service.games import Game, GameError, load_rulesets

__version__ = "0.4.0"

__all__ = [
    "BadNotation",
    "Bot",
    "BundleError",
    "Check",
    "Client",
    "Decision",
    "DomainError",
    "Game",
    "GameError",
    "IllegalMove",
    "Line",
    "Match",
    "OptionError",
    "Over",
    "Position",
    "Problem",
    "Receipt",
    "ReceiptError",
    "Record",
    "RecordError",
    "Report",
    "Roll",
    "RollError",
    "Ruleset",
    "UnknownRuleset",
    "choose_move",
    "find_ruleset",
    "format_record",
    "list_moves",
    "list_rulesets",
    "load_rulesets",
    "make_bot",
    "make_record",
    "parse_receipts",
    "parse_record",
    "position_at",
    "register_ruleset",
    "replay_bundle",
    "start_match",
    "verify_bundle",
]

_HOMES = {
    "plyscribe.domain.bots": ("Bot", "make_bot"),
    "plyscribe.domain.bundle.receipt": ("Receipt", "parse_receipts"),
    "plyscribe.domain.bundle.report": ("Check", "Report", "check_bytes as verify_bundle"),
    "plyscribe.domain.errors": (
        "BadNotation",
        "BundleError",
        "DomainError",
        "IllegalMove",
        "OptionError",
        "ReceiptError",
        "RecordError",
        "RollError",
        "UnknownRuleset",
    ),
    "plyscribe.domain.match": ("Match",),
    "plyscribe.domain.record": ("Record", "format_record", "parse_record"),
    "plyscribe.domain.record.values": ("Line",),
    "plyscribe.domain.replay": ("Position", "position_at"),
    "plyscribe.domain.ruleset": ("Decision", "Over", "Roll", "Ruleset"),
    "plyscribe.domain.rulesets": ("find_ruleset", "list_newest as list_rulesets", "register as register_ruleset"),
    "plyscribe.service.client": ("Client", "Problem"),
    "plyscribe.service.games": ("Game", "GameError", "load_rulesets"),
}
"""The imports above once more, for `__getattr__`: `import plyscribe` stays quick, and only `Client` needs httpx."""


def start_match(
    ruleset: str, *, seats: int | None = None, options: Mapping[str, Any] | None = None, version: int | None = None
) -> Line:
    """A match before its first move.

    Defaults: the fewest seats that can play, the default options, the newest version of the ruleset. Raises
    UnknownRuleset or OptionError.
    """
    from plyscribe.domain.record.values import Line
    from plyscribe.domain.rulesets import find_ruleset

    rules = find_ruleset(ruleset, version)
    return Line(rules, rules.parse_options(dict(options or {})), rules.min_seats if seats is None else seats)


def list_moves(line: Line, prefix: str = "") -> list[str]:
    """The legal moves that start with `prefix`, in a fixed order; empty unless a seat is to move."""
    return [line.ruleset.format_move(line.state, move) for move in line.ruleset.legal_moves(line.state, prefix)]


def choose_move(bot: Bot, line: Line) -> str:
    """The move that the bot chooses for the seat to move."""
    line.expect_decision()
    return line.ruleset.format_move(line.state, bot.choose_move(line.ruleset, line.state))


def make_record(line: Line, names: Sequence[str], **about: str) -> Record:
    """The record of a match with the names of its seats; `about` are further headers, such as place and date."""
    from plyscribe.domain.record import Record

    rules = line.ruleset
    return Record(rules.id, rules.version, line.options, tuple(names), about, tuple(line.steps), outcome=line.outcome)


def replay_bundle(raw: bytes) -> Match:
    """The match in the bytes of a bundle; BundleError if they are not a bundle.

    Nothing is verified. If an event cannot be applied, the match ends before it, and `fault` says why.
    """
    from plyscribe.domain.bundle.bundle import parse_bundle
    from plyscribe.domain.replay import replay

    bundle = parse_bundle(raw)
    return replay(bundle.head.match, bundle.entries)


if not TYPE_CHECKING:  # a type checker reads the imports above, and reports names that do not exist

    def __getattr__(name: str) -> Any:
        """Import a public name when it is first used."""
        from importlib import import_module

        for module, entries in _HOMES.items():
            for entry in entries:
                original, _, alias = entry.partition(" as ")
                if name == (alias or original):
                    value = globals()[name] = getattr(import_module(module), original)
                    return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> Iterable[str]:
        """All names, those that are not imported yet too."""
        return sorted({*globals(), *__all__})
