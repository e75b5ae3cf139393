"""Where packs are kept: the same tests on a folder, in memory, and on an object store over HTTP."""

import logging
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from plyscribe.service.archive.errors import ArchiveError, ArchiveUnavailable, PackDamaged
from plyscribe.service.archive.packs import FOOTER, Labelled, Pack, build_pack, train_dictionary
from plyscribe.service.archive.storage import Archive
from plyscribe.service.archive.stream_columns import split_stream
from tests.archive.given import make_match
from tests.system.running import WITHIN_S

SOME = [Labelled("zhen-v1", make_match(number)) for number in range(12)]


@pytest.fixture(scope="session")
def bucket() -> Iterator[str]:
    """A local server that speaks S3, with a bucket."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    httpx.put(f"{endpoint}/shelf", timeout=WITHIN_S).raise_for_status()
    yield endpoint
    server.stop()


@pytest.fixture(params=["file", "memory", "s3"])
def address(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "file":
        return (tmp_path / "archive").as_uri()
    if request.param == "memory":
        return "memory:"
    name_bucket(monkeypatch, request.getfixturevalue("bucket"))
    return f"s3://shelf/{tmp_path.name}"


def name_bucket(monkeypatch: pytest.MonkeyPatch, endpoint: str) -> None:
    """Set what an operator sets."""
    settings = {"ENDPOINT_URL": endpoint, "ACCESS_KEY_ID": "a", "SECRET_ACCESS_KEY": "b", "REGION": "us-east-1"}
    for name, value in settings.items():
        monkeypatch.setenv(f"AWS_{name}", value)


@pytest.fixture
def archive(address: str) -> Archive:
    return Archive(address)


def make_pack(first: int = 0) -> Pack:
    return build_pack(SOME[first : first + 6], {})


def test_a_pack_comes_back(archive):
    pack = make_pack()
    archive.put(pack)
    archive.put(pack)
    assert [(kept.name, kept.size) for kept in archive.list_packs()] == [(pack.name, len(pack.data))]
    assert archive.read_pack(pack.name) == pack.data
    assert archive.read_table(pack.name) == pack.blocks
    for stream, (block, number) in pack.slots.items():
        assert archive.open_block(pack.name, block).read(number).stream == stream
    [(block, opened)] = archive.open_blocks(pack.name)
    assert (block.streams, opened.streams) == (6, sorted(pack.slots))


def test_a_pack_that_is_not_there_is_missing(archive):
    archive.require_writable()
    for read in (archive.read_pack, archive.read_table, lambda name: archive.open_block(name, 0)):
        with pytest.raises(PackDamaged, match="0000 is missing"):
            read("0" * 32)
    assert list(archive.list_packs()) == []
    archive.delete_pack("0" * 32)


def test_a_table_that_is_larger_than_the_first_read_is_read_too(archive, monkeypatch):
    monkeypatch.setattr("plyscribe.service.archive.storage.END_BYTES", FOOTER.size + 10)
    pack = make_pack()
    archive.put(pack)
    assert archive.read_table(pack.name) == pack.blocks
    assert archive.open_block(pack.name, 0).read(0).stream == min(pack.slots)
    with pytest.raises(PackDamaged, match="no block 1"):
        archive.open_block(pack.name, 1)


def test_a_dictionary_comes_back_and_the_newest_counts(archive, address):
    old, new = (
        train_dictionary([split_stream(each.kept)[0].said for each in SOME * 20], size) for size in (2048, 4096)
    )
    assert old is not None
    assert new is not None
    archive.put_dictionary("zhen-v1", old)
    pack = build_pack(SOME, {"zhen-v1": old})
    archive.put(pack)
    again = archive if address == "memory:" else Archive(address)
    assert again.newest_dictionaries() == {"zhen-v1": old}
    assert again.open_block(pack.name, 0).read(0) == build_first()
    with pytest.raises(PackDamaged, match=r"dictionary .* is missing"):
        again.find_dictionary(new.digest)
    archive.put_dictionary("pathagon-v1", new)
    assert again.find_dictionary(new.digest) == new.data


def build_first():
    first = min((each.kept for each in SOME), key=lambda kept: kept.stream)
    return first._replace(events=list(first.events), commands=list(first.commands))


def test_what_was_emptied_is_noted_until_it_is_used_or_deleted_and_what_was_forgotten_once(archive):
    one, other = make_pack(), make_pack(6)
    for pack in (one, other):
        archive.put(pack)
        archive.note_emptied(pack.name)
    noted = archive.list_emptied()
    assert noted.keys() == {one.name, other.name}
    assert min(noted.values()) > 1_700_000_000_000
    archive.note_used(one.name)
    archive.delete_pack(other.name)
    assert archive.list_emptied() == {}
    assert [pack.name for pack in archive.list_packs()] == [one.name]
    for stream in ("match-a", "match-a", "match-b"):
        archive.note_forgotten(stream, b"why")
    assert archive.list_forgotten() == {"match-a", "match-b"}


def test_only_so_many_blocks_stay_in_memory(archive, monkeypatch):
    packs = [build_pack([each], {}) for each in SOME]
    for pack in packs:
        archive.put(pack)
    blocks = [archive.open_block(pack.name, 0) for pack in packs]
    monkeypatch.setattr("plyscribe.service.archive.storage.KEPT_BYTES", 2 * blocks[0].most_bytes)
    archive.open_block(make_and_put(archive).name, 0)
    assert len(archive._blocks) <= 3
    assert archive._held == sum(size for _, size in archive._blocks.values())
    assert archive.open_block(packs[0].name, 0) is not blocks[0]


def make_and_put(archive: Archive) -> Pack:
    pack = make_pack(3)
    archive.put(pack)
    return pack


# Folders


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "archive"


def path_of(folder: Path, pack: Pack) -> Path:
    return folder / "packs" / pack.name[:2] / f"{pack.name}.pack"


def test_a_folder_is_made_for_us_alone_when_it_is_first_used(folder):
    archive = Archive((folder / "below").as_uri())
    assert (archive.is_there(), folder.exists()) == (False, False)
    archive.prepare()
    assert archive.is_there()
    assert [stat.S_IMODE(each.stat().st_mode) for each in (folder, folder / "below")] == [0o700, 0o700]


def test_what_is_no_folder_cannot_be_used(folder):
    archive = Archive(folder.as_uri())
    archive.prepare()
    (folder / "packs").write_text("no folder")
    with pytest.raises(ArchiveUnavailable):
        archive.put(make_pack())
    (folder / "packs").unlink()
    folder.rmdir()
    folder.write_text("no folder")
    for use in (Archive.prepare, Archive.require_writable, Archive.list_emptied):
        with pytest.raises(ArchiveError, match="cannot be used"):
            use(Archive(folder.as_uri()))


def test_nothing_is_said_before_the_pack_and_its_name_are_on_the_disk(folder, monkeypatch):
    synced: list[str] = []
    real = os.fsync
    monkeypatch.setattr(
        "os.fsync", lambda opened: (synced.append(os.readlink(f"/proc/self/fd/{opened}")), real(opened))
    )
    pack = make_pack()
    Archive(folder.as_uri()).put(pack)
    path = path_of(folder, pack)
    assert synced == [str(each) for each in (path, path.parent, path.parent.parent, folder)]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data[:-1],
        lambda data: b"",
        lambda data: data[:100] + bytes([data[100] ^ 1]) + data[101:],
        lambda data: data + b"\n",
    ],
)
def test_a_pack_that_was_altered_is_damaged_and_can_be_put_again(folder, spoil: Callable[[bytes], bytes]):
    pack = make_pack()
    Archive(folder.as_uri()).put(pack)
    path_of(folder, pack).write_bytes(spoil(pack.data))
    archive = Archive(folder.as_uri())
    with pytest.raises(PackDamaged, match=pack.name):
        archive.read_pack(pack.name)
    with pytest.raises(PackDamaged, match=pack.name):
        list(archive.open_blocks(pack.name))
    # Its writer died before all of it was on the disk, and another one comes with the same.
    archive.put(pack)
    assert Archive(folder.as_uri()).read_pack(pack.name) == pack.data


# Addresses


@pytest.mark.parametrize(
    "address", ["", "archive", "/var/archive", "ftp://host/x", "file:archive", "file://host/archive", "s3://"]
)
def test_what_is_no_address_is_refused(address):
    with pytest.raises(ArchiveError, match=r"archive|address"):
        Archive(address)


def test_an_object_store_that_does_not_answer_or_lacks_the_bucket_is_unavailable(bucket, monkeypatch):
    name_bucket(monkeypatch, bucket)
    with pytest.raises(ArchiveUnavailable):
        Archive("s3://nowhere/x").put(make_pack())
    name_bucket(monkeypatch, "http://127.0.0.1:9")
    archive = Archive("s3://shelf/x")
    for ask in (lambda: archive.read_pack("0" * 32), archive.require_writable):
        with pytest.raises(ArchiveUnavailable):
            ask()
