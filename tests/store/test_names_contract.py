"""Names in every kind of store: of all who ask for the same name, or for one that looks like it, one gets it."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import WrongTime
from plyscribe.service.access.accounts import Accounts, streams_of_name
from plyscribe.service.access.lookalikes import fold_lookalikes
from plyscribe.service.store.port import EventStore, StoreUnavailable

SIGN_UP = Actor("system", "sign-up")
ALIKE = ("Bernd", "BERND", "Bemd", "Bernd ", "Ｂｅｒｎｄ")


def sign_up(accounts: Accounts, name: str) -> str:
    return accounts.open_account(SIGN_UP, name.strip(), "person", ("play",)).player.stream


def refusal_of(accounts: Accounts, name: str) -> WrongTime:
    with pytest.raises(WrongTime) as refusal:
        sign_up(accounts, name)
    assert refusal.value.code == "player/name-taken"
    return refusal.value


def test_the_first_has_the_name_and_all_that_look_like_it_and_a_refusal_leaves_no_trace(store: EventStore):
    first = sign_up(Accounts(store), "Bernd")
    for name in ALIKE:
        before = set(store.streams())
        refused = refusal_of(Accounts(store), name)
        assert set(store.streams()) == before
        assert "there is a player called Bernd" in str(refused)
        assert sign_up(Accounts(store), refused.details["suggestion"]) != first


def test_of_many_who_ask_at_the_same_time_one_gets_the_name(store: EventStore):
    processes = [Accounts(store) for _ in range(3)]
    gate = threading.Barrier(len(ALIKE) * 2)

    def ask(number: int) -> str | None:
        gate.wait()
        try:
            return sign_up(processes[number % 3], ALIKE[number % len(ALIKE)])
        except WrongTime:
            return None

    with ThreadPoolExecutor(gate.parties) as pool:
        won = [player for player in pool.map(ask, range(gate.parties)) if player]
    assert len(won) == 1
    assert [stream for stream in store.streams() if stream.startswith("player-")] == won


@pytest.mark.parametrize("appends", [0, 1, 2])
def test_a_name_is_not_lost_whenever_the_service_dies(store: EventStore, monkeypatch, appends: int):
    dying = Accounts(store)
    left = [appends]

    def die_in(execute):
        def run(*args: object, **more: object) -> object:
            if not left[0]:
                raise StoreUnavailable("gone")
            left[0] -= 1
            return execute(*args, **more)

        return run

    monkeypatch.setattr(dying.names, "execute", die_in(dying.names.execute))
    monkeypatch.setattr(dying.players, "execute", die_in(dying.players.execute))
    with pytest.raises(StoreUnavailable):
        sign_up(dying, "Bernd")
    assert len(list(store.streams())) == appends
    player = sign_up(Accounts(store), "Bernd")
    assert Accounts(store).owner_of("Bemd") == player
    refusal_of(Accounts(store), "Bernd")


def test_a_newer_table_of_lookalikes_gives_no_name_twice(store: EventStore, monkeypatch):
    first = sign_up(Accounts(store), "Ann")
    monkeypatch.setattr(
        "plyscribe.service.access.accounts.fold_lookalikes", lambda name: f"newer {fold_lookalikes(name)}"
    )
    assert streams_of_name("Ann")[1:] != streams_of_name("Ann")[:1]
    refusal_of(Accounts(store), "ANN")
    assert Accounts(store).name_of(first) == "Ann"
