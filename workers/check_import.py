"""The job that judges imports: it executes imported matches again, and plays typed records."""

from collections.abc import Sequence

from plyscribe.domain.bundle.report import OK, UNKNOWN, Report, check_match
from plyscribe.domain.errors import DomainError, WrongTime
from plyscribe.domain.imported import Import, ImportRefuted, ImportVerified
from plyscribe.domain.verification import MAX_WHY_LENGTH
from plyscribe.service.composition import Parts
from plyscribe.workers.parts import process_parts


def check_imports(due: Sequence[tuple[str, int]]) -> None:
    """Judge imports, given by stream and version. May run any number of times, also at the same time."""
    for stream, _ in due:
        check_import(process_parts(), stream)


def check_import(parts: Parts, stream: str) -> str:
    """Record the verdict on the import, unless it has one, and return its status."""
    state = parts.imports.read(stream)
    if state.status != "waiting":
        return state.status
    if state.record is not None:
        return _play_record(parts, state)
    assert state.begun is not None
    report = check_match(state.begun.match, parts.imports.read_copied(stream))
    try:
        return parts.imports.judge(state, judge_report(report)).status
    except WrongTime:
        # Another worker was faster, or more of the match has arrived.
        return parts.imports.read(stream).status


def _play_record(parts: Parts, state: Import) -> str:
    try:
        return parts.records.judge(state).status
    except WrongTime:
        return parts.imports.read(state.stream).status


def judge_report(report: Report) -> ImportVerified | ImportRefuted:
    """The verdict that follows from a report; DomainError if this release cannot make one of the checks."""
    fault = report.fault
    if fault is not None:
        return ImportRefuted(fault.version or 0, fault.check, (fault.why or "")[:MAX_WHY_LENGTH])
    for check in report.checks:
        if check.result == UNKNOWN:
            raise DomainError(f"{report.match} cannot be judged here: {check.why}")
    return ImportVerified(report.version, tuple(check.check for check in report.checks if check.result == OK))
