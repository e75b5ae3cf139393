"""A TCP proxy in a process of its own that cuts, delays and half-closes connections at random."""

import asyncio
import multiprocessing
import random
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

FAULTS = ("cut", "delay", "half-close")
LONGEST_DELAY_S = 1.5
HALF_OPEN_S = 2.0
"""A connection that was half-closed lasts this long."""

CHUNK = 65_536


@dataclass(eq=False)
class Link:
    client: asyncio.StreamWriter
    server: asyncio.StreamWriter
    flows: list[asyncio.Task[None]] = field(default_factory=list)
    open: asyncio.Event = field(default_factory=asyncio.Event)
    """Set as long as what arrives is passed on."""

    def __post_init__(self) -> None:
        self.open.set()

    def close(self) -> None:
        for writer in (self.client, self.server):
            with suppress(OSError, RuntimeError):
                writer.transport.abort()
        for flow in self.flows:
            flow.cancel()


class Proxy:
    """Listens on a loopback port and forwards to `target`, a path of a socket or a port, as a child process.

    About every `pause_s` it picks a fault and lets some of the open connections have it. 0: no faults.
    """

    def __init__(self, port: int, target: str | int, pause_s: float, seed: int) -> None:
        self.port = port
        self._counts = multiprocessing.get_context("spawn").Array("i", len(FAULTS))
        arguments = (port, target, pause_s, seed, self._counts)
        self._process = multiprocessing.get_context("spawn").Process(target=_run, args=arguments, daemon=True)
        self._process.start()

    @property
    def counts(self) -> dict[str, int]:
        """How many connections had each fault."""
        return dict(zip(FAULTS, self._counts, strict=True))

    def stop(self) -> None:
        self._process.terminate()
        self._process.join()


def _run(port: int, target: str | int, pause_s: float, seed: int, counts: Any) -> None:
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(port, target, pause_s, random.Random(seed), counts))


async def _serve(port: int, target: str | int, pause_s: float, rng: random.Random, counts: Any) -> None:
    links: set[Link] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if isinstance(target, str):
                far_reader, far_writer = await asyncio.open_unix_connection(target)
            else:
                far_reader, far_writer = await asyncio.open_connection("127.0.0.1", target)
        except OSError:
            writer.transport.abort()
            return
        await forward(Link(writer, far_writer), reader, far_reader, links)

    server = await asyncio.start_server(accept, "127.0.0.1", port)
    tasks = set()
    async with server:
        while True:
            await asyncio.sleep(2 * pause_s * rng.random() if pause_s else 3600)
            number = rng.randrange(len(FAULTS))
            some = [link for link in links if rng.random() < 0.5]
            counts[number] += len(some)
            for link in some:
                task = asyncio.create_task(_DO[FAULTS[number]](link, rng))
                tasks.add(task)
                task.add_done_callback(tasks.discard)


async def forward(link: Link, reader: asyncio.StreamReader, far_reader: asyncio.StreamReader, links: set[Link]) -> None:
    """Forward in both directions until both ends have closed. Meanwhile the link is one of `links`."""
    links.add(link)
    loop = asyncio.get_running_loop()
    link.flows = [
        loop.create_task(_pump(reader, link.server, link)),
        loop.create_task(_pump(far_reader, link.client, link)),
    ]
    await asyncio.gather(*link.flows, return_exceptions=True)
    link.close()
    links.discard(link)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, link: Link) -> None:
    """Forward what arrives, as long as the link is open; pass the end on."""
    with suppress(OSError):
        while data := await reader.read(CHUNK):
            await link.open.wait()
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()


async def _cut(link: Link, rng: random.Random) -> None:
    link.close()


async def _delay(link: Link, rng: random.Random) -> None:
    link.open.clear()
    await asyncio.sleep(LONGEST_DELAY_S * rng.random())
    link.open.set()


async def _half_close(link: Link, rng: random.Random) -> None:
    with suppress(OSError, RuntimeError):
        (link.client if rng.random() < 0.5 else link.server).write_eof()
    await asyncio.sleep(HALF_OPEN_S)
    link.close()


_DO: dict[str, Callable[[Link, random.Random], Coroutine[Any, Any, None]]] = {
    "cut": _cut,
    "delay": _delay,
    "half-close": _half_close,
}
