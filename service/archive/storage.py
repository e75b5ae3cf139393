"""Where packs are kept: a folder, or an object store such as S3.

packs/<first two characters>/<name>.pack      a pack; its name follows from its bytes
dictionaries/<label>/<digest>.dict            what blocks are packed with; the name is its SHA-256
emptied/<name>                                an empty note: all streams of this pack are elsewhere now
forgotten/<match>                             a line of JSON: who deleted this match for good, when and why
datasets/<ruleset>/<name>/<file>              what was made from matches, and can be made again
copies/                                       an archive of its own, with copies of streams that are not sealed
copies/progress                               how far these copies are
"""

import os
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, NotFoundError
from obstore.store import LocalStore, MemoryStore, from_url

from plyscribe.service.archive.errors import ArchiveError, ArchiveUnavailable, PackDamaged
from plyscribe.service.archive.packs import (
    FOOTER,
    MAGIC,
    Block,
    Dictionary,
    OpenBlock,
    Pack,
    name_pack,
    parse_footer,
    parse_table,
)

SCHEMES = ("file", "s3", "s3a", "gs", "az", "azure", "abfs", "abfss", "memory")
END_BYTES = 64 * 1024
"""How much of the end of a pack is read at first. It nearly always has the whole table."""

KEPT_BYTES = 32 * 1024 * 1024
"""How many bytes of blocks a process keeps in memory, unpacked."""

CLIENT: Any = {"allow_http": True, "connect_timeout": "3s", "timeout": "20s"}
RETRIES: Any = {"max_retries": 2, "retry_timeout": timedelta(seconds=10)}
"""How long requests wait for an object store: who asks has his own patience, and jobs are repeated."""

KEPT_TABLES = 256
"""How many tables of packs a process keeps in memory."""

MEASURED_FOR_S = 300.0
"""How long a process reuses the size of the archive: an object store lists a thousand packs a request."""

_EMPTIED = "emptied/"
_FORGOTTEN = "forgotten/"
_PROGRESS = "progress"
_PACK = re.compile(r"packs/[0-9a-f]{2}/([0-9a-f]{32})\.pack")


class KeptPack(NamedTuple):
    """A pack in the archive: its name, and how many bytes it has."""

    name: str
    size: int


class Measured(NamedTuple):
    """How many packs the archive has, their bytes, and for copies how far they are."""

    packs: int
    size: int
    progress: bytes | None


class Archive:
    """Packs in a folder or an object store. Raises the errors of `errors`. Safe to share between threads.

    What `put` has returned from stays, even if the machine loses power.
    """

    def __init__(self, address: str) -> None:
        """ArchiveError if the address cannot be used. Nothing is read or written yet."""
        self.address = address
        self._folder, self._opened = _open(address)
        self._lock = threading.Lock()
        self._tables: OrderedDict[str, list[Block]] = OrderedDict()
        self._blocks: OrderedDict[tuple[str, int], tuple[OpenBlock, int]] = OrderedDict()
        self._held = 0
        self._dictionaries: dict[str, bytes] = {}
        self._measured: tuple[Measured, float] | None = None

    @property
    def _store(self) -> Any:
        if self._opened is None:
            self.prepare()
        return self._opened

    def prepare(self) -> None:
        """Create the folder, if it is one and not there yet; ArchiveError if that cannot be done."""
        if self._folder is not None and self._opened is None:
            try:
                _make_folder(self._folder)
                self._opened = LocalStore(self._folder)
            except (BaseError, OSError, ValueError) as error:
                raise ArchiveError(f"the archive {self.address} cannot be used: {_first_line(error)}") from None

    def is_there(self) -> bool:
        """Whether the folder is there, if it is one. It is made when it is first used."""
        return self._folder is None or self._folder.exists()

    @cached_property
    def copies(self) -> "Archive":
        """The archive with copies of streams that are not sealed."""
        return Archive(f"{self.address.rstrip('/')}/copies")

    # -------------------------------------------------------------------------------------------------------- packs

    def put(self, pack: Pack) -> None:
        """Keep a pack. Keeping it again does no harm."""
        self._put(_pack_path(pack.name), pack.data)

    def read_pack(self, name: str) -> bytes:
        """All bytes of a pack; PackDamaged if it is missing, or if they are not what was written."""
        with _named(f"pack {name}"):
            data = bytes(obstore.get(self._store, _pack_path(name)).bytes())
        if name_pack(data) != name:
            raise PackDamaged(f"pack {name} has other bytes than were written")
        return data

    def read_table(self, name: str) -> list[Block]:
        """The blocks of a pack; PackDamaged."""
        with self._lock:
            if name in self._tables:
                self._tables.move_to_end(name)
                return self._tables[name]
        with _named(f"pack {name}"):
            found = obstore.get(self._store, _pack_path(name), options={"range": {"suffix": END_BYTES}})
            size, end = found.meta["size"], bytes(found.bytes())
        with _in_pack(name):
            footer = parse_footer(end)
            if not len(MAGIC) <= footer.table_offset <= size - FOOTER.size - footer.table_length:
                raise PackDamaged("its table lies outside of it")
            place = footer.table_offset - (size - len(end))
            if place >= 0:
                raw = end[place : place + footer.table_length]
            else:
                raw = self._read_range(name, footer.table_offset, footer.table_length)
            table = parse_table(raw)
        with self._lock:
            self._tables[name] = table
            while len(self._tables) > KEPT_TABLES:
                self._tables.popitem(last=False)
        return table

    def open_block(self, name: str, number: int) -> OpenBlock:
        """A block of a pack; PackDamaged if the pack is missing, or if the block is not what was written."""
        with self._lock:
            if (name, number) in self._blocks:
                self._blocks.move_to_end((name, number))
                return self._blocks[name, number][0]
        table = self.read_table(name)
        if not 0 <= number < len(table):
            raise PackDamaged(f"pack {name} has no block {number}")
        block = table[number]
        data = self._read_range(name, block.offset, block.length)
        with _in_pack(name):
            opened = OpenBlock(data, block, self.find_dictionary)
        self._keep_block((name, number), opened)
        return opened

    def open_blocks(self, name: str) -> Iterator[tuple[Block, OpenBlock]]:
        """All blocks of a pack, which is read and checked as a whole; PackDamaged."""
        data = self.read_pack(name)
        with _in_pack(name):
            footer = parse_footer(data)
            body = data[: -FOOTER.size]
            if sha256(body).digest() != footer.sha256:
                raise PackDamaged("its digest is not that in its footer")
            for block in parse_table(data[footer.table_offset : footer.table_offset + footer.table_length]):
                yield block, OpenBlock(data[block.offset : block.offset + block.length], block, self.find_dictionary)

    def list_packs(self) -> Iterator[KeptPack]:
        """All packs, in no order."""
        with _named("the list of packs"):
            for page in obstore.list(self._store, "packs"):
                for found in page:
                    if name := _PACK.fullmatch(found["path"]):
                        yield KeptPack(name[1], found["size"])

    def delete_pack(self, name: str) -> None:
        """Remove a pack for good. It may be gone already."""
        with _named(f"pack {name}", missing_is_fine=True):
            obstore.delete(self._store, _pack_path(name))
        self.note_used(name)
        with self._lock:
            self._tables.pop(name, None)
            for key in [key for key in self._blocks if key[0] == name]:
                self._held -= self._blocks.pop(key)[1]

    def note_emptied(self, name: str) -> None:
        """Note that all streams of a pack are elsewhere now. The time of the first note counts."""
        self._put(_EMPTIED + name, b"")

    def note_used(self, name: str) -> None:
        """Take such a note back."""
        with _named(f"the note on pack {name}", missing_is_fine=True):
            obstore.delete(self._store, _EMPTIED + name)

    def list_emptied(self) -> dict[str, int]:
        """The packs whose streams are all elsewhere, with the time (UTC milliseconds) of the note."""
        with _named("the list of emptied packs"):
            found = [each for page in obstore.list(self._store, "emptied") for each in page]
        return {each["path"].rpartition("/")[2]: int(each["last_modified"].timestamp() * 1000) for each in found}

    def note_forgotten(self, stream: str, note: bytes) -> None:
        """Note that a stream was deleted for good. The first note stays."""
        if stream not in self.list_forgotten():
            self._put(_FORGOTTEN + stream, note)

    def list_forgotten(self) -> set[str]:
        """The streams that were deleted for good."""
        with _named("the list of what was forgotten"):
            found = [each for page in obstore.list(self._store, "forgotten") for each in page]
        return {each["path"].removeprefix(_FORGOTTEN) for each in found}

    def note_progress(self, note: bytes) -> None:
        """Note how far the copies are, in place of the last such note."""
        with _named("the note on copies", reads=False):
            obstore.put(self._store, _PROGRESS, note)
            if self._folder is not None:
                _sync(self._folder, _PROGRESS)

    def read_progress(self) -> bytes | None:
        """What note_progress noted last; None if nothing."""
        try:
            with _named("the note on copies"):
                return bytes(obstore.get(self._store, _PROGRESS).bytes())
        except PackDamaged:
            # There is none.
            return None

    def measure(self) -> Measured:
        """How many packs there are, how large they are, and how far copies are, as of a few minutes ago at most."""
        known, asked_at = self._measured, time.monotonic()
        if known is None or asked_at > known[1] + MEASURED_FOR_S:
            sizes = [pack.size for pack in self.list_packs()]
            self._measured = known = Measured(len(sizes), sum(sizes), self.read_progress()), asked_at
        return known[0]

    # -------------------------------------------------------------------------------------------------- dictionaries

    def put_dictionary(self, label: str, dictionary: Dictionary) -> None:
        """Keep a dictionary for the blocks of a label."""
        self._put(f"dictionaries/{label}/{dictionary.digest}.dict", dictionary.data)

    def find_dictionary(self, digest: str) -> bytes:
        """The dictionary with this digest; PackDamaged if it is missing."""
        if digest not in self._dictionaries:
            self._read_dictionaries()
        if digest not in self._dictionaries:
            raise PackDamaged(f"dictionary {digest} is missing")
        return self._dictionaries[digest]

    def newest_dictionaries(self) -> dict[str, Dictionary]:
        """The dictionary of each label that was kept last."""
        return self._read_dictionaries()

    def _read_dictionaries(self) -> dict[str, Dictionary]:
        with _named("the list of dictionaries"):
            found = [each for page in obstore.list(self._store, "dictionaries") for each in page]
        newest: dict[str, Dictionary] = {}
        for each in sorted(found, key=lambda each: each["last_modified"]):
            _, label, name = each["path"].split("/")
            digest = name.removesuffix(".dict")
            if digest not in self._dictionaries:
                with _named(f"dictionary {digest}"):
                    data = bytes(obstore.get(self._store, each["path"]).bytes())
                if sha256(data).hexdigest() != digest:
                    raise PackDamaged(f"dictionary {digest} has other bytes than were written")
                self._dictionaries[digest] = data
            newest[label] = Dictionary(digest, self._dictionaries[digest])
        return newest

    # --------------------------------------------------------------------------------------------------------- files

    def put_file(self, path: str, file: Path) -> None:
        """Keep a file, which may be larger than memory, in place of the one of this path."""
        with _named(path, reads=False):
            obstore.put(self._store, path, file)
            if self._folder is not None:
                _sync(self._folder, path)

    def read_file(self, path: str, start: int, length: int) -> bytes:
        """Some bytes of a file; PackDamaged if it does not have them."""
        with _named(path):
            data = bytes(obstore.get_range(self._store, path, start=start, length=length)) if length else b""
        if len(data) != length:
            raise PackDamaged(f"{path} ends too early")
        return data

    def list_files(self, folder: str) -> list[tuple[str, int, int]]:
        """The files below a folder: their paths, their bytes, and when each was written (UTC milliseconds)."""
        with _named(f"the list of {folder}"):
            found = [each for page in obstore.list(self._store, folder) for each in page]
        return [(each["path"], each["size"], int(each["last_modified"].timestamp() * 1000)) for each in found]

    def delete_file(self, path: str) -> None:
        """Remove a file. It may be gone already."""
        with _named(path, missing_is_fine=True):
            obstore.delete(self._store, path)

    # ---------------------------------------------------------------------------------------------------- the store

    def require_writable(self) -> None:
        """Raise what keeps us from writing to the archive."""
        path = f"trial-{os.getpid()}"
        with _named("a trial", reads=False):
            obstore.put(self._store, path, b"trial")
            obstore.delete(self._store, path)

    def _read_range(self, name: str, offset: int, length: int) -> bytes:
        with _named(f"pack {name}"):
            data = bytes(obstore.get_range(self._store, _pack_path(name), start=offset, length=length))
        if len(data) != length:
            raise PackDamaged(f"pack {name} ends too early")
        return data

    def _put(self, path: str, data: bytes) -> None:
        with _named(path, reads=False):
            try:
                obstore.put(self._store, path, data, mode="create")
            except (AlreadyExistsError, FileExistsError):
                # Its name follows from its bytes. They may not have reached the disk when its writer died.
                if bytes(obstore.get(self._store, path).bytes()) != data:
                    obstore.put(self._store, path, data)
            if self._folder is not None:
                _sync(self._folder, path)

    def _keep_block(self, key: tuple[str, int], opened: OpenBlock) -> None:
        size = opened.most_bytes
        with self._lock:
            if key not in self._blocks:
                self._blocks[key] = opened, size
                self._held += size
            while self._held > KEPT_BYTES and len(self._blocks) > 1:
                self._held -= self._blocks.popitem(last=False)[1][1]


def _open(address: str) -> tuple[Path | None, Any]:
    """The folder, if it is one, or else the store."""
    parts = urlsplit(address)
    if parts.scheme not in SCHEMES:
        known = ", ".join(f"{scheme}:" for scheme in SCHEMES)
        raise ArchiveError(f"{address!r} is no address of an archive: it begins with one of {known}")
    if parts.scheme == "memory":
        return None, MemoryStore()
    if parts.scheme == "file":
        folder = Path(url2pathname(parts.path))
        if parts.netloc not in ("", "localhost") or not folder.is_absolute():
            raise ArchiveError(f"{address!r} is no address of a folder: write file:///and/its/path")
        return folder, None
    try:
        return None, from_url(address, client_options=CLIENT, retry_config=RETRIES)
    except (BaseError, OSError, ValueError) as error:
        raise ArchiveError(f"the archive {address} cannot be used: {_first_line(error)}") from None


def _make_folder(folder: Path) -> None:
    """Create a folder and those above it that are missing, for the owner alone."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def _sync(folder: Path, path: str) -> None:
    """Wait until a file and the names of all folders above it are on the disk."""
    place = folder / path
    while True:
        opened = os.open(place, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
        if place == folder:
            return
        place = place.parent


def _pack_path(name: str) -> str:
    return f"packs/{name[:2]}/{name}.pack"


@contextmanager
def _named(what: str, missing_is_fine: bool = False, reads: bool = True) -> Iterator[None]:
    """Raise our errors in place of the library's. What is not there to be written to is away, not damaged."""
    try:
        yield
    except (NotFoundError, FileNotFoundError) as error:
        if not reads:
            raise ArchiveUnavailable(f"the archive does not take {what}: {_first_line(error)}") from error
        if not missing_is_fine:
            raise PackDamaged(f"{what} is missing") from None
    except (BaseError, OSError) as error:
        why = _first_line(error)
        raise ArchiveUnavailable(f"the archive does not give or take {what}: {why}") from error


@contextmanager
def _in_pack(name: str) -> Iterator[None]:
    """Say in which pack it is."""
    try:
        yield
    except PackDamaged as error:
        raise PackDamaged(f"pack {name}: {error}") from None


def _first_line(error: Exception) -> str:
    """What a person reads of an error of the library."""
    return str(error).strip().partition("\n")[0]
