"""Packs answers with gzip for clients that take it. A packed answer has its own `ETag`: `"12"` becomes `"12-gzip"`.

Only answers to GET and HEAD are packed. Answers to commands are small, and some hold a token. Answers to GET hold no
secret that stays the same beside what others can put into an address, so their length gives nothing away (BREACH). Live
streams are never packed, because each event must leave at once.

This is not Flask-Compress, because that has no gzip for streams, needs two more compressors, and touches every answer,
also to commands.
"""

import gzip
import zlib
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from flask import Flask, Response, request
from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header

from plyscribe.service.web.api.http import (
    BUNDLE,
    JSON,
    MAX_REPEATED_BYTES,
    NDJSON,
    READS,
    SVG,
    current_request,
)
from plyscribe.service.web.handover import HOLD

MARK = "-gzip"
"""The end of the tag of a packed answer. `If-Match` takes tags with it too."""

MIN_BYTES = 1024
"""Shorter answers are sent as they are: they fit into one packet anyway."""

LEVEL = 1
"""How hard to press what is packed for one request: at most as much work as making the answer was. Level 6 takes two to
four times as long and saves a tenth of the packed bytes."""

PACKED_MEDIA = frozenset({JSON, NDJSON, BUNDLE, SVG, "application/yaml"})
"""What is packed besides `text/…`."""

NEVER_PACKED = frozenset({"text/event-stream"})

_GZIP = 16 + zlib.MAX_WBITS


class Fixed(NamedTuple):
    """A text in both forms, with the tag of the plain one."""

    plain: bytes
    packed: bytes
    tag: str


def pack_answers(app: Flask) -> None:
    """Pack the answers of the application."""
    app.after_request(_pack)


def takes_gzip() -> bool:
    """Whether the client takes packed answers."""
    asked: str = current_request().environ.get("HTTP_ACCEPT_ENCODING", "")
    # Clients send the same few headers again and again.
    return (_has_gzip if len(asked) <= MAX_REPEATED_BYTES else _has_gzip.__wrapped__)(asked)


@lru_cache(maxsize=256)
def _has_gzip(asked: str) -> bool:
    return parse_accept_header(asked, Accept)["gzip"] > 0


def find_known(tag: str) -> str | None:
    """The tag of the form of this version that the client has, packed or not; None if it has none that it can use."""
    known = request.if_none_match
    if known.contains_weak(tag):
        return tag
    return tag + MARK if known.contains_weak(tag + MARK) and takes_gzip() else None


def tagged(response: Response, version: int | str) -> Response:
    """The response with its version as `ETag`; 304 without a body if the client already has that version."""
    tag = str(version)
    known = find_known(tag)
    response.headers["ETag"] = f'"{known or tag}"'
    if known is not None:
        response.status_code = 304
        response.set_data(b"")
    return response


@lru_cache(maxsize=64)
def fix(text: str) -> Fixed:
    """A text that stays the same as long as the process runs, packed as hard as possible."""
    plain = text.encode()
    return Fixed(plain, gzip.compress(plain, mtime=0), sha256(plain).hexdigest()[:16])


def answer_fixed(fixed: Fixed, content_type: str) -> Response:
    """A text that is the same for everybody, packed in advance if the client takes that; 304 if the client has it."""
    response = tagged(Response(fixed.plain, content_type=content_type), fixed.tag)
    if response.status_code == 200 and takes_gzip() and len(fixed.plain) >= MIN_BYTES:
        response.set_data(fixed.packed)
        _mark(response)
    return response


def _pack(response: Response) -> Response:
    """Pack the response if it is worth it and the client takes it."""
    asked = current_request()
    if asked.method not in READS or response.status_code not in (200, 304) or HOLD in asked.environ:
        return response
    # One pass: werkzeug takes microseconds to find that a header is missing.
    sent = dict(response.headers)
    if "Accept-Ranges" in sent:
        # Parts of a packed file would be parts of other bytes.
        return response
    media = sent.get("Content-Type", "").partition(";")[0]
    if not (media in PACKED_MEDIA or (media.startswith("text/") and media not in NEVER_PACKED)):
        return response
    response.headers["Vary"] = f"{sent['Vary']}, Accept-Encoding" if "Vary" in sent else "Accept-Encoding"
    if response.status_code == 200 and "Content-Encoding" not in sent and takes_gzip():
        _press(response, sent)
    return response


def _press(response: Response, sent: dict[str, str]) -> None:
    if response.is_streamed:
        response.response = _pack_stream(response.iter_encoded())
        response.headers.pop("Content-Length", None)
    elif int(sent.get("Content-Length", MIN_BYTES)) >= MIN_BYTES:
        response.set_data(gzip.compress(response.get_data(), LEVEL, mtime=0))
    else:
        return
    _mark(response)


def _mark(response: Response) -> None:
    response.headers["Content-Encoding"] = "gzip"
    tag = response.headers.get("ETag")
    if tag is not None:
        response.headers["ETag"] = f'{tag[:-1]}{MARK}"'


def _pack_stream(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The chunks packed one by one, with no more than one of them in memory."""
    press = zlib.compressobj(LEVEL, wbits=_GZIP)
    for chunk in chunks:
        if packed := press.compress(chunk):
            yield packed
    yield press.flush()
