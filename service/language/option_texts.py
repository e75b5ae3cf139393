"""Options and presets for people: a name and a sentence for each option of each game, in their language."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.games import load_part
from plyscribe.service.language.catalogues import find_text


class OptionText(NamedTuple):
    """What an option or a preset is called, a sentence on what it does, and words for those values that need them."""

    label: str
    sentence: str
    values: Mapping[Any, str] = {}


_PLY_LIMIT = OptionText(
    "Moves at most", "The match ends after so many moves, and whoever leads then wins. Leave it empty for no limit."
)
_DRAWN_LIMIT = OptionText("Moves at most", "The match is a draw after so many moves. Leave it empty for no limit.")

OPTIONS: Mapping[str, Mapping[str, OptionText]] = {
    "crystals_v1": {
        "section": OptionText("Fields per player", "How long the track is: so many fields for each player."),
        "teleport": OptionText("Steps to the teleport", "How many fields it is from a START to its teleport."),
        "ply_limit": _PLY_LIMIT,
    },
    "pathagon_v1": {
        "size": OptionText("Board size", "Squares on each side of the board. A small board makes a short match."),
        "pieces": OptionText("Pieces each", "How many pieces each player has. Leave it empty for the usual number."),
        "ply_limit": _DRAWN_LIMIT,
    },
    "portals_v1": {
        "radius": OptionText("Board size", "Rings of hexagons around the centre. More rings make a longer match."),
        "pool": OptionText("Pawns each", "How many pawns each player has."),
        "capacity": OptionText(
            "Pawns on a platform", "How many pawns fit on one platform. Leave it empty for any number."
        ),
        "demons": OptionText(
            "Demons", "Portals without a way in let demons out. Everybody can use them like pawns of their own."
        ),
        "dice": OptionText("Dice", "A die with eight sides decides what you may do in your turn."),
        "first": OptionText(
            "Who begins",
            "The dice can decide, or you choose a player.",
            {"roll": "The highest roll", **{seat: f"Seat {seat}" for seat in range(1, 7)}},
        ),
        "ply_limit": _PLY_LIMIT,
    },
    "rings_v1": {
        "terrain": OptionText(
            "Terrain",
            "Leave “random” to draw it by lot. Or write four words of seven letters, one for each ring from outside, "
            "with three L (light), two M (medium) and two H (heavy).",
        ),
        "scoring": OptionText(
            "Way to win",
            "Be the first to reach so many points. Or every point counts down, and whoever reaches 0 wins.",
            {"race": "Race for points", "countdown": "Countdown"},
        ),
        "target": OptionText("Points", "How many points win the race, or where the countdown begins."),
        "casualties": OptionText(
            "Units that fall",
            "They go back to their owner and can return, or they are out of the match.",
            {"supply": "Back to the supply", "out": "Out of the match"},
        ),
        "ply_limit": _PLY_LIMIT,
    },
    "zhen_v1": {
        "tiles": OptionText("Tiles", "How many tiles lie between the two goals. Fewer tiles make a shorter match."),
        "cubes": OptionText("Cubes each", "How many cubes each player has."),
        "ply_limit": _PLY_LIMIT,
    },
}
"""The options of each ruleset version that comes with Plyscribe."""

PRESETS: Mapping[str, Mapping[str, OptionText]] = {
    "pathagon_v1": {"small": OptionText("Small", "A board of 5 by 5 squares, for a short match.")},
}


def describe_option(ruleset: AnyRuleset, name: str, language: str) -> OptionText:
    """The option in this language. One that has no words has its name and no sentence."""
    return _describe(OPTIONS.get(_name(ruleset)) or _load(ruleset, "OPTIONS"), name, language)


def describe_preset(ruleset: AnyRuleset, name: str, language: str) -> OptionText:
    """The preset in this language. One that has no words has its name and no sentence."""
    return _describe(PRESETS.get(_name(ruleset)) or _load(ruleset, "PRESETS"), name, language)


def _name(ruleset: AnyRuleset) -> str:
    return f"{ruleset.id}_v{ruleset.version}"


def _load(ruleset: AnyRuleset, name: str) -> Mapping[str, OptionText]:
    """The texts of a game from outside; none if it brings none."""
    found: Mapping[str, OptionText] = getattr(load_part(ruleset.id, ruleset.version, "words"), name, {})
    return found


def _describe(texts: Mapping[str, OptionText], name: str, language: str) -> OptionText:
    found = texts.get(name)
    if found is None:
        return OptionText(name.replace("_", " ").capitalize(), "")
    label, sentence, values = found
    return OptionText(
        find_text(language, (label,)),
        find_text(language, (sentence,)),
        {value: find_text(language, (words,)) for value, words in values.items()},
    )
