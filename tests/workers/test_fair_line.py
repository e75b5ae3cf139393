"""The fair line: nobody waits for more than a little work of each other owner, and nothing is lost or overtaken."""

from collections import deque
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from plyscribe.workers.fair_line import LIGHT, MOST_ROOM, QUICK_MS, SHARE, TOGETHER, FairLine, Piece

OWNERS = st.sampled_from(["ann", "ben", "cid"])
EFFORTS = st.sampled_from([1, 4, LIGHT, SHARE, 10 * SHARE])


def piece(stream: str, effort: int = SHARE, version: int = 1, may_share: bool = False) -> Piece:
    return Piece(stream, version, effort, may_share)


class Clock:
    """A clock that stands until it is put forward."""

    now_ms = 0

    def __call__(self) -> int:
        return self.now_ms


def line_of(*offers: tuple[str, Piece], most: int = 100) -> FairLine:
    line = FairLine(Clock(), most)
    for owner, each in offers:
        line.offer(owner, each)
    return line


def streams(jobs) -> list[list[str]]:
    return [[each.stream for each in job] for job in jobs]


def heavy(owner: str, count: int) -> list[tuple[str, Piece]]:
    return [(owner, piece(f"{owner}-{number}", 10 * SHARE)) for number in range(count)]


@pytest.mark.parametrize("workers", [1, 3])
def test_of_heavy_work_an_owner_has_one_piece_in_hand_for_each_worker(workers):
    line = line_of(*heavy("ann", 5))
    line.resize(0)
    assert streams(line.take()) == [["ann-0"]], "no worker counts as one"
    assert line.take() == []
    line.resize(workers)
    assert len(line.take()) == workers - 1
    line.strike("ann-0")
    assert streams(line.take()) == [[f"ann-{workers}"]]


def test_owners_take_turns():
    half = SHARE // 2
    line = line_of(*[(owner, piece(f"{owner}-{number}", half)) for owner in ("ann", "ben") for number in range(3)])
    assert streams(line.take()) == [["ann-0"], ["ben-0"], ["ann-1"], ["ben-1"]]


def test_light_work_shares_jobs_and_keeps_workers_busy():
    line = line_of(*[("ann", piece(f"match-{number:03}", 50, may_share=True)) for number in range(200)])
    jobs = line.take()
    assert {len(job) for job in jobs} == {TOGETHER}
    assert sum(each.effort for each in chain.from_iterable(jobs)) == 2 * SHARE


def test_an_owner_whose_work_is_done_quickly_has_more_of_it_in_hand_until_it_takes_longer():
    clock = Clock()
    line = FairLine(clock)
    for number in range(2000):
        line.offer("ann", piece(f"match-{number:04}", 100, may_share=True))
    efforts = []
    for late_ms in (QUICK_MS, QUICK_MS, QUICK_MS, QUICK_MS + 1, QUICK_MS + 1):
        in_hand = [*chain.from_iterable(line.take())]
        efforts.append(sum(each.effort for each in in_hand))
        clock.now_ms += late_ms
        for each in in_hand:
            line.strike(each.stream)
    assert efforts == [2 * SHARE, 4 * SHARE, MOST_ROOM, MOST_ROOM, 2 * SHARE]


def test_quick_work_makes_no_room_for_heavy_work():
    line = line_of(*[("ann", piece(f"{number}", 100)) for number in range(200)], most=300)
    for job in line.take():
        line.strike(job[0].stream)
    for offer in heavy("ben", 2):
        line.offer("ann", offer[1])
    while jobs := line.take():
        for job in jobs[:-1]:
            line.strike(job[0].stream)
        last = jobs[-1][0]
        if last.effort == 10 * SHARE:
            break
        line.strike(last.stream)
    assert streams(line.take()) == []
    assert line.is_waiting("ben-1")


def test_work_that_is_heavy_or_that_somebody_waits_for_shares_no_job():
    offers = [("ann", piece(name, 1, may_share=name != "b")) for name in "abcd"]
    assert streams(line_of(*offers).take()) == [["a"], ["b"], ["c", "d"]]
    line = line_of(*[("ann", piece(name, SHARE, may_share=True)) for name in "ab"])
    line.resize(2)
    assert streams(line.take()) == [["a"], ["b"]]


def test_a_match_that_went_on_goes_to_the_end_of_the_line_and_one_in_hand_is_not_taken_twice():
    line = line_of(*heavy("ann", 2))
    line.take()
    line.offer("ann", piece("ann-0", 10 * SHARE))
    assert line.is_in_hand("ann-0")
    assert line.take() == []
    line.offer("ann", piece("ann-0", version=2))
    assert [each.version for [each] in line.take()] == [1]
    line.strike("ann-1")
    assert [each.version for [each] in line.take()] == [2]


def test_a_match_that_is_offered_again_while_it_waits_keeps_its_place():
    line = line_of(*heavy("ann", 3))
    line.offer("ann", piece("ann-0", version=2))
    assert [(each.stream, each.version) for [each] in line.take()] == [("ann-0", 2)]


def test_what_could_not_be_sent_waits_again_in_its_old_order():
    line = line_of(*[("ann", piece(f"{number}", SHARE)) for number in range(4)])
    taken = line.take()
    line.put_back(taken)
    assert line.is_waiting("0")
    assert line.take() == taken


def test_a_full_line_drops_the_last_piece_of_the_owner_who_has_most():
    line = line_of(*heavy("ann", 3), ("ben", piece("ben-0")), most=3)
    assert [line.is_waiting(each) for each in ("ann-0", "ann-1", "ann-2", "ben-0")] == [True, True, False, True]
    assert len(line) == 3


@given(st.lists(st.tuples(OWNERS, EFFORTS, st.booleans())), st.integers(1, 3))
def test_everything_is_taken_once_and_in_the_order_of_its_owner(offers, workers):
    line = FairLine(Clock())
    line.resize(workers)
    given_to: dict[str, list[str]] = {}
    for number, (owner, effort, may_share) in enumerate(offers):
        line.offer(owner, piece(f"{owner}-{number}", effort, may_share=may_share))
        given_to.setdefault(owner, []).append(f"{owner}-{number}")
    taken: dict[str, list[str]] = {}
    queue = deque(line.take())
    while queue:
        for each in queue.popleft():
            taken.setdefault(each.stream.partition("-")[0], []).append(each.stream)
            line.strike(each.stream)
        queue += line.take()
    assert taken == given_to
    assert len(line) == 0


class Lines(RuleBasedStateMachine):
    """A line and the queue behind it, first in, first out."""

    pieces = Bundle("pieces")

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.line = FairLine(self.clock, most=8)
        self.owners: dict[str, str] = {}
        self.offered: list[Piece] = []

    @rule(target=pieces, owner=OWNERS, effort=EFFORTS, may_share=st.booleans())
    def offer(self, owner: str, effort: int, may_share: bool) -> Piece:
        new = piece(f"match-{len(self.offered)}", effort, may_share=may_share)
        self.offered.append(new)
        self.owners[new.stream] = owner
        self.line.offer(owner, new)
        return new

    @rule(old=pieces, more=st.integers(0, 1))
    def offer_again(self, old: Piece, more: int) -> None:
        self.line.offer(self.owners[old.stream], old._replace(version=old.version + more))

    @rule(old=consumes(pieces))
    def strike(self, old: Piece) -> None:
        self.line.strike(old.stream)
        assert not self.line.is_waiting(old.stream)
        assert not self.line.is_in_hand(old.stream)

    @rule(workers=st.integers(0, 4))
    def resize(self, workers: int) -> None:
        self.line.resize(workers)

    @rule(ms=st.integers(0, 2 * QUICK_MS))
    def wait(self, ms: int) -> None:
        self.clock.now_ms += ms

    @rule(is_sent=st.booleans())
    def take(self, is_sent: bool) -> None:
        jobs = self.line.take()
        assert all(len(job) == 1 or all(each.may_share for each in job) for job in jobs)
        assert all(len(job) <= TOGETHER for job in jobs)
        assert self.line.take() == []
        if not is_sent:
            self.line.put_back(jobs)

    @invariant()
    def nobody_is_before_others_with_more_than_a_little(self) -> None:
        for owner in set(self.owners.values()):
            hand = [it for it in self.in_hand() if self.owners[it.stream] == owner]
            workers = 4
            assert len(hand) <= workers or sum(it.effort for it in hand[workers:]) <= MOST_ROOM

    @invariant()
    def the_line_is_bounded(self) -> None:
        assert len(self.line) <= 8 + len(self.in_hand())

    @invariant()
    def what_waits_can_be_taken(self) -> None:
        waiting = {self.owners[each] for each in self.owners if self.line.is_waiting(each)}
        idle = waiting - {self.owners[each.stream] for each in self.in_hand()}
        line = self.line
        jobs = line.take()
        assert idle <= {self.owners[each.stream] for job in jobs for each in job}
        line.put_back(jobs)

    def in_hand(self) -> list[Piece]:
        return [each for each in self.offered if self.line.is_in_hand(each.stream)]


TestLines = Lines.TestCase
