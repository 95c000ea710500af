"""Poses of the human figure written by hand: joint angles by label, and places for the feet, which the legs reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.ik import Goal, solve
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton
from core.skeleton.skin import skinned_vertices

Array = NDArray[np.float64]
Angles = Mapping[str, float]

SIDES = ("right", "left")


@dataclass(frozen=True)
class Foot:
    """Where a foot is in a key.

    Attributes:
        z: Place of its ankle along the way when it stands flat, [m]; for a free foot of the ankle itself.
        x: Distance of the ankle from the middle, outwards, [m].
        on: What touches the ground and is turned about: ``"heel"``, ``"sole"``, ``"ball"``, ``"tip"`` or ``"air"``.
        pitch: Turn of the foot, positive with the toes up, [deg].
        toes: Angle of the toes' joint, [deg]; negative is bent up.
        height: Of the ankle of a free foot, else of the lowest point, [m].
        out: Heading of the toes, outwards, [deg].
    """

    z: float
    x: float = 0.05
    on: str = "sole"
    pitch: float = 0.0
    toes: float = 0.0
    height: float = 0.0
    out: float = 5.0


@dataclass(frozen=True)
class Pose:
    """A key: joint angles by label [deg] (``"right Elbow flex"``, ``"Waist bend"``), root shift [m], feet.

    A leg without a foot to place goes by its angles.
    """

    angles: Angles
    root: tuple[float, float, float]
    right: Foot | None
    left: Foot | None

    def mirrored(self, along: float = 0.0) -> Pose:
        """Return the pose reflected in x = 0 and moved on by ``along`` [m]."""
        other = {"right": "left", "left": "right"}
        angles = {}
        for name, value in self.angles.items():
            side, _, label = name.partition(" ")
            if side in other:
                angles[f"{other[side]} {label}"] = value
            else:
                angles[name] = -value if label in ("side", "twist", "turn") else value
        x, y, z = self.root
        feet = {side: getattr(self, other[side]) for side in SIDES}
        feet = {side: foot and replace(foot, z=foot.z + along) for side, foot in feet.items()}
        return Pose(angles, (-x, y, z + along), feet["right"], feet["left"])


def arm(
    side: str,
    flex: float,
    out: float,
    twist: float,
    elbow: float,
    turn: float = 0.0,
    wrist: float = 8.0,
    raised: float = 0.0,
    forward: float = 0.0,
) -> dict[str, float]:
    """Return the angles of one arm: three of the shoulder, elbow, forearm, wrist, two of the collar, [deg]."""
    return {
        f"{side} Shoulder flex": flex,
        f"{side} Shoulder out": out,
        f"{side} Shoulder twist": twist,
        f"{side} Elbow flex": elbow,
        f"{side} Forearm turn": turn,
        f"{side} Wrist flex": wrist,
        f"{side} Collar raise": raised,
        f"{side} Collar forward": forward,
    }


def both_arms(*values: float) -> dict[str, float]:
    """Return the same angles for both arms, see ``arm``."""
    return {name: value for side in SIDES for name, value in arm(side, *values).items()}


class Animator:
    """Turns poses of the human figure into pose vectors.

    Args:
        skeleton: The figure of ``human.scr``.
    """

    def __init__(self, skeleton: Skeleton):
        self.skeleton = skeleton
        self.index: dict[str, int] = {}
        for k, label in enumerate(skeleton.dof_labels):
            joint = skeleton.joints[skeleton.dof_joints[k]].name
            side = joint.split()[0]
            self.index[f"{side} {label}" if side in SIDES else label] = 3 + k
        rest = forward_kinematics(skeleton, skeleton.rest_pose())
        ankle = rest[skeleton.joint_index("right foot")][:3, 3]
        self.ankle = float(ankle[1])
        ball = rest[skeleton.joint_index("right toes")][:3, 3] - ankle
        sole = np.vstack([self._points(part, rest) - ankle for part in ("right foot", "right toes")])
        flat = sole[sole[:, 1] < sole[:, 1].min() + 1e-4]
        self.pivots = {
            "heel": np.array([0.0, -self.ankle, flat[:, 2].min()]),
            "sole": np.zeros(3),
            "ball": ball,
            "tip": np.array([0.0, -self.ankle, flat[:, 2].max()]),
        }

    def _points(self, part: str, frames: Array) -> Array:
        points = skinned_vertices(self.skeleton, part, frames)
        if not len(points):
            raise ValueError(f'joint "{part}" has no body; make the figure with make_human first')
        return points

    def lowest(self, q: Array, side: str) -> float:
        """Return the height of the lowest point of one foot with its toes, [m]."""
        frames = forward_kinematics(self.skeleton, q)
        return float(min(self._points(f"{side} {part}", frames)[:, 1].min() for part in ("foot", "toes")))

    def center_of_mass(self, q: Array) -> Array:
        """Return the figure's centre of mass, shape (3,), [m]."""
        frames = forward_kinematics(self.skeleton, q)
        total, moment = 0.0, np.zeros(3)
        for joint, frame in zip(self.skeleton.joints, frames, strict=True):
            if joint.mass and joint.center is not None:
                total += joint.mass
                moment += joint.mass * (frame[:3, :3] @ joint.center + frame[:3, 3])
        return moment / total

    def pose(self, pose: Pose) -> Array:
        """Return the pose vector of a key, feet in place, shape (nq,)."""
        q = self.skeleton.rest_pose()
        q[:3] = pose.root
        for name, degrees in pose.angles.items():
            q[self.index[name]] = np.radians(degrees)
        for side in SIDES:
            foot = getattr(pose, side)
            if foot is None:
                continue
            q[self.index[f"{side} Toes flex"]] = np.radians(foot.toes)
            for name, degrees in (("Hip flex", 20.0), ("Knee flex", 30.0), ("Ankle flex", 5.0)):
                q[self.index[f"{side} {name}"]] = np.radians(degrees)
            q = self.plant(q, side, foot)
        return q

    def plant(self, q: Array, side: str, foot: Foot) -> Array:
        """Return ``q`` with one leg moved so that its foot is where ``foot`` says.

        Raises:
            ValueError: If the leg does not reach.
        """
        outwards = -1.0 if side == "right" else 1.0
        heading = rotation_y(np.radians(foot.out) * outwards)
        turn = heading @ rotation_x(-np.radians(foot.pitch))
        place = np.array([outwards * foot.x, foot.height if foot.on == "air" else self.ankle, foot.z])
        if foot.on != "air":
            pivot = self.pivots[foot.on]
            place = place + heading @ pivot - turn @ pivot
        for _ in range(3 if foot.on != "air" else 1):
            goal = Goal(f"{side} foot", position=place, rotation=turn)
            result = solve(self.skeleton, q, [goal], base=f"{side} thigh", tolerance=1e-7, max_iterations=400)
            if result.error > 1e-4:
                miss = f"{result.error * 1e3:.1f} mm"
                raise ValueError(f"the {side} foot misses its place {np.round(place, 3)} by {miss}")
            q = result.q
            place[1] += foot.height - self.lowest(q, side)
        return q


def rotation_x(angle: float) -> Array:
    """Return the rotation about x, shape (3, 3)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def rotation_y(angle: float) -> Array:
    """Return the rotation about y, shape (3, 3)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def between(before: Pose, after: Pose) -> Pose:
    """Return the pose half-way between two with the same feet; keyed, it keeps the feet down while the hips move."""
    names = sorted({*before.angles, *after.angles})
    angles = {name: 0.5 * (before.angles.get(name, 0.0) + after.angles.get(name, 0.0)) for name in names}
    x, y, z = (0.5 * (a + b) for a, b in zip(before.root, after.root, strict=True))
    return Pose(angles, (x, y, z), before.right, before.left)
