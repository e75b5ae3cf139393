"""Names that look alike, by Unicode's table of lookalikes (report 39), from the library `disarm`.

The table grows with Unicode. So nothing that is stored for ever follows from it alone: see `Accounts`.
"""

from zlib import crc32

from plyscribe.domain.names import fold_name

MOST_TURNS = 8
"""How often a name is folded at most until nothing changes. Two turns are usual."""


def fold_lookalikes(name: str) -> str:
    """The same text for names that look alike, and for all names that `fold_name` makes equal."""
    # Imported here, because most processes open no account, and it takes ten megabytes.
    from disarm import skeleton_key

    folded = fold_name(name)
    for _ in range(MOST_TURNS):
        # The library keeps rn and m apart. Report 39 does not, and in most fonts they look alike.
        seen = fold_name(skeleton_key(folded, digit_policy="tr39").replace("rn", "m"))
        if seen in ("", folded):
            break
        folded = seen
    return folded


def number_table() -> int:
    """A number that is another one after the library's table has changed."""
    from disarm import CONFUSABLES_VERSION, KEY_SCHEMA_VERSION

    return crc32(f"{CONFUSABLES_VERSION} {KEY_SCHEMA_VERSION}".encode()) % 1_000_000
