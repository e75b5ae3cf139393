"""A stream that is sealed and put back while it is read is found all the same."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from redis import Redis

from plyscribe.domain.chain import StoredEvent
from plyscribe.service.archive.sealed_store import SealedStore
from plyscribe.service.archive.storage import Archive
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import Loaded, Stretch
from plyscribe.service.store.redis import RedisStore
from tests.archive.always_sealed import seal_now
from tests.archive.given import make_match
from tests.archive.settled import fill
from tests.store.test_sealing_contract import PLACE, STREAM, make


@pytest.mark.parametrize("steps", [("seal", "unseal"), ("seal", ""), ("", "seal"), ("seal then unseal", "")])
def test_other_clients_may_have_their_turn_between_the_commands_of_a_read(client: Redis, steps, monkeypatch) -> None:
    store = RedisStore(client)
    whole = make(store)
    send_all = store._wire.send_all

    def change(step: str) -> None:
        if "seal" in step.split():
            assert store.seal([whole.sealing]) == [True]
        if "unseal" in step:
            assert store.unseal(STREAM, PLACE, whole.entries, whole.commands)

    def send_apart(commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        monkeypatch.setattr(store._wire, "send_all", send_all)
        replies = []
        for command, step in zip(commands, (*steps, ""), strict=True):
            replies += send_all([command])
            change(step)
        return replies

    monkeypatch.setattr(store._wire, "send_all", send_apart)
    found = store.load(STREAM)
    assert found in (Loaded(None, whole.entries, None), Loaded(None, [], PLACE))


class Restless(MemoryStore):
    """Does something right after its first answer to a question about many streams."""

    def __init__(self, within: MemoryStore, then: Callable[[], object]) -> None:
        self.__dict__ = within.__dict__
        self.then = [then]

    def load_all(self, stretches: Sequence[Stretch]) -> list[list[StoredEvent]]:
        return self._end(super().load_all(stretches))

    def newest(self, streams: Sequence[str]) -> list[StoredEvent | None]:
        return self._end(super().newest(streams))

    def _end(self, found: Any) -> Any:
        if self.then:
            self.then.pop()()
        return found


def test_a_sealed_stream_that_is_put_back_while_many_are_read_is_found() -> None:
    within, archive = MemoryStore(), Archive("memory:")
    kept = make_match(1)
    [stream] = fill(within, [kept])
    for read, found in (
        (lambda store: store.load_all([Stretch(stream, 1, 9)]), [kept.events[1:9]]),
        (lambda store: store.newest([stream]), [kept.events[-1]]),
    ):
        assert seal_now(within, archive, [stream]) == [True]
        [place] = within.places([stream])
        restless = Restless(within, lambda place=place: within.unseal(stream, place, kept.events, kept.commands))
        assert read(SealedStore(restless, archive)) == found
