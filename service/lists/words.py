"""Words of names and notes, as searches compare them."""

import re
from collections.abc import Iterable
from functools import lru_cache
from unicodedata import normalize

MAX_WORD = 32
"""Characters of a word that are compared."""

_WORD = re.compile(r"\w+")


def fold_for_search(text: str) -> str:
    """The text as searches compare it: without differences of case or of Unicode form (NFKC)."""
    return normalize("NFKC", normalize("NFKC", text).casefold())


def split_words(texts: Iterable[str]) -> list[str]:
    """The words of all texts as searches compare them, each once, in order. Signs are no words."""
    return list(dict.fromkeys(word for text in texts for word in _split(text)))


@lru_cache(4096)
def _split(text: str) -> tuple[str, ...]:
    return tuple(word[:MAX_WORD] for word in _WORD.findall(fold_for_search(text)))
