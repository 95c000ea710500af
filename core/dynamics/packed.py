"""A tree of bodies for the kernels: a node for each coordinate, fixed bodies welded to others.

A joint made of hinges and slides becomes that many nodes, with nothing that weighs in between, each with its axis along
its own z. A rotation in exponential coordinates becomes three nodes that turn together. What is made otherwise becomes
as many nodes as it has coordinates, whose transform and subspace a function of the joint evaluates before each call.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

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

_EYE, _EYE4, _UPPER = np.eye(3), np.eye(4), np.triu_indices(3)

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
        generated: The recursions generated for the model, see ``symbolic.tree``; None before they are asked for.
        choice: What is known of which formulation is fastest, see ``fastest``; None before that is asked for.

    Args:
        model: What is packed.
    """

    __slots__ = ("_functions", "body", "choice", "general", "generated", "memory", "rest", "spare")

    def __init__(self, model: TreeModel):
        self.rest = np.zeros(model.nv)
        self.body = np.repeat(np.arange(len(model.bodies)), np.diff(model.first))
        packing = _Packing(model)
        self.memory = packing.memory
        self.general = tuple(packing.general)
        self._forget()

    def _forget(self) -> None:
        """Have nothing of what means something in this process alone, as addresses do."""
        self.spare: list[TreeMemory] = []
        self.generated: Any = None
        self.choice: Any = None
        self._functions: tuple[NDArray[np.int64], Array, Array] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("body", "general", "memory", "rest")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self._forget()

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

    def evaluate(self, x: Array, v: Array, memory: TreeMemory | None = None) -> None:
        """Write transforms, subspaces and biases of the joints that functions evaluate into nodes, or a copy's."""
        if self.general:
            serving(joints_kernel).evaluate(self.memory if memory is None else memory, *self.functions, x, v)
            raise_kept()


class _Packing:
    """Walks through the bodies of a model and fills the memory."""

    def __init__(self, model: TreeModel):
        sizes = {"node_count": 1 + model.nv, "body_count": len(model.bodies), "coordinate_count": model.nv}
        self.memory = TreeMemory(sizes)
        self.nodes = self.memory.nodes
        # Written at once at the end: a record at a time takes five times as long.
        self.parents, self.kinds, self.body_of, self.counts = [0], [0], [0], [0]
        self.poses = [_EYE4]
        self.general: list[General] = []
        self.used = 0
        self.last = 0
        self.X = _EYE4
        own = self.nodes.array
        # Where each joint frame is: the node that carries it, and its pose there.
        frames: list[tuple[int, Array]] = []
        parents, carriers, poses = model.parents.tolist(), [], []
        for i, (body, parent) in enumerate(zip(model.bodies, parents, strict=True)):
            self.last, X = frames[parent] if parent >= 0 else (0, _EYE4)
            self.X = X @ body.X_PJ
            self.body = i
            before = self.used
            self.add(body.joint)
            if self.used - before >= 6:
                own["open"][1 + before] = 1
            frames.append((self.last, self.X))
            carriers.append(self.last)
            poses.append(self.X @ body.X_JB)
        for name, values in (("parent", self.parents), ("kind", self.kinds), ("body", self.body_of)):
            own[name] = values
        own["count"] = self.counts
        placed = np.array(self.poses)
        own["T"][1:], own["at"][1:] = placed[1:, :3, :3].reshape(-1, 9), placed[1:, :3, 3]
        own["R"][0], own["bias"][0, 3:] = _EYE.ravel(), -model.gravity
        self.weigh(model, np.array(carriers), np.array(poses))
        nodes = own[1:]
        turning = (nodes["kind"] < SLIDE) | (nodes["kind"] == CONTINUED)
        nodes["stays"] = turning & ~nodes["at"].any(axis=1)
        moments = nodes["first_moment"].any(axis=1) | nodes["second_moment"].any(axis=1)
        nodes["empty"] = ~((nodes["mass"] != 0.0) | moments)
        self.doubts(model.nv)

    def weigh(self, model: TreeModel, carriers: NDArray[np.int64], X: Array) -> None:
        """Write the poses of bodies in the nodes that carry them, and their inertias into these."""
        bodies = self.memory.bodies.array
        R = np.ascontiguousarray(X[:, :3, :3])
        bodies["parent"], bodies["T"], bodies["at"] = carriers, R.reshape(-1, 9), X[:, :3, 3]
        # As SpatialInertia.moved and about, to the last bit, without checking anew what has been checked.
        inertias = [body.inertia for body in model.bodies]
        mass = np.array([inertia.mass for inertia in inertias])
        center = np.array([inertia.center for inertia in inertias])[:, :, None]
        center = (R @ center)[:, :, 0] + X[:, :3, 3]
        turned = R @ np.array([inertia.inertia for inertia in inertias]) @ R.transpose(0, 2, 1)
        turned = 0.5 * (turned + turned.transpose(0, 2, 1))
        square = (center[:, None, :] @ center[:, :, None])[:, :, 0]
        turned += mass[:, None, None] * (square[:, :, None] * _EYE - center[:, :, None] * center[:, None, :])
        there = carriers > 0
        at, nodes = carriers[there], self.nodes.array
        np.add.at(nodes["mass"], at, mass[there])
        np.add.at(nodes["first_moment"], at, (mass[:, None] * center)[there])
        np.add.at(nodes["second_moment"], at, turned[:, _UPPER[0], _UPPER[1]][there])

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
        turned, back = _turned(step.axis)
        self.node(HINGE if step.kind == "hinge" else SLIDE, self.X @ turned)
        self.X = back

    def several(self, kind: int, count: int) -> None:
        """Add the nodes of a joint with several columns."""
        self.node(kind, self.X)
        self.counts[-1] = count
        for _ in range(count - 1):
            self.node(TURNED if kind == ROTATION_VECTOR else CONTINUED, _EYE4)
        self.X = _EYE4

    def slides(self) -> None:
        """Add a slide along each coordinate axis."""
        for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
            self.step(Step("slide", axis))

    def rotation(self) -> None:
        """Add a rotation in exponential coordinates."""
        self.several(ROTATION_VECTOR, 3)

    def node(self, kind: int, X: Array) -> None:
        """Add one node at a pose in the one before."""
        self.parents.append(self.last)
        self.kinds.append(kind)
        self.body_of.append(self.body)
        self.counts.append(0)
        self.poses.append(X)
        self.used += 1
        self.last = self.used

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
def _turned(axis: Vector) -> tuple[Array, Array]:
    """Return the pose that turns z to an axis, and its inverse."""
    turned = np.eye(4)
    turned[:3, :3] = to_z(np.array(axis))
    return turned, turned.T


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
