"""SIGTERM: work in progress is finished or done again, and what was answered stays."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import rq
from redis import Redis
from rq.registry import FailedJobRegistry

from plyscribe.service.queues import WATCHED, verify_queue
from tests.system.running import WITHIN_S, Serving, descendants, free_port, process, serving, wait_for
from tests.system.test_killed import check_all, writing

VICTIMS = ("verify", "relay", "web", "everything") * 3
PAUSE_S = 0.7


def enqueue_slow(redis: Redis, directory: Path, seconds: float, name: str = "job") -> tuple[Path, Path]:
    """The files that show that a slow job began and ended."""
    started, done = directory / f"{name}.started", directory / f"{name}.done"
    verify_queue(redis).enqueue("tests.system.programs.take_long", str(started), str(done), seconds, job_id=name)
    return started, done


def store_of(service: Serving) -> Redis:
    return Redis(unix_socket_path=str(service.data / "store" / "store.sock"))


def test_a_worker_finishes_the_job_in_hand_and_leaves_the_next_one(redis_url, tmp_path):
    with (
        Redis.from_url(redis_url) as redis,
        process("-m", "plyscribe.workers", "verify", REDIS_URL=redis_url) as worker,
    ):
        started, done = enqueue_slow(redis, tmp_path, 5)
        enqueue_slow(redis, tmp_path, 0, "next")
        wait_for(started.exists, why="the job")
        worker.terminate()
        assert worker.wait(WITHIN_S) == 0
        assert done.exists()
        assert verify_queue(redis).job_ids == ["next"]


IS_IDLE: dict[str, Callable[[Redis], object]] = {
    "verify": lambda redis: "idle" in [worker.get_state() for worker in rq.Worker.all(redis)],
    "relay": lambda redis: redis.exists(WATCHED),
}


@pytest.mark.parametrize("kind", IS_IDLE)
def test_who_is_idle_ends_at_once(redis_url, kind):
    with process("-m", "plyscribe.workers", kind, REDIS_URL=redis_url) as idle, Redis.from_url(redis_url) as redis:
        wait_for(lambda: IS_IDLE[kind](redis), why=kind)
        idle.terminate()
        assert idle.wait(WITHIN_S) == 0


def test_a_second_signal_does_not_wait_for_the_job_in_hand(tmp_path):
    with serving(tmp_path / "data") as service:
        below = descendants(service.process.pid)
        with store_of(service) as redis:
            started, _ = enqueue_slow(redis, tmp_path, 600)
        wait_for(started.exists, why="the job")
        service.process.send_signal(signal.SIGINT)
        wait_for(lambda: "stopping …" in service.output.read_text(), why="the first signal")
        service.process.send_signal(signal.SIGINT)
        assert service.process.wait(WITHIN_S) == 1
        assert "Traceback" not in service.output.read_text()
        wait_for(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in below), why="the end of all processes")


def terminate(service: Serving, name: str) -> None:
    for pid in service.pids(name):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)


def test_nothing_is_lost_whatever_is_told_to_stop_under_load(tmp_path):
    port, data = free_port(), tmp_path / "data"
    service = Serving(data, port)
    try:
        service.wait_until_ready()
        with writing(service.url) as (writers, _):
            for victim in VICTIMS:
                time.sleep(PAUSE_S)
                if victim == "everything":
                    service.stop()
                    assert service.process.returncode == 0, service.output.read_text()
                    service = Serving(data, port)
                    service.wait_until_ready()
                else:
                    terminate(service, victim)
        service.wait_until_ready()
        check_all(service, writers)
        with store_of(service) as redis:
            assert FailedJobRegistry(queue=verify_queue(redis)).get_job_ids(cleanup=False) == []
    finally:
        service.stop()
