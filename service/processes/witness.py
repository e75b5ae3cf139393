"""The witness of a store: what was last known to be on disk, noted beside the append-only file and compared at a start.

The engine itself starts on a file that was cut between two records as if nothing were missing. The witness names the
files of the manifest, their sizes and the SHA-256 of the last bytes of each, and how many appends the feeds have seen.
Only what has come after it may be missing at the next start, and only the end of the last record may be torn.
"""

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, NamedTuple

from redis import Redis
from redis.exceptions import RedisError

from plyscribe.service.clock import now_ms
from plyscribe.service.processes.private_files import replace_text
from plyscribe.service.store.port import BUCKETS, StoreError
from plyscribe.service.store.redis import connect_server
from plyscribe.service.store.redis_keys import feed_key
from plyscribe.service.store.redis_server import ask, try_all

WITNESS = "witness.json"
FOLDER = "appendonlydir"
MANIFEST = "appendonly.aof.manifest"
TAIL_BYTES = 65_536
"""How many bytes before the end of each file are remembered by their SHA-256."""

NEAR_END = 1 << 22
"""Bytes before the end of a file in which its last transactions are looked for."""

EVERY_S = 1.0
"""How often a running store is witnessed, if anything was written to it."""

TIMEOUT_S = 2.0

log = logging.getLogger(__name__)


class LossFound(StoreError):
    """What was acknowledged is missing from the files of the store. Nothing was changed."""

    code = "store/loss-found"

    def __init__(self, directory: Path, losses: list[str]) -> None:
        super().__init__(
            f"the store in {directory} has lost what was safely on disk: {'; '.join(losses)}. Nothing was changed. "
            f"Restore {directory.parent} from a backup. Or, to continue without what is missing, run "
            f"`plyscribe accept-loss --data {directory.parent}` and start again"
        )
        self.losses = losses


class Part(NamedTuple):
    """A file of the append-only file, as the manifest names it: `kind` is b for the base and i for an increment."""

    name: str
    seq: int
    kind: str


@dataclass(frozen=True, slots=True)
class Witnessed:
    """A file as it was on disk: its size, and the SHA-256 of its last bytes, TAIL_BYTES at most."""

    name: str
    seq: int
    kind: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Witness:
    """What was on disk at a time: the files, and the number of appends that the feeds have ever seen."""

    at_ms: int
    appends: int
    files: tuple[Witnessed, ...]
    accepted: bool = False
    """Whether the operator has accepted that some of this is missing."""

    @property
    def at(self) -> str:
        """The time, for people."""
        return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(self.at_ms / 1000))


def read_witness(directory: Path) -> Witness | None:
    """The witness of a store; None if there is none. LossFound if it cannot be read."""
    try:
        raw = json.loads((directory / WITNESS).read_bytes())
        files = tuple(Witnessed(**each) for each in raw.pop("files"))
        return Witness(files=files, **raw)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        raise LossFound(directory, [f"{WITNESS}, which says what was on disk, cannot be read"]) from None


def write_witness(directory: Path, witness: Witness) -> None:
    """Replace the witness in one step. OSError if the disk does not take it; then the old one stays."""
    replace_text(directory / WITNESS, json.dumps(asdict(witness)))


def read_parts(directory: Path) -> list[Part]:
    """The files that the manifest names, in the order in which they are loaded; none if there is no manifest."""
    try:
        lines = (directory / FOLDER / MANIFEST).read_text().splitlines()
    except FileNotFoundError:
        return []
    # file appendonly.aof.1.incr.aof seq 1 type i; files of the type h (history) are about to be deleted.
    found = [line.split() for line in lines]
    parts = [Part(words[1], int(words[3]), words[5]) for words in found if len(words) >= 6 and words[3].isdigit()]
    return [part for part in parts if part.kind in "bi"]


def find_losses(directory: Path, witness: Witness) -> list[str]:
    """What the witness saw and the files lack, as texts for the operator; empty if nothing is missing.

    The engine may have rewritten its files after the witness. What they held is in the new base then, which the witness
    does not know: compare the number of appends once the store runs.
    """
    parts = read_parts(directory)
    bases = [part.seq for part in parts if part.kind == "b"]
    since = min((part.seq for part in parts if part.kind == "i"), default=0)
    losses = [f"{part.name} is missing" for part in parts if not (directory / FOLDER / part.name).is_file()]
    for file in witness.files:
        if Part(file.name, file.seq, file.kind) in parts:
            losses += _find_loss(directory / FOLDER / file.name, file, witness.at)
        elif file.seq >= (max(bases, default=0) if file.kind == "b" else since):
            losses.append(f"{file.name} of {file.size:,} bytes, there at {witness.at}, is no longer in use")
    return list(dict.fromkeys(losses))


def _find_loss(path: Path, file: Witnessed, at: str) -> Iterator[str]:
    try:
        with path.open("rb") as opened:
            size = os.fstat(opened.fileno()).st_size
            if size < file.size:
                yield f"{file.name} has {size:,} bytes, and had {file.size:,} at {at}: {file.size - size:,} are missing"
            elif _hash_tail(opened, file.size) != file.sha256:
                yield f"{file.name} has other bytes before byte {file.size:,} than at {at}"
    except FileNotFoundError:
        yield f"{file.name} is missing"
    except OSError as error:
        yield f"{file.name} cannot be read: {error.strerror}"


def _hash_tail(file: BinaryIO, size: int) -> str:
    start = max(0, size - TAIL_BYTES)
    return sha256(os.pread(file.fileno(), size - start, start)).hexdigest()


def require_intact(directory: Path) -> Witness | None:
    """The witness, once all that it saw is found in the files; None if there is none or its loss is accepted.

    Cuts off the torn end of a write that a crash has interrupted: it lies after the witness, and nobody had an answer
    for it. LossFound if anything is missing; then nothing was changed.
    """
    witness = read_witness(directory)
    if witness is None and read_parts(directory):
        log.warning("the store in %s has no witness, so nothing says whether it is complete", directory)
    known = witness if witness is not None and not witness.accepted else None
    if known and (losses := find_losses(directory, known)):
        raise LossFound(directory, losses)
    _cut_torn_end(directory, known)
    return known


def _cut_torn_end(directory: Path, witness: Witness | None) -> None:
    """Remove a torn write from the end of the last file. Only that one is being written to when a crash comes."""
    for part in read_parts(directory)[-1:]:
        path = directory / FOLDER / part.name
        if not path.is_file():
            return
        with path.open("r+b") as file:
            seen = {each.name: each.size for each in witness.files} if witness else {}
            start = seen.get(part.name, 0) if witness else _find_transaction(file)
            end, size = find_end(file, start), os.fstat(file.fileno()).st_size
            if end < size:
                log.warning("%s ends in a write that a crash cut off: removed its %d bytes", path, size - end)
                file.truncate(end)
                os.fsync(file.fileno())


def _find_transaction(file: BinaryIO) -> int:
    """Where a transaction near the end of the file begins; 0 if none is found.

    Reading a large file from its beginning takes long. No value has these bytes in it: texts are stored as JSON.
    """
    size = os.fstat(file.fileno()).st_size
    start = max(0, size - NEAR_END)
    found = os.pread(file.fileno(), size - start, start).find(b"\r\n*1\r\n$5\r\nMULTI\r\n") if start else -1
    return start + found + 2 if found >= 0 else 0


def find_end(file: BinaryIO, start: int) -> int:
    """Where the last complete record or transaction ends; the size of the file unless its last write is torn.

    `start` is the end of a record. What cannot be a torn write is left to the engine, which refuses it.
    """
    size = os.fstat(file.fileno()).st_size
    reader = _Records(file, start, _find_end_of_data(file, start, size))
    complete, in_transaction = start, False
    try:
        while reader.place < reader.size:
            name = reader.read_name()
            in_transaction = name == b"multi" or (in_transaction and name != b"exec")
            if not in_transaction:
                complete = reader.place
    except EOFError:
        pass
    except ValueError:
        return size
    return complete


def _find_end_of_data(file: BinaryIO, start: int, size: int) -> int:
    """Where the zeros at the end begin: after a loss of power they may stand where nothing was written yet."""
    while size > start:
        first = max(start, size - TAIL_BYTES)
        data = os.pread(file.fileno(), size - first, first).rstrip(b"\0")
        if data:
            return first + len(data)
        size = first
    return size


class _Records:
    """Reads the records of an append-only file. EOFError where the file ends in one, ValueError where none begins."""

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        self.place = start
        self._file = file
        self.size = size
        file.seek(start)

    def read_name(self) -> bytes:
        """The command of the next record, in lower case; empty for a comment."""
        line = self._read_line()
        if line.startswith(b"#"):
            return b""
        name = b""
        for number in range(_parse_count(line, b"*")):
            length = _parse_count(self._read_line(), b"$")
            if self.place + length + 2 > self.size:
                raise EOFError
            if number:
                self._file.seek(length, os.SEEK_CUR)
            else:
                name = self._file.read(length).lower()
            self.place += length
            if self._read_line():
                raise ValueError
        return name

    def _read_line(self) -> bytes:
        line = self._file.readline(128)
        if not line.endswith(b"\r\n"):
            # Zeros beyond the end of the data may have been read too.
            if self.place + len(line) >= self.size:
                raise EOFError
            raise ValueError
        self.place += len(line)
        return line[:-2]


def _parse_count(line: bytes, mark: bytes) -> int:
    if line[:1] != mark or not line[1:].isdigit():
        raise ValueError
    return int(line[1:])


def count_appends(client: Redis) -> int:
    """How many entries the feeds have ever had. Trimming does not change it. StoreError."""
    replies = try_all(client, [("XINFO STREAM", feed_key(bucket)) for bucket in BUCKETS])
    return sum(int(reply["entries-added"]) for reply in replies if isinstance(reply, dict))


def require_appends(directory: Path, client: Redis, witness: Witness | None) -> None:
    """LossFound if a store that has just loaded its files has seen fewer appends than the witness."""
    found = count_appends(client)
    if witness is not None and found < witness.appends:
        lost = f"{witness.appends - found:,} of the {witness.appends:,} appends that it had at {witness.at}"
        raise LossFound(directory, [lost])
    accepted = read_witness(directory) if witness is None else None
    if accepted is not None and accepted.accepted:
        log.error("the store has %d appends; it had %d at %s", found, accepted.appends, accepted.at)


def take_witness(directory: Path, client: Redis) -> Witness | None:
    """What a running store has on disk now. StoreError, OSError.

    None if that cannot be told at this moment, or if somebody switched its append-only file off.

    LossFound if the file is shorter than what the server has written to it.
    """
    # In this order: the server has written all appends that it counted before it reads the next command.
    appends = count_appends(client)
    before = read_parts(directory)
    written = ask(client, "INFO", "persistence").get("aof_current_size")
    sizes = [(directory / FOLDER / part.name).stat().st_size for part in before]
    if written is None or not before or read_parts(directory) != before:
        return None
    # The last file may be growing. What it has at the end of a record is what the server says.
    sizes[-1:] = [int(written) - sum(sizes[:-1])]
    return Witness(now_ms(), appends, tuple(_witness_all(directory, before, sizes)))


def take_last_witness(directory: Path, appends: int) -> Witness:
    """What a store that was stopped has on disk. Nobody writes to its files any more. OSError."""
    parts = read_parts(directory)
    sizes = [(directory / FOLDER / part.name).stat().st_size for part in parts]
    return Witness(now_ms(), appends, tuple(_witness_all(directory, parts, sizes)))


def _witness_all(directory: Path, parts: list[Part], sizes: list[int]) -> Iterator[Witnessed]:
    for part, size in zip(parts, sizes, strict=True):
        with (directory / FOLDER / part.name).open("rb") as file:
            if os.fstat(file.fileno()).st_size < size:
                have = os.fstat(file.fileno()).st_size
                raise LossFound(directory, [f"{part.name} has {have:,} bytes, but the server wrote {size:,}"])
            # The server has done so unless it was told to write lazily. Without this, power could fail in between.
            os.fsync(file.fileno())
            yield _witness_of(part, size, file)


def _witness_of(part: Part, size: int, file: BinaryIO) -> Witnessed:
    return Witnessed(*part, size, _hash_tail(file, size))


def accept_loss(directory: Path) -> None:
    """Note in the witness that the operator accepts what is missing. Call it with the directory locked.

    The next start says how many appends are gone, and takes a new witness.
    """
    try:
        witness = read_witness(directory)
    except LossFound:
        (directory / WITNESS).unlink()
        return
    if witness is not None:
        write_witness(directory, replace(witness, accepted=True))


def list_losses(directory: Path) -> list[str] | None:
    """What the files of a store lack, as texts for the operator; None if no witness says so, or its loss is accepted.

    That a store has fewer appends than its witness shows only once it runs.
    """
    try:
        witness = read_witness(directory)
    except LossFound as error:
        return error.losses
    return None if witness is None or witness.accepted else find_losses(directory, witness)


class WitnessKeeper:
    """Takes the witness of a running store once a second, in a thread, and a last one when the store was stopped."""

    def __init__(self, directory: Path, url: str, is_running: Callable[[], bool]) -> None:
        self._directory = directory
        self._is_running = is_running
        self._client = connect_server(url, TIMEOUT_S)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="store-witness", daemon=True)
        self._known: Witness | None = None
        self._trouble = ""

    def start(self, before: Witness | None) -> None:
        """Compare the appends with the witness before, take the first witness, and go on in a thread. LossFound."""
        require_appends(self._directory, self._client, before)
        self._take()
        self._thread.start()

    def stop(self) -> None:
        """Take a last witness of the running store, and end the thread. May be called twice."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()
        if self._is_running():
            self._take()
        self._client.connection_pool.disconnect()

    def finish(self) -> None:
        """Take the witness of the store after it has ended by itself, with nothing left to write."""
        if self._known is not None and not self._trouble:
            self._try(lambda: take_last_witness(self._directory, self._known.appends if self._known else 0))

    def _keep(self) -> None:
        while not self._stopping.wait(EVERY_S) and self._is_running():
            self._take()

    def _take(self) -> None:
        self._try(lambda: take_witness(self._directory, self._client))

    def _try(self, take: Callable[[], Witness | None]) -> None:
        try:
            witness = take()
            if witness is None or (self._known and _is_same(witness, self._known)):
                return
            write_witness(self._directory, witness)
            self._known, self._trouble = witness, ""
        except LossFound as error:
            self._complain(logging.ERROR, f"the files of the store are damaged while it runs: {error.losses[0]}")
        except OSError as error:
            self._complain(logging.ERROR, f"the witness of the store cannot be written: {error}")
        except (StoreError, RedisError) as error:
            log.debug("the store is not witnessed now: %s", error)

    def _complain(self, level: int, trouble: str) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            log.log(level, "%s", trouble)


def _is_same(one: Witness, other: Witness) -> bool:
    return (one.appends, one.files) == (other.appends, other.files)
