"""The five steps from a command to its answer, when others write too or the store does not answer."""

from collections.abc import Callable
from typing import Any

import pytest

from plyscribe.domain.aggregate import Decided
from plyscribe.domain.bots import build_bot
from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.commands import Actor, Command, CreateMatch, MakeMove
from plyscribe.domain.decide import draft_decision
from plyscribe.domain.errors import IllegalMove, Unknown, WrongTime
from plyscribe.domain.events import Account
from plyscribe.domain.kinds import MATCH
from plyscribe.domain.match import Match
from plyscribe.domain.tournament.commands import CreateTournament, RegisterEntrant
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.service.errors import Contended, KeyReused, VersionConflict
from plyscribe.service.store import port
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import Forked, StoreUnavailable, Stretch, WrongType
from plyscribe.service.streams import handler as handlers_module
from plyscribe.service.streams.handler import MAX_TRIES, Handler, Order, Ready
from plyscribe.service.streams.ids import command_of, stream_id

ANN = Actor("player", "player-" + "a" * 26)
ORGANISER = Actor("organiser", ANN.id)


class Rig:
    """Two handlers over one store, like two processes, and a match that Ann plays against herself."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.one, self.other = (Handler(self.store, MATCH, append_within_s=30.0, load_within_s=30.0) for _ in range(2))
        self.match = self.new_match()

    def new_match(self) -> str:
        asked = command_of("test", "POST", "/", None, b"")
        create = CreateMatch(actor=ANN, ruleset="zhen", seats=(Account(ANN.id),) * 2)
        return self.one.execute(stream_id("match", asked), lambda _: create, asked, new=True).state.stream

    def move(
        self, handler: Any, move: str, key: str | None = None, expected: int | None = None, match: str = ""
    ) -> Any:
        asked = command_of("ann", "POST", "/moves", key, move.encode())
        return handler.execute(match or self.match, command(MakeMove(actor=ANN, move=move)), asked, expected)


def list_moves(state: Match) -> list[str]:
    return [step.move for step in state.play.steps]


def be_away(*_: object) -> Any:
    raise StoreUnavailable("away")


def lose_the_first_answer(call: Callable[..., Any]) -> Callable[..., Any]:
    calls: list[object] = []

    def lose(*args: object) -> Any:
        calls.append(args)
        answer = call(*args)
        if len(calls) == 1:
            raise StoreUnavailable("the answer was lost")
        return answer

    return lose


def command(order: Command) -> Callable[[Match], Command]:
    return lambda _: order


@pytest.fixture
def rig() -> Rig:
    return Rig()


def test_an_accepted_move_on_a_known_state_is_one_round_trip(rig, monkeypatch):
    rig.move(rig.one, "+1")
    monkeypatch.setattr(rig.store, "load", None)
    answer = rig.move(rig.one, "+2")
    assert answer.state.version == 4
    monkeypatch.undo()
    assert rig.store.load(rig.match).entries[3:] == [StoredEvent(*event) for event in answer.events]


def test_a_refusal_counts_only_on_a_fresh_state(rig):
    rig.other.read(rig.match)
    rig.move(rig.one, "+1")
    rig.move(rig.one, "+9")
    # In the other handler's cache there is no cube on tile 1 yet.
    assert rig.move(rig.other, "+2").state.version == 5
    rig.move(rig.one, "9-10")
    rig.move(rig.one, "2-1")
    assert rig.move(rig.other, "+9").state.version == 8
    with pytest.raises(IllegalMove):
        rig.move(rig.one, "+1")


def test_a_retry_is_answered_though_it_would_be_refused_now_and_its_expected_version_is_old(rig):
    first = rig.move(rig.one, "+1", key="k", expected=2)
    for handler in (rig.one, rig.other):
        again = rig.move(handler, "+1", key="k", expected=2)
        assert (again.replayed, again.events, again.state) == (True, first.events, first.state)
    rig.move(rig.other, "+2")
    for handler in (rig.one, rig.other):
        assert rig.move(handler, "+1", key="k", expected=2).events == first.events
        with pytest.raises(KeyReused):
            rig.move(handler, "+2", key="k")


def test_an_expected_version_is_compared_with_the_newest_state_and_a_conflict_brings_what_was_missed(rig):
    rig.move(rig.other, "+1")
    rig.move(rig.other, "+2")
    with pytest.raises(VersionConflict) as conflict:
        rig.move(rig.one, "+3", expected=3)
    assert [entry.version for entry in conflict.value.missed] == [4]
    assert rig.move(rig.one, "+3", expected=4).state.version == 5


def test_a_stream_is_created_once_and_before_any_other_command(rig):
    with pytest.raises(Unknown):
        rig.move(rig.one, "+1", match="match-" + "b" * 26)
    create = CreateMatch(actor=ANN, ruleset="zhen", seats=(None, None))
    with pytest.raises(WrongTime):
        rig.other.execute(rig.match, command(create), command_of("", "", "", None, b""), new=True)


def order(match: str, move: str, key: str | None = None) -> Order:
    return Order(match, MakeMove(actor=ANN, move=move), command_of("ann", "POST", "/moves", key, move.encode()))


@pytest.fixture
def together(rig, monkeypatch) -> list[int]:
    """How many appends were made at a time."""
    noted, append_all = [], rig.store.append_all
    monkeypatch.setattr(rig.store, "append_all", lambda appends: noted.append(len(appends)) or append_all(appends))
    return noted


def test_orders_on_known_states_are_one_round_trip_each_on_what_the_ones_before_it_made(rig, monkeypatch, together):
    other = rig.new_match()
    orders = [order(rig.match, "+1"), order(other, "+1"), *(order(rig.match, move) for move in ("+2", "+3"))]
    with monkeypatch.context() as away:
        away.setattr(rig.store, "load", None)
        answers = rig.one.execute_all(orders)
    assert [answer.events[0].version for answer in answers] == [3, 3, 4, 5]
    assert [answer.state.stream for answer in answers] == [each.stream for each in orders]
    assert together == [4]
    assert rig.other.read(rig.match).version == 5


def test_orders_after_which_the_state_has_to_be_folded_are_one_round_trip_too(rig, monkeypatch, together):
    tournaments, asked = Handler(rig.store, TOURNAMENT), command_of("test", "POST", "/", None, b"")
    stream = stream_id("tournament", asked)
    cup = CreateTournament(actor=ORGANISER, name="Cup", ruleset="zhen", format={"kind": "round-robin"}, seed=7)
    tournaments.execute(stream, command(cup), asked, new=True)
    monkeypatch.setattr(rig.store, "load", None)
    entries = [RegisterEntrant(actor=ORGANISER, occupant=build_bot("random", number)) for number in range(3)]
    orders = [Order(stream, each, command_of("test", "POST", "/", None, b"")) for each in entries]
    assert [len(answer.state.entrants) for answer in tournaments.execute_all(orders)] == [1, 2, 3]
    assert together == [3]


def test_orders_on_one_stream_wait_for_a_refused_one_for_one_done_before_and_for_another_writer(rig):
    first, second = rig.one.execute_all([order(rig.match, "1-2"), order(rig.match, "+1", key="a")])
    assert isinstance(first, IllegalMove)
    assert [event.version for event in second.events] == [3]
    again, more = rig.other.execute_all([order(rig.match, "+1", key="a"), order(rig.match, "+2", key="b")])
    assert (again.replayed, more.replayed, more.state.version) == (True, False, 4)
    orders = [order(rig.match, "+3")._replace(expected_version=4), order(rig.match, "+4")._replace(expected_version=5)]
    assert [answer.events[0].version for answer in rig.one.execute_all(orders)] == [5, 6]


def test_an_order_may_be_built_from_the_state_and_expect_a_version(rig):
    def build(state: Match) -> Command:
        assert state.version == 2
        return MakeMove(actor=ANN, move="+1")

    late = order(rig.match, "+2")._replace(expected_version=2)
    done, conflict = rig.one.execute_all([order(rig.match, "")._replace(command=build), late])
    assert done.state.version == 3
    assert isinstance(conflict, VersionConflict)
    assert [event.version for event in conflict.missed] == [3]


def test_new_streams_are_one_round_trip_and_those_that_exist_are_answered_again(rig, monkeypatch):
    create = CreateMatch(actor=ANN, ruleset="zhen", seats=(Account(ANN.id),) * 2)
    asked = [command_of("ann", "POST", "/matches", key, b"") for key in "ab"]
    orders = [Order(stream_id("match", each), create, each, new=True) for each in asked]
    with monkeypatch.context() as patch:
        patch.setattr(rig.store, "load", None)
        made = rig.one.execute_all(orders)
    assert [answer.state.version for answer in made] == [2, 2]
    again = rig.other.execute_all(orders)
    assert [(answer.events, answer.replayed) for answer in again] == [(answer.events, True) for answer in made]


def test_what_was_decided_on_another_state_is_a_conflict(rig):
    state = rig.one.read(rig.match)
    draft = draft_decision(MakeMove(actor=ANN, move="+1"), state)
    ready = Ready(state, Decided(draft.events, draft.match.with_head))
    rig.move(rig.other, "+7")
    asked = command_of("ann", "POST", "/moves", None, b"")
    [answer] = rig.one.execute_all([Order(rig.match, ready, asked)])
    assert isinstance(answer, VersionConflict)
    assert list_moves(rig.one.read(rig.match)) == ["+7"]


def test_orders_that_cannot_be_done_together_are_done_one_by_one(rig):
    known, stale, unknown, refused, done = (rig.new_match() for _ in range(5))
    first = rig.move(rig.one, "+1", key="k", match=done)
    rig.move(rig.other, "+7", match=stale)
    rig.one._cache.drop(unknown)
    orders = [order(match, "+2") for match in (known, stale, unknown)]
    answers = rig.one.execute_all([*orders, order(refused, "1-2"), order(done, "+1", key="k"), order("match-", "+1")])
    assert [answer.state.play.ply for answer in answers[:3]] == [1, 2, 1]
    assert isinstance(answers[3], IllegalMove)
    assert (answers[4].events, answers[4].replayed) == (first.events, True)
    assert isinstance(answers[5], Unknown)
    assert rig.one.read(refused).version == 2


def test_a_stream_that_the_store_refuses_keeps_no_other_order_back(rig, monkeypatch):
    bad, good = rig.new_match(), rig.new_match()
    append = rig.store.append

    def refuse_one(stream: str, *more: object) -> port.Appended:
        if stream == bad:
            raise WrongType("a list")
        return append(stream, *more)

    monkeypatch.setattr(rig.store, "append", refuse_one)
    failed, done = rig.one.execute_all([order(bad, "+1"), order(good, "+1")])
    assert isinstance(failed, WrongType)
    assert done.state.version == 3


def test_a_store_that_stays_away_is_told_after_the_deadline(rig, monkeypatch):
    other = rig.new_match()
    monkeypatch.setattr(rig.store, "append_all", be_away)
    monkeypatch.setattr(rig.store, "append", be_away)
    monkeypatch.setattr(rig.one, "_append_within_s", 0.3)
    answers = rig.one.execute_all([order(rig.match, "+1"), order(other, "+1")])
    assert [type(answer) for answer in answers] == [StoreUnavailable, StoreUnavailable]
    with pytest.raises(StoreUnavailable):
        rig.move(rig.one, "+1")


def test_orders_whose_answer_is_lost_are_sent_again_and_count_once(rig, monkeypatch):
    matches = [rig.match, rig.new_match()]
    monkeypatch.setattr(rig.store, "append_all", lose_the_first_answer(rig.store.append_all))
    answers = rig.one.execute_all([order(match, "+1") for match in matches])
    assert [(answer.state.stream, answer.state.version) for answer in answers] == [(match, 3) for match in matches]
    monkeypatch.setattr(rig.store, "append", lose_the_first_answer(rig.store.append))
    assert list_moves(rig.move(rig.one, "+2").state) == ["+1", "+2"]
    assert rig.one.read(rig.match).version == 4


def test_known_orders_are_executed_in_one_round_trip_or_not_at_all(rig, monkeypatch):
    matches = [rig.match, rig.new_match(), rig.new_match(), rig.new_match()]
    rig.move(rig.one, "+1", key="k", match=matches[3])
    rig.other.execute(matches[2], command(MakeMove(actor=ANN, move="+9")), command_of("", "", "", None, b""))
    monkeypatch.setattr(rig.store, "load", None)
    # Refused, behind another writer, repeated, and unknown: these are left.
    left = [order(matches[1], "9-9"), order(matches[2], "+1"), order(matches[3], "+1", key="k"), order("match-", "+1")]
    answers = rig.one.execute_known([order(matches[0], "+1"), *left, order(matches[0], "+2")])
    assert [answer and answer.state.version for answer in answers] == [3, None, None, None, None, 4]


def test_known_orders_are_not_sent_again_to_a_store_in_trouble(rig, monkeypatch, together):
    monkeypatch.setattr(rig.store, "append_all", lambda appends: together.append(1) or be_away())
    for _ in range(2):
        assert rig.one.execute_known([order(rig.match, "+1")]) == [None]
        assert together == [1]
        monkeypatch.setattr(handlers_module.PATIENCE, "_taken", 1)


def test_a_writer_that_is_outrun_every_time_gives_up(rig, monkeypatch):
    append = rig.store.append
    tiles = iter(range(1, 100))

    def outrun(*args: object) -> port.Appended:
        monkeypatch.setattr(rig.store, "append", append)
        rig.move(rig.other, f"+{next(tiles)}")
        monkeypatch.setattr(rig.store, "append", outrun)
        return append(*args)

    monkeypatch.setattr(rig.store, "append", outrun)
    with pytest.raises(Contended):
        rig.move(rig.one, "+10")
    assert rig.one.read(rig.match).version == 2 + MAX_TRIES


def test_a_cached_state_with_another_head_than_the_store_is_dropped(rig, monkeypatch):
    append, calls = rig.store.append, []

    def forked_once(*args: object) -> port.Appended:
        calls.append(args)
        return Forked(2) if len(calls) == 1 else append(*args)

    monkeypatch.setattr(rig.store, "append", forked_once)
    assert rig.move(rig.one, "+1").state.version == 3


def has_plies(plies: int) -> Callable[[Match], bool]:
    return lambda match: match.play is not None and match.play.ply >= plies


def test_reading_until_a_state_reads_no_further(rig, monkeypatch):
    for move in ("+1", "+2", "+3"):
        rig.move(rig.one, move)
    assert [rig.one.read(rig.match, version).version for version in (3, 0)] == [3, 0]
    assert rig.other.read_until(rig.match, has_plies(1), near=3).play.ply == 1
    assert rig.other.read_until(rig.match, has_plies(2), near=3).play.ply == 3
    assert rig.other.read(rig.match) == rig.one.read(rig.match)
    monkeypatch.setattr(rig.store, "load", lambda *_: pytest.fail("the store was asked"))
    assert rig.one.read_until(rig.match, has_plies(3), near=3).play.ply == 3


def test_reading_until_a_state_that_never_comes_gives_the_newest(rig):
    rig.one.read(rig.match)
    rig.move(rig.other, "+1")
    for handler in (rig.one, Handler(rig.store, MATCH)):
        assert handler.read_until(rig.match, has_plies(9), near=2).play.ply == 1
    assert rig.one.read_until("match-" + "z" * 26, has_plies(0), near=2).version == 0


def test_several_streams_are_brought_up_to_date_in_one_round_trip(rig, monkeypatch):
    known, unknown, missing = rig.match, rig.new_match(), "match-" + "z" * 26
    rig.other.read(known)
    for match in (known, unknown):
        rig.move(rig.one, "+1", match=match)
    asked, load_all = [], rig.store.load_all
    monkeypatch.setattr(rig.store, "load", lambda *_: pytest.fail("a stream was read by itself"))
    monkeypatch.setattr(rig.store, "load_all", lambda stretches: asked.append(stretches) or load_all(stretches))
    found = rig.other.read_all([unknown, missing, known])
    assert [(state.stream, state.version) for state in found] == [(unknown, 3), (missing, 0), (known, 3)]
    assert asked == [[Stretch(unknown), Stretch(missing), Stretch(known, 1)]]
    assert [rig.other.cached(match) for match in (unknown, missing, known)] == [found[0], None, found[2]]


@pytest.mark.parametrize("page", [1, 2, 3, 4])
def test_a_long_stream_is_loaded_a_page_at_a_time(rig, monkeypatch, page):
    first, load, asked = rig.move(rig.one, "+1", key="k"), rig.store.load, []
    for tile in range(2, 7):
        rig.move(rig.one, f"+{tile}")

    def note(stream: str, after: int = 0, command: Any = None, limit: int | None = None) -> port.Loaded:
        asked.append(limit)
        return load(stream, after, command, limit)

    monkeypatch.setattr(rig.store, "load", note)
    monkeypatch.setattr(handlers_module, "PAGE", page)
    assert rig.other.read(rig.match, 5) == rig.one.read(rig.match, 5)
    assert rig.other.read(rig.match) == rig.one.cached(rig.match) == rig.other.cached(rig.match)
    again = rig.move(rig.other, "+1", key="k")
    assert (again.events, again.state) == (first.events, first.state)
    assert max(asked) == page
    rig.other.keep(rig.match, rig.one.read(rig.match, 2))
    assert rig.other.cached(rig.match).version == 8, "an older state does not replace a newer one"


def set_back(rig: Rig, version: int, *moves: str) -> None:
    """Restore the store from a backup at that version, and let the other process continue from there."""
    older = MemoryStore()
    older._events[rig.match] = rig.store.load(rig.match).entries[:version]
    rig.one._store = rig.other._store = older
    rig.other._cache.drop(rig.match)
    for move in moves:
        rig.move(rig.other, move)


@pytest.mark.parametrize(
    "act",
    [
        lambda rig: list_moves(rig.move(rig.one, "+7").state) == ["+7"],
        lambda rig: rig.one.read(rig.match).version == 2,
        lambda rig: [state.version for state in rig.one.read_all([rig.match])] == [2],
        # On the state that is known, this move would be refused.
        lambda rig: rig.move(rig.one, "+1").state.version == 3,
    ],
    ids=["write", "read", "read several", "refuse"],
)
def test_a_store_that_was_set_back_is_believed(rig, act):
    rig.move(rig.one, "+1")
    set_back(rig, 2)
    assert act(rig)


@pytest.mark.parametrize("moves", [["+5"], ["+5", "+6"], ["+5", "+6", "+7"]])
def test_a_store_that_was_set_back_and_went_on_is_no_damaged_match(rig, moves):
    rig.move(rig.one, "+1")
    set_back(rig, 2, *moves)
    assert rig.one.read(rig.match).fault is None
    rig.one._cache.drop(rig.match)
    set_back(rig, 2, *moves)
    assert list_moves(rig.move(rig.one, "+9").state) == [*moves, "+9"]
