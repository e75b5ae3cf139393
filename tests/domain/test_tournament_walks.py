"""Random walks: whatever organisers, arbiters, players and tables do in any order, a tournament stays whole."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from random import Random
from typing import Any

from plyscribe.domain.commands import Actor, Command
from plyscribe.domain.errors import DomainError, WrongTime
from plyscribe.domain.events import Account, Guest
from plyscribe.domain.tournament import commands
from plyscribe.domain.tournament.attempts import count_all_faults, list_all_attempts
from plyscribe.domain.tournament.crosstable import list_crosstable
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.domain.tournament.due_dates import DAY_MS, is_begun, list_due
from plyscribe.domain.tournament.points import total_points
from plyscribe.domain.tournament.reasons import WORDS, explain_rounds
from plyscribe.domain.tournament.rounds import BRACKETED
from plyscribe.domain.tournament.seeding import number_by_seed
from plyscribe.domain.tournament.standings import rank_entrants
from plyscribe.domain.tournament.state import Tournament
from plyscribe.domain.tournament.tables import dump_table
from plyscribe.domain.tournament.team_standings import rank_teams
from plyscribe.domain.tournament.teams import is_of_teams, list_team_matches, list_teams
from plyscribe.domain.tournament.terms import WITH_DEADLINES
from plyscribe.service.tournaments.pairing import pair_next
from plyscribe.service.tournaments.pairing_check import check_pairing
from tests.domain.given_tournament import ORGANISER, STREAM, SYSTEM, GivenTournament

PLAYERS = [Actor("player", "player-" + letter * 26) for letter in "abcd"]
FORMATS: tuple[dict[str, Any], ...] = (
    {"kind": "swiss", "rounds": 6},
    {"kind": "round-robin"},
    {"kind": "knockout", "lives": 2},
    {"kind": "gauntlet", "cycles": 2},
    {"kind": "pyramid", "cycles": 2},
    {"kind": "groups", "groups": 2, "advance": 2},
    {"kind": "league", "round_days": 1, "next_round": "date"},
    {"kind": "ladder", "days": 1, "cooldown_days": 1},
    {"kind": "scheveningen", "cycles": 2},
    {"kind": "team-round-robin", "boards": 2, "cycles": 3},
    {"kind": "team-swiss", "boards": 2, "rounds": 6},
)
WALKS = 16
"""Of each format."""

STEPS = 100


def steps_on(state: Tournament, rng: Random) -> Iterator[tuple[type[Command], Actor, dict[str, Any]]]:
    """Commands that somebody might give now, sensible or not."""
    arbiters = [Actor("arbiter", each) for each in state.arbiters]
    actor = rng.choice([ORGANISER, *arbiters, *PLAYERS])
    player, entrant = rng.choice(PLAYERS), rng.randint(1, max(1, len(state.entrants)))
    round, why = len(state.rounds) + rng.randint(0, 1), {"why": "as the walk will have it"}
    place = {"round": max(1, len(state.rounds) - rng.randint(0, 1)), "board": rng.randint(1, 4), "game": 1}
    table = Actor("table", f"{place['round']}-{place['board']}-{rng.randint(0, 2)}")
    ranks = rng.choice([(1, 2), (2, 1), (1, 1)])
    result = rng.choice([{"ranks": ranks}, {"forfeited": (entrant,)}])
    guest = Guest(f"Guest {rng.randint(1, 9)}")
    yield commands.RegisterEntrant, actor, {"occupant": guest, "rating": rng.choice([None, 1500])}
    yield commands.RegisterEntrant, player, {"occupant": Account(player.id)}
    yield commands.RegisterEntrant, actor, {"occupant": Account(player.id)}
    yield commands.RequestEntry, player, {}
    yield commands.EndRequest, actor, {"player": player.id}
    yield commands.NameArbiter, actor, {"player": player.id}
    yield commands.DismissArbiter, actor, {"player": player.id}
    yield commands.SeedEntrant, actor, {"entrant": entrant, "seed": rng.randint(1, 9)}
    team = rng.choice([None, "Reds", "Blues", "reds "])
    yield commands.AssignEntrant, actor, {"entrant": entrant, "team": team, "place": rng.choice([None, 1, 2])}
    yield commands.WithdrawEntrant, actor, {"entrant": entrant, "disqualified": rng.random() < 0.5, **why}
    yield commands.ReturnEntrant, actor, {"entrant": entrant, **why}
    yield commands.AnnounceAbsence, actor, {"entrant": entrant, "round": round, "bye": rng.random() < 0.5}
    yield commands.CancelAbsence, actor, {"entrant": entrant, "round": round}
    yield commands.PauseTournament, actor, why
    yield commands.ResumeTournament, actor, {}
    yield commands.TakeBackRound, actor, {"round": len(state.rounds), **why}
    here = {"round": place["round"], "board": place["board"]}
    yield commands.RevokeTableCodes, actor, {**rng.choice([{}, here]), **why}
    yield commands.AnnulGame, actor, {**place, **why}
    yield commands.AdjudicateGame, actor, {**place, "ranks": ranks, **why}
    yield commands.ForfeitGame, actor, {**place, "entrants": (entrant,), **why}
    yield commands.CorrectGame, actor, {**place, **result, **why}
    yield commands.ReplayGame, actor, {**place, **why}
    board = rng.choice([None, place["board"]])
    yield commands.ExtendDeadline, actor, {"round": place["round"], "board": board, "days": rng.randint(1, 2), **why}
    for _ in range(3):
        other = rng.randint(1, max(1, len(state.entrants)))
        yield commands.ChallengeEntrant, rng.choice(PLAYERS), {"opponent": other}
        yield commands.ChallengeEntrant, ORGANISER, {"opponent": entrant, "entrant": other}
    if rng.random() < 0.05:
        yield commands.CloseTournament, actor, why
    yield commands.CallArbiter, table, {**place, **why}
    yield commands.AnswerCall, actor, {**place, **why}
    yield commands.GivePenalty, actor, {"entrant": entrant, "points": rng.randint(0, 2), **why}
    yield commands.LiftPenalty, actor, {"penalty": rng.randint(1, 3), **why}
    for _ in range(6):
        yield commands.ReportResult, table, {**place, **result}
        yield commands.CallRound, ORGANISER, {"round": len(state.rounds) + 1}
    yield from _pair_by_hand(state, rng)


def _pair_by_hand(state: Tournament, rng: Random) -> Iterator[tuple[type[Command], Actor, dict[str, Any]]]:
    number = len(state.rounds) + 1
    present = state.list_present(number)
    rng.shuffle(present)
    boards = tuple(zip(present[::2], present[1::2], strict=False))
    byes = tuple(present[2 * len(boards) :])
    yield commands.PairByHand, ORGANISER, {"round": number, "boards": boards, "byes": byes, "why": "by lot"}


def go_on(tournament: GivenTournament) -> None:
    """What the server does by itself: pair the next round, end the tournament, or keep its deadlines."""
    tournament.wait(DAY_MS // 4)
    for due in list(list_due(tournament.state)):
        if due.at <= tournament.clock_ms and tournament.state.paused is None:
            place = {"round": due.game.round, "board": due.game.board, "game": due.game.game}
            tournament.when(commands.PassDeadline, SYSTEM, **place, entrants=due.game.entrants)
    state = tournament.state
    if not state.may_pair(len(state.rounds) + 1) or not is_begun(state, tournament.clock_ms):
        return
    pairing = pair_next(state)
    if pairing is None:
        with suppress(WrongTime):
            # In a league, games of earlier rounds may still be open.
            tournament.when(commands.EndTournament, SYSTEM, reason="played")
    else:
        tournament.pair(*pairing)


def require_whole(tournament: GivenTournament) -> None:
    """The state is what its events add up to, and everything that is shown of it can be computed."""
    state = tournament.state
    assert TOURNAMENT.fold(Tournament(STREAM), tournament.entries) == state
    if state.terms.format["kind"] == "ladder" and state.starters:
        assert sorted(state.rungs) == [each.number for each in state.entrants if each.is_in]
        assert [each.entrant for each in rank_entrants(state)][: len(state.rungs)] == list(state.rungs)
    assert sorted(state.list_seeds()) == [each.number for each in state.entrants]
    assert sum(total_points(number_by_seed(state)).values()) == sum(total_points(state).values())
    for round in state.rounds:
        placed = [*(each for board in round.boards for each in board), *round.byes, *round.absent]
        assert len(placed) == len(set(placed))
    ranked = rank_entrants(state)
    assert [each.rank for each in ranked] == sorted(each.rank for each in ranked)
    assert len(list_crosstable(state)) == len(ranked) + 1 == len(dump_table(state)["rows"]) + 1
    places = [attempt.place for attempt in list_all_attempts(state)]
    assert places == sorted(set(places))
    assert count_all_faults(state)["platform"] == 0
    require_reasons(state)
    if is_of_teams(state):
        require_whole_teams(state)


def require_reasons(state: Tournament) -> None:
    """Every board and every bye has reasons in known words."""
    for number, explanation in explain_rounds(state).items():
        round = state.rounds[number - 1]
        assert (len(explanation.boards), len(explanation.byes)) == (len(round.boards), len(round.byes))
        assert all(reasons for reasons in (*explanation.boards, *explanation.byes))
        assert {each.word for reasons in (*explanation.boards, *explanation.byes) for each in reasons} <= WORDS.keys()


def require_whole_teams(state: Tournament) -> None:
    """The teams have the points of their members, and every board belongs to one match of two teams."""
    table, teams = rank_teams(state), list_teams(state)
    assert [each.rank for each in table] == sorted(each.rank for each in table)
    members = [each for team in teams for each in team.members]
    assert sorted(members) == [each.number for each in state.entrants if each.team is not None]
    points = total_points(state)
    sat_out = sum(state.terms.scoring["asked_bye"] * len(round.byes_asked) for round in state.rounds)
    if len(members) == len(state.entrants):
        assert sum(each.board_points for each in table) == sum(points.values()) - sat_out
    for round in state.rounds:
        matches = list_team_matches(state, round, teams)
        assert sorted(board for each in matches for board in each.boards) == list(range(1, len(round.boards) + 1))
        for match in matches:
            sides = {state.entrants[each - 1].team for board in match.boards for each in round.boards[board - 1]}
            assert sides == {teams[each - 1].name for each in match.teams}


def walk(tournament: GivenTournament, rng: Random) -> Counter[str]:
    """Take random steps, and let the server go on now and then; the commands that were accepted."""
    accepted: Counter[str] = Counter()
    for step in range(STEPS):
        for command, actor, fields in rng.sample(found := list(steps_on(tournament.state, rng)), len(found)):
            with suppress(DomainError):
                tournament.when(command, actor, **fields)
                accepted[command.__name__] += 1
                break
        # Soon somebody enters who has no team: then the tournament could not start.
        if step == (1 if is_of_teams(tournament.state) else 12) and tournament.state.status == "open":
            with suppress(DomainError):
                tournament.when(commands.StartTournament)
        if tournament.state.status == "playing" and rng.random() < 0.5:
            go_on(tournament)
        if step % 10 == 0:
            require_whole(tournament)
    require_whole(tournament)
    if tournament.state.terms.format["kind"] in BRACKETED:
        # Nobody pairs these by hand, so anybody can pair all of their rounds again.
        for round in tournament.state.rounds:
            assert check_pairing(STREAM, tournament.entries, round.number).agrees
    return accepted


def test_a_tournament_stays_whole_whatever_is_done() -> None:
    accepted: Counter[str] = Counter()
    for format in FORMATS:
        for seed in range(WALKS):
            rng = Random(f"{format['kind']} {seed}")
            begin = "auto" if format["kind"] in WITH_DEADLINES else rng.choice(["auto", "call"])
            tournament = GivenTournament(at_table=True, format=format, rounds_begin=begin, scoring={"asked_byes": 2})
            teams = is_of_teams(tournament.state)
            for number in range(6):
                tournament.enter_guest(f"Guest {number}", team=["Reds", "Blues"][number % 2] if teams else None)
            accepted += walk(tournament, rng)
    offered = {command.__name__ for command, *_ in steps_on(GivenTournament(1).state, Random(0))}
    assert set(accepted) == offered | {commands.CloseTournament.__name__}
