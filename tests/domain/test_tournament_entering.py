"""Who takes part: guests, requests, entry links, seeds, asked byes, and entrants who come back."""

import pytest

from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import Unknown, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.events import Account, Guest
from plyscribe.domain.tournament import events
from plyscribe.domain.tournament.commands import (
    AnnounceAbsence,
    CancelAbsence,
    EndRequest,
    RegisterEntrant,
    RequestEntry,
    ReturnEntrant,
    RevokeEntryLinks,
    SeedEntrant,
    WithdrawEntrant,
)
from plyscribe.domain.tournament.naming import name_entrants
from plyscribe.domain.tournament.points import total_points
from tests.domain.given import ANN, BEN
from tests.domain.given_tournament import BOT, GivenTournament, refusal
from tests.domain.test_names import ZALGO


def club(entrants=0, **terms):
    """A tournament at the table with so many guests."""
    tournament = GivenTournament(at_table=True, **terms)
    for number in range(1, entrants + 1):
        tournament.enter_guest(f"Guest {number}")
    return tournament


def test_the_organiser_enters_guests_by_name():
    tournament = club()
    assert tournament.when(RegisterEntrant, occupant=Guest("Ida")) == [events.EntrantRegistered(1, Guest("Ida"), None)]
    tournament.enter_guest("Ida")
    assert name_entrants(tournament.state) == {1: "Ida #1", 2: "Ida #2"}
    assert refusal(tournament, RegisterEntrant, ANN, occupant=Guest("Ann")) == (WrongPerson, "tournament/not-yours")


def test_guests_have_names_that_can_be_read_and_play_at_the_table_where_bots_do_not():
    for name in ("", " Ida", "x" * 101, "a\nb", ZALGO):
        assert refusal(club(), RegisterEntrant, occupant=Guest(name)) == (WrongValue, "entrant/name")
    assert refusal(GivenTournament(), RegisterEntrant, occupant=Guest("Ida")) == (WrongValue, "entrant/guest")
    assert refusal(club(), RegisterEntrant, occupant=BOT) == (WrongValue, "entrant/at-table")


def test_a_player_asks_once_to_be_let_in_and_the_organiser_lets_in_who_did_alone():
    tournament = GivenTournament()
    assert tournament.when(RequestEntry, ANN, label="Annie") == [events.EntryRequested(ANN.id, "Annie")]
    assert refusal(tournament, RequestEntry, ANN) == (WrongTime, "entrant/asked")
    assert refusal(tournament, RegisterEntrant, ANN, occupant=Account(ANN.id)) == (WrongPerson, "entrant/closed")
    assert refusal(tournament, RegisterEntrant, occupant=Account(BEN.id)) == (WrongPerson, "entrant/not-yours")
    assert refusal(tournament, RegisterEntrant, BEN, occupant=Account(ANN.id)) == (WrongPerson, "entrant/not-yours")
    entered = tournament.when(RegisterEntrant, occupant=Account(ANN.id))
    assert entered == [events.EntrantRegistered(1, Account(ANN.id), "Annie")]
    assert tournament.state.requests == ()
    assert refusal(tournament, RequestEntry, ANN) == (WrongTime, "entrant/entered")
    assert refusal(GivenTournament(is_open=True), RequestEntry, ANN) == (WrongTime, "entrant/no-need")


def test_a_request_is_withdrawn_or_refused():
    tournament = GivenTournament()
    tournament.when(RequestEntry, ANN)
    tournament.when(RequestEntry, BEN)
    assert refusal(tournament, EndRequest, BEN, player=ANN.id) == (WrongPerson, "entrant/not-yours")
    assert tournament.when(EndRequest, ANN, player=ANN.id) == [events.EntryRequestEnded(ANN.id, "withdrawn", None)]
    refused = tournament.when(EndRequest, player=BEN.id, why="members only")
    assert refused == [events.EntryRequestEnded(BEN.id, "refused", "members only")]
    assert [(act.what, act.player) for act in tournament.state.acts] == [("entry-request-ended", BEN.id)]
    assert refusal(tournament, EndRequest, player=BEN.id) == (Unknown, "entrant/no-request")


def test_an_entry_link_admits_its_holder():
    tournament = GivenTournament()
    entered = tournament.when(RegisterEntrant, ANN, occupant=Account(ANN.id), admitted=True)
    assert entered == [events.EntrantRegistered(1, Account(ANN.id), None)]
    assert tournament.when(RevokeEntryLinks) == [events.EntryLinkRevoked()]
    assert tournament.state.entry_links_revoked == 1
    assert refusal(tournament, RevokeEntryLinks, ANN) == (WrongPerson, "tournament/not-yours")


def test_seeds_come_before_ratings_and_ratings_before_the_order_of_entry():
    tournament = club(3)
    tournament.enter_guest("Strong", rating=2000)
    tournament.enter_guest("Stronger", rating=2100)
    tournament.enter_guest("First", seed=1)
    tournament.when(SeedEntrant, entrant=3, seed=2)
    assert tournament.state.list_seeds() == [6, 3, 5, 4, 1, 2]


def test_the_organiser_seeds_before_the_start():
    tournament = club(2)
    assert tournament.when(SeedEntrant, entrant=1, rating=1500) == [events.EntrantSeeded(1, 1500, None)]
    assert refusal(tournament, SeedEntrant, entrant=1, rating=1500) == (WrongTime, "entrant/seeded")
    assert refusal(tournament, SeedEntrant, entrant=1, rating=-1) == (WrongValue, "entrant/rating")
    assert refusal(tournament, SeedEntrant, entrant=1, seed=0) == (WrongValue, "entrant/seed")
    assert refusal(tournament, SeedEntrant, entrant=9, seed=1) == (Unknown, "entrant/unknown")
    assert refusal(tournament, SeedEntrant, ANN, entrant=1, seed=1) == (WrongPerson, "tournament/not-yours")
    tournament.start()
    assert refusal(tournament, SeedEntrant, entrant=1, rating=1600) == (WrongTime, "tournament/status")


def test_a_player_who_enters_gives_no_rating_and_so_many_ask_at_a_time():
    tournament = GivenTournament(is_open=True)
    refused = refusal(tournament, RegisterEntrant, ANN, occupant=Account(ANN.id), rating=3000)
    assert refused == (WrongPerson, "tournament/not-yours")
    tournament = GivenTournament(max_entrants=2)
    for number in range(2):
        tournament.when(RequestEntry, Actor("player", f"player-{number}"))
    assert refusal(tournament, RequestEntry, ANN) == (WrongTime, "entrant/requests")


def test_an_asked_bye_is_worth_what_the_terms_say_and_as_many_are_left():
    tournament = club(3, scoring={"asked_byes": 1})
    assert tournament.state.terms.scoring["asked_bye"] == 1
    assert tournament.when(AnnounceAbsence, entrant=3, round=1, bye=True) == [events.EntrantAbsent(3, 1, True)]
    assert refusal(tournament, AnnounceAbsence, entrant=3, round=2, bye=True) == (WrongTime, "entrant/byes")
    tournament.sit_out(3, 2)
    tournament.start()
    tournament.pair([(1, 2)])
    tournament.decide(1, 1, 1, 2)
    assert total_points(tournament.state) == {1: 2, 2: 0, 3: 1}
    tournament.pair([(2, 1)])
    assert total_points(tournament.state)[3] == 1


def test_no_bye_can_be_asked_for_unless_the_terms_say_so():
    assert refusal(club(2), AnnounceAbsence, entrant=1, round=1, bye=True) == (WrongTime, "entrant/byes")


@pytest.mark.parametrize("scoring", [{"asked_byes": 0}, {"asked_byes": 101}, {"asked_bye": -1}, {"asked_byes": True}])
def test_impossible_byes_are_refused(scoring):
    with pytest.raises(WrongValue, match="asked_bye"):
        club(scoring=scoring)


def test_an_absence_is_cancelled_until_the_round_is_paired():
    tournament = club(3, scoring={"asked_byes": 1})
    tournament.when(AnnounceAbsence, entrant=3, round=1, bye=True)
    assert tournament.when(CancelAbsence, entrant=3, round=1) == [events.EntrantPresent(3, 1)]
    assert tournament.state.list_present(1) == [1, 2, 3]
    assert refusal(tournament, CancelAbsence, entrant=3, round=1) == (WrongTime, "entrant/absence")
    tournament.when(AnnounceAbsence, entrant=3, round=1, bye=True)
    tournament.start()
    tournament.pair([(1, 2)])
    assert refusal(tournament, CancelAbsence, entrant=3, round=1) == (WrongTime, "entrant/absence")
    assert refusal(tournament, CancelAbsence, ANN, entrant=3, round=2) == (WrongPerson, "entrant/not-yours")


def test_an_entrant_who_withdrew_comes_back():
    tournament = club(3)
    tournament.start()
    tournament.when(WithdrawEntrant, entrant=3, disqualified=True, why="shouted")
    assert tournament.when(ReturnEntrant, entrant=3, why="it was another") == [
        events.EntrantReturned(3, "it was another")
    ]
    assert tournament.state.list_present(1) == [1, 2, 3]
    assert not tournament.state.entrants[2].is_disqualified
    assert refusal(tournament, ReturnEntrant, entrant=3, why="again") == (WrongTime, "entrant/in")
    tournament.leave(2)
    assert refusal(tournament, ReturnEntrant, ANN, entrant=2, why="me") == (WrongPerson, "tournament/not-yours")


def test_nobody_returns_to_a_knockout_that_has_begun_or_by_their_own_word():
    tournament = GivenTournament(4, format={"kind": "knockout"}).begun()
    tournament.leave(4)
    assert refusal(tournament, ReturnEntrant, entrant=4, why="late") == (WrongTime, "entrant/knockout")
    tournament = GivenTournament(1)
    ann = tournament.name_arbiter(ANN)
    tournament.when(RegisterEntrant, ann, occupant=Account(ANN.id))
    tournament.leave(2)
    assert refusal(tournament, ReturnEntrant, ann, entrant=2, why="me") == (WrongPerson, "tournament/own-game")
