"""Matches whose events were changed by hand: set aside, answered clearly, and verified again once repaired."""

from base64 import b64decode
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from redis import Redis
from rq.serializers import JSONSerializer

from plyscribe.domain.chain import StoredEvent, first_link, link_all
from plyscribe.domain.codec import format_event, parse_event
from plyscribe.domain.commands import Actor
from plyscribe.domain.events import MatchRefuted
from plyscribe.service.config import Config
from plyscribe.service.health.doctor.finding import Finding
from plyscribe.service.health.doctor.work import examine_work
from plyscribe.service.processes.embedded import EmbeddedServer
from plyscribe.service.queues import REFUTED, verify_queue
from plyscribe.service.store.port import bucket_of
from plyscribe.service.web.app import create_app
from plyscribe.workers import verify_match as verify_module
from plyscribe.workers.duties.verification import PENDING
from plyscribe.workers.relay import open_relay
from plyscribe.workers.worker import Worker
from tests.service.api import Api
from tests.service.conftest import CONFIG
from tests.workers.given import Workplace


class House(Workplace):
    """A service over a real store: its API, its relay, its worker, and a hand that changes the store."""

    def __init__(self, server: EmbeddedServer, redis: Redis) -> None:
        super().__init__(redis, Config(server.url, server.url, CONFIG.server_key, open_sign_up=True))
        self.queue = verify_queue(redis)
        self.restart()
        self.ann, self.ann_token = self.api.sign_up("Ann")
        self.ben, self.ben_token = self.api.sign_up("Ben")
        self.admin = self.parts.accounts.sign_up(Actor("system", "test"), "Root", "person", ("admin",))[1]

    def restart(self) -> None:
        """Start another process, which has none of the cached states of the one before."""
        self.parts = self.new_parts()
        self.relay = open_relay(self.parts, self.redis, self.redis)
        self.api = Api(create_app(self.parts))

    def finish(self, ruleset: str = "zhen", **more: Any) -> str:
        """A match that Ben resigned after some moves."""
        seats = [{"player": self.ann}, {"player": self.ben}]
        match = self.api.new_match(self.ann_token, seats, ruleset, **more)
        path = f"/v1/matches/{match}"
        salted = ruleset == "toy"
        self.api.post(f"{path}/seats/2", self.ben_token, {"entropy": "b"} if salted else {})
        if salted:
            self.api.post(f"{path}/entropy", self.ann_token, {"entropy": "a"})
        for number, move in enumerate(["push", "hold"] if salted else ["+5", "+6", "+4"]):
            self.api.post(f"{path}/moves", (self.ann_token, self.ben_token)[number % 2], {"move": move})
        self.api.post(f"{path}/withdrawal", self.ben_token, {})
        assert self.status(match) == "ended"
        return match

    def work(self) -> None:
        """Relay the feed, do all jobs, and relay their results."""
        for _ in range(2):
            self.follow()
            worker = Worker([self.queue], connection=self.redis, serializer=JSONSerializer)
            worker.work(burst=True, logging_level="WARNING")

    def status(self, match: str) -> str:
        return self.api.get(f"/v1/matches/{match}", self.admin).json["status"]

    def entries(self, match: str) -> list[StoredEvent]:
        return self.new_parts().store.load(match).entries

    def put(self, match: str, entries: Sequence[StoredEvent]) -> None:
        """Rewrite the stream, as somebody with access to the store could."""
        key = f"{{{bucket_of(match)}}}:ev:{match}"
        self.redis.delete(key)
        for version, e, h in entries:
            self.redis.xadd(key, {"e": e, "h": h}, id=f"{version}-0")

    def verify_again(self, match: str) -> Any:
        asked = self.api.post(f"/v1/matches/{match}/verification", self.admin)
        self.work()
        return asked

    def verdict(self, match: str) -> MatchRefuted:
        """The last event, as it is stored."""
        verdict = parse_event(self.entries(match)[-1]).data
        assert isinstance(verdict, MatchRefuted)
        return verdict


@pytest.fixture
def house(server: EmbeddedServer, redis: Redis, monkeypatch: pytest.MonkeyPatch) -> House:
    house = House(server, redis)
    monkeypatch.setattr(verify_module, "process_parts", lambda: house.parts)
    return house


def place_of(entries: Sequence[StoredEvent], word: str) -> int:
    return next(place for place, entry in enumerate(entries) if f'"type":"{word}"'.encode() in entry.e)


Corruption = Callable[[list[StoredEvent]], int]
"""Changes entries, and returns the version at fault."""


def changed(word: str, old: bytes, new: bytes) -> Corruption:
    """Change the bytes of one event, and nothing else."""

    def corrupt(entries: list[StoredEvent]) -> int:
        place = place_of(entries, word)
        assert old in entries[place].e, entries[place].e
        entries[place] = entries[place]._replace(e=entries[place].e.replace(old, new))
        return entries[place].version

    return corrupt


def rewritten(word: str, **fields: Any) -> Corruption:
    """Change one event and all hashes after it, so that the chain holds."""

    def corrupt(entries: list[StoredEvent]) -> int:
        events = [parse_event(entry) for entry in entries]
        place = place_of(entries, word)
        data: Any = events[place].data
        events[place] = events[place]._replace(data=replace(data, **fields))
        entries[:] = link_all(first_link(STREAM[0]), 1, map(format_event, events))
        return place + 1

    return corrupt


STREAM = [""]
"""Of the match that is being corrupted."""

CORRUPTIONS: dict[str, tuple[str, Corruption]] = {
    "bytes": ("zhen", changed("move-made", b"{", b"\xff")),
    "bytes with a line feed": ("zhen", changed("move-made", b'"at":', b'\n\n"at":')),
    "bytes of the first event": ("zhen", changed("match-created", b"{", b"?")),
    "bytes of the end": ("zhen", changed("match-ended", b"}", b"")),
    "a hash": ("zhen", lambda entries: _with_hash(entries, 4)),
    "a move": ("zhen", changed("move-made", b'"+5"', b'"+4"')),
    "a roll": ("toy", changed("dice-rolled", b'"values":[', b'"values":[1')),
    "the outcome": ("zhen", changed("match-ended", b'"ranks":[1,2]', b'"ranks":[2,1]')),
    "a move, and all hashes": ("zhen", rewritten("move-made", move="+99")),
    "a roll, and all hashes": ("toy", rewritten("dice-rolled", values=(1, 9))),
    "the outcome, and all hashes": ("zhen", rewritten("match-ended", ranks=(2, 1))),
}


def _with_hash(entries: list[StoredEvent], version: int) -> int:
    entries[version - 1] = entries[version - 1]._replace(h=bytes(32))
    return version


READS = (
    "",
    "/events",
    "/events?after=3&limit=2",
    "/legal-moves",
    "/positions/0",
    "/positions/2",
    "/positions/2?version=6",
    "/positions/99",
    "/annulment",
    "/bundle",
    "/record",
    "/verification",
)


def read_all(house: House, match: str) -> list[Any]:
    path = f"/v1/matches/{match}"
    answers = [
        house.api.get(f"{path}{read}", token) for read in READS for token in (None, house.ann_token, house.admin)
    ]
    for accept in ("application/x-ndjson", "text/event-stream"):
        answers.append(house.api.get(f"{path}/events", house.admin, headers={"Accept": accept}, buffered=False))
    answers.append(house.api.get(f"{path}/positions/1", house.admin, headers={"Accept": "text/plain"}))
    for asked in ("moves", "withdrawal", "draw", "rematch", "forks", "abort", "take-back", "seats/1/invitations"):
        body = {"moves": {"move": "+1"}, "draw": {"action": "offer"}, "forks": {"ply": 1}, "take-back": {"ply": 0}}
        for token in (house.ann_token, house.admin):
            answers.append(house.api.post(f"{path}/{asked}", token, body.get(asked, {})))
    return answers


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_a_match_changed_by_hand_is_refuted_and_scored_once_it_is_put_right(house, name):
    ruleset, corrupt = CORRUPTIONS[name]
    good = house.finish(rated=True)
    match, whole, version = corrupted(house, ruleset, corrupt, rated=True)
    entries = house.entries(match)
    house.work()

    assert house.verdict(match).version == version
    assert house.status(good) == "scored"
    table = house.api.get("/v1/ratings/zhen").json["players"]
    assert [(row["player"], row["matches"]) for row in table] == [(house.ann, 1), (house.ben, 1)]
    assert [row["match"] for row in house.api.get("/v1/matches?status=scored").json["matches"]] == [good]
    assert house.redis.zrange(REFUTED, 0, -1) == [match.encode()]
    for answered in read_all(house, match):
        assert answered.status_code < 500, (answered.request.path, answered.json)

    if entries[-1].h == whole[-1].h:
        house.put(match, [*whole, *house.entries(match)[len(whole) :]])
        verdicts = ["match-refuted", "match-verified", "match-scored"]
    else:
        # The verdict follows from hashes that were replaced together with the forged events.
        house.put(match, whole)
        verdicts = ["match-verified", "match-scored"]
    asked = house.verify_again(match)
    assert (asked.status_code, asked.json["due"]) == (202, True)
    assert house.status(match) == "scored"
    assert house.types(match)[len(whole) :] == verdicts
    assert house.redis.zcard(REFUTED) == 0
    shown = house.api.get(f"/v1/matches/{match}").json
    assert (shown["fault"], shown["score"]["ledger"]) == (None, 3 if ruleset == "zhen" else 2)
    assert house.verify_again(match).json["due"] is False
    assert house.entries(match)[: len(whole)] == whole


def corrupted(house: House, ruleset: str, corrupt: Corruption, **more: Any) -> tuple[str, list[StoredEvent], int]:
    """A match that was changed before anybody else has read it, its events before that, and the version at fault."""
    match = house.finish(ruleset, **more)
    STREAM[0] = match
    whole = house.entries(match)
    entries = list(whole)
    version = corrupt(entries)
    house.put(match, entries)
    house.restart()
    return match, whole, version


def refuted_match(house: House, **more: Any) -> tuple[str, list[StoredEvent]]:
    """A match that is refuted, for a move that was changed, and its events before that."""
    match, whole, _ = corrupted(house, "zhen", changed("move-made", b'"+5"', b'"+4"'), **more)
    house.work()
    assert house.status(match) == "refuted"
    return match, whole


def test_refuted_matches_are_counted_listed_and_named_by_the_doctor_and_private_ones_for_overseers(house):
    def find() -> Finding:
        return next(found for found in examine_work(house.parts) if found.topic == "refuted")

    assert find().state == "ok"
    public, private = refuted_match(house)[0], refuted_match(house, private=True)[0]
    listed = [
        [row["match"] for row in house.api.get("/v1/matches?status=refuted", token).json["matches"]]
        for token in (None, house.admin)
    ]
    assert listed == [[public], [private, public]]
    assert "plyscribe_refuted_matches 2.0" in house.api.get("/metrics", house.admin).text
    assert (find().state, public in find().text) == ("wrong", True)


def test_a_match_that_is_still_wrong_is_refuted_again_and_a_scan_finds_it(house):
    match, _ = refuted_match(house)
    assert house.verify_again(match).json["status"] == "refuted"
    assert house.types(match)[-3:] == ["match-ended", "match-refuted", "match-refuted"]
    house.redis.delete(REFUTED)
    house.redis.zadd(REFUTED, {house.finish(): 1})
    house.restart()
    house.relay.step(block_ms=0)
    assert house.redis.zrange(REFUTED, 0, -1) == [match.encode()]


def test_asking_twice_is_asking_once_and_a_process_that_saw_the_damage_sees_the_repair(house):
    match, whole = refuted_match(house)
    assert house.api.get(f"/v1/matches/{match}").json["fault"]["version"] == 4
    house.put(match, [*whole, *house.entries(match)[len(whole) :]])
    assert house.api.get(f"/v1/matches/{match}").json["fault"] is None
    first, second = (house.api.post(f"/v1/matches/{match}/verification", house.admin, key="k") for _ in range(2))
    assert first.json == second.json
    house.work()
    assert house.status(match) == "scored"
    assert len(house.entries(match)) == len(whole) + 3


def test_only_administrators_have_matches_verified_again_and_only_those_that_have_ended(house):
    refuted, _ = refuted_match(house)
    under_way = house.api.new_match(house.ann_token)
    for match, token, refusal in (
        (refuted, house.ann_token, (403, "auth/scope")),
        (under_way, house.admin, (409, "match/not-ended")),
    ):
        refused = house.api.post(f"/v1/matches/{match}/verification", token)
        assert (refused.status_code, refused.json["code"]) == refusal


def test_bytes_that_are_not_an_event_are_shown_as_they_are(house):
    match = house.finish()
    entries = house.entries(match)
    entries[3] = entries[3]._replace(e=b"\xff\n")
    house.put(match, entries)
    [shown] = house.api.get(f"/v1/matches/{match}/events?after=3&limit=1").json["events"]
    assert (shown["type"], shown["version"], b64decode(shown["data"]["bytes"])) == ("unreadable", 4, b"\xff\n")
    lines = house.api.get(f"/v1/matches/{match}/events", headers={"Accept": "application/x-ndjson"}).text.splitlines()
    assert len(lines) == len(entries) + 1
    followed = house.parts.match_events.read(match, 0, 100)
    assert [entry.number for entry in followed] == [entry.version for entry in entries]
    assert followed[3].type == "unreadable"


@pytest.mark.parametrize("name", ["bytes of the first event", "bytes of the end"])
def test_a_match_whose_end_cannot_be_read_is_refuted_even_if_its_job_was_lost(house, name):
    ruleset, corrupt = CORRUPTIONS[name]
    match, _, version = corrupted(house, "toy" if name == "bytes of the end" else ruleset, corrupt)
    house.relay.step(block_ms=0)
    house.queue.empty()
    house.redis.delete(PENDING)
    house.restart()
    house.relay.step(block_ms=0)
    house.work()
    assert house.verdict(match).version == version
