"""The errors of the service; `web/problems.py` has the HTTP status of each.

    ServiceError
    ├── Unauthenticated     auth/missing, auth/invalid
    ├── ScopeMissing        auth/scope
    ├── CrossSite           auth/cross-site             another site sent the form
    ├── NotFound            what the path names does not exist
    ├── RangeRefused        request/range               the file has no such part
    ├── NotAcceptable       request/not-acceptable
    ├── NotOffered          oembed/format               a standard has it, and this server does not
    ├── VersionConflict     stream/version-conflict     If-Match is not the stream's version
    ├── Lost                stream/lost                 the stream lacks what an answer had named
    ├── KeyReused           key/reused                  the key was used for another request
    ├── KeyExpired          key/expired                 the secret in the answer is no longer repeated
    ├── Contended           stream/contended            too many writers at once
    ├── LiveFull            live/full                   the process has no room for another live stream
    ├── ConnectionFull      connection/full             the process has no room for another standing connection
    ├── ConnectionShare     connection/share            the client has its share of standing connections
    ├── UpgradeRequired     connection/upgrade          the address is for WebSockets
    ├── QuotaReached        quota/..                    the account has as much as it may have
    ├── LiveShare           live/share                  the client has its share of live streams
    ├── AllowanceUsed       allowance/used                  the client has asked for as much as it may in a time
    ├── ExportsFull         export/full                 too many exports are being sent
    ├── ExportsShare        export/share                one client is being sent too many of them
    ├── TooManyLarge        request/crowded             other large bodies are being read
    ├── ReportBusy          report/busy                 the report is still being made, or too many are
    ├── ReportFailed        report/failed               the report could not be made
    ├── UnknownModel        ratings/unknown-model       this release lacks the ledger's model
    └── BadRequest          effects/.., explorer/.., filter/.., key/guessable, key/invalid, key/not-here, request/..
        ├── BodyLate        request/too-slow            the body did not arrive in time
        ├── BadBody         request/invalid             readable, but not as the schema says
        └── UnsupportedType request/unsupported-media-type

`plyscribe.domain.errors` and `plyscribe.service.store.port` have trees of their own.
"""

from typing import Any

from plyscribe.domain.chain import StoredEvent

QUOTA_RETRY_AFTER_S = 60


class ServiceError(Exception):
    """Root of the tree. `code` never changes, `details` is JSON-ready, the message is for people."""

    code = "service/error"

    def __init__(self, message: str, code: str | None = None, **details: Any) -> None:
        super().__init__(message)
        self.code = code or type(self).code
        self.details = details


class Unauthenticated(ServiceError):
    """The request has no token, or an invalid one."""

    code = "auth/invalid"


class ScopeMissing(ServiceError):
    """The token does not cover this request."""

    code = "auth/scope"


class CrossSite(ServiceError):
    """A page of another site made the browser send this request."""

    code = "auth/cross-site"


class NotFound(ServiceError):
    """What the path names does not exist."""

    code = "request/not-found"


class RangeRefused(ServiceError):
    """The file has no such part as Range asks for."""

    code = "request/range"

    def __init__(self, file: str, size: int) -> None:
        super().__init__(f"{file} has {size} bytes, and none in the part that you ask for")


class NotAcceptable(ServiceError):
    """The resource has none of the media types that the client accepts."""

    code = "request/not-acceptable"


class NotOffered(ServiceError):
    """A standard that this server follows leaves this open, and the server does not have it."""

    code = "oembed/format"


class VersionConflict(ServiceError):
    """The stream is not at the version that If-Match expects."""

    code = "stream/version-conflict"

    def __init__(self, stream: str, expected: int, have: int) -> None:
        beyond = f": if an answer of this server named it, all after version {have} was lost since"
        super().__init__(
            f"{stream} is at version {have}, not {expected}{beyond if expected > have else ''}", version=have
        )
        self.expected = expected
        self.missed: list[StoredEvent] = []


class Lost(ServiceError):
    """The stream lacks an event that an answer had named: it was lost in a failover or a restoration, or replaced."""

    code = "stream/lost"

    def __init__(self, stream: str, version: int, have: int) -> None:
        found = f"it ends at version {have}" if version > have else f"its version {version} is another event"
        why = "what was answered was lost since, or replaced, or this was never an answer of this server"
        super().__init__(f"{stream} does not have the event that you name: {found}; {why}", version=have)


class KeyReused(ServiceError):
    """The idempotency key was used before, with another body."""

    code = "key/reused"

    def __init__(self) -> None:
        super().__init__("this Idempotency-Key was used before with another body: use a new key for a new request")


class KeyExpired(ServiceError):
    """The request was answered before, and the secret in its answer is no longer repeated."""

    code = "key/expired"

    def __init__(self) -> None:
        super().__init__("this request was answered before, and its token is no longer repeated: use the one you have")


class Contended(ServiceError):
    """Other writers were faster at every attempt."""

    code = "stream/contended"

    def __init__(self, stream: str) -> None:
        super().__init__(f"too many others are writing to {stream} right now: try again")


class LiveFull(ServiceError):
    """The process has as many live streams open as it may."""

    code = "live/full"


class LiveShare(ServiceError):
    """The client has as many live streams open in this process as one client may."""

    code = "live/share"


class ConnectionFull(ServiceError):
    """The process has as many standing connections as it may."""

    code = "connection/full"


class ConnectionShare(ServiceError):
    """The client has as many standing connections in this process as one client may have."""

    code = "connection/share"


class UpgradeRequired(ServiceError):
    """The address is for WebSockets, and the request does not ask for one."""

    code = "connection/upgrade"


class AllowanceUsed(ServiceError):
    """The client has asked for as much of a kind as it may within a time. `left` says so as the header RateLimit."""

    code = "allowance/used"

    def __init__(self, policy: str, amount: int, seconds: int, retry_after_s: int, left: str) -> None:
        unit = "bytes" if policy == "bytes" else f"requests of the kind {policy}"
        why = f"a client has {amount} {unit} within {_format_time(seconds)}, and you have used them up"
        super().__init__(f"{why}: try again in {retry_after_s} s", policy=policy, retry_after_s=retry_after_s)
        self.left = left


def _format_time(seconds: int) -> str:
    units = ((86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))
    number, unit = next((seconds // size, unit) for size, unit in units if seconds % size == 0)
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


class QuotaReached(ServiceError):
    """The account has as much of something as it may have; the code says of what, `most` how much that is."""

    def __init__(self, message: str, code: str, most: int) -> None:
        # Waiting may help, because matches end by themselves, but not soon.
        super().__init__(message, code, most=most, retry_after_s=QUOTA_RETRY_AFTER_S)


class ExportsFull(ServiceError):
    """The process sends as many exports as it may at the same time."""

    code = "export/full"


class ExportsShare(ServiceError):
    """The client is being sent as many exports as one client may."""

    code = "export/share"


class TooManyLarge(ServiceError):
    """As many large bodies are being read as may be at the same time."""

    code = "request/crowded"


class ReportBusy(ServiceError):
    """The report is not made yet, and this request can wait no longer, or as much waits already as may."""

    code = "report/busy"


class ReportFailed(ServiceError):
    """The report could not be made. The log of the worker says why. The next request has it made again."""

    code = "report/failed"

    def __init__(self) -> None:
        super().__init__("the report could not be made: ask again, and it is tried again")


class UnknownModel(ServiceError):
    """The ratings ledger names a model, or parameters, that this release does not have."""

    code = "ratings/unknown-model"

    def __init__(self, model: str) -> None:
        super().__init__(f"these ratings use the model {model!r}, which this release does not have")


class BadRequest(ServiceError):
    """The request cannot be read."""

    code = "request/unreadable"


class BodyLate(BadRequest):
    """The body did not arrive in time."""

    code = "request/too-slow"


class BadBody(BadRequest):
    """The body or a parameter is readable, but not as the schema says."""

    code = "request/invalid"


class UnsupportedType(BadRequest):
    """The body is not JSON."""

    code = "request/unsupported-media-type"
