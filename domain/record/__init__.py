"""The text record of a match: headers in brackets, then moves and rolls as on a score sheet.

docs/record-format.md has the format. `parse_record` plays every step, so every Record obeys its ruleset.
"""

from plyscribe.domain.record.formatting import MEDIA_TYPE, SUFFIX, format_record
from plyscribe.domain.record.matches import commands_of, record_of
from plyscribe.domain.record.parsing import PlacedFault, PlacedStep, ReadSteps, parse_record, read_steps
from plyscribe.domain.record.values import (
    UNKNOWN_NAME,
    AgreedDraw,
    Comment,
    Line,
    Record,
    Step,
    add_comments,
    trace_steps,
)

__all__ = [
    "MEDIA_TYPE",
    "SUFFIX",
    "UNKNOWN_NAME",
    "AgreedDraw",
    "Comment",
    "Line",
    "PlacedFault",
    "PlacedStep",
    "ReadSteps",
    "Record",
    "Step",
    "add_comments",
    "commands_of",
    "format_record",
    "parse_record",
    "read_steps",
    "record_of",
    "trace_steps",
]
