"""Where the compiled build of the rules is, if somebody made one with `plyscribe compile`.

A build holds the same sources, translated by mypyc. It lies in the cache directory of the user, under a name that
follows from the sources and the Python: after an upgrade of either, it is not found, and the rules run as they are.
"""

import os
import platform
import sys
import sysconfig
from hashlib import sha256
from pathlib import Path

import plyscribe

FOLDERS = ("domain", "envs")
"""What a build has copies of, compiled or not. Everything else is imported from where it is installed."""


def find_build() -> Path | None:
    """The directory to put in front of a worker's path; None if there is no build of these sources for this Python."""
    folder = place_builds() / name_build() if place_builds().is_dir() else None
    return folder if folder and (folder / "plyscribe" / "__init__.py").is_file() else None


def place_builds() -> Path:
    """The directory of all builds: `plyscribe` in the user's cache directory."""
    if sys.platform == "win32":
        cache = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "plyscribe" / "compiled"


def name_build() -> str:
    """The name of a build of these sources for this Python."""
    digest = sha256()
    for folder in FOLDERS:
        for path in sorted((_installed() / folder).rglob("*.py")):
            digest.update(path.relative_to(_installed()).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    suffix = sysconfig.get_config_var("EXT_SUFFIX") or platform.machine()
    return f"{plyscribe.__version__}-{digest.hexdigest()[:16]}{suffix.rpartition('.')[0]}"


def _installed() -> Path:
    return Path(plyscribe.__path__[-1])
