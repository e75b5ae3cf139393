"""The relay while the server of the queues is away: what needs no queue goes on, and no job is lost."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest
from redis import Redis

from plyscribe.domain.commands import CreateMatch, MakeMove, Withdraw
from plyscribe.domain.events import Account, BuiltIn
from plyscribe.service.access.accounts import Principal
from plyscribe.service.access.reading import OVERSEERS
from plyscribe.service.config import Config, parse_key
from plyscribe.service.health.readiness import Readiness, watch_readiness
from plyscribe.service.lists.matches import MatchFilter
from plyscribe.service.lists.projections import is_complete
from plyscribe.service.processes.embedded import EmbeddedServer, start_server
from plyscribe.service.queues import SWEEPS, play_queue, verify_queue
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import StoreUnavailable
from plyscribe.service.store.redis import connect_client
from plyscribe.workers.relay import open_relay
from tests.store.given import eventually
from tests.workers.given import ANN, ME, Workplace

ROBOT = BuiltIn("random", 1, 7, None)


class Rig(Workplace):
    """A store, a second server for the queues, and a relay with all its duties."""

    def __init__(self, redis: Redis, store: EmbeddedServer, queues: EmbeddedServer) -> None:
        super().__init__(redis, Config(store.url, queues.url, parse_key("5a" * 32)))
        self.queues, self.jobs = queues, connect_client(queues.url, 0.3)
        self.relay = open_relay(self.parts, redis, self.jobs)

    def open_match(self, *seats: Account | BuiltIn, **more: object) -> str:
        return self.open(CreateMatch, ruleset="zhen", seats=seats, **more)

    def relay_until(self, done: Callable[[], object]) -> None:
        def is_done() -> bool:
            self.relay.step(block_ms=50)
            return bool(done())

        eventually(is_done)

    def listed_status(self, match: str) -> str | None:
        page = self.parts.lists.matches.read(MatchFilter(), Principal("", OVERSEERS), 50, None)
        rows = [row for row in page.rows if match.encode() in row]
        return "ended" if rows and b'"ended"' in rows[0] else None


@pytest.fixture
def rig(redis, server, tmp_path) -> Iterator[Rig]:
    rig = Rig(redis, server, start_server(tmp_path / "queues"))
    yield rig
    rig.jobs.connection_pool.disconnect()
    rig.queues.stop()


@contextmanager
def stopped(rig: Rig) -> Iterator[None]:
    os.kill(rig.queues.process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(rig.queues.process.pid, signal.SIGCONT)


@contextmanager
def killed(rig: Rig) -> Iterator[None]:
    rig.queues.process.kill()
    rig.queues.process.wait()
    yield
    rig.queues = start_server(rig.queues.directory)


def finds_queues_away(readiness: Readiness) -> bool:
    """Whether it says so. Its first look may take too long on a busy machine."""
    with suppress(StoreUnavailable):
        return readiness.read().queues == "away"
    return False


@pytest.mark.parametrize("trouble", [stopped, killed])
def test_lists_inboxes_and_deadlines_go_on_and_no_job_is_lost(rig, caplog, trouble):
    with trouble(rig):
        over = rig.open_match(ME, ME)
        rig.do(over, Withdraw, seat=1)
        with_bot = rig.open_match(ME, ROBOT)
        rig.do(with_bot, MakeMove, move="+5")
        late = rig.open_match(ME, ME, limits={"move_ms": 1000})
        rig.relay_until(lambda: rig.listed_status(over))
        rig.relay_until(lambda: FeedGroup(rig.redis).lag() == 0)
        rig.relay_until(lambda: rig.status(late) == "ended")
        rig.relay_until(lambda: all(map(is_complete, rig.parts.projections)))
        assert rig.parts.inboxes.read(ANN.id, 0, 10).entries
        readiness = watch_readiness(rig.parts)
        rig.relay_until(lambda: finds_queues_away(readiness))
        assert "the queues' server takes no jobs" in caplog.text
        assert "a batch of the feed failed" not in caplog.text
        assert rig.redis.hlen(SWEEPS) == 0, "a sweep that could not send counts for nothing"
    with connect_client(rig.queues.url, 60.0) as jobs:
        rig.relay_until(lambda: len(verify_queue(jobs)) >= 2 and len(play_queue(jobs)) >= 1)
        assert all(match in " ".join(verify_queue(jobs).job_ids) for match in (over, late))
        assert with_bot in " ".join(play_queue(jobs).job_ids)
    assert "the queues' server takes jobs again" in caplog.text
