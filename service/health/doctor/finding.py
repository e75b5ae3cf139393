"""What the doctor finds."""

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

State = Literal["ok", "note", "wrong"]


class Finding(NamedTuple):
    """One thing looked at: how it stands, and what to do where it is wrong."""

    topic: str
    state: State
    text: str
    remedy: str = ""


def judge(topic: str, is_well: bool, text: str, remedy: str, otherwise: State = "wrong") -> Finding:
    """The finding, with its remedy where all is not well."""
    return Finding(topic, "ok", text) if is_well else Finding(topic, otherwise, text, remedy)


def tried(topic: str, look: Callable[[], str], remedy: str = "") -> Finding:
    """What `look` tells; wrong where it fails."""
    return next(looked_at(topic, lambda: iter([Finding(topic, "ok", look())]), remedy))


def looked_at(topic: str, look: Callable[[], Iterator[Finding]], remedy: str = "") -> Iterator[Finding]:
    """What `look` finds, and where it fails that it does: one ailment must not hide the others."""
    try:
        yield from look()
    except Exception as error:  # whatever is wrong with it is the finding
        yield Finding(topic, "wrong", str(error) or type(error).__name__, remedy)
