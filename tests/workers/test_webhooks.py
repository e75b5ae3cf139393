"""Webhooks from the feed to a receiver: a real store, the whole relay, a real rq worker, and a server on loopback."""

import base64
import hashlib
import hmac
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from rq.serializers import JSONSerializer

from plyscribe.domain.commands import AbortMatch, Actor, Command, CreateMatch, MakeMove, TakeSeat, Withdraw
from plyscribe.domain.events import Account, Guest
from plyscribe.domain.player import RemoveWebhook
from plyscribe.domain.tournament.commands import AbortTournament, CreateTournament, RegisterEntrant, StartTournament
from plyscribe.domain.webhooks import AddWebhook, ChangeWebhook, PingWebhook, ReplaceWebhookSecret, Webhook
from plyscribe.service.clock import now_ms
from plyscribe.service.lists.projections import is_complete
from plyscribe.service.processes.children import python_command
from plyscribe.service.queues import webhook_queue
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.outbox import LEASE_MS, Lane, LaneState
from plyscribe.service.streams.ids import stream_id
from plyscribe.service.webhooks import delivery as delivery_module
from plyscribe.service.webhooks.delivery import FAILS_FOR_MS, RETRY_AFTER_S
from plyscribe.service.webhooks.posting import Poster
from plyscribe.workers import deliver_webhooks as job_module
from plyscribe.workers.deliver_webhooks import Deliveries
from plyscribe.workers.duties import projecting as projecting_module
from plyscribe.workers.duties import webhooks as duty_module
from plyscribe.workers.duties.webhooks import GRACE_MS, STALE_MS, Webhooks
from plyscribe.workers.relay import Relay, open_relay
from plyscribe.workers.worker import Worker
from tests.service.conftest import CONFIG
from tests.store.given import eventually
from tests.workers.given import Killed, Workplace, kill, new_key
from tests.workers.receiver import Got, Receiver, receiving

SECOND, DAY = 1000, 24 * 3600 * 1000
SETTINGS = {"PLYSCRIBE_READ_URL": "sqlite://", "PLYSCRIBE_SERVER_KEY": "5a" * 32, "PLYSCRIBE_WEBHOOKS": "any"}


class Clock:
    """The clock of the relay and of deliveries, which tests move by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead = 0
        for module in (duty_module, delivery_module, job_module):
            monkeypatch.setattr(module, "now_ms", lambda: now_ms() + self.ahead)


class Rig(Workplace):
    """A store, a relay with all its duties, a worker of the queue of webhooks, and accounts."""

    def __init__(self, redis: Redis, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(redis, replace(CONFIG, webhooks="any"))
        self.receiver, self.queue = receiver, webhook_queue(redis)
        # What one relay has entered, another one catches up with in its next step.
        monkeypatch.setattr(projecting_module, "CATCH_UP_EVERY_S", 0.0)
        self.relay = self.new_relay()
        self.drain()
        eventually(lambda: all(map(is_complete, self.parts.projections)))
        self.clock = Clock(monkeypatch)
        self.deliveries = Deliveries(self.parts, Poster("any", within_s=60.0))
        monkeypatch.setattr(job_module, "process_deliveries", lambda: self.deliveries)
        self.ann, self.ben, self.eve = (self.sign_up(name) for name in ("Ann", "Ben", "Eve"))

    def new_relay(self) -> Relay:
        return open_relay(self.parts, self.redis, self.redis)

    def sign_up(self, name: str) -> Actor:
        player, _ = self.parts.accounts.sign_up(Actor("system", "test"), name, "person", ("play",))
        return Actor("player", player.stream)

    def order(self, make: type[Command], lane: Lane, **fields: Any) -> None:
        """Something that its owner does to a webhook."""
        self.do(lane.player, make, Actor("player", lane.player), webhook=lane.webhook, **fields)

    def add(self, who: Actor, *topics: str, url: str = "") -> Lane:
        lane, key = Lane(who.id, stream_id("hook", new_key())), self.config.server_key.id
        self.order(AddWebhook, lane, url=url or self.receiver.url, topics=topics, key=key)
        self.drain()
        return lane

    def webhook(self, lane: Lane) -> Webhook:
        return self.parts.accounts.players.read(lane.player).webhooks[lane.webhook]

    def state(self, lane: Lane) -> LaneState:
        return self.parts.outbox.describe([lane])[0]

    def open_match(self) -> str:
        """A match of Ann, who is to move, against Ben."""
        match = self.open(CreateMatch, self.ann, ruleset="zhen", seats=(Account(self.ann.id), None))
        self.do(match, TakeSeat, self.ben, seat=2)
        return match

    def end_match(self) -> str:
        match = self.open_match()
        self.do(match, Withdraw, self.ben, seat=2, cause="resigned")
        return match

    def drain(self) -> None:
        """Relay everything, the notices that come of it too."""
        for _ in range(6):
            self.relay.step(block_ms=0)

    def do_jobs(self) -> None:
        worker = Worker([self.queue], connection=self.redis, serializer=JSONSerializer)
        worker.work(burst=True, logging_level="CRITICAL")

    def work(self) -> None:
        """Execute all jobs, and wait until what they began has ended."""
        self.do_jobs()
        eventually(lambda: not self.deliveries._in_hand)

    def deliver(self) -> None:
        self.drain()
        self.work()

    def pass_time(self, ms: int) -> None:
        """Let this time pass, then sweep and deliver."""
        self.clock.ahead += ms
        self.sweep()
        self.work()

    def sweep(self) -> None:
        next(duty for duty in self.relay._duties if isinstance(duty, Webhooks)).sweep()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def rig(redis, receiver, monkeypatch, signals) -> Iterator[Rig]:
    rig = Rig(redis, receiver, monkeypatch)
    yield rig
    rig.deliveries.stop()


def is_signed(rig: Rig, lane: Lane, got: Got, source: int = 0) -> bool:
    """Checks a signature as docs/webhooks.md has it, with the secret that the account was shown."""
    webhook = rig.webhook(lane)
    sources = (webhook.secret, webhook.older_secret)
    [secret] = rig.parts.config.server_key.list_webhook_secrets(*lane, [sources[source]])
    signed = f"{got.id}.{got.headers['webhook-timestamp']}.".encode() + got.body
    expected = base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
    return f"v1,{expected}" in got.headers["webhook-signature"].split()


def test_it_posts_your_turn_signed_with_the_secret(rig, receiver):
    lane = rig.add(rig.ben, "your-turn")
    match = rig.open_match()
    rig.do(match, MakeMove, rig.ann, move="+5")
    rig.deliver()
    [got] = receiver.got
    assert (got.json["type"], got.json["player"]) == ("your-turn", rig.ben.id)
    assert (got.json["match"]["match"], got.json["match"]["ply"]) == (match, 1)
    assert (got.json["notice"]["type"], got.json["notice"]["seat"]) == ("your-decision", 2)
    assert got.headers["content-type"] == "application/json"
    assert got.headers["user-agent"].startswith("plyscribe/")
    assert is_signed(rig, lane, got)
    state = rig.state(lane)
    assert (state.waiting, state.failures, state.next_at, state.last.status) == (0, 0, None, 204)


def test_who_asked_for_it_hears_that_a_match_has_ended_and_of_no_turn_that_is_over(rig, receiver):
    for who in (rig.ann, rig.ben, rig.eve):
        rig.add(who, "match-ended")
    rig.add(rig.ben, "your-turn")
    seats, organiser = (Account(rig.ben.id), Guest("Ida")), Actor("organiser", rig.ann.id)
    aborted = rig.open(CreateMatch, organiser, ruleset="zhen", seats=seats, recorder=rig.eve.id)
    rig.do(aborted, AbortMatch, organiser, cause="rain")
    rig.do(match := rig.open_match(), MakeMove, rig.ann, move="+5")
    rig.do(match, MakeMove, rig.ben, move="+6")
    rig.do(match, Withdraw, rig.ben, seat=2, cause="resigned")
    rig.deliver()
    heard = {(got.json["player"], got.json["match"]["status"]) for got in receiver.got}
    ended = {(who.id, "ended") for who in (rig.ann, rig.ben)}
    assert heard == {(who.id, "aborted") for who in (rig.ann, rig.ben, rig.eve)} | ended
    outcomes = [got.json["match"]["outcome"] for got in receiver.got if got.json["match"]["status"] == "ended"]
    assert [outcome["ranks"] for outcome in outcomes] == [[1, 2]] * 2
    assert set(receiver.types()) == {"match-ended"}


def test_entrants_and_the_organiser_hear_of_rounds_and_the_end_of_a_tournament(rig, receiver):
    for who in (rig.ann, rig.eve):
        rig.add(who, "round-paired", "tournament-ended")
    organiser = Actor("organiser", rig.eve.id)
    terms = {"name": "Cup", "ruleset": "zhen", "seats": 2, "seed": 1, "is_open": True}
    stream = rig.open(CreateTournament, organiser, **terms, format={"kind": "round-robin"})
    for who in (rig.ann, rig.ben):
        rig.do(stream, RegisterEntrant, who, occupant=Account(who.id))
    rig.do(stream, StartTournament, organiser)
    rig.parts.tournaments.advance(stream)
    rig.do(stream, AbortTournament, organiser, cause="rain")
    rig.deliver()
    heard = sorted((got.json["type"], got.json["player"]) for got in receiver.got)
    wanted = [(type, who.id) for type in ("round-paired", "tournament-ended") for who in (rig.ann, rig.eve)]
    assert heard == sorted(wanted)
    assert {got.json.get("round") for got in receiver.got} == {1, None}
    assert {got.json["tournament"]["name"] for got in receiver.got} == {"Cup"}


def test_a_batch_that_is_relayed_again_is_posted_once(rig, receiver, monkeypatch):
    rig.add(rig.ann, "your-turn", "match-ended")
    rig.end_match()
    with monkeypatch.context() as patch:
        patch.setattr(FeedGroup, "ack", kill)
        with pytest.raises(Killed):
            rig.relay.step(block_ms=0)
    rig.work()
    rig.relay = rig.new_relay()
    rig.deliver()
    assert receiver.types() == ["match-ended"]


def test_what_fails_is_sent_again_under_its_id_at_growing_intervals(rig, receiver):
    lane = rig.add(rig.ann, "your-turn")
    receiver.answer = lambda _: 500
    rig.open_match()
    rig.deliver()
    assert rig.state(lane).last.error == "it answered 500 Internal Server Error"
    assert len(receiver.got) == 1
    rig.pass_time((RETRY_AFTER_S[0] + 1) * SECOND)
    assert len(receiver.got) == 2
    # The time that the test itself takes passes as well.
    for number, wait_s in enumerate(RETRY_AFTER_S[1:4], 3):
        rig.pass_time((wait_s - 25) * SECOND)
        assert len(receiver.got) == number - 1
        rig.pass_time(26 * SECOND)
        assert len(receiver.got) == number
    receiver.answer = lambda _: 200
    rig.pass_time(RETRY_AFTER_S[4] * SECOND)
    assert len({got.id for got in receiver.got}) == 1
    assert len({got.body for got in receiver.got}) == 1
    assert len({got.headers["webhook-timestamp"] for got in receiver.got}) == len(receiver.got) == 6
    assert (rig.state(lane).waiting, rig.state(lane).failures, rig.state(lane).dropped) == (0, 0, 0)


def test_a_receiver_that_fails_is_asked_once_at_a_time_however_much_waits(rig, receiver, monkeypatch):
    # The time that the test itself takes passes as well.
    monkeypatch.setattr("plyscribe.service.webhooks.delivery.PAUSE_S", (600,))
    monkeypatch.setattr(duty_module, "MOST_JOBS", 3)
    lane = rig.add(rig.ann, "your-turn")
    receiver.answer = lambda _: 503
    for _ in range(5):
        rig.open_match()
    rig.deliver()
    rig.open_match()
    rig.deliver()
    assert (len(receiver.got), rig.state(lane).waiting) == (1, 6)
    receiver.answer = lambda _: 200
    rig.clock.ahead += 601 * SECOND
    for _ in range(9):
        # Without a worker the queue does not grow without bound.
        rig.clock.ahead += GRACE_MS + 1
        rig.sweep()
    assert rig.queue.count == 3
    rig.work()
    assert rig.state(lane).waiting == 0
    assert len({got.id for got in receiver.got}) == 6


def test_a_redirect_is_a_failure_and_is_not_followed_and_a_receiver_can_ask_for_a_longer_wait(rig, receiver):
    lane = rig.add(rig.ann, "your-turn")
    receiver.answer = lambda _: 307
    receiver.more = {"Location": receiver.url.replace("/hook", "/other"), "Retry-After": "600"}
    rig.open_match()
    rig.deliver()
    assert "redirects are not followed" in rig.state(lane).last.error
    rig.pass_time(570 * SECOND)
    assert [got.path for got in receiver.got] == ["/hook"]
    rig.pass_time(31 * SECOND)
    assert [got.path for got in receiver.got] == ["/hook"] * 2


def test_a_receiver_that_is_gone_is_disabled_at_once_and_its_owner_reads_so_in_the_inbox(rig, receiver):
    lane = rig.add(rig.ann, "your-turn")
    receiver.answer = lambda _: 410
    rig.open_match()
    rig.deliver()
    assert rig.webhook(lane).why == "it answered 410 Gone"
    rig.drain()
    newest = rig.parts.inboxes.read(rig.ann.id, 0, 100).entries[-1].data
    assert b'"type":"webhook-disabled"' in newest
    assert lane.webhook.encode() in newest
    rig.open_match()
    rig.deliver()
    assert (len(receiver.got), rig.state(lane).waiting) == (1, 0)


def test_a_webhook_that_fails_for_days_is_disabled_and_can_be_enabled_again(rig, receiver):
    lane = rig.add(rig.ann, "your-turn")
    receiver.answer = lambda _: 500
    rig.open_match()
    rig.deliver()
    while rig.webhook(lane).is_active:
        rig.pass_time(6 * 3600 * SECOND)
    assert FAILS_FOR_MS <= rig.clock.ahead <= FAILS_FOR_MS + DAY
    assert rig.webhook(lane).why.startswith("it failed for 3 days")
    assert rig.parts.outbox.count_lanes() == 0
    receiver.answer = lambda _: 200
    receiver.got.clear()
    rig.clock.ahead = 0
    rig.order(ChangeWebhook, lane, enabled=True)
    rig.drain()
    rig.open_match()
    rig.deliver()
    assert receiver.types() == ["your-turn"]


def test_a_message_that_alone_fails_is_given_up_in_the_end(rig, receiver):
    lane = rig.add(rig.ann, "your-turn")
    rig.open_match()
    receiver.answer = lambda _: 500
    rig.deliver()
    [bad] = receiver.got
    receiver.answer = lambda got: 500 if got.id == bad.id else 200
    for wait_s in RETRY_AFTER_S:
        rig.open_match()
        rig.pass_time(wait_s * SECOND + 1)
        rig.drain()
        rig.pass_time(wait_s * SECOND + 1)
    assert rig.webhook(lane).is_active
    assert (rig.state(lane).waiting, rig.state(lane).dropped) == (0, 1)


def test_after_a_new_secret_both_sign_for_a_day(rig, receiver):
    lane = rig.add(rig.ann, "your-turn")
    rig.order(ReplaceWebhookSecret, lane, key=rig.config.server_key.id)
    rig.open_match()
    rig.deliver()
    rig.clock.ahead += DAY
    rig.open_match()
    rig.deliver()
    signed = [[is_signed(rig, lane, got, source) for source in (0, 1)] for got in receiver.got]
    assert signed == [[True, True], [True, False]]


def test_a_test_is_posted_with_what_waits_and_a_removed_webhook_hears_nothing_more(rig, receiver):
    lane = rig.add(rig.ann, "your-turn")
    receiver.answer = lambda _: 500
    rig.open_match()
    rig.deliver()
    receiver.answer = lambda _: 200
    rig.order(PingWebhook, lane)
    rig.deliver()
    assert sorted(receiver.types()) == ["ping", "your-turn", "your-turn"]
    receiver.answer = lambda _: 500
    rig.open_match()
    rig.deliver()
    assert (len(receiver.got), rig.parts.outbox.count_lanes()) == (4, 1)
    rig.order(RemoveWebhook, lane)
    rig.drain()
    rig.open_match()
    rig.drain()
    rig.pass_time(DAY)
    assert (len(receiver.got), rig.parts.outbox.count_lanes()) == (4, 0)


def test_a_slow_receiver_holds_up_nobody_else(rig, receiver):
    free = threading.Event()
    with receiving() as slow:
        slow.answer = lambda _: 200 if free.wait(60) else 500
        for _ in range(3):
            rig.add(rig.ann, "your-turn", url=slow.url)
        rig.add(rig.ben, "your-turn")
        match = rig.open_match()
        for number in (5, 6):
            rig.do(match, MakeMove, rig.ben if number == 6 else rig.ann, move=f"+{number}")
        rig.drain()
        rig.open_match()
        rig.do(match, MakeMove, rig.ann, move="+7")
        rig.drain()
        rig.do_jobs()
        eventually(lambda: bool(receiver.got) and len(slow.got) == 3)
        free.set()
        rig.work()


def test_a_receiver_that_takes_too_long_counts_as_failed(rig, receiver):
    lane = rig.add(rig.ann, "your-turn")
    rig.deliveries = Deliveries(rig.parts, Poster("any", within_s=2.0))
    free = threading.Event()
    receiver.answer = lambda _: 200 if free.wait(60) else 500
    rig.open_match()
    rig.deliver()
    free.set()
    assert rig.state(lane).last.error == "no answer within 2 s"


@contextmanager
def posting(rig: Rig, url: str, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], threading.Event]]:
    """A worker process in the middle of a post, which is answered when the event is set."""
    free = threading.Event()
    rig.receiver.answer = lambda _: 200 if free.wait(60) else 500
    rig.open_match()
    rig.drain()
    env = {**os.environ, **SETTINGS, "REDIS_URL": url}
    command = python_command("plyscribe.workers", "webhook")
    with (tmp_path / "log").open("wb") as log, subprocess.Popen(command, env=env, stderr=log) as process:
        eventually(lambda: bool(rig.receiver.got))
        yield process, free


def test_a_worker_that_is_killed_in_the_middle_of_a_post_loses_nothing(rig, receiver, server, tmp_path):
    lane = rig.add(rig.ann, "your-turn")
    with posting(rig, server.url, tmp_path) as (process, free):
        process.kill()
    free.set()
    assert rig.state(lane).waiting == 1
    rig.pass_time(max(GRACE_MS, LEASE_MS) + 1)
    assert rig.state(lane).waiting == 0
    assert len(receiver.got) == 2
    assert len({(got.id, got.body) for got in receiver.got}) == 1


def test_a_worker_that_is_asked_to_stop_ends_the_post_in_hand_first(rig, receiver, server, tmp_path):
    lane = rig.add(rig.ann, "your-turn")
    with posting(rig, server.url, tmp_path) as (process, free):
        process.terminate()
        free.set()
        assert process.wait(60) == 0
    assert (len(receiver.got), rig.state(lane).waiting) == (1, 0)


def test_without_webhooks_the_relay_asks_nobody_and_writes_nothing(rig, monkeypatch):
    asked: list[Any] = []
    real = rig.parts.outbox.list_wants
    monkeypatch.setattr(rig.parts.outbox, "list_wants", lambda players: asked.append(players) or real(players))
    for _ in range(3):
        rig.end_match()
    rig.drain()
    assert asked == []
    assert list(rig.redis.scan_iter("webhooks:*")) == []


def test_another_relay_learns_of_a_webhook_with_its_next_sweep(rig, receiver):
    own, rig.relay = rig.relay, rig.new_relay()
    other = rig.relay
    rig.drain()
    rig.relay = own
    rig.add(rig.ann, "match-ended")
    rig.end_match()
    # The other relay takes over.
    own._leases.leave()
    other._leases._renew_at = 0.0
    rig.relay = other
    rig.sweep()
    rig.deliver()
    assert receiver.types() == ["match-ended"]


def test_what_is_older_than_three_days_is_no_news_nor_anything_where_webhooks_are_off(rig, receiver):
    lane = rig.add(rig.ann, "your-turn", "match-ended")
    rig.open_match()
    rig.end_match()
    rig.clock.ahead += STALE_MS
    rig.deliver()
    assert receiver.got == []
    rig.clock.ahead = 0
    rig.parts = replace(rig.parts, config=replace(rig.config, webhooks="off"))
    rig.relay = rig.new_relay()
    rig.open_match()
    rig.deliver()
    assert (receiver.got, rig.state(lane).waiting) == ([], 0)


def test_an_account_or_a_match_that_cannot_be_read_holds_up_no_other(rig, receiver, monkeypatch, caplog):
    for who in (rig.ann, rig.ben):
        rig.add(who, "match-ended")
    bad, good = rig.end_match(), rig.end_match()
    real = duty_module.match_list.describe_row
    monkeypatch.setattr(
        duty_module.match_list, "describe_row", lambda match: 1 / 0 if match.stream == bad else real(match)
    )
    rig.deliver()
    assert [got.json["match"]["match"] for got in receiver.got] == [good, good]
    assert "webhooks hear nothing of" in caplog.text
