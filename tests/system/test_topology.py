"""The layouts of deploy/topology.toml run: one machine, and many machines of which some fail."""

import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import takewhile
from pathlib import Path

import httpx
import pytest

from plyscribe.service import metrics
from plyscribe.service.client import Client
from plyscribe.service.processes.embedded import find_binary
from plyscribe.service.queues import QUEUES
from tests.deploy.kit import DEPLOY, METRIC, list_named_metrics
from tests.store.own_servers import own_server, replica_of
from tests.system.machines import machine, start_proxy, stored
from tests.system.programs import run_module
from tests.system.running import KEY, WITHIN_S, free_port, is_ready, pair, wait_for, wait_until_scored

SHORT = {"tiles": 6, "cubes": 6, "ply_limit": 20}
STARTS = re.compile(r'plyscribe_process_starts_total\{process="(\w+)"\}')


def read_metrics(url: str) -> str:
    return httpx.get(f"{url}/metrics", timeout=WITHIN_S).raise_for_status().text


def list_countable() -> set[str]:
    """The metrics that processes count once there is something to count."""
    endings = ("", "_total", "_bucket", "_count", "_sum")
    return {f"{family.name}{ending}" for family in metrics._OURS.collect() for ending in endings}


def test_the_layout_for_one_machine_plays_verifies_reports_and_stops(tmp_path):
    (data := tmp_path / "data").mkdir()
    port = free_port()
    with stored(tmp_path) as store, machine(tmp_path) as here:
        kit = here.fill("one", store=store, data=str(data), port=str(port))
        for kind in kit.processes:
            for number in range(kind.count):
                here.start(f"{kind.name}-{number}", kind.command, kind.environment)
        web = f"http://127.0.0.1:{port}"
        wait_for(lambda: is_ready(web), within_s=WITHIN_S, why="the API")
        url = start_proxy(here, port)
        with pair(url) as both, Client(url) as anyone:
            wanted = {"durability": "always", "queues": "up", "lists": "up"}
            wait_for(lambda: wanted.items() <= anyone.ready().items(), why="all to be up")
            ann, ben = both.clients
            match = both.open_match("zhen", options=SHORT)
            news = ben.follow(match)
            seen = [next(news)["type"]]
            both.play_out(match)
            # The proxy holds back no event, so this ends before the stream does.
            while seen[-1] != "match-ended":
                seen.append(next(news)["type"])
            news.close()
            wait_until_scored(ann, match)

        here.run("plyscribe", "archive", "copy", env=kit.environment)
        assert httpx.get(f"{url}/metrics", timeout=WITHIN_S).status_code == 404, "the proxy keeps the metrics in"
        named = list_named_metrics() - list_countable()
        assert len(named) > 20
        wait_for(lambda: named <= set(METRIC.findall(read_metrics(web))), why=f"all of {named}")
        kinds = {"web", "relay", *QUEUES}
        wait_for(lambda: set(STARTS.findall(read_metrics(web))) >= kinds, WITHIN_S, "the start of all processes")
        assert here.stop() == dict.fromkeys(here.processes, 0)


def test_every_metric_that_is_counted_and_named_is_declared():
    counted = list_named_metrics() & list_countable()
    assert {"plyscribe_request_seconds_bucket", "plyscribe_refusals_total", "plyscribe_followers"} <= counted


def read_store_settings() -> Iterator[str]:
    for line in (DEPLOY / "store.conf").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith(("#", "save")):
            name, value = line.split()
            yield from (f"--{name}", value)


@pytest.fixture
def bucket() -> Iterator[str]:
    """A local server that speaks S3, with the bucket of the kit."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    httpx.put(f"http://{host}:{port}/plyscribe", timeout=WITHIN_S).raise_for_status()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def replicated(tmp_path: Path) -> Iterator[str]:
    """The address of a store with the kit's settings and a replica."""
    binary, settings = find_binary().path, [*read_store_settings()]
    with ExitStack() as servers:
        primary = servers.enter_context(own_server(binary, tmp_path / "primary", *settings))
        servers.enter_context(replica_of(primary, binary, tmp_path / "replica", *settings))
        yield primary.url


def test_the_layout_for_many_machines_goes_on_without_one_process_of_each_kind(
    tmp_path, replicated, redis_url, postgres_url, bucket
):
    servers = {"store": replicated, "queues": redis_url, "database": postgres_url, "archive": "s3://plyscribe/archive"}
    account = {"archive_url": bucket, "archive_region": "us-east-1", "archive_user": "a", "archive_password": "b"}
    ports: dict[str, tuple[str, int, int]] = {}
    with machine(tmp_path) as here:
        kit = here.fill("many", port="1", metrics_port="1", **servers, **account)
        for kind in kit.processes:
            for number in range(kind.count):
                # Each container has a network and a folder of its own.
                name, api, own = f"{kind.name}-{number}", free_port(), free_port()
                filled = here.fill("many", port=str(api), metrics_port=str(own), **servers, **account)
                [same] = [each for each in filled.processes if each.name == kind.name]
                here.start(name, same.command, same.environment)
                ports[name] = kind.name, api, own
        web = [api for kind, api, _ in ports.values() if kind == "web"]
        assert len(web) > 1
        for port in web:
            wait_for(lambda port=port: is_ready(f"http://127.0.0.1:{port}"), within_s=WITHIN_S, why="the API")
        url = start_proxy(here, *web)
        for name, (kind, api, own) in ports.items():
            report = f"http://127.0.0.1:{api if kind == 'web' else own}"
            wait_for(lambda report=report, kind=kind: kind in STARTS.findall(read_metrics(report)), WITHIN_S, name)

        with pair(url) as both:
            ann, ben = both.clients
            match = both.open_match("zhen", options=SHORT)
            news = ben.follow(match)
            heard = [next(news)["version"]]
            victims = [f"{kind.name}-0" for kind in kit.processes if kind.count > 1]
            assert {"web-0", "relay-0"} <= set(victims)

            while both.move(match):
                if victims:
                    here.kill(victims.pop())
            assert victims == []
            # If the stream was at the process that died, it goes on at the other one, and misses nothing.
            heard += [event["version"] for event in takewhile(lambda event: event["type"] != "match-ended", news)]
            assert heard == list(range(1, len(heard) + 1))
            news.close()
            wait_until_scored(ann, match)
            verdicts = [event for event in ann.events(match) if event["type"] == "match-verified"]
            assert len(verdicts) == 1
        assert here.stop() == dict.fromkeys(here.processes, 0)


def test_a_process_says_that_it_cannot_report_its_numbers(redis_url):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        settings = {"REDIS_URL": redis_url, "PLYSCRIBE_METRICS_PORT": port, "PLYSCRIBE_SERVER_KEY": KEY}
        ran = run_module("plyscribe.workers", "relay", **settings, PLYSCRIBE_READ_URL="sqlite://")
    assert ran.returncode == 1
    assert f"error: PLYSCRIBE_METRICS_PORT: cannot listen on 127.0.0.1 port {port}: Address already" in ran.stderr
