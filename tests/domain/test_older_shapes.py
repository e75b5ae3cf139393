"""A match with events of an older shape: it is read, verified and exported as it was stored."""

import json

from plyscribe.domain.bundle.bundle import describe_head, format_bundle, parse_bundle
from plyscribe.domain.chain import StoredEvent, canonical_json, first_link, link_all
from plyscribe.domain.codec import format_event, parse_event
from plyscribe.domain.commands import Withdraw
from plyscribe.domain.events import MatchCreated, MatchRefuted, MatchVerified
from plyscribe.domain.match import Match, fold
from plyscribe.domain.verification import verify_match
from tests.domain.given import BEN, STREAM, Table, hot_seat
from tests.domain.matches import every_match

LATER = {"fault": None, "why": None}
"""Later fields of a withdrawal, also of one in the line of a fork, and what they mean where they are missing."""

LATER_BY_TYPE = {
    "match-created": {"rematch_of": None, "counts_from": None, "bots": None},
    "match-aborted": {"seat": None, "why": None},
    "seat-withdrawn": LATER,
}


def store_again(raws: list[dict]) -> list[StoredEvent]:
    return link_all(first_link(STREAM), 1, map(canonical_json, raws))


def drop(data: dict, later: dict) -> None:
    for name in later:
        assert data.pop(name) is later[name]


def without_later_fields(table: Table) -> list[StoredEvent]:
    """The events of the match as an earlier release stored them."""
    raws = [json.loads(entry.e) for entry in table.entries]
    for raw in raws:
        drop(raw["data"], LATER_BY_TYPE.get(raw["type"], {}))
        for step in raw["data"].get("steps", []):
            drop(step, LATER if "cause" in step else {})
    return store_again(raws)


@every_match
def test_a_match_of_an_earlier_release_is_read_as_it_was_played(make):
    table = make()
    older = without_later_fields(table)
    assert older[0].e != table.entries[0].e
    match = fold(Match(STREAM), older)
    assert match.fault is None
    assert match._replace(head=b"") == table.match._replace(head=b"")


def test_a_match_of_an_earlier_release_is_verified_on_its_own_bytes():
    table = hot_seat("toy", options={"dice": 1})
    table.play("push")
    table.when(Withdraw, BEN._replace(id=table.match.life.players[0]), seat=1)
    older = without_later_fields(table)
    assert all(b"rematch_of" not in entry.e and b"fault" not in entry.e for entry in older)
    assert verify_match(STREAM, older) == verify_match(STREAM, table.entries)
    assert isinstance(verify_match(STREAM, older), MatchVerified)


def test_an_older_shape_is_still_held_to_its_meaning():
    table = hot_seat("toy", options={"dice": 1})
    table.play("push")
    table.when(Withdraw, BEN._replace(id=table.match.life.players[0]), seat=1)
    raws = [json.loads(entry.e) for entry in without_later_fields(table)]
    withdrawal = next(raw for raw in raws if raw["type"] == "seat-withdrawn")
    withdrawal["data"]["cause"] = "bored"
    verdict = verify_match(STREAM, store_again(raws))
    assert isinstance(verdict, MatchRefuted)
    assert verdict.version == withdrawal["version"]


def test_its_bundle_holds_the_bytes_that_were_stored():
    older = without_later_fields(hot_seat())
    created = parse_event(older[0])
    assert isinstance(created.data, MatchCreated)
    assert format_event(created) != older[0].e
    bundle = parse_bundle(b"".join(format_bundle(describe_head(STREAM, created.data), older)))
    assert bundle.entries == tuple(older)
