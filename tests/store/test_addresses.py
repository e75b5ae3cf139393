"""Addresses of a store: what they name, what is wrong with a bad one, and what never shows."""

import pytest
from redis import Redis
from redis.connection import SSLConnection
from redis.sentinel import SentinelConnectionPool, SentinelManagedConnection, SentinelManagedSSLConnection

from plyscribe.service.store.addresses import Address, parse_address
from plyscribe.service.store.port import StoreError, StoreUnavailable
from plyscribe.service.store.redis import TIMEOUT_S, RedisStore, connect_client, connect_queues
from tests.store.own_servers import free_port

PASSWORD = "s3cr3t"


@pytest.mark.parametrize(
    ("url", "kind", "nodes", "name", "options"),
    [
        ("redis://box", "server", [("box", 6379)], "", {}),
        ("redis://", "server", [("localhost", 6379)], "", {}),
        ("valkey://box:7000/3", "server", [("box", 7000)], "", {"db": 3}),
        ("redis://ann:pa%2Fss@[::1]:7000", "server", [("::1", 7000)], "", {"username": "ann", "password": "pa/ss"}),
        ("valkey+sentinel://a,b:7001/main", "sentinel", [("a", 26379), ("b", 7001)], "main", {}),
        ("redis+sentinel://:word@a:1/main/2", "sentinel", [("a", 1)], "main", {"password": "word", "db": 2}),
        ("redis+cluster://a,b:7001", "cluster", [("a", 6379), ("b", 7001)], "", {}),
    ],
)
def test_an_address_names_servers(url, kind, nodes, name, options):
    assert parse_address(url) == Address(kind, tuple(nodes), name, options)


@pytest.mark.parametrize(
    "plain", ["unix:///run/store.sock", "redis://ann:word@box:1/2?health_check_interval=5", "rediss://box:1/1"]
)
def test_a_server_is_reached_as_redis_py_reads_its_address(plain):
    theirs = Redis.from_url(plain).connection_pool
    for url in (plain, plain.replace("redis", "valkey")):
        ours = connect_client(url).connection_pool
        assert ours.connection_class is theirs.connection_class
        for setting in ("host", "port", "db", "path", "username", "password", "health_check_interval"):
            assert ours.connection_kwargs.get(setting) == theirs.connection_kwargs.get(setting)


@pytest.mark.parametrize(
    ("scheme", "kind"), [("redis", SentinelManagedConnection), ("valkeys", SentinelManagedSSLConnection)]
)
def test_a_client_over_sentinels_never_retries_and_always_gives_up(scheme, kind):
    pool = connect_client(f"{scheme}+sentinel://ann:word@a,b/main?sentinel_password=other").connection_pool
    assert isinstance(pool, SentinelConnectionPool)
    connection = pool.make_connection()
    assert type(connection) is kind
    assert (connection.retry.get_retries(), connection.socket_timeout) == (0, TIMEOUT_S)
    assert (connection.credential_provider, connection.username, connection.password) == (None, "ann", "word")
    for sentinel in pool.sentinel_manager.sentinels:
        settings = sentinel.connection_pool.connection_kwargs
        assert (settings["password"], settings["username"]) == ("other", None)
        assert sentinel.connection_pool.make_connection().retry.get_retries() == 0
        assert issubclass(sentinel.connection_pool.connection_class, SSLConnection) == (scheme == "valkeys")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://x", "must begin with redis://"),
        ("box:6379", "must begin with redis://"),
        ("redis+other://box", "must begin with redis://"),
        ("unix+sentinel:///x/main", "must begin with redis://"),
        (f"redis://ann:{PASSWORD}@box:port", "a port from 1 to 65535"),
        (f"redis://ann:{PASSWORD}@box:70000", "a port from 1 to 65535"),
        (f"redis://:{PASSWORD}@box:0", "a port from 1 to 65535"),
        (f"redis://:{PASSWORD}/x@box", "write / as %2F"),
        (f"redis://:{PASSWORD}?x@box", "write / as %2F"),
        (f"redis://:{PASSWORD}#x@box", "# as %23"),
        (f"redis://:{PASSWORD}[@box", "percent-encoded"),
        (f"redis://:{PASSWORD}@box/main", "the number of a database"),
        (f"redis://:{PASSWORD}@a,b", "several servers"),
        (f"redis://:{PASSWORD}@box?socket_timeout=soon", "socket_timeout"),
        (f"redis://:{PASSWORD}@box?sentinel_password={PASSWORD}", "sentinel_password"),
        (f"redis+sentinel://:{PASSWORD}@a,b", "must name the primary"),
        (f"redis+sentinel://:{PASSWORD}@a,,b/main", "names no host"),
        (f"redis+sentinel://:{PASSWORD}@a/main/x", "the number of a database"),
        (f"redis+sentinel://:{PASSWORD}@a/main?sentinel_paswort={PASSWORD}", "sentinel_password"),
        (f"redis+cluster://:{PASSWORD}@a/1", "nothing comes after the hosts"),
    ],
)
def test_a_bad_address_is_told_without_its_password(url, why):
    with pytest.raises(StoreError) as told:
        parse_address(url)
    assert why in str(told.value)
    assert str(told.value).startswith("the store's address cannot be read: ")
    assert PASSWORD not in str(told.value)


def test_the_queues_cannot_be_in_a_cluster():
    with pytest.raises(StoreError, match=r"job queues cannot be in a cluster: set RQ_REDIS_URL"):
        connect_queues("redis+cluster://a,b")


def test_without_sentinels_the_store_is_away_and_no_password_shows():
    url = f"redis+sentinel://:{PASSWORD}@127.0.0.1:{free_port()}/main?sentinel_password={PASSWORD}"
    assert PASSWORD not in repr(parse_address(url))
    store = RedisStore(connect_client(url))
    for ask in (store.streams, lambda: store.load("match-a")):
        with pytest.raises(StoreUnavailable, match="no Sentinel knows a primary 'main' that is up") as told:
            ask()
        assert PASSWORD not in str(told.value)
