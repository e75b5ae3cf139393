"""Arbiters: who names them, what they may do, and what only the organiser may."""

import pytest

from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import Unknown, WrongPerson, WrongTime
from plyscribe.domain.tournament import commands
from plyscribe.domain.tournament.authority import MAX_ARBITERS
from plyscribe.domain.tournament.events import ArbiterDismissed, ArbiterNamed
from tests.domain.given import ANN, BEN
from tests.domain.given_tournament import ORGANISER, GivenTournament, refusal

WHY = {"why": "never came"}
GAME = {"round": 1, "board": 1, "game": 1}


def test_the_organiser_names_and_dismisses_arbiters():
    tournament = GivenTournament()
    assert tournament.when(commands.NameArbiter, player=ANN.id) == [ArbiterNamed(ANN.id)]
    assert tournament.state.arbiters == (ANN.id,)
    assert tournament.when(commands.DismissArbiter, player=ANN.id) == [ArbiterDismissed(ANN.id)]
    assert tournament.state.arbiters == ()
    assert [(act.what, act.by, act.player) for act in tournament.state.acts] == [
        ("arbiter-named", ORGANISER.id, ANN.id),
        ("arbiter-dismissed", ORGANISER.id, ANN.id),
    ]


def test_an_arbiter_names_nobody_but_may_resign():
    tournament = GivenTournament()
    ann = tournament.name_arbiter(ANN)
    assert refusal(tournament, commands.NameArbiter, ann, player=BEN.id) == (WrongPerson, "tournament/not-yours")
    tournament.name_arbiter(BEN)
    assert refusal(tournament, commands.DismissArbiter, ann, player=BEN.id) == (WrongPerson, "tournament/not-yours")
    assert tournament.when(commands.DismissArbiter, ann, player=ANN.id) == [ArbiterDismissed(ANN.id)]


def test_an_arbiter_is_named_once_is_not_the_organiser_and_one_of_so_many():
    tournament = GivenTournament()
    tournament.name_arbiter(ANN)
    assert refusal(tournament, commands.NameArbiter, player=ANN.id) == (WrongTime, "arbiter/named")
    assert refusal(tournament, commands.NameArbiter, player=ORGANISER.id) == (WrongTime, "arbiter/organiser")
    assert refusal(tournament, commands.DismissArbiter, player=BEN.id) == (Unknown, "arbiter/unknown")
    tournament = GivenTournament()
    for number in range(MAX_ARBITERS):
        tournament.when(commands.NameArbiter, player=f"player-{number}")
    assert refusal(tournament, commands.NameArbiter, player=ANN.id) == (WrongTime, "arbiter/many")


def test_an_arbiter_rules_and_each_ruling_names_the_arbiter():
    tournament = GivenTournament(4)
    ann = tournament.name_arbiter(ANN)
    tournament.when(commands.StartTournament, ann)
    tournament.pair([(1, 2), (3, 4)])
    tournament.when(commands.ForfeitGame, ann, **GAME, entrants=(2,), **WHY)
    act = tournament.state.acts[-1]
    assert (act.by, act.what, act.why, act.place) == (ANN.id, "game-forfeited", "never came", (1, 1, 1))


@pytest.mark.parametrize("command", [commands.AnnulGame, commands.ForfeitGame])
def test_an_arbiter_never_rules_on_a_board_that_they_sit_at(command):
    tournament = GivenTournament(1)
    tournament.when(commands.NameArbiter, player=ANN.id)
    tournament.enter_account(Actor("organiser", ANN.id))
    tournament.start()
    tournament.pair([(1, 2)])
    more = {"entrants": (1,)} if command is commands.ForfeitGame else {}
    if command is commands.AnnulGame:
        tournament.decide(1, 1, 1, 2)
    refused = refusal(tournament, command, Actor("arbiter", ANN.id), **GAME, **WHY, **more)
    assert refused == (WrongPerson, "tournament/own-game")


def test_an_arbiter_enters_no_result_at_the_table_that_they_sit_at():
    tournament = GivenTournament(at_table=True)
    tournament.enter_guest("Ida")
    tournament.when(commands.NameArbiter, player=ANN.id)
    tournament.enter_account(Actor("organiser", ANN.id))
    tournament.start()
    tournament.pair([(1, 2)])
    refused = refusal(tournament, commands.ReportResult, Actor("arbiter", ANN.id), **GAME, ranks=(1, 2))
    assert refused == (WrongPerson, "tournament/own-game")


def test_only_the_organiser_calls_the_tournament_off_and_an_arbiter_who_was_dismissed_rules_no_more():
    tournament = GivenTournament(2)
    ann = tournament.name_arbiter(ANN)
    tournament.start()
    assert refusal(tournament, commands.AbortTournament, ann, cause="rain") == (WrongPerson, "tournament/not-yours")
    tournament.when(commands.DismissArbiter, player=ANN.id)
    assert refusal(tournament, commands.PauseTournament, ann, **WHY) == (WrongPerson, "tournament/not-yours")
