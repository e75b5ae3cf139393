"""The job that makes a dataset, which may take hours, so that nothing else has to wait for it."""

import logging

from rq import get_current_job

from plyscribe.service.datasets.dataset_jobs import Beat
from plyscribe.service.datasets.errors import MakingStopped
from plyscribe.service.datasets.keeping import DatasetMaker
from plyscribe.workers import worker
from plyscribe.workers.parts import process_parts

log = logging.getLogger(__name__)


def make_dataset(ruleset: str, until_ms: int) -> None:
    """Make a dataset of the ruleset's matches that ended before `until_ms`, and keep it. May run any number of times.

    If this process is asked to stop, nothing is kept: whoever asks next has it made again.
    """
    job = get_current_job()
    assert job is not None
    beat = Beat(job)
    maker: DatasetMaker = process_parts().dataset_maker

    def report(matches: int) -> None:
        if worker.STOPPING.is_set():
            raise MakingStopped
        beat.say(matches)

    try:
        name = maker.make(ruleset, until_ms, report)
    except MakingStopped:
        log.info("stopping: the dataset of %s is not finished, and is made again when somebody asks for it", ruleset)
        return
    log.info("made dataset %s of %s", name, ruleset)
