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
from tests.domain.given_tournament import BOT, ORGANISER, STREAM, SYSTEM, Cup, by_number

ANN = Actor("player", "player-" + "a" * 26)
BEN = Actor("player", "player-" + "b" * 26)
TERMS = {"name": "Cup", "ruleset": "toy", "format": {"kind": "swiss"}, "seed": 1}
RESULT = {"round": 1, "board": 1, "game": 1, "match": "match-1"}


def refusal(cup, command, actor=ORGANISER, **fields):
    """The class and code with which the command is refused; nothing is recorded."""
    before = cup.state
    with pytest.raises(Refusal) as refused:
        cup.when(command, actor, **fields)
    assert cup.state == before
    return type(refused.value), refused.value.code


def created(**terms):
    return Cup(**terms).state.terms


def playing(entrants=2, **terms):
    """A tournament with its first round paired: 1 meets 2."""
    cup = Cup(entrants, **terms)
    cup.start()
    cup.pair([(1, 2)], byes=range(3, entrants + 1))
    return cup


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
    assert refusal(Cup(), CreateTournament, **TERMS) == (WrongTime, "tournament/exists")


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
        Cup(**terms)
    assert refused.value.code == code


def test_openings_are_refused_where_dice_fall_and_welcome_in_the_same_game_without():
    with pytest.raises(WrongValue, match="portals with these options has dice"):
        Cup(ruleset="portals", openings=(("x",),))
    ruleset, first = find_ruleset("portals"), {"first": 1}
    state = ruleset.initial_state(ruleset.parse_options(first), 2)
    move = ruleset.format_move(state, next(ruleset.legal_moves(state)))
    assert Cup(ruleset="portals", options=first, openings=((move,),)).state.terms.openings == ((move,),)


def test_before_it_is_created_there_is_no_tournament():
    with pytest.raises(Unknown) as refused:
        TOURNAMENT.decide(StartTournament(actor=ORGANISER), Tournament(STREAM))
    assert refused.value.code == "tournament/unknown"


# ------------------------------------------------------------------------------------------------------------- enter


def test_the_organiser_enters_bots_under_the_next_number():
    cup = Cup(1)
    assert cup.when(RegisterEntrant, occupant=BOT, label="B") == [EntrantRegistered(2, BOT, "B")]


def test_players_enter_themselves_where_the_tournament_is_open():
    cup = Cup(is_open=True)
    assert cup.when(RegisterEntrant, ANN, occupant=Account(ANN.id)) == [EntrantRegistered(1, Account(ANN.id), None)]


def test_late_entrants_are_taken_in_a_swiss_only():
    cup = playing()
    cup.enter()
    assert cup.state.entrants[2].joined == 2
    cup = playing(format={"kind": "round-robin"})
    assert refusal(cup, RegisterEntrant, occupant=BOT) == (WrongTime, "tournament/status")


def test_who_may_not_enter_is_refused():
    cup = Cup(is_open=True, max_entrants=2)
    cup.when(RegisterEntrant, ANN, occupant=Account(ANN.id))
    assert refusal(cup, RegisterEntrant, ANN, occupant=Account(ANN.id)) == (WrongTime, "entrant/entered")
    assert refusal(cup, RegisterEntrant, ANN, occupant=Account(BEN.id)) == (WrongPerson, "entrant/not-yours")
    assert refusal(cup, RegisterEntrant, ANN, occupant=BOT) == (WrongPerson, "tournament/not-yours")
    assert refusal(cup, RegisterEntrant, occupant=Guest("Cat")) == (WrongValue, "entrant/guest")
    assert refusal(cup, RegisterEntrant, occupant=BuiltIn("random", 9, 0, None)) == (WrongValue, "bot/version")
    assert refusal(cup, RegisterEntrant, occupant=BOT, label="") == (WrongValue, "entrant/label")
    cup.enter()
    assert refusal(cup, RegisterEntrant, BEN, occupant=Account(BEN.id)) == (WrongTime, "entrant/full")
    assert refusal(Cup(), RegisterEntrant, BEN, occupant=Account(BEN.id)) == (WrongPerson, "entrant/closed")


# -------------------------------------------------------------------------------------------------- leave or sit out


def test_entrants_withdraw_by_themselves_or_by_the_organiser():
    cup = Cup(is_open=True)
    cup.when(RegisterEntrant, ANN, occupant=Account(ANN.id))
    cup.enter()
    assert cup.when(WithdrawEntrant, ANN, entrant=1) == [EntrantWithdrawn(1, "entrant")]
    assert cup.when(WithdrawEntrant, entrant=2) == [EntrantWithdrawn(2, "organiser")]


@pytest.mark.parametrize(("command", "more"), [(WithdrawEntrant, {}), (AnnounceAbsence, {"round": 1})])
def test_nobody_acts_for_others_for_nobody_or_for_who_has_left(command, more):
    cup = Cup(2)
    cup.leave(2)
    assert refusal(cup, command, ANN, entrant=1, **more) == (WrongPerson, "entrant/not-yours")
    assert refusal(cup, command, entrant=2, **more) == (WrongTime, "entrant/out")
    assert refusal(cup, command, entrant=3, **more) == (Unknown, "entrant/unknown")
    assert refusal(cup, command, entrant=0, **more) == (Unknown, "entrant/unknown")


def test_an_absence_is_announced_once_and_before_the_round_is_paired():
    cup = playing()
    assert cup.when(AnnounceAbsence, entrant=1, round=2) == [EntrantAbsent(1, 2)]
    assert refusal(cup, AnnounceAbsence, entrant=1, round=2) == (WrongTime, "entrant/absence")
    assert refusal(cup, AnnounceAbsence, entrant=1, round=1) == (WrongTime, "entrant/absence")
    assert refusal(cup, AnnounceAbsence, entrant=1, round=102) == (WrongTime, "entrant/absence")


# ------------------------------------------------------------------------------------------------------------- start


def test_it_starts_when_a_match_can_be_played():
    cup = Cup(2, seats=3)
    assert refusal(cup, StartTournament) == (WrongTime, "tournament/too-few")
    assert refusal(cup, StartTournament, ANN) == (WrongPerson, "tournament/not-yours")
    cup.enter()
    assert cup.when(StartTournament) == [TournamentStarted()]
    assert refusal(cup, StartTournament) == (WrongTime, "tournament/status")


@pytest.mark.parametrize("entrants", [3, 4])
def test_a_sequential_test_starts_with_two_who_entered(entrants):
    cup = Cup(entrants, sprt={"elo0": 0, "elo1": 5})
    cup.leave(1)
    assert refusal(cup, StartTournament) == (WrongTime, "tournament/too-many")
    cup = Cup(2, sprt={"elo0": 0, "elo1": 5})
    assert cup.state.terms.sprt == {"elo0": 0, "elo1": 5, "alpha": "0.05", "beta": "0.05"}
    assert cup.when(StartTournament) == [TournamentStarted()]


# -------------------------------------------------------------------------------------------------------------- pair


def pairing(boards, byes=(), round=1):
    return {"round": round, "boards": boards, "byes": byes, "costs": {}, "engine": "by hand"}


def test_a_round_is_paired_with_who_sits_it_out():
    cup = Cup(4)
    cup.sit_out(4, 1)
    cup.start()
    assert cup.when(PairRound, SYSTEM, **pairing(((2, 1),), (3,))) == [
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
    cup = Cup(4)
    cup.leave(4)
    cup.sit_out(3, 1)
    cup.start()
    assert refusal(cup, PairRound, SYSTEM, **pairing(boards, byes)) == refused


def test_a_round_may_have_no_board():
    cup = Cup(3)
    cup.start()
    cup.when(PairRound, SYSTEM, **pairing((), (1, 2)))
    assert cup.state.rounds[0].is_decided


def test_the_server_pairs_the_next_round_when_the_last_is_decided():
    cup = playing()
    assert refusal(cup, PairRound, SYSTEM, **pairing(((1, 2),), round=2)) == (WrongTime, "tournament/round")
    cup.decide_all(by_number)
    assert refusal(cup, PairRound, SYSTEM, **pairing(((1, 2),), round=1)) == (WrongTime, "tournament/round")
    assert refusal(cup, PairRound, SYSTEM, **pairing(((1, 2),), round=3)) == (WrongTime, "tournament/round")
    assert refusal(cup, PairRound, **pairing(((1, 2),), round=2)) == (WrongPerson, "tournament/not-yours")
    assert refusal(Cup(2), PairRound, SYSTEM, **pairing(((1, 2),))) == (WrongTime, "tournament/status")


# ----------------------------------------------------------------------------------------------------------- results


def test_a_game_is_decided_once():
    cup = playing()
    left = (SeatWithdrawn(1, "resigned", "crashed"),)
    decided = {**RESULT, "ranks": (2, 1), "reason": "withdrawal", "made_at": 7, "left": left}
    assert refusal(cup, EnterResult, **decided) == (WrongPerson, "tournament/not-yours")
    assert refusal(cup, EnterResult, SYSTEM, **{**decided, "ranks": (1,)}) == (WrongValue, "tournament/ranks")
    for place in ("round", "board", "game"):
        for number in (0, 2):
            wrong = {**decided, place: number}
            assert refusal(cup, EnterResult, SYSTEM, **wrong) == (Unknown, "tournament/no-game")
    entered = GameDecided(1, 1, 1, "match-1", (2, 1), "withdrawal", 7, left)
    assert cup.when(EnterResult, SYSTEM, **decided) == [entered]
    assert refusal(cup, EnterResult, SYSTEM, **decided) == (WrongTime, "tournament/decided")


def test_a_match_that_failed_is_noted_once_and_while_the_game_is_open():
    cup = playing()
    failure = {**RESULT, "cause": "refuted", "why": "x" * 300, "made_at": 7}
    assert refusal(cup, NoteFailure, **failure) == (WrongPerson, "tournament/not-yours")
    assert cup.when(NoteFailure, SYSTEM, **failure) == [AttemptFailed(1, 1, 1, "match-1", "refuted", "x" * 200, 7)]
    assert [each.match for each in cup.state.rounds[0].games[0][0].failed] == ["match-1"]
    assert refusal(cup, NoteFailure, SYSTEM, **failure) == (WrongTime, "tournament/decided")
    cup.decide_all(by_number)
    assert refusal(cup, NoteFailure, SYSTEM, **{**failure, "match": "match-2"}) == (WrongTime, "tournament/decided")


def test_a_decided_game_is_annulled_once_even_after_the_end():
    cup = playing()
    annul = {"round": 1, "board": 1, "game": 1, "why": "a cheat"}
    assert refusal(cup, AnnulGame, **annul) == (WrongTime, "tournament/not-decided")
    cup.decide_all(by_number)
    assert refusal(cup, AnnulGame, ANN, **annul) == (WrongPerson, "tournament/not-yours")
    assert refusal(cup, AnnulGame, **{**annul, "why": ""}) == (WrongValue, "tournament/cause")
    assert refusal(cup, AnnulGame, **{**annul, "why": "x" * 201}) == (WrongValue, "tournament/cause")
    assert refusal(cup, AnnulGame, **{**annul, "board": 2}) == (Unknown, "tournament/no-game")
    cup.when(EndTournament, SYSTEM, reason="played")
    assert cup.when(AnnulGame, **annul) == [GameAnnulled(1, 1, 1, "a cheat")]
    assert refusal(cup, AnnulGame, **annul) == (WrongTime, "tournament/not-decided")


# --------------------------------------------------------------------------------------------------------------- end


def test_the_server_ends_it_when_all_games_are_decided():
    cup = playing()
    assert refusal(cup, EndTournament, SYSTEM, reason="played") == (WrongTime, "tournament/round")
    cup.decide_all(by_number)
    assert refusal(cup, EndTournament, reason="played") == (WrongPerson, "tournament/not-yours")
    assert cup.when(EndTournament, SYSTEM, reason="played") == [TournamentEnded("played")]
    assert refusal(cup, EndTournament, SYSTEM, reason="played") == (WrongTime, "tournament/status")


def test_the_organiser_calls_it_off_before_its_end():
    cup = playing()
    assert refusal(cup, AbortTournament, ANN, cause="rain") == (WrongPerson, "tournament/not-yours")
    assert refusal(cup, AbortTournament, cause="") == (WrongValue, "tournament/cause")
    assert cup.when(AbortTournament, cause="rain") == [TournamentAborted("rain")]
    assert (cup.state.status, cup.state.ended) == ("aborted", "rain")


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
    cup = playing()
    cup.when(AbortTournament, cause="rain")
    assert refusal(cup, command, actor, **fields) == (WrongTime, "tournament/status")
