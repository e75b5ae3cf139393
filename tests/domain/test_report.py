"""The report on a bundle: what was checked, what could not be, and where the first fault is."""

import json
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import pytest

from plyscribe.domain import rulesets
from plyscribe.domain.bundle.bundle import Bundle, Head, describe_head, parse_bundle
from plyscribe.domain.bundle.receipt import Receipt, parse_receipts
from plyscribe.domain.bundle.report import BY_RULES, Check, Report, check_bundle, check_match
from plyscribe.domain.chain import StoredEvent, canonical_json, first_link, link_all
from plyscribe.domain.codec import parse_event
from plyscribe.domain.commands import RecordVerdict, Withdraw
from plyscribe.domain.errors import ReceiptError
from plyscribe.domain.events import MatchRefuted, MatchVerified
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.verification import digest_view
from tests.domain.given import ANN, STREAM, SYSTEM, Table, hot_seat
from tests.domain.matches import aborted, bundle_of, drawn, every_match, on_a_real_table, played_to_its_end, under_way
from tests.domain.prove import every_ruleset, settings_of
from tests.domain.toy import TOY_V1

Raw = dict[str, Any]
PLIES = 40


def report_on(table: Table, *receipts: Receipt) -> Report:
    return check_bundle(parse_bundle(bundle_of(table)), receipts)


def results(report: Report) -> dict[str, str]:
    return {check.check: check.result for check in report.checks}


def of(report: Report, name: str) -> Check:
    return next(check for check in report.checks if check.check == name)


def fault_of(report: Report) -> Any:
    assert report.fault is not None
    return report.fault


def envelopes(table: Table) -> list[Raw]:
    return [json.loads(entry.e) for entry in table.entries]


def chained(events: Sequence[Raw]) -> list[StoredEvent]:
    """Events as who rewrites them would store them: numbered anew, with hashes that follow."""
    renumbered = [{**event, "version": version} for version, event in enumerate(events, 1)]
    return link_all(first_link(STREAM), 1, map(canonical_json, renumbered))


def forged(table: Table, type: str, which: int = 0, **data: Any) -> tuple[int, Bundle]:
    """The bundle with the data of one event changed, its hashes all computed anew; and the version of that event."""
    events = envelopes(table)
    place = [n for n, event in enumerate(events) if event["type"] == type][which]
    events[place]["data"] |= data
    return place + 1, Bundle(describe_head(STREAM, table.match.life.created), tuple(chained(events)))


@every_match
def test_an_honest_match_is_found_to_be_right_at_any_time(make: Callable[[], Table]) -> None:
    table = make()
    entries, head = table.entries, describe_head(STREAM, table.match.life.created)
    ends = [entry.version for entry, after in zip(entries, [*entries[1:], None], strict=True) if not same(entry, after)]
    for version in ends:
        report = check_bundle(Bundle(head, tuple(entries[:version])))
        assert (report.result, report.fault) == ("ok", None), version
        assert (report.match, report.version, report.head) == (STREAM, version, entries[version - 1].h)


def same(entry: StoredEvent, after: StoredEvent | None) -> bool:
    """Whether one command led to both."""
    return after is not None and parse_event(entry).cause == parse_event(after).cause


@every_ruleset
def test_random_matches_of_every_ruleset_are_found_to_be_right(ruleset: AnyRuleset) -> None:
    rng = Random(ruleset.id)
    for setting in settings_of(ruleset):
        table = hot_seat(ruleset.id, setting.seats, options=setting.options)
        for _ in range(PLIES):
            if table.status == "playing":
                state = table.match.play.state
                table.play(ruleset.format_move(state, ruleset.sample_move(state, rng.randrange)))
        assert report_on(table).result == "ok"
        if table.status == "playing":
            table.when(Withdraw, ANN, seat=1)
            assert report_on(table).result == "ok"


def test_everything_is_checked_of_a_finished_match() -> None:
    report = report_on(played_to_its_end())
    assert report.status == "scored"
    assert results(report) == {
        **dict.fromkeys(("form", "head", "behaviour", "chain", "canonical", *BY_RULES), "ok"),
        "seeds": "none",
    }


@pytest.mark.parametrize(
    ("make", "status", "told"),
    [
        (drawn, "ended", {"dice": "left to chance", "verdict": "none is recorded yet"}),
        (aborted, "aborted", {"outcome": "was aborted", "verdict": "none"}),
        (under_way, "playing", {"dice": "secret until", "outcome": "has not ended", "verdict": "none"}),
        (on_a_real_table, "open", {"dice": "rolled on a table", "outcome": "has not ended", "verdict": "none"}),
    ],
)
def test_what_there_is_not_to_check_is_told(make: Callable[[], Table], status: str, told: dict[str, str]) -> None:
    report = report_on(make())
    if status != "open":
        assert report.status == status
    assert {check.check for check in report.checks if check.result == "none"} == {*told, "seeds"}
    assert "without bots" in str(of(report, "seeds").why)
    for name, why in told.items():
        assert why in str(of(report, name).why)


@pytest.mark.parametrize(
    ("type", "which", "data", "check"),
    [
        *(("move-made", 0, data, "rules") for data in ({"move": "give 2 4"}, {"move": "hold"}, {"seat": 2})),
        ("seat-withdrawn", 0, {"seat": 1}, "rules"),
        ("match-created", 0, {"options": {"dice": 9}}, "rules"),
        ("dice-rolled", 0, {"values": [7, 7]}, "dice"),
        ("dice-rolled", -1, {"sides": 6}, "dice"),
        ("dice-revealed", 0, {"secret": "00" * 32}, "dice"),
        *(("match-ended", 0, data, "outcome") for data in ({"ranks": [2, 1]}, {"reason": "mercy"})),
        *(("match-scored", 0, data, "outcome") for data in ({"points": [0, 2]}, {"ledger": 3})),
        *(("match-verified", 0, data, "verdict") for data in ({"digest": "00" * 32}, {"version": 99})),
    ],
)
def test_a_change_in_a_sound_chain_is_found_by_what_it_breaks(type: str, which: int, data: Raw, check: str) -> None:
    version, bundle = forged(played_to_its_end(), type, which, **data)
    report = check_bundle(bundle)
    fault = fault_of(report)
    assert report.result == "fault"
    # A changed move is found at once, or where what followed from it does not any more.
    assert fault.version in ({version, version + 1} if data == {"move": "hold"} else {version})
    assert fault.line == fault.version + 1
    assert fault.check == check or data == {"move": "hold"}
    assert (of(report, "chain").result, of(report, "canonical").result) == ("ok", "ok")


def test_a_loaded_die_is_found_even_while_the_secret_is_not_out() -> None:
    for data in ({"values": [9, 9]}, {"sides": 6}, {"count": 1}, {"seat": 1}, {"purpose": "luck"}, {"values": [1]}):
        version, bundle = forged(under_way(), "dice-rolled", 0, **data)
        assert fault_of(check_bundle(bundle)).version == version


def test_a_missing_reveal_and_a_missing_end_are_missed_where_they_should_stand() -> None:
    events = envelopes(played_to_its_end())
    types = [event["type"] for event in events]
    for type, check in (("dice-revealed", "dice"), ("match-ended", "outcome")):
        fault = fault_of(check_match(STREAM, chained(events[: types.index(type)])))
        assert (fault.check, fault.version) == (check, types.index(type) + 1)


def test_a_refutation_that_is_right_is_no_further_fault_and_one_that_is_wrong_is_one_until_it_is_taken_back() -> None:
    honest = hot_seat("zhen")
    honest.when(Withdraw, ANN, seat=1)
    digest = digest_view(honest.match)
    honest.when(RecordVerdict, SYSTEM, verdict=MatchRefuted(3, "so it seemed"))
    fault = fault_of(check_match(STREAM, honest.entries))
    assert (fault.check, fault.version) == ("verdict", len(honest.entries))
    assert "nothing is wrong there: so it seemed" in str(fault.why)

    events = envelopes(honest)
    place = next(n for n, event in enumerate(events) if event["type"] == "match-ended")
    events[place]["data"]["ranks"] = [1, 2]
    events[-1]["data"]["version"] = place + 1
    report = check_match(STREAM, chained(events))
    assert (of(report, "outcome").result, of(report, "verdict").result) == ("fault", "ok")

    honest.when(RecordVerdict, SYSTEM, verdict=MatchVerified(4, digest))
    assert check_match(STREAM, honest.entries).result == "ok"


def test_a_head_line_that_names_another_ruleset_than_the_match_is_wrong() -> None:
    bundle = parse_bundle(bundle_of(aborted()))
    for other in (bundle.head._replace(ruleset="zhen"), bundle.head._replace(ruleset_version=2)):
        fault = fault_of(check_bundle(bundle._replace(head=other)))
        assert (fault.check, fault.line) == ("head", 1)


def test_a_ruleset_that_is_not_known_here_leaves_its_rules_unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = bundle_of(played_to_its_end())
    monkeypatch.setattr(rulesets, "RULESETS", [])
    report = check_bundle(parse_bundle(raw))
    assert report.result == "unknown"
    assert report.fault is None
    assert {name for name, result in results(report).items() if result == "unknown"} == {"behaviour", *BY_RULES}


def test_a_bundle_without_a_digest_of_behaviour_is_checked_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = parse_bundle(bundle_of(played_to_its_end()))
    report = check_bundle(bundle._replace(head=bundle.head._replace(behaviour=None)))
    assert (report.result, of(report, "behaviour").result) == ("ok", "none")
    monkeypatch.setattr(type(TOY_V1), "behaviour", None)
    report = check_bundle(bundle)
    assert (report.result, of(report, "behaviour").result) == ("ok", "none")


def test_where_rules_differ_what_they_break_is_no_proof_of_a_fault() -> None:
    head = Head(STREAM, "toy", 1, "0" * 64)
    _, bundle = forged(played_to_its_end(), "match-ended", ranks=[2, 1])
    report = check_bundle(bundle._replace(head=head))
    assert (report.result, report.fault) == ("unknown", None)
    assert of(report, "outcome").result == "unknown"
    assert "by the rules here event" in str(of(report, "outcome").why)
    honest = check_bundle(Bundle(head, tuple(played_to_its_end().entries)))
    assert honest.result == "unknown"
    assert of(honest, "rules").result == "ok"


def test_what_a_newer_release_wrote_is_not_checked_by_its_rules() -> None:
    encoded = [entry.e.replace(b"match-ended", b"match-adorned") for entry in drawn().entries]
    report = check_match(STREAM, link_all(first_link(STREAM), 1, encoded))
    assert report.result == "unknown"
    assert (of(report, "chain").result, of(report, "canonical").result) == ("ok", "ok")
    assert "match-adorned" in str(of(report, "rules").why)


def test_stored_bytes_that_were_changed_break_the_chain_there() -> None:
    for n, entry in enumerate(drawn().entries):
        entries = list(drawn().entries)
        entries[n] = entry._replace(e=entry.e.replace(b'"at":1', b'"at":2'))
        report = check_match(STREAM, entries)
        assert report.fault == Check("chain", "fault", report.fault and report.fault.why, n + 1)
        assert set(results(report).values()) <= {"ok", "fault", "unknown"}


def test_stored_bytes_that_are_not_canonical_are_found_though_the_chain_is_sound() -> None:
    for spoil in (lambda e: e.replace(b'":', b'": ', 1), lambda e: e[:-1] + b',"at":1}', lambda e: b"[]"):
        encoded = [entry.e for entry in drawn().entries]
        encoded[2] = spoil(encoded[2])
        fault = fault_of(check_match(STREAM, link_all(first_link(STREAM), 1, encoded)))
        assert (fault.version, fault.check in ("canonical", "rules")) == (3, True)


def test_a_match_without_events_was_never_created() -> None:
    report = check_bundle(Bundle(Head(STREAM, "toy", 1, TOY_V1.behaviour), ()))
    fault = fault_of(report)
    assert (fault.check, fault.version, report.status, report.head) == ("rules", 1, None, None)


# --- rewritten matches: what only a receipt tells ---


def receipt_for(table: Table, version: int) -> Receipt:
    return Receipt(STREAM, version, table.entries[version - 1].h)


def test_a_whole_match_that_was_rewritten_by_the_rules_is_found_by_a_receipt_alone() -> None:
    played, rewritten = hot_seat("zhen"), hot_seat("zhen")
    played.play("+5", "+6")
    rewritten.play("+5", "+7")
    assert report_on(rewritten).result == "ok"
    receipt = receipt_for(played, len(played.entries))
    assert report_on(played, receipt).result == "ok"
    fault = fault_of(report_on(rewritten, receipt))
    assert (fault.check, fault.version) == ("receipt", len(rewritten.entries))
    assert "the match was rewritten since" in str(fault.why)
    del played.entries[-1]
    fault = fault_of(report_on(played, receipt))
    assert (fault.check, fault.line) == ("receipt", len(played.entries) + 2), "the last event was taken away"


def test_every_event_has_a_receipt_that_fits_and_one_of_another_match_says_nothing() -> None:
    table = played_to_its_end()
    receipts = [receipt_for(table, entry.version) for entry in table.entries]
    report = report_on(table, *receipts, Receipt("match-" + "b" * 26, 1, bytes(32)))
    assert report.result == "ok"
    assert [check.check for check in report.checks].count("receipt") == len(receipts)


def scalars(value: Any) -> Iterator[tuple[list[Any], Any]]:
    """Every place in a JSON value that holds no other, with what stands there."""
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            for path, found in scalars(item):
                yield [key, *path], found
    else:
        yield [], value


def with_value(value: Any, path: list[Any], new: Any) -> Any:
    if not path:
        return new
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[path[0]] = with_value(copied[path[0]], path[1:], new)
    return copied


def mutations(events: list[Raw]) -> Iterator[list[Raw]]:
    """The events with any one value replaced, any one field gone, any one event dropped, doubled or swapped."""
    for n, event in enumerate(events):
        rest = events[:n], events[n + 1 :]
        for path, found in scalars(event):
            for new in {None, True, 0, 2, -1, 2**53 - 1, "", "x", str(found)} - {found}:
                yield [*rest[0], with_value(event, path, new), *rest[1]]
            yield [*rest[0], with_value(event, path, {}), *rest[1]]
            yield [*rest[0], with_value(event, path, []), *rest[1]]
        for key in event:
            yield [*rest[0], {name: value for name, value in event.items() if name != key}, *rest[1]]
        for key in event["data"]:
            data = {name: value for name, value in event["data"].items() if name != key}
            yield [*rest[0], {**event, "data": data}, *rest[1]]
        yield [*rest[0], *rest[1]]
        yield [*rest[0], event, event, *rest[1]]
        for other in range(n + 1, len(events)):
            swapped = list(events)
            swapped[n], swapped[other] = events[other], event
            yield swapped


FIXED = {"match-started", "move-made", "dice-rolled", "match-ended", "dice-revealed", "match-verified", "match-scored"}
"""Events of which nothing can be changed alone, but who made them and when."""


def test_no_move_roll_outcome_or_verdict_is_changed_without_being_found() -> None:
    events = envelopes(played_to_its_end())
    for changed in mutations(events):
        places = [n for n, (ours, theirs) in enumerate(zip(events, changed, strict=False)) if ours != theirs]
        if len(changed) == len(events) and len(places) == 1 and events[places[0]]["type"] in FIXED:
            ours, theirs = events[places[0]], changed[places[0]]
            if (ours["type"], ours["data"]) != (theirs.get("type"), theirs.get("data")):
                assert check_match(STREAM, chained(changed)).result != "ok", changed


@every_match
def test_whoever_changes_anything_and_chains_it_anew_is_caught_by_a_receipt(make: Callable[[], Table]) -> None:
    table = make()
    head = describe_head(STREAM, table.match.life.created)
    receipt = receipt_for(table, len(table.entries))
    for events in mutations(envelopes(table)):
        entries = chained(events)
        if entries != table.entries:
            report = check_bundle(Bundle(head, tuple(entries)), [receipt])
            assert report.result == "fault", events


def test_a_report_is_made_of_whatever_stands_in_the_events() -> None:
    for events in mutations(envelopes(played_to_its_end())):
        assert check_match(STREAM, chained(events)).result in ("ok", "unknown", "fault")


# --- receipts as files ---


def test_receipts_are_read_from_one_answer_or_one_a_line() -> None:
    first = {"match": STREAM, "version": 3, "hash": "ab" * 32, "turn": None, "events": [{"version": 3}]}
    second = {**first, "version": 4}
    read = [Receipt(STREAM, 3, b"\xab" * 32), Receipt(STREAM, 4, b"\xab" * 32)]
    assert parse_receipts(json.dumps(first, indent=2).encode()) == read[:1]
    assert parse_receipts(f"{json.dumps(first)}\n\r\n{json.dumps(second)}".encode()) == read
    assert parse_receipts(b"") == []
    with pytest.raises(ReceiptError):
        parse_receipts(json.dumps({**first, "version": True}).encode())


def test_refusals_among_receipts_are_passed_over() -> None:
    refusal = b'{"code":"move/illegal","status":422,"match":"m"}'
    assert parse_receipts(refusal) == []
    kept = b'{"match":"m","version":1,"hash":"00"}'
    assert parse_receipts(refusal + b"\n" + kept + b"\n" + refusal) == [Receipt("m", 1, b"\0")]


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        (b"[]", 1),
        (b'{"match":"m","version":0,"hash":""}', 1),
        (b'{"match":"m","version":1,"hash":"xy"}', 1),
        (b'{"match":"m","version":true,"hash":1}', 1),
        (b'{"match":"m","version":1,"hash":"00"}\n{"code":"move/illegal"}', 2),
        (b'{"match":"m","version":1,"hash":"00"}\n\xff', 2),
        (b"\x00", 1),
    ],
)
def test_what_is_no_receipt_is_refused_with_its_line(raw: bytes, line: int) -> None:
    with pytest.raises(ReceiptError, match=f"line {line} is not a receipt") as caught:
        parse_receipts(raw)
    assert caught.value.details["line"] == line
