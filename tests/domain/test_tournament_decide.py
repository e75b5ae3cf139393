"""A tournament's commands: what they lead to, and every reason why one is refused."""

import pytest

from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import Refusal, Unknown, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.events import Account, BuiltIn, Guest, SeatWithdrawn
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.tournament.commands import (
    AbortTournament,
    AnnounceAbsence,
    AnnulGame,
    CreateTournament,
    EndTournament,
    EnterResult,
    NoteFailure,
    PairRound,
    RegisterEntrant,
    StartTournament,
    WithdrawEntrant,
)
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.domain.tournament.events import (
    AttemptFailed,
    EntrantAbsent,
    EntrantRegistered,
    EntrantWithdrawn,
    GameAnnulled,
    GameDecided,
    RoundPaired,
    TournamentAborted,
    TournamentCreated,
    TournamentEnded,
    TournamentStarted,
)
from plyscribe.domain.tournament.state import Tournament
from tests.domain.given_tournament import BOT, ORGANISER, STREAM, SYSTEM, GivenTournament, by_number

ANN = Actor("player", "player-" + "a" * 26)
BEN = Actor("player", "player-" + "b" * 26)
TERMS = {"name": "Cup", "ruleset": "toy", "format": {"kind": "swiss"}, "seed": 1}
RESULT = {"round": 1, "board": 1, "game": 1, "match": "match-1"}


def refusal(tournament, command, actor=ORGANISER, **fields):
    """The class and code with which the command is refused; nothing is recorded."""
    before = tournament.state
    with pytest.raises(Refusal) as refused:
        tournament.when(command, actor, **fields)
    assert tournament.state == before
    return type(refused.value), refused.value.code


def created(**terms):
    return GivenTournament(**terms).state.terms


def playing(entrants=2, **terms):
    """A tournament with its first round paired: 1 meets 2."""
    tournament = GivenTournament(entrants, **terms)
    tournament.start()
    tournament.pair([(1, 2)], byes=range(3, entrants + 1))
    return tournament


# ------------------------------------------------------------------------------------------------------------ create


def test_a_tournament_is_created_with_complete_terms():
    assert created() == TournamentCreated(
        name="Cup",
        ruleset="toy",
        ruleset_version=1,
        options=created().options,
        seats=2,
        format={"kind": "swiss", "rounds": 9},
        repeat="once",
        openings=(),
        scoring={"places": None, "bye": 2, "absence": 0},
        tiebreaks=("buchholz", "sonneborn-berger", "direct", "wins"),
        limits=None,
        sprt=None,
        max_entrants=256,
        is_open=False,
        seed=1,
        server="",
    )
    assert created().options


def test_a_tournament_is_created_once():
    assert refusal(GivenTournament(), CreateTournament, **TERMS) == (WrongTime, "tournament/exists")


@pytest.mark.parametrize(
    ("terms", "code"),
    [
        ({"name": ""}, "tournament/name"),
        ({"name": "x" * 101}, "tournament/name"),
        ({"name": "a\nb"}, "tournament/name"),
        ({"max_entrants": 1}, "tournament/entrants"),
        ({"max_entrants": 1025}, "tournament/entrants"),
        ({"ruleset": "pathagon", "openings": ((),)}, "tournament/openings"),
        ({"ruleset": "pathagon", "openings": (("nowhere",),)}, "tournament/openings"),
        ({"openings": (("1",),)}, "tournament/openings"),
        ({"ruleset": "pathagon", "openings": (("a1",),) * 1001}, "tournament/openings"),
        ({"format": {"kind": "ladder"}}, "tournament/format"),
        ({"repeat": "twice"}, "tournament/repeat"),
        ({"scoring": {"win": 3}}, "tournament/scoring"),
        ({"tiebreaks": ["elo"]}, "tournament/tiebreaks"),
        ({"sprt": {"elo0": 0}}, "tournament/sprt"),
        ({"sprt": {"elo0": 0, "elo1": 5}, "seats": 3}, "tournament/sprt"),
    ],
)
def test_terms_that_cannot_be_are_refused(terms, code):
    with pytest.raises(WrongValue) as refused:
        GivenTournament(**terms)
    assert refused.value.code == code


def test_openings_are_refused_where_dice_fall_and_welcome_in_the_same_game_without():
    with pytest.raises(WrongValue, match="portals with these options has dice"):
        GivenTournament(ruleset="portals", openings=(("x",),))
    ruleset, first = find_ruleset("portals"), {"first": 1}
    state = ruleset.initial_state(ruleset.parse_options(first), 2)
    move = ruleset.format_move(state, next(ruleset.legal_moves(state)))
    assert GivenTournament(ruleset="portals", options=first, openings=((move,),)).state.terms.openings == ((move,),)


def test_before_it_is_created_there_is_no_tournament():
    with pytest.raises(Unknown) as refused:
        TOURNAMENT.decide(StartTournament(actor=ORGANISER), Tournament(STREAM))
    assert refused.value.code == "tournament/unknown"


# ------------------------------------------------------------------------------------------------------------- enter


def test_the_organiser_enters_bots_under_the_next_number():
    tournament = GivenTournament(1)
    assert tournament.when(RegisterEntrant, occupant=BOT, label="B") == [EntrantRegistered(2, BOT, "B")]


def test_players_enter_themselves_where_the_tournament_is_open():
    tournament = GivenTournament(is_open=True)
    assert tournament.when(RegisterEntrant, ANN, occupant=Account(ANN.id)) == [
        EntrantRegistered(1, Account(ANN.id), None)
    ]


def test_late_entrants_are_taken_in_a_swiss_only():
    tournament = playing()
    tournament.enter()
    assert tournament.state.entrants[2].joined == 2
    tournament = playing(format={"kind": "round-robin"})
    assert refusal(tournament, RegisterEntrant, occupant=BOT) == (WrongTime, "tournament/status")


def test_who_may_not_enter_is_refused():
    tournament = GivenTournament(is_open=True, max_entrants=2)
    tournament.when(RegisterEntrant, ANN, occupant=Account(ANN.id))
    assert refusal(tournament, RegisterEntrant, ANN, occupant=Account(ANN.id)) == (WrongTime, "entrant/entered")
    assert refusal(tournament, RegisterEntrant, ANN, occupant=Account(BEN.id)) == (WrongPerson, "entrant/not-yours")
    assert refusal(tournament, RegisterEntrant, ANN, occupant=BOT) == (WrongPerson, "tournament/not-yours")
    assert refusal(tournament, RegisterEntrant, occupant=Guest("Cat")) == (WrongValue, "entrant/guest")
    assert refusal(tournament, RegisterEntrant, occupant=BuiltIn("random", 9, 0, None)) == (WrongValue, "bot/version")
    assert refusal(tournament, RegisterEntrant, occupant=BOT, label="") == (WrongValue, "entrant/label")
    tournament.enter()
    assert refusal(tournament, RegisterEntrant, BEN, occupant=Account(BEN.id)) == (WrongTime, "entrant/full")
    assert refusal(GivenTournament(), RegisterEntrant, BEN, occupant=Account(BEN.id)) == (WrongPerson, "entrant/closed")


# -------------------------------------------------------------------------------------------------- leave or sit out


def test_entrants_withdraw_by_themselves_or_by_the_organiser():
    tournament = GivenTournament(is_open=True)
    tournament.when(RegisterEntrant, ANN, occupant=Account(ANN.id))
    tournament.enter()
    assert tournament.when(WithdrawEntrant, ANN, entrant=1) == [EntrantWithdrawn(1, "entrant")]
    assert tournament.when(WithdrawEntrant, entrant=2) == [EntrantWithdrawn(2, "organiser")]


@pytest.mark.parametrize(("command", "more"), [(WithdrawEntrant, {}), (AnnounceAbsence, {"round": 1})])
def test_nobody_acts_for_others_for_nobody_or_for_who_has_left(command, more):
    tournament = GivenTournament(2)
    tournament.leave(2)
    assert refusal(tournament, command, ANN, entrant=1, **more) == (WrongPerson, "entrant/not-yours")
    assert refusal(tournament, command, entrant=2, **more) == (WrongTime, "entrant/out")
    assert refusal(tournament, command, entrant=3, **more) == (Unknown, "entrant/unknown")
    assert refusal(tournament, command, entrant=0, **more) == (Unknown, "entrant/unknown")


def test_an_absence_is_announced_once_and_before_the_round_is_paired():
    tournament = playing()
    assert tournament.when(AnnounceAbsence, entrant=1, round=2) == [EntrantAbsent(1, 2)]
    assert refusal(tournament, AnnounceAbsence, entrant=1, round=2) == (WrongTime, "entrant/absence")
    assert refusal(tournament, AnnounceAbsence, entrant=1, round=1) == (WrongTime, "entrant/absence")
    assert refusal(tournament, AnnounceAbsence, entrant=1, round=102) == (WrongTime, "entrant/absence")


# ------------------------------------------------------------------------------------------------------------- start


def test_it_starts_when_a_match_can_be_played():
    tournament = GivenTournament(2, seats=3)
    assert refusal(tournament, StartTournament) == (WrongTime, "tournament/too-few")
    assert refusal(tournament, StartTournament, ANN) == (WrongPerson, "tournament/not-yours")
    tournament.enter()
    assert tournament.when(StartTournament) == [TournamentStarted()]
    assert refusal(tournament, StartTournament) == (WrongTime, "tournament/status")


@pytest.mark.parametrize("entrants", [3, 4])
def test_a_sequential_test_starts_with_two_who_entered(entrants):
    tournament = GivenTournament(entrants, sprt={"elo0": 0, "elo1": 5})
    tournament.leave(1)
    assert refusal(tournament, StartTournament) == (WrongTime, "tournament/too-many")
    tournament = GivenTournament(2, sprt={"elo0": 0, "elo1": 5})
    assert tournament.state.terms.sprt == {"elo0": 0, "elo1": 5, "alpha": "0.05", "beta": "0.05"}
    assert tournament.when(StartTournament) == [TournamentStarted()]


# -------------------------------------------------------------------------------------------------------------- pair


def pairing(boards, byes=(), round=1):
    return {"round": round, "boards": boards, "byes": byes, "costs": {}, "engine": "by hand"}


def test_a_round_is_paired_with_who_sits_it_out():
    tournament = GivenTournament(4)
    tournament.sit_out(4, 1)
    tournament.start()
    assert tournament.when(PairRound, SYSTEM, **pairing(((2, 1),), (3,))) == [
        RoundPaired(1, ((2, 1),), (3,), (4,), {}, "by hand")
    ]


@pytest.mark.parametrize(
    ("boards", "byes", "refused"),
    [
        (((1, 2, 3),), (), (WrongValue, "tournament/pairing")),
        (((1,),), (2, 3), (WrongValue, "tournament/pairing")),
        (((1, 2),), (2,), (WrongValue, "tournament/pairing")),
        (((1, 1),), (), (WrongValue, "tournament/pairing")),
        (((1, 5),), (), (WrongTime, "tournament/round")),
        (((1, 4),), (), (WrongTime, "tournament/round")),
        (((1, 3),), (), (WrongTime, "tournament/round")),
    ],
)
def test_a_pairing_places_everybody_once_at_most_and_only_who_is_present(boards, byes, refused):
    tournament = GivenTournament(4)
    tournament.leave(4)
    tournament.sit_out(3, 1)
    tournament.start()
    assert refusal(tournament, PairRound, SYSTEM, **pairing(boards, byes)) == refused


def test_a_round_may_have_no_board():
    tournament = GivenTournament(3)
    tournament.start()
    tournament.when(PairRound, SYSTEM, **pairing((), (1, 2)))
    assert tournament.state.rounds[0].is_decided


def test_the_server_pairs_the_next_round_when_the_last_is_decided():
    tournament = playing()
    assert refusal(tournament, PairRound, SYSTEM, **pairing(((1, 2),), round=2)) == (WrongTime, "tournament/round")
    tournament.decide_all(by_number)
    assert refusal(tournament, PairRound, SYSTEM, **pairing(((1, 2),), round=1)) == (WrongTime, "tournament/round")
    assert refusal(tournament, PairRound, SYSTEM, **pairing(((1, 2),), round=3)) == (WrongTime, "tournament/round")
    assert refusal(tournament, PairRound, **pairing(((1, 2),), round=2)) == (WrongPerson, "tournament/not-yours")
    assert refusal(GivenTournament(2), PairRound, SYSTEM, **pairing(((1, 2),))) == (WrongTime, "tournament/status")


# ----------------------------------------------------------------------------------------------------------- results


def test_a_game_is_decided_once():
    tournament = playing()
    left = (SeatWithdrawn(1, "resigned", "crashed"),)
    decided = {**RESULT, "ranks": (2, 1), "reason": "withdrawal", "made_at": 7, "left": left}
    assert refusal(tournament, EnterResult, **decided) == (WrongPerson, "tournament/not-yours")
    assert refusal(tournament, EnterResult, SYSTEM, **{**decided, "ranks": (1,)}) == (WrongValue, "tournament/ranks")
    for place in ("round", "board", "game"):
        for number in (0, 2):
            wrong = {**decided, place: number}
            assert refusal(tournament, EnterResult, SYSTEM, **wrong) == (Unknown, "tournament/no-game")
    entered = GameDecided(1, 1, 1, "match-1", (2, 1), "withdrawal", 7, left)
    assert tournament.when(EnterResult, SYSTEM, **decided) == [entered]
    assert refusal(tournament, EnterResult, SYSTEM, **decided) == (WrongTime, "tournament/decided")


def test_a_match_that_failed_is_noted_once_and_while_the_game_is_open():
    tournament = playing()
    failure = {**RESULT, "cause": "refuted", "why": "x" * 300, "made_at": 7}
    assert refusal(tournament, NoteFailure, **failure) == (WrongPerson, "tournament/not-yours")
    assert tournament.when(NoteFailure, SYSTEM, **failure) == [
        AttemptFailed(1, 1, 1, "match-1", "refuted", "x" * 200, 7)
    ]
    assert [each.match for each in tournament.state.rounds[0].games[0][0].failed] == ["match-1"]
    assert refusal(tournament, NoteFailure, SYSTEM, **failure) == (WrongTime, "tournament/decided")
    tournament.decide_all(by_number)
    assert refusal(tournament, NoteFailure, SYSTEM, **{**failure, "match": "match-2"}) == (
        WrongTime,
        "tournament/decided",
    )


def test_a_decided_game_is_annulled_once_even_after_the_end():
    tournament = playing()
    annul = {"round": 1, "board": 1, "game": 1, "why": "a cheat"}
    assert refusal(tournament, AnnulGame, **annul) == (WrongTime, "tournament/not-decided")
    tournament.decide_all(by_number)
    assert refusal(tournament, AnnulGame, ANN, **annul) == (WrongPerson, "tournament/not-yours")
    assert refusal(tournament, AnnulGame, **{**annul, "why": ""}) == (WrongValue, "tournament/cause")
    assert refusal(tournament, AnnulGame, **{**annul, "why": "x" * 201}) == (WrongValue, "tournament/cause")
    assert refusal(tournament, AnnulGame, **{**annul, "board": 2}) == (Unknown, "tournament/no-game")
    tournament.when(EndTournament, SYSTEM, reason="played")
    assert tournament.when(AnnulGame, **annul) == [GameAnnulled(1, 1, 1, "a cheat")]
    assert refusal(tournament, AnnulGame, **annul) == (WrongTime, "tournament/not-decided")


# --------------------------------------------------------------------------------------------------------------- end


def test_the_server_ends_it_when_all_games_are_decided():
    tournament = playing()
    assert refusal(tournament, EndTournament, SYSTEM, reason="played") == (WrongTime, "tournament/round")
    tournament.decide_all(by_number)
    assert refusal(tournament, EndTournament, reason="played") == (WrongPerson, "tournament/not-yours")
    assert tournament.when(EndTournament, SYSTEM, reason="played") == [TournamentEnded("played")]
    assert refusal(tournament, EndTournament, SYSTEM, reason="played") == (WrongTime, "tournament/status")


def test_the_organiser_calls_it_off_before_its_end():
    tournament = playing()
    assert refusal(tournament, AbortTournament, ANN, cause="rain") == (WrongPerson, "tournament/not-yours")
    assert refusal(tournament, AbortTournament, cause="") == (WrongValue, "tournament/cause")
    assert tournament.when(AbortTournament, cause="rain") == [TournamentAborted("rain")]
    assert (tournament.state.status, tournament.state.ended) == ("aborted", "rain")


@pytest.mark.parametrize(
    ("command", "actor", "fields"),
    [
        (RegisterEntrant, ORGANISER, {"occupant": BOT}),
        (WithdrawEntrant, ORGANISER, {"entrant": 1}),
        (AnnounceAbsence, ORGANISER, {"entrant": 1, "round": 2}),
        (StartTournament, ORGANISER, {}),
        (PairRound, SYSTEM, pairing(((1, 2),), round=2)),
        (EnterResult, SYSTEM, {**RESULT, "ranks": (1, 2), "reason": "played", "made_at": 7}),
        (NoteFailure, SYSTEM, {**RESULT, "cause": "refuted", "why": "lost", "made_at": 7}),
        (AnnulGame, ORGANISER, {"round": 1, "board": 1, "game": 1, "why": "a cheat"}),
        (EndTournament, SYSTEM, {"reason": "played"}),
        (AbortTournament, ORGANISER, {"cause": "rain"}),
    ],
)
def test_nothing_follows_when_it_was_called_off(command, actor, fields):
    tournament = playing()
    tournament.when(AbortTournament, cause="rain")
    assert refusal(tournament, command, actor, **fields) == (WrongTime, "tournament/status")
