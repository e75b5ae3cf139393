"""Words of names and notes, as searches compare them."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from unicodedata import normalize

MAX_WORD = 32
"""Characters of a word that are compared."""

_WORD = re.compile(r"\w+")

_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]")
"""Accents of Latin, Greek and Cyrillic, and the vowel signs of Hebrew and Arabic, which many writers leave out."""

_PLAIN = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "þ": "th", "æ": "ae", "œ": "oe"})
"""Letters that look accented, but which Unicode does not take apart."""

_UNSPACED = "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
"""Scripts that are written without spaces: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""

_LATER_PART = re.compile(rf"(?<=.)(?={_UNSPACED})")


def fold_for_search(text: str) -> str:
    """The text as searches compare it: without differences of case, of accents or of Unicode form (NFKC)."""
    folded = normalize("NFKD", normalize("NFKC", text).casefold()).translate(_PLAIN)
    return normalize("NFC", _MARKS.sub("", folded))


def split_words(texts: Iterable[str]) -> list[str]:
    """The words of all texts as searches compare them, each once, in order. Signs are no words."""
    return list(dict.fromkeys(word for text in texts for word in _split(text)))


def list_places(words: Iterable[str]) -> list[str]:
    """Where a search by the beginning of a word may begin: all words, and later parts of those without spaces."""
    return list(dict.fromkeys(part for word in words for part in _cut(word)))


def _cut(word: str) -> Iterator[str]:
    yield word
    for place in _LATER_PART.finditer(word):
        yield word[place.start() :]


@lru_cache(4096)
def _split(text: str) -> tuple[str, ...]:
    return tuple(word[:MAX_WORD] for word in _WORD.findall(fold_for_search(text)))
