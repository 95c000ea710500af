"""Every residual: value, Jacobian, rate and drift are derivatives of one another, and ``missing`` makes it zero."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from core.constraints import residuals
from core.constraints.residuals import (
    AimResidual,
    AxisResidual,
    CarriedOrientationResidual,
    CarriedPointResidual,
    DistanceResidual,
    FrameResidual,
    HalfPlanesResidual,
    HingeResidual,
    OrientationResidual,
    PathResidual,
    PlaceAimResidual,
    PointResidual,
    Residual,
    rate,
)
from core.dynamics.constraints.loop_joint import KINDS
from core.spatial import so3

Array = np.ndarray
Rng = np.random.Generator
ORIENTATIONS = (residuals.ORIENTATION, residuals.OTHER_ORIENTATION)


def turn(rng: Rng) -> Array:
    return so3.exp(rng.normal(size=3))


def unit(rng: Rng) -> Array:
    vector = rng.normal(size=3)
    return vector / np.linalg.norm(vector)


MAKERS: dict[str, Callable[[Rng], Residual]] = {
    "place": lambda rng: PointResidual(np.eye(3), rng.normal(size=3)),
    "plane": lambda rng: PointResidual(unit(rng)[None], rng.normal(size=3)),
    "pair, along two axes": lambda rng: PointResidual(np.eye(3)[[0, 2]], rng.normal(size=3), pair=True),
    "distance": lambda rng: DistanceResidual(0.4),
    "orientation": lambda rng: OrientationResidual(turn(rng)),
    "path": lambda rng: PathResidual(np.array([[4.0 * k - 8.0, *rng.normal(size=2)] for k in range(5)])),
    "carried point": lambda rng: CarriedPointResidual(rng.normal(size=3)),
    "carried orientation": lambda rng: CarriedOrientationResidual(turn(rng)),
    "axis": lambda rng: AxisResidual(unit(rng), unit(rng)),
    "aim": lambda rng: AimResidual(unit(rng)),
    "aim at a place": lambda rng: PlaceAimResidual(unit(rng), rng.normal(size=3)),
    "half-planes": lambda rng: HalfPlanesResidual(np.array([unit(rng), unit(rng)]), rng.normal(size=2)),
    "hinge": lambda rng: HingeResidual(unit(rng)),
    **{
        f"frames of a {name}": lambda rng, kind=kind: FrameResidual(turn(rng), turn(rng), *kind)
        for name, kind in KINDS.items()
    },
}
every = pytest.mark.parametrize("name", MAKERS)
seeds = pytest.mark.parametrize("seed", range(5))


def test_every_residual_is_here() -> None:
    known = {getattr(residuals, name) for name in residuals.__all__}
    kinds = {kind for kind in known if isinstance(kind, type) and issubclass(kind, Residual)} - {Residual}
    assert {type(make(np.random.default_rng(0))) for make in MAKERS.values()} == kinds


def start(residual: Residual, rng: Rng) -> tuple[list[Array], list[Array]]:
    """Arguments of a residual and their rates."""
    h = [turn(rng) if part in ORIENTATIONS else rng.normal(size=3) for part in residual.of]
    return h, list(rng.normal(size=(len(h), 3)))


def moved(residual: Residual, h: list[Array], by: list[Array]) -> list[Array]:
    """Arguments moved by short ways, orientations turned by rotation vectors."""
    parts = zip(residual.of, h, by, strict=True)
    return [so3.exp(step) @ x if part in ORIENTATIONS else x + step for part, x, step in parts]


@every
@seeds
def test_jacobians_are_the_slopes_of_the_value(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    residual = MAKERS[name](rng)
    h, u = start(residual, rng)
    step, J = 1e-6, residual.jacobians(*h)
    assert residual.value(*h).shape == (residual.size,)
    for i, k in ((i, k) for i in range(len(h)) for k in range(3)):
        way = [np.zeros(3) for _ in h]
        way[i][k] = step
        ahead, behind = (residual.value(*moved(residual, h, [s * each for each in way])) for s in (1, -1))
        assert J[i].shape == (residual.size, 3)
        assert J[i][:, k] == pytest.approx((ahead - behind) / (2.0 * step), abs=1e-8)
    assert rate(residual, h, u) == pytest.approx(sum(J[i] @ u[i] for i in range(len(h))))


@every
@seeds
def test_the_drift_is_how_the_rate_changes(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    residual = MAKERS[name](rng)
    for h, u in ((start(residual, rng)), near(residual, rng)):
        step = 1e-6
        rates = []
        for sign in (1.0, -1.0):
            then = moved(residual, h, [sign * step * each for each in u])
            rates.append(rate(residual, then, u))
        assert residual.drift(h, u) == pytest.approx((rates[0] - rates[1]) / (2.0 * step), abs=2e-7, rel=1e-7)


def near(residual: Residual, rng: Rng) -> tuple[list[Array], list[Array]]:
    """Arguments near which the residual is zero, where series take over, or as they are if it cannot be made zero."""
    h, u = start(residual, rng)
    if residual.moved in residual.of:
        at = residual.of.index(residual.moved)
        for _ in range(30):
            h = moved(residual, h, [residual.missing(*h) if i == at else np.zeros(3) for i in range(len(h))])
    return h, u


@every
@seeds
def test_the_missing_way_makes_it_zero(name: str, seed: int) -> None:
    """One step does for what is held by its part alone; what turns with it takes several."""
    rng = np.random.default_rng(seed)
    residual = MAKERS[name](rng)
    if name == "half-planes":
        residual = HalfPlanesResidual(np.eye(3)[:2], rng.normal(size=2))
    h, _ = near(residual, rng)
    left = residual.value(*h)
    squares = len(residual.squares) if isinstance(residual, FrameResidual) else 0  # which its origin cannot change
    left = left[: len(left) - squares]
    assert np.maximum(left, 0.0 if residual.inequality else -np.inf) == pytest.approx(0.0 * left, abs=1e-9)


def opposed(angle: float, rng: Rng) -> Iterator[tuple[AxisResidual, Array]]:
    for _ in range(5):
        R = turn(rng)
        axis, side = np.linalg.qr(rng.normal(size=(3, 2)))[0].T
        yield AxisResidual(axis, R @ (np.cos(angle) * axis + np.sin(angle) * side)), R


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-5, 1.1e-4, 1e-2, 2.9e-2, 3.1e-2, 2.0, 3.0])
def test_the_rows_of_an_axis_are_as_long_as_the_angle(angle: float) -> None:
    rng = np.random.default_rng(0)
    for residual, R in opposed(angle, rng):
        assert np.linalg.norm(residual.value(R)) == pytest.approx(angle, abs=1e-15)
        assert np.linalg.norm(residual.missing(R)) == pytest.approx(angle, abs=1e-14)
        step, w = 1e-6, rng.normal(size=3)
        ahead, behind = (so3.exp(s * step * w) @ R for s in (1, -1))
        slope = (residual.value(ahead) - residual.value(behind)) / (2.0 * step)
        assert residual.jacobians(R)[0] @ w == pytest.approx(slope, abs=1e-7)
        bend = (rate(residual, [ahead], [w]) - rate(residual, [behind], [w])) / (2.0 * step)
        assert residual.drift([R], [w]) == pytest.approx(bend, abs=2e-6, rel=1e-6)


def test_a_turned_away_axis_still_knows_a_way_back() -> None:
    R, axis = turn(np.random.default_rng(0)), np.eye(3)[1]
    residual = AxisResidual(axis, -(R @ axis))
    assert np.linalg.norm(residual.value(R)) == pytest.approx(np.pi)
    (J,) = residual.jacobians(R)
    assert np.abs(J).max() > 0.1 and np.isfinite(J).all()
    assert np.linalg.norm(residual.value(so3.exp(0.5 * residual.missing(R)) @ R)) == pytest.approx(0.5 * np.pi)


@pytest.mark.parametrize("residual", [DistanceResidual(0.3), AimResidual(np.eye(3)[0])])
def test_points_that_coincide_have_derivatives_that_are_numbers(residual: Residual) -> None:
    h = [np.eye(3) if part in ORIENTATIONS else np.ones(3) for part in residual.of]
    u = list(np.random.default_rng(0).normal(size=(len(h), 3)))
    found = [residual.value(*h), *residual.jacobians(*h), residual.drift(h, u), residual.missing(*h)]
    assert all(np.isfinite(part).all() for part in found)
