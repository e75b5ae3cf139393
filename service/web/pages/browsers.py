"""Names the browser that a person signs in with, in words that they know it by."""

_BROWSERS = (
    ("Firefox", ("Firefox/", "FxiOS/")),
    ("Edge", ("Edg/", "EdgA/", "EdgiOS/")),
    ("Opera", ("OPR/",)),
    ("Chrome", ("Chrome/", "Chromium/", "CriOS/")),
    ("Safari", ("Safari/",)),
)
"""Browsers by what their `User-Agent` has. Most of them also name those that come after them here."""

_SYSTEMS = (
    ("iPhone", ("iPhone",)),
    ("iPad", ("iPad",)),
    ("Android", ("Android",)),
    ("Windows", ("Windows",)),
    ("macOS", ("Mac OS X", "Macintosh")),
    ("ChromeOS", ("CrOS",)),
    ("Linux", ("Linux",)),
)


def name_browser(user_agent: str) -> str | None:
    """The browser and its system, such as `Firefox on Linux`; None if the header names neither."""
    names = [_find(user_agent, known) for known in (_BROWSERS, _SYSTEMS)]
    return " on ".join(name for name in names if name) or None


def _find(text: str, known: tuple[tuple[str, tuple[str, ...]], ...]) -> str | None:
    return next((name for name, words in known if any(word in text for word in words)), None)
