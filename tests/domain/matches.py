"""Small matches of every kind, for what must hold of all of them."""

from hashlib import sha256

import pytest

from plyscribe.domain import commands
from plyscribe.domain.bundle.bundle import describe_head, format_bundle
from plyscribe.domain.events import LineCopied, MatchVerified, RecordedDice
from plyscribe.domain.line import copy_line
from plyscribe.domain.verification import verify_match
from tests.domain.given import (
    ANN,
    BEN,
    RECORDER,
    SERVER_DICE,
    STREAM,
    SYSTEM,
    Table,
    account,
    hot_seat,
    new_match,
    recorded,
)


def played_to_its_end() -> Table:
    table = new_match("toy", (account(ANN), None), options={"dice": 1})
    table.when(commands.TakeSeat, BEN, seat=2, entropy="ben's é".encode().hex())
    table.when(commands.AddEntropy, ANN, entropy="ann's \"\\")
    table.play("push")
    table.when(commands.Withdraw, BEN)
    verdict = verify_match(STREAM, table.entries)
    assert isinstance(verdict, MatchVerified)
    table.when(commands.RecordVerdict, SYSTEM, verdict=verdict)
    table.when(commands.ScoreMatch, SYSTEM, ledger=None)
    return table


def drawn() -> Table:
    table = new_match(
        "pathagon", (account(ANN), account(BEN)), options={"size": 5}, dice=None, about={"place": "Šiauliai\n"}
    )
    table.when(commands.TakeSeat, BEN, seat=2)
    table.play("a1", "b2")
    table.when(commands.OfferDraw, BEN)
    table.when(commands.AnswerDraw, ANN, accept=True)
    return table


def aborted() -> Table:
    table = hot_seat("toy")
    table.when(commands.AbortMatch, ANN)
    return table


def under_way() -> Table:
    table = hot_seat("toy")
    table.play("hold", "push")
    return table


def on_a_real_table() -> Table:
    table = recorded("toy", dice=RecordedDice())
    for values in ((1, 2), (1,), (1,)):
        table.when(commands.RecordRoll, RECORDER, values=values)
    table.when(commands.MakeMove, RECORDER, move="hold")
    table.when(commands.TakeBack, RECORDER, ply=0)
    return table


def forked() -> Table:
    parent = hot_seat("toy")
    parent.play("hold")
    line = LineCopied(copy_line(parent.entries, 1), None)
    table = Table()
    table.when(
        commands.CreateMatch,
        ANN,
        ruleset="toy",
        seats=(account(ANN), account(ANN)),
        dice=SERVER_DICE,
        start="call",
        parent={"match": "match-" + "p" * 26, "ply": 1},
        line=line,
    )
    table.when(commands.StartMatch, ANN)
    table.play("hold")
    table.when(commands.Withdraw, ANN, seat=1)
    return table


MATCHES = (played_to_its_end, drawn, aborted, under_way, on_a_real_table, forked)
every_match = pytest.mark.parametrize("make", MATCHES, ids=lambda make: make.__name__)


def bundle_of(table: Table) -> bytes:
    return b"".join(format_bundle(describe_head(STREAM, table.match.life.created), table.entries))


def resealed(lines: list[bytes]) -> bytes:
    """The lines with an end line for them, as who changes a bundle would write it."""
    [*body, end] = lines
    told = end.split(b'"sha256":"')[0]
    return b"".join(body) + told + b'"sha256":"' + sha256(b"".join(body)).hexdigest().encode() + b'"}\n'
