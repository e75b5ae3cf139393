"""Built-in bots over a real store: the relay finds the matches that wait for them, and the job plays on, once."""

from dataclasses import replace
from secrets import token_hex

import pytest
from redis import Redis
from rq import Worker

from plyscribe.domain import match as matches
from plyscribe.domain.bots import MAX_PLAYOUTS, build_bot, choose_move
from plyscribe.domain.codec import parse_event
from plyscribe.domain.commands import AbortMatch, Actor, CreateMatch, MakeMove, OfferDraw, Secret, Withdraw
from plyscribe.domain.decide import play as deciding
from plyscribe.domain.events import Account, BuiltIn
from plyscribe.domain.kinds import MATCH
from plyscribe.domain.waiting import find_bot_due
from plyscribe.service.config import parse_key
from plyscribe.service.queues import play_queue, tournament_queue
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import stream_id
from plyscribe.workers import play_match as job_module
from plyscribe.workers.duties import bots as duty_module
from plyscribe.workers.duties.bots import DUE, GRACE_MS, Bots
from plyscribe.workers.duties.scan import Scan
from plyscribe.workers.effort import CHEAP, estimate_effort
from plyscribe.workers.fair_line import LIGHT, SHARE, TOGETHER
from plyscribe.workers.play_match import play_all, play_matches
from plyscribe.workers.relay import Relay
from plyscribe.workers.verify_match import verify_all
from tests.service.conftest import CONFIG
from tests.workers.given import ANN, BEN, ME, Workplace, new_key, put_forward

RANDOM, GREEDY, SLOW = build_bot("random", 1), build_bot("greedy", 2), build_bot("mcts", 3, MAX_PLAYOUTS)


def game_of(tournament: str) -> dict[str, object]:
    return {"id": f"tournament-{tournament}", "round": 1, "board": 1, "game": 1, "opening": []}


class Rig(Workplace):
    """A store, a relay with this one duty, its queue, and a worker that plays the matches on it."""

    def __init__(self, redis: Redis) -> None:
        super().__init__(redis)
        self.queue, self.of_tournaments = play_queue(redis), tournament_queue(redis)
        self.restart()

    def restart(self) -> None:
        """Start another relay."""
        states = Handler(self.parts.store, MATCH)
        self.duty = Bots(self.parts, self.redis, self.queue, self.of_tournaments, states)
        self.relay = Relay(FeedGroup(self.redis), [Scan(self.parts.store, [self.duty]), self.duty])

    def step(self) -> None:
        self.relay.step(block_ms=0)

    def start(self, *seats: object, actor: Actor = ANN, **more: object) -> str:
        match, key = stream_id("match", new_key()), self.parts.config.server_key
        (dice, secret), (bots, seeds) = key.seal(match), key.seal_seeds(match)
        sealed = {"dice": dice, "bots": bots, "secret": Secret(secret, seeds)}
        self.do(match, CreateMatch, actor, **{"ruleset": "zhen", "seats": seats, **sealed, **more})
        return match

    def move(self, match: str) -> None:
        play = self.read(match).play
        move = next(play.ruleset.legal_moves(play.state))
        self.do(match, MakeMove, move=play.ruleset.format_move(play.state, move))

    def jobs(self) -> list[str]:
        return self.queue.job_ids

    def matches_by_job(self) -> list[list[str]]:
        """The matches of each job on the queue, in its order."""
        return [[stream for stream, _ in self.queue.fetch_job(id).args[0]] for id in self.jobs()]

    def work(self) -> int:
        """Relay and play until nothing is left to do, and return the number of jobs."""
        done = 0
        self.step()
        while self.queue.job_ids or self.of_tournaments.job_ids:
            for queue in (self.queue, self.of_tournaments):
                for id in queue.job_ids:
                    job = queue.fetch_job(id)
                    queue.remove(id)
                    play_all(self.parts, job.args[0])
                    done += 1
            self.step()
        return done

    def due(self) -> list[str]:
        return self.list_noted(DUE)


@pytest.fixture
def rig(redis: Redis) -> Rig:
    return Rig(redis)


@pytest.mark.parametrize("ruleset", ["zhen", "toy"])
def test_bots_alone_play_their_match_to_its_end_and_it_is_verified(rig, ruleset):
    match = rig.start(RANDOM, GREEDY, ruleset=ruleset)
    assert rig.work() >= 1
    ended = rig.read(match)
    assert ended.life.status == "ended"
    assert rig.due() == []
    assert verify_all(rig.parts, [(match, ended.version)]) == ["scored"]


def test_a_bot_answers_a_person_and_waits_again(rig):
    match, begun, alone = rig.start(ME, RANDOM), rig.start(GREEDY, ME), rig.start(ME, ME)
    assert rig.work() == 1
    for ply in (2, 4):
        rig.move(match)
        assert rig.work() == 1
        assert rig.read(match).play.ply == ply
        assert find_bot_due(rig.read(match)) is None
    assert [rig.read(each).play.ply for each in (begun, alone)] == [1, 0]
    assert rig.due() == []


def test_a_bot_declines_a_draw_on_its_own_turn_and_on_anothers(rig):
    match = rig.start(ME, RANDOM)
    rig.do(match, OfferDraw)
    assert rig.work() == 1
    assert rig.read(match).play.offer is None
    rig.move(match)
    rig.do(match, OfferDraw)
    rig.work()
    assert rig.read(match).play.ply == 2


def test_a_match_that_waits_for_a_bot_is_noted_and_enqueued_once(rig):
    match = rig.start(RANDOM, ME)
    rig.step()
    rig.step()
    assert (rig.jobs(), rig.due()) == ([f"play_{match}_2"], [match])


def test_matches_of_bots_alone_share_jobs_and_those_with_people_do_not(rig):
    alone = [rig.start(RANDOM, GREEDY) for _ in range(TOGETHER + 1)]
    rig.step()
    assert sorted(map(len, rig.matches_by_job())) == [1, TOGETHER]
    played = [rig.start(RANDOM, ME) for _ in range(2)]
    rig.step()
    assert {f"play_{match}_2" for match in played} < set(rig.jobs())
    rig.work()
    assert {rig.status(match) for match in alone} == {"ended"}


def meanwhile(monkeypatch: pytest.MonkeyPatch, act) -> None:
    """Let something happen while a bot thinks for the first time."""
    choose = job_module.choose_move

    def act_and_choose(*position):
        monkeypatch.setattr(job_module, "choose_move", choose)
        act()
        return choose(*position)

    monkeypatch.setattr(job_module, "choose_move", act_and_choose)


def test_however_many_workers_have_a_job_it_plays_once(rig, monkeypatch):
    match = rig.start(RANDOM, ME)
    meanwhile(monkeypatch, lambda: play_all(rig.new_parts(), [(match, 2)]))
    for parts in (rig.parts, rig.parts, rig.new_parts()):
        play_all(parts, [(match, 2)])
    assert rig.read(match).version == 3


def test_a_player_may_leave_while_a_bot_thinks(rig, monkeypatch):
    match = rig.start(RANDOM, ME)
    other = Rig(rig.redis)
    meanwhile(monkeypatch, lambda: other.do(match, Withdraw))
    play_all(rig.parts, [(match, 2)])
    assert (rig.status(match), rig.read(match).play.ply) == ("ended", 0)


def test_a_long_match_takes_several_commands_and_its_moves_are_the_same(rig, monkeypatch):
    moves = []
    for together in (64, 3):
        monkeypatch.setattr(deciding, "MAX_MOVES_A_COMMAND", together)
        match = rig.start(RANDOM, RANDOM)
        jobs = rig.work()
        state = rig.read(match)
        assert jobs >= state.play.ply / together
        moves.append([step.move for step in state.play.steps])
    assert moves[0] == moves[1]


def test_a_match_of_one_with_many_comes_before_their_others(rig):
    many = [rig.start(SLOW, SLOW) for _ in range(6)]
    rig.step()
    [[first]] = rig.matches_by_job()
    assert first in many
    one = rig.start(RANDOM, Account(BEN.id), actor=BEN)
    rig.step()
    assert rig.matches_by_job() == [[first], [one]]


def test_the_matches_of_tournaments_have_a_queue_of_their_own_and_each_tournament_its_turn(rig):
    games = [[rig.start(SLOW, SLOW, tournament=game_of(cup)) for _ in range(3)] for cup in ("x", "y")]
    match = rig.start(SLOW, SLOW)
    rig.step()
    assert rig.matches_by_job() == [[match]]
    first, second = (rig.of_tournaments.fetch_job(id).args[0][0][0] for id in rig.of_tournaments.job_ids)
    assert [sum(each in cup for each in (first, second)) for cup in games] == [1, 1]


def test_slow_bots_show_each_move_soon_and_the_next_match_of_their_owner_follows(rig, monkeypatch):
    monkeypatch.setattr(job_module, "TOGETHER_S", 0.0)
    for _ in range(2):
        rig.start(SLOW, SLOW)
    rig.step()
    [[first]] = rig.matches_by_job()
    rig.queue.empty()
    play_all(rig.parts, [(first, 2)])
    assert rig.read(first).play.ply == 1
    rig.step()
    [[second]] = rig.matches_by_job()
    assert second != first


def test_with_more_workers_an_owner_has_more_work_in_hand(rig):
    for _ in range(3):
        rig.start(SLOW, SLOW)
    for _ in range(2):
        Worker([rig.queue], connection=rig.redis, name=token_hex(4)).register_birth()
    rig.duty.sweep()
    rig.step()
    assert len(rig.jobs()) == 2


def test_the_sweep_leaves_matches_alone_that_wait_in_line(rig, monkeypatch, caplog):
    for _ in range(3):
        rig.start(SLOW, SLOW)
    rig.step()
    [job] = rig.jobs()
    put_forward(monkeypatch, duty_module, GRACE_MS + 1)
    rig.duty.sweep()
    assert len(rig.due()) == 3
    [said] = [record.getMessage() for record in caplog.records if "no bot has moved" in record.getMessage()]
    assert job.split("_")[1] in said
    assert len(said.split(" ")) == len(f"no bot has moved in time in {job}: enqueued again".split(" "))


def test_a_new_relay_finds_the_matches_that_waited_in_the_line_of_another(rig, monkeypatch):
    matches = {rig.start(SLOW, SLOW) for _ in range(3)}
    rig.step()
    rig.queue.empty()
    rig.restart()
    put_forward(monkeypatch, duty_module, GRACE_MS + 1)
    rig.step()
    rig.duty.sweep()
    found = set()
    for _ in matches:
        [[match]] = rig.matches_by_job()
        found.add(match)
        rig.queue.empty()
        rig.do(match, AbortMatch, cause="enough")
        rig.step()
    assert found == matches


def test_the_sweep_enqueues_a_lost_job_again(rig, monkeypatch):
    match = rig.start(RANDOM, ME)
    rig.step()
    rig.queue.empty()
    rig.duty.sweep()
    assert rig.jobs() == []
    put_forward(monkeypatch, duty_module, GRACE_MS + 1)
    rig.duty.sweep()
    assert rig.jobs() == [f"play_{match}_2"]


def test_a_relay_that_lost_everything_finds_the_matches_that_wait_for_bots(rig):
    match, ended = rig.start(RANDOM, ME), rig.start(RANDOM, ME)
    rig.do(ended, Withdraw)
    rig.step()
    rig.redis.delete(DUE)
    rig.queue.empty()
    rig.restart()
    Scan(rig.parts.store, [rig.duty]).scan()
    assert rig.due() == [match]
    rig.duty.sweep()
    assert rig.jobs() == [f"play_{match}_2"]


def test_the_job_plays_the_matches_it_is_given(rig, monkeypatch):
    match = rig.start(RANDOM, ME)
    monkeypatch.setattr(job_module, "process_parts", lambda: rig.parts)
    play_matches([(match, 2)])
    [entry] = rig.parts.matches.read_events(match, 2)
    assert parse_event(entry).by == "system:play"


def test_bots_with_secret_seeds_play_as_their_revealed_seeds_say(rig):
    match = rig.start(build_bot("random", None), build_bot("greedy", None))
    assert {seat.occupant.seed for seat in rig.read(match).life.seats} == {None}
    rig.work()
    ended = rig.read(match)
    assert ended.life.status == "ended"
    builds = [seat.occupant for seat in ended.life.seats]
    for ply, step in enumerate(ended.play.steps):
        chosen = choose_move(builds[step.seat - 1], ended.play.ruleset, step.state, step.seat, ply)
        assert ended.play.ruleset.format_move(step.state, chosen) == step.move
    assert verify_all(rig.parts, [(match, ended.version)]) == ["scored"]


@pytest.mark.parametrize("tournament", [None, game_of("x")])
def test_without_the_key_a_bot_moves_late_and_nothing_is_lost(rig, tournament):
    match = rig.start(build_bot("random", None), build_bot("greedy", None), tournament=tournament)
    keyless = replace(rig.parts, config=replace(CONFIG, server_key=parse_key("7e" * 32)))
    with pytest.raises(ExceptionGroup) as failed:
        play_all(keyless, [(match, rig.read(match).version)])
    assert [error.code for error in failed.value.exceptions] == ["bot/key-missing"]
    assert (rig.status(match), rig.read(match).play.ply) == ("playing", 0)
    rig.work()
    assert rig.status(match) == "ended"


def test_bots_stop_at_the_bound_of_a_match_and_the_job_then_aborts_it(rig, monkeypatch):
    monkeypatch.setattr(matches, "MAX_EVENTS", 12)
    match = rig.start(RANDOM, GREEDY, ruleset="pathagon", options={"ply_limit": None})
    rig.step()
    play_all(rig.parts, [(match, 2)])
    assert (rig.read(match).version, rig.status(match)) == (12, "playing")
    rig.work()
    life = rig.read(match).life
    assert life.status == "aborted"
    assert life.abort.data.cause == "the match has 12 events, as many as one may have"
    assert rig.due() == []


def test_a_person_has_a_draw_declined_in_a_full_match(rig, monkeypatch):
    match = rig.start(ME, RANDOM)
    monkeypatch.setattr(matches, "MAX_EVENTS", 2)
    rig.do(match, OfferDraw)
    rig.work()
    assert rig.status(match) == "playing"
    assert rig.read(match).play.offer is None


def searching(playouts: int) -> BuiltIn:
    return build_bot("mcts", None, playouts)


@pytest.mark.parametrize(
    ("seats", "effort"),
    [
        ((ME, GREEDY), CHEAP),
        ((ME, searching(300)), 300),
        ((ME, searching(300), searching(500)), 800),
        ((ME, *[searching(1000)] * 5), SHARE),
        ((ME, searching(10_000), searching(10_000)), 10_000),
        ((GREEDY, GREEDY), 100 * CHEAP),
        ((GREEDY, searching(4)), 300),
        ((GREEDY, searching(50)), LIGHT),
        ((GREEDY, searching(10_000)), 10_000),
    ],
)
def test_a_match_costs_what_a_job_does_in_it_until_its_time_is_up_and_one_move_at_least(rig, seats, effort):
    assert estimate_effort(rig.read(rig.start(*seats, ruleset="portals"))) == effort
