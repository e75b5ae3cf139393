"""A service that lost its store: the archive alone gives back accounts, tournaments, ratings, imports and lists."""

import json
from pathlib import Path

import pytest

from plyscribe.service.archive.copies import read_progress
from plyscribe.service.archive.restoring import restore_copies
from plyscribe.service.composition import compose
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.web.app import create_app
from plyscribe.workers import copy_streams as job
from plyscribe.workers.check_import import check_import
from plyscribe.workers.copy_streams import copy_due
from tests.service.api import Api
from tests.service.conftest import CONFIG
from tests.service.test_archive_command import Rig, flip
from tests.service.test_ratings_api import Club
from tests.service.test_tournaments_api import TournamentOverHttp

LISTS = ("/v1/players", "/v1/tournaments", "/v1/matches", "/v1/ratings/zhen")


class Service(Rig):
    """A service in which a cup was announced, rated matches were played, and a match was imported."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(folder, monkeypatch)
        self.club = Club(self.api, self.parts, "Cora", "Dan")
        self.cup = TournamentOverHttp(self.api, self.parts, ("Olga", "Eva"))
        self.cup.enter(self.cup.ann_token)
        self.cup.bots(2)
        self.rated = [self.club.play("Cora", "Dan") for _ in range(3)]
        self.import_bundle()

    def import_bundle(self) -> None:
        elsewhere = compose(CONFIG, MemoryStore())
        api = Api(create_app(elsewhere))
        match = api.new_match(api.sign_up("Far")[1])
        data = api.get(f"/v1/matches/{match}/bundle").data
        sent = self.api.send("POST", "/v1/imports", self.ann, data=data, content_type="application/x-ndjson")
        assert sent.status_code in (200, 201, 202), sent.json
        assert check_import(self.parts, sent.json["import"]) == "verified"

    def lose_the_store(self) -> None:
        self.parts = self.compose_on(MemoryStore())
        self.api = Api(create_app(self.parts))

    def read_lists(self) -> dict[str, object]:
        return {path: self.api.get(path).json for path in LISTS}


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Service:
    return Service(tmp_path / "archive", monkeypatch)


def test_the_archive_alone_gives_back_the_whole_service(service: Service) -> None:
    assert service.run("archive", "seal", "--all").exit_code == 0
    lists, cup = service.read_lists(), service.cup.get()
    history = service.club.history("Dan")
    ran = service.run("archive", "copy")
    assert (ran.exit_code, "streams copied" in ran.output) == (0, True)
    assert "0 streams copied, with 0 events" in service.run("archive", "copy").output
    service.lose_the_store()
    assert service.read_lists() != lists
    ran = service.run("rebuild", "--from-archive")
    assert ran.exit_code == 0, ran.output
    for line in ("player: 6 of 6 restored", "tournament: 1 of 1", "ratings: 1 of 1", "import: 1 of 1", "stored before"):
        assert line in ran.output
    assert service.read_lists() == lists
    assert service.api.get(f"/v1/tournaments/{service.cup.id}").json == cup
    service.club.api = service.api
    assert service.club.history("Dan") == history
    # Tokens hold, and the service goes on.
    service.club.parts = service.parts
    assert service.club.play("Dan", "Cora")
    again = service.run("rebuild", "--from-archive", "matches")
    assert (again.exit_code, "player: 0 of 6 restored" in again.output) == (0, True)


def test_what_the_store_has_otherwise_is_named_and_the_exit_code_says_so(service: Service) -> None:
    service.run("archive", "copy")
    [ledger] = [stream for stream in service.parts.store.streams() if stream.startswith("ratings-")]
    entries = service.parts.store.load(ledger).entries
    service.lose_the_store()
    club = Club(service.api, service.parts, "Fred", "Gina")
    club.play("Fred", "Gina")
    ran = service.run("rebuild", "--from-archive", "players")
    assert (ran.exit_code, f"wrong  {ledger}: the store has other events" in ran.output) == (1, True)
    assert "player: 6 of 6 restored" in ran.output
    assert service.parts.store.load(ledger).entries != entries


def test_copies_are_listed_verified_and_merged_by_hand(service: Service) -> None:
    for name in ("Hugo", "Ida"):
        service.api.sign_up(name)
        service.run("archive", "copy")
    assert "2 packs of copies became 1" in service.run("archive", "repack").output
    listed = json.loads(service.run("archive", "list", "--json").output)
    assert "everything stored before 20" in service.run("archive", "list").output
    ran = service.run("archive", "verify", "--workers", 1)
    assert (ran.exit_code, "0 faults" in ran.output) == (0, True)
    pack = [pack["name"] for pack in listed if pack["copies"]][-1]
    flip(service.path_of(pack), 40)
    service.parts = service.compose_on(service.parts.store.within)
    ran = service.run("archive", "verify", "--workers", 1)
    assert (ran.exit_code, pack in ran.output) == (1, True)


def test_the_job_copies_again_once_half_of_the_rest_is_over(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    parts, clock = service.parts, [2_000_000_000_000]
    monkeypatch.setattr(job, "now_ms", lambda: clock[0])

    def copied() -> int | None:
        copy_due(parts)
        return read_progress(service.archive.copies).copied_ms

    rest_ms = (parts.config.seal_after_s or 0) * 1000
    assert copied() == clock[0]
    clock[0] += rest_ms // 2 - 1
    assert copied() == clock[0] - rest_ms // 2 + 1
    clock[0] += 1
    assert copied() == clock[0]


def test_a_pass_that_takes_long_is_ended_by_the_next_job(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "WORK_S", -1.0)
    within, streams = service.parts.store.within, service.parts.store.within.streams
    monkeypatch.setattr(within, "streams", lambda after="", limit=1000: streams(after, 3))
    copy_due(service.parts)
    assert read_progress(service.archive.copies).after
    assert read_progress(service.archive.copies).copied_ms is None
    monkeypatch.setattr(job, "WORK_S", 60.0)
    copy_due(service.parts)
    assert read_progress(service.archive.copies).copied_ms is not None
    fresh = MemoryStore()
    assert restore_copies(fresh, service.archive.copies).streams["player"] == 6
