"""Two people of many joints to measure locks on: 60 hinges on 23 segments, and 200 on 99, each with a free root.

Lengths are about a man's, limits about what joints allow; knees and elbows are bent a little in ``standing``.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from core.constraints import Lock, bind
from core.kinematics import forward_kinematics
from core.skeleton import Dof, Joint, Skeleton

_AXES = {"x": np.eye(3)[0], "y": np.eye(3)[1], "z": np.eye(3)[2]}


class _Builder:
    def __init__(self) -> None:
        self.joints: list[Joint] = []
        self.index: dict[str, int] = {}

    def add(self, name: str, parent: str, offset: tuple[float, float, float], dofs: str, mass: float = 1.0) -> None:
        """Add a joint; ``dofs`` reads "x -20 90, y -10 10", in degrees, "free" for no limits."""
        made = []
        for text in filter(None, (part.strip() for part in dofs.split(","))):
            axis, *limits = text.split()
            lo, hi = (-np.inf, np.inf) if limits == ["free"] else np.radians([float(limit) for limit in limits])
            made.append(Dof("hinge", _AXES[axis], float(lo), float(hi)))
        self.index[name] = len(self.joints)
        above = self.index[parent] if parent else -1
        self.joints.append(Joint(name, above, offset=np.array(offset), dofs=tuple(made), mass=mass))

    def sides(self, name: str, parent: str, offset: tuple[float, float, float], dofs: str, mass: float = 1.0) -> None:
        """Add a joint to the left and its reflection to the right."""
        for side, sign in (("left", 1.0), ("right", -1.0)):
            above = f"{side} {parent}" if f"{side} {parent}" in self.index else parent
            own = dofs if sign > 0.0 else _reflected(dofs)
            self.add(f"{side} {name}", above, (sign * offset[0], offset[1], offset[2]), own, mass)


def _reflected(dofs: str) -> str:
    """Return degrees of freedom with the limits of turns about y and z exchanged."""
    parts = []
    for text in dofs.split(","):
        axis, *limits = text.split()
        if axis != "x" and limits != ["free"]:
            limits = [f"{-float(limit):g}" for limit in reversed(limits)]
        parts.append(" ".join([axis, *limits]))
    return ", ".join(parts)


_CLAVICLE = "y -20 20, z -10 30, x -15 15"
_SHOULDER = "x -180 60, z -30 150, y -90 90"
_LEG = "x -120 30, z -30 45, y -45 45"
_KNEE = "x 0 140, y -20 20"
_ANKLE = "x -50 30, z -25 25, y -15 15"


@cache
def person60() -> Skeleton:
    """Return the figure of 60 hinges and a free root: 23 segments, 66 degrees of freedom in all."""
    made = _Builder()
    made.add("pelvis", "", (0.0, 0.95, 0.0), "y free, x free, z free", 11.0)
    made.add("abdomen", "pelvis", (0.0, 0.12, 0.0), "x -30 60, z -25 25, y -30 30", 12.0)
    made.add("chest", "abdomen", (0.0, 0.16, 0.0), "x -20 40, z -25 25, y -30 30", 16.0)
    made.add("neck", "chest", (0.0, 0.26, 0.0), "x -30 30, z -25 25, y -40 40", 1.0)
    made.add("head", "neck", (0.0, 0.09, 0.0), "x -30 40, z -20 20, y -40 40", 5.0)
    made.sides("clavicle", "chest", (0.03, 0.2, 0.0), _CLAVICLE)
    made.sides("upper arm", "clavicle", (0.15, 0.0, 0.0), _SHOULDER, 2.0)
    made.sides("forearm", "upper arm", (0.0, -0.29, 0.0), "x -150 0, y -85 85", 1.2)
    made.sides("hand", "forearm", (0.0, -0.26, 0.0), "z -70 80, x -25 35, y -10 10", 0.4)
    made.sides("fingers", "hand", (0.0, -0.09, 0.0), "z -10 90, x -15 15, y -5 5", 0.1)
    made.sides("thigh", "pelvis", (0.09, -0.03, 0.0), _LEG, 10.0)
    made.sides("shank", "thigh", (0.0, -0.43, 0.0), _KNEE, 3.2)
    made.sides("foot", "shank", (0.0, -0.41, 0.0), _ANKLE)
    made.sides("toes", "foot", (0.0, -0.06, 0.13), "x -60 30, y -5 5", 0.2)
    return Skeleton("person 60", made.joints)


@cache
def person200() -> Skeleton:
    """Return the figure of 200 hinges and a free root: 99 segments with every vertebra, finger and toe."""
    made = _Builder()
    made.add("pelvis", "", (0.0, 0.95, 0.0), "y free, x free, z free", 11.0)
    above, vertebra = "pelvis", "x -4 6, z -4 4, y -4 4"
    for number in range(24):
        made.add(f"vertebra {number + 1}", above, (0.0, 0.1 if number == 0 else 0.022, 0.0), vertebra, 1.3)
        above = f"vertebra {number + 1}"
    made.add("head", above, (0.0, 0.03, 0.0), "x -20 20, z -15 15, y -40 40", 5.0)
    made.add("jaw", "head", (0.0, 0.03, 0.03), "x 0 25", 0.2)
    made.sides("clavicle", "vertebra 16", (0.03, 0.03, 0.0), _CLAVICLE)
    made.sides("upper arm", "clavicle", (0.15, 0.0, 0.0), _SHOULDER, 2.0)
    made.sides("forearm", "upper arm", (0.0, -0.29, 0.0), "x -150 0, y -85 85", 1.2)
    made.sides("hand", "forearm", (0.0, -0.26, 0.0), "z -70 80, x -25 35, y -10 10", 0.4)
    for finger in range(5):
        across = 0.04 - 0.02 * finger
        middle = "z 0 100" if finger == 0 else "z 0 100, x -5 5"
        made.sides(f"finger {finger + 1}a", "hand", (0.0, -0.09, across), "z -10 90, x -20 20", 0.05)
        made.sides(f"finger {finger + 1}b", f"finger {finger + 1}a", (0.0, -0.04, 0.0), middle, 0.03)
        made.sides(f"finger {finger + 1}c", f"finger {finger + 1}b", (0.0, -0.025, 0.0), "z 0 80", 0.02)
    made.sides("thigh", "pelvis", (0.09, -0.03, 0.0), _LEG, 10.0)
    made.sides("shank", "thigh", (0.0, -0.43, 0.0), _KNEE, 3.2)
    made.sides("foot", "shank", (0.0, -0.41, 0.0), _ANKLE)
    for toe in range(5):
        across = 0.03 - 0.015 * toe
        made.sides(f"toe {toe + 1}a", "foot", (across, -0.06, 0.13), "x -60 30, y -10 10", 0.05)
        made.sides(f"toe {toe + 1}b", f"toe {toe + 1}a", (0.0, 0.0, 0.025), "x -30 30", 0.02)
        if toe:
            made.sides(f"toe {toe + 1}c", f"toe {toe + 1}b", (0.0, 0.0, 0.015), "x -30 30", 0.01)
    return Skeleton("person 200", made.joints)


def standing(s: Skeleton, bend: float = 15.0) -> np.ndarray:
    """Return a pose with knees and elbows bent by some degrees, soles level."""
    q = s.rest_pose()
    angle = np.radians(bend)
    for side in ("left", "right"):
        for joint, value in (("thigh", -angle), ("shank", 2.0 * angle), ("foot", -angle), ("forearm", -2.0 * angle)):
            q[3 + s.first_dof[s.joint_index(f"{side} {joint}")]] = value
    return np.asarray(q)


def three_locks(s: Skeleton, q: np.ndarray) -> list[Lock]:
    """Return both feet locked in position and orientation and the left hand in position: 15 rows."""
    locks = [Lock("left foot", "pose"), Lock("right foot", "pose"), Lock("left hand", "position")]
    return [bind(lock, s, q) for lock in locks]


def ten_locks(s: Skeleton, q: np.ndarray) -> list[Lock]:
    """Return feet and left hand in position and orientation, head's orientation, pelvis' axis, five planes: 28 rows."""
    locks = [Lock("left foot", "pose"), Lock("right foot", "pose"), Lock("left hand", "pose")]
    locks += [Lock("head", "orientation"), Lock("pelvis", "orientation", axes=(False, True, False))]
    frames = forward_kinematics(s, q)
    for number, name in enumerate(("left shank", "right shank", "left forearm", "head", "left upper arm")):
        normal = np.eye(3)[(2, 2, 0, 0, 2)[number]]
        place = frames[s.joint_index(name), :3, 3]
        locks.append(Lock(name, "plane", target=(*normal, float(normal @ place))))
    return [bind(lock, s, q) for lock in locks]
