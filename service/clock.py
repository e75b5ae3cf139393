"""The one place where the time of day is read."""

import time


def now_ms() -> int:
    """UTC milliseconds since 1970."""
    return time.time_ns() // 1_000_000
