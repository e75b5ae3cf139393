"""The dates of leagues are kept: games that were not played in time are decided, once, whatever was interrupted."""

from typing import Any

import pytest

from plyscribe.domain.commands import Withdraw
from plyscribe.domain.tournament import commands
from plyscribe.domain.tournament.due_dates import DAY_MS, find_next_due
from plyscribe.domain.tournament.state import Game, Tournament
from plyscribe.service.clock import now_ms
from plyscribe.service.tournaments import runner as runner_module
from plyscribe.service.tournaments.overdue import LOOK_AGAIN_MS
from plyscribe.workers.duties import overdue_games as duty_module
from plyscribe.workers.duties.deadlines import RESPITE
from plyscribe.workers.duties.overdue_games import DUE_DATES, OverdueGames
from tests.workers.given import BEN
from tests.workers.test_tournaments import A, B, Rig, bots, rig

__all__ = ["rig"]

LEAGUE = {"kind": "league", "round_days": 7}


class Season:
    """A league, and a clock that tests move."""

    def __init__(self, rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rig = rig
        self.late_ms = 0
        self.stream = ""
        self.new_duty()
        for module in (duty_module, runner_module):
            monkeypatch.setattr(module, "now_ms", lambda: now_ms() + self.late_ms)

    def new_duty(self) -> None:
        self.duty = OverdueGames(self.rig.parts, self.rig.redis)

    def begin(self, *occupants: Any, **format: Any) -> None:
        self.stream = self.rig.create(*occupants, format={**LEAGUE, **format})
        self.rig.order(self.stream, commands.StartTournament)
        self.rig.work()
        self.note()

    def note(self) -> None:
        """Tell the duty of all tournaments, as the scan does."""
        [newest] = self.rig.parts.store.newest([self.stream])
        assert newest is not None
        self.duty.find({self.stream: newest})

    @property
    def state(self) -> Tournament:
        return self.rig.find(self.stream)

    @property
    def game(self) -> Game:
        return self.state.rounds[0].games[0][0]

    @property
    def match(self) -> Any:
        return self.rig.read(self.rig.match_of(self.stream, self.game))

    def noted(self) -> list[int]:
        return [int(at) for _, at in self.rig.redis.zrange(DUE_DATES, 0, -1, withscores=True)]

    def pass_days(self, days: int) -> None:
        self.late_ms += days * DAY_MS
        self.duty.watch()
        self.rig.work()


@pytest.fixture
def season(rig, monkeypatch) -> Season:
    return Season(rig, monkeypatch)


@pytest.mark.parametrize("terms", [{}, {"overdue": "both"}])
def test_whoever_the_terms_name_loses_at_the_deadline_once_and_the_match_is_aborted(season, terms):
    season.begin(A, B, **terms)
    match, mover = season.match, season.game.entrants[season.match.turn.seat - 1]
    season.pass_days(6)
    assert season.game.ranks is None
    season.late_ms += DAY_MS
    season.duty.watch()
    season.note()
    other = OverdueGames(season.rig.parts, season.rig.redis)
    other.watch()
    version = season.state.version
    other.watch()
    assert season.state.version == version
    season.rig.work()
    assert (season.game.reason, season.game.forfeited) == ("forfeited", (1, 2) if terms else (mover,))
    assert season.rig.status(match.stream) == "aborted"
    assert (season.state.status, season.noted()) == ("ended", [])


def test_a_relay_that_lost_its_agenda_finds_the_deadlines_again(season):
    season.begin(A, B)
    season.rig.redis.delete(DUE_DATES)
    season.new_duty()
    season.note()
    assert season.noted() == [find_next_due(season.state)]
    season.pass_days(8)
    assert season.game.forfeited


def test_nobody_loses_in_the_respite_after_an_outage(season):
    season.begin(A, B)
    season.rig.redis.set(RESPITE, 1)
    season.pass_days(8)
    assert season.game.ranks is None
    season.rig.redis.delete(RESPITE)
    season.pass_days(0)
    assert season.game.forfeited


def test_nobody_loses_because_a_bot_of_the_server_has_not_moved(season, monkeypatch):
    monkeypatch.setattr("plyscribe.workers.duties.bots.Bots.take", lambda *_: None)
    season.begin(*bots(2))
    season.late_ms = 8 * DAY_MS
    season.duty.watch()
    assert season.game.ranks is None
    assert season.noted()[0] >= now_ms() + season.late_ms
    assert season.noted()[0] <= now_ms() + season.late_ms + LOOK_AGAIN_MS


def test_more_time_moves_the_deadline_and_no_deadline_passes_during_a_pause(season):
    season.begin(A, B)
    season.rig.order(season.stream, commands.ExtendDeadline, round=1, days=3, why="a holiday")
    season.note()
    season.pass_days(8)
    assert season.game.ranks is None
    season.rig.order(season.stream, commands.PauseTournament, why="the server moves")
    season.note()
    assert season.noted() == []
    season.pass_days(3)
    assert season.game.ranks is None
    season.rig.order(season.stream, commands.ResumeTournament)
    season.note()
    season.pass_days(30)
    assert season.game.forfeited


def test_a_round_begins_at_its_date_even_if_the_one_before_is_open(season):
    players = [A, B, *bots(2)]
    season.begin(*players, next_round="date", overdue="both")
    season.rig.order(season.stream, commands.ExtendDeadline, round=1, days=30, why="a holiday")
    season.rig.parts.tournaments.advance(season.stream)
    assert len(season.state.rounds) == 1
    season.late_ms = 7 * DAY_MS + 1000
    season.rig.parts.tournaments.advance(season.stream)
    assert len(season.state.rounds) == 2
    assert not season.state.rounds[0].is_decided


def given_ladder(season: Season, **format: Any) -> None:
    """A ladder with a challenge of Ben's under way, against Ann above him."""
    season.stream = season.rig.create(A, B, format={"kind": "ladder", **format})
    season.rig.order(season.stream, commands.StartTournament)
    season.rig.do(season.stream, commands.ChallengeEntrant, BEN, opponent=1)
    season.rig.work()
    season.note()


def test_a_challenge_is_played_at_once_and_moves_the_rungs(season):
    given_ladder(season)
    match = season.match
    assert match.life.status == "playing"
    seat = season.game.entrants.index(1) + 1
    season.rig.do(match.stream, Withdraw, seat=seat, cause="resigned")
    season.rig.work()
    assert season.state.rungs == (2, 1)
    assert season.state.status == "playing"


def test_a_challenge_that_is_not_played_is_decided_by_the_rule(season):
    given_ladder(season, overdue="challenged")
    season.pass_days(7)
    assert season.game.forfeited == (1,)
    assert season.state.rungs == (2, 1)
    assert season.match.life.status == "aborted"


def test_a_ladder_ends_after_its_weeks_or_when_it_is_closed_once_all_challenges_are_decided(season):
    given_ladder(season, weeks=1, days=10)
    season.pass_days(8)
    season.rig.parts.tournaments.advance(season.stream)
    assert season.state.status == "playing"
    season.pass_days(3)
    assert season.state.status == "ended"
    given_ladder(season)
    season.pass_days(7)
    season.rig.order(season.stream, commands.CloseTournament, why="the season is over")
    season.rig.work()
    assert (season.state.status, season.state.ended) == ("ended", "closed")


def test_an_early_league_of_bots_runs_to_its_end(season):
    season.begin(*bots(4), next_round="early")
    assert (season.state.status, len(season.state.rounds), season.noted()) == ("ended", 3, [])
