"""Contacts of feet found in captured motion, against marks that a person made.

The marks are the frames from which to which a foot is on the ground, heel or toes. They were read off plots of the
heights and speeds of heel and toes: it lands where its heel stops falling and slows down, and leaves where its toes
speed up and rise.

Blind, that is before contacts were looked for in them, were marked: the jumps forward (``01_01.amc``) and the steps
that drag (``z_up_zombie.bvh``), from plots; the dance (``fair1_dab.bvh``), the turn (``pybvh_mixed_orders.bvh``) and
the ride (``louise_optitrack.bvh`` from frame 1000 on), from plots and from pictures of both feet at every frame. The
others were not.
"""

from __future__ import annotations

import numpy as np
import pytest

from core.animation.contacts.finding import find_contacts
from core.formats import load

Marks = tuple[tuple[int, int], ...]

MARKS: dict[str, tuple[Marks, Marks]] = {
    "bvh/cmu_12_01_walk.bvh": (
        ((1, 48), (104, 195), (258, 349), (411, 514)),
        ((23, 118), (177, 269), (331, 426), (488, 523)),
    ),
    "bvh/walk01.bvh": (((10, 26), (38, 51), (63, 77), (90, 100)), ((0, 12), (24, 38), (51, 64), (77, 90))),
    "asfamc/02_03.amc": (((54, 79), (149, 172)), ((8, 35), (103, 125))),
    "bvh/cmu_jumping_jacks.bvh": (
        ((0, 20), (30, 36), (45, 51), (62, 67), (77, 83), (93, 98), (108, 124)),
        ((0, 20), (30, 35), (45, 51), (61, 67), (77, 83), (93, 98), (108, 121)),
    ),
    "bvh/z_up_zombie.bvh": (
        (
            (0, 42), (64, 96), (118, 149), (167, 194), (214, 239), (260, 285), (305, 332), (352, 376), (399, 431),
            (454, 482), (507, 538), (563, 589), (614, 641), (662, 686), (708, 723), (746, 778),
        ),
        (
            (0, 73), (94, 123), (144, 170), (190, 216), (237, 263), (282, 311), (329, 356), (374, 403), (424, 457),
            (480, 510), (535, 563), (587, 614), (638, 666), (680, 709), (722, 748),
        ),
    ),
    "bvh/louise_optitrack.bvh": (((0, 480), (512, 599), (765, 900)), ((0, 522), (590, 803))),
    "asfamc/01_01.amc": (
        (
            (0, 224), (275, 427), (471, 593), (646, 780), (835, 1083), (1120, 1284), (1338, 1545), (1595, 1774),
            (1829, 2034), (2079, 2211), (2266, 2429), (2483, 2629), (2685, 2750),
        ),
        (
            (0, 223), (276, 426), (471, 592), (645, 780), (835, 1045), (1077, 1135), (1172, 1284), (1338, 1543),
            (1596, 1773), (1829, 1984), (2021, 2210), (2265, 2428), (2483, 2628), (2684, 2750),
        ),
    ),
    "bvh/fair1_dab.bvh": (
        (
            (0, 177), (181, 196), (200, 205), (209, 213), (219, 223), (227, 231), (236, 240), (244, 249), (253, 258),
            (263, 269), (278, 338),
        ),
        (
            (0, 42), (62, 108), (115, 152), (156, 179), (184, 187), (192, 196), (201, 203), (209, 211), (218, 223),
            (228, 231), (236, 240), (245, 250), (254, 257), (263, 268), (278, 338),
        ),
    ),
    "bvh/pybvh_mixed_orders.bvh": (((0, 2), (7, 21), (28, 52), (57, 67)), ((0, 35), (50, 74))),
}  # fmt: skip
"""A walk at 120 frames a second whose first frame is a T pose, one at 24 whose feet stay 3 to 7 cm above the floor, a
run, hops on the spot, steps that drag, someone who gets on a bicycle and rests a foot on its pedal, jumps forward
between which feet shuffle, a dance of twists on the toes and quick small steps, and someone who shifts and turns; of
the feet in the order of their joints."""

READ: dict[str, dict[str, object]] = {
    "bvh/z_up_zombie.bvh": {"up": "auto", "height": 1.75},
    "bvh/louise_optitrack.bvh": {"last": 1000},
    "bvh/fair1_dab.bvh": {"up": "auto", "height": 1.75},
    "bvh/pybvh_mixed_orders.bvh": {"up": "auto"},
}
"""What a clip is read with: some say neither which way is up nor how long their unit is, and of the bicycle only the
beginning has steps."""

RIDE, SLOW, STILL = (1000, 2990), (2285, 2336), ((2309, 2318), (2306, 2320))
"""Frames of a ride on a bicycle, those in which its pedals slow down, and in which they rest under each foot."""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", MARKS)
def test_contacts_are_those_that_a_person_marked(data_folder, name):
    contacts = find_contacts(load(data_folder / name, **READ.get(name, {})).sequences[0])
    at = np.flatnonzero(contacts.frames == np.round(contacts.frames))
    frames = contacts.frames[at]
    both = found = marked = 0
    for touching, marks in zip(contacts.touching, MARKS[name], strict=True):
        down = touching[:, at].any(axis=0)
        truth = np.any([(frames >= a) & (frames <= b) for a, b in marks], axis=0)
        both, found, marked = both + int((down & truth).sum()), found + int(down.sum()), marked + int(truth.sum())
    assert both >= 0.9 * found, f"precision {both / found:.3f}"
    assert both >= 0.9 * marked, f"recall {both / marked:.3f}"


def test_feet_that_pedal_touch_nothing_but_pedals_that_rest(data_folder):
    """In a ride of twenty seconds no foot touches the ground; where pedals rest, feet rest on them.

    When that begins and ends is not sharp: feet slow down from 0.6 m/s in a tenth of a second. Of the frames that are
    found less than half were marked as rest, below 0.25 m/s, but they lie in the halt around it.
    """
    contacts = find_contacts(load(data_folder / "bvh/louise_optitrack.bvh", last=RIDE[1]).sequences[0])
    at = np.flatnonzero((contacts.frames == np.round(contacts.frames)) & (contacts.frames >= RIDE[0]))
    frames = contacts.frames[at]
    for touching, (first, last) in zip(contacts.touching, STILL, strict=True):
        down = frames[touching[:, at].any(axis=0)]
        assert set(range(first, last + 1)) <= set(down)
        assert SLOW[0] <= down.min() and down.max() <= SLOW[1]
