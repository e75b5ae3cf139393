"""What a bot is made of: the files that are its build, and their digest.

The digest is the SHA-256 of what `sha256sum` prints for all files, in the order of their paths. So anybody can compute
it: docs/bots.md has the command.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from plyscribe.domain.declared_builds import check_build
from plyscribe.domain.events import Build

MAX_FILES = 10_000
CACHES = "__pycache__"
"""Python writes folders of this name beside a program when it runs, so they are no part of it."""

ODD = ("\n", "\r", "\\")
"""sha256sum spells file names with these in a way of its own."""


class SourceError(Exception):
    """The files of a build cannot be read, or are too many."""


@dataclass(frozen=True, slots=True)
class Source:
    """The files and folders of a bot, and what is said of it. With `pinned`, no build with another digest may run."""

    files: Sequence[Path]
    command: str
    version: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    pinned: str | None = None

    def measure(self) -> Build:
        """The build as it lies on the disk now; SourceError if it cannot be read, WrongValue if it cannot be told."""
        build = Build(digest_files(self.files), self.command, self.version, dict(self.options))
        check_build(build)
        return build


def digest_files(listed: Sequence[Path]) -> str:
    """The SHA-256, in hex, of the lines `<sha256>  <path>` of all files, in the order of the bytes of their paths.

    Each path begins with the last name of what is listed. Folders named `__pycache__` and links inside folders are left
    out. SourceError if nothing is there, or too much.
    """
    found: dict[bytes, Path] = {}
    for each in listed:
        for path in _list_files(each):
            name = os.fsencode(Path(each.absolute().name) / path.relative_to(each))
            if name in found:
                raise SourceError(f"two files of the build are called {os.fsdecode(name)}")
            if any(odd.encode() in name for odd in ODD):
                raise SourceError(f"a file of the build has a name with a line break or a backslash: {name!r}")
            found[name] = path
            if len(found) > MAX_FILES:
                raise SourceError(f"the build has more than {MAX_FILES} files: list what belongs to it")
    if not found:
        raise SourceError(f"no file is there: {', '.join(map(str, listed))}")
    return sha256(b"".join(_digest(path) + b"  " + name + b"\n" for name, path in sorted(found.items()))).hexdigest()


def _list_files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    if not path.is_dir():
        raise SourceError(f"{path} is not there, or is neither a file nor a folder")
    for folder, inside, files in os.walk(path):
        inside[:] = [each for each in inside if each != CACHES]
        yield from (each for name in files if not (each := Path(folder, name)).is_symlink() and each.is_file())


def _digest(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest().encode()
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from None
