"""Packs: everything comes back byte for byte, and nothing that was altered is taken for what was written."""

from hashlib import sha256
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plyscribe.domain.chain import first_link, link_all
from plyscribe.service.archive import packs
from plyscribe.service.archive.errors import PackDamaged
from plyscribe.service.archive.stream_columns import Kept, split_stream
from plyscribe.service.store.port import CommandKey, Remembered
from tests.archive.given import make_foreign, make_match, make_match_with_dice
from tests.archive.stranger import read_pack

SOME = [*map(make_match, range(8)), *(make_match(n, "pathagon") for n in range(10, 14)), make_match_with_dice(20)]


def label(kept: Kept) -> packs.Labelled:
    return packs.Labelled("zhen-v1" if kept.stream < "match-m" else "pathagon-v1", kept)


def open_blocks(pack: packs.Pack, dictionaries: dict[str, bytes]) -> list[packs.OpenBlock]:
    footer = packs.parse_footer(pack.data)
    table = packs.parse_table(pack.data[footer.table_offset :][: footer.table_length])
    return [
        packs.OpenBlock(pack.data[block.offset : block.offset + block.length], block, dictionaries.__getitem__)
        for block in table
    ]


def read_all(pack: packs.Pack, dictionaries: dict[str, bytes] | None = None) -> list[Kept]:
    return [
        block.read(number) for block in open_blocks(pack, dictionaries or {}) for number in range(len(block.streams))
    ]


def ordered(streams: list[Kept]) -> list[Kept]:
    return [each.kept for each in sorted(map(label, streams), key=lambda each: (each.label, each.kept.stream))]


def same(kept: Kept) -> Kept:
    return Kept(kept.stream, list(kept.events), list(kept.commands))


def test_everything_comes_back_from_columns_or_as_it_is():
    all_kept = [*SOME, make_foreign(30), make_foreign(31)]
    assert [bool(split_stream(each)[1]) for each in all_kept] == [False] * len(SOME) + [True] * 2
    pack = packs.build_pack(map(label, all_kept), {})
    assert packs.build_pack(map(label, reversed(all_kept)), {}).data == pack.data
    assert read_all(pack) == [same(each) for each in ordered(all_kept)]
    assert pack.name == packs.name_pack(pack.data) == sha256(pack.data).hexdigest()[:32]
    assert packs.parse_footer(pack.data)[2:4] == (len(all_kept), sum(len(each.events) for each in all_kept))
    with pytest.raises(ValueError, match="twice"):
        packs.build_pack([label(SOME[0]), label(SOME[0])], {})


def test_a_stranger_reads_a_pack_by_the_documentation_alone():
    trained = packs.train_dictionary([split_stream(each)[0].said for each in SOME * 20], 4096)
    assert trained is not None
    pack = packs.build_pack(map(label, [*SOME, make_foreign(30)]), {"zhen-v1": trained})
    found = read_pack(pack.data, {trained.digest: trained.data})
    assert found == {
        each.stream: ([e for _, e, _ in each.events], [(*key, first, last) for key, first, last in each.commands])
        for each in (*SOME, make_foreign(30))
    }


@pytest.mark.parametrize(
    "spoil",
    [
        lambda kept: kept._replace(commands=kept.commands[1:]),
        lambda kept: kept._replace(commands=[*kept.commands, Remembered(CommandKey(b"1" * 16, b"2" * 8), 9, 9)]),
        lambda kept: kept._replace(commands=[]),
        lambda kept: _changed(kept, b'"seat":1', b'"seat": 1'),
        lambda kept: _changed(kept, b'{"at":', b'{"at":0'),
        lambda kept: _changed(kept, b'"version":3}', b'"version":4}'),
        lambda kept: _changed(kept, b'"by":"', b'"by":"\\u00e9'),
        lambda kept: _changed(kept, b'{"at":', b'\n{"at":'),
        lambda kept: _changed(kept, b'"cause":"', b'"cause":"A'),
    ],
)
def test_a_stream_of_another_form_comes_back_too(spoil):
    kept = spoil(make_match(1))
    assert read_all(packs.build_pack([label(kept)], {})) == [same(kept)]


def _changed(kept: Kept, old: bytes, new: bytes) -> Kept:
    lines = [event.e.replace(old, new) for event in kept.events]
    return kept._replace(events=link_all(first_link(kept.stream), 1, lines))


NEARLY = rb'\{"at":[0-9]{1,17},"by":"[a-z\n]*","cause":"[0-9a-f]{32}",.*,"version":[0-9]\}'
LINES = st.lists(st.binary(max_size=80) | st.from_regex(NEARLY, fullmatch=True), min_size=1, max_size=6)
COMMANDS = st.lists(
    st.builds(
        Remembered,
        st.builds(CommandKey, st.binary(min_size=16, max_size=16), st.binary(min_size=8, max_size=8)),
        st.integers(1, 9),
        st.integers(1, 2**40),
    ),
    max_size=4,
)


@given(LINES, COMMANDS)
@settings(max_examples=150, deadline=None)
def test_whatever_a_stream_has_comes_back(lines, commands):
    kept = Kept("match-x", link_all(first_link("match-x"), 1, lines), commands)
    assert read_all(packs.build_pack([packs.Labelled("other", kept)], {})) == [same(kept)]


def test_a_digest_that_follows_from_the_move_is_not_written():
    kept = make_match(1)
    derived = [
        each._replace(command=CommandKey(each.command.id, sha256(b'{"move":"%b"}' % move).digest()[:8]))
        for each in kept.commands
        for move in [kept.events[each.first - 1].e.partition(b'{"move":"')[2].partition(b'"')[0]]
    ]
    known = kept._replace(commands=derived)
    assert read_all(packs.build_pack([label(known)], {})) == [same(known)]
    moves = sum(b'"type":"move-made"' in event.e for event in kept.events)
    assert len(split_stream(kept)[0].digests) - len(split_stream(known)[0].digests) == 8 * moves


def test_a_block_has_at_most_so_many_bytes_unless_it_has_one_stream():
    pack = packs.build_pack([packs.Labelled("zhen-v1", make_match(number)) for number in range(80)], {})
    blocks = open_blocks(pack, {})
    assert len(blocks) > 1
    assert all(block.most_bytes - packs.BLOCK_BYTES < 32 * 1024 for block in blocks)
    rng, stream = Random(1), "match-long"
    lines = [b'{"text":"%b"}' % rng.randbytes(99).hex().encode() for _ in range(3000)]
    long = Kept(stream, link_all(first_link(stream), 1, lines), [])
    assert (
        len(
            open_blocks(
                packs.build_pack([packs.Labelled("other", long), packs.Labelled("other", make_match(1))], {}), {}
            )
        )
        == 2
    )


def test_each_stream_is_in_its_slot():
    pack = packs.build_pack(map(label, SOME), {})
    blocks = open_blocks(pack, {})
    for kept in SOME:
        block, number = pack.slots[kept.stream]
        assert blocks[block].find(kept.stream, number) == number
        place = packs.PackPlace(pack.name, pack.slots[kept.stream]).format()
        assert len(place) == 20
        assert packs.parse_place(place) == packs.PackPlace(pack.name, packs.Slot(block, number))
    with pytest.raises(PackDamaged):
        blocks[0].find("match-other", 0)
    with pytest.raises(PackDamaged):
        blocks[0].find(SOME[0].stream, 99)
    with pytest.raises(PackDamaged):
        packs.parse_place(b"nowhere")


@pytest.mark.parametrize("seed", range(60))
def test_no_altered_byte_is_taken_for_what_was_written(seed):
    """A block checks itself, so that a match can be read without the rest of its pack."""
    trained = packs.Dictionary(
        "d", packs.train_dictionary([split_stream(each)[0].said for each in SOME * 20], 4096).data
    )
    pack, rng = packs.build_pack(map(label, SOME), {"zhen-v1": trained}), Random(seed)
    before = read_all(pack, {"d": trained.data})
    place = rng.randrange(len(pack.data) - packs.FOOTER.size)
    altered = bytearray(pack.data)
    altered[place] ^= 1 << rng.randrange(8)
    assert packs.name_pack(bytes(altered)) != pack.name
    try:
        after = read_all(pack._replace(data=bytes(altered)), {"d": trained.data})
    except (PackDamaged, KeyError):
        return
    # The magic and a few bits of the table mean nothing to who reads a stream.
    assert after == before


@pytest.mark.parametrize("end", [b"", b"PLYPACK1", bytes(64), bytes(56) + b"PLYPACK2"])
def test_what_has_no_end_is_no_pack(end):
    with pytest.raises(PackDamaged):
        packs.parse_footer(end)
    with pytest.raises(PackDamaged):
        packs.parse_table(end)
