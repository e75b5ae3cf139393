"""The pages: rendered on the server, with small scripts on top and nothing loaded from other sites.

Everything that they show is also in the API, and every change goes through the API. Reading works without scripts.
"""

from plyscribe.service.web.pages import (
    account,
    analysis,
    assets,
    embed,
    friend,
    home,
    language,
    legend,
    lessons,
    match,
    matches,
    new_match,
    phone,
    picture_files,
    players,
    rulesets,
    sign_in,
    table,
    table_sheets,
    times,
    tournaments,
)
from plyscribe.service.web.pages.blueprint import blueprint

__all__ = [
    "account",
    "analysis",
    "assets",
    "blueprint",
    "embed",
    "friend",
    "home",
    "language",
    "legend",
    "lessons",
    "match",
    "matches",
    "new_match",
    "phone",
    "picture_files",
    "players",
    "rulesets",
    "sign_in",
    "table",
    "table_sheets",
    "times",
    "tournaments",
]
