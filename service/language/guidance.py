"""What a game is about, what a seat has to do now, and how a match was won, for each game that has words for it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from plyscribe.domain.phrases import Phrase, say
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.games import list_games, load_part

View = Mapping[str, Any]

GOALS = {
    "crystals": say("Run round the loop and fight: bring home three crystals, or train all your classes to the top."),
    "pathagon": say("Link your two edges of the board with a chain of pieces, and trap the pieces in your way."),
    "portals": say("Build a net of portals, bring a pawn to the centre, and then get rid of all your pawns."),
    "rings": say("Send your units inwards over rings that turn, and hold the field in the middle to collect points."),
    "zhen": say("Move the cubes along the line, and bring more enemy cubes into your goal than your opponent."),
}
"""What to try in each game, in a sentence."""

PURPOSES = {
    "action": say("for the turn"),
    "alliance": say("for the alliance"),
    "defence": say("for the defence"),
    "first": say("for who begins"),
    "round": say("for the round"),
    "terrain": say("for the terrain of the next ring"),
    "turn": say("for the turn"),
}
"""What dice are rolled for, to follow a sentence."""

WAYS = {
    "blocked": say("by captured cubes"),
    "cleared": say("with no pawn left on the board"),
    "countdown": say("by points"),
    "crystals": say("with three crystals"),
    "draw-agreed": say("by agreement"),
    "exhausted": say("by points"),
    "experience": say("with four masters"),
    "path": say("with a path from edge to edge"),
    "ply-limit": say("at the limit of moves"),
    "points": say("by points"),
    "stalemate": say("because nobody can move any more"),
}
"""The ways in which matches end, by reason, to follow who won."""


def find_goal(ruleset: AnyRuleset) -> Phrase | None:
    """What to try in this game, in a sentence; None if nobody says it."""
    return GOALS.get(ruleset.id) or _load(ruleset, "GOAL")


def find_prompt(ruleset: AnyRuleset, view: View, seat: int) -> Phrase | None:
    """What the seat that moves has to do now, in a sentence to that seat; None if there is nothing to say."""
    prompt = _PROMPTS.get((ruleset.id, ruleset.version)) or _load(ruleset, "prompt")
    return prompt(view, seat) if prompt else None


def count_score(ruleset: AnyRuleset, view: View) -> Sequence[int] | None:
    """What each seat has of what decides the game; None if the game does not count."""
    count = _SCORES.get((ruleset.id, ruleset.version)) or _load(ruleset, "count_score")
    return count(view) if count else None


def list_purposes() -> Mapping[str, Phrase]:
    """What dice are rolled for, in all games. A word that we have means what we say, in games from outside too."""
    return {**_list_outside("PURPOSES"), **PURPOSES}


def list_ways() -> Mapping[str, Phrase]:
    """The ways in which matches end, in all games. A word that we have means what we say."""
    return {**_list_outside("WAYS"), **WAYS}


def _load(ruleset: AnyRuleset, name: str) -> Any:
    """What the words of a game from outside have under this name; None if there is nothing."""
    return getattr(load_part(ruleset.id, ruleset.version, "words"), name, None)


def _list_outside(name: str) -> dict[str, Phrase]:
    found: dict[str, Phrase] = {}
    for game in reversed(list_games()):
        found |= _load(game.rules, name) or {}
    return found


def _prompt_crystals(view: View, _: int) -> Phrase | None:
    return {
        "choose": say("Choose your attacker: a rider strikes backwards, an archer forwards."),
        "deploy": say("Put your first character on START."),
        "spawn": say("Put a character on START."),
        "respawn": say("Put a character on START."),
        "move": say("Move a character by the roll."),
        "xp": say("Give a point of experience to one of your classes."),
    }.get(view["phase"])


def _prompt_pathagon(view: View, seat: int) -> Phrase | None:
    if view["reserve"][seat - 1]:
        return say("Place a piece on an empty field.")
    return say("Move one of your pieces to an empty field, near or far.")


def _prompt_portals(view: View, _: int) -> Phrase | None:
    return say("Build a portal or a platform, launch a portal, or let a pawn enter or exit.")


def _prompt_rings(view: View, seat: int) -> Phrase | None:
    if view["starts"][seat - 1] is None:
        return say("Attach your START to a field of the outer ring.")
    if view["alliance"]:
        return say("You are asked to join an attack: accept or decline.")
    if view["engaged"]:
        return say("Attack the blocker with a second warrior.")
    return say("Use a die: recruit or move a unit, turn a ring, or let the die go.")


def _prompt_zhen(view: View, seat: int) -> Phrase | None:
    if view["reserve"][seat - 1]:
        return say("Put a cube on an empty tile, or move the cubes of a tile towards your goal.")
    return say("Move the cubes of a tile towards your goal.")


_PROMPTS: Mapping[tuple[str, int], Callable[[View, int], Phrase | None]] = {
    ("crystals", 1): _prompt_crystals,
    ("pathagon", 1): _prompt_pathagon,
    ("portals", 1): _prompt_portals,
    ("rings", 1): _prompt_rings,
    ("zhen", 1): _prompt_zhen,
}

_SCORES: Mapping[tuple[str, int], Callable[[View], Sequence[int]]] = {
    ("crystals", 1): lambda view: view["crystals"],
    ("rings", 1): lambda view: view["points"],
    # The enemy cubes in each goal.
    ("zhen", 1): lambda view: (view["goals"][0][1], view["goals"][1][0]),
}
