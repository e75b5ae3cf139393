"""The digest of a bot's files, and what a bridge does with it."""

import subprocess
from pathlib import Path

import pytest

from plyscribe.domain.errors import WrongValue
from plyscribe.service.bridge import source as source_module
from plyscribe.service.bridge.keeper import Keeper
from plyscribe.service.bridge.run import GivenUp, Run, Settings
from plyscribe.service.bridge.source import Source, SourceError, digest_files
from tests.service.scripted import FIRST, write_bot

BY_HAND = (
    "find bot.py engine -name __pycache__ -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "engine" / "book").mkdir(parents=True)
    (tmp_path / "engine-old").mkdir()
    for name in ("bot.py", "engine/brain.py", "engine/book/öpen ings", "engine/a b.py", "engine/Z.py"):
        (tmp_path / name).write_text(f"this is {name}")
    return tmp_path


def digest(folder: Path, *names: str) -> str:
    return digest_files([folder / name for name in names])


def test_the_digest_follows_from_names_and_bytes_alone_and_anybody_computes_it_by_hand(folder, tmp_path_factory):
    by_hand = subprocess.run(BY_HAND, shell=True, cwd=folder, capture_output=True, check=True, text=True).stdout
    before = digest(folder, "bot.py", "engine")
    assert by_hand.split()[0] == before
    (folder / "engine" / "__pycache__").mkdir()
    (folder / "engine" / "__pycache__" / "brain.pyc").touch()
    (folder / "engine" / "link").symlink_to(folder / "bot.py")
    moved = folder.rename(tmp_path_factory.mktemp("other") / "place")
    assert digest(moved, "engine", "bot.py") == before
    (moved / "engine" / "Z.py").rename(moved / "engine" / "Y.py")
    assert digest(moved, "bot.py", "engine") != before
    (moved / "engine" / "Y.py").rename(moved / "engine" / "Z.py")
    (moved / "bot.py").write_text("this is another bot.py")
    assert digest(moved, "bot.py", "engine") != before


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["nothing"], "nothing is not there"),
        (["engine-old"], "no file is there"),
        (["bot.py", "engine/../bot.py"], "two files of the build are called bot.py"),
        (["odd"], "line break or a backslash"),
    ],
)
def test_files_that_cannot_be_told_are_refused(folder, names, why):
    (folder / "odd").mkdir()
    (folder / "odd" / "a\nb").touch()
    with pytest.raises(SourceError, match=why):
        digest(folder, *names)


def test_a_build_of_too_many_files_or_that_nobody_can_be_told_of_is_refused(folder, monkeypatch):
    with pytest.raises(WrongValue):
        Source([folder / "bot.py"], "bot.py", options={"level": None}).measure()
    monkeypatch.setattr(source_module, "MAX_FILES", 2)
    with pytest.raises(SourceError, match="more than 2 files"):
        digest(folder, "engine")


class Kept:
    """A keeper of a bot, and what it reports."""

    def __init__(self, folder: Path, pinned: str | None = None) -> None:
        self.file = folder / "engine" / "Z.py"
        self.said: list[str] = []
        source = Source([self.file], "Z.py", pinned=pinned)
        run = Run(Settings(write_bot(folder, FIRST), source=source), self.said.append)
        self.keeper = Keeper(run)

    def restart(self) -> None:
        assert self.keeper._bot is not None
        self.keeper._bot.stop()
        self.keeper._start()


def test_a_bot_is_measured_each_time_that_it_is_started(folder):
    kept = Kept(folder)
    try:
        before = kept.keeper.build
        kept.restart()
        assert kept.said == []
        kept.file.write_text("better")
        kept.restart()
        assert kept.keeper.build != before
        assert kept.said == [f"the build has changed: {kept.keeper.build}"]
    finally:
        kept.keeper.close()


def test_a_bot_that_is_not_the_pinned_one_is_not_started(folder):
    with pytest.raises(GivenUp, match=f"{'ab' * 32} is pinned, and the files have .* no match was resigned"):
        Kept(folder, "ab" * 32)
    kept = Kept(folder, digest(folder, "engine/Z.py"))
    try:
        kept.file.unlink()
        with pytest.raises(GivenUp, match=r"the build of the bot cannot be told: .* is not there"):
            kept.keeper._start()
    finally:
        kept.keeper.close()
