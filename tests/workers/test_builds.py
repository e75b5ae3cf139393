"""Lists kept by the relay and built again from the streams, over a real store."""

import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from redis import Redis

from plyscribe.domain.commands import Actor
from plyscribe.domain.layouts import EXPLORER
from plyscribe.domain.rulesets import RULESETS
from plyscribe.service.composition import compose
from plyscribe.service.database.engine import Database
from plyscribe.service.database.feed_places import Places
from plyscribe.service.database.table_sets import BuildLost, declare
from plyscribe.service.health.doctor import examine
from plyscribe.service.lists import matches as match_list
from plyscribe.service.lists import projections
from plyscribe.service.lists.match_rows import define_tables
from plyscribe.service.lists.projections import FeedLag, Lag, ListSink, is_complete, needs_build, rebuild
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import StoreUnavailable, bucket_of
from plyscribe.service.store.redis import RedisStore, connect_client
from plyscribe.workers.duties.builds import Builds
from plyscribe.workers.duties.projecting import Projector
from plyscribe.workers.relay import Relay
from tests.service.conftest import CONFIG
from tests.service.random_matches import Play, dump
from tests.store.given import eventually
from tests.store.own_servers import free_port
from tests.workers.given import Killed, Workplace, kill

OPERATOR = Actor("system", "test")


class Rig(Workplace):
    """A store, a relay that keeps lists, and somebody who plays."""

    def __init__(self, redis: Redis, read_url: str) -> None:
        super().__init__(redis, replace(CONFIG, read_url=read_url))
        feed, lists = FeedGroup(redis), self.parts.lists.projections
        self.builds = Builds(self.parts, redis)
        self.projector = Projector(feed, self.parts.database, [ListSink(lists)], [each.table for each in lists])
        self.projector.chores[0]._every_s = 0.0
        self.relay = Relay(feed, [self.projector, self.builds])
        self.play = Play(self.new_parts(), seed=11)

    @property
    def matches(self) -> Any:
        return self.parts.lists.matches

    def follow(self) -> None:
        """Let the relay take everything, and the database catch up with it."""
        super().follow()
        self.relay.step(block_ms=0)

    def build(self) -> None:
        for projection in self.new_parts().projections:
            rebuild(self.parts.store, projection)

    def content(self) -> dict[str, Any]:
        """All that the database keeps of the list of matches."""
        return dump(self.matches.table)

    def listed(self) -> int:
        """How many matches are listed."""
        return len(self.content()[self.matches.table.live.matches.name])


@pytest.fixture
def rig(redis: Redis, read_url: str) -> Rig:
    rig = Rig(redis, read_url)
    # It finds its places, and nothing is built yet.
    rig.projector.catch_up()
    return rig


def test_lists_that_follow_the_feed_have_what_a_build_has(rig):
    rig.build()
    for _ in range(20):
        rig.play.go_on(40)
        rig.follow()
    followed = rig.content()
    rig.build()
    assert rig.content() == followed
    assert rig.listed() == len(rig.play.matches) > 50


def test_a_stream_is_read_once_for_each_batch(rig, monkeypatch):
    rig.build()
    rig.play.create()
    [match] = rig.play.matches
    for _ in range(20):
        rig.play.step(match)
    load, loads = rig.parts.store.load, []
    monkeypatch.setattr(rig.parts.store, "load", lambda stream, *more: loads.append(stream) or load(stream, *more))
    rig.relay.step(block_ms=0)
    assert [stream for stream in loads if stream.startswith("match-")] == [match]


def test_a_stream_that_cannot_be_read_keeps_no_other_off_the_list(rig, caplog):
    rig.build()
    rig.play.go_on(60)
    broken = rig.play.matches[0]
    rig.spoil(broken)
    rig.follow()
    assert rig.listed() == len(rig.play.matches) - 1
    assert f"{broken} cannot be listed" in caplog.text


def test_a_relay_builds_what_an_older_release_left_out(rig):
    rig.play.go_on(200)
    rig.parts.accounts.sign_up(OPERATOR, "Ann", "person", ("play",))
    group = FeedGroup(rig.redis)
    while group.read(1000):
        group.ack()
    assert rig.listed() == 0
    assert not any(map(is_complete, rig.parts.projections))
    rig.relay.step(block_ms=0)
    eventually(lambda: all(map(is_complete, rig.parts.projections)))
    assert rig.listed() == len(rig.play.matches)
    assert len(rig.parts.lists.players.read("", None, 10, None).rows) == 1


def test_a_list_with_another_layout_is_built_again(rig, monkeypatch):
    rig.build()
    assert not needs_build(rig.matches)
    monkeypatch.setattr(match_list, "TABLES", declare(99, define_tables))
    assert is_complete(rig.matches)
    upgraded = rig.new_parts().lists.matches
    assert needs_build(upgraded)
    assert upgraded.count(["zhen"]) == {"zhen": 0}
    Builds(rig.new_parts(), rig.redis).build_missing()
    eventually(lambda: is_complete(upgraded))
    with rig.parts.database.reading() as connection:
        assert not sa.inspect(connection).has_table(rig.matches.table.live.matches.name), "the old tables are gone"


def test_a_relay_restarts_a_build_that_died_and_leaves_one_alone_that_is_alive(rig):
    rig.matches.table.begin(projections.now_ms())
    assert not needs_build(rig.matches)
    rig.build()
    rig.matches.table.begin(projections.now_ms() - projections.SILENT_MS - 1)
    assert needs_build(rig.matches)
    rig.builds.build_missing()
    eventually(lambda: rig.matches.table.state().build_ms is None)
    assert is_complete(rig.matches)


def test_lists_are_built_while_others_write_and_read(rig):
    rig.play.go_on(100)
    rig.build()
    stop = threading.Event()

    def write(seed: int) -> None:
        play = Play(rig.new_parts(), seed)
        while not stop.is_set():
            play.go_on(5)

    counts: list[int] = []

    def read() -> None:
        parts = rig.new_parts()
        while not stop.is_set():
            counts.append(sum(parts.lists.matches.count([ruleset.id for ruleset in RULESETS]).values()))
            time.sleep(0.005)

    threads = [threading.Thread(target=write, args=[seed]) for seed in (1, 2)]
    threads += [threading.Thread(target=rig.relay.run), threading.Thread(target=read)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        rig.build()
    stop.set()
    for thread in threads[:2]:
        thread.join()
    eventually(lambda: FeedGroup(rig.redis).lag() == 0)
    rig.relay.stop()
    for thread in threads:
        thread.join()
    written = rig.content()
    # Readers saw the earlier matches at every moment.
    assert counts == sorted(counts)
    rig.build()
    assert rig.content() == written


def test_a_build_drops_rows_of_streams_that_are_gone_and_repairs_a_damaged_list(rig):
    rig.build()
    rig.play.go_on(100)
    rig.follow()
    right, gone = rig.content(), rig.play.matches[0]
    with rig.parts.database.writing() as connection:
        for table in rig.matches.table.live:
            connection.execute(sa.delete(table).where(table.primary_key.columns.values()[0] > "match-m"))
    assert rig.content() != right
    rig.build()
    assert rig.content() == right
    rig.redis.delete(f"{{{bucket_of(gone)}}}:ev:{gone}")
    rig.redis.zrem(f"{{{bucket_of(gone)}}}:streams", gone)
    assert gone in repr(rig.content())
    rig.build()
    assert gone not in repr(rig.content())


def test_a_build_that_dies_changes_nothing_and_the_next_one_succeeds(rig):
    rig.build()
    rig.play.go_on(300)
    rig.follow()
    before = rig.content()
    with pytest.raises(Killed):
        rebuild(rig.parts.store, rig.new_parts().lists.matches, kill)
    assert rig.content() == before
    rig.play.go_on(100)
    rig.follow()
    followed = rig.content()
    rig.build()
    assert rig.content() == followed


def test_what_an_earlier_release_kept_in_the_store_is_removed_once_it_is_built_here(rig):
    account = "player-" + "a" * 26
    old = [f"{{{bucket_of(account)}}}:{kind}:{account}" for kind in ("inbox", "inbox-keys")]
    old += ["{lists:matches}:meta", "{lists:matches}:a:rows", "{lists:players}:b:lists"]
    for key in old:
        rig.redis.set(key, "old")
    rig.play.go_on(20)
    kept = set(rig.redis.keys()) - {key.encode() for key in old}
    rig.builds.build_missing()
    eventually(lambda: not rig.redis.exists(*old))
    eventually(lambda: all(map(is_complete, rig.parts.projections)))
    assert kept <= set(rig.redis.keys())


def test_the_later_of_two_builds_counts(rig):
    rig.play.go_on(100)

    def begin_another(built) -> None:
        rebuild(rig.parts.store, rig.new_parts().lists.matches)

    with pytest.raises(BuildLost):
        rebuild(rig.parts.store, rig.matches, begin_another)
    assert rig.listed() == len(rig.play.matches)


def test_the_command_may_be_killed_and_run_again(rig, server):
    rig.build()
    rig.play.go_on(2000)
    rig.follow()
    followed = rig.content()
    env = {**os.environ, "REDIS_URL": server.url, "PLYSCRIBE_SERVER_KEY": CONFIG.server_key.key.hex()}
    env |= {"PLYSCRIBE_RULESETS": "tests.domain.toy:TOY_V1", "PLYSCRIBE_READ_URL": rig.config.read_url}
    command = [sys.executable, "-m", "plyscribe", "rebuild", "matches"]
    state = rig.matches.table.state
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL) as killed:
        eventually(lambda: state().build_ms is not None or killed.poll() is not None)
        killed.kill()
    printed = subprocess.run(command, env=env, check=True, capture_output=True, text=True, timeout=60).stdout
    assert f"{len(rig.play.matches)} streams" in printed
    assert state().build_ms is None
    assert rig.content() == followed


def test_the_lag_is_what_the_relay_has_not_taken(rig, monkeypatch):
    monkeypatch.setattr(projections, "LAG_CACHED_S", 0)
    lag = rig.parts.lists.lag
    assert lag() == Lag(0, 0, complete=False)
    rig.build()
    rig.play.create()
    time.sleep(0.01)
    behind = lag()
    assert (behind.entries, behind.complete) == (1, True)
    assert behind.ms >= 10
    rig.follow()
    assert lag() == Lag(0, 0, complete=True)
    monkeypatch.setattr(projections, "LAG_CACHED_S", 600.0)
    lag()
    rig.play.create()
    assert lag() == Lag(0, 0, complete=True), "it is read once in so many seconds"


def test_a_lag_that_cannot_be_read_is_not_made_up():
    away = connect_client(f"redis://127.0.0.1:{free_port()}", 0.2)
    lag = FeedLag(away, Places(Database()), [])
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            lag()


def test_the_doctor_shows_which_lists_are_built(rig, server, monkeypatch, tmp_path):
    monkeypatch.setenv("REDIS_URL", server.url)
    monkeypatch.setenv("PLYSCRIBE_SERVER_KEY", CONFIG.server_key.key.hex())
    monkeypatch.setenv("PLYSCRIBE_READ_URL", rig.config.read_url)

    def show_state() -> set[tuple[str, str]]:
        return {(found.state, found.text.partition(",")[2]) for found in examine(tmp_path) if found.topic == "list"}

    assert show_state() == {("note", " not built")}
    for projection in rig.parts.projections:
        projection.table.begin(projections.now_ms())
    assert show_state() == {("note", " being built")}
    rig.build()
    assert show_state() == {("ok", " complete")}


def test_the_explorer_is_built_once_no_older_release_is_at_work(rig):
    layout = EXPLORER - 1
    parts = compose(rig.config, RedisStore(rig.redis), rig.redis, lambda: layout)
    builds = Builds(parts, rig.redis)

    def list_incomplete() -> list[str]:
        builds.build_missing()
        return [each.name for each in parts.projections if not is_complete(each)]

    eventually(lambda: list_incomplete() == ["explorer"])
    layout = EXPLORER
    eventually(lambda: list_incomplete() == [])
