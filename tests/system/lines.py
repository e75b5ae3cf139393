"""A network line between two processes, which a test cuts, blocks and mends."""

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Self

from tests.faults.proxy import Link, forward
from tests.system.running import WITHIN_S


class Line:
    """Listens on a loopback port and forwards to the first of these ports that answers, as a balancer does."""

    def __init__(self, *targets: int) -> None:
        self._targets = targets
        self._links: set[Link] = set()
        self._is_cut = self._is_blocked = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server: asyncio.Server = self._run(asyncio.start_server(self._accept, "127.0.0.1", 0))
        self.port = int(self._server.sockets[0].getsockname()[1])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._run(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def cut(self) -> None:
        """Break all connections, and each new one."""
        self._run(self._set(is_cut=True))

    def block(self) -> None:
        """Pass nothing on, and tell nobody: those at the ends learn of it only by waiting in vain."""
        self._run(self._set(is_blocked=True))

    def mend(self) -> None:
        """Pass everything on again, also what was sent while nothing was."""
        self._run(self._set())

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(WITHIN_S)

    async def _close(self) -> None:
        self._server.close()
        await self._set(is_cut=True)
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*others, return_exceptions=True)

    async def _set(self, is_cut: bool = False, is_blocked: bool = False) -> None:
        self._is_cut, self._is_blocked = is_cut, is_blocked
        for link in list(self._links):
            if is_cut:
                link.close()
            elif is_blocked:
                link.open.clear()
            else:
                link.open.set()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._is_cut:
            for target in self._targets:
                with suppress(OSError):
                    far_reader, far_writer = await asyncio.open_connection("127.0.0.1", target)
                    link = Link(writer, far_writer)
                    if self._is_blocked:
                        link.open.clear()
                    await forward(link, reader, far_reader, self._links)
                    return
        writer.transport.abort()
