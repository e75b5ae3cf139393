"""Answers as long as what they export. They are made piece by piece, as their clients read them."""

from collections.abc import Callable, Iterable, Iterator

from flask import Flask, Response, current_app, request

from plyscribe.service.web.api.http import name_client, principal_if_any
from plyscribe.service.web.places import Places

MAX_EXPORTS = 100
"""Exports that a process sends at the same time. A client that reads slowly holds half a megabyte with each."""

MAX_EACH = 10
"""How many of them one client may have."""

PLACES = "plyscribe.exports"


def prepare_exports(app: Flask) -> None:
    """Give the application its places for exports."""
    app.extensions[PLACES] = Places(MAX_EXPORTS, MAX_EACH)


def answer_export(pieces: Iterable[bytes], media: str) -> Response:
    """These pieces as an answer, which holds a place until it ends or its client leaves. ExportsFull, ExportsShare.

    HEAD is answered without them.
    """
    if request.method == "HEAD":
        return Response(iter(()), content_type=media)
    places: Places = current_app.extensions[PLACES]
    give_back = places.take(name_client(principal_if_any()))
    response = Response(_send_all(pieces, give_back), content_type=media)
    # Of an answer that is never begun, nothing is sent.
    response.call_on_close(give_back)
    return response


def _send_all(pieces: Iterable[bytes], give_back: Callable[[], None]) -> Iterator[bytes]:
    try:
        yield from pieces
    finally:
        give_back()
