"""Receipts: what a mover was told is stored. Whoever rewrites a match afterwards cannot make them fit."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from plyscribe.domain.chain import parse_json
from plyscribe.domain.errors import NotCanonical, ReceiptError


class Receipt(NamedTuple):
    """That event `version` of the match is stored with this hash, and so are all before it."""

    match: str
    version: int
    hash: bytes


def parse_receipts(raw: bytes) -> list[Receipt]:
    """The receipts in a file's bytes: one answer as JSON, or one a line; ReceiptError with the line that is none.

    Any answer with `match`, `version` and `hash` is one, whatever else it holds. Refusals, which say that nothing was
    stored, are passed over.
    """
    try:
        answers = [(1, parse_json(raw))]
    except NotCanonical:
        answers = list(_parse_lines(raw))
    return [parse_receipt(told, line) for line, told in answers if not _is_refusal(told)]


def _parse_lines(raw: bytes) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(raw.splitlines(), 1):
        if line.strip():
            try:
                yield number, parse_json(line)
            except NotCanonical as error:
                raise ReceiptError(number, str(error)) from None


def _is_refusal(told: Any) -> bool:
    match told:
        case {"code": str(), "status": int()}:
            return True
    return False


def parse_receipt(told: Any, line: int) -> Receipt:
    """The receipt in an answer that was read as JSON; ReceiptError where it is none."""
    match told:
        case {"match": str(match), "version": int(version), "hash": str(text)} if version > 0 and version is not True:
            with suppress(ValueError):
                return Receipt(match, version, bytes.fromhex(text))
    raise ReceiptError(line, "an answer with match, version and hash is expected")
