"""The one table from errors to HTTP statuses, and errors as RFC 9457 problem documents."""

from typing import Any

from plyscribe.domain import errors as domain
from plyscribe.domain.record import PlacedFault
from plyscribe.service.archive.errors import ArchiveError, ArchiveUnavailable
from plyscribe.service.database.engine import DatabaseError
from plyscribe.service.errors import (
    AllowanceUsed,
    BadBody,
    BadRequest,
    BodyLate,
    ConnectionFull,
    ConnectionShare,
    Contended,
    CrossSite,
    ExportsFull,
    ExportsShare,
    KeyExpired,
    KeyReused,
    LiveFull,
    LiveShare,
    Lost,
    NotAcceptable,
    NotFound,
    NotOffered,
    QuotaReached,
    RangeRefused,
    ReportBusy,
    ReportFailed,
    ScopeMissing,
    TooManyLarge,
    Unauthenticated,
    UnknownModel,
    UnsupportedType,
    UpgradeRequired,
    VersionConflict,
)
from plyscribe.service.language.problems import translate_problem
from plyscribe.service.language.sentences import translate
from plyscribe.service.matches.typed_steps import find_problem
from plyscribe.service.store import port

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
    domain.KeyMissing: 503,
    domain.BundleError: 422,
    domain.RecordError: 422,
    domain.StreamError: 409,
    domain.UnplayableLine: 409,
    port.StoreUnavailable: 503,
    DatabaseError: 503,
    ArchiveError: 503,
    port.UnsupportedServer: 503,
    port.UpgradeUnfinished: 503,
    port.StoreError: 500,
    BadRequest: 400,
    BodyLate: 408,
    BadBody: 422,
    UnsupportedType: 415,
    Unauthenticated: 401,
    ScopeMissing: 403,
    CrossSite: 403,
    NotFound: 404,
    RangeRefused: 416,
    NotAcceptable: 406,
    NotOffered: 501,
    VersionConflict: 412,
    Lost: 409,
    KeyExpired: 409,
    KeyReused: 422,
    Contended: 503,
    ExportsFull: 503,
    ExportsShare: 429,
    LiveFull: 503,
    LiveShare: 429,
    ConnectionFull: 503,
    ConnectionShare: 429,
    UpgradeRequired: 426,
    AllowanceUsed: 429,
    QuotaReached: 429,
    ReportBusy: 503,
    ReportFailed: 503,
    TooManyLarge: 503,
    UnknownModel: 500,
}
"""The status of each error class. A class that is missing here has the status of its nearest base."""


def status_of(error: Exception) -> int:
    """The HTTP status of an error; 500 for one that is not ours."""
    return next((STATUS_OF[kind] for kind in type(error).__mro__ if kind in STATUS_OF), 500)


RETRY_AFTER_S = 1
PASSING = (429, 503)
"""Statuses of temporary problems: the request may succeed after `retry_after_s`, or else RETRY_AFTER_S."""


def problem_of(error: Exception) -> dict[str, Any]:
    """The error as an RFC 9457 problem document."""
    code: str = getattr(error, "code", "server/error")
    ours = "an error of the server; the log has it under the request's id"
    detail = str(error)
    if isinstance(error, DatabaseError):
        # Where the database is, and as whom we use it, is not for everybody.
        detail = "the read database does not answer; moves are accepted, and this can be read again once it does"
    elif isinstance(error, ArchiveUnavailable):
        detail = f"the archive does not answer, and {error.stream or 'what was asked for'} is there: ask again later"
    return {
        "type": f"urn:plyscribe:problem:{code.replace('/', ':')}",
        "title": problem_title(status_of(error)),
        "status": status_of(error),
        "code": code,
        "detail": ours if code == "server/error" else detail,
        **getattr(error, "details", {}),
    }


def problem_title(status: int) -> str:
    """The title of a problem with this status; empty for a status that no problem has."""
    return _TITLES.get(status, "")


_TITLES = {
    400: "The request cannot be read",
    401: "A valid token is required",
    403: "You are not allowed to do this",
    404: "Not found",
    405: "The method is not supported here",
    406: "None of the accepted media types is available",
    408: "The body took too long to arrive",
    409: "This is not possible now",
    411: "The body needs a Content-Length",
    412: "The version has changed",
    413: "The body is too large",
    415: "The media type is not supported",
    416: "The file has no such part",
    422: "The request was read, but is invalid",
    426: "This address is for WebSockets",
    429: "You have asked for too much",
    500: "Server error",
    501: "This server does not offer this",
    503: "The server cannot answer now",
}

PROBLEM_STATUSES = tuple(_TITLES)
"""The statuses that a problem can have."""


def describe_fault(fault: PlacedFault, language: str) -> dict[str, Any]:
    """What is wrong at a place of a typed text: the code, the clause if a rule is broken, and the place."""
    error = find_problem(fault)
    problem = translate_problem(problem_of(error), language)
    if isinstance(error, domain.MoveError | domain.OptionError | domain.RollError):
        problem["detail"] = translate(error.phrase, language, {})
    clause = {"clause": problem["clause"]} if "clause" in problem else {}
    return {"code": problem["code"], "detail": problem["detail"], "line": fault.line, "column": fault.column, **clause}
