"""Selections of keys: sets of (frame, channel), against plain sets of pairs."""

import numpy as np
import pytest

from app.document.content.key_selection import ALL, NOTHING, KeySelection
from core.animation import Sequence
from core.animation.sorted_keys import key_table
from core.formats.bundled import bundled_path
from core.skeleton import read_scr

PATH = bundled_path("skeletons:stickman.scr")
MAN = read_scr(PATH.read_text(), PATH.name, PATH.parent, PATH)


@pytest.fixture
def sequence():
    made, random = Sequence(MAN), np.random.default_rng(2)
    names = made.channels.names
    for frame in range(0, 60, 3):
        chosen = None if random.random() < 0.3 else random.choice(names, size=4, replace=False).tolist()
        made.set_key(frame, np.zeros(MAN.nq), keyed=chosen)
    return made


def pairs(selection, sequence):
    return {(key.frame, name) for key in sequence.keys for name in sequence.channels if key.keys(name)
            and (key.frame, name) in selection}  # fmt: skip


def test_algebra_is_that_of_sets(sequence):
    random, every = np.random.default_rng(7), sequence.channels.all
    names = sequence.channels.names

    def some():
        parts = {}
        for frame in random.choice(sequence.keys.frames, size=8).tolist():
            parts[frame] = ALL if random.random() < 0.4 else random.choice(names, size=3).tolist()
        return KeySelection(parts, every)

    for _ in range(50):
        a, b = some(), some()
        mine, theirs = pairs(a, sequence), pairs(b, sequence)
        assert pairs(a | b, sequence) == mine | theirs
        assert pairs(a & b, sequence) == mine & theirs
        assert pairs(a - b, sequence) == mine - theirs
        assert pairs(a ^ b, sequence) == mine ^ theirs
        assert pairs(a.within(sequence), sequence) == mine
        mask = a.mask(sequence.keys.table, sequence.channels)
        table = sequence.keys.table
        assert {(int(table.frames[i]), names[j]) for i, j in np.argwhere(mask)} == mine
        again = KeySelection.of_mask(table, sequence.channels, mask)
        assert pairs(again, sequence) == mine and again == a.within(sequence)
        assert hash(again) == hash(a.within(sequence))
        assert pairs(a.only(names[:2]), sequence) == {pair for pair in mine if pair[1] in names[:2]}


def test_selections_are_made_of_frames_parts_and_masks(sequence):
    assert KeySelection.of_frames([3, 1]).frames == (1, 3) and KeySelection.of_frames([3]).whole
    some = KeySelection({4: ["a", "b"], 7: ["a"]})
    assert some.parts == {4: {"a", "b"}, 7: {"a"}} and some.channels == {"a", "b"} and not some.whole
    assert (4, "a") in some and (7, "b") not in some and 7 in some and 5 not in some
    assert KeySelection({3: ["a", "b"]}, frozenset("ab")).parts == {3: ALL}, "all names are the whole key"
    table, channels = sequence.keys.table, sequence.channels
    box = KeySelection.of_mask(table, channels, ((table.frames >= 6) & (table.frames <= 12))[:, None])
    assert box.frames == (6, 9, 12) and box.whole
    name = channels.names[2]
    column = KeySelection.of_mask(table, channels, np.arange(len(channels)) == 2)
    assert list(column.frames) == sequence.keys.channel_frames(name).tolist()
    moved = column.moved(lambda frame: frame + 100)
    assert moved.frames == tuple(frame + 100 for frame in column.frames) and moved.channels == {name}
    assert not NOTHING and len(box) == 3 and list(box) == [6, 9, 12]
    with pytest.raises(ValueError, match="all channels are known"):
        KeySelection.of_frames([3]) - KeySelection({3: ["a"]})


def test_a_hundred_thousand_keys_are_selected_and_masked():
    base = Sequence(MAN).set_key(0, np.zeros(MAN.nq))
    keys = tuple(base.moved(frame) for frame in range(100_000))
    channels = Sequence(MAN).channels
    table = key_table(keys, channels)
    mask = np.zeros(table.keyed.shape, dtype=bool)
    mask[::2, 1:4] = True
    mask[1::2] = True
    selection = KeySelection.of_mask(table, channels, mask)
    assert (selection.mask(table, channels) == mask).all()
    assert len(selection - KeySelection.of_frames(range(0, 100_000, 2))) == 50_000
