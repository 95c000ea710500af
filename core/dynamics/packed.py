"""A tree of bodies for the kernels: a node for each coordinate, fixed bodies welded to others.

A joint made of hinges and slides becomes that many nodes, with nothing that weighs in between, each with its axis along
its own z. A rotation in exponential coordinates becomes three nodes that turn together. What is made otherwise becomes
as many nodes as it has coordinates, whose transform and subspace a function of the joint evaluates before each call.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics import joints_kernel
from core.dynamics.tree_memory import CONTINUED, GENERAL, HINGE, ROTATION_VECTOR, SLIDE, TURNED, TreeMemory
from core.joints import Composite, Fixed, Free, FreeRotationFirst, JointModel, Spherical, Step
from core.joints.base import Vector
from core.joints.evaluated import evaluated
from core.kernels import serving
from core.kernels.functions import raise_kept

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel

_EYE, _UPPER = np.eye(3), np.triu_indices(3)

DOUBT = 1e-12
"""A pivot below this much of the largest inertia that the node can have may be rounding."""


class General(NamedTuple):
    """A joint that is evaluated before each call.

    Attributes:
        joint: What evaluates it.
        first: Its first coordinate.
        node: Its first node.
    """

    joint: JointModel
    first: int
    node: int


class Packed:
    """A model for the kernels of the recursive formulation, and the memory they work in.

    A kernel holds the interpreter's lock from beginning to end, so that threads may share a model; where joints are
    evaluated before it (``general``), ``recursive`` keeps both together. Kernels that release it work in a copy of the
    memory each (``batch``).

    Attributes:
        memory: Its nodes and bodies, and what the kernels work in.
        spare: Copies of it that nobody works in now.
        rest: Zero velocities, shape (nv,).
        body: Which body each coordinate belongs to, shape (nv,).
        general: Joints that functions evaluate.

    Args:
        model: What is packed.
    """

    __slots__ = ("_functions", "body", "general", "memory", "rest", "spare")

    def __init__(self, model: TreeModel):
        self.rest = np.zeros(model.nv)
        self.body = np.repeat(np.arange(len(model.bodies)), np.diff(model.first))
        packing = _Packing(model)
        self.memory = packing.memory
        self.spare: list[TreeMemory] = []
        self.general = tuple(packing.general)
        self._functions: tuple[NDArray[np.int64], Array, Array] | None = None

    @property
    def functions(self) -> tuple[NDArray[np.int64], Array, Array]:
        """What evaluates the joints of ``general``: arguments of ``joints_kernel.evaluate``, made at the first call."""
        if self._functions is None:
            rows: list[tuple[int, int, int, int]] = []
            slots: list[float] = []
            constants = np.zeros(0)
            for joint, first, node in self.general:
                slot, own = evaluated(joint)
                rows.append((first, node, joint.n, len(constants)))
                slots.append(slot)
                constants = np.concatenate([constants, own])
            self._functions = np.array(rows, dtype=np.int64).reshape(-1, 4), np.array(slots), constants
        return self._functions

    def evaluate(self, x: Array, v: Array) -> None:
        """Write transforms, subspaces and biases of the joints that functions evaluate into their nodes."""
        serving(joints_kernel).evaluate(self.memory, *self.functions, x, v)
        raise_kept()


class _Packing:
    """Walks through the bodies of a model and fills the memory."""

    def __init__(self, model: TreeModel):
        sizes = {"node_count": 1 + model.nv, "body_count": len(model.bodies), "coordinate_count": model.nv}
        self.memory = TreeMemory(sizes)
        self.nodes = self.memory.nodes
        self.nodes[0].R[:] = np.eye(3).ravel()
        self.nodes[0].bias[3:] = -model.gravity
        self.general: list[General] = []
        self.used = 0
        self.last = 0
        self.X = np.eye(4)
        # Where each joint frame is: the node that carries it, and its pose there.
        frames: list[tuple[int, Array]] = []
        for i, body in enumerate(model.bodies):
            parent = int(model.parents[i])
            self.last, X = frames[parent] if parent >= 0 else (0, np.eye(4))
            self.X = X @ body.X_PJ
            self.body = i
            before = self.used
            self.add(body.joint)
            if self.used - before >= 6:
                self.nodes[1 + before].open = 1
            frames.append((self.last, self.X))
            X_NB = self.X @ body.X_JB
            own = self.memory.bodies[i]
            own.parent = self.last
            own.T[:], own.at[:] = X_NB[:3, :3].ravel(), X_NB[:3, 3]
            if self.last:
                # As SpatialInertia.moved and about, to the last bit, without checking anew what has been checked.
                inertia, R = body.inertia, X_NB[:3, :3]
                mass, center = inertia.mass, R @ inertia.center + X_NB[:3, 3]
                turned = R @ inertia.inertia @ R.T
                turned = 0.5 * (turned + turned.T)
                turned += mass * (float(center @ center) * _EYE - center[:, None] * center)
                node = self.nodes[self.last]
                node.mass += mass
                node.first_moment[:] += mass * center
                node.second_moment[:] += turned[_UPPER]
        nodes = self.nodes.array[1:]
        turning = (nodes["kind"] < SLIDE) | (nodes["kind"] == CONTINUED)
        nodes["stays"] = turning & ~nodes["at"].any(axis=1)
        moments = nodes["first_moment"].any(axis=1) | nodes["second_moment"].any(axis=1)
        nodes["empty"] = ~((nodes["mass"] != 0.0) | moments)
        self.doubts(model.nv)

    def add(self, joint: JointModel) -> None:
        """Put a joint behind the frame reached so far."""
        special = _SPECIAL.get(type(joint))
        if special is not None:
            special(self)
        elif isinstance(joint, Composite):
            for part in joint.joints:
                self.add(part)
        elif joint.steps is not None:
            for step in joint.steps:
                self.step(step)
        elif joint.n == 0:
            self.X = self.X @ joint.transform(np.zeros(0))
        else:
            self.general.append(General(joint, self.used, 1 + self.used))
            self.several(GENERAL, joint.n)

    def step(self, step: Step) -> None:
        """Add a hinge or slide, its axis turned to local z and back behind it."""
        turned = np.eye(4)
        turned[:3, :3] = _to_z(step.axis)
        self.node(HINGE if step.kind == "hinge" else SLIDE, self.X @ turned)
        self.X = turned.T

    def several(self, kind: int, count: int) -> None:
        """Add the nodes of a joint with several columns."""
        self.node(kind, self.X)
        self.nodes[self.last].count = count
        for _ in range(count - 1):
            self.node(TURNED if kind == ROTATION_VECTOR else CONTINUED, np.eye(4))
        self.X = np.eye(4)

    def slides(self) -> None:
        """Add a slide along each coordinate axis."""
        for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
            self.step(Step("slide", axis))

    def rotation(self) -> None:
        """Add a rotation in exponential coordinates."""
        self.several(ROTATION_VECTOR, 3)

    def node(self, kind: int, X: Array) -> None:
        """Add one node at a pose in the one before."""
        parent = self.last
        self.used += 1
        self.last = self.used
        own = self.nodes[self.last]
        own.parent, own.kind, own.body = parent, kind, self.body
        own.T[:], own.at[:] = X[:3, :3].ravel(), X[:3, 3]

    def doubts(self, nodes: int) -> None:
        """Write the inertias below which a pivot is in doubt: of all that hangs on a node, stretched away from it."""
        own = self.nodes.array
        mass: list[float] = own["mass"].tolist()
        lever = [math.hypot(*moment) for moment in own["first_moment"].tolist()]
        second = (own["second_moment"][:, 0] + own["second_moment"][:, 3] + own["second_moment"][:, 5]).tolist()
        arms = [math.hypot(*at) for at in own["at"].tolist()]
        parents: list[int] = own["parent"].tolist()
        for i in range(nodes, 0, -1):
            parent, arm = parents[i], arms[i]
            mass[parent] += mass[i]
            lever[parent] += lever[i] + mass[i] * arm
            second[parent] += second[i] + 4.0 * lever[i] * arm + 2.0 * mass[i] * arm * arm
        own["least"][1:, 0], own["least"][1:, 1] = DOUBT * np.array(second[1:]), DOUBT * np.array(mass[1:])


@lru_cache(maxsize=4096)
def _to_z(axis: Vector) -> Array:
    return to_z(np.array(axis))


def to_z(axis: Array) -> Array:
    """Return a rotation, shape (3, 3), whose last column is a unit axis; exact if it is a coordinate axis."""
    along = int(np.argmax(np.abs(axis)))
    first = np.zeros(3)
    first[(along + 1) % 3] = 1.0
    x = first - axis[(along + 1) % 3] * axis
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(axis, x), axis], axis=1)


def _free(packing: _Packing) -> None:
    packing.slides()
    packing.rotation()


def _free_rotation_first(packing: _Packing) -> None:
    packing.rotation()
    packing.slides()


_SPECIAL: dict[type[JointModel], Callable[[_Packing], None]] = {
    Fixed: lambda packing: None,
    Spherical: _Packing.rotation,
    Free: _free,
    FreeRotationFirst: _free_rotation_first,
}
"""Joints that are no series of hinges and slides but known to the kernels."""
