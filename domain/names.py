"""The names of accounts: what a name can be, and when two names count as the same for ever.

The table here is short, so that it need never change. `plyscribe.service.access.lookalikes` knows Unicode's whole table
of lookalikes (report 39), which grows.
"""

import re
import unicodedata
from collections.abc import Iterable
from unicodedata import category, east_asian_width, normalize

from plyscribe.domain.bots import BOTS
from plyscribe.domain.errors import WrongValue

MAX_NAME_LENGTH = 64
MOST_MARKS = 4
"""How many accents and other marks in a row a name has at most. More of them cover the lines above and below."""

_WIDEST = re.compile("[\u2e3a\u2e3b\ua9c5\ufdfd\U00012000-\U0001254f]")
"""Characters that are drawn as wide as a word: long dashes, the basmala, cuneiform. Each counts as six."""

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
_STAFF = ("admin", "administrator", "moderator", "plyscribe")
"""Words that nobody may begin a word of a name with: they promise to speak for the service."""

_OFFICIAL = (
    *("anonymous", "me", "you", "you all", "nobody", "nobody yet", "somebody"),
    *("du", "ich", "niemand", "noch niemand"),
    *("operator", "organiser", "organizer", "referee", "server", "support", "system", "the tournament"),
)
"""What pages call others than accounts, in English and German."""

_ABOUT_BOTS = ("bot", "bots", "ai", "ki", "engine", "computer", "the", "built", "in", "builtin", "eingebaut")
_SEATS = ("seat", "platz")


def fold_name(name: str) -> str:
    """What two names are compared by: the same text for names that differ only in case, width, spaces or lookalikes.

    It stays the same for ever, because the streams of names follow from it.
    """
    seen = "".join(character for character in fold_width(name) if character not in _JOINERS + _PICTURES)
    return " ".join(normalize("NFD", seen).translate(_LOOKALIKES).split())


def fold_width(name: str) -> str:
    """The same text for names that differ only in case, in the width of characters, or in spaces."""
    return " ".join(normalize("NFKC", normalize("NFKC", name).casefold()).split())


def is_printable(text: str) -> bool:
    """Whether no character is unprintable, see UNPRINTABLE; the same in every version of Python."""
    return re.search(f"[{UNPRINTABLE}\ud800-\udfff]", text) is None


def is_name(text: str, longest: int = MAX_NAME_LENGTH) -> bool:
    """Whether the text is printable, at most `longest` columns wide, and has at most MOST_MARKS marks in a row.

    Wide characters take two columns. The answer depends on the version of Unicode: never ask it about stored names.
    """
    if not 1 <= len(text) <= longest or not is_printable(text):
        return False
    shown = normalize("NFKC", text)
    columns = [0 if category(character) in ("Mn", "Me") else _measure(character) for character in shown]
    is_piled = any(not any(columns[place : place + MOST_MARKS + 1]) for place in range(len(columns) - MOST_MARKS))
    return sum(columns) <= longest and not is_piled


def _measure(character: str) -> int:
    if _WIDEST.fullmatch(character):
        return 6
    return 2 if east_asian_width(character) in "WF" else 1


def describe_names(longest: int = MAX_NAME_LENGTH) -> str:
    """What `is_name` accepts, for messages: "a name must have …"."""
    return f"1 to {longest} printable characters (wide ones count twice), with at most {MOST_MARKS} accents on a letter"


def require_name(name: str, official: bool = False) -> None:
    """Raise WrongValue unless an account can have this name.

    Only an `official` account can have a name that stands for the service or for one of its bots.
    """
    if not is_name(name) or name != name.strip():
        raise WrongValue("player/name", f"a name must have {describe_names()}, and no space at either end")
    if not _UNSEEN.isdisjoint(name) or not fold_name(name) or _has_stray_joiner(name):
        raise WrongValue("player/name", "a name cannot have characters that show nothing")
    scripts = {_script_of(character) for character in normalize("NFKC", name) if category(character) in _LETTERS}
    if len(scripts) > 1 and not scripts <= _WITH_LATIN:
        why = f"the letters of a name must be of one script: this one mixes {', '.join(sorted(scripts)).title()}"
        raise WrongValue("player/name", why)
    if not official:
        require_unreserved(fold_name(name))


def require_unreserved(folded: str) -> None:
    """Raise WrongValue if a folded name stands for the service, a bot, a seat or an id."""
    if is_reserved(folded):
        why = "this name reads as the service, a built-in bot, a seat or an id: choose another"
        raise WrongValue("player/name-reserved", why)


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


def require_label(label: str | None) -> None:
    """Raise WrongValue if the label of an account in a tournament reads as the service, a bot, a seat or an id."""
    if label is not None:
        require_unreserved(fold_name(label))


def is_reserved(folded: str) -> bool:
    """Whether a folded name reads as the service, as one of its bots, as a seat or as an id."""
    if folded.startswith(_FOLDED_PREFIXES) or _BUILT_IN.search(folded):
        return True
    words = _WORDS.findall(folded)
    if any(word.startswith(_FOLDED_STAFF) for word in words):
        return True
    meant = [word for word in words if not _NUMBER.fullmatch(word)]
    return " ".join(meant) in _FOLDED_OFFICIAL or _SEAT.fullmatch(folded) is not None or _reads_as_bot("".join(meant))


def _reads_as_bot(text: str) -> bool:
    """Whether the text is the name of a built-in bot, or several, with nothing but words about bots around it."""
    return _BOT.fullmatch(text) is not None


def _any_of(words: Iterable[str]) -> str:
    return "|".join(sorted(map(fold_name, words), key=len, reverse=True))


_FOLDED_PREFIXES = tuple(map(fold_name, _PREFIXES))
_FOLDED_STAFF = tuple(map(fold_name, _STAFF))
_FOLDED_OFFICIAL = {fold_name(name) for name in _OFFICIAL}
_WORDS = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"[lo\d]*\d[lo\d]*|l")
"""A number as it is folded: 1 is l, and 0 is o."""

_SEAT = re.compile(rf"({_any_of(_SEATS)}) ?[lo\d]{{1,2}}")

_BUILT_IN = re.compile(rf"\b({fold_name('built')}[\W_]*{fold_name('in')}|{fold_name('eingebaut')})")
_BOT = re.compile(rf"({_any_of(_ABOUT_BOTS)})*({_any_of(BOTS)})({_any_of((*_ABOUT_BOTS, *BOTS))})*[lo\d]*")
