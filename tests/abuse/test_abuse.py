"""What one account can do to others and to the store, in short: `make abuse` measures it.

Processor time counts here, not the time of day: what an attack costs must not grow with how hard somebody tries.
"""

from collections.abc import Iterator

import pytest

from plyscribe.service.config import ALLOWANCES
from tests.abuse.__main__ import NAMES, SLOW, Result, measure, measure_calm, open_service
from tests.abuse.attacks import Scene
from tests.abuse.bystander import Bystander
from tests.abuse.scenery import build_scene
from tests.system.running import Serving

pytestmark = [pytest.mark.server, pytest.mark.long]

SECONDS = 5
ATTACK_CPU_S = 4.0
"""What the answering processes may spend on an attack for each time in which its allowance begins anew."""

[(STORE_BYTES, _)] = ALLOWANCES["bytes"]
WEB_BYTES = 128 * 1024 * 1024
SPARED = {"endless", "thinking"}
"""Attacks through what bots do, which allowances bound by the number of matches alone."""

Table = tuple[Serving, Scene, Bystander, float]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    with open_service(tmp_path_factory.mktemp("abuse")) as service:
        scene, bystander = build_scene(service), Bystander(service.url)
        bystander.play(1)
        yield service, scene, bystander, measure_calm(service, bystander, SECONDS)


@pytest.mark.parametrize("name", NAMES)
def test_one_account_harms_neither_others_nor_the_store(table: Table, name: str):
    service, scene, bystander, calm_cpu_s = table
    # Each answer that the bystander gets is a success, or this fails.
    result = measure(service, scene, bystander, name, SECONDS, calm_cpu_s)
    assert result.answers > 0
    assert result.store_bytes < STORE_BYTES
    assert result.web_bytes < WEB_BYTES
    if name != SLOW:
        assert result.statuses[429] > 0, result.statuses
    if name not in SPARED:
        assert _spent_on_attack(result) < ATTACK_CPU_S, result


def _spent_on_attack(result: Result) -> float:
    return (result.cpu_s - result.calm_cpu_s) * result.answers / result.windows
