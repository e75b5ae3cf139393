"""A service on which bots and people play, and the datasets that are made from it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from plyscribe.domain.commands import Actor
from plyscribe.domain.rulesets import register
from plyscribe.service.composition import Parts, compose
from plyscribe.service.datasets.datasheet import FILES
from plyscribe.service.datasets.listed_matches import list_candidates
from plyscribe.service.datasets.making import Made, Order, make_dataset
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.web.app import create_app
from plyscribe.workers.play_match import play_all
from plyscribe.workers.verify_match import verify_all
from tests.domain.toy import TOY_V1
from tests.service.api import Api
from tests.service.conftest import CONFIG

LATER = 4_000_000_000_000
BOTS = [{"bot": "random"}, {"bot": "greedy"}]


class Rig:
    """The service, with an archive in a folder."""

    def __init__(self, folder: Path) -> None:
        register(TOY_V1)
        self.folder = folder
        config = replace(CONFIG, archive=(folder / "archive").as_uri(), dataset_licence="CC0 1.0")
        self.parts: Parts = compose(config, MemoryStore())
        self.api = Api(create_app(self.parts))
        self.account, self.token = self.api.sign_up()
        self._made = 0

    def play(self, ruleset: str = "toy", **more: Any) -> str:
        """A match of two bots, played to its end and verified."""
        match = self.api.new_match(self.token, BOTS, ruleset, **more)
        while self.status(match) == "playing":
            play_all(self.parts, [(match, self.parts.matches.read(match).version)])
        return self.verify(match)

    def verify(self, match: str) -> str:
        verify_all(self.parts, [(match, self.parts.matches.read(match).version)])
        assert self.status(match) == "scored"
        return match

    def record(self, *moves: str, **more: Any) -> str:
        """A recorded match of two people. It ends when seat 2 gives up."""
        seats = [{"name": "Zoe Guest"}, {"player": self.account}]
        match = self.api.new_match(self.token, seats, "zhen", recorded=True, **more)
        path = f"/v1/matches/{match}"
        if self.status(match) == "open":
            assert self.api.post(f"{path}/seats/2", self.token).status_code == 200
        for move in moves:
            self.api.post(f"{path}/moves", self.token, {"move": move})
        assert self.api.post(f"{path}/withdrawal", self.token, {"seat": 2}).status_code == 200
        self.api.post(f"{path}/confirmation", self.token, {})
        return self.verify(match)

    def status(self, match: str) -> str:
        return self.parts.matches.read(match).life.status

    def find_place(self, match: str) -> tuple[int, str]:
        return self.parts.matches.read(match).life.ended_at, match

    def annul(self, match: str) -> None:
        _, token = self.parts.accounts.sign_up(Actor("system", "test"), f"Root {match}", "person", ("admin",))
        assert self.api.post(f"/v1/matches/{match}/annulment", token, {"why": "a test"}).status_code == 200

    def make(self, ruleset: str = "zhen", until_ms: int = LATER, licence: str | None = None) -> "Dataset":
        self._made += 1
        folder = self.folder / str(self._made)
        folder.mkdir()
        self.parts.lists.lag()
        order = Order(ruleset, until_ms, licence)
        found = list_candidates(self.parts.lists.matches, self.parts.matches, order)
        return Dataset(folder, make_dataset(found, order, folder))


class Dataset:
    """A dataset in a folder, and its tables as rows."""

    def __init__(self, folder: Path, made: Made | None = None) -> None:
        self.folder = folder
        self.sheet = made.sheet if made else {}

    def rows(self, table: str) -> list[dict[str, Any]]:
        return pq.read_table(self.folder / f"{table}.parquet").to_pylist()

    @property
    def matches(self) -> list[str]:
        return [row["match"] for row in self.rows("matches")]

    def text(self) -> bytes:
        return b"".join((self.folder / file).read_bytes() for file in FILES)
