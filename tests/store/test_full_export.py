"""The whole content of a store, moved to another store and back."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plyscribe.domain.chain import first_link, link_all
from plyscribe.domain.commands import Actor, CreateMatch, MakeMove, TakeSeat, Withdraw
from plyscribe.domain.events import Account
from plyscribe.domain.rulesets import register
from plyscribe.service.archive.repacking import repack
from plyscribe.service.archive.sealing import seal_streams
from plyscribe.service.cli import full_export
from plyscribe.service.cli.full_export import Differs, ExportError, Written, check_export, export_store, import_store
from plyscribe.service.composition import Parts, compose
from plyscribe.service.config import Config, parse_key
from plyscribe.service.lists.projections import rebuild
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import CommandKey, EventStore, StoreUnavailable
from plyscribe.service.streams.ids import command_of, stream_id
from plyscribe.workers.score_match import score_all
from plyscribe.workers.verify_match import verify_all
from tests.domain.toy import TOY_V1
from tests.service.random_matches import PLAYERS, Play, dump
from tests.service.test_imports_api import Elsewhere

CONFIG = Config("", "", parse_key("5a" * 32))


def play_some(store: EventStore) -> Parts:
    """Matches in all states, accounts, a ledger and an import."""
    register(TOY_V1)
    parts = compose(CONFIG, store)
    play = Play(parts, seed=3)
    play.go_on(150)
    rate_one(parts)
    for match in play.matches:
        if parts.matches.read(match).life.status == "ended":
            verify_all(parts, [(match, parts.matches.read(match).version)])
    parts.accounts.sign_up(Actor("system", "test"), "Ann", "person", ("play",))
    elsewhere = Elsewhere()
    parts.imports.take(PLAYERS[0], elsewhere.bundle(elsewhere.play()))
    return parts


def rate_one(parts: Parts) -> None:
    ann, ben = PLAYERS[:2]
    asked = command_of("test", "POST", "/rated", "1", b"")
    match, seats = stream_id("match", asked), (Account(ann.id), Account(ben.id))
    for number, command in enumerate(
        (
            CreateMatch(actor=ann, at=1, id="a" * 32, ruleset="zhen", seats=seats, rated=True),
            TakeSeat(actor=ben, at=2, id="b" * 32, seat=2),
            MakeMove(actor=ann, at=3, id="d" * 32, move="+1"),
            MakeMove(actor=ben, at=4, id="e" * 32, move="+2"),
            Withdraw(actor=ben, at=5, id="c" * 32),
        )
    ):
        asked = command_of("test", "POST", "/rated", str(number), b"")
        parts.matches.execute(match, lambda _, command=command: command, asked, new=True)
    assert verify_all(parts, [(match, 7)]) == ["scored"]


def contents(store: EventStore) -> dict[str, Any]:
    """All streams, of which there are fewer than a page has."""
    return {stream: store.load(stream).entries for stream in store.streams("", 10_000)}


@pytest.fixture(scope="module")
def filled() -> Parts:
    return play_some(MemoryStore())


@pytest.fixture
def path(filled: Parts, tmp_path: Path) -> Path:
    export_store(filled.store, path := tmp_path / "all.ndjson")
    return path


def test_an_empty_store_becomes_the_same_byte_for_byte_and_nothing_is_entered_twice(filled, path, store):
    held = contents(filled.store)
    assert {stream.partition("-")[0] for stream in held} == {"match", "import", "imports", "name", "player", "ratings"}
    told: list[Written] = []
    written = import_store(store, path, told.append)
    assert [each.streams for each in told] == list(range(1, len(held) + 1))
    assert contents(store) == held
    assert written.new_streams == written.streams == len(held)
    again = import_store(store, path)
    assert (again.new_streams, again.new_events) == (0, 0)
    assert contents(store) == held
    export_store(store, exported := path.with_suffix(".again"))
    assert streams_in(exported) == streams_in(path)


def streams_in(path: Path) -> list[list[bytes]]:
    """The lines of each stream of a sound export, in the order of their ids."""
    check_export(path)
    streams: list[list[bytes]] = []
    for line in path.read_bytes().splitlines()[1:-1]:
        if line.startswith(b'{"stream":'):
            streams.append([])
        streams[-1].append(line)
    return sorted(streams)


def test_the_lists_are_the_same_once_they_are_built_again(filled: Parts, path: Path) -> None:
    import_store(store := MemoryStore(), path)
    parts = compose(CONFIG, store)
    for each in (filled, parts):
        for projection in each.lists.projections:
            rebuild(each.store, projection)
    assert dump(parts.lists.matches.table) == dump(filled.lists.matches.table)
    assert parts.lists.players.read("", None, 10, None) == filled.lists.players.read("", None, 10, None)


def test_a_file_that_says_anything_else_is_refused_before_anything_is_written(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    spoilt = [
        [b'{"archive":2,"server":"x"}\n', *lines[1:]],
        [*lines[:2], *lines[3:]],
        [*lines[:2], lines[2].replace(b'"at":', b'"at": '), *lines[3:]],
        [*lines[:2], lines[2].replace(b'"version":1', b'"version":2'), *lines[3:]],
        [lines[0], b'{"stream":"elsewhere"}\n', *lines[2:]],
        [lines[0], *lines[2:]],
        lines[:-1],
        [*lines, lines[1]],
        [*lines, b"x"],
        [*lines[:-1], lines[-1].replace(b'"streams":', b'"streams":1')],
        [*lines[:-1], lines[-1][:-1]],
        [],
        [b"\xff\n"],
    ]
    for each in spoilt:
        path.write_bytes(b"".join(each))
        with pytest.raises(ExportError):
            import_store(store := MemoryStore(), path)
        assert contents(store) == {}
        with pytest.raises(ExportError):
            check_export(path)


def test_a_store_that_differs_is_left_as_it_is(filled: Parts, path: Path) -> None:
    stream = next(stream for stream in contents(filled.store) if stream.startswith("match-"))
    [entry] = link_all(first_link(stream), 1, [b'{"another":"event"}'])
    store = MemoryStore()
    store.append(stream, 0, b"", [entry], ["x"], CommandKey(bytes(16), bytes(8)))
    with pytest.raises(Differs):
        import_store(store, path)
    assert contents(store) == {stream: [entry]}


def test_an_export_that_broke_off_goes_on_after_its_last_whole_stream_and_no_other_file_is_written_to(filled, path):
    whole = path.read_bytes()
    broken = path.with_suffix(".broken")
    for size in (0, 5, len(whole) // 3, len(whole) // 2, len(whole) - 5):
        broken.write_bytes(whole[:size])
        export_store(filled.store, broken)
        assert broken.read_bytes() == whole
    (other := path.with_suffix(".txt")).write_text("dear diary\n")
    for file, match in ((path, "complete"), (other, None)):
        held = file.read_bytes()
        with pytest.raises(ExportError, match=match):
            export_store(filled.store, file)
        assert file.read_bytes() == held


def test_an_import_that_broke_off_goes_on(filled: Parts, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, appends = MemoryStore(), []
    append = store.append_all

    def die(some: Any) -> Any:
        appends.append(some)
        if len(appends) % 5 == 0:
            raise StoreUnavailable("killed")
        return append(some)

    monkeypatch.setattr(store, "append_all", die)
    while True:
        try:
            import_store(store, path)
            break
        except StoreUnavailable:
            pass
    assert len(appends) > 10
    assert contents(store) == contents(filled.store)


@pytest.fixture
def sealed(path: Path) -> Parts:
    """A service whose settled matches are sealed in packs of their own."""
    parts = compose(replace(CONFIG, archive="memory:///"), MemoryStore())
    import_store(parts.store, path)
    assert parts.archive is not None
    for stream in parts.store.streams():
        seal_streams(parts.store, parts.archive, [stream])
    assert len(list(parts.archive.list_packs())) == len(parts.store.sealed()) > 3
    return parts


def test_sealed_streams_are_exported_like_all_others_and_come_first(sealed: Parts, path: Path, tmp_path: Path) -> None:
    written = export_store(sealed.store, again := tmp_path / "again")
    assert streams_in(again) == streams_in(path)
    assert written.streams == len(sealed.store.sealed()) + len(sealed.store.unsealed())
    found = [line[11:-2].decode() for line in again.read_bytes().splitlines() if line.startswith(b'{"stream":')]
    assert set(found[: len(sealed.store.sealed())]) == {stream for stream, _ in sealed.store.sealed()}


def test_each_block_of_a_pack_is_read_once(sealed: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sealed.archive is not None
    monkeypatch.setattr("plyscribe.service.archive.packs.BLOCK_BYTES", 2500)
    pack = repack(sealed.store, sealed.archive, [pack.name for pack in sealed.archive.list_packs()]).pack
    monkeypatch.setattr("plyscribe.service.archive.storage.KEPT_BYTES", 0)
    read, reads = sealed.archive._read_range, list[Any]()
    monkeypatch.setattr(sealed.archive, "_read_range", lambda *args: reads.append(args) or read(*args))
    export_store(sealed.store, tmp_path / "again")
    wanted = [(pack, block.offset) for block in sealed.archive.read_table(pack or "")]
    assert len(wanted) > 1
    assert sorted(args[:2] for args in reads if args[0] == pack) == sorted(wanted)


def test_an_export_goes_on_though_packs_and_places_changed_meanwhile(sealed: Parts, path: Path, tmp_path: Path) -> None:
    assert sealed.archive is not None
    export_store(sealed.store, again := tmp_path / "again")
    whole = again.read_bytes()
    for size in (len(whole) // 5, len(whole) // 2):
        again.write_bytes(whole[:size])
        repack(sealed.store, sealed.archive, [pack.name for pack in sealed.archive.list_packs()][:2])
        export_store(sealed.store, again)
        assert streams_in(again) == streams_in(path)


def test_what_was_tampered_with_keeps_nothing_else_from_being_exported(path: Path, tmp_path: Path, caplog) -> None:
    import_store(store := MemoryStore(), path)
    stream = next(stream for stream in contents(store) if stream.startswith("match-"))
    store._events[stream][0] = store._events[stream][0]._replace(e=b"no object")
    written = export_store(store, tmp_path / "rest.ndjson")
    assert written.streams == len(contents(store)) - 1
    assert f"{stream} is left out" in caplog.text


def test_a_match_that_counted_does_not_count_twice_after_it_was_restored(filled: Parts, path: Path) -> None:
    """Its score may have been lost with the end of its stream."""
    import_store(store := MemoryStore(), path)
    held = contents(store)
    read = filled.matches.read
    matches = [stream for stream in held if stream.startswith("match-")]
    scored = [match for match in matches if (score := read(match).life.score) and score.ledger]
    assert scored
    for stream in scored:
        del store._events[stream][-1]
        store._commands.pop(stream)
    assert score_all(compose(CONFIG, store), scored) == ["scored"] * len(scored)
    for stream, entries in held.items():
        assert not stream.startswith("ratings-") or store.load(stream).entries == entries


def test_one_match_is_restored_and_what_there_is_of_it_stays(filled: Parts) -> None:
    stream = next(stream for stream in contents(filled.store) if stream.startswith("match-"))
    entries = filled.store.load(stream).entries
    store = MemoryStore()
    restored = [full_export.restore_stream(store, stream, some) for some in (entries[:1], entries, entries[:1])]
    assert restored == [1, len(entries) - 1, 0]
    assert contents(store) == {stream: entries}
