"""The notebook of a study: what its tasks found, line by line in a file, so that a study can stop and go on."""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any

from plyscribe.domain.chain import canonical_json
from plyscribe.service.laboratory.batches import Batch

FORMAT = 1


class StudyError(Exception):
    """The study cannot be made; the message says why and what to do."""


class Notebook:
    """The results of tasks by name, in a file that begins with the digest of the plan that they belong to."""

    def __init__(self, path: Path, plan: Any) -> None:
        """Open the file, or begin it. StudyError if it belongs to another plan."""
        self._path = path
        self._places: dict[str, int] = {}
        head = {"notebook": FORMAT, "plan": sha256(canonical_json(plan)).hexdigest()}
        if path.exists() and path.stat().st_size:
            self._read(head)
            self._file = path.open("r+b")
            self._file.seek(self._end)
            self._file.truncate()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("w+b")
            self._write(head)

    def _read(self, head: dict[str, Any]) -> None:
        self._end = 0
        with self._path.open("rb") as file:
            for line in file:
                # A line without an end was being written when the process was killed.
                if not line.endswith(b"\n"):
                    break
                try:
                    note = json.loads(line)
                except ValueError:
                    break
                if self._end == 0 and note != head:
                    break
                if self._end:
                    self._places[note["task"]] = self._end
                self._end += len(line)
        if self._end == 0:
            raise StudyError(
                f"{self._path} belongs to another study: other arguments, another release, or other rules. "
                "Give another folder with --out, or remove the file"
            )

    def __enter__(self) -> "Notebook":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def __contains__(self, task: str) -> bool:
        return task in self._places

    def add(self, task: str, result: dict[str, Any]) -> None:
        """Write down what a task found; it is kept from now on."""
        self._file.seek(0, 2)
        place = self._file.tell()
        self._write({"task": task, "result": result})
        self._places[task] = place

    def _write(self, note: dict[str, Any]) -> None:
        self._file.write(json.dumps(note, separators=(",", ":")).encode() + b"\n")
        self._file.flush()

    def read(self, task: str) -> dict[str, Any]:
        """What the task found; KeyError if it has not been done."""
        self._file.seek(self._places[task])
        result: dict[str, Any] = json.loads(self._file.readline())["result"]
        return result

    def read_batch(self, batch: Batch) -> Iterator[dict[str, Any]]:
        """What each task of a batch found, in order; KeyError at the first that has not been done."""
        return (self.read(task.name) for task in batch.list_tasks())
