"""`plyscribe doctor`: it finds each fault, names a remedy and changes nothing."""

import json
import os
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree

import pytest
from redis import Redis
from rq.registry import FailedJobRegistry

import plyscribe
from plyscribe.domain.commands import AbortMatch, Actor, Command, CreateMatch, Secret, Withdraw
from plyscribe.domain.events import Account
from plyscribe.service.archive.copies import Progress, note_progress
from plyscribe.service.archive.sealing import Outcome, seal_streams
from plyscribe.service.archive.storage import Archive
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import compose
from plyscribe.service.config import SETTINGS, parse_key, read_config
from plyscribe.service.health.doctor import Finding, examine, work
from plyscribe.service.health.doctor import store as doctor_store
from plyscribe.service.matches.duplicates import share_dice
from plyscribe.service.processes.embedded import EmbeddedServer, find_binary
from plyscribe.service.queues import QUEUES, SEALABLE, SWEEPS, UNSETTLED, WATCHED, WEBHOOK, queue_of, verify_queue
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import CommandKey, UnsupportedServer
from plyscribe.service.store.redis import RedisStore, connect_client
from plyscribe.service.store.requirements import LAYOUT_KEY, require_store
from plyscribe.service.streams.ids import command_of, stream_id
from plyscribe.workers.worker import Worker
from tests.store.own_servers import own_server, replica_of
from tests.system.programs import run_cli
from tests.system.running import KEY, ROOT, free_port, serving, wait_for

PACKAGE = Path(plyscribe.__file__).parent


ANN = Actor("player", "player-" + "a" * 26)


class Patient:
    """A store to examine, healthy except for what a test does to it."""

    def __init__(self, server: EmbeddedServer, data: Path) -> None:
        self.redis = connect_client(server.url, 60.0)
        self.data = data
        self.environ = {
            "REDIS_URL": server.url,
            "PLYSCRIBE_SERVER_KEY": KEY,
            "PLYSCRIBE_RULESETS": "tests.domain.toy:TOY_V1",
            "PLYSCRIBE_READ_URL": f"sqlite:///{data}.read.db",
        }
        self._port = free_port()
        self._parts = compose(read_config(self.environ), RedisStore(self.redis), self.redis)
        FeedGroup(self.redis).read(1)
        self.redis.set(WATCHED, now_ms())
        for name in QUEUES:
            Worker([queue_of(name, self.redis)], connection=self.redis).register_birth()

    def findings(self, **environ: str) -> list[Finding]:
        return list(examine(self.data, "127.0.0.1", self._port, {**self.environ, **environ}))

    def wrong(self, **environ: str) -> dict[str, str]:
        wrong = [found for found in self.findings(**environ) if found.state == "wrong"]
        assert all(found.remedy for found in wrong)
        return {found.topic: found.text for found in wrong}

    def told(self) -> dict[str, str]:
        return {found.topic: found.text for found in self.findings()}

    def note(self, topic: str) -> str:
        return next(found.text for found in self.findings() if (found.topic, found.state) == (topic, "note"))

    def seal(self, match: str) -> Outcome:
        return seal_streams(self._parts.store, Archive((self.data / "archive").absolute().as_uri()), [match])

    def open_match_with_dice(self, shared: bool = False) -> str:
        asked = command_of("test", "POST", "/", None, b"")
        match = stream_id("match", asked)
        key = self._parts.config.server_key
        dice, secret = share_dice(key, match, 2) if shared else key.seal(match)
        seats = (Account(ANN.id), Account(ANN.id) if shared else None)
        create = CreateMatch(actor=ANN, id="00", ruleset="toy", seats=seats, dice=dice, secret=Secret(secret))
        self._execute(match, create, asked, new=True)
        return match

    def _execute(self, match: str, command: Command, asked: CommandKey, new: bool = False) -> None:
        self._parts.matches.execute(match, lambda _: command, asked, new=new)
        enter = self._parts.lists.matches.collect({match: None})
        with self._parts.database.writing() as connection:
            enter(connection)

    def end(self, match: str, kind: type[AbortMatch | Withdraw], **more: int) -> None:
        secret = self._parts.secret_for(self._parts.matches.read(match))
        asked = command_of("test", "POST", "/end", None, b"")
        self._execute(match, kind(actor=ANN, id="01", secret=secret, **more), asked)

    def call_off(self, match: str) -> None:
        self.end(match, AbortMatch)


@pytest.fixture
def patient(tmp_path, monkeypatch) -> Iterator[Patient]:
    # On a machine that is busy with tests, every store is slow.
    monkeypatch.setattr(doctor_store, "SLOW_MS", 60_000.0)
    with EmbeddedServer(tmp_path / "store", find_binary()) as server:
        patient = Patient(server, tmp_path / "data")
        yield patient
        patient.redis.connection_pool.disconnect()


def test_who_is_well_is_told_so_and_nothing_changes(patient):
    patient.open_match_with_dice()
    patient.redis.delete("relay:unsettled")
    before = {key: patient.redis.dump(key) for key in patient.redis.scan_iter()}
    assert patient.wrong() == {}
    told = patient.told()
    assert told["durability"] == "always"
    assert "fits the secrets of 1 of 1 matches in progress" in told["server key"]
    assert {key: patient.redis.dump(key) for key in patient.redis.scan_iter()} == before


def test_on_an_empty_store_nobody_has_followed_the_feed(patient):
    patient.redis.flushall()
    assert set(patient.wrong()) == {"relay", "worker"}
    assert patient.redis.keys() == []


def test_a_setting_of_the_store_by_which_moves_get_lost_is_wrong(patient, monkeypatch):
    for name, value, topic in (
        ("appendfsync", "everysec", "durability"),
        ("maxmemory-policy", "allkeys-lru", "memory"),
        ("no-appendfsync-on-rewrite", "yes", "disk"),
        ("min-replicas-to-write", 1, "writes"),
    ):
        before = patient.redis.config_get(name)[name]
        patient.redis.config_set(name, value)
        assert set(patient.wrong()) == {topic}
        patient.redis.config_set(name, before)
    monkeypatch.setattr(doctor_store, "SLOW_MS", 0.0)
    assert set(patient.wrong()) == {"round trip"}


def test_a_store_that_fills_up_is_a_note_and_one_that_is_nearly_full_is_wrong(patient):
    # Our own questions take memory too, so they must be few beside what is there.
    # The server makes the ballast itself: a request of that size would count too, until the server lets it go.
    patient.redis.setrange("ballast", 20_000_000, b"x")
    used = patient.redis.info("memory")["used_memory"]
    for limit, state in ((used / 0.85, "note"), (used * 1.05, "wrong")):
        patient.redis.config_set("maxmemory", int(limit))
        assert [found.state for found in patient.findings() if found.topic == "memory"] == [state]


def test_a_server_that_cannot_be_the_store_is_told_as_at_start(patient, tmp_path):
    patient.redis.set(LAYOUT_KEY, "99")
    told = patient.wrong()
    assert set(told) == {"store"}
    with pytest.raises(UnsupportedServer) as refused:
        require_store(patient.redis)
    assert told["store"] in str(refused.value)


def test_a_replica_makes_the_durability_a_note(tmp_path):
    binary = find_binary().path
    durable = "--appendonly", "yes", "--appendfsync", "always"
    with own_server(binary, tmp_path / "one", *durable) as one, replica_of(one, binary, tmp_path / "two") as two:

        def told(url: str) -> list[Finding]:
            environ = {"REDIS_URL": url, "PLYSCRIBE_SERVER_KEY": KEY}
            return list(examine(tmp_path / "data", "127.0.0.1", free_port(), environ))

        [durability] = [found for found in told(one.url) if found.topic == "durability"]
        assert (durability.state, durability.text[:28]) == ("note", "unknown: 1 replicas follow t")
        [store] = [found for found in told(two.url) if found.topic == "store"]
        assert (store.state, store.remedy) == ("wrong", f"name its primary, 127.0.0.1 port {one.port}")


def test_queues_on_a_server_that_cannot_hold_them_are_told(patient, tmp_path):
    with own_server(find_binary().path, tmp_path / "node", "--cluster-enabled", "yes") as node:
        assert "node of a cluster" in patient.wrong(RQ_REDIS_URL=node.url)["queue"]


def test_matches_under_way_are_found_among_those_that_are_over(patient, monkeypatch):
    monkeypatch.setattr("plyscribe.service.health.doctor.store.SAMPLE", 1)
    for _ in range(6):
        patient.call_off(patient.open_match_with_dice())
    patient.open_match_with_dice()
    assert "fits the secrets of 0 of 1" in patient.wrong(PLYSCRIBE_SERVER_KEY="00" * 32)["server key"]


def test_each_key_is_told_with_the_matches_under_way_that_need_it(patient):
    for _ in range(3):
        patient.open_match_with_dice()
    assert "fits the secrets of 0 of 3" in patient.wrong(PLYSCRIBE_SERVER_KEY="7e" * 32)["server key"]
    old, unused = parse_key(KEY), parse_key("00" * 32)
    rotated = {"PLYSCRIBE_SERVER_KEY": ",".join(["7e" * 32, KEY, "00" * 32])}
    assert patient.wrong(**rotated) == {}
    told = [found.text for found in patient.findings(**rotated) if found.topic == "older key"]
    assert told == [
        f"id {old.id}, used by the secrets of 3 matches in progress",
        f"id {unused.id}, used by the secrets of 0 matches in progress",
    ]


def test_shared_dice_that_wait_to_be_revealed_need_their_key(patient):
    patient.end(patient.open_match_with_dice(shared=True), Withdraw, seat=1)
    assert "fits the secrets of 0 of 1" in patient.wrong(PLYSCRIBE_SERVER_KEY="7e" * 32)["server key"]


def test_what_waits_too_long_and_what_has_failed_is_told(patient):
    queue = verify_queue(patient.redis)
    job = queue.enqueue("plyscribe.workers.verify_match.verify_matches", [], job_id="late")
    FailedJobRegistry(queue=queue).add(job, ttl=60)
    patient.redis.hset(job.key, "enqueued_at", "2026-01-01T00:00:00.000000Z")
    patient.redis.zadd(SEALABLE, {"match-a": now_ms() - 3_600_000, "match-b": now_ms() + 3_600_000})
    assert set(patient.wrong()) == {"queue"}
    assert "1 jobs failed" in patient.note("queue")
    patient.redis.zadd(UNSETTLED, {"match-x": now_ms() - 3_600_000})
    patient.redis.hset(SWEEPS, "match-x", 7)
    patient.redis.zadd(SEALABLE, {"match-a": now_ms() - 4 * 3_600_000})
    assert set(patient.wrong()) == {"queue", "unsettled", "alarm", "sealing"}
    assert "2 settled matches" in patient.wrong()["sealing"]


def test_appends_that_nobody_relays_are_told(patient, monkeypatch):
    patient.open_match_with_dice()
    monkeypatch.setattr("plyscribe.service.health.vitals.Vitals.store_clock_s", lambda _: time.time() + 3600)
    assert {"feed", "clock"} <= set(patient.wrong())


def test_a_store_that_is_away_hides_nothing_else(patient, tmp_path):
    url = f"redis://127.0.0.1:{free_port()}"
    assert set(patient.wrong(REDIS_URL=url)) == {"store"}
    assert "queue" in patient.wrong(RQ_REDIS_URL=url)


def test_a_setting_that_cannot_be_is_told(patient):
    for name, value, topic in (
        ("PLYSCRIBE_SIGNUP", "open", "setting"),
        ("PLYSCRIBE_RULESETS", "os:path", "ruleset"),
        ("PLYSCRIBE_SERVER_KEY", "short", "settings"),
        ("PLYSCRIBE_METRICS", "all", "settings"),
        ("PLYSCRIBE_LOG", "xml", "setting"),
        ("PLYSCRIBE_LOG_LEVEL", "loud", "setting"),
        ("RQ_REDIS_URL", "http://x", "settings"),
    ):
        assert topic in patient.wrong(**{name: value})
        # The doctor also says so before the first start of a service with the embedded store.
        assert topic in patient.wrong(**{"REDIS_URL": "", name: value})


def test_secrets_that_others_can_read_are_told(patient):
    patient.data.mkdir(mode=0o755)
    (patient.data / "server.key").write_text(KEY)
    os.chmod(patient.data / "server.key", 0o644)
    assert set(patient.wrong()) == {"data", "secret"}


def test_a_full_disk_is_told_before_it_is_full(patient, monkeypatch):
    def left(free: int) -> None:
        monkeypatch.setattr(
            "plyscribe.service.health.doctor.machine.shutil.disk_usage", lambda _: type("Usage", (), {"free": free})
        )

    left(10_000_000)
    assert set(patient.wrong()) == {"disk"}
    left(3 * 1024**3)
    assert patient.wrong() == {}
    assert patient.note("disk").startswith("3.0 GiB")


def test_a_port_that_another_program_has_is_told(patient):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        [told] = [each for each in examine(patient.data, "127.0.0.1", port, patient.environ) if each.topic == "port"]
    assert (told.state, told.remedy) == ("wrong", "choose another with --port")


def test_a_service_that_runs_is_examined_by_its_data_directory(tmp_path):
    with serving(tmp_path / "data") as service:
        port = service.url.rpartition(":")[2]

        def examine_it():
            return run_cli("doctor", "--data", str(service.data), "--port", port, "--json")

        wait_for(lambda: examine_it().returncode == 0, why="the last of the workers")
        told = examine_it()
        findings = json.loads(told.stdout)
        assert told.returncode == 0, told.stdout
    assert all(set(found) == {"topic", "state", "text", "remedy"} for found in findings)
    assert [found["text"] for found in findings if found["topic"] == "worker"] == [
        f"1 on the queue {name}" for name in QUEUES if name != WEBHOOK
    ]
    by_topic = {found["topic"]: found["text"] for found in findings}
    assert by_topic["port"].startswith("the API answers")
    assert "last at work" in by_topic["relay"]


def test_every_setting_is_documented():
    told = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    assert [name for name in SETTINGS if f"| `{name}` |" not in told] == []


def test_every_setting_that_is_read_is_one():
    sources = [*(PACKAGE / "service").rglob("*.py"), *(PACKAGE / "workers").rglob("*.py")]
    read = {
        name for path in sources for name in re.findall(r'"(PLYSCRIBE_[A-Z_]+[A-Z])"', path.read_text(encoding="utf-8"))
    }
    assert read == set(SETTINGS)


def test_redis_is_examined_too(redis_url, tmp_path):
    findings = list(examine(tmp_path, "127.0.0.1", free_port(), {"REDIS_URL": redis_url, "PLYSCRIBE_SERVER_KEY": KEY}))
    wrong = {found.topic for found in findings if found.state == "wrong"}
    assert wrong == {"relay", "worker", "data"} - ({"data"} if not tmp_path.stat().st_mode & 0o077 else set())
    with Redis.from_url(redis_url) as redis:
        assert redis.keys() == []


def test_an_archive_that_cannot_be_written_to_is_wrong(patient, tmp_path):
    (place := tmp_path / "archive").mkdir()
    address = {"PLYSCRIBE_ARCHIVE": place.as_uri()}
    assert patient.wrong(**address) == {}
    place.rmdir()
    place.write_bytes(b"no folder")
    assert place.as_uri() in "".join(patient.wrong(**address).values())


def test_one_lost_pack_of_many_is_found_each_time(patient, monkeypatch):
    monkeypatch.setattr(work, "PLACES", 1)
    patient.redis.delete("relay:unsettled")
    patient.data.mkdir(mode=0o700)
    matches = [patient.open_match_with_dice() for _ in range(6)]
    for match in matches:
        patient.call_off(match)
        assert patient.seal(match).sealed == 1
    assert patient.wrong() == {}
    assert patient.told()["places"] == "6 sealed matches are in 6 packs, which are all there"
    [*_, path] = (patient.data / "archive").rglob("*.pack")
    path.unlink()
    for _ in range(3):
        assert patient.wrong()["places"].startswith("1 of 6 sealed matches are in packs that are gone; match-")
    rmtree(patient.data / "archive")
    assert "there are sealed matches" in patient.wrong()["archive"]
    assert not (patient.data / "archive").exists()


def test_copies_that_fall_behind_are_wrong(patient):
    patient.data.mkdir(mode=0o700)
    copies = Archive((patient.data / "archive").absolute().as_uri()).copies
    for age_h, is_wrong in ((1, False), (26, True)):
        note_progress(copies, Progress(copied_ms=now_ms() - age_h * 3_600_000))
        assert ("copies" in patient.wrong()) is is_wrong
    assert "26.0 hours ago" in patient.wrong()["copies"]
    note_progress(copies, Progress(begun_ms=5))
    assert "not complete" in patient.told()["copies"]
