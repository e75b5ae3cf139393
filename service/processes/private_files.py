"""Files that only the service's account on this machine may read: keys, logs, and what is noted about the store."""

import os
from pathlib import Path
from typing import BinaryIO


def open_at_end(path: Path) -> BinaryIO:
    """The file, open for writing at its end; one that is not there is made with mode 0600."""
    return open(path, "ab", opener=_open)


def replace_text(path: Path, text: str) -> None:
    """Replace an ASCII file in one step, with mode 0600, and sync it. After an OSError either text may be there."""
    draft = path.with_suffix(".draft")
    # A draft that was left behind may have another mode.
    draft.unlink(missing_ok=True)
    try:
        with open(draft, "x", encoding="ascii", opener=_open) as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        draft.rename(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """Put the names in a directory on disk: the name of a new file is there only once its directory is."""
    directory = os.open(path, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _open(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
