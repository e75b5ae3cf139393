"""The layout for one machine, run from deploy/topology.toml as plain processes behind the proxy of the kit."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from deploy.topology import Kit, fill_kit
from plyscribe.service import metrics
from plyscribe.service.client import Client
from plyscribe.service.processes.embedded import find_binary
from plyscribe.service.queues import QUEUES
from tests.deploy.kit import DEPLOY, METRIC, find_program, list_named_metrics
from tests.system.running import (
    KEY,
    ROOT,
    WITHIN_S,
    environment,
    free_port,
    is_ready,
    pair,
    process,
    status_of,
    wait_for,
)

pytestmark = pytest.mark.server

PLACES = {"host": "127.0.0.1", "names": "", "key": "", "sign_up": "open", "metrics": "open"}
SHORT = {"tiles": 6, "cubes": 6, "ply_limit": 20}
OURS = ("PLYSCRIBE_", "REDIS_", "RQ_", "PROMETHEUS_")


class Machine:
    """A machine with a store, a key, and the processes of the layout."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
        programs = f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"
        self.outside = {**kept, "PATH": programs, "PYTHONPATH": str(ROOT)}

    def fill(self, store: str) -> Kit:
        key = self.folder / "server.key"
        self.run("plyscribe", "make-key", "--file", str(key))
        for name in ("data", "run"):
            (self.folder / name).mkdir()
        places = {name: str(self.folder / name) for name in ("data", "run")}
        return fill_kit(
            "loopback", "one", {**PLACES, **places, "store": store, "port": str(self.port), "key_file": str(key)}
        )

    def run(self, *argv: str, env: Mapping[str, str] | None = None) -> None:
        settings = {**self.outside, **(env or {})}
        ran = subprocess.run(argv, env=settings, cwd=self.folder, capture_output=True, timeout=60)
        assert ran.returncode == 0, ran.stderr

    def start(self, name: str, argv: tuple[str, ...], env: Mapping[str, str]) -> None:
        with (self.folder / f"{name}.log").open("wb") as log:
            self.processes[name] = subprocess.Popen(
                argv, env={**self.outside, **env}, stdout=log, stderr=log, cwd=self.folder
            )

    def stop(self) -> dict[str, int]:
        """How each process ended, after it was told to stop."""
        for child in self.processes.values():
            child.terminate()
        try:
            return {name: child.wait(WITHIN_S) for name, child in self.processes.items()}
        finally:
            for child in self.processes.values():
                child.kill()

    def logs(self) -> str:
        return "\n".join(f"{path.name}: {path.read_text()}" for path in self.folder.glob("*.log"))


@contextmanager
def stored(folder: Path) -> Iterator[str]:
    """The address of a store, started as its unit starts it."""
    unit = (DEPLOY / "systemd" / "plyscribe-store.service").read_text(encoding="utf-8")
    [command] = re.findall(r"(?m)^ExecStart=(.*)$", unit)
    folders = {"/var/lib/plyscribe-store": folder / "store", "/run/plyscribe-store": folder / "socket"}
    places = {
        "/usr/bin/valkey-server": find_binary().path,
        "/etc/plyscribe/store.conf": DEPLOY / "store.conf",
        **folders,
    }
    for place, here in places.items():
        assert place in command
        command = command.replace(place, str(here))
    for made in folders.values():
        made.mkdir()
    with (folder / "store.log").open("wb") as log:
        server = subprocess.Popen(command.split(), stdout=log, stderr=log)
    try:
        yield f"unix://{folder / 'socket' / 'store.sock'}"
    finally:
        server.terminate()
        server.wait(WITHIN_S)


@contextmanager
def machine(folder: Path) -> Iterator[tuple[Machine, Kit]]:
    here = Machine(folder)
    with stored(folder) as store:
        kit = here.fill(store)
        try:
            for kind in kit.processes:
                for number in range(kind.count):
                    here.start(f"{kind.name}-{number}", kind.command, kind.environment)
            wait_for(lambda: is_ready(here.url), why="the API")
            yield here, kit
        except BaseException:
            print(here.logs())
            raise
        finally:
            here.stop()


@contextmanager
def proxied(here: Machine) -> Iterator[str]:
    """The address of Caddy, with the kit's file, in front of the API."""
    url = f"http://127.0.0.1:{free_port()}"
    env = {
        "PLYSCRIBE_HOSTS": url,
        "PLYSCRIBE_WEB": f"to 127.0.0.1:{here.port}",
        "CADDY_ADMIN": f"unix/{here.folder}/caddy.sock",
        "HOME": str(here.folder),
    }
    argv = (find_program("caddy"), "run", "--config", str(DEPLOY / "Caddyfile"), "--adapter", "caddyfile")
    here.start("caddy", argv, env)
    wait_for(lambda: is_ready(url), why="the proxy")
    yield url


def read_names(url: str) -> set[str]:
    return set(METRIC.findall(httpx.get(f"{url}/metrics").raise_for_status().text))


def list_countable() -> set[str]:
    """The metrics that processes count once there is something to count."""
    endings = ("", "_total", "_bucket", "_count", "_sum")
    return {f"{family.name}{ending}" for family in metrics._OURS.collect() for ending in endings}


def test_the_layout_for_one_machine_plays_verifies_reports_and_stops(tmp_path):
    with machine(tmp_path) as (here, kit), proxied(here) as url, pair(url) as both:
        ann, ben = both.clients
        with Client(url) as anyone:
            ready = anyone.ready()
        assert (ready["durability"], ready["queues"], ready["lists"]) == ("always", "up", "up")

        match = both.open_match("zhen", options=SHORT)
        news = ben.follow(match)
        seen = [next(news)["type"]]
        both.play_out(match, lambda match: ann.legal_moves(match)[0])
        # The proxy holds back no event, so this ends before the stream does.
        while seen[-1] != "match-ended":
            seen.append(next(news)["type"])
        news.close()
        wait_for(lambda: status_of(ann, match) == "scored", why="the score")

        here.run("plyscribe", "archive", "copy", env=kit.environment)
        assert httpx.get(f"{url}/metrics").status_code == 404, "the proxy keeps the metrics in"
        named = list_named_metrics()
        wait_for(lambda: named - list_countable() <= read_names(here.url), why=f"all of {named}")
        told = httpx.get(f"{here.url}/metrics").text
        started = set(re.findall(r'plyscribe_process_starts_total\{process="(\w+)"\}', told))
        assert started >= {"web", "relay", *QUEUES}

        ended = here.stop()
        assert ended == dict.fromkeys(here.processes, 0)


def test_every_metric_that_is_counted_and_named_is_declared():
    counted = {name for name in list_named_metrics() if name in list_countable()}
    assert {"plyscribe_request_seconds_bucket", "plyscribe_refusals_total", "plyscribe_followers"} <= counted


@pytest.mark.parametrize("kind", ["relay", "verify"])
def test_a_process_without_an_api_reports_its_numbers_at_a_port_of_its_own(redis_url, kind):
    url = f"http://127.0.0.1:{(port := free_port())}"
    with process("-m", "plyscribe.workers", kind, REDIS_URL=redis_url, PLYSCRIBE_METRICS_PORT=str(port)):
        started = f'plyscribe_process_starts_total{{process="{kind}"}} 1.0'
        wait_for(lambda: started in httpx.get(url).text, why="its numbers")


def test_a_process_says_that_it_cannot_report_its_numbers(redis_url):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        settings = {"REDIS_URL": redis_url, "PLYSCRIBE_METRICS_PORT": port, "PLYSCRIBE_SERVER_KEY": KEY}
        env = environment(**settings, PLYSCRIBE_READ_URL="sqlite://")
        argv = [sys.executable, "-m", "plyscribe.workers", "relay"]
        ran = subprocess.run(argv, env=env, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 1
    assert f"error: PLYSCRIBE_METRICS_PORT: cannot listen on 127.0.0.1 port {port}: Address already" in ran.stderr
