"""`plyscribe serve` and its processes, as one would run them."""

import os
import re
import socket

import pytest

from plyscribe.service.client import Client, Problem
from plyscribe.service.config import parse_key
from plyscribe.service.processes.embedded import find_binary
from plyscribe.service.queues import QUEUES
from tests.system.programs import KEY, WITHIN_S, check_refused, descendants, run_cli, run_module
from tests.system.running import crash, free_port, is_ready, pair, process, serving, wait_for, wait_until_scored


def test_matches_of_all_rulesets_are_played_and_verified_by_a_process_of_its_own(service):
    with pair(service.url) as both:
        ann = both.clients[0]
        matches = [both.open_match(ruleset) for ruleset in ("pathagon", "zhen", "toy")]
        for match in matches:
            both.play_out(match)
        wait_until_scored(ann, *matches)
        for match in matches:
            verdicts = [event for event in ann.events(match) if event["type"] == "match-verified"]
            assert len(verdicts) == 1
            assert verdicts[0]["by"] == "system:verify"


def test_secrets_logs_and_the_witness_are_for_the_owner_alone(service):
    wait_for((service.data / "store" / "witness.json").exists, why="the witness")
    names = ["admin.token", "server.key", "store/witness.json", "store/store.log", "log/web.log", "log/relay.log"]
    modes = {name: oct((service.data / name).stat().st_mode & 0o777) for name in names}
    assert modes == dict.fromkeys(names, "0o600")
    with Client(service.url, service.admin_token) as admin:
        assert "admin" in admin.me()["scopes"]


def test_when_the_service_is_told_to_stop_nothing_of_it_stays(tmp_path):
    port = free_port()
    with serving(tmp_path / "data", PLYSCRIBE_WEBHOOKS="public", PLYSCRIBE_METRICS_PORT=str(port)) as service:
        below = descendants(service.process.pid)
        assert len(below) == 5 + len(QUEUES), "store, web, relay, the workers, and two that fork them"
        # The numbers of all of them are at the API, and nobody listens at a port for those of one.
        with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            pass
        service.stop()
        assert service.process.returncode == 0
        assert not any(os.path.exists(f"/proc/{pid}") for pid in below)


def test_when_the_service_is_killed_nothing_of_it_stays(tmp_path):
    with serving(tmp_path / "data") as service:
        assert service.pids("play")
        assert not service.pids("webhook"), "webhooks are off"
        crash(service.process)


def test_what_dies_is_started_again(tmp_path):
    with serving(tmp_path / "data", PLYSCRIBE_WEBHOOKS="public") as service, pair(service.url) as both:
        match = both.open_match("zhen")
        for name in ("store", "web", "relay", *QUEUES):
            before = service.pids(name)
            service.kill(name)
            wait_for(lambda name=name, before=before: set(service.pids(name)) - set(before), why=f"a new {name}")
        wait_for(lambda: is_ready(service.url))
        both.play_out(match)
        wait_until_scored(both.clients[0], match)


DIES_AT_FIRST = """\
#!/bin/sh
case "$1" in --version) exec {server} --version;; esac
echo >> {starts}
case $(wc -l < {starts}) in
  1) exit 1;;
  2) {server} "$@" & sleep 0.15; kill -9 $!; exit 1;;
esac
exec {server} "$@"
"""


def test_a_store_that_dies_while_the_service_starts_is_started_again(tmp_path):
    binary, starts = tmp_path / "server", tmp_path / "starts"
    binary.write_text(DIES_AT_FIRST.format(server=find_binary().path, starts=starts))
    binary.chmod(0o755)
    with serving(tmp_path / "data", PLYSCRIBE_STORE_BINARY=str(binary)) as service, Client(service.url) as client:
        assert client.ready()["durability"] == "always"
        assert len(starts.read_text().splitlines()) >= 3


def test_a_data_directory_and_a_port_that_another_service_has_are_told(service, tmp_path):
    for data, port, told in (
        (service.data, free_port(), "in use"),
        (tmp_path / "other", service.port, f"port {service.port}"),
    ):
        check_refused(run_cli("serve", "--data", str(data), "--port", str(port)), told)


@pytest.mark.parametrize("command", [("plyscribe", "web"), ("plyscribe.workers", "relay")], ids=" ".join)
def test_a_process_without_a_store_says_what_is_missing(command):
    check_refused(run_module(*command), "REDIS_URL is not set")


def test_another_store_gets_an_administrator_of_its_own(tmp_path, redis_url):
    data, token = tmp_path / "data", {}
    with serving(data):
        token["embedded"] = (data / "admin.token").read_text()
    port = str(free_port())
    argv = ("-m", "plyscribe", "serve", "--data", str(data), "--redis-url", redis_url, "--port", port)
    with process(*argv):
        wait_for(lambda: is_ready(f"http://127.0.0.1:{port}"), WITHIN_S, "the service")
        token["other"] = (data / "admin.token").read_text()
        with Client(f"http://127.0.0.1:{port}", token["other"].strip()) as admin:
            assert "admin" in admin.me()["scopes"]
        second = run_cli("serve", "--data", str(data), "--redis-url", redis_url, PLYSCRIBE_SERVER_KEY=KEY)
        assert "in use" in second.stderr
    assert token["other"] != token["embedded"]
    assert (data / "admin.token.old").read_text() == token["embedded"]


@pytest.mark.parametrize(
    ("argv", "env", "told"),
    [
        (["serve", "--data", "/dev/null/x"], {}, "/dev/null/x cannot be used"),
        (["serve", "--redis-url", "http://x"], {"PLYSCRIBE_SERVER_KEY": KEY}, "address cannot be read"),
        (["serve", "--redis-url", "redis://x"], {}, "PLYSCRIBE_SERVER_KEY"),
        (["serve", "--redis-url", "redis://x", "--cluster", "3"], {}, "leave out --redis-url and REDIS_URL"),
        (["serve"], {"PLYSCRIBE_RULESETS": "os:path"}, "is not a ruleset"),
        (["serve"], {"RQ_REDIS_URL": "http://x"}, "address cannot be read"),
        (["serve"], {"PLYSCRIBE_READ_URL": "mysql://x"}, "mysql is not supported"),
        (["add-player", "Ann"], {"REDIS_URL": "ftp://x", "PLYSCRIBE_SERVER_KEY": KEY}, "address cannot be read"),
    ],
)
def test_what_is_wrong_with_a_setting_is_told_in_a_line(tmp_path, argv, env, told):
    where = ["--port", str(free_port()), "--data", str(tmp_path / "data")] if argv == ["serve"] else []
    check_refused(run_cli(*argv, *where, **env), told)


@pytest.mark.parametrize("name", ["metrics/x.db", "admin.token", "log/web.log", "server.key"])
def test_what_cannot_be_used_in_the_data_directory_is_told_in_a_line(tmp_path, name):
    (tmp_path / "data" / name).mkdir(parents=True)
    refused = run_cli("serve", "--data", str(tmp_path / "data"), "--port", str(free_port()))
    check_refused(refused, f"{name} cannot be")


def test_the_operators_settings_are_kept(tmp_path):
    port, key = free_port(), "7e" * 32
    settings = {"PLYSCRIBE_SIGN_UP": "invited", "PLYSCRIBE_SERVER_KEY": key}
    with (
        process("-m", "plyscribe", "serve", "--data", str(tmp_path / "data"), "--port", str(port), **settings),
        Client(f"http://127.0.0.1:{port}") as anyone,
    ):
        wait_for(lambda: is_ready(anyone.url), WITHIN_S, "the service")
        with pytest.raises(Problem) as refused:
            anyone.sign_up("Ann")
        assert refused.value.code == "auth/missing"
        assert not (tmp_path / "data" / "server.key").exists()
        with Client(anyone.url, (tmp_path / "data" / "admin.token").read_text().strip()) as admin:
            match = admin.create_match("toy", [None, None])
            assert match["events"][0]["data"]["dice"]["key"] == parse_key(key).id


def test_doctor_finds_nothing_wrong_with_a_fresh_machine(tmp_path):
    told = run_cli("doctor", "--data", str(tmp_path / "none"))
    assert told.returncode == 0, told.stdout
    assert "embedded" in told.stdout


def test_the_demo_plays_shows_and_ends(tmp_path):
    argv = ("demo", "--once", "--matches", "5", "--data", str(tmp_path / "data"), "--port", str(free_port()))
    first = run_cli(*argv)
    assert first.returncode == 0, first.stderr
    assert first.stdout.count("│ yes ") == 5
    addresses = re.findall(r"/(?:matches/match|tournaments/tournament)-[a-z2-7]{26}$", first.stdout, re.MULTILINE)
    assert len(addresses) == 6
    for name in ("Greta", "Monty", "Randy", "Roma"):
        assert name in first.stdout
    second = run_cli(*argv)
    found = re.findall(r"/(?:matches/match|tournaments/tournament)-[a-z2-7]{26}$", second.stdout, re.MULTILINE)
    assert found == addresses
