"""Contacts of feet found in captured motion, against marks that a person made.

The marks are the frames from which to which a foot is on the ground, heel or toes. They were read off plots of the
heights and speeds of heel and toes: it lands where its heel stops falling and slows down, and leaves where its toes
speed up and rise.
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
}
"""A walk at 120 frames a second whose first frame is a T pose, one at 24 whose feet stay 3 to 7 cm above the floor, a
run, and hops on the spot; of the feet in the order of their joints."""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", MARKS)
def test_contacts_are_those_that_a_person_marked(data_folder, name):
    contacts = find_contacts(load(data_folder / name).sequences[0])
    at = np.flatnonzero(contacts.frames == np.round(contacts.frames))
    frames = contacts.frames[at]
    both = found = marked = 0
    for touching, marks in zip(contacts.touching, MARKS[name], strict=True):
        down = touching[:, at].any(axis=0)
        truth = np.any([(frames >= a) & (frames <= b) for a, b in marks], axis=0)
        both, found, marked = both + int((down & truth).sum()), found + int(down.sum()), marked + int(truth.sum())
    assert both >= 0.9 * found, f"precision {both / found:.3f}"
    assert both >= 0.9 * marked, f"recall {both / marked:.3f}"
