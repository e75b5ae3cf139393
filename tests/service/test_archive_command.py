"""`plyscribe archive` and `plyscribe rebuild --from-archive`, beside a service."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from plyscribe.domain import verification
from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.commands import Actor, AnnulMatch
from plyscribe.domain.events import MatchRefuted
from plyscribe.domain.rulesets import register
from plyscribe.service import clock
from plyscribe.service.archive.packs import Labelled, build_pack
from plyscribe.service.archive.repacking import KEPT_EMPTY_MS
from plyscribe.service.archive.sealing import load_kept, seal_streams
from plyscribe.service.archive.storage import Archive
from plyscribe.service.cli import archive as archive_command
from plyscribe.service.cli import rebuild as rebuild_command
from plyscribe.service.cli.__main__ import cli
from plyscribe.service.composition import Parts, compose
from plyscribe.service.lists.matches import MatchFilter
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import EventStore, Moved
from plyscribe.service.streams.ids import command_of
from tests.domain.toy import TOY_V1
from tests.service.conftest import CONFIG
from tests.service.test_imports_api import Elsewhere


class Rig:
    """A service, its archive in a folder, and the command line beside them."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        register(TOY_V1)
        self.folder = folder
        self.parts = self.compose_on(MemoryStore())
        self.api = Elsewhere(self.parts)
        _, self.ann = self.api.sign_up()
        for command in (archive_command, rebuild_command):
            monkeypatch.setattr(command, "compose_beside", lambda _: self.parts)

    def compose_on(self, store: EventStore) -> Parts:
        return compose(replace(CONFIG, archive=self.folder.as_uri()), store)

    @property
    def archive(self) -> Archive:
        assert self.parts.archive is not None
        return self.parts.archive

    def play(self) -> str:
        """A match that was withdrawn from, and scored."""
        return self.api.play("pathagon")

    def seal(self, count: int = 1) -> list[str]:
        """So many matches, in a pack of their own."""
        matches = [self.play() for _ in range(count)]
        assert seal_streams(self.parts.store, self.archive, matches).sealed == count
        return matches

    def pack_of(self, match: str) -> str:
        [place] = self.parts.store.places([match])
        assert place is not None
        return place[:16].hex()

    def path_of(self, pack: str) -> Path:
        [path] = self.folder.rglob(f"{pack}.pack")
        return path

    def packs(self) -> set[str]:
        return {pack.name for pack in self.archive.list_packs()}

    def events_of(self, matches: Sequence[str]) -> list[list[StoredEvent]]:
        """The events as another process reads them, which has nothing in its memory."""
        parts = self.compose_on(self.parts.store.within)
        return [parts.store.load(match).entries for match in matches]

    def listed(self) -> set[str]:
        self.parts.lists.lag()
        page = self.parts.lists.matches.read(MatchFilter(), None, 100, None)
        return {json.loads(row)["match"] for row in page.rows}

    def run(self, *arguments: object) -> Result:
        return CliRunner().invoke(cli, list(map(str, arguments)))


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rig:
    return Rig(tmp_path / "archive", monkeypatch)


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def test_packs_are_listed_with_what_is_in_them(rig: Rig) -> None:
    matches = rig.seal(3)
    events = sum(map(len, rig.events_of(matches)))
    [pack] = json.loads(rig.run("archive", "list", "--json").output)
    name, size = rig.pack_of(matches[0]), rig.path_of(rig.pack_of(matches[0])).stat().st_size
    counted = {"bytes": size, "streams": 3, "events": events}
    assert pack == {"name": name, **counted, "labels": pack["labels"], "emptied_ms": None, "copies": False}
    assert list(pack["labels"].values()) == [3]
    first, sealed, copies = rig.run("archive", "list").output.splitlines()
    assert first.startswith(name)
    assert f"3 streams, {events} events, {size / events:.1f} bytes an event" in first
    assert sealed.startswith("sealed: 1 pack: ")
    assert copies == "copies: 0 packs: 0 bytes, 0 streams, 0 events; no pass over all streams is complete yet"
    rig.archive.note_emptied(name)
    output = rig.run("archive", "list").output
    assert "emptied 2" in output
    assert "sealed: 1 pack, 1 of them emptied; in the others 0 bytes" in output


def test_without_an_archive_the_command_says_what_to_set(rig: Rig) -> None:
    rig.parts = compose(CONFIG, MemoryStore())
    for arguments in (["archive", "list"], ["rebuild", "--from-archive"]):
        ran = rig.run(*arguments)
        assert (ran.exit_code, "PLYSCRIBE_ARCHIVE" in ran.output) == (2, True)


def test_a_changed_byte_is_found_in_its_pack_wherever_it_is(rig: Rig) -> None:
    [match], [other] = rig.seal(), rig.seal()
    path = rig.path_of(rig.pack_of(match))
    whole = path.read_bytes()
    for at in range(0, len(whole), 97):
        flip(path, at)
        rig.parts = rig.compose_on(rig.parts.store.within)
        ran = rig.run("archive", "verify", "--workers", 1, rig.pack_of(match), rig.pack_of(other))
        assert ran.exit_code == 1
        assert rig.pack_of(match) in ran.output
        assert rig.pack_of(other) not in ran.output
        path.write_bytes(whole)


def test_a_match_that_does_not_follow_from_its_rules_or_is_not_at_its_place_is_named(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    [match, other], [lost] = rig.seal(2), rig.seal()

    def verify(*packs: str) -> tuple[int, str]:
        ran = rig.run("archive", "verify", "--workers", 1, *packs)
        return ran.exit_code, ran.output

    code, output = verify()
    assert (code, "2 packs, 3 streams" in output, "0 faults" in output) == (0, True, True)
    assert verify("0" * 32)[0] == 2
    execute = verification.execute_again

    def refute(stream: str, *args: Any, **more: Any) -> Any:
        done = execute(stream, *args, **more)
        return done._replace(verdict=MatchRefuted(3, "no such move")) if stream == match else done

    with monkeypatch.context() as patched:
        patched.setattr("plyscribe.service.archive.examining.execute_again", refute)
        code, output = verify()
    assert (code, f"{match}: event 3: no such move" in output, other in output) == (1, True, False)
    [own, place] = rig.parts.store.places([lost, match])
    assert rig.parts.store.move([Moved(lost, own or b"", place)]) == [True]
    code, output = verify()
    assert (code, f"{lost}: it is not at its place" in output, other in output) == (1, True, False)


def test_settled_matches_are_sealed_now_and_others_are_named(rig: Rig) -> None:
    settled, [sealed], under_way = rig.play(), rig.seal(), rig.api.new_match(rig.ann)
    events = rig.events_of([settled])
    unknown = f"match-{'a' * 26}"
    ran = rig.run("archive", "seal", settled, under_way, unknown, sealed, "player-x")
    assert ran.exit_code == 1
    for named, why in (
        (under_way, "is not sealed: it is not settled"),
        (unknown, "is not sealed: there is no such match"),
        ("player-x", "is not sealed: it is no match"),
        (sealed, "is sealed already"),
    ):
        assert f"{named} {why}" in ran.output
    assert ran.output.endswith("matches sealed: 1\n")
    assert rig.parts.store.places([settled]) != [None]
    assert rig.events_of([settled]) == events
    more = [rig.play() for _ in range(3)]
    ran = rig.run("archive", "seal", "--all")
    assert (ran.exit_code, ran.output) == (0, "matches sealed: 3\n")
    assert None not in rig.parts.store.places(more)
    assert rig.parts.store.places([under_way]) == [None]
    assert rig.run("archive", "seal").exit_code == rig.run("archive", "seal", "--all", settled).exit_code == 2


def test_small_packs_are_merged_and_old_emptied_ones_removed(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    matches = [match for _ in range(3) for match in rig.seal()]
    events, before = rig.events_of(matches), rig.packs()
    ran = rig.run("archive", "repack")
    assert ran.output == "3 packs became 1, with 3 streams that moved\n0 emptied packs removed\n"
    assert len({rig.pack_of(match) for match in matches}) == 1
    assert set(rig.archive.list_emptied()) == before
    assert rig.run("archive", "repack").output == "no packs to merge\n0 emptied packs removed\n"
    assert rig.run("archive", "repack", "--all").exit_code == 0
    assert set(rig.archive.list_emptied()) == before, "a pack that cannot be packed better stays"
    later = clock.now_ms() + KEPT_EMPTY_MS + 60_000
    monkeypatch.setattr(clock, "now_ms", lambda: later)
    assert "3 emptied packs removed" in rig.run("archive", "repack").output
    assert rig.packs() == {rig.pack_of(matches[0])}
    assert rig.events_of(matches) == events


def test_without_yes_and_a_reason_nothing_is_forgotten(rig: Rig) -> None:
    match, _ = rig.seal(2)
    ran = rig.run("archive", "forget", match, "--reason", "a judge says so")
    assert (ran.exit_code, rig.pack_of(match) in ran.output, "What stays" in ran.output) == (0, True, True)
    for wrong in (("ratings-zhen", "--reason", "x"), (match, "--reason", " "), (match,)):
        assert rig.run("archive", "forget", *wrong, "--yes").exit_code == 2
    assert rig.events_of([match]) != [[]]
    assert rig.archive.list_forgotten() == set()


def test_a_forgotten_match_is_gone_from_store_packs_and_lists(rig: Rig) -> None:
    match, other = rig.seal(2)
    kept, [events] = rig.events_of([other]), rig.events_of([match])
    copy = build_pack([Labelled("x", each) for each in load_kept(rig.parts.store, [match])], {})
    rig.archive.put(copy)
    assert rig.listed() == {match, other}
    ran = rig.run("archive", "forget", match, "--reason", "a judge says so", "--yes")
    assert ran.exit_code == 0
    assert "also from 2 packs" in ran.output
    assert rig.events_of([match, other]) == [[], *kept]
    assert rig.parts.store.places([match]) == [None]
    assert rig.packs() == {rig.pack_of(other)}
    assert match.encode() not in b"".join(path.read_bytes() for path in rig.folder.rglob("*.pack"))
    assert rig.listed() == {other}
    assert rig.parts.lists.matches.count(["pathagon"]) == {"pathagon": 1}
    note = json.loads((rig.folder / "forgotten" / match).read_bytes())
    assert (note["match"], note["why"], note["head"]) == (match, "a judge says so", events[-1].h.hex())
    assert {"at", "by"} < set(note)


def test_a_match_can_be_forgotten_where_the_account_has_no_name(rig: Rig, monkeypatch) -> None:
    monkeypatch.setattr("os.getuid", lambda: 54_321)
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    match = rig.seal()[0]
    assert rig.run("archive", "forget", match, "--reason", "x", "--yes").exit_code == 0
    assert json.loads((rig.folder / "forgotten" / match).read_bytes())["by"] == "uid 54321"


def test_a_settled_match_is_sealed_before_it_is_forgotten(rig: Rig) -> None:
    match, under_way = rig.play(), rig.api.new_match(rig.ann)
    assert rig.run("archive", "forget", match, "--reason", "x", "--yes").exit_code == 0
    assert rig.events_of([match]) == [[]]
    ran = rig.run("archive", "forget", under_way, "--reason", "x", "--yes")
    assert (ran.exit_code, "not settled" in ran.output) == (1, True)
    assert rig.events_of([under_way]) != [[]]


def test_forgetting_that_died_is_completed_by_running_it_again(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    match, other = rig.seal(2)
    kept = rig.events_of([other])

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("plyscribe.service.archive.forgetting.repack", die)
        assert rig.run("archive", "forget", match, "--reason", "first", "--yes").exit_code != 0
    assert rig.parts.store.places([match]) == [None]
    assert rig.run("archive", "forget", match, "--reason", "second", "--yes").exit_code == 0
    assert match.encode() not in b"".join(path.read_bytes() for path in rig.folder.rglob("*.pack"))
    assert json.loads((rig.folder / "forgotten" / match).read_bytes())["why"] == "first"
    assert rig.events_of([other]) == kept
    again = rig.run("archive", "forget", match, "--reason", "third", "--yes")
    assert (again.exit_code, "there is no match" in again.output) == (1, True)


def test_forgetting_a_match_takes_all_datasets_away_that_may_have_it(rig: Rig, tmp_path: Path) -> None:
    match, _ = rig.seal(2)
    (tmp_path / "rows").write_bytes(b"rows")
    place = f"datasets/pathagon/1-{'a' * 16}/plies.parquet"
    for _ in range(2):
        rig.archive.put_file(place, tmp_path / "rows")
        # The second time the match is gone, as after a deletion that died before its end.
        rig.run("archive", "forget", match, "--reason", "x", "--yes")
        assert rig.archive.list_files("datasets") == []


def test_a_store_that_lost_its_sealed_matches_gets_them_back(rig: Rig) -> None:
    sealed, gone = rig.seal(3), rig.seal()
    events = rig.events_of(sealed)
    assert rig.run("archive", "forget", gone[0], "--reason", "x", "--yes").exit_code == 0
    rig.parts = rig.compose_on(MemoryStore())
    ran = rig.run("rebuild", "--from-archive", "matches")
    assert (ran.exit_code, "matches: 3 of 3 sealed ones found again, 0 moved" in ran.output) == (0, True)
    assert rig.events_of(sealed) == events
    assert rig.listed() == set(sealed)
    assert "0 of 3 sealed ones found again, 0 moved" in rig.run("rebuild", "--from-archive", "matches").output


def test_of_several_copies_the_longest_counts_and_what_is_stored_stays(rig: Rig) -> None:
    [match] = rig.seal()
    [before] = rig.events_of([match])
    annul = AnnulMatch(actor=Actor("organiser", "player-" + "o" * 26), at=clock.now_ms(), id="a" * 32, why="x")
    rig.parts.matches.execute(match, lambda _: annul, command_of("test", "POST", "/annul", "1", b""))
    assert "0 of 1 sealed ones found" in rig.run("rebuild", "--from-archive", "matches").output
    assert rig.parts.store.places([match]) == [None]
    assert seal_streams(rig.parts.store, rig.archive, [match]).sealed == 1
    [after] = rig.events_of([match])
    assert len(after) > len(before)
    rig.parts = rig.compose_on(MemoryStore())
    rig.run("rebuild", "--from-archive", "matches")
    assert rig.events_of([match]) == [after]


def test_places_of_packs_that_are_gone_are_mended(rig: Rig) -> None:
    matches = [match for _ in range(2) for match in rig.seal()]
    old, events = rig.parts.store.places(matches), rig.events_of(matches)
    rig.run("archive", "repack")
    for match, place, now in zip(matches, old, rig.parts.store.places(matches), strict=True):
        rig.parts.store.move([Moved(match, now or b"", place)])
    for name in rig.archive.list_emptied():
        rig.archive.delete_pack(name)
    assert rig.run("archive", "verify", "--workers", 1).exit_code == 1
    assert "2 moved" in rig.run("rebuild", "--from-archive", "matches").output
    assert rig.run("archive", "verify", "--workers", 1).exit_code == 0
    assert rig.events_of(matches) == events


def test_a_damaged_pack_is_named_and_the_others_are_read(rig: Rig) -> None:
    [bad], [good] = rig.seal(), rig.seal()
    pack, events = rig.pack_of(bad), rig.events_of([good])
    flip(rig.path_of(pack), 30)
    rig.parts = rig.compose_on(MemoryStore())
    ran = rig.run("rebuild", "--from-archive", "matches")
    assert (ran.exit_code, "1 of 1 sealed ones found" in ran.output) == (1, True)
    assert f"wrong  pack {pack}" in ran.output
    assert rig.events_of([good]) == events
