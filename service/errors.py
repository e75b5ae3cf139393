"""The errors of the service; `web/problems.py` has the HTTP status of each.

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

The trees of `plyscribe.domain.errors` and `plyscribe.service.store.port` stand beside it.
"""

from typing import Any

from plyscribe.domain.chain import StoredEvent


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
