"""`python -m bench.web_server [name …]`: compares web servers, and prints a table in Markdown.

Needs gevent and gunicorn in addition to what bench needs. It counts the CPU time of the server and of the store behind
it.
"""

import selectors
import socket
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from statistics import median

from bench.bare import APPENDS
from bench.load import HOST, prepare, send_all
from bench.measuring import Run, take_rounds
from bench.rig import Rig, Web
from bench.servers import SERVERS
from plyscribe.service.processes.children import raise_file_limit

ROUNDS = 5
REQUESTS = 960
FOLLOWERS = 1000
PUBLISHED = 20
SLOW = 200
PATIENCE_S = 5.0
_PATCHED = "gevent.monkey", "--module"
BODY = b'{"move":"d4"}'
HEADERS = {"Authorization": "Bearer ply_" + "a" * 70, "Idempotency_Key": "0123456789abcdef"}


def measure_requests(webs: dict[str, Web], connections: int, request: Callable[[], bytes]) -> dict[str, str]:
    """Microseconds a request over this many connections, by server: the median of the rounds, and the least."""

    def run(web: Web) -> Run:
        each = REQUESTS // connections
        return lambda: web.run([[request() for _ in range(each)] for _ in range(connections)])

    rounds = take_rounds({name: run(web) for name, web in webs.items()}, ROUNDS)
    taken = {name: sorted(each[name].us for each in rounds) for name in webs}
    return {name: f"{median(us):.0f} ({us[0]:.0f})" for name, us in taken.items()}


def appends() -> Callable[[], bytes]:
    """A function that makes the request for the next append; all servers share the sequence."""
    numbers = (number for number in count() for _ in range(APPENDS))
    return lambda: prepare("POST", f"/append/{next(numbers)}", BODY, **HEADERS)


class Crowd:
    """Followers of one stream, read by one thread."""

    def __init__(self, port: int, size: int) -> None:
        self._selector = selectors.DefaultSelector()
        self._events: dict[socket.socket, int] = {}
        for _ in range(size):
            follower = socket.create_connection((HOST, port))
            follower.sendall(prepare("GET", "/follow", Accept="text/event-stream"))
            self._selector.register(follower, selectors.EVENT_READ)
            self._events[follower] = 0
        self._read_until(lambda: False, within_s=3.0)

    def await_events(self, number: int, within_s: float = PATIENCE_S) -> bool:
        """Wait until all followers have had this many events, and return whether they have."""
        return self._read_until(lambda: min(self._events.values()) >= number, within_s)

    def _read_until(self, done: Callable[[], bool], within_s: float) -> bool:
        deadline = time.monotonic() + within_s
        while not done():
            if time.monotonic() > deadline:
                return False
            for key, _ in self._selector.select(0.05):
                follower = key.fileobj
                assert isinstance(follower, socket.socket)
                self._events[follower] += follower.recv(65536).count(b"id: ")
        return True

    def close(self) -> None:
        """Close all connections."""
        for follower in self._events:
            follower.close()
        self._selector.close()


def measure_followers(web: Web) -> list[str]:
    """The cost of followers: memory, CPU time for one event to all, and the time until the last one has it."""
    before = web.memory_mb()
    crowd = Crowd(web.port, FOLLOWERS)
    memory, start, times = web.memory_mb() - before, web.cpu_s(), []
    for number in range(1, PUBLISHED + 1):
        started = time.monotonic()
        if not (publish(web) and crowd.await_events(number)):
            crowd.close()
            return ["not all were served", "", ""]
        times.append(1000 * (time.monotonic() - started))
    cpu_ms = 1000 * (web.cpu_s() - start) / PUBLISHED
    crowd.close()
    return [f"{memory:.0f} MB", f"{cpu_ms:.0f} ms", f"{median(times):.0f} ms"]


def publish(web: Web) -> bool:
    """Publish an event, and return whether the server took it."""
    with suppress(TimeoutError):
        return send_all(web.port, [[prepare("POST", "/publish", BODY)]]) == 1
    return False


def measure_slow_bodies(web: Web) -> str:
    """How soon a request is answered while SLOW others never send their bodies."""
    slow = [socket.create_connection((HOST, web.port)) for _ in range(SLOW)]
    for each in slow:
        each.sendall(prepare("POST", "/publish", b"x" * 50)[:-49])
    time.sleep(1.0)
    started = time.monotonic()
    try:
        with socket.create_connection((HOST, web.port)) as asking:
            asking.sendall(prepare("GET", "/healthz"))
            asking.recv(65536)
        return f"{1000 * (time.monotonic() - started):.0f} ms"
    except TimeoutError:
        return f"not within {PATIENCE_S:.0f} s"
    finally:
        for each in slow:
            each.close()


def main(names: Sequence[str]) -> None:
    """Measure the servers named."""
    raise_file_limit()
    socket.setdefaulttimeout(PATIENCE_S)
    lines: dict[str, list[str]] = {name: [] for name in names}
    with Rig() as rig:
        webs = {name: rig.serve(*_PATCHED if "gevent" in name else (), "bench.servers", name) for name in names}
        next_append = appends()
        for request in (lambda: prepare("GET", "/healthz"), next_append):
            for connections in (1, 8, 32):
                for name, cell in measure_requests(webs, connections, request).items():
                    lines[name].append(cell)
        for name, web in webs.items():
            lines[name] += [*measure_followers(web), measure_slow_bodies(web)]
    columns = ["server", *(f"{what} ×{n}" for what in ("empty", "append") for n in (1, 8, 32))]
    columns += [f"{FOLLOWERS} followers", "one event to all", "the last has it after", f"{SLOW} bodies that never come"]
    for cells in (columns, ["---"] * len(columns), *([name, *line] for name, line in lines.items())):
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main(sys.argv[1:] or list(SERVERS))
