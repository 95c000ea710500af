"""Models that cannot be are refused in one line that names the body; those that can be never are."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.dynamics import Body, Multibody
from core.errors import DynamicsError
from core.joints import Composite, Fixed, Planar, Prismatic, Revolute, Spherical
from core.spatial import SpatialInertia, se3, so3
from tests.support.random_trees import random_inertia, random_pose, random_tree

Rng = np.random.Generator
BAD_NUMBERS = (math.nan, math.inf, -math.inf)


def _matrix(body: Body, rng: Rng, change: Callable[[np.ndarray], None]) -> dict[str, Any]:
    name = ("X_PJ", "X_JB")[rng.integers(2)]
    X = np.array(getattr(body, name))
    change(X)
    return {name: X}


def _number(body: Body, rng: Rng) -> dict[str, Any]:
    def change(X: np.ndarray) -> None:
        X[tuple(rng.integers(0, 4, size=2))] = BAD_NUMBERS[rng.integers(3)]

    return _matrix(body, rng, change)


def _stretched(body: Body, rng: Rng) -> dict[str, Any]:
    def change(X: np.ndarray) -> None:
        X[:3, rng.integers(3)] *= 1.0 + float(rng.choice([1e-5, 0.1, -0.5, 3.0]))

    return _matrix(body, rng, change)


def _sheared(body: Body, rng: Rng) -> dict[str, Any]:
    def change(X: np.ndarray) -> None:
        X[:3, 0] += 10.0 ** rng.uniform(-5, 0) * X[:3, 1]

    return _matrix(body, rng, change)


def _left_handed(body: Body, rng: Rng) -> dict[str, Any]:
    def change(X: np.ndarray) -> None:
        X[:3, rng.integers(3)] *= -1.0

    return _matrix(body, rng, change)


def _last_row(body: Body, rng: Rng) -> dict[str, Any]:
    def change(X: np.ndarray) -> None:
        X[3, rng.integers(4)] += 0.1

    return _matrix(body, rng, change)


def _other_shape(body: Body, rng: Rng) -> dict[str, Any]:
    X = body.X_PJ
    return {"X_PJ": [X[:3, :3], X[:3], X[None], None, "X", [[1, 2], [3]]][rng.integers(6)]}


def _inertia(body: Body, **values: Any) -> dict[str, Any]:
    given = body.inertia
    parts = {"mass": given.mass, "center": given.center, "inertia": given.inertia, **values}
    return {"inertia": SpatialInertia(**parts)}


def _turned(rng: Rng, moments: Any) -> np.ndarray:
    R = so3.exp(rng.normal(size=3))
    return R @ np.diag(moments) @ R.T


def _bad_center(body: Body, rng: Rng) -> dict[str, Any]:
    center = body.inertia.center.copy()
    center[rng.integers(3)] = BAD_NUMBERS[rng.integers(3)]
    return _inertia(body, center=center)


def _bad_inertia(body: Body, rng: Rng) -> dict[str, Any]:
    inertia = body.inertia.inertia.copy()
    inertia[tuple(rng.integers(0, 3, size=2))] = BAD_NUMBERS[rng.integers(3)]
    return _inertia(body, inertia=inertia)


def _lopsided(body: Body, rng: Rng) -> dict[str, Any]:
    inertia = body.inertia.inertia.copy()
    i, j = rng.permutation(3)[:2]
    inertia[i, j] += 10.0 ** rng.uniform(-6, 0) * np.abs(inertia).max()
    return _inertia(body, inertia=inertia)


def _indefinite(body: Body, rng: Rng) -> dict[str, Any]:
    low = -(10.0 ** rng.uniform(-12, 0)) if rng.random() < 0.7 else 0.0
    return _inertia(body, inertia=_turned(rng, (low, 1.0, 1.0)) if low else np.diag(rng.permutation([0.0, 1.0, 1.0])))


def _no_triangle(body: Body, rng: Rng) -> dict[str, Any]:
    a, b = 10.0 ** rng.uniform(-3, 1, size=2)
    return _inertia(body, inertia=_turned(rng, (a, b, (a + b) * (1.0 + 10.0 ** rng.uniform(-5, 1)))))


DAMAGE: dict[str, Callable[[Body, Rng], dict[str, Any]]] = {
    "a number in a frame": _number,
    "a stretched frame": _stretched,
    "a sheared frame": _sheared,
    "a left-handed frame": _left_handed,
    "the last row of a frame": _last_row,
    "no frame": _other_shape,
    "negative mass": lambda body, rng: _inertia(body, mass=-(10.0 ** rng.uniform(-9, 3))),
    "mass that is no number": lambda body, rng: _inertia(body, mass=BAD_NUMBERS[rng.integers(3)]),
    "zero mass, but inertia": lambda body, rng: _inertia(body, mass=0.0),
    "centre": _bad_center,
    "a number in the inertia": _bad_inertia,
    "inertia that is not symmetric": _lopsided,
    "inertia that is not positive definite": _indefinite,
    "inertia of a point": lambda body, rng: _inertia(body, inertia=np.zeros((3, 3))),
    "inertia that breaks the triangle inequality": _no_triangle,
    "no inertia": lambda body, rng: {"inertia": [None, 1.0, np.eye(3)][rng.integers(3)]},
    "no joint": lambda body, rng: {"joint": [None, "revolute", Revolute, np.eye(4)][rng.integers(4)]},
    "a parent that is not there": lambda body, rng: {"parent": ["nobody", 99, -2, 10**30][rng.integers(4)]},
    "no parent": lambda body, rng: {"parent": [None, 0.0, True, [0]][rng.integers(4)]},
    "its own child": lambda body, rng: {"parent": body.name},
}


def damaged(model: Multibody, i: int, damage: Callable[[Body, Rng], dict[str, Any]], rng: Rng) -> Multibody:
    bodies = list(model.bodies)
    bodies[i] = replace(bodies[i], **damage(bodies[i], rng))
    return Multibody(bodies, model.gravity)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_damage_is_refused_with_the_bodys_name(damage: Callable[[Body, Rng], dict[str, Any]]) -> None:
    rng = np.random.default_rng(11)
    for _ in range(25):
        model = random_tree(rng, int(rng.integers(1, 9)))
        i = int(rng.integers(len(model.bodies)))
        with pytest.raises(DynamicsError) as refused:
            damaged(model, i, damage, rng)
        message = str(refused.value)
        assert f'"{model.names[i]}"' in message
        assert "\n" not in message and len(message) < 400


@pytest.mark.verify
def test_orders_that_are_no_tree() -> None:
    rng = np.random.default_rng(12)
    for _ in range(50):
        bodies = list(random_tree(rng, int(rng.integers(2, 9)), chain=True).bodies)
        i, j = sorted(rng.permutation(len(bodies))[:2].tolist())
        ring = list(bodies)
        ring[i] = replace(ring[i], parent=bodies[j].name if rng.random() < 0.5 else j)
        with pytest.raises(DynamicsError, match=f'"{bodies[i].name}": its parents go round in a circle'):
            Multibody(ring)
        late = [replace(body, parent=-1) for body in bodies]
        late[i] = replace(late[i], parent=late[j].name)
        with pytest.raises(DynamicsError, match=f'"{bodies[i].name}".* its parent "{bodies[j].name}" is number {j}'):
            Multibody(late)
        twins = list(bodies)
        twins[j] = replace(twins[j], name=bodies[i].name)
        with pytest.raises(DynamicsError, match=f'"{bodies[i].name}"; names must differ'):
            Multibody(twins)


def test_nothing_and_other_things_are_no_model() -> None:
    for name in ("", "  ", None, 3):
        with pytest.raises(DynamicsError, match="a body is named"):
            Body(name, -1, Revolute())  # type: ignore[arg-type]
    with pytest.raises(DynamicsError, match="no bodies"):
        Multibody([])
    for bodies in (None, 3, [3], ["body"], [None]):
        with pytest.raises(DynamicsError, match=r"expected bodies|is no body"):
            Multibody(bodies)  # type: ignore[arg-type]
    rod = Body("rod", -1, Revolute(), inertia=random_inertia(np.random.default_rng(1)))
    for gravity in ((0, math.nan, 0), (0, 0), (math.inf, 0, 0), None, "down"):
        with pytest.raises(DynamicsError, match="gravity"):
            Multibody([rod], gravity)  # type: ignore[arg-type]


# -- mass ------------------------------------------------------------------------------------------------------------


def _chain(*parts: tuple[str, Any, float]) -> list[Body]:
    """A chain of boxes: name, joint and mass of each, a metre apart."""
    bodies = []
    for i, (name, joint, mass) in enumerate(parts):
        link = se3.transform(translation=(0.0, 1.0 if i else 0.0, 0.0))
        inertia = SpatialInertia.box(mass, (0.2, 1.0, 0.3), (0.0, 0.5, 0.0)) if mass else SpatialInertia.zero()
        bodies.append(Body(name, i - 1, joint, link, inertia=inertia))
    return bodies


BALL, HINGE = Spherical(), Revolute()

SINGULAR = {
    "a single one": (_chain(("arm", HINGE, 0)), "arm"),
    "at the end": (_chain(("arm", HINGE, 1), ("hand", HINGE, 0)), "hand"),
    "two at the end": (_chain(("arm", HINGE, 1), ("palm", HINGE, 0), ("finger", HINGE, 0)), "finger"),
    "with nothing but a mark beyond": (_chain(("arm", HINGE, 1), ("hand", HINGE, 0), ("mark", Fixed(), 0)), "hand"),
    "a link between balls spins": (_chain(("arm", BALL, 1), ("link", BALL, 0), ("hand", BALL, 1)), "link"),
    "one axis twice": (_chain(("arm", Composite(HINGE, HINGE), 1)), "arm"),
    "seven ways to move": (_chain(("arm", Composite(Planar(), Planar(), BALL), 1)), "arm"),
    "all weigh nothing": (_chain(("arm", Fixed(), 0), ("hand", Fixed(), 0)), "arm"),
}


@pytest.mark.parametrize(("bodies", "name"), SINGULAR.values(), ids=SINGULAR.keys())
def test_coordinates_that_move_no_mass_are_refused(bodies: list[Body], name: str) -> None:
    with pytest.raises(DynamicsError, match=f'body "{name}"'):
        Multibody(bodies)


REGULAR = {
    "a cross of hinges": _chain(("arm", Revolute((1, 0, 0)), 1), ("cross", Revolute((0, 1, 0)), 0), ("hand", HINGE, 1)),
    "a slide on a hinge": _chain(("crane", Revolute((0, 1, 0)), 0), ("hook", Prismatic((1, 0, 0)), 1)),
    "a link that cannot spin": _chain(
        ("arm", BALL, 1), ("link", Composite(Revolute((1, 0, 0)), HINGE), 0), ("hand", BALL, 1)
    ),
    "a frame in between": _chain(("arm", HINGE, 1), ("frame", Fixed(), 0), ("hand", HINGE, 1)),
    "a mark at the end": _chain(("arm", HINGE, 1), ("mark", Fixed(), 0), ("mark of a mark", Fixed(), 0)),
}


@pytest.mark.parametrize("bodies", REGULAR.values(), ids=REGULAR.keys())
def test_bodies_without_mass_in_between_are_right(bodies: list[Body]) -> None:
    model = Multibody(bodies)
    rng = np.random.default_rng(2)
    M = model.mass_matrix(rng.uniform(0.2, 0.9, model.nq))
    assert np.linalg.eigvalsh(M)[0] > 1e-6 * np.abs(M).max()


@pytest.mark.verify
def test_trees_that_are_taken_with_bodies_without_mass_have_regular_mass_matrices() -> None:
    rng = np.random.default_rng(15)
    taken = refused = 0
    for _ in range(120):
        bodies = list(random_tree(rng, 6).bodies)
        for i in rng.permutation(6)[:2]:
            bodies[i] = replace(bodies[i], inertia=SpatialInertia.zero())
        try:
            model = Multibody(bodies)
        except DynamicsError:
            refused += 1
            continue
        taken += 1
        M = [model.mass_matrix(rng.uniform(0.2, 0.9, model.nq)) for _ in range(3)]
        if model.nq:
            scales = [np.sqrt(np.diag(m)) for m in M]
            least = [np.linalg.eigvalsh(m / np.outer(d, d))[0] for m, d in zip(M, scales, strict=True)]
            assert max(least) > 1e-12
    assert taken > 10 and refused > 10


@pytest.mark.verify
def test_good_models_are_never_refused() -> None:
    rng = np.random.default_rng(13)
    for _ in range(60):
        random_tree(rng, int(rng.integers(1, 13)))


def test_rods_plates_and_dust_are_bodies() -> None:
    rng = np.random.default_rng(14)
    for size in ([1, 1e-6, 1e-6], [1, 0.3, 0], [1e3, 1e3, 1e-3], [1e-6, 2e-6, 1e-6], [4e7, 1, 1]):
        for _ in range(10):
            box = SpatialInertia.box(10.0 ** rng.uniform(-9, 9), size)
            X = random_pose(rng)
            # Rounded as by a file of 7 digits, which breaks the triangle inequality by as much.
            moved = box.moved(X[:3, :3], X[:3, 3])
            rounded = np.array([[float(f"{value:.7g}") for value in row] for row in np.diag(np.diag(box.inertia))])
            for inertia in (moved, SpatialInertia(box.mass, moved.center, rounded)):
                Multibody([Body("rod", -1, Spherical(), X, random_pose(rng), inertia)])
