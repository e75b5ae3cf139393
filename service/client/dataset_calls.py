"""The operations of the API on datasets."""

import time
from contextlib import closing
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import cast

import httpx

from plyscribe.service.client.answers import DatasetFile, DatasetList, DatasetState, MadeDataset
from plyscribe.service.client.connection import RETRY_PAUSE_S, Connection, Problem, require_success

POLL_S = 2.0
"""How often the client asks whether a dataset is made."""


class DatasetCalls(Connection):
    """The part of the client that reads datasets."""

    def datasets(self) -> DatasetList:
        """The newest dataset of each ruleset. None is made because of this."""
        return cast(DatasetList, self._get("/v1/datasets"))

    def dataset(self, ruleset: str) -> DatasetState:
        """The newest dataset of a ruleset, and the one that is being made. One is begun if it is time."""
        return cast(DatasetState, self._get(f"/v1/datasets/{ruleset}"))

    def download_dataset(self, ruleset: str, folder: Path, *, wait_s: float = 3600.0) -> MadeDataset:
        """Write the newest dataset of a ruleset into a folder, once it is made, and describe it.

        Goes on where it was when the connection breaks. Problem `dataset/unfinished` if none is there after `wait_s`
        seconds or if making one failed, `dataset/changed` if a file does not have the SHA-256 that the server named.
        """
        found = self._wait_for(ruleset, wait_s)
        folder.mkdir(parents=True, exist_ok=True)
        for file in found["files"]:
            self._download(file, folder / file["file"])
        return found

    def _wait_for(self, ruleset: str, wait_s: float) -> MadeDataset:
        deadline = time.monotonic() + wait_s
        while True:
            answer = self.dataset(ruleset)
            making = answer["making"]
            if answer["dataset"] is not None and (making is None or making["status"] == "failed"):
                return answer["dataset"]
            if making is None or making["status"] == "failed" or time.monotonic() >= deadline:
                why = "could not be made" if making and making["status"] == "failed" else "is still being made"
                detail = f"the dataset of {ruleset} {why}: ask again later"
                raise Problem({"code": "dataset/unfinished", "detail": detail, "status": 503})
            time.sleep(POLL_S)

    def _download(self, file: DatasetFile, path: Path) -> None:
        digest, have = sha256(), 0
        with path.open("wb") as written:
            while have < file["bytes"]:
                with closing(self._retry(partial(self._open_part, file["href"], have))) as stream:
                    try:
                        for chunk in stream.iter_raw():
                            written.write(chunk)
                            digest.update(chunk)
                            have += len(chunk)
                    except httpx.TransportError:
                        time.sleep(RETRY_PAUSE_S)
        if file["sha256"] not in (None, digest.hexdigest()):
            detail = f"{file['file']} was changed on its way"
            raise Problem({"code": "dataset/changed", "detail": detail, "status": 200})

    def _open_part(self, path: str, start: int) -> httpx.Response:
        headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={start}-"} if start else {})}
        request = self._http.build_request("GET", path, headers=headers)
        stream = self._http.send(request, stream=True)
        if not stream.is_success:
            with closing(stream):
                stream.read()
        return require_success(stream)
