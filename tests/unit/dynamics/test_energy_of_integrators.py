"""What becomes of energy in each integrator: the table of docs/dynamics.md, rotation vectors, what runs away."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from core.dynamics import Body, Multibody, Scene, simulate
from core.dynamics.constraints import JointLimits
from core.dynamics.integrators import INTEGRATORS, Integrator, LinearlyImplicit
from core.errors import DynamicsError
from core.joints import Prismatic, Revolute, Spherical
from core.spatial import SpatialInertia, se3

PAGE = Path(__file__).parents[3] / "docs/dynamics.md"
MIDDLE = 'LinearlyImplicit(velocity_terms="middle")'
FOUND = re.findall(r"^\| `([^`]+)` \| ([-\d.]+) \| ([-\d.]+) \|$", PAGE.read_text(encoding="utf-8"), re.M)
ROWS = {name: (float(end), float(swing)) for name, end, swing in FOUND}
QUICK = ("linearly_implicit", MIDDLE, "rk4")


def pendulum() -> Multibody:
    """Two rods of 1 kg and 1 m."""
    rod = SpatialInertia.box(1.0, (1.0, 0.05, 0.05), (0.5, 0.0, 0.0))
    hinge = Revolute((0, 0, 1))
    away = se3.transform(np.eye(3), np.array([1.0, 0.0, 0.0]))
    return Multibody([Body("upper", "world", hinge, inertia=rod), Body("lower", "upper", hinge, away, inertia=rod)])


def flag() -> Scene:
    """A slender rod that tumbles on a cart, turned by more than half a turn most of the time."""
    cart, rod = SpatialInertia.box(2.0, (0.2, 0.2, 0.2)), SpatialInertia.box(0.2, (0.05, 0.5, 0.05), (0.0, 0.25, 0.0))
    model = Multibody(
        [Body("cart", -1, Prismatic((1, 0, 0)), inertia=cart), Body("flag", "cart", Spherical(), inertia=rod)]
    )
    return Scene(model, (0.0, -0.74, -2.38, 0.24), (1.0, 0.65, -7.36, -4.1))


def method(raised: str) -> str | Integrator:
    return LinearlyImplicit(velocity_terms="middle") if raised == MIDDLE else raised


def test_every_integrator_has_a_row() -> None:
    assert {kind.name for kind in INTEGRATORS} <= set(ROWS) and len(ROWS) == 10


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.verify) for n in ROWS])
def test_the_table_of_the_page_is_true(name: str) -> None:
    end, swing = ROWS[name]
    energy = simulate(Scene(pendulum(), (0.3, 0.5), (0.0, 0.0)), 5.0, 0.01, method(name)).energy.sum(axis=1)
    assert energy[0] == pytest.approx(7.87, abs=0.005)
    assert energy[-1] == pytest.approx(end, rel=0.02, abs=0.02)
    assert np.ptp(energy) == pytest.approx(swing, rel=0.2, abs=1e-5)


@pytest.mark.parametrize(
    ("stepped", "allowed"),
    [("symplectic_euler", 0.5), ("linearly_implicit", 0.5), (LinearlyImplicit(velocity_terms="middle"), 0.15)],
    ids=["symplectic_euler", "linearly_implicit", "middle"],
)
def test_euler_steps_keep_rotation_vectors_short(stepped: str | Integrator, allowed: float) -> None:
    motion = simulate(flag(), 1.5, 0.01, stepped)
    assert np.linalg.norm(motion.x[:, 1:], axis=1).max() < np.pi + 0.3
    assert np.ptp(motion.energy.sum(axis=1)) < allowed


def test_what_runs_away_is_the_body_whose_numbers_grew_most() -> None:
    """In the charts of the reference program these steps do not hold; the flag spins, not the cart."""
    with pytest.raises(DynamicsError, match=r't = 1\.\d+ s, most of all body "flag"; a smaller dt.*rk4, bdf2') as error:
        simulate(flag(), 1.5, 0.01, LinearlyImplicit(early_charts=False))
    assert "\n" not in str(error.value)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("formulation", ["recursive", "redmax"])
def test_velocity_terms_in_the_middle_stay_quiet_at_limits(formulation: str) -> None:
    """Met limits take energy; a jump there must not be carried on into the next step."""
    scene = Scene(pendulum(), (1.5, 0.4), (0.0, 0.0), constraints=(JointLimits("lower", -0.5, 0.5),))
    energies = [
        simulate(scene, 2.0, 0.01, LinearlyImplicit(velocity_terms=terms), formulation).energy.sum(axis=1)
        for terms in ("start", "middle")
    ]
    start, middle = (np.diff(energy).max() for energy in energies)
    assert middle < 0.06 and middle < 0.7 * start
    assert energies[1].max() < energies[1][0] + 1e-9
    with pytest.raises(DynamicsError, match=r'velocity_terms is .late.; it must be "start" or "middle"'):
        LinearlyImplicit(velocity_terms="late")  # type: ignore[arg-type]
