"""Which parts of a figure are what of a body, found by their names, and about which axes and how strongly joints turn.

Torques are looked at in axes that are fixed to the part and, in the pose of rest, those of anatomy: one of flexion, one
of abduction, one of inward rotation.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from core.arrays import Array, Ints
from core.preview.strength import OF_SEGMENTS, STRENGTHS
from core.skeleton.stance import Stance
from core.spatial import so3

if TYPE_CHECKING:
    from core.preview.actor import Actor
    from core.skeleton import Skeleton

LEFT, RIGHT, MIDDLE = 1, -1, 0

_NO_PART = re.compile(r"finger|thumb|index|ring|pinky|eye|jaw|tail|wing|hair|ear\b")
_KINDS = (
    ("toes", r"toe|ball of"),
    ("ankle", r"foot|ankle"),
    ("wrist", r"hand|wrist"),
    ("elbow", r"fore ?arm|lower ?arm|elbow"),
    ("knee", r"shank|shin|calf|lower ?leg|knee"),
    ("hip", r"thigh|up ?leg|upper ?leg|femur|leg|hip\b"),
    ("clavicle", r"clavicle|collar|shoulder"),
    ("shoulder", r"upper ?arm|humerus|arm"),
    ("neck", r"neck|head|cervical"),
    ("trunk", r"abdomen|spine|chest|torso|waist|thorax|back|trunk|lumbar"),
)
_FORWARDS, _BACKWARDS = ("hip", "shoulder", "ankle", "elbow", "clavicle", "other"), ("knee", "toes", "trunk", "neck")


def kind_of(name: str, above: str) -> str:
    """Return what a joint is: a name in ``STRENGTHS``, or "other".

    Args:
        name: Name of the joint.
        above: What the joint is that it hangs on.
    """
    words = re.sub(r"[\W_\d]+", " ", re.sub(r"([a-z])([A-Z])", r"\1 \2", name)).lower()
    if _NO_PART.search(words):
        return "other"
    kind = next((kind for kind, pattern in _KINDS if re.search(pattern, words)), "other")
    if kind == "hip" and above == "hip":
        return "knee"
    if kind == "shoulder" and above == "shoulder":
        return "elbow"
    return kind


def side_of(name: str) -> int:
    """Return ``LEFT``, ``RIGHT`` or ``MIDDLE`` by the name of a joint."""
    words = re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower()
    for side, pattern in ((LEFT, r"left|(^|[\W_])l($|[\W_])"), (RIGHT, r"right|(^|[\W_])r($|[\W_])")):
        if re.search(pattern, words):
            return side
    return MIDDLE


def has_two_legs(s: Skeleton) -> bool:
    """Return whether the joints of a figure, by their names, are two legs of hip, knee and foot, one on either side."""
    kinds: list[str] = []
    for joint in s.joints:  # parents come first
        kinds.append(kind_of(joint.name, kinds[joint.parent]) if joint.parent >= 0 else "other")
    found = {(side_of(joint.name), kind) for joint, kind in zip(s.joints, kinds, strict=True)}
    return all((side, kind) in found for side in (LEFT, RIGHT) for kind in ("hip", "knee", "ankle"))


class Limb:
    """Bodies of a leg or an arm from the trunk outwards, by kind."""

    def __init__(self, side: int, bodies: dict[str, int]):
        self.side, self.bodies = side, bodies


class Anatomy:
    """A figure of a simulation as a body.

    Args:
        actor: The figure.
        gravity: Acceleration of free fall, [m/s^2]: strength is counted in weights, on the moon those of the earth.

    Attributes:
        kinds: What each body is, a name in ``STRENGTHS`` or "other".
        sides: ``LEFT``, ``RIGHT`` or ``MIDDLE`` of each body, shape (nb,).
        coordinates: Of each body, those that turn it, shape (k,): 3 of a ball, or hinges.
        axes: Anatomical axes in each body's frame, one a row: flexion, abduction, inward, shape (nb, 3, 3).
        limits: Largest torques about them, forwards and backwards, shape (nb, 3, 2), [N m].
        strength: Mean of those of each coordinate, shape (nv,), [N m], of slides [N]; 0 of the root.
        turns: Of each hinge its axis in its body's frame where all are 0, shape (nv, 3); of balls the own axes.
        is_ball: Which coordinates are part of a ball, shape (nv,).
        height: How tall it stands, [m].
        mass: [kg].
        rest: Coordinates of the pose of rest, shape (nq,).
        rest_poses: Poses of the bodies then, shape (nb, 4, 4).
        legs: Those with hip, knee and foot, left first.
        arms: Those with upper arm and forearm, left first.
        chest: The body that the arms hang on, or -1.
        head: The last body of the neck, or -1.
        two_legged: Whether it stands on two legs that can be told.
    """

    def __init__(self, actor: Actor):
        self.actor = actor
        model, figure, s = actor.model, actor.figure, actor.sequence.skeleton
        nb = len(model.bodies)
        self.parents: Ints = np.array([int(body.parent) for body in model.bodies])
        self.kinds, names = ["other"] * nb, list(model.names)
        for b in range(nb):
            above = self.kinds[self.parents[b]] if self.parents[b] >= 0 else ""
            self.kinds[b] = kind_of(names[b], above) if b else "other"
        self.sides: Ints = np.array([side_of(name) for name in names])
        self.mass = float(model.mass)
        q = np.asarray(s.rest_pose())
        self.rest = figure.state(q, model.nq)
        self.rest_poses = model.body_poses(self.rest)
        self.is_ball = np.zeros(model.nq, dtype=np.bool_)
        self.is_ball[actor.balls.ravel()] = True
        place = set() if actor.place is None else set(range(actor.place, actor.place + 3))
        self.coordinates: list[Ints] = [
            np.array([k for k in range(int(model.first[b]), int(model.first[b + 1])) if k not in place], dtype=np.intp)
            for b in range(nb)
        ]
        points = np.concatenate([self.rest_poses[:, :3, 3], model.body_centers(self.rest)])
        self.height = float(1.08 * (points[:, 1].max() - points[:, 1].min()))
        heading = so3.axis_rotation("y", Stance(s).heading(q))
        self._set_axes(heading)
        self._set_limits()
        self._set_limbs()
        self.facing = heading[:, 2]

    def _set_axes(self, heading: Array) -> None:
        model, nb = self.actor.model, len(self.kinds)
        x, y, z = heading.T
        self.axes = np.zeros((nb, 3, 3))
        for b in range(nb):
            side, kind = float(self.sides[b]), self.kinds[b]
            if kind == "wrist":
                world = np.array([-z * side, -x, -y * side]) if side else np.array([x, z, y])
            else:
                flex = -x if kind in _FORWARDS else x
                world = np.array([flex, z * side, -y * side]) if side else np.array([flex, z, y])
            self.axes[b] = world @ self.rest_poses[b, :3, :3]
        self.turns = np.zeros((model.nv, 3))
        zero = self.rest.copy()
        for own in self.coordinates:
            zero[own] = 0.0
        for b, own in enumerate(self.coordinates):
            for n, k in enumerate(own):
                if self.is_ball[k]:
                    self.turns[k] = np.eye(3)[n % 3]
                else:
                    unit = np.zeros(model.nv)
                    unit[k] = 1.0
                    self.turns[k] = model.jacobian_product(zero, unit)[b, :3]
        still = model.body_poses(zero)
        self.joined = np.array(
            [still[b] if self.parents[b] < 0 else np.linalg.inv(still[self.parents[b]]) @ still[b] for b in range(nb)]
        )
        """Pose of each body in that of the body it hangs on where its turns are 0, shape (nb, 4, 4)."""

    def _set_limits(self) -> None:
        model, nb = self.actor.model, len(self.kinds)
        weight = self.mass * 9.81
        masses = np.array([float(body.inertia.mass) for body in model.bodies])
        places, centers = self.rest_poses[:, :3, 3], model.body_centers(self.rest)
        lengths = 2.0 * np.linalg.norm(centers - places, axis=1)
        for b in range(nb):
            for child in np.flatnonzero(self.parents == b):
                lengths[b] = max(lengths[b], float(np.linalg.norm(places[child] - places[b])))
        holds = OF_SEGMENTS * 9.81 * masses * lengths
        self.limits = np.zeros((nb, 3, 2))
        for b, kind in enumerate(self.kinds):
            known = STRENGTHS.get(kind)
            if known is not None:
                self.limits[b] = weight * self.height * np.array(known).reshape(3, 2)
            elif self.parents[b] >= 0:
                self.limits[b] = max(holds[b], holds[self.parents[b]])
        self.strength = np.zeros(model.nv)
        self._along = np.zeros((3 * nb, model.nv))  # from torques in own axes to those about anatomical ones
        self._joint = np.full(model.nv, -1, dtype=np.intp)
        for b, own in enumerate(self.coordinates):
            if self.parents[b] < 0:
                continue
            for k in own:
                self._along[3 * b : 3 * b + 3, k] = self.axes[b] @ self.turns[k]
                self._joint[k] = b
                parts = np.abs(self.axes[b] @ self.turns[k])
                if parts.sum() < 1e-9:  # a slide: as strong in N at an arm of a metre
                    parts = np.ones(3)
                self.strength[k] = parts @ self.limits[b].mean(axis=1) / max(parts.sum(), 1e-9)

    def _set_limbs(self) -> None:
        def limbs(*kinds: str) -> tuple[Limb, ...]:
            found = []
            for side in (LEFT, RIGHT):
                bodies = {
                    kind: next((b for b, own in enumerate(self.kinds) if own == kind and self.sides[b] == side), -1)
                    for kind in kinds
                }
                found.append(Limb(side, bodies))
            return tuple(found)

        self.legs = limbs("hip", "knee", "ankle", "toes")
        self.arms = limbs("clavicle", "shoulder", "elbow", "wrist")
        needed = [leg.bodies[kind] for leg in self.legs for kind in ("hip", "knee", "ankle")]
        self.two_legged = min(needed) >= 0 and self.actor.place is not None
        self.has_arms = min(arm.bodies[kind] for arm in self.arms for kind in ("shoulder", "elbow")) >= 0
        necks = [b for b, kind in enumerate(self.kinds) if kind == "neck"]
        self.head = necks[-1] if necks else -1
        trunk = [b for b, kind in enumerate(self.kinds) if kind == "trunk"]
        self.chest = trunk[-1] if trunk else 0

    # -- turns and torques ---------------------------------------------------------------------------------------

    def turn(self, b: int, x: Array) -> Array:
        """Return how the joint of a body is turned, shape (3, 3)."""
        own = self.coordinates[b]
        if len(own) == 3 and self.is_ball[own[0]]:
            return np.asarray(so3.exp(x[own]))
        R = np.eye(3)
        for k in own:
            R = R @ so3.exp(self.turns[k] * x[k])
        return R

    def put_turn(self, x: Array, b: int, wanted: Array) -> None:
        """Set the coordinates of a body's joint so that it is turned like this, as near as it can."""
        own = self.coordinates[b]
        if len(own) == 3 and self.is_ball[own[0]]:
            x[own] = so3.log(wanted)
            return
        for _ in range(6):
            off = so3.log(self.turn(b, x).T @ wanted)
            axes = self.own_axes(b, x)
            if len(own):
                x[own] += np.linalg.lstsq(axes.T, off, rcond=None)[0]
        low, high = self.actor.model.limits[own].T
        x[own] = np.clip(x[own], low, high)

    def own_axes(self, b: int, x: Array) -> Array:
        """Return the axes in its own frame about which the coordinates of a body turn it, shape (k, 3)."""
        own = self.coordinates[b]
        axes = self.turns[own].copy()
        if len(own) > 1 and not self.is_ball[own[0]]:
            after = np.eye(3)
            for n in range(len(own) - 1, -1, -1):
                axes[n] = after.T @ axes[n]
                after = so3.exp(self.turns[own[n]] * x[own[n]]) @ after
        return axes

    def share(self, torque: Array, factor: float = 1.0) -> Array:
        """Return how much of its strength each coordinate's joint would need, shape (nv,), for torques in own axes.

        Directions of one joint add up as squares: measured in the neck, where this holds but for single ones.

        Args:
            torque: Shape (nv,), of balls about their own axes, [N m].
            factor: How strong it is, 1 for the table.
        """
        along = (self._along @ torque).reshape(-1, 3)
        limit = np.where(along >= 0.0, self.limits[:, :, 0], self.limits[:, :, 1]) * factor
        needed = np.sqrt(((along / np.maximum(limit, 1e-9)) ** 2).sum(axis=1))
        return np.asarray(np.where(self._joint >= 0, needed[self._joint], 0.0))
