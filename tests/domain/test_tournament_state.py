"""A tournament as the fold of its stored events: round trips, what follows, and what cannot be read."""

import pytest

from plyscribe.domain.chain import first_link, link_all
from plyscribe.domain.codec import Event, format_event
from plyscribe.domain.errors import BrokenChain, FoldError, UnknownEventType
from plyscribe.domain.events import MatchStarted
from plyscribe.domain.tournament.commands import AbortTournament, EndTournament, NoteFailure
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.domain.tournament.events import (
    EntrantAbsent,
    EntrantWithdrawn,
    GameAnnulled,
    GameDecided,
    TournamentCreated,
    TournamentStarted,
)
from plyscribe.domain.tournament.schedule import pair_round_robin
from plyscribe.domain.tournament.state import STATUSES, Tournament, find_game
from tests.domain.given_tournament import STREAM, SYSTEM, Cup, by_number

FAILURE = {"cause": "refuted", "why": "lost", "made_at": 7}


def whole_event():
    """A tournament in which everything happened that can."""
    cup = Cup(
        5,
        format={"kind": "round-robin"},
        ruleset="pathagon",
        openings=(("a1",),),
        limits={"move_ms": 60_000},
        scoring={"places": [3, 1]},
        repeat="rotations",
    )
    cup.sit_out(2, 2)
    cup.play(pair_round_robin, by_number, most=2)
    cup.leave(5)
    pairing = pair_round_robin(cup.state)
    cup.pair(pairing.boards, pairing.byes, pairing.costs)
    cup.when(NoteFailure, SYSTEM, round=3, board=1, game=1, match="match-x", **FAILURE)
    cup.decide_all(by_number)
    cup.annul(1, 2, game=2)
    cup.when(EndTournament, SYSTEM, reason="played")
    return cup


def test_every_event_comes_back_from_its_stored_form():
    cup, aborted = whole_event(), Cup()
    aborted.when(AbortTournament, cause="rain")
    seen = set()
    for stored in (*cup.entries, *aborted.entries):
        event = TOURNAMENT.parse(stored)
        assert format_event(event) == stored.e
        seen.add(event.data.type)
    assert seen == set(TOURNAMENT.types)


def test_the_fold_of_all_events_is_the_state_that_grew_by_each():
    cup = whole_event()
    assert TOURNAMENT.fold(Tournament(STREAM), cup.entries) == cup.state
    assert cup.state.version == len(cup.entries)
    half = TOURNAMENT.fold(Tournament(STREAM), cup.entries[:9])
    assert TOURNAMENT.fold(half, cup.entries[9:]) == cup.state


def test_a_round_opens_its_games_by_the_order_of_seats():
    cup = whole_event()
    for round in cup.state.rounds:
        for board, games in zip(round.boards, round.games, strict=True):
            assert [game.entrants for game in games] == [board, board[::-1]]
    assert cup.state.rounds[1].absent == (2,)
    assert [each.match for each in find_game(cup.state, (3, 1, 1)).failed] == ["match-x"]
    assert not find_game(cup.state, (1, 2, 2)).counts
    assert [find_game(cup.state, place) for place in [(0, 1, 1), (4, 1, 1), (1, 3, 1), (1, 1, 0), (1, 1, 3)]] == [
        None
    ] * 5


def test_statuses_follow_each_other():
    cup = Cup(2)
    seen = [cup.state.status]
    cup.start()
    seen.append(cup.state.status)
    cup.when(EndTournament, SYSTEM, reason="played")
    seen.append(cup.state.status)
    aborted = Cup()
    aborted.when(AbortTournament, cause="rain")
    assert (*seen, aborted.state.status) == STATUSES


def test_who_starts_is_who_was_in_then():
    cup = Cup(4)
    cup.leave(2)
    cup.start()
    cup.enter()
    cup.leave(3)
    assert cup.state.starters == (1, 3, 4)
    assert cup.state.list_present(1) == [1, 4, 5]


def follow(cup, data):
    version = cup.state.version + 1
    return link_all(cup.state.head, version, [format_event(Event(version, 0, "system:tournament", "00", data))])


@pytest.mark.parametrize(
    "data",
    [
        EntrantWithdrawn(3, "entrant"),
        EntrantAbsent(0, 1),
        GameDecided(1, 1, 1, "match-1", (1, 2), "played", 7, ()),
        GameAnnulled(1, 1, 1, "a cheat"),
    ],
)
def test_events_about_what_is_not_there_cannot_be_folded(data):
    cup = Cup(2)
    with pytest.raises(FoldError):
        TOURNAMENT.fold(cup.state, follow(cup, data))


def test_a_tournament_is_created_first_and_once():
    cup = Cup()
    created = TOURNAMENT.parse(cup.entries[0])
    assert isinstance(created.data, TournamentCreated)
    with pytest.raises(FoldError):
        TOURNAMENT.fold(cup.state, follow(cup, created.data))
    started = format_event(created._replace(data=TournamentStarted()))
    with pytest.raises(FoldError):
        TOURNAMENT.fold(Tournament(STREAM), link_all(first_link(STREAM), 1, [started]))
    with pytest.raises(FoldError):
        _ = Tournament(STREAM).terms


def test_a_changed_event_and_one_of_a_match_are_not_read():
    cup = Cup(2)
    with pytest.raises(BrokenChain):
        TOURNAMENT.fold(Tournament(STREAM), [cup.entries[0], cup.entries[2]])
    foreign = link_all(first_link(STREAM), 1, [format_event(Event(1, 0, "system:x", "00" * 16, MatchStarted()))])
    with pytest.raises(UnknownEventType):
        TOURNAMENT.fold(Tournament(STREAM), foreign)
