"""The API over sealed matches: they are as all others, until their pack is damaged or the archive is away."""

from dataclasses import replace
from pathlib import Path

import pytest

from plyscribe.service.archive.sealing import seal_streams
from plyscribe.service.composition import Parts, compose
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.web.app import create_app
from tests.service.api import Api
from tests.service.conftest import CONFIG


@pytest.fixture
def parts(tmp_path: Path) -> Parts:
    return compose(replace(CONFIG, archive=(tmp_path / "archive").as_uri()), MemoryStore())


@pytest.fixture
def api(parts: Parts) -> Api:
    return Api(create_app(parts))


@pytest.fixture
def token(api: Api) -> str:
    return api.sign_up()[1]


def seal_one(parts: Parts, api: Api, token: str) -> str:
    """An aborted match in a pack of its own."""
    match = api.new_match(token)
    assert api.send("POST", f"/v1/matches/{match}/abort", token).status_code == 200
    assert parts.archive is not None
    assert seal_streams(parts.store, parts.archive, [match]).sealed == 1
    return match


def afresh(parts: Parts) -> Api:
    """The API of a process that has nothing in its caches."""
    return Api(create_app(compose(parts.config, parts.store.within)))


def test_a_damaged_pack_takes_nothing_but_its_own_matches(parts: Parts, api: Api, token: str, tmp_path: Path) -> None:
    bad, good, open_one = seal_one(parts, api, token), seal_one(parts, api, token), api.new_match(token)
    [place] = parts.store.places([bad])
    assert place is not None
    [path] = tmp_path.rglob(f"{place[:16].hex()}.pack")
    data = bytearray(path.read_bytes())
    data[20] ^= 1
    path.write_bytes(data)
    again = afresh(parts)
    refused = again.get(f"/v1/matches/{bad}")
    assert (refused.status_code, refused.json["code"]) == (503, "archive/damaged")
    assert bad in refused.json["detail"]
    assert again.get(f"/v1/matches/{good}").json["status"] == "aborted"
    assert again.get(f"/v1/matches/{open_one}").json["status"] == "open"
    path.unlink()
    assert "is missing" in afresh(parts).get(f"/v1/matches/{bad}").json["detail"]


def test_without_the_archive_sealed_matches_wait_and_all_others_go_on(parts: Parts, api: Api, token: str) -> None:
    match, open_one = seal_one(parts, api, token), api.new_match(token)
    alone = Api(create_app(compose(CONFIG, parts.store.within)))
    refused = alone.get(f"/v1/matches/{match}")
    assert (refused.status_code, refused.json["code"]) == (503, "archive/unavailable")
    assert match in refused.json["detail"]
    assert "PLYSCRIBE" not in refused.json["detail"]
    assert "Retry-After" in refused.headers
    assert alone.get(f"/v1/matches/{open_one}").json["status"] == "open"


def test_a_folder_that_is_away_is_asked_again_later(parts: Parts, api: Api, token: str, monkeypatch) -> None:
    match = seal_one(parts, api, token)

    def fail(*_: object, **__: object) -> bytes:
        raise OSError("no route to the disk")

    for name in ("get", "get_range"):
        monkeypatch.setattr(f"plyscribe.service.archive.storage.obstore.{name}", fail)
    away = afresh(parts)
    refused = away.get(f"/v1/matches/{match}")
    assert (refused.status_code, refused.json["code"]) == (503, "archive/unavailable")
    assert (match in refused.json["detail"], "disk" in refused.json["detail"]) == (True, False)
    monkeypatch.undo()
    assert away.get(f"/v1/matches/{match}").json["status"] == "aborted"
