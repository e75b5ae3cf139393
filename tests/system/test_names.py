"""Names under several processes that sign up at the same time, one of which is killed: each name has one account."""

import subprocess
import sys
from collections import Counter

import pytest

from plyscribe.service.access.lookalikes import fold_lookalikes
from plyscribe.service.composition import compose_process
from tests.system.running import KEY, ROOT, environment

pytestmark = pytest.mark.server

PROCESSES, ROUNDS = 4, 60


def test_of_processes_that_ask_for_the_same_names_one_gets_each(redis_url):
    settings = environment(PLYSCRIBE_SERVER_KEY=KEY, PLYSCRIBE_READ_URL="sqlite://", REDIS_URL=redis_url)
    argv = [sys.executable, "-m", "tests.system.signing_up"]
    children = [
        subprocess.Popen([*argv, str(number), str(ROUNDS)], env=settings, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for number in range(PROCESSES)
    ]
    first, *_ = children
    assert first.stdout is not None
    first.stdout.readline()
    first.kill()
    told = [line.split() for child in children for line in child.communicate()[0].splitlines()]
    assert [child.returncode for child in children[1:]] == [0] * (PROCESSES - 1)
    subprocess.run([*argv, "0", str(ROUNDS)], env=settings, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    parts = compose_process(settings)
    opened = [parts.accounts.players.read(stream) for stream in parts.store.streams() if stream.startswith("player-")]
    names = Counter(fold_lookalikes(player.name) for player in opened)
    assert set(names.values()) == {1}
    assert len(names) == ROUNDS
    assert {player for _, player in told} <= {player.stream for player in opened}
