"""An event store that stores only what all releases read that may be at work on it."""

from collections.abc import Callable, Sequence

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.layouts import NEWEST, TYPES, find_layout
from plyscribe.service.store.port import Append, Appended, CommandKey, EventStore, UpgradeUnfinished


class GuardedStore:
    """Wraps an EventStore. `read_layout` returns the layout of its data, which never becomes an older one."""

    def __init__(self, within: EventStore, read_layout: Callable[[], int]) -> None:
        self.within = within
        self.condense = within.condense
        self.load = within.load
        self.load_all = within.load_all
        self.announce = within.announce
        self.tail = within.tail
        self.feed_end = within.feed_end
        self.streams = within.streams
        self.newest = within.newest
        self.commands = within.commands
        self.find_commands = within.find_commands
        self.seal = within.seal
        self.unseal = within.unseal
        self.move = within.move
        self.adopt = within.adopt
        self.places = within.places
        self.sealed = within.sealed
        self.describe = within.describe
        self._read_layout = read_layout
        self._is_newest = False

    def append(
        self,
        stream: str,
        expected_version: int,
        expected_head: bytes,
        events: Sequence[StoredEvent],
        types: Sequence[str],
        command: CommandKey,
    ) -> Appended:
        """See EventStore.append. UpgradeUnfinished if the data may not have such events yet."""
        self._require(events, types)
        return self.within.append(stream, expected_version, expected_head, events, types, command)

    def append_all(self, appends: Sequence[Append]) -> list[Appended]:
        """See EventStore.append_all. UpgradeUnfinished, and nothing is stored, if one has events as for `append`."""
        for each in appends:
            self._require(each.events, each.types)
        return self.within.append_all(appends)

    def layout(self) -> int:
        """The layout of the data. Once it is the newest, nobody is asked any more."""
        if self._is_newest:
            return NEWEST
        layout = self._read_layout()
        self._is_newest = layout >= NEWEST
        return layout

    def _require(self, events: Sequence[StoredEvent], types: Sequence[str]) -> None:
        if self._is_newest or TYPES.isdisjoint(types):
            return
        needed = max(find_layout(event, type) for event, type in zip(events, types, strict=True) if type in TYPES)
        if needed > 1 and needed > self.layout():
            raise UpgradeUnfinished(
                "the service is being upgraded, and cannot do this until that is finished; nothing was stored"
            )
