from pathlib import Path

import pytest

from plyscribe.service.archive.storage import Archive
from plyscribe.service.store.memory import MemoryStore


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive((tmp_path / "archive").as_uri())


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()
