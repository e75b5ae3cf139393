"""Reading many streams together, where some may be spoilt."""

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from plyscribe.service.store.port import StoreError, StoreUnavailable

T = TypeVar("T")

log = logging.getLogger(__name__)


def read_each(streams: Sequence[str], read: Callable[[Sequence[str]], Sequence[T]]) -> Iterator[tuple[str, T]]:
    """The streams with what `read` gives for each; those that cannot be read are told and left out. StoreUnavailable.

    They are read together, and one by one where that fails.
    """
    try:
        found = read(streams)
    except StoreUnavailable:
        raise
    except StoreError as error:
        if len(streams) == 1:
            log.error("%s cannot be read: %s", streams[0], error)
            return
        for stream in streams:
            yield from read_each([stream], read)
        return
    yield from zip(streams, found, strict=True)
