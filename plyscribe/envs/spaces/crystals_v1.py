"""Crystals: seventeen moves, and a loop of fields with the base before it."""

from typing import Any

import numpy as np

from plyscribe.domain.rulesets.crystals_v1 import SPELLED
from plyscribe.domain.rulesets.crystals_v1.state import CLASSES, MOST_EXPERIENCE, TURNS
from plyscribe.domain.rulesets.crystals_v1.track import lay_track
from plyscribe.envs.spaces.action_ids import Catalogue
from plyscribe.envs.spaces.planes import Array, Board, Planes, Scene, count_planes, name_seats, spread, squash

PHASES = tuple(TURNS)
ATTACKERS = CLASSES[3:]


def make_actions(options: dict[str, Any], seats: int) -> Catalogue:
    """17 ids: `choose rider`, `choose archer`, then `spawn`, `move` and `xp` with each of the five classes."""
    return Catalogue(SPELLED)


def make_board(options: dict[str, Any], seats: int) -> Board:
    """Planes of a line: place 0 is the base, place n is field n of the loop."""
    track = lay_track(seats, options["section"], options["teleport"])
    places = (track.fields + 1,)

    def read_characters(scene: Scene) -> Array:
        planes = np.zeros((seats * 5, *places), np.float32)
        for row, characters in enumerate(scene.from_here(scene.view["characters"])):
            for name, character in characters.items():
                at = character["at"]
                planes[5 * row + CLASSES.index(name), 0 if at == "base" else at] = 1
        return planes

    def read_experience(scene: Scene) -> Array:
        everyone = scene.from_here(scene.view["characters"])
        return spread([_read_experience(characters, name) for characters in everyone for name in CLASSES], places)

    def read_mines(scene: Scene) -> Array:
        planes = np.zeros((seats, *places), np.float32)
        for row, fields in enumerate(scene.from_here(scene.view["mines"])):
            planes[row, fields] = 1
        return planes

    def read_starts(scene: Scene) -> Array:
        planes = np.zeros((seats + 1, *places), np.float32)
        for row, field in enumerate(scene.from_here(scene.view["starts"])):
            planes[row, field] = 1
        planes[seats, scene.view["teleports"]] = 1
        return planes

    def read_tallies(scene: Scene) -> Array:
        crystals = [number / 3 for number in scene.from_here(scene.view["crystals"])]
        return spread(crystals + [squash(number) for number in scene.from_here(scene.view["due"])], places)

    def read_phase(scene: Scene) -> Array:
        view = scene.view
        here = view["on_turn"] and scene.distance(view["on_turn"])
        flags = [float(view["phase"] == phase) for phase in PHASES]
        owners = [float(view["on_turn"] is not None and here == distance) for distance in range(seats)]
        return spread([*flags, *owners, (view["roll"] or 0) / 6, float(view["extra"])], places)

    def read_contest(scene: Scene) -> Array:
        contest = scene.view["contest"] or ["out"] * seats
        return spread(read_contest_rolls(scene, contest, 6), places)

    def read_attack(scene: Scene) -> Array:
        planes, attack = np.zeros((4, *places), np.float32), scene.view["attack"]
        if attack:
            target = attack["target"]
            attacker = scene.view["characters"][scene.view["on_turn"] - 1][attack["attacker"]]
            aim = scene.view["characters"][target["seat"] - 1][target["class"]]
            planes[0, _find_place(attacker)] = planes[1, _find_place(aim)] = 1
            planes[2], planes[3] = 1, attack["ranged"]
        return planes

    def name_all(what: str) -> tuple[str, ...]:
        return tuple(f"{what} of the {name}{whose}" for whose in name_seats("", seats) for name in CLASSES)

    return Board(
        places,
        [
            Planes(name_all("place"), "1 where the character is, on place 0 in the base", read_characters),
            Planes(
                name_all("experience"), f"experience divided by {MOST_EXPERIENCE}; 0 without the class", read_experience
            ),
            Planes(name_seats("mines", seats), "1 on fields with a mine", read_mines),
            Planes((*name_seats("START", seats), "teleports"), "1 on these fields", read_starts),
            Planes(
                (*name_seats("crystals", seats), *name_seats("experience due", seats)),
                "crystals divided by 3; points due n as n / (1 + n)",
                read_tallies,
            ),
            Planes(
                (*(f"phase {phase}" for phase in PHASES), *name_seats("turn", seats), "roll", "extra turn"),
                "1 in the phase; 1 for the seat that has the turn; the roll divided by 6; 1 if another turn is due",
                read_phase,
            ),
            Planes(
                (*name_seats("contest entry", seats), *name_seats("contest roll", seats)),
                "1 in the contest for the first turn; its roll of this round divided by 6, 0 before",
                read_contest,
            ),
            Planes(
                ("attacker", "attacked", "attack", "ranged attack"),
                "where the attacker and its target are; 1 while a defence roll is due; 1 if the attack is ranged",
                read_attack,
            ),
            *count_planes(places, seats, options["ply_limit"]),
        ],
    )


def _read_experience(characters: dict[str, Any], name: str) -> float:
    return float(characters[name]["xp"] / MOST_EXPERIENCE) if name in characters else 0.0


def _find_place(character: dict[str, Any]) -> int:
    at = character["at"]
    return 0 if at == "base" else int(at)


def read_contest_rolls(scene: Scene, contest: list[Any], sides: int) -> list[float]:
    """For each seat whether it is in the contest, then for each its roll as a part of the greatest."""
    entries = scene.from_here(contest)
    return [float(entry != "out") for entry in entries] + [
        entry / sides if isinstance(entry, int) else 0.0 for entry in entries
    ]
