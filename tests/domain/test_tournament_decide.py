"""A tournament's commands: what they lead to, and every reason why one is refused."""

import pytest

from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import Unknown, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.events import Account, BuiltIn, Guest, SeatWithdrawn
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.tournament import events
from plyscribe.domain.tournament.commands import (
    AbortTournament,
    AdjudicateGame,
    AnnounceAbsence,
    AnnulGame,
    CreateTournament,
    EndInvitation,
    EndTournament,
    EnterResult,
    ForfeitGame,
    InviteEntrant,
    NoteFailure,
    PairRound,
    RegisterEntrant,
    RetryGame,
    StartTournament,
    WithdrawEntrant,
)
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.domain.tournament.state import Tournament
from tests.domain.given import ANN, BEN
from tests.domain.given_tournament import BOT, ORGANISER, STREAM, SYSTEM, GivenTournament, by_number, refusal
from tests.domain.test_names import ZALGO

TERMS = {"name": "Cup", "ruleset": "toy", "format": {"kind": "swiss"}, "seed": 1}
RESULT = {"round": 1, "board": 1, "game": 1, "match": "match-1"}


def created(**terms):
    return GivenTournament(**terms).state.terms


def playing(entrants=2, **terms):
    """A tournament with its first round paired: 1 meets 2."""
    return GivenTournament(entrants, **terms).begun([(1, 2)], byes=range(3, entrants + 1))


# ------------------------------------------------------------------------------------------------------------ create


def test_a_tournament_is_created_with_complete_terms():
    assert created() == events.TournamentCreated(
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


def test_tournaments_are_created_once_before_any_other_command():
    assert refusal(GivenTournament(), CreateTournament, **TERMS) == (WrongTime, "tournament/exists")
    with pytest.raises(Unknown) as refused:
        TOURNAMENT.decide(StartTournament(actor=ORGANISER), Tournament(STREAM))
    assert refused.value.code == "tournament/unknown"


@pytest.mark.parametrize(
    ("terms", "code"),
    [
        ({"name": ""}, "tournament/name"),
        ({"name": "x" * 101}, "tournament/name"),
        ({"name": "a\nb"}, "tournament/name"),
        ({"name": ZALGO}, "tournament/name"),
        ({"max_entrants": 1}, "tournament/entrants"),
        ({"max_entrants": 1025}, "tournament/entrants"),
        ({"ruleset": "pathagon", "openings": ((),)}, "tournament/openings"),
        ({"ruleset": "pathagon", "openings": (("nowhere",),)}, "tournament/openings"),
        ({"openings": (("1",),)}, "tournament/openings"),
        ({"ruleset": "pathagon", "openings": (("a1",),) * 1001}, "tournament/openings"),
        ({"format": {"kind": "tower"}}, "tournament/format"),
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


# ------------------------------------------------------------------------------------------------------------- enter


def test_the_organiser_enters_bots_under_the_next_number_and_players_themselves_where_it_is_open():
    tournament = GivenTournament(1, is_open=True)
    assert tournament.when(RegisterEntrant, occupant=BOT, label="B") == [events.EntrantRegistered(2, BOT, "B")]
    entered = [events.EntrantRegistered(3, Account(ANN.id), None)]
    assert tournament.when(RegisterEntrant, ANN, occupant=Account(ANN.id)) == entered


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
    assert tournament.when(WithdrawEntrant, ANN, entrant=1) == [events.EntrantWithdrawn(1, "entrant")]
    assert tournament.when(WithdrawEntrant, entrant=2) == [events.EntrantWithdrawn(2, "organiser")]


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
    assert tournament.when(AnnounceAbsence, entrant=1, round=2) == [events.EntrantAbsent(1, 2)]
    assert refusal(tournament, AnnounceAbsence, entrant=1, round=2) == (WrongTime, "entrant/absence")
    assert refusal(tournament, AnnounceAbsence, entrant=1, round=1) == (WrongTime, "entrant/absence")


@pytest.mark.parametrize(
    ("terms", "entrants", "last"),
    [
        ({"format": {"kind": "swiss", "rounds": 4}}, 2, 4),
        ({"format": {"kind": "round-robin"}}, 4, 3),
        ({"format": {"kind": "round-robin", "cycles": 2}}, 5, 10),
        ({"format": {"kind": "round-robin", "cycles": 1000}}, 2, 100),  # a hundred rounds ahead at most
        ({"format": {"kind": "round-robin"}, "seats": 3}, 9, 4),
        ({"format": {"kind": "gauntlet", "cycles": 2}}, 4, 6),
        ({"format": {"kind": "knockout"}}, 5, 3),
        ({"format": {"kind": "knockout", "lives": 2}}, 2, 3),
        ({"format": {"kind": "round-robin"}, "max_entrants": 5}, 2, 5),  # before the start
    ],
)
def test_an_absence_from_a_round_that_cannot_come_is_refused(terms, entrants, last):
    tournament = GivenTournament(entrants, **terms)
    if "max_entrants" not in terms:
        tournament.start()
    assert tournament.when(AnnounceAbsence, entrant=1, round=last) == [events.EntrantAbsent(1, last)]
    for round in (last + 1, 0, -1):
        assert refusal(tournament, AnnounceAbsence, entrant=2, round=round) == (WrongTime, "entrant/absence")


# ------------------------------------------------------------------------------------------------------------ invite


def invited(**terms):
    """A tournament in which only Ann is invited."""
    tournament = GivenTournament(**terms)
    assert tournament.when(InviteEntrant, player=ANN.id, label="Annie") == [events.EntrantInvited(ANN.id, "Annie")]
    return tournament


@pytest.mark.parametrize(("label", "entered"), [({}, "Annie"), ({"label": "Ann"}, "Ann")])
def test_an_invited_player_enters_a_closed_tournament_by_its_own_consent(label, entered):
    tournament = invited()
    assert tournament.state.entrants == ()
    assert refusal(tournament, RegisterEntrant, BEN, occupant=Account(BEN.id)) == (WrongPerson, "entrant/closed")
    assert refusal(tournament, RegisterEntrant, occupant=Account(ANN.id)) == (WrongPerson, "entrant/not-yours")
    event = events.EntrantRegistered(1, Account(ANN.id), entered)
    assert tournament.when(RegisterEntrant, ANN, occupant=Account(ANN.id), **label) == [event]
    assert tournament.state.invitations == ()


def test_an_invitation_is_declined_or_withdrawn_and_then_gives_no_right():
    for actor, cause in ((ANN, "declined"), (ORGANISER, "withdrawn")):
        tournament = invited()
        assert refusal(tournament, EndInvitation, BEN, player=ANN.id) == (WrongPerson, "entrant/not-yours")
        assert tournament.when(EndInvitation, actor, player=ANN.id) == [events.InvitationEnded(ANN.id, cause)]
        assert refusal(tournament, EndInvitation, actor, player=ANN.id) == (Unknown, "entrant/no-invitation")
        assert refusal(tournament, RegisterEntrant, ANN, occupant=Account(ANN.id)) == (WrongPerson, "entrant/closed")


def test_who_may_not_be_invited_is_refused():
    tournament = invited(max_entrants=2)
    assert refusal(tournament, InviteEntrant, ANN, player=BEN.id) == (WrongPerson, "tournament/not-yours")
    assert refusal(tournament, InviteEntrant, player=ANN.id) == (WrongTime, "entrant/invited")
    assert refusal(tournament, InviteEntrant, player=BEN.id, label="") == (WrongValue, "entrant/label")
    tournament.when(InviteEntrant, player=BEN.id)
    assert refusal(tournament, InviteEntrant, player="player-c") == (WrongTime, "entrant/invitations")
    tournament.when(RegisterEntrant, ANN, occupant=Account(ANN.id))
    assert refusal(tournament, InviteEntrant, player=ANN.id) == (WrongTime, "entrant/entered")
    tournament.enter()
    assert refusal(tournament, InviteEntrant, player="player-c") == (WrongTime, "entrant/full")
    assert refusal(tournament, RegisterEntrant, BEN, occupant=Account(BEN.id)) == (WrongTime, "entrant/full")
    begun = playing(format={"kind": "knockout"})
    assert refusal(begun, InviteEntrant, player=ANN.id) == (WrongTime, "tournament/status")


# ----------------------------------------------------------------------------------------------------------- rulings

PLACE = {"round": 1, "board": 1, "game": 1, "why": "the hall burnt down"}


def with_ann():
    """Ann and a bot on the only board of round 1."""
    tournament = GivenTournament(is_open=True)
    tournament.when(RegisterEntrant, ANN, occupant=Account(ANN.id))
    tournament.enter()
    tournament.start()
    tournament.pair([(1, 2)])
    return tournament


def test_a_game_that_is_given_up_is_tried_again_as_often():
    tournament = playing()
    assert refusal(tournament, RetryGame, **PLACE) == (WrongTime, "tournament/not-given-up")
    tournament.give_up(1, 1)
    assert refusal(tournament, RetryGame, ANN, **PLACE) == (WrongPerson, "tournament/not-yours")
    assert tournament.when(RetryGame, **PLACE) == [events.GameRetried(1, 1, 1, PLACE["why"])]
    [[game]] = tournament.state.rounds[0].games
    assert (game.is_given_up, len(game.failed)) == (False, 5)
    tournament.give_up(1, 1)
    [[game]] = tournament.state.rounds[0].games
    assert (game.is_given_up, len(game.failed)) == (True, 10)
    tournament.retry(1, 1)
    tournament.decide(1, 1, 1, 2)
    assert refusal(tournament, RetryGame, **PLACE) == (WrongTime, "tournament/not-given-up")


@pytest.mark.parametrize("is_given_up", [True, False])
def test_an_undecided_game_is_adjudicated_and_the_tournament_goes_on(is_given_up):
    tournament = playing()
    if is_given_up:
        tournament.give_up(1, 1)
    assert tournament.when(AdjudicateGame, **PLACE, ranks=(1, 1)) == [
        events.GameAdjudicated(1, 1, 1, (1, 1), PLACE["why"])
    ]
    [[game]] = tournament.state.rounds[0].games
    assert (game.ranks, game.reason, game.why, game.match) == ((1, 1), "adjudicated", PLACE["why"], None)
    assert not game.is_given_up
    assert tournament.state.rounds[0].is_decided
    late = {**RESULT, "ranks": (1, 2), "reason": "played", "made_at": 7}
    assert refusal(tournament, EnterResult, SYSTEM, **late) == (WrongTime, "tournament/decided")
    assert refusal(tournament, AdjudicateGame, **PLACE, ranks=(1, 2)) == (WrongTime, "tournament/decided")
    assert refusal(tournament, ForfeitGame, **PLACE, entrants=(1,)) == (WrongTime, "tournament/decided")
    tournament.annul(1, 1)


@pytest.mark.parametrize("ranks", [(), (1,), (2, 2), (1, 3), (0, 1), (2, 3), (1, 2, 3), (-1, 1)])
def test_ranks_that_no_game_ends_with_are_refused(ranks):
    assert refusal(playing(), AdjudicateGame, **PLACE, ranks=ranks) == (WrongValue, "tournament/ranks")


def test_a_game_is_forfeited_by_some_or_all_of_its_entrants():
    for losers, ranks in (((2,), (1, 2)), ((2, 1), (2, 2))):
        tournament = playing()
        forfeited = events.GameForfeited(1, 1, 1, tuple(sorted(losers)), PLACE["why"])
        assert tournament.when(ForfeitGame, **PLACE, entrants=losers) == [forfeited]
        [[game]] = tournament.state.rounds[0].games
        assert (game.ranks, game.reason, game.forfeited) == (ranks, "forfeited", tuple(sorted(losers)))


@pytest.mark.parametrize("losers", [(), (3,), (1, 1), (1, 3)])
def test_only_entrants_on_the_board_forfeit(losers):
    assert refusal(playing(3), ForfeitGame, **PLACE, entrants=losers) == (WrongValue, "tournament/forfeit")


@pytest.mark.parametrize(
    ("command", "more"), [(RetryGame, {}), (AdjudicateGame, {"ranks": (1, 2)}), (ForfeitGame, {"entrants": (1,)})]
)
def test_a_ruling_needs_the_organiser_a_reason_and_a_game_of_a_tournament_under_way(command, more):
    tournament = playing()
    assert refusal(tournament, command, ANN, **PLACE, **more) == (WrongPerson, "tournament/not-yours")
    assert refusal(tournament, command, **{**PLACE, "why": ""}, **more) == (WrongValue, "tournament/cause")
    assert refusal(tournament, command, **{**PLACE, "board": 2}, **more) == (Unknown, "tournament/no-game")
    tournament.when(AbortTournament, cause="rain")
    assert refusal(tournament, command, **PLACE, **more) == (WrongTime, "tournament/status")


def test_nobody_rules_on_a_game_that_they_sit_in():
    organising_ann = Actor("organiser", ANN.id)
    tournament = with_ann()
    own_game = (WrongPerson, "tournament/own-game")
    tournament.give_up(1, 1)
    assert refusal(tournament, RetryGame, organising_ann, **PLACE) == own_game
    assert refusal(tournament, AdjudicateGame, organising_ann, **PLACE, ranks=(1, 2)) == own_game
    assert refusal(tournament, ForfeitGame, organising_ann, **PLACE, entrants=(2,)) == own_game
    assert refusal(tournament, WithdrawEntrant, organising_ann, entrant=2) == own_game
    tournament.decide(1, 1, 2, 1)
    assert refusal(tournament, AnnulGame, organising_ann, **PLACE) == own_game
    assert tournament.when(AnnulGame, **PLACE) == [events.GameAnnulled(1, 1, 1, PLACE["why"])]
    # Their game is over.
    assert tournament.when(WithdrawEntrant, organising_ann, entrant=2) == [events.EntrantWithdrawn(2, "organiser")]


def test_only_the_organiser_disqualifies_and_says_why_and_who_withdraws_acts_alone():
    tournament = with_ann()
    own = {"entrant": 1, "disqualified": True, "why": "a cheat"}
    assert refusal(tournament, WithdrawEntrant, ANN, **own) == (WrongPerson, "tournament/not-yours")
    assert refusal(tournament, WithdrawEntrant, **{**own, "why": None}) == (WrongValue, "tournament/cause")
    assert tournament.when(WithdrawEntrant, **own) == [events.EntrantWithdrawn(1, "disqualified", "a cheat")]
    assert tournament.state.entrants[0].is_disqualified


def test_the_acts_of_organisers_are_listed_with_who_when_and_why():
    tournament = GivenTournament(5).begun([(1, 2), (3, 4)], byes=[5])
    tournament.give_up(1, 1)
    tournament.retry(1, 1)
    tournament.adjudicate(1, 1, 1, 2)
    tournament.forfeit(1, 2, 3)
    tournament.annul(1, 2)
    tournament.leave(4)
    tournament.when(WithdrawEntrant, entrant=5, disqualified=True, why="a cheat")
    tournament.when(AbortTournament, cause="rain")
    assert [(act.what, act.place, act.entrant) for act in tournament.state.acts] == [
        ("game-retried", (1, 1, 1), None),
        ("game-adjudicated", (1, 1, 1), None),
        ("game-forfeited", (1, 2, 1), None),
        ("game-annulled", (1, 2, 1), None),
        ("entrant-withdrawn", None, 4),
        ("entrant-disqualified", None, 5),
        ("tournament-aborted", None, None),
    ]
    assert {act.by for act in tournament.state.acts} == {ORGANISER.id}
    assert [act.why for act in tournament.state.acts[-3:]] == [None, "a cheat", "rain"]
    assert tournament.state.acts[-1].at == 1000 + len(tournament.entries)


def test_an_entrant_who_withdraws_is_no_act_of_the_organiser():
    tournament = with_ann()
    tournament.when(WithdrawEntrant, ANN, entrant=1)
    assert tournament.state.acts == ()


# ------------------------------------------------------------------------------------------------------------- start


def test_it_starts_when_a_match_can_be_played():
    tournament = GivenTournament(2, seats=3)
    assert refusal(tournament, StartTournament) == (WrongTime, "tournament/too-few")
    assert refusal(tournament, StartTournament, ANN) == (WrongPerson, "tournament/not-yours")
    tournament.enter()
    assert tournament.when(StartTournament) == [events.TournamentStarted()]
    assert refusal(tournament, StartTournament) == (WrongTime, "tournament/status")


def test_a_sequential_test_of_three_seats_starts_with_three_who_entered():
    terms = {"sprt": {"elo0": 0, "elo1": 5}, "seats": 3, "repeat": "rotations"}
    assert refusal(GivenTournament(4, **terms), StartTournament) == (WrongTime, "tournament/too-many")
    assert GivenTournament(3, **terms).when(StartTournament) == [events.TournamentStarted()]


@pytest.mark.parametrize("entrants", [3, 4])
def test_a_sequential_test_starts_with_two_who_entered(entrants):
    tournament = GivenTournament(entrants, sprt={"elo0": 0, "elo1": 5})
    tournament.leave(1)
    assert refusal(tournament, StartTournament) == (WrongTime, "tournament/too-many")
    tournament = GivenTournament(2, sprt={"elo0": 0, "elo1": 5})
    assert tournament.state.terms.sprt == {"elo0": 0, "elo1": 5, "alpha": "0.05", "beta": "0.05"}
    assert tournament.when(StartTournament) == [events.TournamentStarted()]


# -------------------------------------------------------------------------------------------------------------- pair


def pairing(boards, byes=(), round=1):
    return {"round": round, "boards": boards, "byes": byes, "costs": {}, "engine": "by hand"}


def test_a_round_is_paired_with_who_sits_it_out_and_may_have_no_board():
    tournament = GivenTournament(4)
    tournament.sit_out(4, 1)
    tournament.start()
    assert tournament.when(PairRound, SYSTEM, **pairing(((2, 1),), (3,))) == [
        events.RoundPaired(1, ((2, 1),), (3,), (4,), {}, "by hand")
    ]
    tournament = GivenTournament(3).begun()
    tournament.when(PairRound, SYSTEM, **pairing((), (1, 2)))
    assert tournament.state.rounds[0].is_decided


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
    entered = events.GameDecided(1, 1, 1, "match-1", (2, 1), "withdrawal", 7, left)
    assert tournament.when(EnterResult, SYSTEM, **decided) == [entered]
    assert refusal(tournament, EnterResult, SYSTEM, **decided) == (WrongTime, "tournament/decided")


def test_a_match_that_failed_is_noted_once_and_while_the_game_is_open():
    tournament = playing()
    failure = {**RESULT, "cause": "refuted", "why": "x" * 300, "made_at": 7}
    assert refusal(tournament, NoteFailure, **failure) == (WrongPerson, "tournament/not-yours")
    assert tournament.when(NoteFailure, SYSTEM, **failure) == [
        events.AttemptFailed(1, 1, 1, "match-1", "refuted", "x" * 200, 7)
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
    assert tournament.when(AnnulGame, **annul) == [events.GameAnnulled(1, 1, 1, "a cheat")]
    assert refusal(tournament, AnnulGame, **annul) == (WrongTime, "tournament/not-decided")


# --------------------------------------------------------------------------------------------------------------- end


def test_the_organiser_calls_a_tournament_off_and_the_server_ends_it_when_all_games_are_decided():
    tournament = playing()
    assert refusal(tournament, EndTournament, SYSTEM, reason="played") == (WrongTime, "tournament/round")
    tournament.decide_all(by_number)
    assert refusal(tournament, EndTournament, reason="played") == (WrongPerson, "tournament/not-yours")
    assert tournament.when(EndTournament, SYSTEM, reason="played") == [events.TournamentEnded("played")]
    assert refusal(tournament, EndTournament, SYSTEM, reason="played") == (WrongTime, "tournament/status")
    tournament = playing()
    assert refusal(tournament, AbortTournament, ANN, cause="rain") == (WrongPerson, "tournament/not-yours")
    assert refusal(tournament, AbortTournament, cause="") == (WrongValue, "tournament/cause")
    assert tournament.when(AbortTournament, cause="rain") == [events.TournamentAborted("rain")]
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
