"""A tournament as the fold of its stored events: round trips, what follows, and what cannot be read."""

import pytest

from plyscribe.domain.chain import first_link, link_all
from plyscribe.domain.codec import Event, format_event
from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import FoldError
from plyscribe.domain.events import Build
from plyscribe.domain.tournament import commands, events
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.domain.tournament.schedule import pair_round_robin
from plyscribe.domain.tournament.state import STATUSES, Tournament, find_game
from tests.domain.given import BEN, CAT
from tests.domain.given_tournament import ORGANISER, STREAM, SYSTEM, GivenTournament, by_number

ANN = "player-" + "a" * 26
FAILURE = {"cause": "refuted", "why": "lost", "made_at": 7}


def whole_event():
    """A tournament in which everything happened that can."""
    tournament = GivenTournament(
        5,
        format={"kind": "round-robin"},
        ruleset="pathagon",
        openings=(("a1",),),
        limits={"move_ms": 60_000},
        scoring={"places": [3, 1]},
        repeat="rotations",
    )
    tournament.sit_out(2, 2)
    tournament.when(commands.InviteEntrant, player=CAT.id)
    tournament.enter_account(CAT)
    tournament.when(commands.EnterBuild, CAT, entrant=6, build=Build("ab" * 32, "mybot", None, {}))
    tournament.leave(6)
    tournament.when(commands.InviteEntrant, player=ANN, label="Ann")
    tournament.when(commands.EndInvitation, player=ANN)
    tournament.play(pair_round_robin, by_number, most=2)
    tournament.leave(5)
    pairing = pair_round_robin(tournament.state)
    tournament.pair(pairing.boards, pairing.byes, pairing.costs)
    tournament.when(commands.NoteFailure, SYSTEM, round=3, board=1, game=1, match="match-x", **FAILURE)
    tournament.decide_all(by_number)
    tournament.annul(1, 2, game=2)
    pairing = pair_round_robin(tournament.state)
    tournament.pair(pairing.boards, pairing.byes, pairing.costs)
    tournament.give_up(4, 1)
    tournament.retry(4, 1)
    tournament.adjudicate(4, 1, 2, 1)
    tournament.forfeit(4, 1, tournament.state.rounds[3].boards[0][0], game=2)
    for board in range(2, len(tournament.state.rounds[3].boards) + 1):
        for game in (1, 2):
            tournament.decide(4, board, 1, 2, game=game)
    tournament.when(commands.EndTournament, SYSTEM, reason="played")
    return tournament


def club_night():
    """A tournament at the table in which everything happened that a club needs."""
    tournament = GivenTournament(at_table=True, rounds_begin="call", scoring={"asked_byes": 1})
    tournament.name_arbiter(BEN)
    tournament.when(commands.RequestEntry, Actor("player", ANN))
    tournament.when(commands.EndRequest, player=ANN, why="members only")
    tournament.when(commands.RevokeEntryLinks)
    for name in ("Ida", "Kim", "Lou", "Max"):
        tournament.enter_guest(name, rating=1000 + len(tournament.entries))
    tournament.when(commands.DismissArbiter, player=BEN.id)
    tournament.leave(4)
    tournament.when(commands.ReturnEntrant, entrant=4, why="a mistake")
    tournament.when(commands.AnnounceAbsence, entrant=4, round=2, bye=True)
    tournament.when(commands.CancelAbsence, entrant=4, round=2)
    tournament.start()
    tournament.when(commands.PauseTournament, why="dinner")
    tournament.when(commands.ResumeTournament)
    tournament.when(commands.CallRound, round=1)
    tournament.pair([(1, 2), (3, 4)])
    tournament.when(commands.TakeBackRound, round=1, why="wrong tables")
    tournament.when(commands.PairByHand, round=1, boards=((1, 3), (2, 4)), byes=(), why="as announced")
    tournament.when(commands.RevokeTableCodes, round=1, board=1, why="a lost phone")
    tournament.report(1, 1, 1, 2)
    tournament.when(commands.ReplayGame, round=1, board=1, game=1, why="wrong seats")
    tournament.report(1, 1, 2, 1)
    tournament.when(commands.CallArbiter, Actor("table", "1-1-0"), round=1, board=1, game=1, why="we mixed it up")
    tournament.when(commands.AnswerCall, round=1, board=1, game=1, why="they agreed")
    tournament.when(commands.CorrectGame, round=1, board=1, game=1, ranks=(1, 1), why="a draw")
    tournament.when(commands.GivePenalty, entrant=1, points=1, why="late")
    tournament.when(commands.LiftPenalty, penalty=1, why="the bus")
    return tournament


def league() -> GivenTournament:
    tournament = GivenTournament(2, format={"kind": "league"}).begun([(1, 2)])
    tournament.when(commands.ExtendDeadline, round=1, days=3, why="a holiday")
    return tournament


def ladder() -> GivenTournament:
    tournament = GivenTournament(2, format={"kind": "ladder"}).begun()
    tournament.when(commands.ChallengeEntrant, entrant=2, opponent=1)
    tournament.when(commands.CloseTournament, why="the season is over")
    return tournament


def test_every_event_comes_back_from_its_stored_form():
    tournament, aborted = whole_event(), GivenTournament()
    aborted.when(commands.AbortTournament, cause="rain")
    teams = GivenTournament(1, format={"kind": "scheveningen"})
    teams.when(commands.AssignEntrant, entrant=1, team="Reds", place=1)
    seen = set()
    ours = (club_night(), league(), ladder(), aborted, teams)
    for stored in (*tournament.entries, *(entry for each in ours for entry in each.entries)):
        event = TOURNAMENT.parse(stored)
        assert format_event(event) == stored.e
        seen.add(event.data.type)
    assert seen == set(TOURNAMENT.types)


@pytest.mark.parametrize("happen", [whole_event, club_night, league, ladder])
def test_the_fold_of_all_events_is_the_state_that_grew_by_each(happen):
    tournament = happen()
    assert TOURNAMENT.fold(Tournament(STREAM), tournament.entries) == tournament.state
    assert tournament.state.version == len(tournament.entries)
    half = TOURNAMENT.fold(Tournament(STREAM), tournament.entries[:9])
    assert TOURNAMENT.fold(half, tournament.entries[9:]) == tournament.state


def test_a_round_opens_its_games_by_the_order_of_seats():
    tournament = whole_event()
    for round in tournament.state.rounds:
        for board, games in zip(round.boards, round.games, strict=True):
            assert [game.entrants for game in games] == [board, board[::-1]]
    assert tournament.state.rounds[1].absent == (2,)
    assert [each.match for each in find_game(tournament.state, (3, 1, 1)).failed] == ["match-x"]
    assert not find_game(tournament.state, (1, 2, 2)).counts
    assert [
        find_game(tournament.state, place) for place in [(0, 1, 1), (5, 1, 1), (1, 3, 1), (1, 1, 0), (1, 1, 3)]
    ] == [None] * 5


def test_statuses_follow_each_other():
    tournament, aborted = GivenTournament(2), GivenTournament()
    seen = [tournament.state.status]
    for command, actor, fields in (
        (commands.StartTournament, ORGANISER, {}),
        (commands.EndTournament, SYSTEM, {"reason": "played"}),
    ):
        tournament.when(command, actor, **fields)
        seen.append(tournament.state.status)
    aborted.when(commands.AbortTournament, cause="rain")
    assert (*seen, aborted.state.status) == STATUSES


def test_who_starts_is_who_was_in_then():
    tournament = GivenTournament(4)
    tournament.leave(2)
    tournament.start()
    tournament.enter()
    tournament.leave(3)
    assert tournament.state.starters == (1, 3, 4)
    assert tournament.state.list_present(1) == [1, 4, 5]


def follow(tournament, data):
    version = tournament.state.version + 1
    return link_all(tournament.state.head, version, [format_event(Event(version, 0, "system:tournament", "00", data))])


@pytest.mark.parametrize(
    "data",
    [
        events.EntrantWithdrawn(3, "entrant"),
        events.EntrantAbsent(0, 1),
        events.GameDecided(1, 1, 1, "match-1", (1, 2), "played", 7, ()),
        events.GameAnnulled(1, 1, 1, "a cheat"),
    ],
)
def test_events_about_what_is_not_there_cannot_be_folded(data):
    tournament = GivenTournament(2)
    with pytest.raises(FoldError):
        TOURNAMENT.fold(tournament.state, follow(tournament, data))


def test_a_tournament_is_created_first_and_once():
    tournament = GivenTournament()
    created = TOURNAMENT.parse(tournament.entries[0])
    assert isinstance(created.data, events.TournamentCreated)
    with pytest.raises(FoldError):
        TOURNAMENT.fold(tournament.state, follow(tournament, created.data))
    started = format_event(created._replace(data=events.TournamentStarted()))
    with pytest.raises(FoldError):
        TOURNAMENT.fold(Tournament(STREAM), link_all(first_link(STREAM), 1, [started]))
    with pytest.raises(FoldError):
        _ = Tournament(STREAM).terms
