"""In-betweens of least effort against closed forms, other solvers, and what must hold."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from core.animation import Sequence
from core.dynamics import Body, Multibody
from core.errors import Cancelled, SequenceError
from core.formats import load
from core.formats.bundled import bundled_folder
from core.joints import Revolute
from core.kinematics import forward_kinematics
from core.preview.bake import baked_values
from core.preview.least_energy import least_energy, least_energy_keys
from core.preview.least_energy.grid import Grid
from core.preview.least_energy.minimizer import minimum
from core.preview.least_energy.places import heights, off
from core.preview.least_energy.program import EVEN, Program
from core.preview.least_energy.span import SPARE, Span
from core.preview.least_energy.unknowns import refined
from core.skeleton import load_skeleton
from core.spatial import SpatialInertia, se3, so3
from tests.support.jumpers import FLIGHT, PUSH, fine_torques, small_jumper, standing_jump_span

DURATION = 1.5


def arm(lengths: tuple[float, ...], gravity: float) -> Multibody:
    """Return bars that hang on each other by hinges about z."""
    bodies, place = [], 0.0
    for k, length in enumerate(lengths):
        inertia = SpatialInertia.box(1.0, (length, 0.05, 0.05), center=(length / 2, 0, 0))
        bodies.append(
            Body(f"bar {k}", k - 1, Revolute((0, 0, 1)), X_PJ=se3.transform(translation=(place, 0, 0)), inertia=inertia)
        )
        place = length
    return Multibody(bodies, gravity=(0.0, -gravity, 0.0))


def program(model: Multibody, ends: np.ndarray, count: int) -> tuple[Program, np.ndarray]:
    """Return the program of a motion from rest to rest, and the straight way to start from."""
    times = np.linspace(0.0, DURATION, count + 1)
    share = times / DURATION - np.sin(2.0 * np.pi * times / DURATION) / (2.0 * np.pi)
    x = ends[0] + share[:, None] * (ends[1] - ends[0])
    v = np.gradient(x, times, axis=0)
    v[[0, -1]] = 0.0
    none = np.zeros(model.nv, dtype=np.bool_)
    made = Program(model, Grid(times), ~none, none, [], [], 5.0, 10.0, 0.0, none)
    return made, made.unknowns.packed(x, v, np.zeros(0))


def dense(made: Program, z: np.ndarray, points: int = 12) -> tuple[float, float]:
    """Return the effort of a motion and how far its root is from what forces make it do, by another rule.

    The motion is read off its coefficients and integrated at other points than those where its effort was made small;
    the second is the root of the mean of the squares of what is missed, as a share of the weight.
    """
    t, weights = fine_torques(made, z, points)
    effort = float(weights @ (t[:, made.acts] ** 2).sum(axis=1))
    missed_by = float(weights @ ((t[:, made.free] / made.force) ** 2).sum(axis=1))
    return effort, float(np.sqrt(missed_by / weights.sum()))


def test_without_gravity_a_hinge_goes_by_the_cubic() -> None:
    model, ends = arm((1.0,), 0.0), np.array([[-1.0], [2.0]])
    made, start = program(model, ends, 12)
    found = minimum(made, start, tolerance=1e-14)
    s = made.grid.times / DURATION
    x, _ = made.motion(found.z)
    assert found.converged
    assert np.abs(x[:, 0] - (-1.0 + 3.0 * (3.0 * s**2 - 2.0 * s**3))).max() < 1e-6
    inertia = float(model.mass_matrix([0.0])[0, 0])
    assert made.effort_of(found.z) == pytest.approx(12.0 * (3.0 * inertia) ** 2 / DURATION**3, rel=1e-9)


def test_a_pendulum_that_swings_up_takes_what_pontryagins_equations_say() -> None:
    model, low, high = arm((1.0,), 9.81), -0.5 * np.pi, 0.5 * np.pi
    made, start = program(model, np.array([[low], [high]]), 20)
    found = minimum(made, start, tolerance=1e-9)
    inertia, pull = float(model.mass_matrix([0.0])[0, 0]), 9.81 * 0.5

    def rates(_: np.ndarray, y: np.ndarray) -> np.ndarray:
        torque = -y[3] / (2.0 * inertia)
        return np.stack([y[1], (torque - pull * np.cos(y[0])) / inertia, -y[3] * pull * np.sin(y[0]) / inertia, -y[2]])

    def at_ends(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.array([a[0] - low, a[1], b[0] - high, b[1]])

    times = np.linspace(0.0, DURATION, 200)
    guess = np.zeros((4, 200))
    guess[:2] = np.stack([made.at(found.z, times), made.at(found.z, times, 1)])[:, :, 0]
    exact = scipy.integrate.solve_bvp(rates, at_ends, times, guess, tol=1e-8, max_nodes=50_000)
    torque = -exact.sol(times)[3] / (2.0 * inertia)
    assert exact.success
    reference = float(np.trapezoid(torque**2, times))
    assert made.effort_of(found.z) == pytest.approx(reference, rel=1e-4)
    assert dense(made, found.z)[0] == pytest.approx(reference, rel=1e-4)
    # Stated bounds of the torque: 5.5 N m, and those of the exact motion up to what the splines leave over.
    peak = float(np.abs(fine_torques(made, found.z, 23)[0]).max())
    print(f"pendulum: {made.effort_of(found.z):.4f} N2m2s, reference {reference:.4f}, peak {peak:.3f} N m")
    assert peak <= min(5.5, 1.02 * float(np.abs(torque).max()))


@pytest.mark.parametrize("count", [10, pytest.param(40, marks=pytest.mark.verify)])
def test_a_swing_up_by_trapezoids_of_another_solver_costs_the_same(count: int) -> None:
    model, low, high = arm((1.0,), 9.81), -0.5 * np.pi, 0.5 * np.pi
    made, start = program(model, np.array([[low], [high]]), count)
    found = minimum(made, start, tolerance=1e-9)
    inertia, pull, n = float(model.mass_matrix([0.0])[0, 0]), 9.81 * 0.5, 100
    h = DURATION / n

    # Angles at even times, torques of central differences, rest at both ends: nothing of the splines is in it.
    def torques(inner: np.ndarray) -> np.ndarray:
        angle = np.concatenate([[low, low], inner, [high, high]])
        return inertia * np.diff(angle, 2) / h**2 + pull * np.cos(angle[1:-1])

    def slopes(inner: np.ndarray) -> np.ndarray:
        angle = np.concatenate([[low], inner, [high]])
        rows = np.zeros((n + 1, n + 3))
        for j in range(n + 1):
            rows[j, j : j + 3] = inertia / h**2 * np.array([1.0, -2.0, 1.0])
            rows[j, j + 1] -= pull * np.sin(angle[j])
        return rows[:, 2:-2]

    guess = made.at(found.z, h * np.arange(1, n))[:, 0]
    other = scipy.optimize.least_squares(torques, guess, slopes, method="lm")
    cost = h * float((torques(other.x) ** 2).sum())
    print(f"pendulum, {count} intervals: {made.effort_of(found.z):.4f} N2m2s, by differences {cost:.4f}")
    assert made.effort_of(found.z) == pytest.approx(cost, rel=0.01)


def test_an_arm_of_two_links_agrees_with_a_dense_solver() -> None:
    made, start = program(arm((0.6, 0.5), 9.81), np.array([[-1.0, 0.3], [0.8, 1.2]]), 6)
    found = minimum(made, start, tolerance=1e-12)
    own = made.unknown

    def value(free: np.ndarray) -> tuple[float, np.ndarray]:
        z = start.copy()
        z[own] = free
        return made.values(z).cost, made.slopes(z).cost

    dense = scipy.optimize.minimize(
        value, start[own], jac=True, method="SLSQP", options={"ftol": 1e-14, "maxiter": 500}
    )
    assert dense.success
    assert found.values.cost == pytest.approx(dense.fun, rel=1e-7)
    assert np.abs(found.z[own] - dense.x).max() < 1e-3


@pytest.mark.verify
def test_limits_hold_at_all_times() -> None:
    model = arm((0.6, 0.5), 9.81)
    ends = np.array([[-1.0, 0.3], [0.8, 0.3]])
    free, start = program(model, ends, 10)
    swings = free.motion(minimum(free, start).z)[0][:, 1]
    assert swings.max() > 2.0, "without a limit the second link folds"
    model.limits = np.array([[-np.inf, np.inf], [-np.inf, 1.5]])
    made, start = program(model, ends, 10)
    found = minimum(made, start)
    times = np.linspace(0.0, DURATION, 200)
    q = made.at(found.z, times)
    assert found.converged and q[:, 1].max() <= 1.5 + 1e-9
    assert made.effort_of(found.z) > free.effort_of(minimum(free, start).z)


def throw() -> Sequence:
    """Return an arm of seven joints that goes from one pose to another in a good second."""
    s = load_skeleton(bundled_folder() / "arm7.scr")
    sequence = Sequence(s, fps=24)
    rng = np.random.default_rng(3)
    limits = np.clip(s.limits, -1.2, 1.2)
    for frame in (0, 30):
        sequence.set_key(frame, np.concatenate([np.zeros(3), rng.uniform(limits[:, 0], limits[:, 1])]))
    return sequence


@pytest.mark.verify
def test_an_arm_takes_less_and_keeps_its_ends_and_limits() -> None:
    sequence, told = throw(), []
    found = least_energy(sequence, 0, 30, progress=told.append)
    s = sequence.skeleton
    keyed = sequence.poses_at_frames(np.arange(31))
    assert found.converged and not found.root_moves and found.residual < 1e-6
    assert found.after < 0.95 * found.before
    assert np.array_equal(found.poses[[0, -1]], keyed[[0, -1]])
    assert (found.poses[:, 3:] >= s.limits[:, 0]).all() and (found.poses[:, 3:] <= s.limits[:, 1]).all()
    assert told == sorted(told) and len(told) > 2 and told[-1] < 1.0
    baked = least_energy_keys(sequence, found, tolerance=0.01)
    assert baked.error <= 0.01 and len(baked.keys) < 25
    sequence.put(baked_values(sequence, baked))
    again = Span(sequence, 0, 30, _no_floor())
    assert again.program.effort_of(again.start) < found.before


@pytest.mark.verify
def test_poses_that_are_kept_are_gone_through_and_cost_more() -> None:
    sequence, seen = throw(), []
    sequence.set_key(12, sequence.pose_at_frame(12) + np.concatenate([np.zeros(3), np.full(7, 0.05)]))
    found = least_energy(sequence, 0, 30, keep=(0, 12), watch=seen.append)
    assert found.converged and np.array_equal(found.poses[12], sequence.pose_at_frame(12))
    span = Span(sequence, 0, 30, _no_floor(), nodes=9.0, keep=(12,))
    at, through = span.seconds([12]), minimum(span.program, span.start, tolerance=5e-4).z
    assert np.abs(span.poses(span.program.at(through, at)) - sequence.poses_at_frames([12])).max() < 1e-5
    assert found.after > 1.02 * least_energy(sequence, 0, 30).after
    # What there is so far can be had at each step.
    assert [each.steps for each in seen] == list(range(1, found.steps + 1)) and not seen[0].stands
    standing = [each for each in seen if each.stands]
    half = standing[len(standing) // 2]
    assert found.after < half.after < half.before and half.found().after == pytest.approx(half.after)
    assert np.array_equal(half.found().poses[[0, 12]], sequence.poses_at_frames([0, 12]))


@pytest.mark.verify
def test_twice_as_many_nodes_are_tried() -> None:
    sequence = throw()
    sequence.fps = 60
    coarse, fine = (least_energy(sequence, 0, 60, nodes=4.0, finest=finest) for finest in (1, 4))
    assert coarse.change is None and fine.change is not None and fine.steps > coarse.steps
    assert fine.after < coarse.after


@pytest.mark.verify
def test_no_effort_is_left_out_between_the_points() -> None:
    span = Span(throw(), 0, 30, _no_floor(), nodes=9.0)
    found = minimum(span.program, span.start, tolerance=1e-4)
    assert dense(span.program, found.z)[0] == pytest.approx(span.program.effort_of(found.z), rel=1e-2)


def test_a_motion_over_fewer_parts_is_one_over_more() -> None:
    coarse, fine = (Span(throw(), 0, 30, _no_floor(), nodes=9.0, parts=parts) for parts in (1, 2))
    places = [coarse.program.at(coarse.start, fine.grid.times, order) for order in range(2)]
    z = fine.program.unknowns.packed(places[0], places[1], np.zeros(0))
    assert len(fine.grid) == 2 * len(coarse.grid)
    assert dense(fine.program, z)[0] == pytest.approx(dense(coarse.program, coarse.start)[0], rel=1e-9)


def test_a_motion_stays_as_it_is_with_nodes_added_where_they_are_asked_for_and_more_ways_to_go() -> None:
    coarse = Span(throw(), 0, 30, _no_floor(), nodes=9.0)
    also = [0.02, float(coarse.grid.times[3]), 1.1]
    fine = Span(throw(), 0, 30, _no_floor(), nodes=9.0, also=also, degree=5)
    z = refined(coarse.start, coarse.program.unknowns, fine.program.unknowns)
    assert len(fine.grid) == len(coarse.grid) + 2, "one is a node already"
    assert set(coarse.grid.times) <= set(fine.grid.times)
    assert len(fine.program.unknown) > 3 * len(coarse.program.unknown)
    assert dense(fine.program, z)[0] == pytest.approx(dense(coarse.program, coarse.start)[0], rel=1e-9)


def _no_floor():  # type: ignore[no-untyped-def]
    from core.dynamics.contact.world import World

    return World(floor=None)


def test_it_can_be_stopped() -> None:
    def stop(part: float) -> None:
        if part > 0.0:
            raise Cancelled

    with pytest.raises(Cancelled):
        least_energy(throw(), 0, 30, progress=stop)


@pytest.mark.parametrize(("first", "last", "why"), [(3, 4, "nothing between"), (0, 1000, "at most")])
def test_spans_that_make_no_sense_are_refused(first: int, last: int, why: str) -> None:
    with pytest.raises(SequenceError, match=why):
        least_energy(throw(), first, last)


@pytest.mark.verify
def test_derivatives_by_finite_differences_with_feet_on_the_ground_and_in_flight() -> None:
    jump = load(bundled_folder() / "library" / "Jumps" / "jump.seq").sequences[0]
    span = Span(jump, 20, 42, _floor(), nodes=5.0, strength=1.0)
    made, rng = span.program, np.random.default_rng(0)
    z = span.start + 1e-3 * rng.normal(size=made.size)
    own, way = made.unknown, np.zeros(made.size)
    way[own] = rng.normal(size=len(own))
    ahead, behind = made.values(z + 1e-5 * way), made.values(z - 1e-5 * way)
    slopes = made.slopes(z)
    assert slopes.cost @ way[own] == pytest.approx((ahead.cost - behind.cost) / 2e-5, rel=1e-6)
    for rows, a, b in (
        (slopes.equations, ahead.equations, behind.equations),
        (slopes.bounds, ahead.bounds, behind.bounds),
    ):
        slope = (np.concatenate(a) - np.concatenate(b)) / 2e-5
        assert (
            len(slope)
            and np.abs(np.concatenate(made.blocks.rows(rows, way[own])) - slope).max() < 1e-5 * np.abs(slope).max()
        )


@pytest.mark.verify
def test_second_derivatives_by_finite_differences_of_the_first() -> None:
    jump = load(bundled_folder() / "library" / "Jumps" / "jump.seq").sequences[0]
    span, rng = Span(jump, 20, 42, _floor(), nodes=5.0, strength=1.0), np.random.default_rng(1)
    made = span.program
    z = span.start + 1e-3 * rng.normal(size=made.size)
    now = made.values(z)
    prices = (
        [0.1 * rng.normal(size=len(each)) for each in now.equations],
        [0.1 * rng.random(len(each)) for each in now.bounds],
    )
    way = np.zeros(made.size)
    way[made.unknown] = rng.normal(size=len(made.unknown))

    def gradient(z: np.ndarray) -> np.ndarray:
        slopes = made.slopes(z)
        paid = made.blocks.columns(slopes.equations, prices[0]) - made.blocks.columns(slopes.bounds, prices[1])
        return np.asarray(slopes.cost + paid)

    slope = (gradient(z + 1e-5 * way) - gradient(z - 1e-5 * way)) / 2e-5
    own = way[made.unknown]
    flat = (
        made.blocks.product(made.slopes(z).squares, own) + np.where(made.unknown < made.motion_size, 0.0, EVEN**2) * own
    )
    bent = made.blocks.product(made.curvature(z, *prices), own)
    assert np.abs(flat + bent - slope).max() < 1e-4 * np.abs(slope - flat).max()


def test_links_have_the_derivatives_of_inverse_dynamics() -> None:
    jump = load(bundled_folder() / "library" / "Jumps" / "jump.seq").sequences[0]
    made = Span(jump, 20, 42, _floor(), nodes=5.0).program
    rng, n = np.random.default_rng(0), made.model.nv
    x, v, a = 0.7 * rng.normal(size=(2, n)), 3.0 * rng.normal(size=(2, n)), 20.0 * rng.normal(size=(2, n))
    none = np.full((2, 0), -1, dtype=np.int64)
    assert made.links is not None
    found = made.links.jacobians(x, v, a, none, np.zeros((2, 0)))
    by = made.efforts.derivatives(x, v, a, np.zeros((2, len(made.bodies), 6)))
    for k, expected in enumerate((by.x, by.v, by.a)):
        assert np.abs(found[:, :, k * n : (k + 1) * n] - expected).max() < 1e-8 * np.abs(expected).max()


def _landing() -> tuple[Span, np.ndarray]:
    """Return a span with feet on the ground and in flight, and unknowns near its start, with forces at all soles."""
    jump = load(bundled_folder() / "library" / "Jumps" / "jump.seq").sequences[0]
    span, rng = Span(jump, 20, 42, _floor(), nodes=5.0, strength=1.0), np.random.default_rng(2)
    z = span.start + 0.02 * rng.normal(size=span.program.size)
    z[span.program.motion_size :] = rng.uniform(0.0, 0.2, size=span.program.size - span.program.motion_size)
    return span, z


def test_torques_with_forces_at_soles_make_the_accelerations_by_other_formulations() -> None:
    # Both transcriptions take torques from the same links; these formulations have nothing of them.
    span, z = _landing()
    made = span.program
    q, qd, qdd, wrenches, _ = made.states(z)
    tau, balls = made.torques(z), made.efforts.balls
    tau[:, balls] = np.einsum("mbij,mbi->mbj", so3.right_jacobian(q[:, balls]), tau[:, balls])
    outside = np.zeros((len(q), len(made.model.bodies), 6))
    outside[:, made.bodies] = wrenches
    assert np.abs(wrenches).max() > 0.05 * made.force
    for name in ("lagrangian", "maximal"):
        for j in range(0, len(q), 7):
            found = made.model.forward_dynamics(q[j], qd[j], tau[j], name, wrenches=outside[j])
            assert np.abs(found - qdd[j]).max() < 1e-6 * np.abs(qdd[j]).max(), name


def test_forces_at_soles_push_within_the_cone_of_friction_where_they_act() -> None:
    span, _ = _landing()
    rng = np.random.default_rng(3)
    hold = next(each for each in span.program.holds if each.stands)
    R, numbers = so3.exp(rng.normal(size=3)), rng.uniform(0.0, 1.0, size=hold.count)
    forces, total = numbers.reshape(-1, 4), np.zeros(6)
    ways = hold.wrench(R[None])[1][0].reshape(3, -1, 4)  # in B
    for sole, own, way in zip(hold.soles, forces, np.moveaxis(ways, 1, 0), strict=True):
        force = R @ (way @ own)
        up = force @ hold.normal
        assert up == pytest.approx(own.sum())
        assert np.linalg.norm(force - up * hold.normal) <= hold.friction * up + 1e-12
        total += np.concatenate([np.cross(sole, R.T @ force), R.T @ force])
    assert np.abs(hold.wrench(R[None])[0][0] @ numbers - total).max() < 1e-12


def test_held_parts_and_soles_are_where_forward_kinematics_has_them() -> None:
    span, z = _landing()
    made, s, times = span.program, span.sequence.skeleton, np.array([0.1, 0.37, 0.6])
    states = made.at(z, times)
    joints = {int(span.actor.figure.joint_body[held.joint]): held.joint for held in span.held}
    for x, F in zip(states, forward_kinematics(s, span.poses(states)), strict=True):
        for hold in made.holds:
            joint = joints[hold.body]
            X = F[joint] @ se3.inverse(span.actor.figure.X_BJ[joint])
            found = off(hold, made.model.body_poses(x)[hold.body])
            turned = scipy.spatial.transform.Rotation.from_matrix(hold.pose[:3, :3].T @ X[:3, :3])
            at = X[:3, :3] @ hold.point + X[:3, 3] - hold.pose[:3, :3] @ hold.point - hold.pose[:3, 3]
            assert np.linalg.norm(found[:3]) == pytest.approx(turned.magnitude(), abs=1e-7)
            assert np.linalg.norm(found[3:]) == pytest.approx(np.linalg.norm(at), abs=1e-7)
            soles = (hold.soles @ X[:3, :3].T + X[:3, 3])[:, 1]
            assert np.abs(heights(hold, made.model.body_poses(x)[hold.body]) - soles).max() < 1e-7


@pytest.mark.verify
def test_room_of_angles_and_torques_is_that_of_poses_and_of_strength() -> None:
    span, z = _landing()
    made, rng = span.program, np.random.default_rng(4)
    x = made.at(z, np.linspace(0.0, 0.7, 60))
    x += rng.normal(size=x.shape) * np.linspace(0.0, 0.6, 60)[:, None]
    poses, inside = span.poses(x), []
    balls = {int(own.x[0]): own for own in span.actor.figure.balls}
    for ball in made.angles:
        own = balls[int(ball.x[0])]
        room = ball.room(x, ball.branch(made.grid.times, np.linspace(0.0, 0.7, 60))).min(axis=(0, 2))
        angles = poses[:, own.q]
        over = np.minimum(angles - ball.low, ball.high - angles).min(axis=1)
        inside += (over >= 0.0).tolist()
        clear = np.abs(over) > 1e-6
        assert ((room >= 0.0) == (over >= 0.0))[clear].all()
    assert 0.1 < np.mean(inside) < 0.9, "both kinds are there"
    t = 60.0 * rng.normal(size=(40, made.model.nv))
    shares = np.stack([span.anatomy.share(each, SPARE) for each in t])
    first = [each.x[0] for each in made.torque_limits.strong]
    assert np.abs(made.torque_limits.rooms(t) - (0.5 - 0.5 * shares[:, first] ** 2)).max() < 1e-9


@pytest.mark.verify
def test_a_small_jumper_flies_freely_and_comes_down_where_it_stands() -> None:
    made, start = small_jumper()
    found = minimum(made, start, most=60, tolerance=1e-6)
    z = found.z
    assert found.converged and found.values.missed < 1e-6
    assert made.values(start).missed > 0.1, "as keyed, nothing carries it"
    assert dense(made, z)[1] < 0.03
    # In flight the center of mass goes by a parabola, and the efforts of the root are 0 at all points.
    flight = np.linspace(0.5, 0.7, 21)
    centers = np.array([made.model.center_of_mass(each) for each in made.at(z, flight)])
    assert np.abs(centers - _parabola(flight, centers)).max() < 1e-3
    assert centers[:, 1].max() > centers[0, 1] + 0.02
    assert np.abs(made.torques(z)[:, made.free]).max() < 1e-5 * made.force
    assert _feet_off(made, z) < 5e-4, "they stay between the places where they are looked at, too"
    assert _feet_off_at_nodes(made, z) < 1e-6


@pytest.mark.verify
def test_a_small_jumpers_cost_is_that_of_the_continuous_motion() -> None:
    made, z = small_jumper()
    costs, off = [], []
    for parts in (1, 2, 4):
        finer, start = small_jumper(parts)
        start = start if parts == 1 else refined(z, made.unknowns, finer.unknowns)
        found = minimum(finer, start, most=60, tolerance=1e-6)
        made, z = finer, found.z
        assert found.converged and found.values.missed < 1e-6
        costs.append(made.effort_of(z))
        off.append(_feet_off(made, z))
    print(f"small jumper over 10, 20 and 40 intervals: {costs} N2m2s, feet off by {off}")
    assert costs[2] == pytest.approx(costs[1], rel=5e-3) and costs[1] == pytest.approx(costs[0], rel=0.02)
    assert off[1] < 1e-4 and off[2] < 1e-5
    assert dense(made, z)[0] == pytest.approx(costs[2], rel=1e-3)


def _feet_off(made: Program, z: np.ndarray) -> float:
    """Return by how much held parts are not where they are held, at any time, [rad] and [m]."""
    worst = 0.0
    for hold in made.holds:
        motion = made.at(z, np.linspace(hold.start, hold.end, 101))
        missed_by = [off(hold, made.model.body_poses(each)[hold.body]) for each in motion]
        worst = max(worst, float(np.abs(missed_by).max()))
    return worst


def _feet_off_at_nodes(made: Program, z: np.ndarray) -> float:
    """Return the same at the nodes alone."""
    worst = 0.0
    for hold in made.holds:
        times = made.grid.times[(made.grid.times >= hold.start - 1e-9) & (made.grid.times <= hold.end + 1e-9)]
        missed_by = [off(hold, made.model.body_poses(each)[hold.body]) for each in made.at(z, times)]
        worst = max(worst, float(np.abs(missed_by).max()))
    return worst


@pytest.mark.verify
def test_a_man_jumps_on_the_spot_by_the_strength_that_he_has() -> None:
    span = standing_jump_span()
    made = span.program
    assert span.root_moves and len(span.held) == 8
    found = minimum(made, span.start, most=150, tolerance=1e-5)
    z = found.z
    share, fine = (span.largest_share(t) for t in (made.torques(z), fine_torques(made, z)[0]))
    print(f"standing jump: cost {made.cost_of(z):.6f}, {found.steps} steps, {100.0 * fine:.0f} % of strength")
    assert found.converged and found.values.missed < 1e-6
    assert made.cost_of(z) == pytest.approx(0.31568, rel=1e-3)
    assert share <= SPARE and fine <= 1.0
    assert _feet_off(made, z) < 2e-3 and _feet_off_at_nodes(made, z) < 1e-6
    assert np.abs(made.torques(z)[:, made.free]).max() < 1e-5 * made.force
    assert dense(made, z)[1] < 0.022 < dense(made, span.start)[1]
    flight = span.seconds(np.linspace(PUSH, PUSH + FLIGHT, 19))
    centers = np.array([made.model.center_of_mass(each) for each in made.at(z, flight)])
    assert np.abs(centers - _parabola(flight, centers)).max() < 1e-3
    assert centers[:, 1].max() > centers[0, 1] + 0.05


def _parabola(times: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Return where what falls freely is that is at the first and the last of some places then."""
    s, whole = (times - times[0])[:, None], times[-1] - times[0]
    gravity = np.array([0.0, -9.81, 0.0])
    rate = (centers[-1] - centers[0]) / whole - 0.5 * gravity * whole
    return np.asarray(centers[0] + rate * s + 0.5 * gravity * s**2)


def _floor():  # type: ignore[no-untyped-def]
    from core.dynamics.contact.world import World

    return World()
