"""Datasets over HTTP: made once for all who ask, by somebody else, and sent whole or in parts."""

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import fakeredis
import httpx
import pyarrow.parquet as pq
import pytest
from rq.job import Job
from rq.serializers import JSONSerializer

from plyscribe.service.client import Client, Problem
from plyscribe.service.composition import compose
from plyscribe.service.datasets import keeping, shelf
from plyscribe.service.datasets.dataset_jobs import LOST_AFTER_S, QueuedMakers
from plyscribe.service.datasets.datasheet import FILES
from plyscribe.service.datasets.keeping import Datasets, Making
from plyscribe.service.datasets.shelf import Shelf
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.web.app import create_app
from plyscribe.workers import make_dataset, worker
from plyscribe.workers.worker import Worker
from tests.service.api import Api
from tests.service.conftest import CONFIG
from tests.service.making_datasets import Rig

HOUR = 3_600_000


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rig:
    made = Rig(tmp_path)
    made.now_ms = keeping.now_ms() + keeping.CUT_MS  # type: ignore[attr-defined]
    monkeypatch.setattr(keeping, "now_ms", lambda: made.now_ms)  # type: ignore[attr-defined]
    return made


def ask(rig: Rig, ruleset: str = "toy") -> Any:
    answered = rig.api.get(f"/v1/datasets/{ruleset}")
    assert answered.status_code == 200, answered.json
    return answered.json


def href(rig: Rig, file: str) -> str:
    return next(each["href"] for each in ask(rig)["dataset"]["files"] if each["file"] == file)


def matches_in(rig: Rig) -> list[str]:
    return pq.read_table(io.BytesIO(rig.api.get(href(rig, "matches.parquet")).data))["match"].to_pylist()


# ------------------------------------------------------------------------------------------------- the direct makers


def test_who_asks_first_gets_the_dataset_of_all_public_matches_and_the_list_makes_none(rig: Rig) -> None:
    public = rig.play()
    rig.play(private=True)
    assert all(each["dataset"] is None for each in rig.api.get("/v1/datasets").json["datasets"])
    answered = ask(rig)
    made = answered["dataset"]
    assert answered["making"] is None
    assert (made["matches"], made["schema"], made["licence"]) == (1, 1, "CC0 1.0")
    assert [file["file"] for file in made["files"]] == list(FILES)
    for file in made["files"]:
        sent = rig.api.get(file["href"])
        assert (sent.status_code, len(sent.data)) == (200, file["bytes"])
    assert matches_in(rig) == [public]
    listed = {each["ruleset"]: each["dataset"] for each in rig.api.get("/v1/datasets").json["datasets"]}
    assert (listed["toy"], listed["zhen"]) == (made, None)


def test_a_dataset_rests_for_an_hour_or_longer_and_the_last_two_are_kept(rig: Rig) -> None:
    match = rig.play()
    first = ask(rig)["dataset"]
    rig.annul(match)
    rig.now_ms += HOUR // 2  # type: ignore[attr-defined]
    assert ask(rig)["dataset"] == first
    names = [first["dataset"]]
    for _ in range(2):
        rig.now_ms += 30 * HOUR  # type: ignore[attr-defined]
        made = ask(rig)["dataset"]
        names.append(made["dataset"])
        assert made["matches"] == 0, "what was annulled is not in the next dataset"
    found = [rig.api.get(f"/v1/datasets/toy/{name}/datasheet.json").status_code for name in names]
    assert found == [404, 200, 200]
    long = SimpleNamespace(sheet={"until_ms": 0}, made_at_ms=HOUR)
    assert [keeping.is_due(long, hours * HOUR) for hours in (20, 21)] == [False, True]  # type: ignore[arg-type]


def test_a_match_that_is_deleted_while_a_dataset_is_made_is_not_in_it(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone, other = rig.play(), rig.play()
    assert rig.parts.archive is not None
    archive, keep, made = rig.parts.archive, Shelf.keep, list[str | None]()

    def delete_first(self: Shelf, *given: Any) -> str | None:
        if not made:
            archive.note_forgotten(gone, b"{}\n")
            rig.parts.lists.matches.remove(gone)
        made.append(keep(self, *given))
        return made[-1]

    monkeypatch.setattr(Shelf, "keep", delete_first)
    assert ask(rig)["dataset"]["matches"] == 1
    assert made[0] is None
    assert matches_in(rig) == [other]


def test_a_file_that_went_a_moment_ago_is_said_to_be_gone(rig: Rig) -> None:
    """Another process may have removed it, and this one remembers what was there for some seconds."""
    path = href(rig, "plies.parquet")
    [file] = (rig.folder / "archive").rglob("plies.parquet")
    file.unlink()
    for method in ("GET", "HEAD"):
        assert rig.api.send(method, path).status_code == 404
    assert rig.parts.archive is not None
    assert Shelf(rig.parts.archive).clear() == 1
    rig.parts.datasets.shelf._seen = None
    assert rig.api.get(path).json["code"] == "dataset/unknown"
    assert not list((rig.folder / "archive").rglob("*.parquet"))


def test_what_is_not_there_is_refused(rig: Rig) -> None:
    path = href(rig, "plies.parquet")
    for wrong in (path.replace("plies", "players"), path.replace("/toy/", "/zhen/"), f"{path[:-20]}x/plies.parquet"):
        assert rig.api.get(wrong).json["code"] == "dataset/unknown"
    assert rig.api.get("/v1/datasets/chess").json["code"] == "ruleset/unknown"
    assert rig.api.get("/v1/datasets/toy/../../copies/progress").status_code == 404
    without_library = Datasets(rig.parts.datasets._shelf, rig.parts.datasets._makers, int, False)
    for parts in (compose(CONFIG, MemoryStore()), replace(rig.parts, datasets=without_library)):
        for path in ("", "/toy", "/toy/1-0/plies.parquet"):
            refused = Api(create_app(parts)).get(f"/v1/datasets{path}")
            assert (refused.status_code, refused.json["code"]) == (404, "dataset/off")


# ------------------------------------------------------------------------------------------------------------- parts


@pytest.mark.parametrize("asked", ["bytes=0-3", "bytes=-4", "bytes=9-", "bytes=0-999999999"])
def test_a_part_of_a_file_is_sent(rig: Rig, monkeypatch: pytest.MonkeyPatch, asked: str) -> None:
    rig.play()
    monkeypatch.setattr(shelf, "CHUNK_BYTES", 1000)
    path = href(rig, "plies.parquet")
    whole = rig.api.get(path)
    assert (whole.status_code, whole.headers["Accept-Ranges"]) == (200, "bytes")
    size = len(whole.data)
    part = {"bytes=0-3": range(4), "bytes=-4": range(size - 4, size), "bytes=9-": range(9, size)}.get(asked)
    sent = rig.api.get(path, headers={"Range": asked})
    assert sent.data == (whole.data[part.start : part.stop] if part else whole.data)
    assert int(sent.headers["Content-Length"]) == len(sent.data)
    assert sent.status_code == (206 if part else 200)
    if part:
        assert sent.headers["Content-Range"] == f"bytes {part.start}-{part.stop - 1}/{size}"


def test_parts_that_are_none_and_versions_that_are_known(rig: Rig) -> None:
    path = href(rig, "datasheet.md")
    whole = rig.api.get(path, headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in whole.headers
    refused = rig.api.get(path, headers={"Range": f"bytes={len(whole.data)}-"})
    assert (refused.status_code, refused.json["code"]) == (416, "request/range")
    tag = whole.headers["ETag"]
    assert rig.api.get(path, headers={"If-None-Match": tag}).status_code == 304
    for condition, status in ((tag, 206), ('"other"', 200)):
        part = rig.api.get(path, headers={"Range": "bytes=0-9", "If-Range": condition})
        assert part.status_code == status
    for several in ("bytes=0-1,4-5", "lines=1-2", "nonsense"):
        assert rig.api.get(path, headers={"Range": several}).data == whole.data
    head = rig.api.send("HEAD", path)
    assert (head.data, int(head.headers["Content-Length"]), head.headers["ETag"]) == (b"", len(whole.data), tag)


# -------------------------------------------------------------------------------------------------------- the client


@pytest.fixture
def client(rig: Rig) -> Iterator[Client]:
    transport = httpx.WSGITransport(rig.api.app)
    with Client("http://localhost", transport=transport, retry_for_s=5) as client:
        yield client


def test_the_client_downloads_a_dataset_and_checks_it(rig: Rig, client: Client, tmp_path: Path) -> None:
    match = rig.play()
    found = client.download_dataset("toy", tmp_path / "new" / "toy")
    assert (found, client.datasets()["datasets"][0].keys()) == (ask(rig)["dataset"], {"ruleset", "title", "dataset"})
    assert pq.read_table(tmp_path / "new" / "toy" / "matches.parquet")["match"].to_pylist() == [match]
    plies = rig.parts.datasets.find_newest("toy").find("plies.parquet")  # type: ignore[union-attr]
    [path] = (rig.folder / "archive").rglob("plies.parquet")
    path.write_bytes(bytes(plies.bytes))  # type: ignore[union-attr]
    with pytest.raises(Problem, match=r"plies\.parquet was changed on its way"):
        client.download_dataset("toy", tmp_path / "again")


def test_the_client_does_not_wait_for_ever(rig: Rig, client: Client, tmp_path: Path) -> None:
    for status, told in ((keeping.FAILED, "could not be made"), (keeping.WAITING, "is still being made")):
        makers = SimpleNamespace(look=lambda _, status=status: Making(status))
        rig.parts.datasets._makers = makers  # type: ignore[assignment]
        with pytest.raises(Problem, match=told):
            client.download_dataset("toy", tmp_path, wait_s=0)


# --------------------------------------------------------------------------------------------------------- the queue


class Queue:
    """Datasets by way of a queue, with a worker that works when told to."""

    def __init__(self, rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
        self.redis = fakeredis.FakeRedis(server=fakeredis.FakeServer())
        self.makers, self.neighbour = QueuedMakers(self.redis), QueuedMakers(self.redis)
        self.made = list[tuple[str, int]]()
        self.during = self.pass_by
        rig.parts.datasets._makers = self.makers
        monkeypatch.setattr(make_dataset, "process_parts", lambda: SimpleNamespace(dataset_maker=self))
        self._real = rig.parts.dataset_maker

    def make(self, ruleset: str, until_ms: int, report: Any) -> str:
        self.made.append((ruleset, until_ms))
        self.during(report)
        return self._real.make(ruleset, until_ms, report)

    def pass_by(self, report: Any) -> None:
        """What happens while a dataset is made."""

    def work(self) -> None:
        Worker([self.makers._queue], connection=self.redis, serializer=JSONSerializer).work(burst=True)

    def job(self) -> Job:
        return Job.fetch("dataset_toy", self.redis, JSONSerializer)


@pytest.fixture
def queue(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> Queue:
    return Queue(rig, monkeypatch)


def test_a_dataset_is_made_once_for_all_who_ask_who_learn_how_far_it_is(rig: Rig, queue: Queue) -> None:
    rig.play()
    seen = list[Any]()

    def look(report: Any) -> None:
        report(12)
        seen.append(queue.neighbour.look("toy"))
        queue.neighbour.begin("toy", 7)

    queue.during = look  # type: ignore[method-assign]
    for _ in range(3):
        assert (ask(rig)["dataset"], ask(rig)["making"]) == (None, {"status": "waiting", "matches": 0})
    queue.neighbour.begin("toy", 7)
    assert queue.made == []
    queue.work()
    assert seen == [Making(keeping.MAKING, 12)]
    answered = ask(rig)
    assert (answered["dataset"]["matches"], answered["making"]) == (1, None)
    [(_, until_ms)] = queue.made
    assert until_ms % keeping.CUT_MS == 0


@pytest.mark.parametrize("stops", [True, False])
def test_a_worker_that_fails_or_is_asked_to_stop_leaves_the_dataset_to_a_later_one(
    rig: Rig, queue: Queue, stops: bool
) -> None:
    def trouble(report: Any) -> None:
        if not stops:
            raise RuntimeError("no dataset today")
        worker.STOPPING.set()

    rig.play()
    queue.during = trouble  # type: ignore[method-assign]
    ask(rig)
    try:
        queue.work()
    finally:
        worker.STOPPING.clear()
    assert rig.parts.datasets.find_newest("toy") is None
    if not stops:
        assert [ask(rig)["making"]["status"] for _ in range(2)] == ["failed"] * 2, "it is not begun again at once"
        queue.job().delete()
    queue.during = queue.pass_by  # type: ignore[method-assign]
    assert ask(rig)["making"]["status"] == "waiting"
    queue.work()
    assert ask(rig)["dataset"]["matches"] == 1


def test_a_job_that_lost_its_worker_is_made_again(rig: Rig, queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(rig)
    job = queue.job()
    queue.makers._queue.remove(job)
    job.set_status("started")  # type: ignore[arg-type]
    job.started_at = job.enqueued_at
    job.save()
    assert queue.makers.look("toy") == Making(keeping.MAKING, 0)
    later = keeping.now_ms() / 1000 + LOST_AFTER_S + 1
    monkeypatch.setattr("plyscribe.service.datasets.dataset_jobs.time", SimpleNamespace(time=lambda: later))
    assert queue.makers.look("toy") is None
    queue.makers.begin("toy", 60_000)
    assert queue.makers._queue.get_job_ids() == ["dataset_toy"]
