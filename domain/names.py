"""The names of accounts: what a name can be, and when two names count as the same.

Unicode's table of lookalikes (report 39) has 6,000 characters. Nearly all of them belong to scripts that a name cannot
mix anyway, or have another form under NFKC. So a rule about scripts and a short table of our own are enough.
"""

import re
import unicodedata
from unicodedata import category, normalize

from plyscribe.domain.bots import BOTS
from plyscribe.domain.errors import WrongValue

MAX_NAME_LENGTH = 64

# Small letters, as case is folded first. Greek nu and upsilon stand beside n and y, which their capitals look like.
_ALIKE = {
    "a": "аα",
    "b": "вβ",
    "c": "сϲ",
    "d": "ԁ",
    "e": "еε",
    "g": "ɡց",
    "h": "нηһ",
    "j": "јϳ",
    "k": "кκ",
    "l": "1i|ıіιӏ",
    "m": "мμ",
    "n": "ν",
    "o": "0оοօ",
    "p": "рρ",
    "q": "ԛ",
    "s": "ѕ",
    "t": "тτ",
    "u": "ս",
    "w": "ԝ",
    "x": "хχ",
    "y": "уυү",
    "z": "ζ",
    "3": "зɜ",
    "'": "’‘ʼʹ`´",
    "-": "‐‒–—−",
}
_LOOKALIKES = str.maketrans({other: letter for letter, others in _ALIKE.items() for other in others})

UNPRINTABLE = (
    r"\u0000-\u001f\u007f-\u00a0\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u1680\u180e\u2000-\u200b"
    r"\u200e\u200f\u2028-\u202f\u205f-\u2064\u2066-\u206f\u3000\ue000-\uf8ff\ufeff\ufff9-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff"
)
"""Control and format characters, spaces other than the usual one, and private characters, as ranges for a pattern.

The zero-width joiners are not among them: some scripts need them. Python's own table grows with each version, and a
match that was recorded with one version must stay verifiable with the others. The contract has the same ranges.
"""

_JOINERS = "\u200c\u200d"
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Characters that count as printable, but show nothing."""

_PICTURES = "\ufe0e\ufe0f"
"""Selectors that say whether a symbol is shown as text or as a picture."""

_WITHOUT_JOINERS = ("LATIN", "GREEK", "CYRILLIC")
_WITH_LATIN = frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"})
"""Scripts that are written together, and in which no letters look alike."""

_PREFIXES = ("player-", "match-", "tournament-", "import-", "ratings-", "name-", "ply_", "plys_")
_OFFICIAL = (
    "admin",
    "administrator",
    "anonymous",
    "me",
    "moderator",
    "nobody",
    "nobody yet",
    "operator",
    "plyscribe",
    "server",
    "support",
    "system",
)


def fold_name(name: str) -> str:
    """What two names are compared by: the same text for names that differ only in case, width, spaces or lookalikes.

    It stays the same for ever, because the streams of names follow from it.
    """
    plain = normalize("NFKC", normalize("NFKC", name).casefold())
    seen = "".join(character for character in plain if character not in _JOINERS + _PICTURES)
    return " ".join(normalize("NFD", seen).translate(_LOOKALIKES).split())


def is_printable(text: str) -> bool:
    """Whether no character is unprintable, see UNPRINTABLE; the same in every version of Python."""
    return re.search(f"[{UNPRINTABLE}\ud800-\udfff]", text) is None


def require_name(name: str, official: bool = False) -> None:
    """Raise WrongValue unless an account can have this name.

    Only an `official` account can have a name that stands for the service or for one of its bots.
    """
    if not (1 <= len(name) <= MAX_NAME_LENGTH and is_printable(name) and name == name.strip()):
        why = f"a name must have 1 to {MAX_NAME_LENGTH} printable characters, and no space at either end"
        raise WrongValue("player/name", why)
    if not _UNSEEN.isdisjoint(name) or not fold_name(name) or _has_stray_joiner(name):
        raise WrongValue("player/name", "a name cannot have characters that show nothing")
    scripts = {_script_of(character) for character in normalize("NFKC", name) if category(character) in _LETTERS}
    if len(scripts) > 1 and not scripts <= _WITH_LATIN:
        why = f"the letters of a name must be of one script: this one mixes {', '.join(sorted(scripts)).title()}"
        raise WrongValue("player/name", why)
    if not official and _is_reserved(fold_name(name)):
        raise WrongValue("player/name-reserved", "this name stands for the service, a bot or an id: choose another")


_LETTERS = ("Lu", "Ll", "Lt", "Lo")


def _script_of(letter: str) -> str:
    return unicodedata.name(letter, "UNKNOWN").partition(" ")[0]


def _has_stray_joiner(name: str) -> bool:
    """Whether a joiner or selector stands where it changes nothing that one can see."""
    around = zip(f" {name[:-1]}", name, f"{name[1:]} ", strict=True)
    return any(
        (here in _JOINERS and not (_is_joined(before) and _is_joined(after)))
        or (here in _PICTURES and category(before) != "So")
        for before, here, after in around
    )


def _is_joined(character: str) -> bool:
    if character in _PICTURES or category(character) in ("So", "Sk"):
        return True
    return category(character)[0] in "LM" and _script_of(character) not in _WITHOUT_JOINERS


def _is_reserved(folded: str) -> bool:
    words = {fold_name(word) for word in (*_OFFICIAL, *BOTS)}
    return folded in words or folded.startswith(_FOLDED_PREFIXES) or fold_name("built-in bot") in folded


_FOLDED_PREFIXES = tuple(map(fold_name, _PREFIXES))
