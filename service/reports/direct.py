"""Reports that this process makes itself, for a service without a queue, whose store is in memory."""

import logging
from collections import OrderedDict
from collections.abc import Mapping, Sequence

import orjson

from plyscribe.service.reports.subjects import Json, Maker, Subject

MAX_KEPT = 256

log = logging.getLogger(__name__)


class DirectReports:
    """Makers that make a report at once, in the thread that asks. Use it from one thread."""

    def __init__(self, maker: Maker) -> None:
        self._maker = maker
        self._made: OrderedDict[Subject, Json | None] = OrderedDict()

    def begin(self, subject: Subject) -> None:
        """See Makers.begin. Nothing ever waits to be made."""
        if self._made.get(subject) is not None:
            return
        try:
            # What a queue does to a report.
            self._made[subject] = orjson.loads(orjson.dumps(self._maker.make(subject)))
        except Exception:
            log.exception("the report %s failed", subject.name)
            self._made[subject] = None
        while len(self._made) > MAX_KEPT:
            self._made.popitem(last=False)

    def look(self, subjects: Sequence[Subject]) -> Mapping[Subject, Json | None]:
        """See Makers.look."""
        return {subject: self._made[subject] for subject in subjects if subject in self._made}
