"""Loops and followers of figures act: in scenes, in hyper-reduced coordinates, and in previews of both kinds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.animation import Sequence
from core.animation.hybrid_strips import HybridStrip
from core.constraints import loop_locks, solve_locks
from core.dynamics import FORMULATIONS, Multibody, Scene, simulate
from core.dynamics.constraints import constrained_dynamics
from core.dynamics.figures.ties import figure_reduction, figure_ties
from core.errors import DynamicsError
from core.kinematics import forward_kinematics
from core.preview import PhysicsSettings, Preview
from core.skeleton import Skeleton, load_skeleton, read_scr
from core.skeleton.following import followed
from core.skeleton.tie import Follow, Leader


@pytest.fixture
def four_bar(skeletons_folder: Path) -> Skeleton:
    return load_skeleton(skeletons_folder / "mechanisms" / "four bar.scr")


@pytest.fixture
def spine(skeletons_folder: Path) -> Skeleton:
    return load_skeleton(skeletons_folder / "mechanisms" / "spine.scr")


def gap(s: Skeleton, q: np.ndarray) -> float:
    (loop,) = s.joints[2].loops
    X = forward_kinematics(s, q)
    return float(np.abs(X[2] @ (*loop.point, 1.0) - X[s.joint_index(loop.other)] @ (*loop.place, 1.0)).max())


def turning(s: Skeleton, speed: float) -> tuple[np.ndarray, np.ndarray]:
    """A pose of the four bars, and rates of it that keep the loop closed."""
    poses = []
    for angle in (-1e-5, 1e-5):
        q = s.rest_pose()
        q[3] += angle
        poses.append(solve_locks(s, q, loop_locks(s), tolerance=1e-13).q)
    rates = np.diff(poses, axis=0)[0]
    return poses[0], speed * rates / rates[3]


def test_four_bars_turn_in_a_scene(four_bar: Skeleton) -> None:
    model = Multibody.from_skeleton(four_bar, fixed_base=True)
    (loop,) = figure_ties(model)
    x, v = model.state_from_pose(*turning(four_bar, 15.0))
    motion = simulate(Scene(model, x, v, constraints=(loop,)), 0.6, 0.005, "rk4")
    poses = [model.pose_from_state(row) for row in motion.x]
    assert max(gap(four_bar, q) for q in poses) < 5e-5
    assert np.ptp(motion.x[:, 0]) > 2.0 * np.pi  # the crank goes round
    assert np.ptp(motion.x[:, 2]) < np.pi  # the rocker does not
    total = motion.energy.sum(axis=1)
    assert np.ptp(total) < 1e-3 * np.ptp(motion.energy[:, 0])


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("integrator", "allowed"), [("contact", 5e-4), ("linearly_implicit", 1e-2), ("rk4", 2e-4)])
def test_previews_keep_the_loop_closed(four_bar: Skeleton, integrator: str, allowed: float) -> None:
    q, rates = turning(four_bar, 8.0)
    sequence = Sequence(four_bar)
    sequence.set_key(0, q)
    sequence.locks.extend(loop_locks(four_bar))
    settings = PhysicsSettings(floor=None, integrator=integrator, start_rates=tuple(rates.tolist()))
    strip = HybridStrip(("crank", "coupler", "rocker"), 0)
    preview = Preview(sequence, 0, settings, strips=(strip,))
    for _ in range(20):
        preview.advance()
    assert max(gap(four_bar, sample.q) for sample in preview.samples) < allowed
    assert abs(preview.samples[-1].q[3] - q[3]) > 1.0
    assert preview.left_out == () if integrator == "contact" else "lock" not in str(preview.left_out)


@pytest.mark.verify
def test_what_keys_alone_move_is_left_to_them(four_bar: Skeleton) -> None:
    sequence = Sequence(four_bar)
    for frame, angle in ((0, 0.0), (30, 0.5)):
        q = four_bar.rest_pose()
        q[3] = angle  # open
        sequence.set_key(frame, q)
    for integrator in ("contact", "linearly_implicit"):
        settings = PhysicsSettings(floor=None, integrator=integrator)
        preview = Preview(sequence, 0, settings, strips=(HybridStrip(("crank", "coupler", "rocker"), 100),))
        preview.run(30)
        assert preview.samples[-1].q[3] == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_spine_of_one_bend_is_its_constrained_model(spine: Skeleton, formulation: str) -> None:
    if formulation == "hakenberg":
        spine = read_scr(_hinges_only())
    model = Multibody.from_skeleton(spine, fixed_base=True)
    reduced, ties = figure_reduction(model), figure_ties(model)
    assert reduced.nq == model.nq - len(ties)
    rng = np.random.default_rng(3)
    x, v = 0.1 * rng.normal(size=reduced.nq), rng.normal(size=reduced.nq)
    q, qd = reduced.joint_state(x, v)
    pose = model.pose_from_state(q)
    np.testing.assert_allclose(followed(spine, pose), pose, atol=1e-14)
    vdot = reduced.forward_dynamics(x, v, None, formulation)
    J, Jdot = reduced.coordinates.jacobian(x), reduced.coordinates.jacobian_rate(x, v)
    held = constrained_dynamics(model, q, qd, None, ties, formulation="maximal").vdot
    np.testing.assert_allclose(J @ vdot + Jdot @ v, held, rtol=1e-9, atol=1e-9 * np.abs(held).max())


def _hinges_only() -> str:
    lines = ['define skeleton "column"', *(f'joint "v{k}"' for k in range(5)), "end skeleton"]
    for k in range(5):
        lines += [f'define joint "v{k}"', f"offset 0 {0.1 * (k > 0)} 0", "hinge z", "mass 1", "center 0 0.05 0"]
        lines += ["inertia 0.01 0.01 0.01"]
        lines += [f'follow z "u + 0.{k}*u^2" u "v1" z'] if k > 1 else []
        lines += ["end joint"]
    return "\n".join(lines)


def test_a_preview_bends_the_spine_as_one(spine: Skeleton) -> None:
    sequence = Sequence(spine)
    sequence.set_key(0, spine.rest_pose())
    rates = np.zeros(spine.nq)
    rates[3:] = np.tile([0.3, 0.2], 10)
    rates = followed_rates(spine, rates)
    settings = PhysicsSettings(floor=None, start_rates=tuple(rates.tolist()), gravity=0.0)
    strip = HybridStrip(tuple(spine.joint_names[1:]), 0)
    preview = Preview(sequence, 0, settings, strips=(strip,))
    for _ in range(10):
        preview.advance()
    q = preview.samples[-1].q
    assert abs(q[3]) > 0.02
    np.testing.assert_allclose(followed(spine, q), q, atol=1e-4)


def followed_rates(s: Skeleton, rates: np.ndarray) -> np.ndarray:
    """Rates of a pose at rest that followers have when their leaders have those."""
    return followed(s, 1e-7 * rates) / 1e-7


def test_what_is_no_coordinate_is_refused(spine: Skeleton, four_bar: Skeleton) -> None:
    text = _hinges_only().replace("hinge z", "hinge x\nhinge y\nhinge z", 1)
    text = text.replace('u "v1" z', 'u "v0" z', 1)
    model = Multibody.from_skeleton(read_scr(text), fixed_base=True)
    with pytest.raises(DynamicsError, match=r'"v0\.z" follows or is followed, .* part of a ball joint'):
        figure_ties(model)
    with pytest.raises(DynamicsError, match="has loops, which are no function"):
        figure_reduction(Multibody.from_skeleton(four_bar))
    column = read_scr(_hinges_only())
    (follow,) = column.joints[2].follows
    circle = replace(column.joints[1], follows=(Follow(0, "u", (Leader("u", "v2", follow.dof),)),))
    circular = Skeleton("column", [circle if joint.name == "v1" else joint for joint in column.joints])
    with pytest.raises(DynamicsError, match="follow each other in a circle"):
        figure_reduction(Multibody.from_skeleton(circular, fixed_base=True))
    with pytest.raises(DynamicsError, match="of no figure"):
        figure_ties(Multibody(model.bodies))
