"""A reader of packs that was written from docs/archive-format.md alone."""

import json
from hashlib import sha256
from struct import iter_unpack, unpack_from

from zstandard import ZstdCompressionDict, ZstdDecompressor

COLUMNS = ("times", "actors", "said", "runs", "ids", "digests")


def unpack(frame: bytes, dictionary: bytes | None = None) -> bytes:
    return ZstdDecompressor(dict_data=ZstdCompressionDict(dictionary) if dictionary else None).decompress(frame)


def straighten(raw: bytes, width: int) -> bytes:
    count = len(raw) // width
    return bytes(raw[place * count + number] for number in range(count) for place in range(width))


def read_pack(data: bytes, dictionaries: dict[str, bytes]) -> dict[str, tuple[list[bytes], list[tuple]]]:
    """The events and commands of each stream of a pack; of copies, by stream, version before, and time of the copy."""
    assert data[:8] == data[-8:] == b"PLYPACK1"
    offset, length, count, events, digest = unpack_from("<QIIQ32s", data, len(data) - 64)
    assert sha256(data[:-64]).digest() == digest
    table = json.loads(unpack(data[offset : offset + length]))
    assert table["format"] == 1
    found = {}
    for block in table["blocks"]:
        raw = data[block["offset"] : block["offset"] + block["length"]]
        assert sha256(raw).hexdigest() == block["sha256"]
        streams = read_block(raw, dictionaries.get(block["dictionary"]))
        assert sorted(streams) == list(streams)
        ids = [id if isinstance(id, str) else id[0] for id in streams]
        assert (len(ids), min(ids), max(ids)) == (block["streams"], block["first"], block["last"])
        assert sum(len(lines) for lines, _ in streams.values()) == block["events"]
        found |= streams
    assert (len(found), sum(len(lines) for lines, _ in found.values())) == (count, events)
    return found


def read_block(raw: bytes, dictionary: bytes | None) -> dict[str, tuple[list[bytes], list[tuple]]]:
    frames, place = [], 28
    for length in unpack_from("<7I", raw):
        frames.append(raw[place : place + length])
        place += length
    directory = unpack(frames[0])
    columns = {
        name: unpack(frame, dictionary if name == "said" else None)
        for name, frame in zip(COLUMNS, frames[1:], strict=True)
    }
    columns["times"], columns["runs"] = straighten(columns["times"], 8), straighten(columns["runs"], 4)
    n, length = unpack_from("<II", directory)
    ids = directory[8 : 8 + length].decode().split("\n")
    place = 8 + length
    heads = [directory[place + 32 * number :][:32] for number in range(n)]
    forms = directory[place + 32 * n :][:n]
    place += 33 * n
    fields = [
        [number for (number,) in iter_unpack("<I", straighten(directory[place + 4 * n * field :][: 4 * n], 4))]
        for field in range(5)
    ]

    place += 20 * n
    copied = None
    if place < len(directory):
        after, at = (straighten(directory[place + 8 * n * field :][: 8 * n], 8) for field in range(2))
        hashes = directory[place + 16 * n :]
        copied = list(zip(iter_unpack("<Q", after), iter_unpack("<Q", at), iter_unpack("32s", hashes), strict=True))

    def take(name: str, size: int) -> bytes:
        taken, columns[name] = columns[name][:size], columns[name][size:]
        return taken

    found = {}
    rows = zip(ids, heads, forms, *fields, strict=True)
    for number, (id, head, form, events, commands, actors, said, digests) in enumerate(rows):
        (after,), (at,), (before,) = copied[number] if copied else ((0,), (0,), (sha256(id.encode()).digest(),))
        events_here, commands_here = (0, 0) if form else (events, commands)
        parts = [
            take("times", 8 * events_here),
            take("actors", actors),
            take("said", said),
            take("runs", 4 * commands_here),
            take("ids", 16 * commands_here),
            take("digests", digests),
        ]
        lines, known = read_as_it_is(parts[2], parts[5]) if form else read_columns(*parts, after + 1)
        link = before
        for line in lines:
            link = sha256(link + line).digest()
        assert link == head
        assert (len(lines), len(known)) == (events, commands)
        found[(id, after, at) if copied else id] = lines, known
    return found


def read_columns(times: bytes, actors: bytes, said: bytes, runs: bytes, ids: bytes, digests: bytes, start: int):
    lines, commands, at, version = [], [], 0, start
    steps = [step for (step,) in iter_unpack("<q", times)]
    who, what = actors.split(b"\n"), said.split(b"\n")
    for number, (run,) in enumerate(iter_unpack("<I", runs)):
        id, first = ids[16 * number :][:16], version
        if run >> 31:
            run -= 1 << 31
            move = json.loads(b"{" + what[version - start] + b"}")["data"]["move"]
            digest = sha256(b'{"move":"' + move.encode() + b'"}').digest()[:8]
        else:
            digest, digests = digests[:8], digests[8:]
        for _ in range(run):
            at += steps[version - start]
            by, rest = who[version - start].decode(), what[version - start].decode()
            line = f'{{"at":{at},"by":"{by}","cause":"{id.hex()}",{rest}'
            lines.append(f'{line},"version":{version}}}'.encode())
            version += 1
        commands.append((id, digest, first, version - 1))
    return lines, commands


def read_as_it_is(said: bytes, digests: bytes):
    lines = []
    while said:
        (length,) = unpack_from("<I", said)
        lines.append(said[4 : 4 + length])
        said = said[4 + length :]
    return lines, list(iter_unpack("<16s8sQQ", digests))
