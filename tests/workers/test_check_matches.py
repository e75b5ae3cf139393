"""The job of `plyscribe rules check`: what it finds in matches in the store and in bundles in files."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.ruleset import Over
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.composition import Parts, compose
from plyscribe.service.processes.checkers import Asked, CheckError
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import StoreError, StoreUnavailable, Stretch
from plyscribe.service.web.app import create_app
from plyscribe.workers import check_matches as module
from plyscribe.workers.check_matches import check_matches
from tests.domain.toy import Push, Race, ToyMove, answering
from tests.domain.toy_v2 import registered_beside
from tests.service.api import Api
from tests.service.conftest import CONFIG
from tests.service.test_imports_api import Elsewhere, bundle_of, forged
from tests.service.test_ruleset_versions import SIX_HOLDS, TOO_MUCH, Tables

NEWEST = Asked("toy")


class Shop:
    """A store of matches, and the job that replays them."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.tables = Tables(Api(create_app(parts)))

    def record(self, *moves: str, version: int = 1) -> str:
        match = self.tables.open(version)
        self.tables.play(match, *moves)
        return match

    def streams(self) -> list[str]:
        return [stream for stream in self.parts.store.streams() if stream.startswith(("match-", "import-"))]

    def check(self, asked: Asked = NEWEST) -> tuple[dict[str, int], list[dict[str, Any]]]:
        return check_matches(asked, self.streams(), ())


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    with registered_beside():
        parts = compose(CONFIG, MemoryStore())
        monkeypatch.setattr(module, "process_parts", lambda: parts)
        yield Shop(parts)


def test_matches_without_a_difference_are_counted_by_version(shop):
    shop.tables.api.new_match(shop.tables.token, ruleset="zhen")
    for version in (1, 1, 2):
        shop.record("hold", version=version)
    assert shop.check() == ({"1": 2, "2": 1}, [])
    match = shop.record(*SIX_HOLDS, TOO_MUCH)
    assert shop.check(Asked("toy", 1)) == ({"1": 3, "2": 1}, []), "an older version may be the candidate"
    assert [each["match"] for each in shop.check()[1]] == [match]


def test_the_first_event_that_differs_is_reported(shop):
    shop.record("hold")
    match = shop.record(*SIX_HOLDS, TOO_MUCH, "push")
    replayed, [finding] = shop.check()
    assert replayed == {"1": 2}
    assert (finding["match"], finding["ruleset_version"], finding["outcome"]) == (match, 1, "differs")
    found = finding["difference"]
    assert (found["version"], found["ply"], found["kind"], found["clause"]) == (9, 6, "illegal", "TO12")


def test_imported_matches_are_replayed_too(shop):
    elsewhere = Elsewhere()
    match = elsewhere.play("toy", ruleset_version=1, options={"dice": 0})
    headers = {"Content-Type": "application/x-ndjson"}
    shop.tables.api.send("POST", "/v1/imports", shop.tables.token, data=elsewhere.bundle(match), headers=headers)
    assert [stream.partition("-")[0] for stream in shop.streams()] == ["import"]
    assert shop.check() == ({"1": 1}, [])


def end_at_a_push(after: Race, state: Race, move: ToyMove) -> Race:
    return replace(after, awaits=Over("finish", (1, 2))) if isinstance(move, Push) else after


def never_return(after: Race, *_: object) -> Race:
    while True:
        pass


ONE_FIELD, ENDLESS = answering("apply_move", end_at_a_push)(), answering("apply_move", never_return)()
PATHAGON = find_ruleset("pathagon")


@pytest.mark.parametrize(
    ("candidate", "kind", "came"), [("ONE_FIELD", "end", "over, finish, ranks 1 2"), ("ENDLESS", "fails", "Timeout")]
)
def test_a_ruleset_that_is_not_registered_may_be_the_candidate(shop, monkeypatch, candidate, kind, came):
    monkeypatch.setattr(module, "MATCH_TIMEOUT_S", 1)
    shop.record("hold", "push", "push")
    _, [found] = shop.check(Asked("toy", candidate=f"{__name__}:{candidate}"))
    assert found["difference"]["kind"] == kind
    assert came in str(found["difference"]["came"])


def test_a_candidate_must_be_of_the_same_game(shop):
    with pytest.raises(CheckError, match="is a version of pathagon, not of toy"):
        shop.check(Asked("toy", candidate=f"{__name__}:PATHAGON"))


def test_a_match_that_cannot_be_read_is_reported_and_holds_up_no_other(shop, monkeypatch):
    shop.record("hold")
    bad, gone = (shop.record("hold") for _ in range(2))
    load_all = shop.parts.store.load_all

    def damaged(stretches: Sequence[Stretch]) -> list[list[StoredEvent]]:
        if any(stretch.stream == bad for stretch in stretches):
            raise StoreError(f"{bad} is no stream")
        return [[] if stretch.stream == gone else load_all([stretch])[0] for stretch in stretches]

    monkeypatch.setattr(shop.parts.store, "load_all", damaged)
    replayed, findings = shop.check()
    assert replayed == {"1": 1}
    assert {each["match"]: (each["outcome"], each["why"]) for each in findings} == {
        bad: ("unread", f"{bad} is no stream"),
        gone: ("unread", "event 1 does not fit the events before it: the match was never created"),
    }


def test_without_the_store_nothing_is_reported(shop, monkeypatch):
    shop.record("hold")

    def away(stretches: Sequence[Stretch]) -> list[list[StoredEvent]]:
        raise StoreUnavailable("away")

    monkeypatch.setattr(shop.parts.store, "load_all", away)
    monkeypatch.setattr(shop.parts.matches, "_load_within_s", 0)
    with pytest.raises(StoreUnavailable):
        shop.check()


def test_bundles_are_replayed_from_their_files_without_a_store(shop, monkeypatch, tmp_path: Path):
    def give_what_is_not_there(raws: list[Any]) -> None:
        raws[-1]["data"]["move"] = TOO_MUCH

    matches = [shop.record("hold"), shop.record(*SIX_HOLDS, TOO_MUCH), shop.tables.api.new_match(shop.tables.token)]
    for number, match in enumerate(matches):
        (tmp_path / f"{number}.bundle").write_bytes(bundle_of(shop.parts, match))
    (tmp_path / "forged.bundle").write_bytes(forged(bundle_of(shop.parts, matches[0]), give_what_is_not_there))
    (tmp_path / "notes.txt").write_text("no bundle")
    monkeypatch.delattr(module, "process_parts")
    files = [*map(str, sorted(tmp_path.iterdir())), str(tmp_path / "gone.bundle")]
    replayed, findings = check_matches(NEWEST, (), files)
    assert replayed == {"1": 3}
    assert [(each["match"], each["outcome"]) for each in findings] == [
        (matches[1], "differs"),
        (matches[0], "unsound"),
        ("notes.txt", "unread"),
        ("gone.bundle", "unread"),
    ]
    # What its own version cannot replay says nothing about the candidate.
    assert findings[1]["difference"]["clause"] == "TO7"
