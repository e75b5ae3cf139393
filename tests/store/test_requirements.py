"""What a server must be: each server that cannot be the store, or hold the queues, is refused with a remedy."""

import re
from importlib.resources import files
from pathlib import Path

import pytest
from redis import Redis

from plyscribe.service.processes.embedded import EmbeddedServer
from plyscribe.service.store import redis_server, requirements
from plyscribe.service.store.layouts import LAYOUT_KEY, NEWEST_LAYOUT
from plyscribe.service.store.port import StoreUnavailable, UnsupportedServer
from plyscribe.service.store.redis import RedisStore, connect_client
from plyscribe.service.store.requirements import (
    QUEUE_COMMANDS,
    STORE_COMMANDS,
    examine_queue_server,
    examine_store_server,
    read_report,
    require_queues,
    require_queues_at,
    require_store,
    require_store_at,
)
from tests.store.conftest import REAL, binary_of
from tests.store.conftest import own_client as client
from tests.store.own_servers import own_server, replica_of, scripted_server

__all__ = ["client"]
pytestmark = pytest.mark.server


def why_not(url: str) -> str:
    """Why a process refuses to start on this store. The doctor says the same."""
    with connect_client(url, 60.0) as client:
        obstacles = examine_store_server(client)
        with pytest.raises(UnsupportedServer) as refused:
            require_store(client)
    assert obstacles
    assert all(str(obstacle) in str(refused.value) for obstacle in obstacles)
    assert all(obstacle.remedy for obstacle in obstacles)
    return str(refused.value)


@pytest.fixture(params=REAL)
def binary(request: pytest.FixtureRequest) -> Path:
    return binary_of(request.param).path


def test_our_own_server_is_accepted_and_gets_the_mark_of_our_layout(server: EmbeddedServer, client: Redis) -> None:
    assert examine_store_server(client) == examine_queue_server(client) == []
    assert client.keys() == [], "looking changes nothing"
    for _ in range(2):
        require_store_at(server.url, mark=True)
    require_queues_at(server.url)
    assert client.keys() == [LAYOUT_KEY.encode()]
    assert read_report(client).layout == b"%d" % NEWEST_LAYOUT


def test_a_node_of_a_cluster_and_a_sentinel_are_refused(binary: Path, tmp_path: Path) -> None:
    with own_server(binary, tmp_path / "node", "--cluster-enabled", "yes") as node:
        assert "name the cluster, as redis+cluster://" in why_not(node.url)
        with connect_client(node.url) as client, pytest.raises(UnsupportedServer, match=r"RQ_REDIS_URL.*cluster"):
            require_queues(client)
    with own_server(binary, tmp_path / "sentinel", "--sentinel") as sentinel:
        assert "this is a Sentinel" in why_not(sentinel.url)


def test_a_replica_is_refused_and_makes_the_durability_unknown(binary: Path, tmp_path: Path) -> None:
    durable = "--appendonly", "yes", "--appendfsync", "always"
    with own_server(binary, tmp_path / "primary", *durable) as primary, connect_client(primary.url) as client:
        store = RedisStore(client)
        assert (store.describe()["durability"], read_report(client).replicas) == ("always", 0)
        with replica_of(primary, binary, tmp_path / "replica") as replica:
            assert f"name its primary, 127.0.0.1 port {primary.port}" in why_not(replica.url)
            assert (store.describe()["durability"], read_report(client).replicas) == ("unknown", 1)
            assert read_report(client).durability == "unknown"


def test_a_server_that_wants_a_password_is_refused_without_and_with_a_wrong_one(binary: Path, tmp_path: Path) -> None:
    with own_server(binary, tmp_path / "closed", "--requirepass", "right") as closed:
        wrong = closed.url.replace("//", "//:wrong@")
        assert "asks for a password" in why_not(closed.url)
        assert "refuses the password" in why_not(wrong)
        with connect_client(closed.url.replace("//", "//:right@")) as client:
            require_store(client)
            client.config_set("requirepass", "another")


@pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-lru"])
def test_a_server_that_evicts_keys_or_is_too_old_is_refused(server, client, policy, monkeypatch):
    client.config_set("maxmemory-policy", policy)
    for module in (redis_server, requirements):
        monkeypatch.setattr(module, "OLDEST", {"redis": (99, 0), "valkey": (99, 0)})
    said = why_not(server.url)
    assert f"maxmemory-policy {policy}: set maxmemory-policy noeviction" in said
    assert "Plyscribe needs Redis 7.0, Valkey 7.2 or newer" in said


@pytest.mark.parametrize("layout", [str(NEWEST_LAYOUT + 1), "0", "mine"])
def test_data_in_another_layout_is_refused(server: EmbeddedServer, client: Redis, layout: str) -> None:
    client.set(LAYOUT_KEY, layout)
    assert "install the release that wrote it" in why_not(server.url)
    assert client.get(LAYOUT_KEY) == layout.encode()


@pytest.mark.parametrize("forbidden", ["XADD", "HSET", "ZADD", "GETSET", "XINFO GROUPS", "TIME", "RENAME", "scripts"])
def test_an_account_that_may_not_do_all_that_we_do_is_refused(server, client, forbidden):
    rule = "-@scripting" if forbidden == "scripts" else f"-{forbidden.lower().replace(' ', '|')}"
    client.execute_command("ACL", "SETUSER", "few", "on", ">word", "~*", "&*", "+@all", rule)
    client.execute_command("ACL", "SETUSER", "narrow", "on", ">word", "~other:*", "&*", "+@all")
    said = why_not(server.url.replace("unix://", "unix://few:word@"))
    refusal = "may not call scripts" if forbidden == "scripts" else f"may not send {forbidden}: allow it these"
    assert refusal in said
    assert "XADD" in why_not(server.url.replace("unix://", "unix://narrow:word@")), "it lacks our keys"


def test_an_account_without_info_and_settings_is_accepted(server: EmbeddedServer, client: Redis) -> None:
    client.execute_command("ACL", "SETUSER", "plain", "on", ">word", "~*", "&*", "+@all", "-@dangerous", "-@admin")
    with connect_client(server.url.replace("unix://", "unix://plain:word@")) as plain:
        require_store(plain)
        require_queues(plain)
        report = read_report(plain)
    assert (report.engine, report.durability, report.replicas) == (None, "unknown", None)


def test_what_is_no_such_server_at_all_is_refused_and_one_that_is_away_unavailable(tmp_path: Path) -> None:
    with scripted_server(tmp_path, b"HTTP/1.1 400 Bad Request\r\n") as url:
        assert "not a Redis or Valkey server" in why_not(url)
    with connect_client(f"unix://{tmp_path}/none.sock") as client:
        for require in (require_store, require_queues):
            with pytest.raises(StoreUnavailable):
                require(client)


def commands_in_scripts() -> set[str]:
    folder = files(requirements.__package__)
    scripts = [each for each in folder.iterdir() if each.name.endswith(".lua")]
    return {name for script in scripts for name in re.findall(r"redis\.p?call\('([A-Z]+)'", script.read_text())}


@pytest.mark.parametrize("commands", [STORE_COMMANDS, QUEUE_COMMANDS])
def test_the_list_of_commands_has_those_of_all_scripts_and_nothing_else(client, commands):
    known = {str(name).upper() for name in client.command()}
    assert {command[0] for command in commands} <= known
    if commands is STORE_COMMANDS:
        assert commands_in_scripts() <= {command[0] for command in commands}
