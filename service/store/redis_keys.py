"""Where the parts of a stream lie on a server."""

from functools import lru_cache
from typing import NamedTuple

from plyscribe.service.store.port import bucket_of
from plyscribe.service.store.sealed_ids import pack_id


class Keys(NamedTuple):
    """Where the parts of a stream lie. If it is sealed, a field of the hash `places` says where it is."""

    events: bytes
    commands: bytes
    feed: bytes
    streams: bytes
    places: bytes
    beginnings: bytes
    beginning: bytes
    field: bytes


@lru_cache(maxsize=4096)
def keys_of(stream: str) -> Keys:
    """The keys of a stream."""
    bucket = bucket_of(stream)
    beginning, field = pack_id(stream)
    return Keys(
        f"{{{bucket}}}:ev:{stream}".encode(),
        f"{{{bucket}}}:cmd:{stream}".encode(),
        feed_key(bucket).encode(),
        f"{{{bucket}}}:streams".encode(),
        places_key(bucket, beginning).encode(),
        beginnings_key(bucket).encode(),
        beginning.encode(),
        field,
    )


def places_key(bucket: str, beginning: str) -> str:
    """The key of the hash with the places of a bucket's sealed streams that begin so."""
    return f"{{{bucket}}}:sealed:{beginning}"


def beginnings_key(bucket: str) -> str:
    """The key of the set of beginnings that a bucket's sealed streams have."""
    return f"{{{bucket}}}:sealed"


def feed_key(bucket: str) -> str:
    """The key of a bucket's feed."""
    return f"{{{bucket}}}:feed"


def bucket_of_key(key: bytes) -> str:
    """The bucket of a key."""
    return key[1:3].decode()
