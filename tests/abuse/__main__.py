"""`python -m tests.abuse [attack …] [--seconds N]`: attacks a service of its own, and prints what each attack costs."""

import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import click
from rich.console import Console
from rich.table import Table

from plyscribe.service.config import BURST
from tests.abuse import measuring
from tests.abuse.attacks import ATTACKS, Scene, slow_readers, under_attack
from tests.abuse.bystander import Bystander, is_healthy
from tests.abuse.scenery import build_scene
from tests.system.running import Serving, serving

SECONDS = 12
REFUSED_WITHIN_S = 60
"""A slow machine needs this long, at most, for more than an allowance of an hour."""

SLOW = "slow"
"""The attack by readers who do not read."""

NAMES = (SLOW, *ATTACKS)
"""Those that keep bots busy come last, because bots go on when the attacker has left."""


class Result(NamedTuple):
    """What an attack cost."""

    name: str
    answers: int
    calm_cpu_s: float
    """Processor time for each answer of the bystander without the attack, in seconds."""

    cpu_s: float
    """The same under the attack."""

    store_bytes: int
    """What the store holds more afterwards."""

    web_bytes: int
    slowest_bot_s: float
    windows: int
    """How often allowances for what costs processor time began anew while it lasted."""

    statuses: Counter[int]

    @property
    def factor(self) -> float:
        """By how much the attack moved the processor time for an answer."""
        return self.cpu_s / self.calm_cpu_s


@contextmanager
def open_service(folder: Path) -> Iterator[Serving]:
    """A service that limits everybody, also programs of this machine."""
    with serving(folder / "data", PLYSCRIBE_ALLOWANCES_FOR="all") as service:
        yield service


def measure_calm(service: Serving, bystander: Bystander, seconds: float) -> float:
    """Processor time for each answer of the bystander, alone, in seconds."""
    before = measuring.read(service)
    answers = bystander.play(seconds)
    return measuring.read(service).since(before).cpu_s / answers


def measure(
    service: Serving, scene: Scene, bystander: Bystander, name: str, seconds: float, calm_cpu_s: float
) -> Result:
    """Attack while the bystander plays: so long, and until something is refused."""
    bystander.slowest_bot_s = 0.0
    before, begun_s = measuring.read(service), time.monotonic()
    with closing(scene.begin(name)), _attack(scene, name):
        answers = bystander.play(seconds)
        while name != SLOW and not scene.statuses[429] and time.monotonic() < begun_s + REFUSED_WITHIN_S:
            answers += bystander.play(1)
        after = measuring.read(service)
        assert is_healthy(service.url)
    used = after.since(before)
    return Result(
        name,
        answers,
        calm_cpu_s,
        used.cpu_s / answers,
        used.store_bytes,
        used.web_bytes,
        bystander.slowest_bot_s,
        2 + int((time.monotonic() - begun_s) / BURST),
        Counter(scene.statuses),
    )


@contextmanager
def _attack(scene: Scene, name: str) -> Iterator[None]:
    if name == SLOW:
        with slow_readers(scene, f"/v1/matches/{scene.long_match}/bundle"):
            yield
    else:
        with under_attack(scene, ATTACKS[name]):
            yield


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(NAMES))
@click.option("--seconds", default=SECONDS, help="How long each attack lasts.")
def main(names: tuple[str, ...], seconds: int) -> None:
    """Attack a service of its own with one account, beside somebody who plays."""
    console, results = Console(width=150), list[Result]()
    with tempfile.TemporaryDirectory() as folder, open_service(Path(folder)) as service:
        console.print("building the scene …")
        scene, bystander = build_scene(service), Bystander(service.url)
        bystander.play(2)
        for name in names or NAMES:
            calm_cpu_s = measure_calm(service, bystander, seconds / 3)
            results.append(measure(service, scene, bystander, name, seconds, calm_cpu_s))
            console.print(f"{name}: {results[-1].factor:.2f}")
    rows = [_format(result) for result in results]
    table = Table(*rows[0])
    for row in rows:
        table.add_row(*row.values())
    console.print(table)


def _format(result: Result) -> dict[str, str]:
    return {
        "attack": result.name,
        "ms an answer": f"{1000 * result.cpu_s:.2f}",
        "calm": f"{1000 * result.calm_cpu_s:.2f}",
        "factor": f"{result.factor:.2f}",
        "store, MB": f"{result.store_bytes / 1e6:.1f}",
        "API, MB": f"{result.web_bytes / 1e6:.1f}",
        "slowest bot, s": f"{result.slowest_bot_s:.2f}",
        "answers": str(result.answers),
        "attacker got": ", ".join(f"{status}: {number}" for status, number in sorted(result.statuses.items())),
    }


if __name__ == "__main__":
    main()
