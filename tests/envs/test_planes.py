"""Observations: the planes hold what the view says, from the seat that looks, in a fixed shape."""

from typing import Any

import numpy as np
import pytest

from plyscribe.domain.ruleset import Decision
from plyscribe.envs.spaces.planes import Hashed, Scene
from plyscribe.envs.stepping import Table
from tests.envs.cases import CASES, SAMPLE, VARIANTS, Case, play

RING_FIELDS = [f"{ring}{slot}" for ring in "abcd" for slot in range(1, 8)] + ["top"]
CLASSES = ("scout", "miner", "tower", "rider", "archer")


class Planes(dict[str, Any]):
    """The planes of an observation by name, and the seats as the observing one counts them."""

    def __init__(self, table: Table, position: Any, seat: int) -> None:
        tensor = table.observe(position, seat)
        names = table.observer.names  # type: ignore[attr-defined]
        assert len(set(names)) == len(names)
        super().__init__(zip(names, tensor, strict=True))
        self.table, self.seat, self.seats = table, seat, table.seats

    def of(self, seat: int, what: str) -> Any:
        distance = (seat - self.seat) % self.seats
        return self[f"{what}, seat +{distance}" if distance else f"{what}, yours"]

    def number(self, name: str, times: float = 1) -> int:
        return self.read(self[name], times)

    def number_of(self, seat: int, what: str, times: float = 1) -> int:
        return self.read(self.of(seat, what), times)

    def all_of(self, what: str, times: float = 1) -> list[int]:
        return [self.number_of(seat, what, times) for seat in range(1, self.seats + 1)]

    @staticmethod
    def read(plane: Any, times: float) -> int:
        assert np.ptp(plane) == 0, "one number stands on all places"
        return round(float(plane.flat[0]) * times)

    @staticmethod
    def unsquash(number: float) -> int:
        return round(number / (1 - number))


def read_pathagon(planes: Planes, view: dict[str, Any]) -> dict[str, Any]:
    size, pieces, me = len(view["board"]), planes.table.options["pieces"], str(planes.seat)
    mine, theirs = planes["your pieces"], planes["enemy pieces"]
    other = "12".replace(me, "")
    board = ["".join(me if mine[r, c] else other if theirs[r, c] else "." for c in range(size)) for r in range(size)]

    def name(plane: Any) -> list[str]:
        return sorted(f"{'abcdefghi'[c]}{size - r}" for r, c in zip(*plane.nonzero(), strict=True))

    reserve = [planes.number("your reserve", pieces), planes.number("enemy reserve", pieces)]
    resting = [next(iter(name(planes[f"{whose} resting piece"])), None) for whose in ("your", "enemy")]
    if (view["ply"] % 2 == 0) != (planes.seat == 1):
        resting.reverse()
    edges = planes["your edges"]
    assert (edges[0].all() and edges[-1].all()) if planes.seat == 1 else (edges[:, 0].all() and edges[:, -1].all())
    assert edges.sum() == 2 * size
    return {
        "board": board,
        "reserve": reserve if planes.seat == 1 else reserve[::-1],
        "closed": name(planes["closed"]),
        "resting": resting[0],
        "resting_other": resting[1],
    }


def read_zhen(planes: Planes, view: dict[str, Any]) -> dict[str, Any]:
    cubes = planes.table.options["cubes"]

    def line(suffix: str) -> dict[str, Any]:
        pairs = [planes[f"your cubes{suffix}"] * cubes, planes[f"enemy cubes{suffix}"] * cubes]
        if planes.seat == 2:
            pairs.reverse()
        first, *tiles, last = [[round(float(one)), round(float(two))] for one, two in zip(*pairs, strict=True)]
        return {"tiles": tiles, "goals": [first, last]}

    reserve = [planes.number("your reserve", cubes), planes.number("enemy reserve", cubes)]
    assert planes["your goal"][0 if planes.seat == 1 else -1] == planes["your goal"].sum() == 1
    return {
        **line(""),
        "reserve": reserve if planes.seat == 1 else reserve[::-1],
        "before": line(" before") if planes.number("line before") else None,
    }


def read_crystals(planes: Planes, view: dict[str, Any]) -> dict[str, Any]:
    seats = range(1, planes.seats + 1)
    characters = []
    for seat in seats:
        found = {}
        for name in CLASSES:
            at = planes.of(seat, f"place of the {name}").nonzero()[0]
            if len(at):
                xp = planes.number_of(seat, f"experience of the {name}", 5)
                found[name] = {"at": int(at[0]) or "base", "xp": xp}
        characters.append(found)
    phases = [name for name in planes if name.startswith("phase ") and planes.number(name)]
    turn = [seat for seat in seats if planes.number_of(seat, "turn")]
    rolls = planes.all_of("contest roll", 6)
    contest = [
        (roll or None) if is_in else "out" for roll, is_in in zip(rolls, planes.all_of("contest entry"), strict=True)
    ]
    return {
        "characters": characters,
        "mines": [planes.of(seat, "mines").nonzero()[0].tolist() for seat in seats],
        "starts": [int(planes.of(seat, "START").nonzero()[0][0]) for seat in seats],
        "teleports": planes["teleports"].nonzero()[0].tolist(),
        "crystals": planes.all_of("crystals", 3),
        "due": [planes.unsquash(float(planes.of(seat, "experience due").flat[0])) for seat in seats],
        "phase": phases[0].removeprefix("phase ") if phases else "over",
        "on_turn": turn[0] if turn else None,
        "roll": planes.number("roll", 6) or None,
        "extra": bool(planes.number("extra turn")),
        "contest": contest if any(entry != "out" for entry in contest) else None,
        "attack": bool(planes.number("attack")),
    }


def show_crystals(view: dict[str, Any]) -> dict[str, Any]:
    characters = [
        {name: {"at": one["at"], "xp": one["xp"]} for name, one in mine.items()} for mine in view["characters"]
    ]
    return {**view, "characters": characters, "attack": view["attack"] is not None}


def read_rings(planes: Planes, view: dict[str, Any]) -> dict[str, Any]:
    seats = range(1, planes.seats + 1)
    fields = [*RING_FIELDS, *(f"s{seat}" for seat in seats)]
    kinds = {"runner": 2, "warrior": 5, "blocker": 2}
    letters = "".join(
        "LMH"[[planes[name][place] for name in ("light", "medium", "heavy")].index(1)]
        if any(planes[name][place] for name in ("light", "medium", "heavy"))
        else "?"
        for place in range(28)
    )
    units = {}
    for place, name in enumerate(fields):
        for seat in seats:
            held = {kind: round(float(planes.of(seat, f"{kind}s")[place]) * all) for kind, all in kinds.items()}
            if any(held.values()):
                units[name] = {"seat": seat, **held}

    def marked(name: str) -> str | None:
        return next((fields[place] for place in planes[name].nonzero()[0]), None)

    engaged = {"at": marked("engaged at"), "from": marked("engaged from")}
    ally = next((seat for seat in seats if planes.number_of(seat, "alliance with")), None)
    pay = next((pay for pay in ("R", "M", "TT") if planes.number(f"alliance paid with {pay}")), None)
    backed = {"with": marked("backed from")} if marked("backed from") else {}
    proposal = {"ally": ally, "from": marked("alliance from"), "at": marked("alliance at"), "pay": pay, **backed}
    starts = [planes.of(seat, "slot of the START").nonzero()[0] for seat in seats]
    assert all(fields[planes.of(seat, "place of the START").argmax()] == f"s{seat}" for seat in seats)
    target = planes.table.options["target"]
    return {
        "terrain": [
            None if "?" in ring else ring for ring in (letters[start : start + 7] for start in range(0, 28, 7))
        ],
        "starts": [int(slot[0]) + 1 if len(slot) else None for slot in starts],
        "units": units,
        "supply": [
            {kind: planes.number_of(seat, f"{kind}s in supply", most) for kind, most in kinds.items()} for seat in seats
        ],
        "dice": [{die: planes.number_of(seat, f"{die} dice", 4) for die in "RMT"} for seat in seats],
        "points": planes.all_of("points", target + 1),
        "round": planes.unsquash(float(planes["round"].flat[0])),
        "pass": planes.number("pass", 2),
        "uses": planes.number("uses", 2),
        "declined": bool(planes.number("declined")),
        "engaged": engaged if engaged["at"] else None,
        "alliance": proposal if ally else None,
    }


def read_portals(planes: Planes, view: dict[str, Any]) -> dict[str, Any]:
    seats, pool = range(1, planes.seats + 1), planes.table.options["pool"]
    steps = {
        "lower left": (-1, -1),
        "lower right": (-1, 0),
        "left": (0, -1),
        "right": (0, 1),
        "upper left": (1, 0),
        "upper right": (1, 1),
    }

    def name(row: int, column: int) -> str:
        return f"{chr(97 + row)}{column + 1}"

    def beside(which: str, row: int, column: int) -> list[str]:
        ways = [(way, step) for way, step in steps.items() if planes[f"arrow {which} {way}"][row, column]]
        return sorted(name(row + up, column + right) for _, (up, right) in ways)

    platforms, portals = {}, {}
    for row, column in zip(*planes["platform"].nonzero(), strict=True):
        pawns = {seat: round(float(planes.of(seat, "pawns")[row, column]) * pool) for seat in seats}
        pawns["demon"] = planes.unsquash(float(planes["demons"][row, column]))
        colour = next((colour for colour, number in pawns.items() if number), None)
        platforms[name(row, column)] = {
            "start": next((seat for seat in seats if planes.of(seat, "START")[row, column]), None),
            "center": bool(planes["centre"][row, column]),
            "colour": colour,
            "pawns": pawns[colour] if colour else 0,
        }
    for row, column in zip(*planes["portal"].nonzero(), strict=True):
        portals[name(row, column)] = {"in": beside("from", row, column), "out": beside("to", row, column)}
    rolls = planes.all_of("contest roll", 8)
    contest = [
        (roll or None) if is_in else "out" for roll, is_in in zip(rolls, planes.all_of("contest entry"), strict=True)
    ]
    radius = planes.table.options["radius"]
    assert planes["field"].sum() == 3 * radius * (radius + 1) + 1
    return {
        "platforms": platforms,
        "portals": portals,
        "pool": planes.all_of("pool", pool),
        "centered": [bool(done) for done in planes.all_of("centred")],
        "contest": contest if any(entry != "out" for entry in contest) else None,
        "d8": planes.number("d8", 8) or None,
    }


READERS = {
    "pathagon": read_pathagon,
    "zhen": read_zhen,
    "crystals": read_crystals,
    "rings": read_rings,
    "portals": read_portals,
}
BOARDS = [case for case in [*CASES, *VARIANTS] if case.ruleset in READERS]


@pytest.mark.parametrize("case", BOARDS, ids=str)
def test_the_view_can_be_read_off_the_planes(case):
    table = case.table()
    limit = table.options["ply_limit"]
    for number, position in enumerate(play(table, 11, 360)):
        if number % 6:
            continue
        seat = 1 + number // 6 % table.seats
        planes, view, turn = Planes(table, position, seat), table.rules.view(position.state), table.turn(position)
        shown = show_crystals(view) if case.ruleset == "crystals" else view
        read = READERS[case.ruleset](planes, view)
        assert read == {name: shown[name] for name in read}
        assert planes.number("ply", limit) == view["ply"]
        on_turn = [planes.number("your turn")] + [planes.number(f"turn of seat +{d}") for d in range(1, table.seats)]
        decides = isinstance(turn, Decision)
        assert on_turn == [float(decides and (seat - 1 + d) % table.seats + 1 == turn.seat) for d in range(table.seats)]


@pytest.mark.parametrize("case", [*CASES, *VARIANTS], ids=str)
def test_every_observation_has_the_shape_and_the_bounds(case):
    table = case.table()
    observer = table.observer
    for position in play(table, 4, 60):
        tensor = table.observe(position, table.seats)
        assert tensor.shape == observer.shape
        assert tensor.dtype == np.float32
        assert tensor.min() >= observer.low
        assert tensor.max() <= observer.high


def test_planes_show_who_attacks_whom():
    table = Case("crystals", 2).table()
    attacks = 0
    for position in play(table, 1, 4_000):
        attack = table.rules.view(position.state)["attack"]
        if attack is None:
            continue
        attacks += 1
        planes, characters = Planes(table, position, 1), table.rules.view(position.state)["characters"]
        target = attack["target"]
        assert planes["attacked"][characters[target["seat"] - 1][target["class"]]["at"]] == 1
        assert planes["attacked"].sum() == planes["attacker"].sum() == 1
        assert planes.number("ranged attack") == attack["ranged"]
    assert attacks


def test_planes_show_the_field_of_a_move_that_is_half_chosen():
    table = Table("portals", options={"first": 1, "radius": 2})
    [head, _] = table.find_ids(table.start(), "portal c4 >c3")
    chosen = Planes(table, table.act(table.start(), head), 1)
    assert list(zip(*chosen["chosen: portal"].nonzero(), strict=True)) == [(2, 3)]
    assert not chosen["chosen: platform"].any()
    assert not Planes(table, table.start(), 1)["chosen: portal"].any()


@pytest.mark.parametrize("case", [*SAMPLE, Case("toy", 3)], ids=str)
def test_two_positions_that_look_alike_are_alike(case):
    table, seen = case.table(), {}
    for position in play(table, 8, 300):
        view = {**table.rules.view(position.state), "path": position.path, "turn": str(table.turn(position))}
        key = table.observe(position, 1).tobytes()
        if isinstance(table.turn(position), Decision):
            assert seen.setdefault(key, view) == view


def test_features_of_a_view_are_hashed_alike_for_ever():
    scene = Scene({"coins": [3, -1], "flag": True, "name": "a"}, Decision(1), (), 1, 2)
    tensor = Hashed().observe(scene)
    places = {int(place): float(tensor[place]) for place in tensor.nonzero()[0]}
    assert places == {137: -1.0, 714: 0.5, 726: -1.0, 733: 0.75, 900: 0.5, 956: -1.0}
