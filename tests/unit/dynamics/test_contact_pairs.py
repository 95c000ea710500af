"""Where shapes touch: gaps against exact ones, points of patches, numbers that stay, compiled and not."""

from __future__ import annotations

import numpy as np
import pytest

from core.dynamics.contact import pairs_kernel
from core.dynamics.contact.contact_set import ContactSet
from core.dynamics.contact.packing import MOST_FLOOR
from core.dynamics.contact.shapes import Box, Capsule, Geometry, Hull, Shape, Sphere
from core.dynamics.contact.world import Floor, World
from core.kernels import load
from core.spatial import se3, so3
from tests.support.convex_oracle import KINDS, corners, exact_gap, free_bodies, pair, random_pose, random_shape

POINT, NORMAL, GAP, FRICTION = slice(0, 3), slice(3, 6), 6, 7
CORNER_TURNS = [
    so3.exp(np.array(turn) * np.pi / 4.0) for turn in ([0, 0, 0], [2, 0, 0], [0, 2, 0], [1, 0, 0], [0, 0, 1])
]


def at(x: float, y: float, z: float, turn: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> np.ndarray:
    return se3.transform(so3.exp(np.array(turn)), (x, y, z))


def touch(a: Shape, X_a: np.ndarray, b: Shape, X_b: np.ndarray, reach: float = 10.0) -> tuple[np.ndarray, np.ndarray]:
    return pair(a, b).find(np.stack([X_a, X_b]), np.full(2, reach))


def check(a: Shape, X_a: np.ndarray, b: Shape, X_b: np.ndarray, exact: float, swapped: bool = True) -> None:
    """The least gap is the exact one, every row lies on b, its numbers differ, and b with a is the mirror image.

    Of points that are deepest to a millionth, those are kept that reach farthest.
    """
    rows, numbers = touch(a, X_a, b, X_b, 100.0)
    assert rows[:, GAP].min() == pytest.approx(exact, abs=1e-6)
    assert 1 <= len(rows) <= 4 and len(set(numbers.tolist())) == len(rows)
    np.testing.assert_allclose(np.linalg.norm(rows[:, NORMAL], axis=1), 1.0, atol=1e-12)
    if exact + a.radius + b.radius > 1e-6:
        for row in rows:
            for shape, X, end in ((b, X_b, row[POINT]), (a, X_a, row[POINT] + row[GAP] * row[NORMAL])):
                # Beside the nearest points the ends of round ones that lean are taken along the common normal.
                off = abs(exact_gap(Sphere(0.0), se3.transform(translation=end), shape, X))
                assert off < 1e-6 + 0.035 * shape.radius
    if swapped:
        mirrored, _ = touch(b, X_b, a, X_a, 100.0)
        assert mirrored[:, GAP].min() == pytest.approx(exact, abs=1e-6)
        deepest, other = rows[np.argmin(rows[:, GAP])], mirrored[np.argmin(mirrored[:, GAP])]
        alone = float(np.ptp(np.sort(rows[:, GAP])[:2]))
        if len(rows) == len(mirrored) == 1 or alone > 1e-6:
            np.testing.assert_allclose(deepest[NORMAL], -other[NORMAL], atol=1e-6)
            np.testing.assert_allclose(deepest[POINT] + exact * deepest[NORMAL], other[POINT], atol=1e-6)


def _random_pairs(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    for k in range(count):
        size = 10.0 ** rng.uniform(-2.0, 2.0) if k % 3 == 0 else 1.0
        a = random_shape(rng, KINDS[rng.integers(4)], size if k % 2 else 1.0)
        b = random_shape(rng, KINDS[rng.integers(4)])
        X_a, X_b = (random_pose(rng, 0.5 * max(size, 0.3)) for _ in range(2))
        rows, _ = touch(a, X_a, b, X_b, 100.0 * max(size, 1.0))
        exact = exact_gap(a, X_a, b, X_b)
        assert abs(rows[:, GAP].min() - exact) < 1e-13 * max(size, 1.0)


def test_gaps_of_random_pairs_are_exact() -> None:
    _random_pairs(0, 120)


@pytest.mark.verify
def test_gaps_of_many_random_pairs_are_exact() -> None:
    _random_pairs(1, 8000)


def _lattice_shape(rng: np.random.Generator) -> Shape:
    sizes = rng.choice([0.0, 0.1, 0.2, 0.25], 3)
    kind = KINDS[rng.integers(4)]
    if kind == "sphere":
        return Sphere(float(sizes[0]))
    if kind == "capsule":
        return Capsule(float(sizes[0]), float(sizes[1]))
    if kind == "box":
        return Box(sizes)
    return Hull(rng.choice([-0.2, -0.1, 0.0, 0.1, 0.2], (int(rng.integers(1, 9)), 3)))


def _lattice_pairs(seed: int, count: int) -> None:
    """Aligned, touching, parallel, flat, without any size, and by rounding or little not quite so."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        a, b = _lattice_shape(rng), _lattice_shape(rng)
        tilt = so3.exp(rng.normal(size=3) * rng.choice([0.0, 0.0, 1e-12, 1e-9, 1e-6, 1e-3]))
        places = rng.choice([-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.05], (2, 3))
        places += rng.normal(size=(2, 3)) * rng.choice([0.0, 0.0, 1e-12, 1e-9, 1e-6], (2, 1))
        X_a = se3.transform(CORNER_TURNS[rng.integers(5)], places[0])
        X_b = se3.transform(CORNER_TURNS[rng.integers(5)] @ tilt, places[1])
        exact = exact_gap(a, X_a, b, X_b)
        check(a, X_a, b, X_b, exact, swapped=exact + a.radius + b.radius > 1e-6)


@pytest.mark.verify
def test_aligned_touching_flat_and_sizeless_shapes() -> None:
    _lattice_pairs(0, 200)


@pytest.mark.verify
def test_many_aligned_touching_flat_and_sizeless_shapes() -> None:
    _lattice_pairs(1, 8000)


@pytest.mark.parametrize("gap", [-0.02, -1e-6, -1e-10, 0.0, 1e-10, 1e-6, 0.002])
def test_a_box_on_a_box_stands_on_four_points(gap: float) -> None:
    a, b = Box([0.2, 0.1, 0.2]), Box([0.3, 0.3, 0.3])
    X_a = at(0.01, 0.4 + gap, -0.02, (0.0, 0.4, 0.0))
    rows, _ = touch(a, X_a, b, np.eye(4), 0.01)
    np.testing.assert_allclose(rows[:, GAP], gap, atol=1e-12)
    np.testing.assert_allclose(rows[:, NORMAL], np.tile([0.0, 1.0, 0.0], (4, 1)), atol=1e-7)
    np.testing.assert_allclose(rows[:, 1], 0.3, atol=1e-7)
    lowest = corners(a, X_a)[[0, 1, 4, 5]]
    found = rows[np.lexsort(rows[:, :3].round(6).T)][:, [0, 2]]
    np.testing.assert_allclose(found, lowest[np.lexsort(lowest.round(6).T)][:, [0, 2]], atol=1e-9)


def test_equal_boxes_turned_by_an_eighth_keep_four_of_eight_points_that_hold_the_middle() -> None:
    rows, numbers = touch(Box([0.2] * 3), at(0.0, 0.4, 0.0, (0.0, np.pi / 4, 0.0)), Box([0.2] * 3), np.eye(4), 0.01)
    assert len(rows) == 4
    turns = np.sort(np.arctan2(rows[:, 2], rows[:, 0]))
    assert np.diff(np.append(turns, turns[0] + 2.0 * np.pi)).max() < 0.75 * np.pi  # the middle is well inside
    assert (numbers >> 12 & 3 == 3).all()  # crossings of edges


@pytest.mark.parametrize("half", [10.0, 1e3, 1e5])
@pytest.mark.parametrize("gap", [-1e-3, -1e-6, -1e-9, 0.0, 1e-9, 1e-6, 1e-3])
def test_little_things_stand_on_a_huge_box(half: float, gap: float) -> None:
    small = {Box((0.05,) * 3): 4, Hull(Box((0.05,) * 3).polytope.points): 4, Capsule(0.05, 0.1): 2, Sphere(0.05): 1}
    for shape, count in small.items():
        rows, _ = touch(shape, at(3.0, half + 0.05 + gap, -2.0, (0.0, 0.3, 0.0)), Box([half] * 3), np.eye(4), 0.01)
        assert len(rows) == count
        np.testing.assert_allclose(rows[:, GAP], gap, atol=1e-13 * half + 1e-12)
        np.testing.assert_allclose(rows[:, NORMAL], np.tile([0.0, 1.0, 0.0], (count, 1)), atol=1e-9)


def test_numbers_stay_while_a_stack_trembles() -> None:
    rng = np.random.default_rng(3)
    contacts = pair(Box([0.2] * 3), Box([0.2] * 3))
    expected = None
    for _ in range(50):
        shaken = at(0.0, 0.4, 0.0, tuple(rng.normal(size=3) * 1e-9)) @ se3.transform(
            translation=rng.normal(size=3) * 1e-9
        )
        rows, numbers = contacts.find(np.stack([shaken, np.eye(4)]), np.full(2, 0.003))
        assert len(rows) == 4
        if expected is None:
            expected = sorted(numbers.tolist())
        assert sorted(numbers.tolist()) == expected


def test_a_capsule_that_lies_on_an_edge_of_a_box_and_along_a_capsule_has_two_points() -> None:
    lying = at(0.0, 0.35, 0.0)  # its axis along z
    rows, _ = touch(Capsule(0.05, 0.2), lying, Box([0.3] * 3), np.eye(4), 0.01)
    np.testing.assert_allclose(np.sort(rows[:, 2]), [-0.2, 0.2], atol=1e-12)
    np.testing.assert_allclose(rows[:, GAP], 0.0, atol=1e-12)
    rows, _ = touch(Capsule(0.05, 0.2), at(0.3, 0.35, 0.0), Box([0.3] * 3), np.eye(4), 0.01)  # over the rim
    assert len(rows) == 2
    rows, _ = touch(Capsule(0.05, 0.2), at(0.0, 0.1, 0.1), Capsule(0.05, 0.2), np.eye(4), 0.01)
    np.testing.assert_allclose(np.sort(rows[:, 2]), [-0.1, 0.2], atol=1e-12)
    rows, _ = touch(Capsule(0.05, 0.2), at(0.0, 0.1, 0.0, (0.0, 1.0, 0.0)), Capsule(0.05, 0.2), np.eye(4), 0.01)
    assert len(rows) == 1


def test_an_edge_of_a_step_holds_a_capsule_off_obliquely() -> None:
    edge, radius = np.array([0.0, 0.2, 0.2]), 0.05
    middle = edge + (radius + 0.001) * np.array([0.0, 1.0, 1.0]) / np.sqrt(2.0)
    rows, _ = touch(Capsule(radius, 0.1), at(*middle, (0.0, np.pi / 2, 0.0)), Box([0.2] * 3), np.eye(4), 0.01)
    assert len(rows) == 2
    np.testing.assert_allclose(rows[:, GAP], 0.001, atol=1e-12)
    np.testing.assert_allclose(rows[:, NORMAL], np.tile([0.0, 0.5**0.5, 0.5**0.5], (2, 1)), atol=1e-9)


def test_the_floor_is_felt_by_every_kind_of_shape_at_any_height_and_tilt() -> None:
    rng = np.random.default_rng(5)
    model = free_bodies(4)
    for _ in range(30):
        floor = Floor(rng.normal(), rng.normal(size=3) * 0.3 + [0.0, 1.0, 0.0], 0.5)
        own = [
            Geometry(random_shape(rng, kind), k, random_pose(rng, 0.1), friction=0.2) for k, kind in enumerate(KINDS)
        ]
        X = np.stack([random_pose(rng, 0.5) for _ in range(4)])
        rows, _ = ContactSet(model, own, World(floor=floor)).find(X, np.full(4, 100.0))
        for geometry in own:
            found = rows[(rows[:, 8] == geometry.body) & (rows[:, 9] == -1.0)]
            heights = corners(geometry.shape, X[geometry.body] @ geometry.X_BS) @ floor.normal - floor.offset
            exact = heights - geometry.shape.radius
            assert len(found) == min(len(exact), MOST_FLOOR)
            assert found[:, GAP].min() == pytest.approx(exact.min(), abs=1e-12)
            np.testing.assert_allclose(found[:, POINT] @ floor.normal, floor.offset, atol=1e-12)
            np.testing.assert_allclose(found[:, FRICTION], np.sqrt(0.1), atol=1e-15)
            assert (found[:, 11] == -1.0).all()


def test_only_what_is_within_reach_is_reported_and_reach_is_that_of_both() -> None:
    a, b = Sphere(0.1), Sphere(0.1)
    X = np.stack([np.eye(4), at(0.0, 0.25, 0.0)])
    contacts = pair(a, b)
    assert len(contacts.find(X, np.array([0.02, 0.031]))[0]) == 1
    assert len(contacts.find(X, np.array([0.02, 0.029]))[0]) == 0
    apart = ContactSet(free_bodies(1), [Geometry(a, 0)], World(floor=None, obstacles=(Geometry(b, -1, X[1]),)))
    assert len(apart.find(X[:1], np.array([0.049]))[0]) == 0
    assert len(apart.find(X[:1], np.array([0.051]))[0]) == 1


def test_rows_end_where_the_room_does() -> None:
    contacts = ContactSet(free_bodies(3), [Geometry(Box([0.1] * 3), k) for k in range(3)], World())
    X = np.stack([at(0.3 * k, 0.0, 0.0) for k in range(3)])
    blocks = (contacts.ints, contacts.floats, np.ascontiguousarray(X[:, :3, :3]), np.ascontiguousarray(X[:, :3, 3]))
    everything, _ = contacts.find(X, np.full(3, 1.0))
    for kernels in (pairs_kernel, load(pairs_kernel)):
        out, ids = np.full((8, 12), np.nan), np.zeros(7, dtype=np.int64)
        assert kernels.find(*blocks, np.full(3, 1.0), out[:7], ids) == 7
        np.testing.assert_array_equal(out[:7], everything[:7])
        assert np.isnan(out[7]).all()


def test_compiled_and_uncompiled_give_the_same_bits() -> None:
    rng = np.random.default_rng(7)
    both = (pairs_kernel, load(pairs_kernel))
    for _ in range(40):
        contacts = pair(random_shape(rng, KINDS[rng.integers(4)]), random_shape(rng, KINDS[rng.integers(4)]))
        X = np.stack([random_pose(rng, 0.4) for _ in range(2)])
        plain, fast = (contacts.find(X, np.full(2, 0.3), kernels) for kernels in both)
        np.testing.assert_array_equal(plain[0], fast[0])
        np.testing.assert_array_equal(plain[1], fast[1])
