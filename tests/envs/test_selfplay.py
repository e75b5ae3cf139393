"""Many games, here or in worker processes: the same ones in the same order, whatever happens around them."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from textwrap import dedent

import pytest

import plyscribe
from plyscribe.domain.errors import OptionError, UnknownRuleset, WrongValue
from plyscribe.domain.rulesets import RULESETS, list_newest, register
from plyscribe.envs.playing import Game
from plyscribe.envs.selfplay import GameFailed, WorkerLost, parse_player, play_bots, play_random
from tests.envs.flawed import FLAWED

RULES = [ruleset.id for ruleset in list_newest()]


@pytest.fixture
def flawed() -> Iterator[str]:
    register(FLAWED)
    yield FLAWED.id
    RULESETS.remove(FLAWED)


def workers_of(pid: int) -> list[int]:
    """The processes that play for this one."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in children if b"selfplay_worker" in Path(f"/proc/{child}/cmdline").read_bytes()]


def read_stat(pid: int) -> list[str]:
    """State and further fields of a process, from the third one on."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def is_running(pid: int) -> bool:
    try:
        return read_stat(pid)[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(condition, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("id", RULES)
def test_a_game_can_be_replayed_from_its_steps(id: str):
    [game] = play_random(id, 1, seed=5, steps=True, workers=0)
    line = plyscribe.start_match(id)
    for step in game.steps:
        line.move(step) if isinstance(step, str) else line.roll(step)
    assert line.outcome == game.outcome
    assert line.ply == game.plies
    assert len(game.steps) == game.plies + game.rolls


def test_a_game_depends_on_its_number_and_not_on_those_before_it():
    games = list(play_random("zhen", 5, seed=3, workers=0))
    assert [game.number for game in games] == [0, 1, 2, 3, 4]
    assert len(set(games)) == 5
    assert list(play_random("zhen", 2, seed=3, first=3, workers=0)) == games[3:]


def test_these_games_stay_the_same_in_all_releases():
    games = play_random("crystals", 3, seats=3, seed=11, workers=0)
    assert [(game.outcome.ranks, game.plies, game.rolls) for game in games] == [
        ((1, 3, 2), 214, 143),
        ((2, 1, 3), 235, 159),
        ((3, 1, 2), 241, 168),
    ]


def test_bots_sit_one_seat_further_in_each_game_and_play_by_their_seed():
    games = list(play_bots("zhen", 4, ["greedy", "random"], seed=2, workers=0))
    assert [game.players for game in games] == [(0, 1), (1, 0), (0, 1), (1, 0)]
    assert list(play_bots("zhen", 1, ["greedy", "random"], seed=2, first=3, workers=0)) == games[3:]
    [game] = play_bots("zhen", 1, ["greedy", "random"], first=1, rotate=False, workers=0)
    assert game.players == (0, 1)


def test_a_game_that_goes_on_for_too_long_is_cut_off():
    [game] = play_random("pathagon", 1, most_steps=7, steps=True, workers=0)
    assert game.outcome is None
    assert game.plies == len(game.steps) == 7


@pytest.mark.parametrize(
    ("text", "player"), [("random", ("random", None)), ("mcts", ("mcts", None)), ("mcts:50", ("mcts", 50))]
)
def test_a_bot_is_named_with_its_playouts(text: str, player: tuple[str, int | None]):
    assert parse_player(text) == player
    assert str(parse_player(text)) == text


@pytest.mark.parametrize("text", ["deep-blue", "mcts:", "mcts:0", "mcts:x", "mcts:99999999999", "random:5", "mcts:٣"])
def test_a_text_that_names_no_bot_is_refused(text: str):
    with pytest.raises(WrongValue):
        parse_player(text)


def test_wrong_arguments_are_refused_before_anything_is_played():
    for error, arguments in [
        (UnknownRuleset, {"ruleset_id": "go"}),
        (OptionError, {"options": {"tiles": 1}}),
        (OptionError, {"seats": 3}),
        (ValueError, {"games": -1}),
        (ValueError, {"first": -1}),
        (ValueError, {"games": 2**53 + 1}),
        (ValueError, {"workers": -1}),
        (ValueError, {"workers": 257}),
        (ValueError, {"most_steps": 0}),
    ]:
        with pytest.raises(error):
            play_random(**{"ruleset_id": "zhen", "games": 1, "workers": 0, **arguments})
    with pytest.raises(ValueError, match="at least one bot"):
        play_bots("zhen", 1, [])
    with pytest.raises(ValueError, match="fewer bots"):
        play_bots("zhen", 1, ["random"] * 3, seats=2)


def test_a_ruleset_of_the_script_itself_is_played_without_workers_alone(toy: str, monkeypatch):
    monkeypatch.setattr(type(plyscribe.find_ruleset(toy)), "__module__", "__main__")
    with pytest.raises(ValueError, match="workers=0"):
        play_random(toy, 1, workers=1)
    assert len(list(play_random(toy, 1, workers=0))) == 1


@pytest.mark.server
def test_any_number_of_workers_gives_the_same_games():
    def play(workers: int) -> list[Game]:
        return list(play_random("zhen", 60, seed=9, steps=True, workers=workers))

    assert play(0) == play(1) == play(3)


@pytest.mark.server
def test_workers_play_rulesets_of_other_packages_and_bots(toy: str):
    def play(workers: int) -> list[Game]:
        return list(play_bots(toy, 12, ["mcts:5", "greedy"], seats=3, seed=4, workers=workers))

    assert play(0) == play(2)


@pytest.mark.server
def test_all_games_before_a_faulty_one_arrive(flawed: str):
    taken: list[Game] = []

    def take_all() -> None:
        for game in play_random(flawed, 1000, seed=1, workers=2):
            taken.append(game)

    with pytest.raises(GameFailed, match="this game is broken") as failed:
        take_all()
    assert [game.number for game in taken] == list(range(failed.value.number)) != []
    with pytest.raises(RuntimeError, match="broken"):
        list(play_random(flawed, 1, seed=1, first=failed.value.number, workers=0))
    assert workers_of(os.getpid()) == []


@pytest.mark.server
def test_a_killed_worker_is_reported_and_the_others_end():
    games = play_random("rings", 10_000, seats=4, workers=2)
    next(games)
    os.kill(workers_of(os.getpid())[0], signal.SIGKILL)
    with pytest.raises(WorkerLost, match=r"killed by signal 9.*Go on from there with first=") as lost:
        list(games)
    assert lost.value.first >= 1
    assert workers_of(os.getpid()) == []


@pytest.mark.server
def test_workers_wait_when_nobody_takes_their_games_and_end_when_the_iterator_is_closed():
    games = play_random("zhen", 10**9, workers=1)
    assert len(list(islice(games, 50))) == 50
    [worker] = workers_of(os.getpid())

    def is_at_rest() -> bool:
        before = read_stat(worker)[11]
        time.sleep(0.3)
        return read_stat(worker)[11] == before

    wait_until(is_at_rest)
    games.close()
    assert workers_of(os.getpid()) == []
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("selfplay")]


SCRIPT = """
    print("begun", flush=True)
    from plyscribe.envs.selfplay import play_random
    for game in play_random("rings", 10**6, seats=4, workers=2):
        if not game.number:
            print("playing", flush=True)
"""


@pytest.fixture
def script(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A script without a main guard that is about to play."""
    # Tests that run in the background of a shell ignore Ctrl-C, and what they start would too.
    argv = ["env", "--default-signal=INT", sys.executable, "-c", dedent(SCRIPT)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(argv, cwd=tmp_path, text=True, start_new_session=True, **pipes) as process:
        assert process.stdout.readline() == "begun\n"
        yield process
        process.kill()


@pytest.fixture
def playing(script: "subprocess.Popen[str]") -> "subprocess.Popen[str]":
    """The same, with workers that have begun."""
    assert script.stdout is not None
    assert script.stdout.readline() == "playing\n"
    return script


@pytest.mark.server
@pytest.mark.parametrize("stage", ["script", "playing"])
def test_ctrl_c_ends_all_processes_and_only_the_script_says_so(stage: str, request: pytest.FixtureRequest):
    script = request.getfixturevalue(stage)
    wait_until(lambda: len(workers_of(script.pid)) == 2)
    workers = workers_of(script.pid)
    os.killpg(script.pid, signal.SIGINT)  # as a terminal does
    _, errors = script.communicate(timeout=30)
    assert errors.count("KeyboardInterrupt") == 1
    wait_until(lambda: not any(map(is_running, workers)))


@pytest.mark.server
def test_workers_end_when_the_script_is_killed(playing: "subprocess.Popen[str]"):
    workers = workers_of(playing.pid)
    playing.kill()
    wait_until(lambda: not any(map(is_running, workers)))
