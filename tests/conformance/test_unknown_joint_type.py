"""A joint type that no file of the project knows is posed, dragged, locked, keyed, mirrored, saved and simulated.

It is made by a class with the methods of a joint, by one that gives its position as expressions, or by a skeleton file.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from core.animation import Sequence
from core.constraints import Lock, bind, solve_locks
from core.constraints.solve_locks import METHODS
from core.dynamics import Multibody
from core.dynamics.contact.figure_shapes import figure_geometries
from core.dynamics.contact.world import Floor, World
from core.dynamics.engine.settings import StepSettings
from core.dynamics.engine.stepper import Stepper
from core.errors import FormatError, JointError
from core.formats import load, save
from core.formats.project import Project
from core.ik import Goal, solve
from core.ik.solve import SOLVERS
from core.joints import JointModel, forget_joint_type, register_joint_type
from core.joints.nearest import nearest
from core.kernels import uncompiled
from core.kinematics import forward_kinematics, point_jacobian
from core.kinematics.center_of_mass import center_of_mass, center_of_mass_jacobian
from core.skeleton import SkeletonBuilder, clamp_pose, read_scr, write_scr
from core.skeleton.mirroring.pose_mirror import pose_mirror
from tests.support.contact_scenes import Depths
from tests.support.written_joints import WrittenTorus


@dataclass(frozen=True)
class Torus(JointModel):
    """A part on a torus about z: the first angle goes round the ring, the second round the tube."""

    ring: float
    tube: float

    type_name: ClassVar[str] = "torus"
    n: ClassVar[int] = 2
    coordinate_names: ClassVar[tuple[str, ...]] = ("ring", "tube")
    rotary: ClassVar[tuple[bool, ...]] = (True, True)
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (("ring", "length"), ("tube", "length"))

    def transform(self, q):
        (a, b), (c, d) = np.cos(q), np.sin(q)
        out = self.ring + self.tube * b
        return np.array(
            [
                [a * b, -c, a * d, a * out],
                [c * b, a, c * d, c * out],
                [-d, 0.0, b, -self.tube * d],
                [0.0, 0.0, 0.0, 1.0],
            ]
        )

    def subspace(self, q):
        c, s = math.cos(q[1]), math.sin(q[1])
        return np.array([[-s, 0.0, c, 0.0, self.ring + self.tube * c, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0, -self.tube]]).T

    def subspace_rate(self, q, v):
        c, s = v[1] * math.cos(q[1]), v[1] * math.sin(q[1])
        return np.array([[-c, 0.0, -s, 0.0, -self.tube * s, 0.0], [0.0] * 6]).T

    def coordinates(self, X, near=None):
        near = np.zeros(2) if near is None else np.asarray(near, dtype=float)
        return nearest(self, np.asarray(X), [near, *(near + np.array([k, 0.0]) for k in (2.0, -2.0))], near)


TEXT = """define skeleton "ring"
joint "base"
joint "bead"
joint "arm"
joint "hand"
end skeleton
define joint "base"
mass 1
end joint
define joint "bead"
offset 0 1 0
orientation 10 20 30
{scale}
{lines}
mass 2
end joint
define joint "arm"
offset 0.2 0 0
hinge z
hinge x
mass 1
end joint
define joint "hand"
offset 0 0.4 0
hinge x -100 100
tip 0 0.3 0
mass 1
end joint
"""
POINT = np.array([0.0, 0.3, 0.0])
LINES = {
    "torus": 'joint type torus 0.6 0.2 -170 170 -inf inf "Round the ring" "Round the tube"',
    "mirrored": "joint type mirrored torus 0.6 0.2",
    "written": 'joint type written torus 0.6 0.2 -170 170 -inf inf "Round the ring" "Round the tube"',
    "mirrored written": "joint type mirrored written torus 0.6 0.2",
    "rolling tori": "joint type surface on surface torus 0.6 0.2 torus 0.5 0.2 -170 170 -100 100 -170 170 -100 100",
    "spinning tori": (
        "joint type surface on surface torus 0.6 0.2 torus 0.5 0.2 spin -inf inf -80 80 -inf inf -80 80 -inf inf"
    ),
    "ball in a bowl": "joint type mirrored surface on surface ellipsoid -0.9 -0.8 -0.7 sphere 0.3 spin",
    "sled": "joint type point on surface ellipsoid 0.6 0.4 0.5 spin",
    "hung": "joint type curve on curve circle 0.6 circle 0.3",
    "bead": "joint type point on curve ellipse 0.6 0.4 free",
    "knee": "joint type four bar x 0 0.1 0.12 0 -0.18 -0.08 0 0.12 -0.1 0 -0.16 0.12",
    "shoulder blade": "joint type scapula 0.3 0.5 0.25 0.1 0 0 80 -20 60 -30 30 -60 60 -20 20",
    "wheel": "joint type rolling 0.2 on 0.7",
    "planet": "joint type gear z 0.4 0 0 1 0 1 2.5",
    "expression": """joint type expression
coordinates round deg -170 170 "Round the ring"
coordinates rise m -0.4 0.5 "Rise"
let a 0.6
let heading round + 0.1*sin(2*round)
translate a*cos(round) rise a/2*sin(round)
rotate -y heading
rotate 0 0.6 0.8 0.4*tanh(2*rise)""",
    "screw": 'joint type screw 0 0.6 0.8 0.3 -400 400 "Turn"',
}
every_type = pytest.mark.parametrize("name", LINES)
every_solver = pytest.mark.parametrize("solver", [solver.name for solver in SOLVERS])


@pytest.fixture(autouse=True)
def known():
    register_joint_type(Torus)
    register_joint_type(WrittenTorus)
    yield
    forget_joint_type(Torus)
    forget_joint_type(WrittenTorus)


def figure(name, scale=""):
    return read_scr(TEXT.format(lines=LINES[name], scale=scale))


def some_pose(s, rng):
    q = 0.8 * rng.normal(size=s.nq)
    q[:3] = 0.0
    return np.clip(q, *np.hstack([np.full((2, 3), [[-np.inf], [np.inf]]), s.limits.T]))


def hand(s, q):
    return (forward_kinematics(s, q)[s.joint_index("hand")] @ [*POINT, 1.0])[:3]


def test_without_being_registered_it_is_refused_in_words():
    forget_joint_type(Torus)
    with pytest.raises(FormatError, match="not a joint type"):
        figure("torus")


def test_a_name_cannot_be_taken_twice():
    class Other(Torus):
        pass

    with pytest.raises(JointError, match='a joint type "torus" already'):
        register_joint_type(Other)
    with pytest.raises(JointError, match="cannot be called"):
        register_joint_type(type("Wrong", (Torus,), {"type_name": "No Name"}))


@pytest.mark.sampled(3)
@every_type
def test_frames_are_the_products_of_transforms(name):
    s, rng = figure(name), np.random.default_rng(1)
    model = s.joints[1].type
    for q in (some_pose(s, rng) for _ in range(5)):
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = s.joints[1].rotation, s.joints[1].offset
        assert forward_kinematics(s, q)[1] == pytest.approx(X @ model.transform(q[3 : 3 + model.n]), abs=1e-14)


@pytest.mark.sampled(5)
@every_type
@pytest.mark.parametrize("scale", ["", "scale 1 1.5 0.7"])
def test_jacobian_is_the_derivative(name, scale):
    s, rng = figure(name, scale), np.random.default_rng(2)
    for q in (some_pose(s, rng) for _ in range(3)):
        J = point_jacobian(s, q, "hand", POINT)
        for k, step in enumerate(1e-6 * np.eye(s.nq)):
            assert J[:3, k] == pytest.approx((hand(s, q + step) - hand(s, q - step)) / 2e-6, abs=1e-8)
        with uncompiled():
            assert point_jacobian(s, q, "hand", POINT) == pytest.approx(J, abs=1e-13)
            assert forward_kinematics(s, q)[3][:3] @ [*POINT, 1.0] == pytest.approx(hand(s, q), abs=1e-14)


@pytest.mark.sampled(24)
@every_type
@every_solver
def test_it_is_dragged(name, solver):
    s, rng = figure(name, "scale 1 1.5 1"), np.random.default_rng(3)
    for _ in range(4):
        q = some_pose(s, rng)
        near = np.clip(q[3:] + 0.3 * rng.normal(size=s.nq - 3), *s.limits.T)
        goal = Goal("hand", POINT, hand(s, np.array([0.0, 0.0, 0.0, *near])))
        result = solve(s, q, [goal], solver=solver, tolerance=1e-6, max_iterations=20_000)
        assert result.converged, (result.error, result.reason)
        assert np.linalg.norm(hand(s, result.q) - goal.position) < 1.01e-6


@every_type
def test_it_is_read_and_written(name):
    s = figure(name)
    text = write_scr(s)
    again = read_scr(text)
    assert write_scr(again) == text
    assert again.joints[1].type == s.joints[1].type
    assert all(line.split(" -")[0].split(" 0")[0] in text for line in LINES[name].splitlines())
    assert [dof[2:] for dof in again.all_dofs] == [dof[2:] for dof in s.all_dofs]
    assert again.dof_labels == s.dof_labels


def test_what_its_class_raises_reaches_the_caller():
    class Broken(Torus):
        type_name: ClassVar[str] = "broken torus"

        def transform(self, q):
            if q[0] > 1.0:
                raise ValueError("no such place")
            return super().transform(q)

    s = figure("torus")
    joints = list(s.joints)
    joints[1] = replace(joints[1], type=Broken(0.6, 0.2))
    s = type(s)("broken", joints)
    q = np.zeros(s.nq)
    forward_kinematics(s, q)
    q[3] = 1.5
    for call in (forward_kinematics, lambda s, q: point_jacobian(s, q, "hand", POINT)):
        with pytest.raises(JointError, match=r'"broken torus" cannot be evaluated at \(1.5, 0\): no such place'):
            call(s, q)
    q[3] = 0.0
    forward_kinematics(s, q)


@every_type
def test_dynamics_agrees_with_maximal_coordinates(name):
    s, rng = figure(name), np.random.default_rng(5)
    model = Multibody.from_skeleton(s)
    q = some_pose(s, rng)
    x, v = model.state_from_pose(q, rng.normal(size=s.nq))
    found = [model.forward_dynamics(x, v, formulation=way) for way in ("recursive", "redmax", "maximal")]
    for other in found[1:]:
        assert other == pytest.approx(found[0], rel=1e-9, abs=1e-9 * np.abs(found[0]).max())


@every_type
@pytest.mark.parametrize("method", METHODS)
def test_locks_hold(name, method):
    s, rng = figure(name), np.random.default_rng(9)
    slow = method == "ccd"
    for kind in ("position",) if slow else ("position", "pose", "aim"):
        q = some_pose(s, rng)
        lock = bind(Lock("hand", kind, POINT, other=("base", (0, 0, 0)) if kind == "aim" else None), s, q)
        start = clamp_pose(s, q + 0.15 * rng.normal(size=s.nq))
        result = solve_locks(s, start, [lock], method=method, tolerance=1e-3 if slow else 1e-9)
        assert result.held, (kind, result.residuals)


@every_type
def test_the_center_of_mass_moves_as_its_jacobian_says(name):
    s, rng = figure(name), np.random.default_rng(4)
    q = some_pose(s, rng)
    J = center_of_mass_jacobian(s, q)
    for k, step in enumerate(1e-6 * np.eye(s.nq)):
        assert J[:, k] == pytest.approx((center_of_mass(s, q + step) - center_of_mass(s, q - step)) / 2e-6, abs=1e-8)


@every_type
def test_it_is_keyed_and_kept_in_a_project(name, tmp_path):
    s, rng = figure(name), np.random.default_rng(6)
    sequence = Sequence(s, fps=30)
    first, second = some_pose(s, rng), some_pose(s, rng)
    sequence.set_key(0, first)
    sequence.set_key(20, second)
    between = sequence.pose_at(7 / 30)
    assert (between[3:] >= np.minimum(first, second)[3:] - 1e-9).any()
    save(Project([s], [sequence]), tmp_path / "a.seq")
    again = load(tmp_path / "a.seq")
    assert np.array_equal(again.sequences[0].pose_at(7 / 30), between)
    assert again.figures[0].joints[1].type == s.joints[1].type


PAIR = """define skeleton "pair"
joint "root"
group "right"
joint "right cart"
end group
group "left"
joint "left cart"
end group
end skeleton
define joint "right cart"
offset -0.3 0.1 0
orientation 10 20 30
{lines}
mirror "left cart"
mass 1
end joint
"""
M = np.diag([-1.0, 1.0, 1.0, 1.0])


@pytest.mark.sampled(8)
@every_type
def test_counterparts_take_the_mirrored_pose(name):
    s, rng = read_scr(PAIR.format(lines=LINES[name])), np.random.default_rng(1)
    assert write_scr(read_scr(write_scr(s))) == write_scr(s) and write_scr(s).count("define joint") == 1
    builder = SkeletonBuilder(s)
    builder.mirror_side("right cart")
    for figure_of_two in (s, builder.build()):
        assert pose_mirror(figure_of_two).exact
        for q in (some_pose(s, rng) for _ in range(3)):
            F = forward_kinematics(figure_of_two, q)
            G = forward_kinematics(figure_of_two, pose_mirror(figure_of_two).convert(q))
            assert np.abs(G[1] - M @ F[2] @ M).max() < 1e-12 and np.abs(G[2] - M @ F[1] @ M).max() < 1e-12


@pytest.mark.sampled(1)
@every_type
def test_it_is_simulated_with_contact(name):
    s = figure(name)
    model = Multibody.from_skeleton(s)
    shapes = figure_geometries(s, model)
    floor = Floor(friction=0.5)
    stepper = Stepper(model, shapes, World(floor=floor), settings=StepSettings(step=1 / 240, sleep=False))
    q = some_pose(s, np.random.default_rng(8))
    q[1] = 1.5
    x, v = model.state_from_pose(q, np.zeros(s.nq))
    stepper.set_state(x, v)
    start, depths, deepest, touched = sum(stepper.readings.energy()), Depths(shapes, floor), -np.inf, 0
    for _ in range(480):
        assert stepper.step().kkt < 1e-6
        deepest = max(deepest, depths.deepest(stepper.readings.body_poses()))
        touched += deepest > -1e-3
    assert touched and deepest < 0.01
    assert sum(stepper.readings.energy()) < start
    (lower, upper), now = s.limits.T, model.pose_from_state(stepper.state()[0])
    assert (now[3:] > lower - 0.05).all() and (now[3:] < upper + 0.05).all()
