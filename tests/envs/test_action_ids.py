"""Action ids: each legal move has one path, and ids mean the same for ever."""

import json
import subprocess
import sys
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from plyscribe.domain.ruleset import Decision
from plyscribe.envs.spaces.action_ids import Catalogue, Spelling
from plyscribe.envs.stepping import IllegalAction, Position, Table
from tests.envs.cases import CASES, SAMPLE, VARIANTS, Case, play

PINNED = Path(__file__).with_name("digests.json")


def list_paths(table, position):
    """The paths of all legal moves."""
    for id in table.list_ids(position):
        path = (*position.path, id)
        if table.actions.find_move(table.rules, position.state, path) is None:
            yield from list_paths(table, Position(position.state, path))
        else:
            yield path


@pytest.mark.parametrize("case", [*CASES, *VARIANTS], ids=str)
def test_every_legal_move_has_exactly_one_path(case):
    table = case.table()
    decisions = (p for p in play(table, 1, 400) if isinstance(table.turn(p), Decision) and not p.path)
    for position in islice(decisions, 0, 100, 12):
        moves = list(islice(table.rules.legal_moves(position.state), 5_001))
        if len(moves) > 5_000:
            continue
        paths = list(list_paths(table, position))
        found = [table.actions.find_move(table.rules, position.state, path) for path in paths]
        assert len(set(paths)) == len(paths)
        assert sorted(map(repr, found)) == sorted(map(repr, moves))
        assert [table.actions.find_path(table.rules, position.state, move) for move in found] == paths
        assert all(len(path) <= table.actions.longest and max(path) < table.actions.size for path in paths)


@pytest.mark.parametrize("case", [*CASES, *VARIANTS], ids=str)
def test_sampled_moves_have_a_path_of_legal_ids_in_late_positions_too(case):
    table = case.table()
    rules, random = table.rules, Random(5)
    state = rules.initial_state(table.options, table.seats)
    for _ in range(150):
        turn = rules.turn(state)
        if isinstance(turn, Decision):
            move = rules.sample_move(state, random.randrange)
            path = table.actions.find_path(rules, state, move)
            for length, id in enumerate(path):
                assert id in table.actions.list_ids(rules, state, path[:length])
                assert (table.actions.find_move(rules, state, path[: length + 1]) == move) == (length == len(path) - 1)
            state = rules.apply_move(state, move)
        elif hasattr(turn, "sides"):
            state = rules.apply_roll(state, tuple(1 + random.randrange(turn.sides) for _ in range(turn.count)))
        else:
            break


def fingerprint(case: Case) -> dict[str, object]:
    """The sizes and digests of the spaces, and of what the seats see in random matches."""
    table = case.table()
    observer, seen = table.observer, sha256()
    for number, position in enumerate(play(table, 3, 400)):
        seen.update(repr([table.turn(position), position.path, position.dice]).encode())
        seen.update(table.observe(position, 1 + number % table.seats).tobytes())
    return {
        "actions": [table.actions.version, table.actions.size, table.actions.digest],
        "planes": [observer.version, list(observer.shape), sha256("\n".join(observer.names).encode()).hexdigest()]
        if hasattr(observer, "names")
        else [observer.version, list(observer.shape)],
        "play": seen.hexdigest(),
    }


@pytest.mark.parametrize("case", [*CASES, *VARIANTS], ids=str)
def test_ids_planes_and_seeds_mean_what_they_always_meant(case):
    pinned = json.loads(PINNED.read_text(encoding="utf-8"))
    assert fingerprint(case) == pinned[str(case)], (
        "an id, a plane or a seed means something else now: give the space a new version, say so in the changelog and "
        "run python -m tests.envs.test_action_ids"
    )


def test_another_process_finds_the_same_ids():
    code = "from tests.envs.test_action_ids import *; print(fingerprint(Case('rings', 3)))"
    argv = [sys.executable, "-c", code]
    ran = subprocess.run(argv, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == str(fingerprint(Case("rings", 3)))


def test_a_catalogue_lists_no_notation_twice():
    with pytest.raises(ValueError, match="listed twice"):
        Catalogue(["a1", "a1"])


def test_a_move_that_a_catalogue_lacks_is_named():
    table = Table("zhen")
    with pytest.raises(LookupError, match=r"'\+1' has no id"):
        Catalogue(["+2"]).list_ids(table.rules, table.start().state, ())


def test_a_notation_is_spelled_a_character_an_id():
    table = Table("zhen")
    path = Spelling().find_path(table.rules, table.start().state, 3)
    assert [Spelling().describe(id) for id in path] == ["'+'", "'3'", "end"]


def test_ids_have_words_and_moves_have_ids():
    table = Table("portals", options={"first": 1, "radius": 2})
    path = table.find_ids(table.start(), "portal c4 >c3")
    assert table.format_ids(path) == "portal c4 arrows ..>..."
    [head, way] = path
    after = table.act(table.act(table.start(), head), way)
    assert table.rules.view(after.state)["portals"] == {"c4": {"in": [], "out": ["c3"]}}


def test_the_exits_that_get_demons_are_a_second_id():
    table = Table("portals", options={"first": 1, "radius": 2, "demons": True})
    position = table.start()
    for notation in ("portal c4 >c3", "portal d3 <c3", "platform d2 <d3", "platform e4 <d3", "launch c4"):
        for id in table.find_ids(position, notation):
            position = table.act(position, id)
    path = table.find_ids(position, "launch d3 demons d2")
    assert table.format_ids(path) == "launch d3 demons ..x..."
    chosen = table.act(position, path[0])
    assert [table.actions.describe(id) for id in table.list_ids(chosen)] == ["demons ..x...", "demons .....x"]
    assert table.rules.view(table.act(chosen, path[1]).state)["platforms"]["d2"]["colour"] == "demon"


def test_an_illegal_id_is_refused_with_what_is_legal():
    table = Table("zhen", options={"tiles": 4})
    with pytest.raises(IllegalAction, match=r"action 4 \(1-goal\) is not legal for seat 1: .* as 0-3"):
        table.act(table.start(), 4)
    with pytest.raises(IllegalAction, match=r"action 99 \(no action\)"):
        table.act(table.start(), 99)


@pytest.mark.parametrize("case", SAMPLE, ids=str)
def test_the_mask_has_a_one_for_each_legal_id_alone(case):
    table = case.table()
    for position in play(table, 2, 30):
        assert list(table.mask(position).nonzero()[0]) == table.list_ids(position)
        assert bool(table.list_ids(position)) == isinstance(table.turn(position), Decision)


if __name__ == "__main__":
    everything = {str(case): fingerprint(case) for case in [*CASES, *VARIANTS]}
    PINNED.write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")
