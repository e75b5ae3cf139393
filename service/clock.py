"""The only place that reads the time of day."""

import time


def now_ms() -> int:
    """The time now, in UTC milliseconds since 1970."""
    return time.time_ns() // 1_000_000
