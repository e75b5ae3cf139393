"""One finding of the doctor, and how a check that fails becomes one."""

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

State = Literal["ok", "note", "wrong"]


class Finding(NamedTuple):
    """The result of one check, with a remedy if something is wrong."""

    topic: str
    state: State
    text: str
    remedy: str = ""


def judge(topic: str, is_well: bool, text: str, remedy: str, otherwise: State = "wrong") -> Finding:
    """A finding: ok if `is_well`, else `otherwise` with the remedy."""
    return Finding(topic, "ok", text) if is_well else Finding(topic, otherwise, text, remedy)


def tried(topic: str, look: Callable[[], str], remedy: str = "") -> Finding:
    """A finding with the text that `look` returns; wrong if `look` raises."""
    return next(looked_at(topic, lambda: iter([Finding(topic, "ok", look())]), remedy))


def looked_at(topic: str, look: Callable[[], Iterator[Finding]], remedy: str = "") -> Iterator[Finding]:
    """The findings of `look`. If it raises, that is a finding too, so that one fault does not hide the others."""
    try:
        yield from look()
    except Exception as error:  # whatever it is, it becomes the finding
        yield Finding(topic, "wrong", str(error) or type(error).__name__, remedy)
