"""Turning on the spot and crouching, for ``skeletons.making.motion.make_library``.

A quarter turn to the left takes three steps, since a hip turns by 45 degrees at most against the pelvis. Whatever foot
is lifted, the centre of mass is over the other one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from skeletons.making.motion.everyday import UPRIGHT, over, trunk
from skeletons.making.motion.posing import Angles, Animator, Foot, Pose, arm, both_arms

APART, OUT = 0.088, 8.0  # of an ankle from the middle [m], and how far toes point outwards [deg]
AHEAD = 0.030  # of the ankles: over there a person stands [m]
QUARTER = 90.0
TURN_STEPS = ((17, "left"), (35, "right"), (53, "left"))  # when which foot is set down
TURN_LOCKS = (
    ("right foot", "pose", 0, 17), ("right toes", "pose", 0, 23), ("left toes", "pose", 0, 6),
    ("left foot", "pose", 17, 35), ("left toes", "pose", 17, 41),
    ("right foot", "pose", 35, None), ("right toes", "pose", 35, None),
    ("left foot", "pose", 53, None), ("left toes", "pose", 53, None),
)  # fmt: skip


def _stood(side: str, yaw: float, share: float = 1.0) -> Foot:
    """Return a foot beside the other one of somebody who has turned by ``yaw`` [deg], a share of the way out."""
    outwards = -1.0 if side == "right" else 1.0
    c, s = np.cos(np.radians(yaw)), np.sin(np.radians(yaw))
    # A foot's place and heading are told outwards: to the right side, a turn to the left goes inwards.
    return Foot(round(-outwards * share * APART * s, 5), x=round(share * APART * c, 5), out=OUT + outwards * yaw)


def _balanced(animator: Animator, pose: Pose, x: float, z: float) -> Pose:
    """Return the pose with the root moved over the ground until the centre of mass is over a point of it, [m]."""
    for _ in range(12):
        center = animator.center_of_mass(animator.pose(pose))
        right, up, along = pose.root
        root = (round(right + x - float(center[0]), 5), up, round(along + z - float(center[2]), 5))
        pose = replace(pose, root=root)
    return pose


def turn_poses(animator: Animator) -> dict[int, Pose]:
    """Return a quarter turn to the left on the spot: first the head, then left foot, right foot, left foot."""

    def pose(
        yaw: float, look: float, down: float, right: Foot, left: Foot, center: tuple[float, float], swing: float = 0.0
    ) -> Pose:
        """A key: turn of the pelvis, how far the head is ahead of it, and where the centre of mass is."""
        angles = {
            **UPRIGHT,
            **arm("right", 3.0 + swing, 2.0, 10.0, 18.0, 20.0, 8.0),
            **arm("left", 3.0 - swing, 3.0, 10.0, 18.0, 20.0, 8.0),
            "Pelvis turn": yaw,
            "Waist twist": 0.2 * look,
            "Chest twist": 0.3 * look,
            "Neck turn": 0.4 * look,
            "Head turn": 0.4 * look,
        }
        return _balanced(animator, Pose(angles, (0.0, down, 0.0), right, left), *center)

    def rolled(foot: Foot, pitch: float) -> Foot:
        return replace(foot, on="ball", pitch=-pitch, toes=-pitch)

    def left_up(foot: Foot, pitch: float) -> Foot:
        return replace(foot, on="tip", pitch=-pitch, toes=-0.4 * pitch, height=0.006)

    def lifted(foot: Foot, height: float = 0.128) -> Foot:
        return replace(foot, on="air", height=height, pitch=-12.0, toes=-4.0)

    right, left = _stood("right", 0.0), _stood("left", 0.0)
    left_there, right_there, left_last = _stood("left", 42.0), _stood("right", QUARTER), _stood("left", QUARTER)
    middle, over_right = (0.0, AHEAD), (-0.070, 0.032)
    over_left, over_second, end = (0.072, -0.026), (0.036, 0.068), (AHEAD, 0.0)
    stand, last = pose(0.0, 0.0, -0.006, right, left, middle), pose(QUARTER, 0.0, -0.006, right_there, left_last, end)
    return {
        0: stand,
        6: pose(3.0, 18.0, -0.016, right, rolled(left, 12.0), over_right),
        9: pose(6.0, 28.0, -0.014, right, left_up(left, 34.0), over_right, 2.0),
        13: pose(15.0, 32.0, -0.014, right, lifted(_stood("left", 22.0, 1.1)), (-0.064, 0.030), 4.0),
        17: pose(22.0, 34.0, -0.018, right, left_there, (-0.024, 0.020), 4.0),
        23: pose(32.0, 32.0, -0.018, rolled(right, 14.0), left_there, over_left, 2.0),
        26: pose(38.0, 32.0, -0.016, left_up(replace(right, out=-4.0), 36.0), left_there, over_left, -2.0),
        31: pose(54.0, 26.0, -0.014, lifted(_stood("right", 52.0, 1.15)), left_there, (0.070, -0.018), -4.0),
        35: pose(68.0, 18.0, -0.018, right_there, left_there, (0.048, 0.012), -4.0),
        41: pose(79.0, 10.0, -0.016, right_there, rolled(left_there, 12.0), over_second, -2.0),
        44: pose(83.0, 6.0, -0.014, right_there, left_up(left_there, 32.0), over_second),
        49: pose(88.0, 2.0, -0.014, right_there, lifted(_stood("left", 72.0, 1.1), 0.120), (0.036, 0.060), 1.0),
        53: pose(QUARTER, 0.0, -0.014, right_there, left_last, (0.034, 0.026), 1.0),
        60: pose(QUARTER, 0.0, -0.012, right_there, left_last, (0.031, 0.004)),
        70: last,
    }


# -- crouching ---------------------------------------------------------------------------------------------------------

CROUCHED, UP_AGAIN = 20, 56  # lowest, and begins to rise
CROUCH_FOOT = Foot(0.0, x=0.105, out=12.0)
CROUCH_LOCKS = (
    ("right foot", "pose", 0, 9), ("left foot", "pose", 0, 9),
    ("right toes", "pose", 0, None), ("left toes", "pose", 0, None),
    ("right foot", "pose", 70, None), ("left foot", "pose", 70, None),
)  # fmt: skip


def crouch_poses(animator: Animator) -> dict[int, Pose]:
    """Return going down onto the balls of the feet, a look to both sides, and up again."""

    def pose(angles: Angles, down: float, pitch: float, z: float, back: float) -> Pose:
        """A key: how low the hips are, how far the heels are up, where the weight is, and where the hips begin."""
        foot = replace(CROUCH_FOOT, on="ball", pitch=-pitch, toes=-pitch) if pitch else CROUCH_FOOT
        return over(animator, Pose({**UPRIGHT, **angles}, (0.0, down, back), foot, foot), z)

    unlock = {**trunk(12.0, 5.0, 3.0, -4.0, -5.0), **both_arms(8.0, 3.0, 12.0, 24.0, 26.0, 6.0)}
    fold = {**trunk(30.0, 14.0, 8.0, -15.0, -13.0), **both_arms(40.0, 5.0, 14.0, 42.0, 34.0, 4.0)}
    low = {**trunk(30.0, 22.0, 12.0, -20.0, -16.0), **both_arms(54.0, 12.0, 20.0, 66.0, 44.0, 6.0)}

    def looking(turn: float, lift: float = 0.0) -> dict[str, float]:
        sides = {"Chest twist": 0.3 * turn, "Neck turn": 0.5 * turn, "Head turn": 0.5 * turn}
        return {**low, **sides, "Chest bend": 12.0 - lift, "Head bend": -16.0 - 0.4 * lift}

    deep = -0.395

    def down_there(angles: Angles, more: float = 0.0) -> Pose:
        return pose(angles, deep + more, 26.0, 0.088, -0.20)

    return {
        0: pose({}, -0.006, 0.0, 0.030, 0.0),
        4: pose(unlock, -0.050, 0.0, 0.036, -0.03),
        9: pose(fold, -0.205, 0.0, 0.044, -0.17),
        14: pose(low, -0.330, 14.0, 0.074, -0.20),
        CROUCHED: down_there(low),
        28: down_there(looking(-38.0), 0.002),
        34: down_there(looking(-36.0, 4.0), 0.004),
        44: down_there(looking(38.0), 0.002),
        50: down_there(looking(34.0, 4.0), 0.004),
        UP_AGAIN: down_there(low),
        63: pose(low, -0.325, 13.0, 0.072, -0.20),
        70: pose(fold, -0.200, 0.0, 0.044, -0.17),
        77: pose(unlock, -0.055, 0.0, 0.036, -0.03),
        84: pose({**UPRIGHT, "Waist bend": 0.0}, -0.004, 0.0, 0.028, 0.0),
        94: pose({}, -0.006, 0.0, 0.030, 0.0),
    }
