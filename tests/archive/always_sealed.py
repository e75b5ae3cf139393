"""A store that seals every stream right after each append."""

from collections.abc import Sequence

from plyscribe.domain.chain import StoredEvent
from plyscribe.service.archive.sealed_store import SealedStore
from plyscribe.service.archive.sealing import is_sound, load_kept, place_in, write_pack
from plyscribe.service.archive.storage import Archive
from plyscribe.service.store.port import Append, Appended, CommandKey, EventStore, Sealing, Stored


def seal_now(store: EventStore, archive: Archive, streams: Sequence[str]) -> list[bool]:
    """Seal these streams, settled or not, unless they are damaged."""
    chosen = [kept for kept in load_kept(store, streams) if is_sound(kept)]
    if not chosen:
        return []
    pack = write_pack(archive, chosen)
    return store.seal(
        [
            Sealing(kept.stream, len(kept.events), kept.head, len(kept.commands), place_in(pack, kept.stream))
            for kept in chosen
        ]
    )


class AlwaysSealed(SealedStore):
    """Nothing stays in the store within, except what is damaged."""

    def __init__(self, within: EventStore) -> None:
        self.shelf = Archive("memory:")
        super().__init__(within, self.shelf)

    def append(
        self,
        stream: str,
        expected_version: int,
        expected_head: bytes,
        events: Sequence[StoredEvent],
        types: Sequence[str],
        command: CommandKey,
    ) -> Appended:
        appended = super().append(stream, expected_version, expected_head, events, types, command)
        if isinstance(appended, Stored):
            seal_now(self.within, self.shelf, [stream])
        return appended

    def append_all(self, appends: Sequence[Append]) -> list[Appended]:
        return [self.append(*each) for each in appends]
