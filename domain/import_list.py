"""The list of all imports that bundles of one match id began.

A bundle's import is listed before its events are copied. So the list may name an import that never came to be.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from plyscribe.domain.aggregate import Aggregate, declare
from plyscribe.domain.codec import Event
from plyscribe.domain.commands import Command


@dataclass(frozen=True, slots=True)
class ImportListed:
    """A bundle of the match begins this import."""

    type: ClassVar[str] = "import-listed"
    stream: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListImport(Command):
    """Add an import to the list."""

    stream: str


@dataclass(frozen=True, slots=True)
class ImportList:
    """The imports of a match id, in the order in which they began."""

    stream: str
    version: int = 0
    head: bytes = b""
    imports: tuple[str, ...] = ()


def list_of(match: str) -> str:
    """The stream that lists the imports of a match."""
    return f"imports-{match.removeprefix('match-')}"


def _evolve(state: ImportList, _: Event, data: ImportListed) -> ImportList:
    return replace(state, imports=(*state.imports, data.stream))


def _decide(command: ListImport, _: ImportList) -> list[ImportListed]:
    return [ImportListed(command.stream)]


IMPORT_LIST: Aggregate[ImportList] = declare("imports", ImportList, ImportListed, _evolve, {ListImport: _decide})
