"""The errors of the service, and the one table from any error to its HTTP status.

    ServiceError
    ├── Unauthenticated     auth/missing, auth/invalid
    ├── ScopeMissing        auth/scope
    ├── CrossSite           auth/cross-site             a form that another site sends
    ├── NotFound            what the path names is not there
    ├── NotAcceptable       request/not-acceptable
    ├── VersionConflict     stream/version-conflict     If-Match is not the stream's version
    ├── KeyReused           key/reused                  the key stands for another request
    ├── Contended           stream/contended            too many writers at once
    ├── LiveFull            live/full                   no more streams can be open here
    ├── LiveShare           live/share                  this client has its share of them
    ├── TooManyLarge        request/crowded             other large bodies are being read
    ├── ReportBusy          ratings/busy                another report is made at the moment
    ├── VerificationBusy    verification/busy           another match is verified at the moment
    ├── UnknownModel        ratings/unknown-model       the ledger's model is none of this release
    └── BadRequest          key/invalid, key/not-here, request/..
        ├── BodyLate            request/too-slow            the body did not come in time
        ├── BadBody         request/invalid             readable, but not what the schema says
        └── UnsupportedType request/unsupported-media-type

The trees of `domain.errors` and `service.store.port` stand beside it.
"""

from typing import Any

from domain import errors as domain
from domain.chain import StoredEvent
from service.store import port


class ServiceError(Exception):
    """Root of the tree: `code` is stable, `details` is JSON-ready, the text is for people."""

    code = "service/error"

    def __init__(self, message: str, code: str | None = None, **details: Any) -> None:
        super().__init__(message)
        self.code = code or type(self).code
        self.details = details


class Unauthenticated(ServiceError):
    """No token, or none that is valid."""

    code = "auth/invalid"


class ScopeMissing(ServiceError):
    """The token does not cover what was asked."""

    code = "auth/scope"


class CrossSite(ServiceError):
    """A page of another site had a browser ask."""

    code = "auth/cross-site"


class NotFound(ServiceError):
    """What the path names does not exist."""

    code = "request/not-found"


class NotAcceptable(ServiceError):
    """None of the media types that the client accepts can be given."""

    code = "request/not-acceptable"


class VersionConflict(ServiceError):
    """The stream is not at the version that If-Match expects."""

    code = "stream/version-conflict"

    def __init__(self, stream: str, expected: int, have: int) -> None:
        super().__init__(f"{stream} is at version {have}, not {expected}", version=have)
        self.expected = expected
        self.missed: list[StoredEvent] = []


class KeyReused(ServiceError):
    """The idempotency key was used before for a request with another body."""

    code = "key/reused"

    def __init__(self) -> None:
        super().__init__("this Idempotency-Key was used before with another body: take a new key for a new request")


class Contended(ServiceError):
    """Other writers were faster every time."""

    code = "stream/contended"

    def __init__(self, stream: str) -> None:
        super().__init__(f"{stream} changes too fast at the moment: try again")


class LiveFull(ServiceError):
    """No more streams can be open in this process."""

    code = "live/full"


class LiveShare(ServiceError):
    """One client has all the streams open in this process that one may have."""

    code = "live/share"


class TooManyLarge(ServiceError):
    """As many large bodies are being read as may be at a time."""

    code = "request/crowded"


class ReportBusy(ServiceError):
    """The report of another annulment is made at the moment, and one at a time."""

    code = "ratings/busy"

    def __init__(self) -> None:
        super().__init__("what another annulment changed is found out at the moment: try again")


class VerificationBusy(ServiceError):
    """Another match is executed again at the moment, and one at a time."""

    code = "verification/busy"

    def __init__(self) -> None:
        super().__init__("another match is verified at the moment: try again")


class UnknownModel(ServiceError):
    """A ratings ledger was opened with a model, or parameters, that this release does not have."""

    code = "ratings/unknown-model"

    def __init__(self, model: str) -> None:
        super().__init__(f"these ratings follow the model {model!r}, which this release does not have")


class BadRequest(ServiceError):
    """The request cannot be read."""

    code = "request/unreadable"


class BodyLate(BadRequest):
    """The body did not come in time."""

    code = "request/too-slow"


class BadBody(BadRequest):
    """The body or a parameter is readable but not what the schema says."""

    code = "request/invalid"


class UnsupportedType(BadRequest):
    """The body is not JSON."""

    code = "request/unsupported-media-type"


STATUS_OF: dict[type[Exception], int] = {
    domain.UnknownRuleset: 422,
    domain.OptionError: 422,
    domain.MoveError: 422,
    domain.RollError: 422,
    domain.NotInPlay: 409,
    domain.WrongTime: 409,
    domain.WrongPerson: 403,
    domain.WrongValue: 422,
    domain.Unknown: 404,
    domain.DiceKeyMissing: 503,
    domain.BundleError: 422,
    domain.RecordError: 422,
    domain.StreamError: 500,
    port.StoreUnavailable: 503,
    port.StoreError: 500,
    BadRequest: 400,
    BodyLate: 408,
    BadBody: 422,
    UnsupportedType: 415,
    Unauthenticated: 401,
    ScopeMissing: 403,
    CrossSite: 403,
    NotFound: 404,
    NotAcceptable: 406,
    VersionConflict: 412,
    KeyReused: 422,
    Contended: 503,
    LiveFull: 503,
    LiveShare: 429,
    ReportBusy: 503,
    VerificationBusy: 503,
    TooManyLarge: 503,
    UnknownModel: 500,
}
"""The status of each error; a class that is not named here has that of its nearest base."""


def status_of(error: Exception) -> int:
    """The HTTP status of an error of any of the trees, 500 for one of none."""
    return next((STATUS_OF[kind] for kind in type(error).__mro__ if kind in STATUS_OF), 500)


RETRY_AFTER_S = 1
PASSING = (429, 503)
"""The statuses of problems after which it is worth asking again, after RETRY_AFTER_S."""


def problem_of(error: Exception) -> dict[str, Any]:
    """The error as an RFC 9457 problem document."""
    code: str = getattr(error, "code", "server/error")
    return {
        "type": f"urn:plyscribe:problem:{code.replace('/', ':')}",
        "title": problem_title(status_of(error)),
        "status": status_of(error),
        "code": code,
        "detail": str(error) if code != "server/error" else "an error of ours; it is in the log under the request's id",
        **getattr(error, "details", {}),
    }


def problem_title(status: int) -> str:
    """What a problem of this status says of itself, "" for one that is never given."""
    return _TITLES.get(status, "")


_TITLES = {
    400: "The request cannot be read",
    401: "A valid token is needed",
    403: "This is not yours to do",
    404: "There is no such thing",
    405: "The resource does not know this method",
    406: "None of the accepted media types can be given",
    408: "The body took too long",
    409: "This cannot be done now",
    411: "The body needs a length",
    412: "The match has moved on",
    413: "The body is too large",
    415: "The body must be JSON",
    422: "The request is readable but cannot be accepted",
    429: "This client has its share",
    500: "An error of the server",
    503: "The server cannot answer now",
}

PROBLEM_STATUSES = tuple(_TITLES)
"""The statuses of all problems that are ever given."""
