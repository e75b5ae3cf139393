"""Receipts: what a mover was told is stored. Whoever rewrites a match afterwards cannot make them fit."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from domain.chain import parse_json
from domain.errors import NotCanonical, ReceiptError


class Receipt(NamedTuple):
    """That event `version` of the match is stored with this hash, and so are all before it."""

    match: str
    version: int
    hash: bytes


def parse_receipts(raw: bytes) -> list[Receipt]:
    """The receipts in a file's bytes: one answer as JSON, or one a line; ReceiptError with the line that is none.

    Any answer with `match`, `version` and `hash` is one, whatever else it holds.
    """
    try:
        return [parse_receipt(parse_json(raw), 1)]
    except NotCanonical:
        return list(_parse_lines(raw))


def _parse_lines(raw: bytes) -> Iterator[Receipt]:
    for number, line in enumerate(raw.splitlines(), 1):
        if line.strip():
            try:
                yield parse_receipt(parse_json(line), number)
            except NotCanonical as error:
                raise ReceiptError(number, str(error)) from None


def parse_receipt(told: Any, line: int) -> Receipt:
    """The receipt in an answer that was read as JSON; ReceiptError where it is none."""
    match told:
        case {"match": str(match), "version": int(version), "hash": str(text)} if version > 0:
            try:
                return Receipt(match, version, bytes.fromhex(text))
            except ValueError:
                pass
    raise ReceiptError(line, "an answer with match, version and hash is expected")
