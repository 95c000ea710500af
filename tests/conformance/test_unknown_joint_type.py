"""A joint type that no file of the project knows is posed, dragged, locked, keyed, mirrored, saved and simulated."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from core.dynamics import Multibody
from core.errors import FormatError, JointError
from core.ik import Goal, solve
from core.ik.solve import SOLVERS
from core.joints import JointModel, forget_joint_type, register_joint_type
from core.joints.nearest import nearest
from core.kernels import uncompiled
from core.kinematics import forward_kinematics, point_jacobian
from core.skeleton import read_scr, write_scr


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
    "screw": 'joint type screw 0 0.6 0.8 0.3 -400 400 "Turn"',
}
every_type = pytest.mark.parametrize("name", LINES)
every_solver = pytest.mark.parametrize("solver", [solver.name for solver in SOLVERS])


@pytest.fixture(autouse=True)
def known():
    register_joint_type(Torus)
    yield
    forget_joint_type(Torus)


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


@every_type
def test_frames_are_the_products_of_transforms(name):
    s, rng = figure(name), np.random.default_rng(1)
    model = s.joints[1].type
    for q in (some_pose(s, rng) for _ in range(5)):
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = s.joints[1].rotation, s.joints[1].offset
        assert forward_kinematics(s, q)[1] == pytest.approx(X @ model.transform(q[3 : 3 + model.n]), abs=1e-14)


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
    assert again.joints[1].type == s.joints[1].type and LINES[name].split(" -")[0].split(" 0")[0] in text
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
