"""The operations of the API for those who direct a match."""

from plyscribe.service.client.answers import Receipt
from plyscribe.service.client.connection import Connection


class ClockCalls(Connection):
    """The part of the client with which an overseer or a recorder stops clocks and changes them."""

    def pause(self, match: str, why: str, *, key: str | None = None) -> Receipt:
        """Pause a match: no clock runs and nobody can move."""
        return self._command("POST", f"/v1/matches/{match}/pause", {"why": why}, key)

    def resume(self, match: str, why: str | None = None, *, key: str | None = None) -> Receipt:
        """Let a paused match go on."""
        return self._command("POST", f"/v1/matches/{match}/resume", {"why": why}, key)

    def adjust_clock(self, match: str, seat: int, add_ms: int, why: str, *, key: str | None = None) -> Receipt:
        """Give a seat more time, or take time from it with a negative `add_ms`."""
        body = {"seat": seat, "add_ms": add_ms, "why": why}
        return self._command("POST", f"/v1/matches/{match}/clock", body, key)
