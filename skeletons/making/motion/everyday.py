"""Sitting down and jumping, for ``skeletons.making.motion.make_library``.

Both keep to what holds a person up: until the seat carries it, the centre of mass of the sitter is over the feet; that
of the jumper flies on a parabola, nothing turns him in the air, and the last frames of the push and the first of the
landing have the parabola's speed.
"""

from __future__ import annotations

from dataclasses import replace

from skeletons.making.motion.posing import SIDES, Angles, Animator, Foot, Pose, both_arms

GRAVITY = 9.81  # [m/s^2]
FPS = 30


def trunk(pelvis: float, waist: float, chest: float, neck: float, head: float) -> dict[str, float]:
    """Return how far pelvis, waist, chest, neck and head bend forward, [deg]."""
    names = ("Pelvis bend", "Waist bend", "Chest bend", "Neck bend", "Head bend")
    return dict(zip(names, (pelvis, waist, chest, neck, head), strict=True))


HANGING = both_arms(3.0, 1.0, 10.0, 14.0, 20.0, 8.0)
UPRIGHT = {**trunk(0.0, 1.0, 2.0, 2.0, 0.0), **HANGING}


def over(animator: Animator, pose: Pose, z: float) -> Pose:
    """Return a standing pose with the hips moved to and fro until the centre of mass is over ``z`` [m]."""
    for _ in range(12):
        at = float(animator.center_of_mass(animator.pose(pose))[2])
        x, y, root = pose.root
        pose = replace(pose, root=(x, y, round(root + z - at, 5)))
    return pose


# -- sitting down ------------------------------------------------------------------------------------------------------

FEET = Foot(0.0, x=0.095, out=8.0)
SEAT = -0.360  # the hips over an imagined chair 0.47 m high, against standing [m]
CONTACT, SEATED, RISING, LEFT = (
    24,
    38,
    72,
    82,
)  # the seat takes over, sits upright, leans forward again, leaves the seat
SIT_LOCKS = (("right foot", "pose", 0, None), ("left foot", "pose", 0, None))


def sit_poses(animator: Animator) -> dict[int, Pose]:
    """Return sitting down on a chair that is not there, a pause, and rising again; the feet stay where they are."""

    def pose(angles: Angles, down: float, z: float = 0.0) -> Pose:
        return Pose({**UPRIGHT, **angles}, (0.0, down, z), FEET, FEET)

    stand = over(animator, pose({}, -0.006), 0.030)
    unlock = {**trunk(12.0, 4.0, 3.0, -3.0, -4.0), **both_arms(2.0, 2.0, 12.0, 20.0, 24.0, 6.0)}
    fold = {**trunk(30.0, 14.0, 7.0, -14.0, -12.0), **both_arms(68.0, 3.0, 13.0, 20.0, 32.0, 2.0)}
    touch = {**trunk(30.0, 17.0, 8.0, -16.0, -16.0), **both_arms(104.0, 3.0, 12.0, 16.0, 40.0, 0.0, 2.0)}
    resting = {**trunk(-2.0, 5.0, 4.0, 1.0, 1.0), **both_arms(22.0, 3.0, 17.0, 62.0, 52.0, 6.0)}
    breath = {**trunk(-3.0, 4.0, 2.0, 0.0, -1.0), **both_arms(22.0, 3.5, 17.0, 62.0, 52.0, 6.0, 1.0)}
    gather = {**trunk(31.0, 17.0, 8.0, -17.0, -16.0), **both_arms(98.0, 3.0, 12.0, 20.0, 42.0, 0.0, 2.0)}
    contact = over(animator, pose(touch, SEAT + 0.006, -0.272), -0.006)
    z = contact.root[2]
    leave = over(animator, pose(gather, SEAT + 0.004, -0.272), -0.006)
    return {
        0: stand,
        6: over(animator, pose(unlock, -0.045), 0.036),
        14: over(animator, pose(fold, -0.210, -0.21), 0.008),
        CONTACT: contact,
        30: pose({**resting, **trunk(20.0, 12.0, 7.0, -8.0, -8.0)}, SEAT, z),
        SEATED: pose(resting, SEAT, z),
        54: pose(breath, SEAT + 0.002, z),
        64: pose(resting, SEAT, z),
        RISING: pose({**gather, **trunk(20.0, 18.0, 9.0, -10.0, -10.0)}, SEAT, 0.5 * (z + leave.root[2])),
        LEFT: leave,
        90: over(animator, pose(fold, -0.215, -0.21), 0.008),
        99: over(animator, pose(unlock, -0.050), 0.034),
        108: over(animator, pose({**UPRIGHT, "Waist bend": 0.0, "Chest bend": 1.0}, -0.003), 0.028),
        118: stand,
    }


# -- jumping -----------------------------------------------------------------------------------------------------------

DEEP, OFF, FLIGHT, FAR = 14, 24, 14, 0.34  # lowest, toes off the ground, frames in the air, and how far [m]
LANDED = OFF + FLIGHT
STANCE = Foot(0.0, x=0.090, out=6.0)
TOES = replace(STANCE, on="ball", pitch=-44.0, toes=-44.0)
FLAT = LANDED + 2  # the heels are down
JUMP_LOCKS = (
    ("right foot", "pose", 0, DEEP), ("left foot", "pose", 0, DEEP),
    ("right toes", "pose", 0, OFF), ("left toes", "pose", 0, OFF),
    ("right toes", "pose", LANDED, None), ("left toes", "pose", LANDED, None),
    ("right foot", "pose", FLAT, None), ("left foot", "pose", FLAT, None),
)  # fmt: skip


def legs(hip: float, knee: float, ankle: float, toes: float) -> dict[str, float]:
    """Return the same angles for both legs, [deg]."""
    names = ("Hip flex", "Hip out", "Hip turn", "Knee flex", "Ankle flex", "Ankle tilt", "Toes flex")
    return {
        f"{side} {n}": v for side in SIDES for n, v in zip(names, (hip, 1.0, 4.0, knee, ankle, 0.0, toes), strict=True)
    }


def at_center(animator: Animator, pose: Pose, y: float, z: float) -> Pose:
    """Return the pose with the root moved so that the centre of mass is at a height and a place along the way, [m]."""
    for _ in range(20):
        center = animator.center_of_mass(animator.pose(pose))
        x, up, along = pose.root
        pose = replace(pose, root=(x, round(up + y - float(center[1]), 6), round(along + z - float(center[2]), 6)))
    return pose


def jump_poses(animator: Animator) -> dict[int, Pose]:
    """Return a jump from the spot: a crouch, the arms swing, the flight, and a landing in the knees."""

    def pose(angles: Angles, down: float, foot: Foot | None, z: float = 0.0) -> Pose:
        return Pose({**UPRIGHT, **angles}, (0.0, down, z), foot, foot)

    there = replace(STANCE, z=FAR)
    stand = over(animator, pose({}, -0.006, STANCE), 0.030)
    swing = {**trunk(14.0, 6.0, 4.0, -8.0, -6.0), **both_arms(-18.0, 6.0, 12.0, 16.0, 24.0, 6.0)}
    crouch = {**trunk(47.0, 16.0, 8.0, -17.0, -15.0), **both_arms(-46.0, 10.0, 8.0, 22.0, 20.0, 0.0)}
    push = {**trunk(34.0, 6.0, 3.0, -14.0, -12.0), **both_arms(10.0, 8.0, 8.0, 30.0, 24.0, 0.0)}
    reach = {**trunk(12.0, -2.0, -3.0, -8.0, -8.0), **both_arms(128.0, 8.0, 6.0, 24.0, 40.0, 0.0, 18.0)}
    tucked = {**trunk(10.0, 6.0, 4.0, -4.0, -6.0), **both_arms(112.0, 14.0, 6.0, 30.0, 36.0, 4.0, 12.0)}
    open_ = {**trunk(12.0, 9.0, 6.0, -6.0, -6.0), **both_arms(72.0, 18.0, 8.0, 32.0, 30.0, 6.0, 4.0)}
    absorb = {**trunk(36.0, 15.0, 9.0, -14.0, -12.0), **both_arms(34.0, 16.0, 12.0, 38.0, 26.0, 4.0)}

    off = over(animator, pose(reach, 0.050, TOES), 0.115)
    touch = pose(
        {**open_, **trunk(20.0, 10.0, 6.0, -8.0, -8.0)}, -0.075, replace(there, on="ball", pitch=-16.0, toes=-16.0)
    )
    touch = over(animator, replace(touch, root=(0.0, -0.075, FAR - 0.06)), FAR - 0.010)
    deep = over(animator, pose(crouch, -0.222, STANCE, -0.222), 0.012)
    start, end, low = (animator.center_of_mass(animator.pose(each)) for each in (off, touch, deep))
    span = FLIGHT / FPS
    speed = (end - start) / span + [0.0, 0.5 * GRAVITY * span, 0.0]

    def flown(frames: float) -> tuple[float, float]:
        """Return height and place of the centre of mass, frames after the toes have left the ground."""
        t = frames / FPS
        y, z = (start + speed * t)[1:]
        return float(y - 0.5 * GRAVITY * t * t), float(z)

    def pushed(angles: Angles, frame: int, pitch: float) -> Pose:
        """Return a pose of the push, in which the centre of mass gathers speed evenly."""
        share = ((frame - DEEP) / (OFF - DEEP)) ** 2
        y, z = (low + share * (start - low))[1:]
        foot = replace(STANCE, on="ball", pitch=-pitch, toes=-pitch) if pitch else STANCE
        return at_center(animator, pose(angles, -0.20 + 0.22 * share, foot, -0.19 + 0.2 * share), float(y), float(z))

    def flying(angles: Angles, frames: int) -> Pose:
        return at_center(animator, pose(angles, 0.0, None), *flown(frames))

    # The pelvis answers arms and legs, so that the angular momentum stays what it was at the push.
    air = {
        3: {**reach, "Pelvis bend": 5.0, **legs(4.0, 14.0, -46.0, -6.0)},
        7: {**tucked, **legs(44.0, 62.0, -26.0, 0.0)},
        11: {**open_, **legs(46.0, 44.0, -6.0, -4.0)},
    }
    rising = {**trunk(20.0, 2.0, 0.0, -10.0, -10.0), **both_arms(84.0, 8.0, 6.0, 28.0, 32.0, 0.0, 8.0)}
    last = at_center(
        animator,
        pose({**rising, **trunk(16.0, 0.0, -2.0, -9.0, -9.0)}, 0.03, replace(TOES, pitch=-33.0, toes=-33.0), 0.03),
        *flown(-1.7),
    )
    sinking = {**open_, **trunk(27.0, 11.0, 7.0, -9.0, -9.0), **both_arms(58.0, 17.0, 10.0, 34.0, 28.0, 4.0)}
    poses = {
        0: stand,
        6: over(animator, pose(swing, -0.050, STANCE, -0.03), 0.036),
        DEEP: deep,
        18: pushed(push, 18, 4.0),
        20: pushed(
            {**push, **trunk(28.0, 4.0, 1.0, -12.0, -11.0), **both_arms(40.0, 8.0, 8.0, 30.0, 28.0, 0.0, 4.0)}, 20, 12.0
        ),
        OFF - 2: last,
        OFF: off,
        **{OFF + frames: flying(angles, frames) for frames, angles in air.items()},
        LANDED: touch,
        FLAT: over(animator, pose(sinking, -0.150, there, FAR - 0.16), FAR + 0.010),
        LANDED + 6: over(animator, pose(absorb, -0.230, there, FAR - 0.225), FAR + 0.012),
        LANDED + 11: over(
            animator,
            pose({**absorb, **both_arms(14.0, 10.0, 12.0, 30.0, 24.0, 4.0)}, -0.210, there, FAR - 0.205),
            FAR + 0.015,
        ),
        LANDED + 20: over(
            animator,
            pose(
                {**trunk(10.0, 4.0, 3.0, -2.0, -3.0), **both_arms(-6.0, 3.0, 10.0, 16.0, 20.0, 8.0)},
                -0.050,
                there,
                FAR - 0.02,
            ),
            FAR + 0.036,
        ),
        LANDED + 30: over(animator, pose({}, -0.006, there, FAR), FAR + 0.030),
    }
    return poses
