"""A model as the step has it: a node for each coordinate in the memory, and the joints that functions evaluate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.dynamics.engine.memory import BODY, NODE, ROTATION, Memory
from core.dynamics.packed import Packed
from core.joints import Composite, JointModel, Spherical, SphericalEuler
from core.joints.evaluated import Present, evaluated

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

Integers = NDArray[np.int64]


@dataclass
class General:
    """A joint, or part of one, that a function evaluates.

    Attributes:
        home: The joint in the chart of the model.
        present: The same in its present chart.
        first: Its first node.
    """

    home: JointModel
    present: Present
    first: int

    @property
    def joint(self) -> JointModel:
        """The joint in its present chart."""
        return self.present.joint


class Tree:
    """The nodes of a model.

    Args:
        model: The model.

    Attributes:
        nodes: The nodes with their constants filled in, an array of ``NODE``.
        bodies: The bodies with their poses in the nodes, an array of ``BODY``.
        parent, kind, count, reference, depth, start, chain, body_node: As ``core.dynamics.engine.memory`` has them.
        balls: The first nodes of all rotations, shape (k,).
        ball_places: All nodes of each, shape (k, 3).
        angles: Rotations that the model gives by three angles: the joint and its first node.
        general: Joints that are evaluated by functions.
        recharted: Those among them that may change their chart.
        constants: What the functions go by, one joint's after the other's.
        sorted: Whether the nodes of each tree follow each other.
    """

    def __init__(self, model: Multibody):
        flat = Packed(_without_angles(model))
        n, nb = model.nv, len(model.bodies)
        nodes, bodies = flat.memory.nodes.array[1:], flat.memory.bodies
        self.nodes = np.zeros(n, dtype=NODE)
        for name in ("T", "at", "first_moment", "second_moment"):
            self.nodes[name] = nodes[name]
        self.nodes["weight"] = nodes["mass"]
        for turn in ("turn", "rest_turn", "target_turn", "next_turn"):
            self.nodes[turn][:, 0] = 1.0
        self.bodies = np.zeros(nb, dtype=BODY)
        self.bodies["R"], self.bodies["p"] = bodies["T"], bodies["at"]
        self.bodies["grip"] = 1.0
        self.parent: Integers = nodes["parent"] - 1
        self.kind: Integers = nodes["kind"].copy()
        self.count: Integers = nodes["count"].copy()
        self.body_node: Integers = bodies["parent"] - 1
        self.depth, self.reference = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        chains: list[list[int]] = []
        for i, parent in enumerate(self.parent.tolist()):
            chains.append([*(chains[parent] if parent >= 0 else []), i])
            self.depth[i] = len(chains[i]) - 1
        own = nodes["body"]
        for i, chain in enumerate(chains):
            self.reference[i] = int(np.flatnonzero(own == own[chain[0]])[-1])
        self.start: Integers = np.cumsum([0, *map(len, chains)], dtype=np.int64)[:-1]
        self.chain: Integers = np.array([k for chain in chains for k in chain], dtype=np.int64)
        self.balls: Integers = np.flatnonzero(self.kind == ROTATION)
        self.ball_places: Integers = self.balls[:, None] + np.arange(3)
        self.angles = [
            (joint, first)
            for body, start in zip(model.bodies, model.first.tolist(), strict=False)
            for joint, first in _parts(body.joint, start)
            if isinstance(joint, SphericalEuler)
        ]
        self.sorted = bool(np.all(np.diff(self.reference) >= 0))
        self.general = [General(joint, Present(joint), first) for joint, first, _ in flat.general]
        self.recharted = [part for part in self.general if part.home.has_charts]
        self.slot, self.constants_at = np.zeros(n), np.zeros(n, dtype=np.int64)
        self.constants = np.zeros(0)
        for part in self.general:
            self.slot[part.first], constants = evaluated(part.present)
            self.constants_at[part.first] = len(self.constants)
            self.constants = np.concatenate([self.constants, constants])

    def put(self, part: General, joint: JointModel, memory: Memory) -> None:
        """Let a joint be in another chart from now on."""
        part.present.joint = joint
        if joint.evaluation is not None:  # else Python looks which chart it is
            memory.slot[part.first], constants = evaluated(joint)
            at = int(self.constants_at[part.first])
            memory.constants[at : at + len(constants)] = constants

    def fill(self, memory: Memory) -> None:
        """Write the constants into the memory."""
        memory.nodes.array[:] = self.nodes
        memory.bodies.array[:] = self.bodies
        for name in ("parent", "kind", "count", "reference", "depth", "start", "chain", "body_node"):
            getattr(memory, name)[:] = getattr(self, name)
        memory.state.general = int(bool(self.general))
        memory.slot[:], memory.constants_at[:], memory.constants[:] = self.slot, self.constants_at, self.constants

    def coordinates_of(self, node: int) -> slice:
        """Return the nodes of the joint part that a node begins."""
        return slice(node, node + max(1, int(self.count[node])))


def _parts(joint: JointModel, first: int) -> Iterator[tuple[JointModel, int]]:
    """Yield the joints that a joint is made of, and their first coordinates."""
    if isinstance(joint, Composite):
        for part in joint.joints:
            yield from _parts(part, first)
            first += part.n
    else:
        yield joint, first


def _without_angles(model: Multibody) -> Multibody:
    """Return the model with rotations in place of rotations given by three angles, which have gimbal locks."""
    joints = [_turned(body.joint) for body in model.bodies]
    if all(joint is body.joint for joint, body in zip(joints, model.bodies, strict=True)):
        return model
    bodies = [replace(body, joint=joint) for body, joint in zip(model.bodies, joints, strict=True)]
    return type(model)(bodies, model.gravity)


def _turned(joint: JointModel) -> JointModel:
    if isinstance(joint, SphericalEuler):
        return Spherical()
    if isinstance(joint, Composite) and any(isinstance(part, SphericalEuler) for part, _ in _parts(joint, 0)):
        return Composite(*(_turned(part) for part in joint.joints))
    return joint
