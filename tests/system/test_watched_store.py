"""The whole service on a primary that Sentinels watch: it outlives the primary, and waits for the replicas."""

from pathlib import Path

from plyscribe.service.health.doctor import Finding, examine
from plyscribe.service.processes.embedded import find_binary
from tests.store.sentinels import watched_store
from tests.system.running import KEY, free_port, is_ready, pair, read_readiness, serving, wait_for, wait_until_scored


def examine_replicas(data: Path, url: str, awaited: int) -> list[Finding]:
    environ = {
        "REDIS_URL": url,
        "PLYSCRIBE_SERVER_KEY": KEY,
        "PLYSCRIBE_READ_URL": f"sqlite:///{data}.read.db",
        "PLYSCRIBE_REPLICAS": str(awaited),
    }
    found = examine(data, "127.0.0.1", free_port(), environ)
    return [each for each in found if each.topic in ("store", "durability", "replicas")]


def test_the_service_plays_on_after_its_primary_has_died(tmp_path):
    with watched_store(find_binary().path, tmp_path / "store", least=0) as watched:
        settings = {"REDIS_URL": watched.url, "PLYSCRIBE_SERVER_KEY": KEY, "PLYSCRIBE_REPLICAS": "1"}
        with serving(tmp_path / "data", **settings) as service, pair(service.url) as both:
            seen = {"durability": "always", "replicas": 2, "replicas_awaited": 1}
            wait_for(lambda: seen.items() <= read_readiness(service.url).items(), why="the replicas")
            ann = both.clients[0]
            match = both.open_match("toy")
            first = ann.move(match, ann.legal_moves(match)[0])
            watched.kill_primary()
            watched.follow_failover()
            wait_for(lambda: is_ready(service.url), why="the new primary")
            assert ann.match(match)["version"] >= first["version"]
            both.play_out(match)
            # The relay and the workers have found the new primary too.
            wait_until_scored(ann, match)
            assert service.pids("relay")


def test_the_doctor_and_readiness_count_the_replicas(tmp_path):
    with watched_store(find_binary().path, tmp_path / "store") as watched:
        found = examine_replicas(tmp_path / "data", watched.url, 2)
        assert [(each.topic, each.state) for each in found] == [
            ("store", "ok"),
            ("durability", "ok"),
            ("replicas", "ok"),
            ("replicas", "note"),
        ]
        assert found[-1].text.startswith("min-replicas-to-write 1: ")
        assert found[-1].remedy == "set min-replicas-to-write 2 on every server of the store"
        assert [each.topic for each in examine_replicas(tmp_path / "data", watched.url, 0)] == ["store", "durability"]
        settings = {"REDIS_URL": watched.url, "PLYSCRIBE_SERVER_KEY": KEY, "PLYSCRIBE_REPLICAS": "2"}
        with serving(tmp_path / "data", **settings) as service:
            watched.replicas[0].stop()
            says = "1 replicas follow the store, and each answer waits for 2"
            told = {"code": "store/unavailable", "detail": says}
            wait_for(lambda: told.items() <= read_readiness(service.url).items(), why="the trouble")
        lacking = examine_replicas(tmp_path / "data", watched.url, 2)[2]
        assert (lacking.state, lacking.text) == ("wrong", "1 follow the store, and each answer waits for 2")
