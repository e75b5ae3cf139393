"""Receipts: what the server told a mover that it stored. A match rewritten later does not fit its receipts."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from plyscribe.domain.chain import parse_json
from plyscribe.domain.errors import NotCanonical, ReceiptError


class Receipt(NamedTuple):
    """The statement that the match is stored up to event `version`, which has this hash."""

    match: str
    version: int
    hash: bytes


def parse_receipts(raw: bytes) -> list[Receipt]:
    """The receipts in these bytes, which hold one answer as JSON or one answer a line.

    Every answer with `match`, `version` and `hash` is a receipt, whatever else it holds. Refusals are skipped: they say
    that nothing was stored. ReceiptError names the first line that is neither.
    """
    try:
        answers = [(1, parse_json(raw))]
    except NotCanonical:
        answers = list(_parse_lines(raw))
    return [parse_receipt(answer, line) for line, answer in answers if not _is_refusal(answer)]


def _parse_lines(raw: bytes) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(raw.splitlines(), 1):
        if line.strip():
            try:
                yield number, parse_json(line)
            except NotCanonical as error:
                raise ReceiptError(number, str(error)) from None


def _is_refusal(answer: Any) -> bool:
    match answer:
        case {"code": str(), "status": int()}:
            return True
    return False


def parse_receipt(answer: Any, line: int) -> Receipt:
    """The receipt in an answer, given as parsed JSON; ReceiptError, which names the line, if it holds none."""
    match answer:
        case {"match": str(match), "version": int(version), "hash": str(text)} if version > 0 and version is not True:
            with suppress(ValueError):
                return Receipt(match, version, bytes.fromhex(text))
    raise ReceiptError(line, "expected an answer with match, version and hash")
