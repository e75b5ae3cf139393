"""Where finished datasets are kept: in the archive, so that every process of a service finds them."""

import re
import threading
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from plyscribe.service.archive.errors import PackDamaged
from plyscribe.service.archive.storage import Archive
from plyscribe.service.datasets.datasheet import FILES, SHEET_JSON

KEPT = 2
"""Datasets of a ruleset that are kept: the newest, and the one before it for those who are reading it."""

SEEN_FOR_S = 5.0
"""How long a process remembers what is on the shelf."""

CHUNK_BYTES = 256 * 1024
"""How much of a file is in memory while it is sent."""

FOLDER = "datasets"
_PLACE = re.compile(rf"{FOLDER}/([a-z0-9_-]{{1,32}})/([0-9]{{1,15}}-[0-9a-f]{{16}})/([a-z.]{{1,32}})")

Json = dict[str, Any]


class KeptFile(NamedTuple):
    """A file of a dataset: its name, its bytes, and its SHA-256 in hex, or for a datasheet that of datasheet.json."""

    name: str
    bytes: int
    digest: str


class KeptDataset(NamedTuple):
    """A dataset on the shelf."""

    ruleset: str
    name: str
    made_at_ms: int
    sheet: Json
    files: tuple[KeptFile, ...]

    def find(self, file: str) -> KeptFile | None:
        """The file of this name."""
        return next((each for each in self.files if each.name == file), None)


class Shelf:
    """The datasets of a service. Raises the errors of the archive. Safe to share between threads."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._lock = threading.Lock()
        self._seen: tuple[float, dict[str, list[KeptDataset]]] | None = None
        self._sheets: dict[tuple[str, str], tuple[Json, str]] = {}

    def list_kept(self, ruleset: str, anew: bool = False) -> list[KeptDataset]:
        """The datasets of a ruleset that are complete, the newest first, as of some seconds ago at most, or of now."""
        with self._lock:
            if anew or self._seen is None or time.monotonic() > self._seen[0] + SEEN_FOR_S:
                self._seen = time.monotonic(), self._look()
            return self._seen[1].get(ruleset, [])

    def list_forgotten(self) -> set[str]:
        """The matches that were deleted for good by now."""
        return self._archive.list_forgotten()

    def keep(self, ruleset: str, folder: Path, forgotten: set[str]) -> str | None:
        """Keep the dataset in a folder, and return its name. Older ones of the ruleset leave, but for the last.

        None if matches were deleted for good since `forgotten` was listed: it may have one of these and is not kept.
        """
        raw = (folder / SHEET_JSON).read_bytes()
        name = f"{orjson.loads(raw)['until_ms']}-{sha256(raw).hexdigest()[:16]}"
        for file in FILES:
            self._archive.put_file(f"{FOLDER}/{ruleset}/{name}/{file}", folder / file)
        with self._lock:
            self._seen = None
        # Whoever deletes a match notes that first, and then clears the shelf.
        was_forgotten = self.list_forgotten() != forgotten
        for old in self.list_kept(ruleset):
            if old.name == name and was_forgotten:
                self._remove(old)
        for old in self.list_kept(ruleset)[KEPT:]:
            self._remove(old)
        return None if was_forgotten else name

    def read(self, dataset: KeptDataset, file: KeptFile, start: int, stop: int) -> Iterator[bytes]:
        """The bytes of a file from `start` up to `stop`, piece by piece. PackDamaged if it is gone."""
        path = f"{FOLDER}/{dataset.ruleset}/{dataset.name}/{file.name}"
        for place in range(start, stop, CHUNK_BYTES):
            yield self._archive.read_file(path, place, min(CHUNK_BYTES, stop - place))

    def clear(self) -> int:
        """Remove all datasets, and return how many there were: one may hold a match that has to go."""
        with self._lock:
            self._seen = None
            places = {place: size for place, size, _ in self._archive.list_files(FOLDER)}
        # What is left of a dataset without its datasheet is not one.
        for place in sorted(places, key=lambda place: not place.endswith(SHEET_JSON)):
            self._archive.delete_file(place)
        return sum(place.endswith(SHEET_JSON) for place in places)

    def _remove(self, dataset: KeptDataset) -> None:
        with self._lock:
            self._seen = None
        for file in reversed(dataset.files):
            self._archive.delete_file(f"{FOLDER}/{dataset.ruleset}/{dataset.name}/{file.name}")

    def _look(self) -> dict[str, list[KeptDataset]]:
        found: dict[tuple[str, str], dict[str, tuple[int, int]]] = {}
        for path, size, at_ms in self._archive.list_files(FOLDER):
            if place := _PLACE.fullmatch(path):
                found.setdefault((place[1], place[2]), {})[place[3]] = size, at_ms
        shelf: dict[str, list[KeptDataset]] = {}
        for (ruleset, name), files in found.items():
            if files.keys() >= set(FILES) and (sheet := self._read_sheet(ruleset, name, files[SHEET_JSON][0])):
                digests = {table["file"]: table["sha256"] for table in sheet[0]["tables"].values()}
                kept = tuple(KeptFile(file, files[file][0], digests.get(file, sheet[1])) for file in FILES)
                shelf.setdefault(ruleset, []).append(KeptDataset(ruleset, name, files[SHEET_JSON][1], sheet[0], kept))
        self._sheets = {place: sheet for place, sheet in self._sheets.items() if place in found}
        for datasets in shelf.values():
            datasets.sort(key=lambda each: (each.sheet["until_ms"], each.made_at_ms), reverse=True)
        return shelf

    def _read_sheet(self, ruleset: str, name: str, size: int) -> tuple[Json, str] | None:
        """The datasheet of a dataset and its digest; None if the dataset was removed meanwhile."""
        if (ruleset, name) not in self._sheets:
            try:
                raw = self._archive.read_file(f"{FOLDER}/{ruleset}/{name}/{SHEET_JSON}", 0, size)
            except PackDamaged:
                return None
            self._sheets[ruleset, name] = orjson.loads(raw), sha256(raw).hexdigest()
        return self._sheets[ruleset, name]
