"""What can go wrong with the archive.

ArchiveError
├── ArchiveUnavailable      archive/unavailable   it does not answer; what was asked for is there nevertheless
└── PackDamaged             archive/damaged       a pack is missing, or not what was written
"""

from plyscribe.service.store.port import StoreError


class ArchiveError(StoreError):
    """The archive cannot do what it was asked to do."""

    code = "archive/error"


class ArchiveUnavailable(ArchiveError):
    """The archive does not answer, or refuses us. Nothing is lost; ask again later."""

    code = "archive/unavailable"


class PackDamaged(ArchiveError):
    """A pack is missing, or has other bytes than were written. Everything in other packs can be read."""

    code = "archive/damaged"
