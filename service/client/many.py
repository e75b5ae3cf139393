"""The operations of the API on many matches at once."""

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from functools import partial
from hashlib import sha256
from typing import Any, Literal, NotRequired, TypedDict, cast
from urllib.parse import urlencode

import httpx

from plyscribe.service.client.answers import Event, Json
from plyscribe.service.client.connection import RETRY_PAUSE_S, SILENT_S, TIMEOUT_S, Connection, Problem, require_success


class MatchChange(TypedDict):
    """An append to a match, or with the type `gap` a sign that changes are missing because they are no longer kept."""

    type: Literal["change", "gap"]
    id: int
    match: NotRequired[str]
    version: NotRequired[int]
    ruleset: NotRequired[str]
    ruleset_version: NotRequired[int]
    events: NotRequired[list[Event]]
    """At most the first 100 events of the append."""


class ExportedMatch(TypedDict):
    """A match in an export, or one of its positions."""

    match: str
    cursor: str | None
    version: NotRequired[int]
    hash: NotRequired[str]
    record: NotRequired[str]
    bundle: NotRequired[str]
    ply: NotRequired[int]
    turn: NotRequired[Json]
    view: NotRequired[Json]
    fault: NotRequired[Json]
    """Why the match could not be exported."""


class ManyCalls(Connection):
    """The part of the client that follows and exports many matches."""

    def follow_matches(
        self,
        *,
        player: str | None = None,
        opponent: str | None = None,
        ruleset: str | None = None,
        tournament: str | None = None,
        rated: bool | None = None,
        q: str | None = None,
        place: str | None = None,
        about: str | None = None,
        after: int | None = None,
    ) -> Iterator[MatchChange]:
        """Yield the changes of all matches that meet these conditions, from now on or after an `id`, each once.

        Reconnects when the connection breaks, and never ends.
        """
        conditions = {
            "player": player,
            "opponent": opponent,
            "ruleset": ruleset,
            "tournament": tournament,
            "rated": rated,
            "q": q,
            "place": place,
            "about": about,
        }
        for entry in self._follow(_path("/v1/matches/stream", conditions), after):
            if entry["type"] != "at":
                yield cast(MatchChange, entry)

    def export_matches(
        self, form: str = "records", *, cursor: str | None = None, **conditions: Any
    ) -> Iterator[ExportedMatch]:
        """Yield the matches that meet the conditions of the list of matches, the oldest first, one by one.

        `form`: `records`, `bundles`, or `positions`, which yields each position. Begins after `cursor`, which each line
        has. Goes on where it was when the connection breaks. Problem `export/incomplete` if the lines do not have the
        SHA-256 that the server named.
        """
        known = 0
        while True:
            path = _path("/v1/matches/export", {"as": form, "cursor": cursor, **conditions})
            digest, end, number = sha256(), None, 0
            with closing(self._retry(partial(self._open_lines, path))) as stream, suppress(httpx.TransportError):
                for raw in _split_lines(stream.iter_bytes()):
                    line = json.loads(raw)
                    if "sha256" in line:
                        end = line
                        break
                    digest.update(raw)
                    number += 1
                    if number > known:
                        yield line
                        known = number
                    if line["cursor"] != cursor:
                        cursor, number, known = line["cursor"], 0, 0
            if end is None:
                time.sleep(RETRY_PAUSE_S)
                continue
            if end["sha256"] != digest.hexdigest():
                raise Problem({"code": "export/incomplete", "detail": "lines were changed on their way", "status": 200})
            if end["next"] is None:
                return
            cursor, known = end["next"], 0

    def _open_lines(self, path: str) -> httpx.Response:
        timeout = httpx.Timeout(TIMEOUT_S, read=SILENT_S)
        request = self._http.build_request("GET", path, headers={"Accept": "application/x-ndjson"}, timeout=timeout)
        stream = self._http.send(request, stream=True)
        if not stream.is_success:
            with closing(stream):
                stream.read()
        return require_success(stream)


def _path(path: str, query: Json) -> str:
    given = {name: str(value).lower() if isinstance(value, bool) else value for name, value in query.items()}
    return f"{path}?{urlencode({name: value for name, value in given.items() if value is not None})}"


def _split_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The complete lines in these bytes, each with its end."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from (line + b"\n" for line in lines)
