"""Packs: many streams in one file that never changes, in blocks that can be read by themselves.

    PLYPACK1        8 bytes
    block           each with up to 256 KiB of columns
    …
    table           which blocks there are, and which streams are in each
    footer          where the table is, counts, and a digest of all bytes before it

A stream is found by the number of its block and its number in the block. A pack of copies has parts of streams instead.
docs/archive-format.md has every field.
"""

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import orjson
import zstandard

from plyscribe.service.archive.errors import PackDamaged
from plyscribe.service.archive.stream_columns import (
    Columns,
    Kept,
    Part,
    interleave,
    join_commands,
    join_events,
    split_stream,
    take_planes,
)
from plyscribe.service.store.port import Remembered

MAGIC = b"PLYPACK1"
FORMAT = 1
LEVEL = 9
BLOCK_BYTES = 256 * 1024
"""How much the columns of a block take unpacked, unless it has a single stream."""

NAME_LENGTH = 32
MOST_UNPACKED = 1 << 30
"""A frame that says that it unpacks to more is refused."""

FOOTER = struct.Struct("<QIIQ32s8s")
"""Offset and length of the table, the number of streams, the number of events, SHA-256 of all before it, the magic."""

PACK_BYTES = 16
_PLACE = struct.Struct(f"<{PACK_BYTES}sHH")
MOST_SLOTS = 0xFFFF
"""How many blocks a pack may have, and streams a block."""

_FRAMES = struct.Struct("<7I")
_DIRECTORY = struct.Struct("<II")
_HEAD = 32
_FIELDS = 5
_PART = 8 + 8 + _HEAD
_WIDTHS = {"times": 8, "runs": 4}


class Dictionary(NamedTuple):
    """What the blocks of a ruleset are packed with: its digest, and its bytes."""

    digest: str
    data: bytes


class Labelled(NamedTuple):
    """A stream, and what it is kept together with: streams with the same label look alike."""

    label: str
    kept: Kept


class Block(NamedTuple):
    """A block of a pack. Its streams have one label and are in the order of their ids."""

    offset: int
    length: int
    sha256: str
    label: str
    dictionary: str | None
    streams: int
    events: int
    first: str
    last: str


class Slot(NamedTuple):
    """Where a stream, or a part of one, is in its pack."""

    block: int
    number: int


class PackPlace(NamedTuple):
    """Where a stream is in the archive: the name of its pack, and its slot."""

    pack: str
    slot: Slot

    def format(self) -> bytes:
        """The place in 20 bytes."""
        return _PLACE.pack(bytes.fromhex(self.pack), *self.slot)


def parse_place(place: bytes) -> PackPlace:
    """The place in these bytes; PackDamaged if they are none."""
    try:
        pack, *slot = _PLACE.unpack(place)
    except struct.error:
        raise PackDamaged(f"{place.hex()} is no place in the archive") from None
    return PackPlace(pack.hex(), Slot(*slot))


def pack_of(place: bytes) -> str:
    """The name of the pack in these bytes of a place, whatever follows it."""
    return place[:PACK_BYTES].hex()


class Pack(NamedTuple):
    """A pack: its name, its bytes, and where each stream is."""

    name: str
    data: bytes
    slots: dict[str, Slot]
    """For streams in parts, where the last part is."""

    blocks: Sequence[Block]


class Footer(NamedTuple):
    """The end of a pack."""

    table_offset: int
    table_length: int
    streams: int
    events: int
    sha256: bytes


# ------------------------------------------------------------------------------------------------------------ writing


def build_pack(streams: Iterable[Labelled], dictionaries: Mapping[str, Dictionary]) -> Pack:
    """A pack of these streams, with the dictionary of each label. All of them are whole, or all are parts.

    ValueError if a stream is empty, or a whole one comes twice.
    """
    parts, blocks, slots = [MAGIC], list[Block](), dict[str, Slot]()
    offset = len(MAGIC)
    for label, kept, columns in _group_blocks(sort_streams(streams)):
        dictionary = dictionaries.get(label)
        data = _build_block(kept, columns, dictionary)
        for number, each in enumerate(kept):
            if each.part is None and each.stream in slots:
                raise ValueError(f"{each.stream} comes twice")
            slots[each.stream] = Slot(len(blocks), number)
        digest, used = sha256(data).hexdigest(), dictionary.digest if dictionary else None
        events = sum(len(each.events) for each in kept)
        blocks.append(Block(offset, len(data), digest, label, used, len(kept), events, kept[0].stream, kept[-1].stream))
        parts.append(data)
        offset += len(data)
    table = _compress(orjson.dumps({"blocks": [block._asdict() for block in blocks], "format": FORMAT}))
    body = b"".join([*parts, table])
    count, events = sum(block.streams for block in blocks), sum(block.events for block in blocks)
    footer = FOOTER.pack(offset, len(table), count, events, sha256(body).digest(), MAGIC)
    data = body + footer
    return Pack(name_pack(data), data, slots, blocks)


def sort_streams(streams: Iterable[Labelled]) -> list[Labelled]:
    """These streams in the order in which a pack has them."""
    return sorted(streams, key=lambda each: (each.label, each.kept.stream, each.kept.after))


def name_pack(data: bytes) -> str:
    """The name of a pack: the first 16 bytes of its SHA-256, in hexadecimal."""
    return sha256(data).hexdigest()[:NAME_LENGTH]


def _group_blocks(
    streams: Iterable[Labelled],
) -> Iterator[tuple[str, list[Kept], list[tuple[Columns, bool]]]]:
    label, kept, columns, size = "", list[Kept](), list[tuple[Columns, bool]](), 0
    for each in streams:
        split = split_stream(each.kept)
        length = sum(map(len, split[0]))
        if kept and (each.label != label or size + length > BLOCK_BYTES or len(kept) == MOST_SLOTS):
            yield label, kept, columns
            kept, columns, size = [], [], 0
        label, size = each.label, size + length
        kept.append(each.kept)
        columns.append(split)
    if kept:
        yield label, kept, columns


def _build_block(kept: Sequence[Kept], split: Sequence[tuple[Columns, bool]], dictionary: Dictionary | None) -> bytes:
    ids = "\n".join(each.stream for each in kept).encode()
    fields = [
        b"".join(number.to_bytes(4, "little") for number in column)
        for column in (
            [len(each.events) for each in kept],
            [len(each.commands) for each in kept],
            [len(columns.actors) for columns, _ in split],
            [len(columns.said) for columns, _ in split],
            [len(columns.digests) for columns, _ in split],
        )
    ]
    directory = [
        _DIRECTORY.pack(len(kept), len(ids)),
        ids,
        b"".join(each.head for each in kept),
        bytes(is_raw for _, is_raw in split),
        *(interleave(field, 4) for field in fields),
    ]
    if parts := [(each.after, each.part) for each in kept if each.part]:
        directory += [
            interleave(b"".join(after.to_bytes(8, "little") for after, _ in parts), 8),
            interleave(b"".join(part.copied_ms.to_bytes(8, "little") for _, part in parts), 8),
            b"".join(part.before for _, part in parts),
        ]
    frames = [_compress(b"".join(directory))]
    for name in Columns._fields:
        column = b"".join(getattr(columns, name) for columns, _ in split)
        if name in _WIDTHS:
            column = interleave(column, _WIDTHS[name])
        frames.append(_compress(column, dictionary if name == "said" else None))
    return _FRAMES.pack(*map(len, frames)) + b"".join(frames)


def _compress(data: bytes, dictionary: Dictionary | None = None) -> bytes:
    known = None if dictionary is None else zstandard.ZstdCompressionDict(dictionary.data)
    packed: bytes = zstandard.ZstdCompressor(level=LEVEL, dict_data=known).compress(data)
    return packed


# ------------------------------------------------------------------------------------------------------------ reading


def parse_footer(end: bytes) -> Footer:
    """The footer, from the last bytes of a pack; PackDamaged if it is none."""
    if len(end) < FOOTER.size or not end.endswith(MAGIC):
        raise PackDamaged("the pack has no end")
    *found, _ = FOOTER.unpack(end[-FOOTER.size :])
    return Footer(*found)


def parse_table(data: bytes) -> list[Block]:
    """The blocks, from the bytes of the table; PackDamaged if they are none."""
    try:
        table = orjson.loads(_decompress(data))
        if table["format"] != FORMAT:
            raise PackDamaged(f"the pack has format {table['format']}, and this release reads format {FORMAT}")
        return [Block(**block) for block in table["blocks"]]
    except (ValueError, TypeError, KeyError) as error:
        raise PackDamaged(f"the table of the pack cannot be read: {error}") from None


class OpenBlock:
    """A block that was read. Unpacks a column when it is first wanted. Safe to share between threads."""

    def __init__(self, data: bytes, block: Block, find_dictionary: Callable[[str], bytes]) -> None:
        """PackDamaged if these are not the bytes of the block."""
        if sha256(data).hexdigest() != block.sha256:
            raise PackDamaged(f"the block at {block.offset} is not what was written")
        try:
            sizes = _FRAMES.unpack_from(data)
        except struct.error as error:
            raise PackDamaged(f"the block at {block.offset} cannot be read: {error}") from None
        starts = list(accumulate(sizes, initial=_FRAMES.size))
        self._frames = [data[start:end] for start, end in pairwise(starts)]
        self._dictionary = block.dictionary
        self._find_dictionary = find_dictionary
        self._columns: dict[str, bytes] = {}
        self.most_bytes = sum(map(_size_of, self._frames)) + len(data)
        """How many bytes of memory its columns take at most."""

        self._read_directory(_decompress(self._frames[0]))

    def _read_directory(self, raw: bytes) -> None:
        try:
            count, length = _DIRECTORY.unpack_from(raw)
            place = _DIRECTORY.size + length
            self.streams = raw[_DIRECTORY.size : place].decode().split("\n")
            self.heads = [raw[at : at + _HEAD] for at in range(place, place + count * _HEAD, _HEAD)]
            place += count * _HEAD
            self._is_raw = [bool(flag) for flag in raw[place : place + count]]
            place += count
            starts = range(place, place + _FIELDS * count * 4, count * 4)
            fields = [_read_numbers(raw[start : start + count * 4], 4) for start in starts]
            self.events, self.commands, actors, said, digests = fields
            self.after, self.parts = [0] * count, list[Part | None]([None] * count)
            if rest := raw[place + _FIELDS * count * 4 :]:
                self.after, self.parts = _read_parts(rest, count)
            if not len(self.streams) == len(self.heads) == len(self._is_raw) == len(said) == count:
                raise ValueError("its lists differ in length")
        except (struct.error, ValueError) as error:
            raise PackDamaged(f"the directory of a block cannot be read: {error}") from None
        in_form = [not is_raw for is_raw in self._is_raw]
        commands = [count * kept for count, kept in zip(self.commands, in_form, strict=True)]
        lengths = {
            "times": [count * kept for count, kept in zip(self.events, in_form, strict=True)],
            "actors": actors,
            "said": said,
            "runs": commands,
            "ids": [count * 16 for count in commands],
            "digests": digests,
        }
        self._starts = {name: list(accumulate(each, initial=0)) for name, each in lengths.items()}

    def find(self, stream: str, number: int) -> int:
        """The number itself, if it is that of the stream; PackDamaged otherwise."""
        if not (0 <= number < len(self.streams) and self.streams[number] == stream):
            raise PackDamaged(f"{stream} is not where it was put")
        return number

    def read_events(self, number: int) -> list[Any]:
        """The events of a stream; PackDamaged unless they have the hash that they had when it was sealed."""
        stream = self.streams[number]
        columns = self._take(number, with_digests=False)
        part = self.parts[number]
        before = None if part is None else part.before
        events = join_events(stream, columns, self.events[number], self._is_raw[number], self.after[number], before)
        if not events or events[-1].h != self.heads[number]:
            raise PackDamaged(f"the events of {stream} are not those that were written")
        return events

    def read_commands(self, number: int) -> list[Remembered]:
        """The commands that were remembered of a stream."""
        return join_commands(self._take(number, with_digests=True), self._is_raw[number], self.after[number])

    def read(self, number: int) -> Kept:
        """All that was kept of a stream; PackDamaged."""
        return Kept(self.streams[number], self.read_events(number), self.read_commands(number), self.parts[number])

    def _take(self, number: int, with_digests: bool) -> Columns:
        found = []
        for name in Columns._fields:
            start, end = self._starts[name][number : number + 2]
            if start == end or (name == "digests" and not with_digests):
                found.append(b"")
            elif width := _WIDTHS.get(name):
                found.append(take_planes(self._unpack(name), width, start, end - start))
            else:
                found.append(self._unpack(name)[start:end])
        return Columns(*found)

    def _unpack(self, name: str) -> bytes:
        if name not in self._columns:
            dictionary = self._find_dictionary(self._dictionary) if name == "said" and self._dictionary else None
            frame = self._frames[1 + Columns._fields.index(name)]
            self._columns[name] = _decompress(frame, dictionary)
        return self._columns[name]


def _read_numbers(planes: bytes, width: int) -> list[int]:
    raw = take_planes(planes, width, 0, len(planes) // width)
    return [int.from_bytes(raw[at : at + width], "little") for at in range(0, len(raw), width)]


def _read_parts(raw: bytes, count: int) -> tuple[list[int], list[Part | None]]:
    """The versions before parts of streams, and what is known of these parts."""
    if len(raw) != count * _PART:
        raise ValueError("its parts differ in number")
    after, copied = (_read_numbers(raw[start : start + 8 * count], 8) for start in (0, 8 * count))
    hashes = (raw[at : at + _HEAD] for at in range(16 * count, len(raw), _HEAD))
    return after, [Part(before, at) for before, at in zip(hashes, copied, strict=True)]


def _size_of(frame: bytes) -> int:
    """How many bytes a frame unpacks to; PackDamaged if it does not say, or too many."""
    try:
        size: int = zstandard.frame_content_size(frame)
    except zstandard.ZstdError as error:
        raise PackDamaged(f"a frame cannot be unpacked: {error}") from None
    if not 0 <= size <= MOST_UNPACKED:
        raise PackDamaged("a frame does not say how large it is")
    return size


def _decompress(frame: bytes, dictionary: bytes | None = None) -> bytes:
    known = None if dictionary is None else zstandard.ZstdCompressionDict(dictionary)
    _size_of(frame)
    try:
        unpacked: bytes = zstandard.ZstdDecompressor(dict_data=known).decompress(frame)
    except zstandard.ZstdError as error:
        raise PackDamaged(f"a frame cannot be unpacked: {error}") from None
    return unpacked


def train_dictionary(samples: Sequence[bytes], size: int) -> Dictionary | None:
    """A dictionary for what these samples say; None if there is too little of it."""
    try:
        data = zstandard.train_dictionary(size, list(samples)).as_bytes()
    except zstandard.ZstdError:
        return None
    return Dictionary(sha256(data).hexdigest(), data)
