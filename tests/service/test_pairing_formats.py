"""Every format reaches its end, whoever leaves, sits out, comes late or has a game annulled."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plyscribe.domain.tournament.schedule import bound_rounds, count_defeats
from plyscribe.domain.tournament.standings import rank_entrants
from plyscribe.service.tournaments.entrant_ratings import rate_entrants
from plyscribe.service.tournaments.pairing import pair_next
from tests.domain.given_tournament import GivenTournament, by_chance

FORMATS = [
    ({"kind": "round-robin", "cycles": 2}, 2),
    ({"kind": "round-robin", "cycles": 2}, 3),
    ({"kind": "swiss", "rounds": 6}, 2),
    ({"kind": "swiss", "rounds": 6}, 4),
    ({"kind": "knockout", "lives": 1}, 2),
    ({"kind": "knockout", "lives": 2}, 2),
    ({"kind": "gauntlet", "cycles": 2}, 2),
    ({"kind": "pyramid", "cycles": 1}, 2),
    ({"kind": "groups", "size": 5}, 2),
    ({"kind": "groups", "groups": 2, "cycles": 2, "advance": 1}, 2),
]

happenings = st.lists(
    st.tuples(st.sampled_from(["leave", "sit out", "enter", "annul"]), st.integers(0, 99)), max_size=8
)


def happen(tournament, what, number):
    """Carry out a request that may come at any time, if it is allowed now."""
    state = tournament.state
    present = state.list_present(len(state.rounds) + 1)
    games = [game for game in state.games() if game.counts]
    if what == "leave" and present:
        tournament.leave(present[number % len(present)])
    elif what == "sit out" and present and len(state.rounds) < (bound_rounds(state) or 1):
        tournament.sit_out(present[number % len(present)], len(state.rounds) + 1)
    elif what == "enter" and state.takes_entrants:
        tournament.enter()
    elif what == "annul" and games:
        game = games[number % len(games)]
        tournament.annul(game.round, game.board, game.game)


@pytest.mark.parametrize(("format", "seats"), FORMATS)
@given(st.integers(4, 13), st.integers(0, 99), happenings)
@settings(max_examples=25, deadline=None)
def test_a_tournament_comes_to_its_end(format, seats, entrants, seed, happenings):
    tournament = GivenTournament(entrants, format=format, seats=seats, seed=seed)
    tournament.start()
    waiting = list(happenings)
    while (pairing := pair_next(tournament.state)) is not None:
        present = tournament.state.list_present(len(tournament.state.rounds) + 1)
        placed = sorted([each for board in pairing.boards for each in board] + [*pairing.byes])
        assert placed == expect_placed(tournament, present, placed)
        assert pairing.costs["byes"] >= 0
        tournament.pair(pairing.boards, pairing.byes, pairing.costs)
        tournament.decide_all(by_chance(seed))
        for _ in range(2):
            if waiting:
                happen(tournament, *waiting.pop())
        assert len(tournament.state.rounds) <= 60
    assert {each.entrant for each in rank_entrants(tournament.state)} >= set(tournament.state.starters)
    assert len(rate_entrants(tournament.state)) == len(tournament.state.entrants)


def expect_placed(tournament, present, placed):
    """The entrants to pair: all present; in a knockout those with lives left, in a gauntlet two at most."""
    format = tournament.state.terms.format
    if format["kind"] == "gauntlet":
        assert len(placed) <= 2
        return placed
    if format["kind"] in ("pyramid", "groups"):
        # The others wait for their turn, or have met everybody, or are out.
        return [each for each in present if each in placed]
    if format["kind"] == "knockout":
        return [each for each in present if count_defeats(tournament.state)[each] < format["lives"]]
    return present
