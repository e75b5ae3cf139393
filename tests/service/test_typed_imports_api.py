"""Imports of text records over HTTP."""

from typing import Any

import pytest

from plyscribe.domain.record import MEDIA_TYPE
from plyscribe.service.cli.full_export import export_store, import_store
from plyscribe.service.composition import Parts
from plyscribe.service.matches import records as records_module
from plyscribe.service.matches.records import MAX_RECORD_BYTES
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.streams.chains import check_store
from plyscribe.workers.check_import import check_import
from plyscribe.workers.verify_match import verify_all
from tests.service.api import Api

HEAD = "[ruleset zhen]\n[seat 1 Ada]\n[seat 2 Bea]\n[place Turin]\n\n"
SOUND = HEAD + "1. +5 2. +3 (1 resigned)\n"
FAULTY = HEAD + "1. +5 2. +3\n3. +5\n"


@pytest.fixture
def ann(api: Api) -> tuple[str, str]:
    return api.sign_up("Ann")


def send(api: Api, token: str, text: str | bytes, status: int = 202, query: str = "", **more: Any) -> Any:
    sent = api.send("POST", f"/v1/imports{query}", token, data=text, content_type=MEDIA_TYPE, **more)
    assert sent.status_code == status, sent.json
    return sent.json


def send_faulty(api: Api, parts: Parts, token: str) -> tuple[str, str, str]:
    """Send a text with a fault and check it; returns the import, its path, and the match."""
    taken = send(api, token, FAULTY)
    assert check_import(parts, taken["import"]) == "faulty"
    return taken["import"], f"/v1/imports/{taken['import']}", taken["match"]


def test_a_sound_record_becomes_a_match_that_its_importer_records(api: Api, parts: Parts, ann) -> None:
    player, token = ann
    taken = send(api, token, SOUND)
    assert (taken["status"], taken["match"], taken["entered"]) == ("waiting", f"match-{taken['import'][7:]}", None)
    assert [check_import(parts, taken["import"]) for _ in range(2)] == ["entered", "entered"]
    told = api.get(f"/v1/imports/{taken['import']}", token).json
    assert (told["status"], told["entered"]["plies"], told["verdict"]) == ("entered", 2, None)
    match = api.get(f"/v1/matches/{taken['match']}").json
    assert (match["recorder"], match["rated"], match["imported"]) == (player, False, None)
    assert [seat["name"] for seat in match["seats"]] == ["Ada", "Bea"]
    assert match["outcome"] == {"reason": "withdrawal", "ranks": [2, 1]}
    assert (match["about"], match["confirm_by"]) == ({"place": "Turin"}, None)
    assert parts.matches.read(taken["match"]).life.confirmed
    assert verify_all(parts, [(match["match"], match["version"])]) == ["scored"]
    [row] = api.get("/v1/matches?player=me", token).json["matches"]
    assert (row["match"], row["imported"]) == (match["match"], False)
    text = api.get(f"/v1/matches/{taken['match']}/record").text
    again = send(api, token, text)
    check_import(parts, again["import"])
    assert api.get(f"/v1/matches/{again['match']}/record").text == text


def test_only_its_importer_can_see_or_keep_a_text(api: Api, parts: Parts, ann) -> None:
    waiting = send(api, ann[1], FAULTY)["import"]
    refused = api.post(f"/v1/imports/{waiting}/prefix", ann[1], {})
    assert refused.json["code"] == "import/nothing-to-keep"
    _, path, _ = send_faulty(api, parts, ann[1])
    eve = api.sign_up("Eve")[1]
    assert api.get(path).status_code == api.get(path, eve).status_code == 404
    assert api.post(f"{path}/prefix", eve, {}).status_code == 404
    admin = parts.accounts.sign_up(records_module.VERIFIER, "Root", "person", ("admin", "record"))[1]
    refused = api.post(f"{path}/prefix", admin, {})
    assert (refused.status_code, refused.json["code"]) == (403, "import/not-yours")


def test_nothing_can_be_kept_if_the_headers_are_at_fault(api: Api, parts: Parts, ann) -> None:
    for text in ("", "[ruleset chess]\n", "1. e4", HEAD.replace("Ada", "A" * 100) + "+5"):
        taken = send(api, ann[1], text)
        assert check_import(parts, taken["import"]) == "faulty"
        refused = api.post(f"/v1/imports/{taken['import']}/prefix", ann[1], {})
        assert (refused.status_code, refused.json["code"]) == (409, "import/nothing-to-keep")


def test_the_kept_part_of_a_record_is_corrected_even_if_over_and_a_private_goes_on(api: Api, parts: Parts, ann) -> None:
    taken = send(api, ann[1], SOUND.rstrip() + " +4\n")
    assert check_import(parts, taken["import"]) == "faulty"
    assert api.post(f"/v1/imports/{taken['import']}/prefix", ann[1], {}).status_code == 200
    path = f"/v1/matches/{taken['match']}"
    assert api.get(path).json["confirm_by"] is not None
    assert api.post(f"{path}/take-back", ann[1], {"steps": 1}).status_code == 200
    taken = send(api, ann[1], HEAD + "+5 +3", query="?private=true")
    check_import(parts, taken["import"])
    path = f"/v1/matches/{taken['match']}"
    assert api.get(path).status_code == 404
    assert api.post(f"{path}/moves", ann[1], {"move": "+4"}).status_code == 200


def test_the_same_key_is_the_same_match_and_no_text_one_too_long_or_not_allowed_is_refused(api: Api, ann) -> None:
    first, again = (send(api, ann[1], SOUND, key="k") for _ in range(2))
    assert first == again
    assert send(api, ann[1], FAULTY, 422, key="k")["code"] == "key/reused"
    assert send(api, ann[1], SOUND)["import"] != first["import"]
    assert send(api, ann[1], b"[ruleset\n\xff", 422)["code"] == "record/unreadable"
    assert send(api, ann[1], b"x" * (MAX_RECORD_BYTES + 1), 422)["code"] == "record/too-long"
    assert send(api, api.sign_up("Chip", ("play",))[1], SOUND, 403)["code"] == "auth/scope"


def test_a_worker_that_died_after_it_entered_the_match_leaves_nothing_half_done(
    parts: Parts, api: Api, ann, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = send(api, ann[1], SOUND)["import"]
    with monkeypatch.context() as dying:
        dying.setattr(parts.records, "_settle", lambda *_: (_ for _ in ()).throw(SystemExit))
        with pytest.raises(SystemExit):
            check_import(parts, stream)
    assert parts.imports.read(stream).status == "waiting"
    assert check_import(parts, stream) == "entered"
    events = parts.store.load(f"match-{stream[7:]}").entries
    assert parts.matches.read(f"match-{stream[7:]}").version == len(events)


WEEK_MS = 7 * 24 * 3600 * 1000


def later(monkeypatch: pytest.MonkeyPatch, by_ms: int) -> None:
    now = records_module.now_ms()
    monkeypatch.setattr(records_module, "now_ms", lambda: now + by_ms)


def test_the_text_of_a_faulty_record_is_dropped_after_a_week(api: Api, parts: Parts, ann, monkeypatch) -> None:
    taken = send(api, ann[1], FAULTY, key="once")
    stream, path = taken["import"], f"/v1/imports/{taken['import']}"
    assert taken["kept_until"] is None
    assert check_import(parts, stream) == "faulty"
    faulty = api.get(path, ann[1]).json
    assert faulty["kept_until"] >= faulty["at"] + WEEK_MS
    later(monkeypatch, WEEK_MS - 60_000)
    assert parts.records.drop_text(stream).status == "faulty"
    later(monkeypatch, 120_000)
    assert [parts.records.drop_text(stream).status for _ in range(2)] == ["dropped", "dropped"]
    [left] = parts.store.load(stream).entries
    assert b"3. +5" not in left.e
    verdict = {**faulty["verdict"], "can_keep": False}
    assert api.get(path, ann[1]).json == {**faulty, "status": "dropped", "kept_until": None, "verdict": verdict}
    assert api.get(path).status_code == 404
    refused = api.post(f"{path}/prefix", ann[1], {})
    assert (refused.status_code, refused.json["code"]) == (409, "import/dropped")
    assert send(api, ann[1], FAULTY, key="once")["status"] == "dropped"
    assert send(api, ann[1], FAULTY, key="again")["status"] == "waiting"
    assert check_import(parts, stream) == "dropped"


def test_the_kept_part_of_a_dropped_text_stays_a_match(api: Api, parts: Parts, ann, monkeypatch) -> None:
    stream, path, match = send_faulty(api, parts, ann[1])
    kept = api.post(f"{path}/prefix", ann[1], {}).json
    assert kept["kept_until"] is not None
    before = api.get(f"/v1/matches/{match}").json
    later(monkeypatch, WEEK_MS)
    parts.records.drop_text(stream)
    dropped = api.get(path, ann[1]).json
    assert (dropped["status"], dropped["entered"], dropped["kept_until"]) == ("kept", kept["entered"], None)
    assert api.get(f"/v1/matches/{match}").json == before
    assert api.post(f"{path}/prefix", ann[1], {}).json == dropped


def test_a_sound_record_and_a_bundle_are_never_dropped(api: Api, parts: Parts, ann, monkeypatch) -> None:
    taken = send(api, ann[1], SOUND)
    later(monkeypatch, 2 * WEEK_MS)
    for status in ("waiting", "entered"):
        before = parts.store.load(taken["import"]).entries
        assert parts.records.drop_text(taken["import"]).status == status
        assert parts.store.load(taken["import"]).entries == before
        check_import(parts, taken["import"])


def test_a_part_that_is_kept_while_the_text_is_dropped_wins(api: Api, parts: Parts, ann, monkeypatch) -> None:
    stream, path, _ = send_faulty(api, parts, ann[1])
    later(monkeypatch, WEEK_MS)
    condense = parts.records._store.condense

    def keep_first(*args: Any) -> bool:
        assert api.post(f"{path}/prefix", ann[1], {}).status_code == 200
        return condense(*args)

    monkeypatch.setattr(parts.records._store, "condense", keep_first)
    assert parts.records.drop_text(stream).status == "kept"
    assert len(parts.store.load(stream).entries) == 3
    monkeypatch.undo()


def test_dropped_texts_are_no_damage_and_go_through_a_full_export(
    api: Api, parts: Parts, ann, monkeypatch, tmp_path
) -> None:
    stream, _, _ = send_faulty(api, parts, ann[1])
    export_store(parts.store, tmp_path / "before")
    whole = parts.store.load(stream).entries
    later(monkeypatch, WEEK_MS)
    parts.records.drop_text(stream)
    assert list(check_store(parts.store)) == []
    export_store(parts.store, tmp_path / "after")
    left = parts.store.load(stream).entries
    assert len(left) == 1
    for store, exports, entries in (
        (parts.store, ["before"], left),
        (MemoryStore(), ["before", "after"], whole),
        (MemoryStore(), ["after"], left),
    ):
        for export in exports:
            import_store(store, tmp_path / export)
        assert store.load(stream).entries == entries
