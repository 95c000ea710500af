"""Dances of the woman for ``skeletons.making.motion.make_library``: an arabesque, and a turn on one foot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from skeletons.making.motion.posing import Angles, Animator, Foot, Pose, arm, between, both_arms, rotation_y

FIRST = Foot(0.0, x=0.060, out=32.0)  # heels together, turned out
LEG = ("Hip flex", "Hip out", "Hip turn", "Knee flex", "Ankle flex", "Ankle tilt", "Toes flex")


def leg(side: str, *degrees: float) -> dict[str, float]:
    """Return the angles of a leg that stands on nothing, in the order of ``LEG``, [deg]."""
    return {f"{side} {name}": value for name, value in zip(LEG, degrees, strict=True)}


TALL: dict[str, float] = {"Waist bend": -1.0, "Chest bend": 1.0, "Neck bend": 1.0, "Head bend": -3.0}
LOW = both_arms(16.0, 12.0, 34.0, 42.0, 34.0, 12.0)  # a low oval before the hips
BEFORE = both_arms(60.0, 8.0, 48.0, 58.0, 40.0, 12.0)  # the same before the ribs
OPEN = both_arms(16.0, 78.0, 20.0, 24.0, 20.0, 6.0, 4.0)  # to the sides


def stand(changes: Angles, root: tuple[float, float, float], right: Foot | None, left: Foot | None) -> Pose:
    """Return an upright pose with some angles changed."""
    return Pose({**TALL, **changes}, root, right, left)


def balanced(animator: Animator, pose: Pose, x: float, z: float) -> Pose:
    """Return the pose with the root moved sideways so that the centre of mass is over a point of the ground, [m]."""
    for _ in range(6):
        center = animator.center_of_mass(animator.pose(pose))
        root = (pose.root[0] + x - float(center[0]), pose.root[1], pose.root[2] + z - float(center[2]))
        pose = replace(pose, root=(round(root[0], 5), root[1], round(root[2], 5)))
    return pose


def arabesque_poses(animator: Animator) -> dict[int, Pose]:
    """Return an arabesque: a bend of the knees, a step, the left leg rises behind, a breath, and down again."""
    step = 0.30
    first = stand(LOW, (0.0, -0.010, 0.004), FIRST, FIRST)
    bent = stand({**LOW, "Pelvis bend": 2.0}, (0.0, -0.044, 0.014), FIRST, FIRST)
    front = Foot(step, x=0.030, out=14.0)
    trail = Foot(-0.02, x=0.050, on="tip", pitch=-62.0, toes=-6.0, out=26.0)
    stepping = stand({**BEFORE, "Pelvis bend": 3.0}, (0.020, -0.028, 0.255), front, trail)

    def high(lift: float, reach: float) -> Pose:
        changes = {
            **leg("left", -30.0, 6.0, -38.0, 2.0, -50.0, 0.0, 26.0),
            **arm("right", 102.0 + 24.0 * reach, 4.0, 6.0, 8.0, 62.0, -6.0, 12.0),
            **arm("left", 4.0 - 16.0 * reach, 84.0, 0.0, 10.0, 50.0, -6.0, 6.0),
            "left Collar forward": -14.0,
            "right Collar forward": 8.0,
            "Pelvis bend": 38.0 + lift,
            "Pelvis side": -3.0,
            "Waist bend": -14.0,
            "Chest bend": -9.0,
            "Neck bend": -8.0 - 0.4 * lift,
            "Head bend": -5.0 - 0.3 * lift,
        }
        pose = Pose(changes, (0.045, -0.012 + 0.0004 * lift, step - 0.02), front, None)
        return balanced(animator, pose, -0.034, step + 0.045)

    low, top = high(-14.0, 0.0), high(10.0, 1.0)
    down = replace(FIRST, z=step)
    back = stand({**OPEN, "Pelvis bend": 3.0}, (0.020, -0.034, 0.262), front, trail)
    closed = stand({**LOW, "Pelvis bend": 2.0}, (0.0, -0.038, step + 0.012), down, down)
    tall = stand(LOW, (0.0, -0.010, step + 0.004), down, down)
    # The left foot clears the ground on its way up, down and in.
    leaving = replace(trail, z=-0.06, height=0.05)
    closing = Foot(0.20, x=0.068, on="air", height=0.165, pitch=-26.0, toes=-4.0, out=30.0)
    swung = replace(front, z=0.20, on="air", height=0.125, pitch=-12.0, toes=-10.0)
    reaching = replace(front, z=step - 0.02, on="air", height=0.100, pitch=-4.0, toes=-4.0)
    pushing = replace(FIRST, on="ball", pitch=-26.0, toes=-26.0)
    rolling = replace(trail, on="ball", pitch=-50.0, toes=-34.0, out=29.0)
    halfway = between(bent, stepping)
    return {
        0: first,
        4: between(first, bent),
        9: bent,
        13: replace(halfway, right=swung, left=pushing),
        17: replace(between(halfway, stepping), right=reaching, left=rolling),
        20: stepping,
        23: replace(between(stepping, low), left=leaving),
        27: low,
        38: high(8.0, 0.4),
        54: top,
        64: low,
        68: replace(between(back, low), left=leaving),
        72: back,
        78: replace(between(back, closed), left=closing),
        84: closed,
        90: between(closed, tall),
        96: tall,
    }


def pirouette_poses(animator: Animator) -> dict[int, Pose]:
    """Return a double turn to the left on the right foot, from a bend of the knees and back into one."""
    reach = float(animator.pivots["ball"][2])
    out = np.radians(FIRST.out)
    # x and z of the ball of the right foot, about which everything turns, [m]
    ball = (-FIRST.x - reach * np.sin(out), FIRST.z + reach * np.cos(out))
    first = stand(LOW, (0.0, -0.010, 0.004), FIRST, FIRST)
    left = Foot(-0.20, x=0.075, on="ball", pitch=-16.0, toes=-16.0, out=30.0)
    lifted = Foot(-0.09, x=0.085, on="air", height=0.155, pitch=-24.0, toes=-6.0, out=32.0)
    tip = replace(left, on="tip", pitch=-56.0, toes=-12.0, height=0.022)
    wound = {**arm("right", 66.0, 6.0, 44.0, 52.0, 40.0, 10.0), **arm("left", 16.0, 80.0, 20.0, 20.0, 20.0, 6.0, 4.0)}
    wound |= {"Chest twist": -12.0, "Neck turn": 8.0, "Head turn": 4.0}
    ready = stand(wound, (-0.036, -0.040, 0.010), FIRST, left)
    push = {**BEFORE, "Pelvis turn": 8.0, "Head turn": -6.0}

    def upright(angle: float, look: float, rise: float = 1.0) -> Pose:
        heading = angle - FIRST.out
        s, c = np.sin(np.radians(heading)), np.cos(np.radians(heading))
        place = Foot(
            ball[1] - reach * c, x=reach * s - ball[0], on="ball", pitch=-42.0 * rise, toes=-42.0 * rise, out=-heading
        )
        changes = {
            **BEFORE,
            **leg("left", 58.0, 44.0, -40.0, 112.0, -46.0, 0.0, 20.0),
            "Neck turn": 0.5 * look,
            "Head turn": 0.5 * look,
            "Pelvis turn": angle,
        }
        over = rotation_y(np.radians(angle)) @ [0.050, 0.0, -0.020]
        pose = stand(changes, (ball[0] + over[0], 0.050 * rise, ball[1] + over[2]), place, None)
        return balanced(animator, pose, *ball)

    def round_again(pose: Pose, changes: Angles) -> Pose:
        return replace(pose, angles={**pose.angles, **changes, "Pelvis turn": 720.0})

    landed = round_again(ready, {**OPEN, "Chest twist": 2.0, "Neck turn": 0.0, "Head turn": 0.0})
    final = round_again(first, {})
    rolling = replace(left, pitch=-36.0, toes=-30.0)
    rising = replace(FIRST, on="ball", pitch=-14.0, toes=-14.0)
    pushed = stand(push, (-0.105, 0.000, 0.052), rising, tip)
    poses = {
        0: first,
        5: replace(between(first, ready), left=lifted),
        11: ready,
        14: replace(between(ready, pushed), right=FIRST, left=rolling),
        17: pushed,
    }
    frame, angle = 20, 45.0
    looks = {45.0: -44.0, 135.0: -56.0, 225.0: 46.0, 315.0: 14.0}
    while angle < 720.0:
        poses[frame] = upright(angle, looks[angle % 360.0])
        frame, angle = frame + 5, angle + 90.0
    poses[frame + 1] = upright(718.0, 0.0, 0.9)
    touching = round_again(stand(BEFORE, (-0.090, -0.016, 0.044), FIRST, tip), {})
    poses[frame + 4] = touching
    poses[frame + 6] = replace(between(touching, landed), left=rolling)
    poses[frame + 10] = landed
    poses[frame + 16] = replace(between(landed, final), left=lifted)
    poses[frame + 22] = round_again(first, {"Waist bend": 1.0})
    poses[frame + 32] = final
    return poses
