"""The datasets that a service makes: one job for all who ask, and no more often than is bearable."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from plyscribe.domain.match import Match
from plyscribe.service.clock import now_ms
from plyscribe.service.datasets.errors import DatasetsOff
from plyscribe.service.datasets.listed_matches import list_candidates
from plyscribe.service.datasets.making import Order, Progress, can_make, make_dataset
from plyscribe.service.datasets.shelf import KeptDataset, Shelf
from plyscribe.service.lists.matches import MatchList
from plyscribe.service.streams.handler import Handler

REST_MS = 3_600_000
"""A dataset is made anew an hour after the cut of the last one at the earliest."""

REST_TIMES = 20
"""And it rests for so many times as long as the last one took: datasets take a twentieth of a process at most."""

CUT_MS = 60_000
"""The cut of a dataset is a full minute."""

WAITING, MAKING, FAILED = "waiting", "making", "failed"


class Making(NamedTuple):
    """A dataset that is being made: WAITING, MAKING or FAILED, and how many matches are in it so far."""

    status: str
    matches: int = 0


class Makers(Protocol):
    """Those who make datasets: a queue with its worker, or this process alone."""

    def begin(self, ruleset: str, until_ms: int) -> None:
        """Have a dataset made, unless one of this ruleset is being made. StoreUnavailable."""
        ...

    def look(self, ruleset: str) -> Making | None:
        """What is being made of this ruleset, or failed some minutes ago. StoreUnavailable."""
        ...


class DatasetMaker:
    """Makes datasets from the store and keeps them."""

    def __init__(self, listed: MatchList, matches: Handler[Match], shelf: Shelf | None, licence: str | None) -> None:
        self._listed = listed
        self._matches = matches
        self._shelf = shelf
        self._licence = licence

    def make(self, ruleset: str, until_ms: int, report: Progress = lambda _: None) -> str:
        """Make a dataset, keep it, and return its name. May run any number of times.

        DatasetsOff without an archive; the errors of the store, the archive and the database; what `report` raises.
        """
        if self._shelf is None:
            raise explain_off(has_archive=False)
        order = Order(ruleset, until_ms, self._licence)
        while True:
            forgotten = self._shelf.list_forgotten()
            with tempfile.TemporaryDirectory(prefix="plyscribe-dataset-") as draft:
                folder = Path(draft)
                make_dataset(list_candidates(self._listed, self._matches, order), order, folder, report)
                name = self._shelf.keep(ruleset, folder, forgotten)
            if name is not None:
                return name


class DirectMakers:
    """Makers of a service without a queue, whose store is in memory: they make a dataset in the thread that asks."""

    def __init__(self, maker: DatasetMaker) -> None:
        self._maker = maker

    def begin(self, ruleset: str, until_ms: int) -> None:
        """See Makers.begin."""
        self._maker.make(ruleset, until_ms)

    def look(self, ruleset: str) -> Making | None:
        """See Makers.look. Nothing is ever being made."""
        return None


class Datasets:
    """What a process knows of datasets; safe to share between threads."""

    def __init__(
        self, shelf: Shelf | None, makers: Makers, catch_up: Callable[[], object], can_serve: bool | None = None
    ) -> None:
        """`catch_up` brings the list of matches up to date where nobody else does."""
        self._shelf = shelf
        self._makers = makers
        self._catch_up = catch_up
        self._can_serve = can_make() if can_serve is None else can_serve

    @property
    def shelf(self) -> Shelf:
        """Where datasets are; DatasetsOff if this service makes none."""
        if self._shelf is None or not self._can_serve:
            raise explain_off(has_archive=self._shelf is not None)
        return self._shelf

    @property
    def are_made(self) -> bool:
        """Whether this service makes datasets."""
        return self._shelf is not None and self._can_serve

    def ask(self, ruleset: str) -> tuple[KeptDataset | None, Making | None]:
        """The newest dataset of a ruleset, and the one that is being made.

        One is begun if there is none, or if the newest has rested long enough. DatasetsOff, and the errors of the
        archive and of the queues' server.
        """
        newest, now = self.find_newest(ruleset), now_ms()
        making = self._makers.look(ruleset)
        if making is None and is_due(newest, now):
            # It may have been put there since.
            newest = next(iter(self.shelf.list_kept(ruleset, anew=True)), None)
        if making is None and is_due(newest, now):
            self._catch_up()
            self._makers.begin(ruleset, now - now % CUT_MS)
            making = self._makers.look(ruleset)
            newest = newest if making else self.find_newest(ruleset)
        return newest, making

    def find_newest(self, ruleset: str) -> KeptDataset | None:
        """The newest dataset of a ruleset. DatasetsOff, and the errors of the archive."""
        return next(iter(self.shelf.list_kept(ruleset)), None)


def is_due(newest: KeptDataset | None, now_ms: int) -> bool:
    """Whether a dataset is to be made, when this is the newest one."""
    if newest is None:
        return True
    until_ms: int = newest.sheet["until_ms"]
    return now_ms - newest.made_at_ms >= max(REST_MS, REST_TIMES * (newest.made_at_ms - until_ms))


def explain_off(has_archive: bool) -> DatasetsOff:
    """Why this service makes no datasets."""
    lacks = (
        "its operator has not installed the extra `datasets`" if has_archive else "it has no archive to keep them in"
    )
    return DatasetsOff(f"this service makes no datasets: {lacks}. Export its matches, and make one yourself")
