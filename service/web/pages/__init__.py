"""The pages: rendered on the server, with small scripts on top and nothing loaded from other sites.

Everything that they show is also in the API, and every change goes through the API. Reading works without scripts.
"""

from plyscribe.service.web.pages import (
    account,
    analysis,
    assets,
    desk_page,
    embed,
    friend,
    home,
    language,
    legend,
    lessons,
    match,
    matches,
    new_match,
    picture_files,
    players,
    rulesets,
    score_tables,
    sign_in,
    table,
    times,
    tournaments,
    wall,
)
from plyscribe.service.web.pages.blueprint import blueprint

__all__ = [
    "account",
    "analysis",
    "assets",
    "blueprint",
    "desk_page",
    "embed",
    "friend",
    "home",
    "language",
    "legend",
    "lessons",
    "match",
    "matches",
    "new_match",
    "picture_files",
    "players",
    "rulesets",
    "score_tables",
    "sign_in",
    "table",
    "times",
    "tournaments",
    "wall",
]
