"""Tournaments go on by themselves: the relay finds what happened; the job pairs, creates matches, enters results."""

from collections.abc import Sequence
from typing import Any

import pytest
from redis import Redis

from plyscribe.domain.bots import build_bot
from plyscribe.domain.codec import parse_event
from plyscribe.domain.commands import AbortMatch, CreateMatch, MakeMove, Withdraw
from plyscribe.domain.errors import WrongTime
from plyscribe.domain.events import Account, BuiltIn, Occupant, SeatWithdrawn, SharedDice
from plyscribe.domain.kinds import MATCH
from plyscribe.domain.match import Match
from plyscribe.domain.tournament import commands
from plyscribe.domain.tournament.attempts import Faults, Incident, count_faults, list_all_attempts
from plyscribe.domain.tournament.sprt import judge_entrants
from plyscribe.domain.tournament.state import MAX_ATTEMPTS, Game, Tournament
from plyscribe.service.queues import import_queue, play_queue, tournament_queue, verify_queue
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import Append, Appended
from plyscribe.service.store.redis import RedisStore
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import job_command, stream_id
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
from tests.workers.given import ANN, BEN, ORGANISER, Workplace, put_forward

A, B = Account(ANN.id), Account(BEN.id)


class Rig(Workplace):
    """A store, a relay, and a worker that does the jobs it enqueues."""

    def __init__(self, redis: Redis) -> None:
        super().__init__(redis)
        self.queues = tournament_queue(redis), play_queue(redis), verify_queue(redis), import_queue(redis)
        self.restart()

    def restart(self) -> None:
        """Start another relay."""
        tournament, play, verify, imports = self.queues
        states = Handler(self.parts.store, MATCH)
        self.advances = Advances(self.parts, self.redis, tournament, states)
        reveals, bots = Reveals(self.parts, states), Bots(self.parts, self.redis, play, tournament, states)
        verifications = Verifications(self.parts, self.redis, verify, imports, states)
        duties = [Scan(self.parts.store, [self.advances]), verifications, bots, reveals, self.advances]
        self.relay = Relay(FeedGroup(self.redis), duties)

    def create(self, *occupants: Occupant, **terms: Any) -> str:
        """A tournament whose id, and with it all its seeds, follows from its entrants and terms."""
        stream = stream_id("tournament", job_command("test", occupants, terms))
        usual = {"name": "Cup", "ruleset": "zhen", "format": {"kind": "round-robin"}, "seed": 7, "is_open": True}
        self.do(stream, commands.CreateTournament, ORGANISER, **{**usual, **terms})
        for occupant in occupants:
            actor = (
                ORGANISER._replace(role="player", id=occupant.player) if isinstance(occupant, Account) else ORGANISER
            )
            self.do(stream, commands.RegisterEntrant, actor, occupant=occupant)
        return stream

    def start(self, *occupants: Occupant, **terms: Any) -> str:
        stream = self.create(*occupants, **terms)
        self.order(stream, commands.StartTournament)
        return stream

    def begin(self, *occupants: Occupant, **terms: Any) -> str:
        """A tournament whose first jobs are done: it waits for moves of players."""
        stream = self.start(*occupants, **terms)
        self.work()
        return stream

    def order(self, stream: str, command: type, **fields: Any) -> Tournament:
        """A command of the organiser."""
        return self.do(stream, command, ORGANISER, **fields)

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

    def find(self, stream: str) -> Tournament:
        return self.parts.tournaments.read(stream)

    def game(self, stream: str) -> Game:
        """The only game."""
        [game] = self.find(stream).games()
        return game

    def match_of(self, stream: str, game: Game | None = None) -> str:
        return self.parts.tournaments.match_id(self.find(stream), game or self.game(stream))

    def matches(self, stream: str) -> list[Match]:
        return [self.read(self.match_of(stream, game)) for game in self.find(stream).games()]

    def abort(self, match: str) -> None:
        self.do(match, AbortMatch, ORGANISER)

    def give_up(self, stream: str) -> None:
        """Abort the matches of the only game until no more are made."""
        for _ in range(MAX_ATTEMPTS):
            self.work()
            self.abort(self.match_of(stream))
        self.work()

    def jobs(self) -> list[str]:
        """The kinds of jobs on the queue of tournaments."""
        return [job.func_name.rpartition(".")[2] for job in self.queues[0].jobs]

    def due(self) -> list[str]:
        return self.list_noted(DUE)


def bots(count: int) -> list[Occupant]:
    return [build_bot("random", number) for number in range(count)]


@pytest.fixture
def rig(redis: Redis) -> Rig:
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
    stream = rig.begin(*bots(entrants), **terms)
    state = rig.find(stream)
    assert (state.status, state.ended) == ("ended", "played")
    played = list(state.games())
    assert len({game.match for game in played}) == len(played) == games
    for game in played:
        match = rig.read(game.match)
        life, moves = match.life, tuple(step.move for step in match.play.steps)
        assert (life.status, life.outcome.ranks) == ("scored", game.ranks)
        assert life.created.tournament["id"] == stream
        assert life.created.bots is None
        assert all(who.seed is not None for who in life.created.seats), "they follow from the tournament"
        assert any(moves[: len(each)] == each for each in terms.get("openings", [()]))
    assert rig.due() == []
    for round in state.rounds:
        assert rig.parts.tournaments.check_round(stream, round.number).agrees


ONE_SIDED = {"sprt": {"elo0": 0, "elo1": 300}, "format": {"kind": "round-robin", "cycles": 100}}


@pytest.mark.parametrize(
    ("field", "terms"),
    [
        (1, {"repeat": "once", "options": {"tiles": 4, "cubes": 4}}),
        (1, {"repeat": "rotations", "options": {"tiles": 4, "cubes": 4}}),
        (2, {"repeat": "rotations", "ruleset": "crystals", "seats": 3}),
    ],
)
def test_a_sequential_test_ends_early_and_says_why(rig, field, terms):
    entrants = [build_bot("greedy", 1), *(build_bot("random", number + 2) for number in range(field))]
    state = rig.find(rig.begin(*entrants, **ONE_SIDED, **terms))
    assert state.ended == "sprt-elo1"
    assert len(state.rounds) < 100
    if field == 1:
        assert judge_entrants(state).taken == "elo1"


def test_the_same_seed_plays_the_same_tournament(rig, redis):
    tables = []
    for _ in range(2):
        redis.flushall()
        rig = Rig(redis)
        stream = rig.begin(*bots(4), ruleset="toy", repeat="rotations")
        # Only the times may differ.
        tables.append([game._replace(made_at=0, decided_at=0) for game in rig.find(stream).games()])
    assert tables[0] == tables[1]


def test_the_games_of_a_board_share_their_dice_unless_an_account_plays(rig):
    first, second = (
        match.life.created.dice for match in rig.matches(rig.begin(*bots(2), ruleset="toy", repeat="rotations"))
    )
    assert first == second
    assert len(first.matches) == 2
    stream = rig.begin(A, *bots(1), ruleset="toy", repeat="rotations")
    own = [match.life.created.dice for match in rig.matches(stream)]
    assert not any(isinstance(each, SharedDice) for each in own)
    assert len({each.dice_id for each in own}) == len({each.commitment for each in own}) == 2


def test_no_seed_is_in_the_open_in_a_tournament_with_other_entrants(rig):
    stream = rig.start(A, *bots(2))
    rig.catch_up()
    rig.parts.tournaments.advance(stream)
    created = [match.life.created for match in rig.matches(stream) if match.version]
    assert created
    assert {who.seed for its in created for who in its.seats if isinstance(who, BuiltIn)} == {None}
    assert len({its.bots.commitment for its in created}) == len(created)


def test_people_are_seated_by_their_entry_and_their_result_counts(rig):
    stream = rig.begin(A, B)
    [match] = rig.matches(stream)
    assert match.life.status == "playing"
    while match.life.status == "playing":
        mover = ANN if match.life.seats[match.turn.seat - 1].occupant == A else BEN
        move = match.play.ruleset.format_move(match.play.state, next(match.play.ruleset.legal_moves(match.play.state)))
        match = rig.do(match.stream, MakeMove, mover, move=move)
    rig.work()
    assert rig.find(stream).status == "ended"


def test_an_entrant_who_withdraws_loses_the_match_under_way_and_plays_no_other(rig):
    stream = rig.begin(A, B, *bots(1))
    rig.do(stream, commands.WithdrawEntrant, BEN, entrant=2)
    rig.work()
    with_ben = [game for game in rig.find(stream).games() if 2 in game.entrants]
    assert len(with_ben) <= 1
    for game in with_ben:
        seat = game.entrants.index(2) + 1
        assert (game.ranks[seat - 1], game.reason) == (2, "withdrawal")
        assert game.left == (SeatWithdrawn(seat, "absent", why="left the tournament"),)


def test_the_tournament_withdraws_a_seat_also_from_a_match_that_its_organiser_plays(rig):
    stream = rig.begin(Account(ORGANISER.id), B)
    rig.do(stream, commands.WithdrawEntrant, BEN, entrant=2)
    rig.work()
    game = rig.game(stream)
    assert game.reason == "withdrawal"
    by = [parse_event(entry).by for entry in rig.parts.matches.read_events(game.match, 0)]
    assert f"organiser:{stream}" in by


def test_a_disqualified_entrant_loses_the_match_under_way_for_that_cause(rig):
    stream = rig.begin(A, *bots(1))
    rig.order(stream, commands.WithdrawEntrant, entrant=1, disqualified=True, why="a cheat")
    rig.work()
    assert [each.cause for each in rig.game(stream).left] == ["disqualified"]
    assert count_faults(rig.find(stream))[1] == Faults(entrant=1)


@pytest.mark.parametrize("ruleset", ["zhen", "rings"])
def test_an_aborted_match_is_played_again_and_nobody_scores_for_it(rig, ruleset):
    stream = rig.begin(A, *bots(1), ruleset=ruleset)
    first = rig.match_of(stream)
    rig.abort(first)
    rig.work()
    game = rig.game(stream)
    [failed] = game.failed
    assert (failed.match, failed.cause, failed.why) == (first, "called-off", "called off")
    assert failed.made_at == rig.read(first).life.created_at
    assert game.ranks is None
    assert rig.status(rig.match_of(stream)) == "playing"


def test_a_match_in_which_the_servers_bots_fail_is_a_fault_of_the_platform(rig, monkeypatch):
    stream = rig.start(*bots(2))
    choose, broken = job_module.choose_move, []

    def break_once(*asked):
        if not broken:
            broken.append(True)
            raise ZeroDivisionError("no such position")
        return choose(*asked)

    monkeypatch.setattr(job_module, "choose_move", break_once)
    rig.work()
    state = rig.find(stream)
    [failed, decided] = list_all_attempts(state)
    assert (failed.status, decided.status, state.status) == ("failed", "decided", "ended")
    [incident] = failed.incidents
    assert incident.cause == "play-failed"
    assert "no such position" in incident.why
    assert count_faults(state)[1] == Faults(platform=1)


def test_a_withdrawal_for_the_fault_of_a_bot_is_scored_and_the_fault_is_recorded(rig):
    stream = rig.begin(A, *bots(1))
    match = rig.match_of(stream)
    rig.do(match, Withdraw, fault="silent")
    rig.work()
    [attempt] = list_all_attempts(rig.find(stream))
    assert attempt.incidents == (Incident("silent", 1),)
    assert attempt.is_scored
    assert (attempt.match, attempt.made_at) == (match, rig.read(match).life.created_at)


def test_the_sweep_enqueues_a_lost_job_again(rig, monkeypatch):
    stream = rig.start(*bots(2))
    rig.relay.step(block_ms=0)
    rig.queues[0].empty()
    rig.advances.sweep()
    assert rig.queues[0].job_ids == []
    put_forward(monkeypatch, duty_module, GRACE_MS + 1)
    rig.advances.sweep()
    assert len(rig.queues[0].job_ids) == 1
    rig.work()
    assert rig.find(stream).status == "ended"


def test_a_job_that_has_paired_a_round_goes_on_without_another(rig):
    stream = rig.start(*bots(4))
    rig.catch_up()
    rig.queues[0].empty()
    rig.parts.tournaments.advance(stream)
    rig.catch_up()
    assert rig.jobs() == ["play_matches"]
    assert rig.due() == [stream], "the sweep finds it if the job dies halfway"


def test_the_results_of_a_round_are_entered_together(rig, monkeypatch):
    together, append_all = [], RedisStore.append_all

    def note(store: RedisStore, appends: Sequence[Append]) -> list[Appended]:
        together.append([type for append in appends for type in append.types])
        return append_all(store, appends)

    monkeypatch.setattr(RedisStore, "append_all", note)
    assert rig.find(rig.begin(*bots(8))).status == "ended"
    assert together.count(["game-decided"] * 4) == 7


def test_a_round_that_is_paired_by_hand_goes_on(rig):
    stream = rig.start(*bots(4), format={"kind": "swiss", "rounds": 1}, rounds_begin="call")
    rig.catch_up()
    rig.queues[0].empty()
    rig.order(stream, commands.PairByHand, round=1, boards=((1, 2), (3, 4)), byes=(), why="they came together")
    rig.catch_up()
    assert rig.jobs() == ["advance_tournaments"]
    rig.work()
    assert rig.find(stream).rounds[0].is_decided


@pytest.mark.parametrize("tournament", [{}, {"id": 7}, {"id": "tournament-x"}, {"id": "tournament-" + "a" * 26}])
def test_a_match_that_names_a_tournament_that_is_not_ours_holds_up_nothing(rig, tournament):
    match = rig.open(CreateMatch, ORGANISER, ruleset="zhen", seats=tuple(bots(2)), tournament=tournament)
    rig.work()
    assert rig.status(match) == "scored"


def test_a_relay_that_lost_everything_finds_tournaments(rig):
    stream = rig.start(*bots(2))
    rig.relay.step(block_ms=0)
    rig.redis.delete(DUE)
    rig.queues[0].empty()
    rig.restart()
    Scan(rig.parts.store, [rig.advances]).scan()
    assert rig.due() == [stream]
    rig.advances.sweep()
    rig.work()
    assert rig.find(stream).status == "ended"


def test_advancing_twice_at_the_same_time_does_everything_once(rig):
    stream, other = rig.start(*bots(4)), rig.new_parts()
    for parts in (rig.parts, other, rig.parts, other):
        parts.tournaments.advance(stream)
    assert len(rig.find(stream).rounds) == 1
    rig.work()
    assert [len(round.boards) for round in rig.find(stream).rounds] == [2, 2, 2]


PLACE = {"round": 1, "board": 1, "game": 1, "why": "a power cut"}
RULINGS = [(commands.AdjudicateGame, {"ranks": (1, 2)}), (commands.ForfeitGame, {"entrants": (2,)})]


def test_a_game_that_fails_every_time_is_given_up_until_it_is_tried_again(rig, caplog):
    stream = rig.start(A, *bots(1))
    rig.give_up(stream)
    assert len(rig.game(stream).failed) == MAX_ATTEMPTS
    assert rig.read(rig.match_of(stream)).version == 0
    assert "is given up" in caplog.text
    rig.order(stream, commands.RetryGame, **PLACE)
    rig.work()
    match = rig.match_of(stream)
    assert match not in {each.match for each in rig.game(stream).failed}
    assert rig.status(match) == "playing"


@pytest.mark.parametrize(("command", "ruling"), RULINGS)
@pytest.mark.parametrize("is_given_up", [True, False])
def test_a_tournament_ends_when_its_last_game_is_ruled_on_and_the_match_under_way_is_aborted(
    rig, command, ruling, is_given_up
):
    stream = rig.begin(A, *bots(1))
    if is_given_up:
        rig.give_up(stream)
    match = rig.match_of(stream)
    rig.order(stream, command, **PLACE, **ruling)
    rig.work()
    state = rig.find(stream)
    assert (state.status, state.ended) == ("ended", "played")
    left = rig.read(match)
    if is_given_up:
        assert left.version == 0
    else:
        assert left.life.status == "aborted"
        assert "a power cut" in left.life.abort.data.cause
    assert rig.due() == []


def test_a_game_whose_match_has_ended_is_not_ruled_on(rig):
    stream = rig.begin(A, *bots(1))
    rig.do(rig.match_of(stream), Withdraw)
    for command, ruling in RULINGS:
        with pytest.raises(WrongTime) as refused:
            rig.order(stream, command, **PLACE, **ruling)
        assert refused.value.code == "tournament/match-ended"
    rig.work()
    assert rig.find(stream).status == "ended"


def test_the_match_of_a_ruled_game_is_aborted_even_if_the_job_died_in_between(rig, monkeypatch):
    stream = rig.begin(A, B, *bots(1))
    games = list(rig.find(stream).games())
    game = next((each for each in games if set(each.entrants) <= {1, 2}), games[0])
    match = rig.match_of(stream, game)
    with monkeypatch.context() as broken:
        broken.setattr(rig.parts.tournaments, "_abort", lambda *_: 1 / 0)
        rig.order(stream, commands.AdjudicateGame, **{**PLACE, "board": game.board}, ranks=(1, 2))
        with pytest.raises(ZeroDivisionError):
            rig.parts.tournaments.advance(stream)
    assert len(rig.find(stream).rounds) == 1
    rig.work()
    assert rig.status(match) == "aborted"
    assert len(rig.find(stream).rounds) == 2
