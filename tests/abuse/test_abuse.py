"""What one account can do to others and to the store, in short: `make abuse` measures it.

Processor time counts here, not the time of day: what an attack costs must not grow with how hard somebody tries.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from plyscribe.service.config import ALLOWANCES
from tests.abuse.__main__ import NAMES, SLOW, Result, measure, measure_calm, open_service
from tests.abuse.bystander import Bystander
from tests.abuse.scenery import build_scene

pytestmark = [pytest.mark.server, pytest.mark.long]

SECONDS = 5
ATTACK_CPU_S = 4.0
"""What the answering processes may spend on an attack for each time in which its allowance begins anew."""

[(STORE_BYTES, _)] = ALLOWANCES["bytes"]
WEB_BYTES = 128 * 1024 * 1024
SPARED = {"endless", "thinking"}
"""Attacks through what bots do, which allowances bound by the number of matches alone."""


def test_one_account_harms_neither_others_nor_the_store(tmp_path: Path):
    faults = []
    with open_service(tmp_path) as service:
        scene = build_scene(service)
        with closing(Bystander(service.url)) as bystander:
            bystander.play(1)
            calm_cpu_s = measure_calm(service, bystander, SECONDS)
            for name in NAMES:
                # Each answer that the bystander gets is a success, or this fails.
                result = measure(service, scene, bystander, name, SECONDS, calm_cpu_s)
                faults += [(fault, result) for fault in _find_faults(result)]
    assert faults == []


def _find_faults(result: Result) -> Iterator[str]:
    if result.answers == 0:
        yield "the bystander got no answer"
    if result.store_bytes >= STORE_BYTES:
        yield "it fills the store"
    if result.web_bytes >= WEB_BYTES:
        yield "it fills the memory"
    if result.name != SLOW and not result.statuses[429]:
        yield "nothing was refused"
    if result.name not in SPARED and _spent_on_attack(result) >= ATTACK_CPU_S:
        yield "it takes the processor"


def _spent_on_attack(result: Result) -> float:
    """Processor time that the attack took, in seconds, for each time in which its allowance began anew."""
    return (result.cpu_s - result.calm_cpu_s) * result.answers / result.windows
