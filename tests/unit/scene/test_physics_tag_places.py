"""Tags of physics stand apart, beside the body, and where they stood."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QRectF

from app.marks.physics_tag_places import PhysicsTagPlaces, Tag

ROOM = QRectF(5.0, 5.0, 790.0, 560.0)
CUBE = QRectF(700.0, 20.0, 80.0, 80.0)
WIDTH = 48.0


def lying(rng: np.random.Generator) -> np.ndarray:
    """Return places all over a body that lies across the middle, 320 px long and 60 high, shape (m, 2)."""
    return np.array([400.0, 300.0]) + rng.uniform(-1.0, 1.0, (3000, 2)) * [160.0, 30.0]


def pushed(rng: np.random.Generator, count: int) -> list[Tag]:
    """Return tags of forces that push the lying body upwards."""
    tips = np.array([400.0, 300.0]) + rng.uniform(-1.0, 1.0, (count, 2)) * [150.0, 20.0]
    return [
        Tag(k, f"{k + 1}00 N", "force", (x, y), (x - float(rng.normal()), y + 30.0)) for k, (x, y) in enumerate(tips)
    ]


def moved(tags: list[Tag], rng: np.random.Generator, far: float) -> list[Tag]:
    return [tag._replace(at=tuple((tag.at + far * rng.normal(size=2)).tolist())) for tag in tags]


@pytest.mark.parametrize("seed", range(6))
def test_tags_of_a_lying_body_stand_apart_and_beside_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    body, tags = lying(rng), pushed(rng, 8)
    boxes = [box for _, box in PhysicsTagPlaces().place(tags, [WIDTH] * 8, ROOM, body, [CUBE])]
    assert len(boxes) == 8, "there is room for all"
    assert not any(a.intersects(b) for a, b in combinations([*boxes, CUBE], 2))
    figure = QRectF(240.0, 270.0, 320.0, 60.0)
    assert not any(box.intersects(figure) for box in boxes)


@pytest.mark.parametrize("seed", range(4))
def test_tags_keep_their_places_while_tips_tremble(seed: int) -> None:
    rng = np.random.default_rng(seed)
    body, tags, places = lying(rng), pushed(rng, 6), PhysicsTagPlaces()
    before = {tag.key: box for tag, box in places.place(tags, [WIDTH] * 6, ROOM, body, [])}
    for _ in range(60):
        found = {tag.key: box for tag, box in places.place(moved(tags, rng, 0.7), [WIDTH] * 6, ROOM, body, [])}
        assert found.keys() == before.keys()
        for key, box in found.items():
            assert (box.center() - before[key].center()).manhattanLength() < 10.0, "it trembles, but does not jump"
        assert not any(a.intersects(b) for a, b in combinations(found.values(), 2))


def test_a_newcomer_pushes_nobody_away() -> None:
    rng = np.random.default_rng(1)
    body, places = lying(rng), PhysicsTagPlaces()
    tags = pushed(rng, 5)
    before = dict(places.place(tags[1:], [WIDTH] * 4, ROOM, body, []))
    after = dict(places.place(tags, [WIDTH] * 5, ROOM, body, []))
    assert {tag: box for tag, box in after.items() if tag.key} == before


def test_tags_that_move_together_part_again() -> None:
    places, body = PhysicsTagPlaces(), np.zeros((0, 2))
    tags = [Tag(k, "9 N", "force", (200.0 + 200.0 * k, 300.0), (200.0 + 200.0 * k, 330.0)) for k in range(3)]
    places.place(tags, [WIDTH] * 3, ROOM, body, [])
    close = [tag._replace(at=(300.0 + 4.0 * k, 300.0), start=(300.0, 330.0)) for k, tag in enumerate(tags)]
    found = [box for _, box in places.place(close, [WIDTH] * 3, ROOM, body, [])]
    assert len(found) == 3 and not any(a.intersects(b) for a, b in combinations(found, 2))


def test_what_has_no_room_is_left_out() -> None:
    tags = pushed(np.random.default_rng(0), 4)
    full = [QRectF(0.0, 0.0, 800.0, 600.0)]
    assert PhysicsTagPlaces().place(tags, [WIDTH] * 4, ROOM, np.zeros((0, 2)), full) == []
    assert PhysicsTagPlaces().place([], [], ROOM, np.zeros((0, 2)), []) == []
