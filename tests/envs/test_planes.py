"""Observations: the planes hold what the view says, from the seat that looks, in a fixed shape."""

from typing import Any

import numpy as np
import pytest

from plyscribe.domain.ruleset import Decision
from plyscribe.envs.spaces.planes import Hashed, Scene
from plyscribe.envs.stepping import Table
from tests.envs.cases import CASES, SAMPLE, VARIANTS, Case, play


class Planes(dict[str, Any]):
    """The planes of an observation by name."""

    def __init__(self, table: Table, position: Any, seat: int) -> None:
        tensor = table.observe(position, seat)
        names = table.observer.names  # type: ignore[attr-defined]
        assert len(set(names)) == len(names)
        super().__init__(zip(names, tensor, strict=True))

    def number(self, name: str) -> float:
        plane = self[name]
        assert np.ptp(plane) == 0, "one number stands on all places"
        return float(plane.flat[0])


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
