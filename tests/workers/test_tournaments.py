"""Tournaments go on by themselves: the relay finds what happened; the job pairs, creates matches, enters results."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from redis import Redis

from plyscribe.domain.bots import build_bot
from plyscribe.domain.codec import parse_event
from plyscribe.domain.commands import AbortMatch, Actor, CreateMatch, MakeMove, Withdraw
from plyscribe.domain.errors import WrongTime
from plyscribe.domain.events import Account, BuiltIn, Occupant, SeatWithdrawn, SharedDice
from plyscribe.domain.kinds import MATCH
from plyscribe.domain.match import Match
from plyscribe.domain.rulesets import register
from plyscribe.domain.tournament.attempts import Faults, Incident, count_faults, list_all_attempts
from plyscribe.domain.tournament.commands import (
    AdjudicateGame,
    CreateTournament,
    ForfeitGame,
    PairByHand,
    RegisterEntrant,
    RetryGame,
    StartTournament,
    WithdrawEntrant,
)
from plyscribe.domain.tournament.sprt import judge_entrants
from plyscribe.domain.tournament.state import MAX_ATTEMPTS, Tournament
from plyscribe.service.composition import Parts, compose
from plyscribe.service.processes.embedded import start_server
from plyscribe.service.queues import import_queue, play_queue, tournament_queue, verify_queue
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import Append, Appended, CommandKey
from plyscribe.service.store.redis import RedisStore, connect_client
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import command_of, job_command, stream_id
from plyscribe.workers import play_match as job_module
from plyscribe.workers.duties import tournaments as duty_module
from plyscribe.workers.duties.bots import Bots
from plyscribe.workers.duties.reveals import Reveals
from plyscribe.workers.duties.scan import Scan
from plyscribe.workers.duties.tournaments import DUE, GRACE_MS, Advances
from plyscribe.workers.duties.verification import Verifications
from plyscribe.workers.play_match import play_all
from plyscribe.workers.relay import Relay
from plyscribe.workers.verify_match import verify_all
from tests.domain.toy import TOY_V1
from tests.service.conftest import CONFIG

pytestmark = pytest.mark.server

ORGANISER = Actor("organiser", "player-" + "o" * 26)
ANN, BEN = (Actor("player", f"player-{letter * 26}") for letter in "ab")


class Rig:
    """A store, a relay, and a worker that does the jobs it enqueues."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis
        self.parts: Parts = compose(CONFIG, RedisStore(redis))
        self.queues = tournament_queue(redis), play_queue(redis), verify_queue(redis), import_queue(redis)
        self.advances, self.relay = self.new_relay()

    def new_relay(self) -> tuple[Advances, Relay]:
        tournament, play, verify, imports = self.queues
        states = Handler(self.parts.store, MATCH)
        advances = Advances(self.parts, self.redis, tournament, states)
        reveals, bots = Reveals(self.parts, states), Bots(self.parts, self.redis, play, tournament, states)
        duties = [Verifications(self.parts, self.redis, verify, imports, states), bots, reveals, advances]
        return advances, Relay(FeedGroup(self.redis), [Scan(self.parts.store, [advances]), *duties])

    def create(self, *occupants: Occupant, seed: int = 7, **terms: Any) -> str:
        key = f"cup {seed} {sorted(terms)}"
        asked = job_command("test", key)
        stream = stream_id("tournament", asked)
        whole = {"name": "Cup", "ruleset": "zhen", "format": {"kind": "round-robin"}, "seed": seed, "is_open": True}
        self.do(stream, CreateTournament, **{**whole, **terms})
        for occupant in occupants:
            actor = Actor("player", occupant.player) if isinstance(occupant, Account) else ORGANISER
            self.do(stream, RegisterEntrant, actor, occupant=occupant)
        return stream

    def do(self, stream: str, command: type, actor: Actor = ORGANISER, **fields: Any) -> Tournament:
        asked = command_of("test", "POST", "/", None, b"")
        order = command(actor=actor, id=asked.id.hex(), **fields)
        return self.parts.tournaments.execute(stream, order, asked, new=command is CreateTournament).state

    def work(self) -> None:
        """Relay and do jobs until nothing is left to do."""
        self.catch_up()
        while any(queue.job_ids for queue in self.queues):
            for queue in self.queues:
                for id in queue.job_ids:
                    job = queue.fetch_job(id)
                    queue.remove(id)
                    if job is not None:
                        self.perform(job.func_name.rpartition(".")[2], job.args[0])
            self.catch_up()

    def catch_up(self) -> None:
        while FeedGroup(self.redis).backlog()[0]:
            self.relay.step(block_ms=0)

    def perform(self, name: str, due: list) -> None:
        if name == "verify_matches":
            verify_all(self.parts, due)
        elif name == "play_matches":
            play_all(self.parts, due)
        else:
            assert name == "advance_tournaments"
            for stream, _ in due:
                self.parts.tournaments.advance(stream)

    def abort(self, match: Match, asked: CommandKey) -> AbortMatch:
        return AbortMatch(actor=ORGANISER, id=asked.id.hex(), secret=self.parts.secret_for(match))

    def read(self, stream: str) -> Tournament:
        return self.parts.tournaments.read(stream)

    def jobs(self) -> list[str]:
        """The kinds of jobs on the queue of tournaments."""
        return [job.func_name.rpartition(".")[2] for job in self.queues[0].jobs]

    def due(self) -> list[str]:
        return [member.decode() for member in self.redis.zrange(DUE, 0, -1)]


def bots(count: int) -> list[Occupant]:
    return [build_bot("random", number) for number in range(count)]


@pytest.fixture(scope="module")
def redis(tmp_path_factory) -> Iterator[Redis]:
    register(TOY_V1)
    with start_server(tmp_path_factory.mktemp("store")) as server, connect_client(server.url, 60.0) as client:
        yield client


@pytest.fixture
def rig(redis: Redis) -> Rig:
    redis.flushall()
    return Rig(redis)


@pytest.mark.parametrize(
    ("entrants", "terms", "games"),
    [
        (4, {}, 6),
        (3, {"format": {"kind": "round-robin", "cycles": 2}}, 6),
        (4, {"repeat": "rotations"}, 12),
        (3, {"repeat": "permutations", "ruleset": "toy"}, 6),
        (6, {"format": {"kind": "swiss", "rounds": 3}}, 9),
        (5, {"format": {"kind": "knockout"}}, 4),
        (4, {"format": {"kind": "gauntlet"}}, 3),
        (6, {"ruleset": "toy", "seats": 3, "format": {"kind": "swiss", "rounds": 2}}, 4),
        (4, {"openings": (("+3", "+2"), ("+5",)), "repeat": "rotations"}, 12),
    ],
)
def test_a_tournament_of_bots_plays_itself_to_the_end(rig, entrants, terms, games):
    stream = rig.create(*bots(entrants), **terms)
    rig.do(stream, StartTournament)
    rig.work()
    state = rig.read(stream)
    assert (state.status, state.ended) == ("ended", "played")
    played = list(state.games())
    assert len(played) == games
    assert len({game.match for game in played}) == games
    for game in played:
        match = rig.parts.matches.read(game.match)
        assert match.life.status == "scored"
        assert match.life.outcome.ranks == game.ranks
        assert match.life.created.tournament["id"] == stream
    assert rig.due() == []
    for round in state.rounds:
        assert rig.parts.tournaments.check_round(stream, round.number).agrees


@pytest.mark.parametrize("repeat", ["once", "rotations"])
def test_a_sequential_test_ends_early_and_says_why(rig, repeat):
    entrants = [build_bot("greedy", 1), build_bot("random", 2)]
    terms = {"format": {"kind": "round-robin", "cycles": 100}, "sprt": {"elo0": 0, "elo1": 300}, "repeat": repeat}
    stream = rig.create(*entrants, options={"tiles": 4, "cubes": 4}, **terms)
    rig.do(stream, StartTournament)
    rig.work()
    state = rig.read(stream)
    assert state.ended == "sprt-elo1"
    assert len(state.rounds) < 100
    assert judge_entrants(state).taken == "elo1"


def test_a_stronger_bot_is_accepted_against_a_field_of_two(rig):
    entrants = [build_bot("greedy", 1), build_bot("random", 2), build_bot("random", 3)]
    terms = {"format": {"kind": "round-robin", "cycles": 100}, "repeat": "rotations", "seats": 3}
    stream = rig.create(*entrants, ruleset="crystals", sprt={"elo0": 0, "elo1": 300}, **terms)
    rig.do(stream, StartTournament)
    rig.work()
    state = rig.read(stream)
    assert state.ended == "sprt-elo1"
    assert len(state.rounds) < 100


def test_the_same_seed_plays_the_same_tournament(rig, redis):
    tables = []
    for _ in range(2):
        redis.flushall()
        rig = Rig(redis)
        stream = rig.create(*bots(4), ruleset="toy", repeat="rotations")
        rig.do(stream, StartTournament)
        rig.work()
        # Only the times may differ.
        tables.append([game._replace(made_at=0, decided_at=0) for game in rig.read(stream).games()])
    assert tables[0] == tables[1]


def test_the_games_of_a_board_share_their_dice(rig):
    stream = rig.create(*bots(2), ruleset="toy", repeat="rotations")
    rig.do(stream, StartTournament)
    rig.work()
    first, second = (rig.parts.matches.read(game.match).life.created.dice for game in rig.read(stream).games())
    assert first == second
    assert len(first.matches) == 2


def test_bots_alone_have_seeds_that_follow_from_the_tournament(rig):
    stream = rig.create(*bots(2))
    rig.do(stream, StartTournament)
    rig.work()
    [game] = rig.read(stream).games()
    created = rig.parts.matches.read(game.match).life.created
    assert created.bots is None
    assert all(who.seed is not None for who in created.seats)


def test_no_seed_is_in_the_open_in_a_tournament_with_other_entrants(rig):
    stream = rig.create(Account(ANN.id), *bots(2))
    rig.do(stream, StartTournament)
    rig.catch_up()
    rig.parts.tournaments.advance(stream)
    state = rig.read(stream)
    matches = [rig.parts.matches.read(rig.parts.tournaments.match_id(state, game)) for game in state.games()]
    created = [match.life.created for match in matches if match.version]
    assert created
    assert {who.seed for its in created for who in its.seats if isinstance(who, BuiltIn)} == {None}
    assert len({its.bots.commitment for its in created}) == len(created)


def test_openings_are_played_by_all_games_of_a_board(rig):
    stream = rig.create(*bots(2), openings=(("+3", "+2"),), repeat="rotations")
    rig.do(stream, StartTournament)
    rig.work()
    for game in rig.read(stream).games():
        steps = rig.parts.matches.read(game.match).play.steps
        assert [step.move for step in steps[:2]] == ["+3", "+2"]


def test_people_are_seated_by_their_entry_and_their_result_counts(rig):
    stream = rig.create(Account(ANN.id), Account(BEN.id))
    rig.do(stream, StartTournament)
    rig.work()
    [game] = rig.read(stream).games()
    id = rig.parts.tournaments.match_id(rig.read(stream), game)
    match = rig.parts.matches.read(id)
    assert match.life.status == "playing"
    while match.life.status == "playing":
        mover = ANN if match.life.seats[match.turn.seat - 1].occupant == Account(ANN.id) else BEN
        move = match.play.ruleset.format_move(match.play.state, next(match.play.ruleset.legal_moves(match.play.state)))
        asked = command_of("test", "POST", "/", None, b"")
        order = MakeMove(actor=mover, id=asked.id.hex(), move=move)
        match = rig.parts.matches.execute(id, lambda _, order=order: order, asked).state
    rig.work()
    assert rig.read(stream).status == "ended"


def test_an_entrant_who_withdraws_loses_the_match_under_way_and_plays_no_other(rig):
    stream = rig.create(Account(ANN.id), Account(BEN.id), *bots(1))
    rig.do(stream, StartTournament)
    rig.work()
    rig.do(stream, WithdrawEntrant, BEN, entrant=2)
    rig.work()
    state = rig.read(stream)
    with_ben = [game for game in state.games() if 2 in game.entrants]
    assert len(with_ben) <= 1
    for game in with_ben:
        seat = game.entrants.index(2) + 1
        assert game.ranks[seat - 1] == 2
        assert game.reason == "withdrawal"
        assert game.left == (SeatWithdrawn(seat, "absent", why="left the tournament"),)


def test_the_tournament_withdraws_a_seat_also_from_a_match_that_its_organiser_plays(rig):
    stream = rig.create(Account(ORGANISER.id), Account(BEN.id))
    rig.do(stream, StartTournament)
    rig.work()
    rig.do(stream, WithdrawEntrant, BEN, entrant=2)
    rig.work()
    [game] = rig.read(stream).games()
    assert game.reason == "withdrawal"
    by = [parse_event(entry).by for entry in rig.parts.matches.read_events(game.match, 0)]
    assert f"organiser:{stream}" in by


@pytest.mark.parametrize("ruleset", ["zhen", "rings"])
def test_an_aborted_match_is_played_again_and_nobody_scores_for_it(rig, ruleset):
    stream = rig.create(Account(ANN.id), *bots(1), ruleset=ruleset)
    rig.do(stream, StartTournament)
    rig.work()
    [game] = rig.read(stream).games()
    first = rig.parts.tournaments.match_id(rig.read(stream), game)
    asked = command_of("test", "POST", "/", None, b"")
    rig.parts.matches.execute(first, lambda its: rig.abort(its, asked), asked)
    rig.work()
    [game] = rig.read(stream).games()
    [failed] = game.failed
    assert (failed.match, failed.cause, failed.why) == (first, "called-off", "called off")
    assert failed.made_at == rig.parts.matches.read(first).life.created_at
    assert game.ranks is None
    assert rig.parts.matches.read(rig.parts.tournaments.match_id(rig.read(stream), game)).life.status == "playing"


def test_a_match_in_which_the_servers_bots_fail_is_a_fault_of_the_platform(rig, monkeypatch):
    stream = rig.create(*bots(2))
    rig.do(stream, StartTournament)
    choose, broken = job_module.choose_move, []

    def break_once(*asked):
        if not broken:
            broken.append(True)
            raise ZeroDivisionError("no such position")
        return choose(*asked)

    monkeypatch.setattr(job_module, "choose_move", break_once)
    rig.work()
    state = rig.read(stream)
    [failed, decided] = list_all_attempts(state)
    assert (failed.status, decided.status, state.status) == ("failed", "decided", "ended")
    [incident] = failed.incidents
    assert incident.cause == "play-failed"
    assert "no such position" in incident.why
    assert count_faults(state)[1] == Faults(platform=1)


def test_a_withdrawal_for_the_fault_of_a_bot_is_scored_and_the_fault_is_recorded(rig):
    stream = rig.create(Account(ANN.id), *bots(1))
    rig.do(stream, StartTournament)
    rig.work()
    [attempt] = list_all_attempts(rig.read(stream))
    match = rig.parts.tournaments.match_id(rig.read(stream), attempt.game)
    asked = command_of("test", "POST", "/", None, b"")
    secret = rig.parts.secret_for(rig.parts.matches.read(match))
    leave = Withdraw(actor=ANN, id=asked.id.hex(), fault="silent", secret=secret)
    rig.parts.matches.execute(match, lambda _: leave, asked)
    rig.work()
    [attempt] = list_all_attempts(rig.read(stream))
    assert attempt.incidents == (Incident("silent", 1),)
    assert attempt.is_scored
    assert (attempt.match, attempt.made_at) == (match, rig.parts.matches.read(match).life.created_at)


def test_a_game_that_fails_every_time_is_given_up(rig, caplog):
    stream = rig.create(Account(ANN.id), *bots(1))
    rig.do(stream, StartTournament)
    for _ in range(MAX_ATTEMPTS):
        rig.work()
        [game] = rig.read(stream).games()
        match = rig.parts.tournaments.match_id(rig.read(stream), game)
        asked = command_of("test", "POST", "/", None, b"")
        rig.parts.matches.execute(match, lambda its, asked=asked: rig.abort(its, asked), asked)
    rig.work()
    [game] = rig.read(stream).games()
    assert len(game.failed) == MAX_ATTEMPTS
    assert rig.parts.matches.read(rig.parts.tournaments.match_id(rig.read(stream), game)).version == 0
    assert "is given up" in caplog.text


def test_the_sweep_enqueues_a_lost_job_again(rig, monkeypatch):
    stream = rig.create(*bots(2))
    rig.do(stream, StartTournament)
    rig.relay.step(block_ms=0)
    rig.queues[0].empty()
    rig.advances.sweep()
    assert rig.queues[0].job_ids == []
    now = duty_module.now_ms()
    monkeypatch.setattr(duty_module, "now_ms", lambda: now + GRACE_MS + 1)
    rig.advances.sweep()
    assert len(rig.queues[0].job_ids) == 1
    rig.work()
    assert rig.read(stream).status == "ended"


def test_a_job_that_has_paired_a_round_goes_on_without_another(rig):
    stream = rig.create(*bots(4))
    rig.do(stream, StartTournament)
    rig.catch_up()
    rig.queues[0].empty()
    rig.parts.tournaments.advance(stream)
    rig.catch_up()
    assert rig.jobs() == ["play_matches"]
    assert rig.due() == [stream], "the sweep finds it if the job dies halfway"


def test_the_results_of_a_round_are_entered_together(rig, monkeypatch):
    stream = rig.create(*bots(8))
    rig.do(stream, StartTournament)
    together, append_all = [], RedisStore.append_all

    def note(store: RedisStore, appends: Sequence[Append]) -> list[Appended]:
        together.append([type for append in appends for type in append.types])
        return append_all(store, appends)

    monkeypatch.setattr(RedisStore, "append_all", note)
    rig.work()
    assert rig.read(stream).status == "ended"
    assert together.count(["game-decided"] * 4) == 7


def test_a_round_that_is_paired_by_hand_goes_on(rig):
    stream = rig.create(*bots(4), format={"kind": "swiss", "rounds": 1}, rounds_begin="call")
    rig.do(stream, StartTournament)
    rig.catch_up()
    rig.queues[0].empty()
    rig.do(stream, PairByHand, round=1, boards=((1, 2), (3, 4)), byes=(), why="they came together")
    rig.catch_up()
    assert rig.jobs() == ["advance_tournaments"]
    rig.work()
    assert rig.read(stream).rounds[0].is_decided


@pytest.mark.parametrize("tournament", [{}, {"id": 7}, {"id": "tournament-x"}, {"id": "tournament-" + "a" * 26}])
def test_a_match_that_names_a_tournament_that_is_not_ours_holds_up_nothing(rig, tournament):
    asked = command_of("test", "POST", "/", None, b"")
    match = stream_id("match", asked)
    seats = (build_bot("random", 1), build_bot("random", 2))
    create = CreateMatch(actor=ORGANISER, id=asked.id.hex(), ruleset="zhen", seats=seats, tournament=tournament)
    rig.parts.matches.execute(match, lambda _: create, asked, new=True)
    rig.work()
    assert rig.parts.matches.read(match).life.status == "scored"


def test_a_relay_that_lost_everything_finds_tournaments(rig):
    stream = rig.create(*bots(2))
    rig.do(stream, StartTournament)
    rig.relay.step(block_ms=0)
    rig.redis.delete(DUE)
    rig.queues[0].empty()
    advances, _ = rig.new_relay()
    Scan(rig.parts.store, [advances]).scan()
    assert rig.due() == [stream]
    advances.sweep()
    rig.work()
    assert rig.read(stream).status == "ended"


def test_advancing_twice_at_the_same_time_does_everything_once(rig):
    stream = rig.create(*bots(4))
    rig.do(stream, StartTournament)
    other = compose(CONFIG, RedisStore(rig.redis))
    for parts in (rig.parts, other, rig.parts, other):
        parts.tournaments.advance(stream)
    state = rig.read(stream)
    assert len(state.rounds) == 1
    rig.work()
    assert [len(round.boards) for round in rig.read(stream).rounds] == [2, 2, 2]


def test_the_games_of_a_board_with_an_account_have_dice_of_their_own(rig):
    stream = rig.create(Account(ANN.id), *bots(1), ruleset="toy", repeat="rotations")
    rig.do(stream, StartTournament)
    rig.work()
    state = rig.read(stream)
    games = [game for game in state.games() if 1 in game.entrants]
    first, second = (rig.parts.matches.read(rig.parts.tournaments.match_id(state, game)) for game in games)
    dice = first.life.created.dice, second.life.created.dice
    assert dice[0].dice_id != dice[1].dice_id
    assert dice[0].commitment != dice[1].commitment
    assert not any(isinstance(each, SharedDice) for each in dice)


def give_up(rig: Rig, stream: str) -> None:
    for _ in range(MAX_ATTEMPTS):
        rig.work()
        [game] = [each for each in rig.read(stream).games() if each.ranks is None]
        abort_match(rig, rig.parts.tournaments.match_id(rig.read(stream), game))
    rig.work()


def abort_match(rig: Rig, match: str) -> None:
    asked = command_of("test", "POST", "/", None, b"")
    rig.parts.matches.execute(match, lambda state: rig.abort(state, asked), asked)


PLACE = {"round": 1, "board": 1, "game": 1, "why": "a power cut"}


def test_a_game_that_was_given_up_is_played_when_it_is_tried_again(rig):
    stream = rig.create(Account(ANN.id), *bots(1))
    rig.do(stream, StartTournament)
    give_up(rig, stream)
    rig.do(stream, RetryGame, **PLACE)
    rig.work()
    [game] = rig.read(stream).games()
    match = rig.parts.tournaments.match_id(rig.read(stream), game)
    assert match not in {each.match for each in game.failed}
    assert rig.parts.matches.read(match).life.status == "playing"


@pytest.mark.parametrize(
    ("command", "ruling"), [(AdjudicateGame, {"ranks": (1, 2)}), (ForfeitGame, {"entrants": (2,)})]
)
@pytest.mark.parametrize("is_given_up", [True, False])
def test_a_tournament_ends_when_its_last_game_is_ruled_on_and_the_match_under_way_is_aborted(
    rig, command, ruling, is_given_up
):
    stream = rig.create(Account(ANN.id), *bots(1))
    rig.do(stream, StartTournament)
    rig.work()
    if is_given_up:
        give_up(rig, stream)
    [game] = rig.read(stream).games()
    match = rig.parts.tournaments.match_id(rig.read(stream), game)
    rig.do(stream, command, **PLACE, **ruling)
    rig.work()
    state = rig.read(stream)
    assert (state.status, state.ended) == ("ended", "played")
    left = rig.parts.matches.read(match)
    if is_given_up:
        assert left.version == 0
    else:
        assert left.life.status == "aborted"
        assert "a power cut" in left.life.abort.data.cause
    assert rig.due() == []


def test_a_game_whose_match_has_ended_is_not_ruled_on(rig):
    stream = rig.create(Account(ANN.id), *bots(1))
    rig.do(stream, StartTournament)
    rig.work()
    [game] = rig.read(stream).games()
    match = rig.parts.tournaments.match_id(rig.read(stream), game)
    asked = command_of("test", "POST", "/", None, b"")
    secret_for = rig.parts.secret_for
    rig.parts.matches.execute(
        match, lambda state: Withdraw(actor=ANN, id=asked.id.hex(), secret=secret_for(state)), asked
    )
    for command, ruling in ((AdjudicateGame, {"ranks": (1, 2)}), (ForfeitGame, {"entrants": (2,)})):
        with pytest.raises(WrongTime) as refused:
            rig.do(stream, command, **PLACE, **ruling)
        assert refused.value.code == "tournament/match-ended"
    rig.work()
    assert rig.read(stream).status == "ended"


def test_the_match_of_a_ruled_game_is_aborted_even_if_the_job_died_in_between(rig, monkeypatch):
    stream = rig.create(Account(ANN.id), Account(BEN.id), *bots(1))
    rig.do(stream, StartTournament)
    rig.work()
    state = rig.read(stream)
    [game] = [each for each in state.games() if set(each.entrants) <= {1, 2}] or list(state.games())
    match = rig.parts.tournaments.match_id(state, game)
    ruling = {**PLACE, "board": game.board}
    with monkeypatch.context() as broken:
        broken.setattr(rig.parts.tournaments, "_abort", lambda *_: 1 / 0)
        rig.do(stream, AdjudicateGame, **ruling, ranks=(1, 2))
        with pytest.raises(ZeroDivisionError):
            rig.parts.tournaments.advance(stream)
    assert len(rig.read(stream).rounds) == 1
    rig.work()
    assert rig.parts.matches.read(match).life.status == "aborted"
    assert len(rig.read(stream).rounds) == 2


def test_a_disqualified_entrant_loses_the_match_under_way_for_that_cause(rig):
    stream = rig.create(Account(ANN.id), *bots(1))
    rig.do(stream, StartTournament)
    rig.work()
    rig.do(stream, WithdrawEntrant, entrant=1, disqualified=True, why="a cheat")
    rig.work()
    [game] = rig.read(stream).games()
    assert [each.cause for each in game.left] == ["disqualified"]
    assert count_faults(rig.read(stream))[1] == Faults(entrant=1)
