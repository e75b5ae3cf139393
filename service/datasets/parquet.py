"""Writes the tables of a dataset as Parquet, in memory that does not grow with their rows."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from plyscribe.service.datasets.schema import DISTINCT, TABLES, build_schema
from plyscribe.service.datasets.tabulating import Row, dump_row

if TYPE_CHECKING:
    import pyarrow as pa

AT_ONCE = 512
"""Rows that are in memory as Python objects, each some kilobytes."""

GROUP_ROWS = 32_768
"""Rows of a row group: what is in memory as Arrow arrays, and the smallest part that a reader reads."""

LEVEL = 6
"""How hard zstd presses: higher levels take longer than everything else and save a hundredth."""


class WrittenTable(NamedTuple):
    """A table that is complete: its rows, its bytes and their SHA-256, and the SHA-256 of its rows as JSON."""

    rows: int
    bytes: int
    sha256: str
    content: str


class TableFile:
    """A table that is being written. `close` it, also when something failed: that frees the file."""

    def __init__(self, path: Path, table: str, about: Mapping[str, str]) -> None:
        """`about` is what the file says of itself, beside the digest of its rows."""
        import pyarrow.parquet as pq

        schema = build_schema(table)
        self._path = path
        self._schema = schema.with_metadata({f"plyscribe.{name}": text for name, text in about.items()})
        self._writer = pq.ParquetWriter(
            path,
            self._schema,
            compression="zstd",
            compression_level=LEVEL,
            use_dictionary=[name for name in _list_leaves(schema) if name.partition(".")[0] not in DISTINCT],
            version="2.6",
            data_page_version="2.0",
            write_page_checksum=True,
        )
        self._rows: list[Row] = []
        self._batches: list[pa.RecordBatch] = []
        self._names = [column.name for column in TABLES[table]]
        self._digest = sha256()
        self._written = 0
        self._held = 0

    def add(self, row: Row) -> None:
        """Write a row, with all columns of the table."""
        self._rows.append(row)
        self._digest.update(dump_row(row))
        if len(self._rows) == AT_ONCE:
            self._pack()
            if self._held == GROUP_ROWS:
                self._write_group()

    def finish(self) -> WrittenTable:
        """Write what is left, and close the file."""
        self._pack()
        self._write_group()
        content = self._digest.hexdigest()
        self._writer.add_key_value_metadata({"plyscribe.content": content})
        self._writer.close()
        with self._path.open("rb") as file:
            digest = sha256()
            while block := file.read(1 << 20):
                digest.update(block)
            return WrittenTable(self._written, file.tell(), digest.hexdigest(), content)

    def close(self) -> None:
        """Close the file. May be called twice, and after `finish`."""
        self._writer.close()

    def _pack(self) -> None:
        import pyarrow as pa

        if self._rows:
            self._batches.append(pa.RecordBatch.from_pylist(self._rows, schema=self._schema))
            self._held += len(self._rows)
            self._rows = []

    def _write_group(self) -> None:
        import pyarrow as pa

        if self._held:
            self._writer.write_table(pa.Table.from_batches(self._batches, self._schema), row_group_size=GROUP_ROWS)
            self._written += self._held
            self._held, self._batches = 0, []


def _list_leaves(schema: "pa.Schema") -> list[str]:
    """The paths of the columns in a file, such as `effects.list.element.kind`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(schema.empty_table(), sink)
    columns = pq.ParquetFile(pa.BufferReader(sink.getvalue())).schema
    return [columns.column(number).path for number in range(len(columns))]
