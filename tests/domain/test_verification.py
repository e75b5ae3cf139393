"""The second execution finds whatever was recorded wrongly, and where."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from plyscribe.domain import commands, rulesets, verification
from plyscribe.domain.chain import StoredEvent, first_link, link_all
from plyscribe.domain.codec import Event, format_event, parse_event
from plyscribe.domain.errors import UnknownEventShape, UnknownEventType, UnknownRuleset, WrongTime
from plyscribe.domain.events import (
    DiceRevealed,
    DiceRolled,
    MatchEnded,
    MatchRefuted,
    MatchScored,
    MatchVerified,
    MoveMade,
)
from plyscribe.domain.replay import replay
from plyscribe.domain.verification import digest_view, execute_again, verify_match
from tests.domain.given import ANN, BEN, CAT, ORGANISER, RECORDER, STREAM, SYSTEM, Table, account, hot_seat, new_match
from tests.domain.matches import aborted, on_a_real_table


def finished_with_dice() -> Table:
    table = new_match("toy", seats=(account(ANN), None))
    table.when(commands.TakeSeat, BEN, seat=2, entropy="ben's")
    table.when(commands.AddEntropy, ANN, entropy="ann's")
    while table.status == "playing":
        table.play("push")
    return table


def chained(events: list[Event]) -> list[StoredEvent]:
    """Events as a server would store them that chains whatever it likes."""
    renumbered = [event._replace(version=version) for version, event in enumerate(events, 1)]
    return link_all(first_link(STREAM), 1, map(format_event, renumbered))


def parsed(table: Table) -> list[Event]:
    return [parse_event(entry) for entry in table.entries]


def first(events: list[Event], kind: type) -> int:
    return next(n for n, event in enumerate(events) if isinstance(event.data, kind))


def test_a_sound_match_is_verified_with_the_digest_of_its_final_view_and_all_that_it_can_contain():
    table = finished_with_dice()
    assert verify_match(STREAM, table.entries) == MatchVerified(len(table.entries), digest_view(table.match))
    assert execute_again(STREAM, table.entries).match == table.match
    table = new_match("toy", (account(ANN), account(BEN), None), start="call")
    table.when(commands.LeaveSeat, ANN, seat=2)
    table.when(commands.TakeSeat, BEN, seat=2, entropy="b")
    table.when(commands.TakeSeat, CAT, seat=3)
    table.when(commands.StartMatch, ANN)
    table.play("hold")
    table.when(commands.OfferDraw, BEN)
    table.when(commands.AnswerDraw, ANN, accept=False)
    table.when(commands.Withdraw, CAT)
    table.when(commands.OfferDraw, ANN)
    table.when(commands.AnswerDraw, BEN, accept=True)
    table.when(commands.RecordVerdict, SYSTEM, verdict=MatchRefuted(2, "once"))
    table.when(commands.RecordVerdict, SYSTEM, verdict=MatchVerified(2, "00"))
    table.when(commands.ScoreMatch, SYSTEM, ledger=None)
    table.when(commands.AnnulMatch, ORGANISER, why="test")
    assert isinstance(verify_match(STREAM, table.entries), MatchVerified)


def rated_and_scored() -> Table:
    table = new_match(seats=(account(ANN), None), rated=True)
    table.when(commands.TakeSeat, BEN, seat=2)
    table.play("a1", "b2")
    table.when(commands.Withdraw, BEN)
    table.when(commands.RecordVerdict, SYSTEM, verdict=MatchVerified(4, "00"))
    table.when(commands.ScoreMatch, SYSTEM, ledger=2)
    return table


@pytest.mark.parametrize("score", [MatchScored((0, 2), 2), MatchScored((2, 0), None)])
def test_a_score_that_does_not_follow_from_the_outcome_is_refuted(score):
    events = parsed(rated_and_scored())
    events[-1] = events[-1]._replace(data=score)
    refuted_at(chained(events), len(events), "match-scored" if score.ledger else "its place in the ledger")


def test_recorded_aborted_and_annulled_matches_are_verified_too():
    for make in (on_a_real_table, aborted, rated_and_scored):
        table = make()
        if make is rated_and_scored:
            table.when(commands.AnnulMatch, ORGANISER, why="test")
        if make is on_a_real_table:
            table.when(commands.Withdraw, RECORDER, seat=2, cause="absent")
        assert isinstance(verify_match(STREAM, table.entries), MatchVerified)


def refuted_at(entries: list[StoredEvent], version: int, why: str) -> None:
    verdict = verify_match(STREAM, entries)
    assert isinstance(verdict, MatchRefuted)
    assert verdict.version == version
    assert why in verdict.why


def dropped(event: Event) -> list[Event]:
    return []


def doubled(event: Event) -> list[Event]:
    return [event, event]


def with_data(**changes: object) -> Callable[[Event], list[Event]]:
    return lambda event: [event._replace(data=replace(event.data, **changes))]


@pytest.mark.parametrize(
    ("kind", "change", "why"),
    [
        (MoveMade, with_data(move="give 1 1"), "TO"),
        (MoveMade, lambda event: [event._replace(by=str(CAT))], "no seat"),
        (MatchEnded, with_data(ranks=(2, 1)), "expected match-ended"),
        (MatchEnded, dropped, "expected match-ended"),
        (DiceRevealed, dropped, "dice-revealed is missing"),
        (DiceRevealed, with_data(secret="00" * 32), "committed"),
        (DiceRevealed, with_data(secret="no hex"), "committed"),
    ],
)
def test_what_was_changed_or_left_out_in_a_sound_chain_is_found_where_it_stands(kind, change, why):
    events = parsed(finished_with_dice())
    n = first(events, kind)
    refuted_at(chained([*events[:n], *change(events[n]), *events[n + 1 :]]), n + 1, why)


def test_an_event_too_many_is_found():
    events = parsed(finished_with_dice())
    n = first(events, MoveMade)
    assert isinstance(verify_match(STREAM, chained([*events[:n], *doubled(events[n]), *events[n + 1 :]])), MatchRefuted)


@pytest.mark.parametrize("which", [0, -1])
def test_a_loaded_die_is_found(which):
    events = parsed(finished_with_dice())
    rolls = [n for n, event in enumerate(events) if isinstance(event.data, DiceRolled) and event.data.count == 1]
    n = rolls[which]
    roll = events[n].data
    events[n] = events[n]._replace(data=replace(roll, values=(roll.values[0] % roll.sides + 1,)))
    refuted_at(chained(events), n + 1, "expected dice-rolled")


def test_a_missing_last_event_is_found():
    table, by_rules = hot_seat(), hot_seat(options={"ply_limit": 4})
    table.when(commands.Withdraw, ANN, seat=1)
    by_rules.play("a1", "b2", "c3", "d4")
    for each in (table, by_rules):
        assert each.status == "ended"
        refuted_at(each.entries[:-1], len(each.entries), "match-ended")


def test_an_event_that_no_command_begins_with_is_found():
    table = hot_seat()
    events = [*parsed(table), Event(3, 1, str(SYSTEM), "ff", MatchEnded("mercy", (1, 2)))]
    refuted_at(chained(events), 3, "the rules do not end the match here")
    assert "ruleset" not in verify_match(STREAM, chained(events)).why


def test_bytes_that_are_not_canonical_and_streams_without_a_creation_are_refuted():
    table = hot_seat()
    spaced = [entry.e for entry in table.entries]
    spaced[1] = spaced[1].replace(b'":', b'": ')
    refuted_at(link_all(first_link(STREAM), 1, spaced), 2, "canonical")
    refuted_at([], 1, "never created")
    refuted_at(chained(parsed(finished_with_dice())[1:]), 1, "never created")


@pytest.mark.parametrize("gone", [2, 5, -2])
def test_an_event_that_was_deleted_is_missed_where_it_stood(gone):
    entries = list(finished_with_dice().entries)
    missing = entries.pop(gone)
    refuted_at(entries, missing.version, "hash")


def test_an_ended_match_with_a_fault_keeps_its_outcome():
    table = finished_with_dice()
    table.entries[4] = table.entries[4]._replace(e=b"{}")
    match = replay(STREAM, table.entries)
    assert match.fault.version == 5
    assert match.turn == table.match.turn


def test_of_several_faults_the_first_one_counts():
    events = parsed(finished_with_dice())
    moves = [n for n, event in enumerate(events) if isinstance(event.data, MoveMade)]
    early, late = moves[0], moves[-1]
    events[early] = events[early]._replace(by=str(CAT))
    events[late] = events[late]._replace(data=replace(events[late].data, move="give 9 9"))
    refuted_at(chained(events), early + 1, "no seat")


def test_what_this_verifier_lacks_is_no_fault_of_the_match(monkeypatch):
    table = finished_with_dice()
    monkeypatch.setattr(rulesets, "RULESETS", [])
    with pytest.raises(UnknownRuleset):
        verify_match(STREAM, table.entries)


@pytest.mark.parametrize(("old", "new"), [(b"match-ended", b"match-adorned"), (b'"reason"', b'"cause"')])
def test_what_a_newer_release_wrote_is_no_fault_of_the_match(old, new):
    encoded = [entry.e.replace(old, new) for entry in finished_with_dice().entries]
    with pytest.raises((UnknownEventType, UnknownEventShape)):
        verify_match(STREAM, link_all(first_link(STREAM), 1, encoded))


def test_a_match_under_way_keeps_its_dice_secret():
    with pytest.raises(WrongTime):
        verify_match(STREAM, hot_seat("toy").entries)


@pytest.mark.parametrize("make", [finished_with_dice, lambda: hot_seat("zhen")])
def test_the_careful_way_confirms_what_the_quick_one_does(make, monkeypatch):
    table = make()
    quick = verify_match(STREAM, table.entries)
    assert isinstance(quick, MatchVerified)
    monkeypatch.setattr(verification, "confirm_match", lambda *_: None)
    assert verify_match(STREAM, table.entries) == quick


def test_a_command_that_was_stored_as_two_is_found():
    table = hot_seat("zhen")
    table.play("+5", "+6")
    events = parsed(table)
    events[-1] = events[-1]._replace(cause=events[-2].cause, at=events[-2].at)
    refuted_at(chained(events), len(events), "does not follow")


def played(seed: int) -> Table:
    """A match of two players under way or at its end, moves drawn by lot, with a withdrawal now and then."""
    draw = Random(seed)
    table = new_match(draw.choice(["zhen", "pathagon"]), seats=(account(ANN), None))
    table.when(commands.TakeSeat, BEN, seat=2)
    ruleset = table.match.play.ruleset
    for _ in range(draw.randrange(1, 20)):
        if table.status == "playing":
            table.play(
                ruleset.format_move(table.match.play.state, ruleset.sample_move(table.match.play.state, draw.randrange))
            )
    if table.status == "playing" and draw.random() < 0.5:
        table.when(commands.Withdraw, draw.choice([ANN, BEN]))
    return table


def forge(events: list[Event], draw: Random) -> list[Event]:
    """The events with one of them changed, dropped or doubled."""
    n = draw.randrange(len(events))
    event, other = events[n], draw.choice(events)
    forged = {
        "by": event._replace(by=draw.choice([str(ANN), str(BEN), str(CAT), f"recorder:{ANN.id}", "nobody"])),
        "cause": event._replace(cause=other.cause),
        "at": event._replace(at=event.at + 1),
        "data": event._replace(data=other.data),
        "seat": event._replace(data=MoveMade(draw.randrange(4), getattr(event.data, "move", "+1"))),
        "move": event._replace(data=MoveMade(getattr(event.data, "seat", 1), draw.choice(["+1", "d4", "x" * 300]))),
    }
    kind = draw.choice([*forged, "drop", "double"])
    middle = [] if kind == "drop" else [event, event] if kind == "double" else [forged[kind]]
    return [*events[:n], *middle, *events[n + 1 :]]


def verdict_or_error(entries: list[StoredEvent]) -> object:
    try:
        return verify_match(STREAM, entries)
    except (UnknownRuleset, UnknownEventShape, UnknownEventType, WrongTime) as error:
        return repr(error)


def test_the_quick_way_never_confirms_what_the_careful_one_does_not(monkeypatch):
    for seed in range(400):
        entries = chained(forge(parsed(played(seed)), Random(seed)))
        quick = verdict_or_error(entries)
        with monkeypatch.context() as patch:
            patch.setattr(verification, "confirm_match", lambda *_: None)
            assert verdict_or_error(entries) == quick, seed


def test_a_move_by_another_hand_is_found_amid_many():
    table = hot_seat("zhen")
    table.play("+5", "+6", "+4", "+7", "+3", "+8")
    events = parsed(table)
    for n in range(first(events, MoveMade), len(events)):
        forged = [*events[:n], events[n]._replace(by=str(CAT)), *events[n + 1 :]]
        refuted_at(chained(forged), n + 1, "no seat")
