"""Bodies moved by the forces of their legs: equations of motion, steering, and the walks that come of it."""

from __future__ import annotations

import numpy as np
import pytest

from core.gait import leg_dynamics_kernel
from core.gait.biped import biped_of
from core.gait.error import GaitError
from core.gait.leg_dynamics import rides, trunk_of
from core.gait.manner import CURVES, FORCES, Manner, manner_from_json, manner_to_json
from core.gait.walk import make_walk, planned
from core.kernels import serving
from core.preview.plausibility.find import find_violations
from core.symbolic import apply, derivative, evaluate, symbol
from core.terrain import LEVEL
from tests.support.grounds import BOUNDS, footing, hills, walked
from tests.support.swinging_leg import Ends, Limb, limb_acceleration, swing
from tests.support.walkers import walker

_GRAVITY = 9.81


@pytest.fixture(scope="module")
def human():
    return walker("human")


def _accelerations(kinetic, potential, names, values, forces):
    """Return accelerations by Lagrange's equations, from expressions of energies of coordinates and their rates."""
    q, v = [symbol(name) for name in names], [symbol(f"{name}_rate") for name in names]
    momenta = derivative([kinetic], v, "forward")[0]
    mass = derivative(momenta, v, "forward")
    drift = derivative(momenta, q, "forward")
    push = derivative([kinetic - potential], q, "forward")[0]
    at = dict(zip([*q, *v], values, strict=True))
    n = len(names)
    flat = evaluate([*(x for row in mass for x in row), *(x for row in drift for x in row), *push], at)
    numbers = np.array([float(x) for x in flat])
    M, D, p = numbers[: n * n].reshape(n, n), numbers[n * n : 2 * n * n].reshape(n, n), numbers[2 * n * n :]
    return np.linalg.solve(M, p + np.asarray(forces) - D @ np.asarray(values[n:]))


def test_the_trunk_over_the_hips_goes_by_lagrange():
    trunk = trunk_of(0.9, 0.85, 0.25, 0.05)
    y, a, vx, vy, w = (symbol(name) for name in ("y", "a", "x_rate", "y_rate", "a_rate"))
    s, c = apply("sin", a), apply("cos", a)
    ux, uy = vx + trunk.arm * c * w, vy - trunk.arm * s * w
    hips, chest = vx * vx + vy * vy, ux * ux + uy * uy
    kinetic = 0.5 * ((1.0 - trunk.mass) * hips + trunk.mass * chest + trunk.inertia * w * w)
    potential = _GRAVITY * (y + trunk.mass * trunk.arm * c)
    random = np.random.default_rng(3)
    for _ in range(5):
        values, forces = random.normal(size=6), random.normal(size=3) * [5.0, 10.0, 2.0]
        wanted = _accelerations(kinetic, potential, ("x", "y", "a"), values, forces)
        found = serving(leg_dynamics_kernel).trunk_acceleration(trunk, *map(float, (values[2], values[5], *forces)))
        assert found == pytest.approx(wanted, rel=1e-10, abs=1e-10)


def test_a_leg_that_stands_is_the_telescope_of_the_paper():
    """Force along and across, against that of a spring and a torque in the coordinates length and angle, by power."""
    trunk = trunk_of(0.9, 0.85, 0.25, 0.05)
    random = np.random.default_rng(4)
    for _ in range(5):
        x, y = map(float, random.uniform([-0.4, 0.6], [0.4, 0.9]))
        vx, vy, torque = map(float, random.normal(size=3))
        force = serving(leg_dynamics_kernel).leg_force(trunk, trunk.rest, x, y, vx, vy, torque)
        r = np.hypot(x, y)
        rate, turn = (x * vx + y * vy) / r, (y * vx - x * vy) / r**2
        power = (trunk.stiffness * (trunk.rest - r) - trunk.damping * rate) * rate - torque * turn
        assert float(np.dot(force, [vx, vy])) == pytest.approx(power, rel=1e-10)


def test_the_ends_of_steps_change_as_their_slopes_say():
    trunk = trunk_of(0.9, 0.85, 0.25, 0.05)
    data = np.array([[0.55, 0.1, 0.35, 0.0, -0.35, 0.0, 0.7, 0.55, 0.65]])
    start, control = np.array([[0.0, 0.83, 0.05, 1.3, 0.0, 0.0]]), np.array([[0.01, -0.01, 0.02, 0.3]])
    ends, slopes = np.zeros((1, 6)), np.zeros((1, 10, 6))
    way, work = np.zeros((31, 6)), np.zeros((7, 6))
    kernel = serving(leg_dynamics_kernel)
    kernel.walk_steps(trunk, data, start, control, ends, slopes, way, work)

    def ended(k: int, size: float, count: int = 30):
        states, u = start[0].copy(), control[0].copy()
        if k < 6:
            states[k] += size
        elif k < 10:
            u[k - 6] += size
        there = np.zeros((count + 1, 6))
        there[0] = states
        kernel.walk_step(trunk, data[0], u, there, work)
        return there[-1]

    for k in range(10):
        central = (ended(k, 1e-5) - ended(k, -1e-5)) / 2e-5
        assert slopes[0, k] == pytest.approx(central, rel=1e-4, abs=1e-4)
    assert ended(10, 0.0) == pytest.approx(ended(10, 0.0, 240), abs=2e-4)  # steps in time are short enough


def test_steps_end_where_the_next_ones_begin_and_the_ride_where_curves_go_on(human):
    biped, manner = biped_of(human), Manner(steps=10, speed=1.3)
    steps = planned(biped, manner, LEVEL, 30.0)
    number = steps.last + 1
    ahead = np.tile([0.0, 0.0, 1.0], (number, 1))
    middle = np.zeros((number, 3))
    pace = manner.pace(biped.leg_length)
    middle[:, 2] = steps.places[3, 2] - 0.5 * pace.length + (np.arange(number) - steps.lands[3]) / 30.0 * pace.speed
    heights = np.full(number, 0.88)
    (ride,) = rides(biped, steps, ahead, middle, heights, 0.03)
    assert ride.gap < 1e-5
    gone = middle[ride.first : ride.first + len(ride.ways), 2] - middle[0, 2]
    for end in (0, -1):
        assert ride.ways[end, :2] == pytest.approx([gone[end], 0.88], abs=1e-5)
    assert np.abs(np.diff(ride.ways[:, :2], n=2, axis=0)).max() < 0.03  # no jumps where steps meet
    swing = ride.ways[:, 3] / ride.ways[:, 3].mean()
    assert 0.02 < np.ptp(swing) < 1.0  # it slows down and falls on


@pytest.mark.sampled(1)
@pytest.mark.parametrize("speed", [0.8, 1.2, 1.6])
def test_walks_by_forces_keep_their_footprints_and_stand_as_well(human, speed):
    by = {legs: make_walk(human, Manner(steps=7, speed=speed, legs=legs)) for legs in (CURVES, FORCES)}
    for curved, forced in zip(by[CURVES].feet, by[FORCES].feet, strict=True):
        assert np.array_equal(curved.frames, forced.frames)
    walk = by[FORCES]
    assert find_violations(walked(human, walk)) == ()
    found = footing(human, walk, LEVEL)
    assert all(value <= bound for value, bound in zip(found, BOUNDS, strict=True)), found
    assert not np.array_equal(by[CURVES].keys[len(walk.keys) // 2].q, walk.keys[len(walk.keys) // 2].q)
    again = make_walk(human, Manner(steps=7, speed=speed, legs=FORCES))
    assert [key.q.tobytes() for key in again.keys] == [key.q.tobytes() for key in walk.keys]


def test_on_rough_ground_curves_take_over(human):
    ground = hills(0)
    walk = make_walk(human, Manner(steps=6, legs=FORCES), ground)
    found = footing(human, walk, ground)
    assert all(value <= bound for value, bound in zip(found, BOUNDS, strict=True)), found


def test_what_moves_legs_is_kept_and_checked():
    manner = Manner(steps=3, legs=FORCES)
    assert manner_from_json(manner_to_json(manner)) == manner
    assert "legs" not in manner_to_json(Manner())
    with pytest.raises(GaitError, match="curves or forces"):
        Manner(legs="strings")


def test_a_leg_that_swings_goes_by_lagrange_and_arrives():
    limb = Limb(0.43, 0.1, 0.061, 0.19, 0.26, 1.9e-3, 2.0e-3, 0.0, _GRAVITY)
    a, b, u, v = (symbol(name) for name in ("a", "b", "a_rate", "b_rate"))
    sa, ca, sb, cb = (apply(f, angle) for angle in (a, b) for f in ("sin", "cos"))
    x, y = limb.thigh * ca * u + limb.second_arm * cb * v, limb.thigh * sa * u + limb.second_arm * sb * v
    own = limb.first * limb.first_arm**2 + limb.first_inertia
    kinetic = 0.5 * (own * u * u + limb.second * (x * x + y * y) + limb.second_inertia * v * v)
    near = limb.first * limb.first_arm + limb.second * limb.thigh
    potential = -_GRAVITY * (near * ca + limb.second * limb.second_arm * cb)
    values = [0.3, -0.5, 1.2, -2.0]
    wanted = _accelerations(kinetic, potential, ("a", "b"), values, [0.4 - 0.1, 0.1])
    assert limb_acceleration(limb, *values, 0.0, 0.0, 0.4, 0.1) == pytest.approx(wanted, rel=1e-9)
    start, end = Ends(np.array([-0.4, -0.7]), np.zeros(2)), Ends(np.array([0.3, -0.75]), np.array([-0.5, 0.0]))
    way = swing(limb, 0.42, 0.4, np.zeros((3, 2)), start, end, 24)
    assert way is not None and way[0] == pytest.approx(start.place) and way[-1] == pytest.approx(end.place, abs=1e-6)
