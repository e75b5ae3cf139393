"""Metrics: counted under a bounded set of labels, and summed over all processes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

import plyscribe
from plyscribe.service import metrics
from plyscribe.service.composition import Parts, compose
from plyscribe.service.config import Config, parse_key
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.metered import MeteredStore
from plyscribe.service.web.app import create_app
from plyscribe.service.web.handover import HOLDS, WAITED
from tests.service.api import Api
from tests.system.running import free_port

ROOT = Path(__file__).parents[2]
PACKAGE = Path(plyscribe.__file__).parent


@pytest.fixture
def parts() -> Parts:
    config = Config("", "", parse_key("5a" * 32), open_sign_up=True, open_metrics=True)
    return compose(config, MeteredStore(MemoryStore()))


@pytest.fixture
def api(parts) -> Api:
    metrics.begin("test")
    return Api(create_app(parts))


def value_of(text: str, name: str, **labels: str) -> float:
    """The sum of all samples of that name with these labels."""
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return sum(each.value for each in samples if each.name == name and labels.items() <= each.labels.items())


class Counted:
    """Counts what the metrics count during a block."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._before = api.get("/metrics").text

    def __call__(self, name: str, **labels: str) -> float:
        now = self._api.get("/metrics").text
        return value_of(now, f"plyscribe_{name}", **labels) - value_of(self._before, f"plyscribe_{name}", **labels)


@pytest.fixture
def counted(api) -> Counted:
    return Counted(api)


@pytest.mark.parametrize("path", ["/v1/nothing", "/v1/matches/a/b/c/d"])
def test_requests_are_counted_by_their_route_and_refusal_and_an_invented_method_makes_no_label(api, counted, path):
    for letter in "ab":
        api.get(f"/v1/matches/match-{letter * 26}")
    route = {"process": "test", "method": "GET", "route": "/v1/matches/{match}"}
    assert counted("request_seconds_count", **route, status="404") == 2
    assert counted("refusals_total", code="match/unknown") == 2
    api.send("BREW", path)
    assert counted("request_seconds_count", method="other", route="none") == 1
    assert "BREW" not in api.get("/metrics").text


def test_a_page_that_waits_is_counted_when_it_is_answered(api, counted):
    player, token = api.sign_up()
    match = api.new_match(token, [{"player": player}, None])
    path, route = f"/v1/matches/{match}/events?after=1&wait=5", {"route": "/v1/matches/{match}/events"}
    api.get(path, environ_overrides={HOLDS: True})
    assert counted("request_seconds_count", **route) == 0
    api.get(path, environ_overrides={HOLDS: True, WAITED: True})
    assert counted("request_seconds_count", **route) == 1


def test_appends_jobs_batches_and_followers_are_counted(api, counted):
    _, token = api.sign_up()
    for _ in range(2):
        api.post("/v1/matches", token, {"ruleset": "zhen", "seats": [None, None]}, key="k")
    for kind, outcome in (("player", "stored"), ("match", "stored"), ("match", "seen")):
        assert counted("append_seconds_count", kind=kind, outcome=outcome) == 1
    metrics.note_job("verify_match", "failed", 0.2)
    metrics.note_relayed(7)
    metrics.change_followers(2)
    metrics.change_followers(-1)
    metrics.change_connections(3)
    assert counted("job_seconds_count", job="verify_match", outcome="failed") == 1
    assert (counted("relay_batches_total"), counted("relay_entries_total")) == (1, 7)
    assert (counted("followers"), counted("connections")) == (1, 3)


def test_clients_that_may_not_read_the_numbers_are_refused(parts):
    closed = Api(create_app(compose(Config("", "", parse_key("5a" * 32), open_sign_up=True), MemoryStore())))
    _, token = closed.sign_up()
    assert closed.get("/metrics").status_code == 401
    assert closed.get("/metrics", token).status_code == 403


SHOW = "print(metrics.render_metrics(lambda: ()).decode())"


def run(directory: Path, *lines: str) -> str:
    """The output of a process that counts into the directory."""
    code = "\n".join(["from plyscribe.service import metrics", *lines])
    env = {**os.environ, metrics.DIRECTORY_VARIABLE: str(directory)}
    argv = [sys.executable, "-c", code]
    return subprocess.run(argv, env=env, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True).stdout


def test_the_numbers_of_all_processes_are_summed_without_the_streams_of_those_that_died(tmp_path):
    directory = tmp_path / "metrics"
    for kind in ("web", "web", "relay"):
        run(
            directory, f"metrics.begin({kind!r})", "metrics.note_refusal('move/illegal')", "metrics.change_followers(3)"
        )
    shown = run(directory, "metrics.begin('web')", "metrics.change_followers(2)", SHOW)
    assert value_of(shown, "plyscribe_process_starts_total", process="web") == 3
    assert value_of(shown, "plyscribe_refusals_total", code="move/illegal") == 3
    assert value_of(shown, "plyscribe_followers", process="web") == 2


def test_machines_that_share_a_directory_do_not_count_into_the_same_files(tmp_path):
    for machine in ("one", "two"):
        # Before the module is imported that asks for both.
        named = f"import socket; socket.gethostname = lambda: {machine!r}; import os; os.getpid = lambda: 1"
        code = [named, "from plyscribe.service import metrics", "metrics.begin('web')", "metrics.change_followers(2)"]
        for _ in range(2):
            env = {**os.environ, metrics.DIRECTORY_VARIABLE: str(tmp_path)}
            subprocess.run([sys.executable, "-c", "\n".join(code)], env=env, cwd=ROOT, timeout=60, check=True)
    shown = run(tmp_path, SHOW)
    assert value_of(shown, "plyscribe_process_starts_total", process="web") == 4
    assert value_of(shown, "plyscribe_followers", process="web") == 4, "a process that starts has no streams"


def test_a_process_without_an_api_reports_its_numbers_at_an_address_of_their_own(tmp_path):
    port = free_port()
    shown = run(
        tmp_path / "metrics",
        "metrics.begin('relay')",
        f"metrics.serve_metrics('127.0.0.1', {port})",
        "metrics.note_relayed(7)",
        "from urllib.request import urlopen",
        f"print(urlopen('http://127.0.0.1:{port}/metrics').read().decode())",
    )
    assert value_of(shown, "plyscribe_relay_entries_total", process="relay") == 7


def test_every_number_is_documented():
    documented = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    sources = (PACKAGE / "service" / "health" / "gauges.py").read_text(encoding="utf-8")
    looked_up = {f"plyscribe_{name}" for name in re.findall(r'Reading\("(\w+)"', sources)} | {"plyscribe_store_up"}
    code = (PACKAGE / "service" / "metrics.py").read_text(encoding="utf-8")
    counted = {f"plyscribe_{name}_total" for name in re.findall(r'_counter\("(\w+)"', code)}
    counted |= {f"plyscribe_{name}" for name in re.findall(r'_histogram\(\s*"(\w+)"', code)} | {"plyscribe_followers"}
    assert [name for name in sorted(looked_up | counted) if f"`{name}`" not in documented] == []
