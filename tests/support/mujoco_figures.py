"""Figures of MuJoCo's model files as models of ours, with what touches the floor: the same bodies in both programs.

MuJoCo's z is up, ours y: the root's parent frame is MuJoCo's world, so that places keep their numbers and only the
world around them is turned.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dynamics import Body, Multibody
from core.dynamics.contact.shapes import Box, Capsule, Geometry, Shape, Sphere
from core.joints import Composite, Fixed, Free, Revolute
from core.spatial import SpatialInertia, quaternion, se3, so3

Array = NDArray[np.float64]

HUMANOID, CMU = "mujoco_humanoid.xml", "dm_control_humanoid_CMU.xml"
FRICTION = 0.7
UPRIGHT = se3.transform(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]), (0.0, 0.0, 0.0))
"""Pose of MuJoCo's world in ours."""


@dataclass(frozen=True, eq=False)
class MujocoFigure:
    """A figure in both programs.

    Attributes:
        theirs: The compiled model: only the floor touches, friction 0.7, elliptic cones off.
        model: Ours; coordinates are the place and rotation vector of the root, then the hinges in their order.
        geometries: Its shapes.
        limits: Least and largest value of each coordinate, shape (nq, 2).
        stiffness, damping, armature: Of each coordinate, shape (nv,); springs rest at 0.
    """

    theirs: Any
    model: Multibody
    geometries: tuple[Geometry, ...]
    limits: Array
    stiffness: Array
    damping: Array
    armature: Array

    def to_theirs(self, x: Array, v: Array) -> tuple[Array, Array]:
        """Return MuJoCo's ``qpos`` and ``qvel`` of coordinates and rates of ours."""
        turn = quaternion.from_matrix(so3.exp(x[3:6]))
        return np.array([*x[:3], *turn, *x[6:]]), np.array([*v[:3], *(so3.right_jacobian(x[3:6]) @ v[3:6]), *v[6:]])

    def to_ours(self, qpos: Array, qvel: Array) -> tuple[Array, Array]:
        """Return our coordinates and rates of MuJoCo's ``qpos`` and ``qvel``."""
        r = so3.log(quaternion.to_matrix(qpos[3:7]))
        rate = np.linalg.solve(so3.right_jacobian(r), qvel[3:6])
        return np.array([*qpos[:3], *r, *qpos[7:]]), np.array([*qvel[:3], *rate, *qvel[6:]])

    def start(self, rng: np.random.Generator, height: float = 1.6, speed: float = 0.0) -> tuple[Array, Array]:
        """Return a random start of ours: turned any way, root at a height, hinges within a third of their range."""
        x = np.zeros(self.model.nq)
        x[2], x[3:6] = height, so3.log(quaternion.to_matrix(_unit(rng.normal(size=4))))
        low, high = self.limits[6:].T
        x[6:] = np.clip(0.0, low, high) + rng.uniform(-1 / 6, 1 / 6, len(low)) * (high - low)
        x[6:] = np.clip(x[6:], low, high)
        return x, speed * rng.normal(size=self.model.nv)


def load_mujoco_figure(path: Path) -> MujocoFigure:
    """Return the figure of a model file of MuJoCo's, one free body with hinges.

    Raises:
        ValueError: If it has other joints.
    """
    import mujoco

    theirs = mujoco.MjModel.from_xml_string(_without_looks(path))
    plane = int(mujoco.mjtGeom.mjGEOM_PLANE)
    floor = theirs.geom_type == plane
    theirs.geom_contype[:], theirs.geom_conaffinity[:] = floor, ~floor
    theirs.geom_condim[:] = 3
    theirs.geom_friction[:, 0] = FRICTION
    theirs.opt.cone = mujoco.mjtCone.mjCONE_PYRAMIDAL
    theirs.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    bodies: list[Body] = []
    of: dict[int, int] = {0: -1}
    for i in range(1, theirs.nbody):
        _add_body(theirs, i, bodies, of)
    model = Multibody(bodies)
    limits = np.tile([-np.inf, np.inf], (model.nq, 1))
    stiffness = np.zeros(model.nv)
    for j in range(1, theirs.njnt):
        k = int(theirs.jnt_dofadr[j])
        if theirs.jnt_limited[j]:
            limits[k] = theirs.jnt_range[j]
        stiffness[k] = _number(theirs.jnt_stiffness[j])
    shapes = tuple(_geometry(theirs, g, of) for g in np.flatnonzero(~floor).tolist())
    damping, armature = theirs.dof_damping.copy(), theirs.dof_armature.copy()
    return MujocoFigure(theirs, model, shapes, limits, stiffness, damping.reshape(model.nv, -1)[:, 0], armature)


def _add_body(theirs: Any, i: int, bodies: list[Body], of: dict[int, int]) -> None:
    """Append the body of number i, with one that weighs nothing where its hinges turn about different places."""
    name = theirs.body(i).name or f"body {i}"
    first, count = int(theirs.body_jntadr[i]), int(theirs.body_jntnum[i])
    joints = list(range(first, first + count))
    X_PB = se3.transform(quaternion.to_matrix(theirs.body_quat[i]), theirs.body_pos[i])
    parent = of[int(theirs.body_parentid[i])]
    X_PJ = UPRIGHT if parent < 0 else bodies[parent].X_JB
    kinds = [int(theirs.jnt_type[j]) for j in joints]
    if kinds == [0]:
        groups: list[tuple[Any, Array]] = [(Free(), np.zeros(3))]
    elif not joints:
        X_PJ = X_PJ @ X_PB
        groups = [(Fixed(), np.zeros(3))]
    elif set(kinds) == {3}:
        X_PJ = X_PJ @ X_PB
        groups = _turns(theirs, joints)
    else:
        raise ValueError(f"{name} has joints of kinds {kinds}; expected a free one, or hinges")
    before = np.zeros(3)
    for k, (joint, anchor) in enumerate(groups):
        last = k == len(groups) - 1
        step = se3.transform(np.eye(3), anchor - before)
        back = se3.transform(np.eye(3), -anchor) if last else np.eye(4)
        inertia = _inertia(theirs, i) if last else SpatialInertia.zero()
        called = name if last else f"{name} {k + 1}"
        bodies.append(Body(called, parent, joint, X_PJ @ step, back, inertia))
        parent, X_PJ, before = len(bodies) - 1, np.eye(4), anchor
    of[i] = len(bodies) - 1


def _turns(theirs: Any, joints: list[int]) -> list[tuple[Any, Array]]:
    """Return the hinges of a body as joints, each with its place in the body: those at one place together."""
    groups: list[tuple[list[Revolute], Array]] = []
    for j in joints:
        place = np.array(theirs.jnt_pos[j])
        if not groups or np.any(groups[-1][1] != place):
            groups.append(([], place))
        groups[-1][0].append(Revolute(tuple(theirs.jnt_axis[j])))
    return [(row[0] if len(row) == 1 else Composite(*row), place) for row, place in groups]


def _inertia(theirs: Any, i: int) -> SpatialInertia:
    R = quaternion.to_matrix(theirs.body_iquat[i])
    return SpatialInertia(float(theirs.body_mass[i]), theirs.body_ipos[i], R @ np.diag(theirs.body_inertia[i]) @ R.T)


def _geometry(theirs: Any, g: int, of: dict[int, int]) -> Geometry:
    """Return a shape; an ellipsoid becomes the capsule of its longest and its mean other half axis."""
    import mujoco

    kinds = mujoco.mjtGeom
    kind, size = kinds(int(theirs.geom_type[g])), theirs.geom_size[g]
    R = quaternion.to_matrix(theirs.geom_quat[g])
    shape: Shape
    if kind == kinds.mjGEOM_SPHERE:
        shape = Sphere(float(size[0]))
    elif kind == kinds.mjGEOM_CAPSULE:
        shape = Capsule(float(size[0]), float(size[1]))
    elif kind == kinds.mjGEOM_BOX:
        shape = Box(tuple(size.tolist()))
    elif kind == kinds.mjGEOM_ELLIPSOID:
        long = int(np.argmax(size))
        others = np.delete(size, long)
        shape = Capsule(float(others.mean()), max(float(size[long] - others.mean()), 1e-6))
        R = R @ np.roll(np.eye(3), long - 2, axis=1)
    else:
        raise ValueError(f"{theirs.geom(g).name} is a {kind.name}")
    X = se3.transform(R, theirs.geom_pos[g])
    return Geometry(shape, of[int(theirs.geom_bodyid[g])], X, FRICTION, theirs.geom(g).name or f"shape {g}")


def _without_looks(path: Path) -> str:
    """Return the text of a model file without what it includes from other files: materials and lights."""
    root = ElementTree.parse(path).getroot()
    for element in root.findall("include"):
        root.remove(element)
    if root.find("asset") is None:
        for element in root.iter():
            element.attrib.pop("material", None)
    return ElementTree.tostring(root, encoding="unicode")


def _number(value: Any) -> float:
    return float(np.ravel(value)[0])


def _unit(a: Array) -> Array:
    return np.asarray(a / np.linalg.norm(a))
