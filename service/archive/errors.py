"""What can go wrong with the archive.

ArchiveError
├── ArchiveUnavailable      archive/unavailable   it does not answer; what was asked for is there nevertheless
└── PackDamaged             archive/damaged       a pack is missing, or not what was written
"""

from plyscribe.service.store.port import StoreError, StoreUnavailable


class ArchiveError(StoreError):
    """The archive cannot do what it was asked to do."""

    code = "archive/error"


class ArchiveUnavailable(ArchiveError, StoreUnavailable):
    """The archive does not answer, or refuses us. Nothing is lost; ask again later.

    Whoever waits for the store waits for the archive too, so that no job is given up and no list built without a match.
    """

    code = "archive/unavailable"
    passes_soon = False

    def __init__(self, why: str, stream: str | None = None) -> None:
        super().__init__(why)
        self.stream = stream
        """What was to be read, if it was a single stream."""


class PackDamaged(ArchiveError):
    """A pack is missing, or has other bytes than were written. Everything in other packs can be read."""

    code = "archive/damaged"
