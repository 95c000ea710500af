"""A walk, a march and a run of the man, for ``skeletons.making.motion.make_library``: cycles of two steps.

Angles of the walk are rounded from what gait textbooks plot for level walking at an easy speed.
"""

from __future__ import annotations

from skeletons.making.motion.posing import SIDES, Angles, Foot, Pose, arm

Leg = tuple[float, float, float, float]  # hip, knee, ankle and toes flex, [deg]


def _swaying(turn: float, side: float, bend: float) -> dict[str, float]:
    """Return the pelvis' turn, list and lean, and waist and chest upright over it, [deg]."""
    return {
        "Pelvis turn": turn,
        "Pelvis side": side,
        "Pelvis bend": bend,
        "Waist bend": 1.0,
        "Waist side": -0.7 * side,
        "Chest bend": 1.5,
        "Chest side": -0.5 * side,
    }


def _leg(side: str, leg: Leg) -> dict[str, float]:
    names = ("Hip flex", "Knee flex", "Ankle flex", "Toes flex")
    return {f"{side} {name}": value for name, value in zip(names, leg, strict=True)}


def _cycle(half: dict[int, Pose], step: float, frames: int) -> dict[int, Pose]:
    """Return two steps from the keys of one; the last key is the first one, two steps further on."""
    poses = dict(half)
    poses |= {frame + frames: pose.mirrored(step) for frame, pose in half.items()}
    poses[2 * frames] = half[0].mirrored(step).mirrored(step)
    return dict(sorted(poses.items()))


# -- the walk ----------------------------------------------------------------------------------------------------------

WALK_STEP, WALK_FRAMES = 0.66, 16  # [m]; a step in 0.53 s: 1.24 m/s, an easy pace


def _walking_arms(right: tuple[float, float], left: tuple[float, float]) -> dict[str, float]:
    """Return the angles of both arms from (shoulder flex, elbow flex) of each, [deg]."""
    angles: dict[str, float] = {}
    for side, (flex, elbow) in zip(SIDES, (right, left), strict=True):
        twist, wrist = 7.0 + 0.15 * max(flex, 0.0), 4.0 + 0.15 * elbow
        angles |= arm(side, flex, 3.0, twist, elbow, 22.0, wrist, forward=0.18 * flex)
    return angles


def _walking_trunk(turn: float, side: float, bend: float) -> dict[str, float]:
    """Return pelvis turn, list and lean [deg] with the shoulders against it and the head ahead."""
    return _swaying(turn, side, bend) | {
        "Waist twist": -0.7 * turn,
        "Chest twist": -1.1 * turn,
        "Neck bend": -1.0 - 0.5 * bend,
        "Neck side": 0.1 * side,
        "Neck turn": 0.5 * turn,
        "Head bend": 2.0 - 0.5 * bend,
        "Head side": 0.1 * side,
        "Head turn": 0.3 * turn,
    }


def walk_poses() -> dict[int, Pose]:
    """Return a cycle of walking, two steps on: the right heel strikes at frame 0 and again at the last."""
    back = -WALK_STEP  # where the left foot stands while the right one is at 0
    half = {
        0: Pose(  # heel strike
            _walking_trunk(6.0, 0.5, 3.5) | _walking_arms((-22.0, 12.0), (20.0, 34.0)),
            (0.004, -0.048, -0.290),
            Foot(0.0, on="heel", pitch=17.0, toes=-8.0),
            Foot(back, on="ball", pitch=-27.0, toes=-27.0),
        ),
        2: Pose(  # the foot comes down, heel first
            _walking_trunk(5.2, 2.2, 4.0) | _walking_arms((-19.5, 12.5), (18.5, 33.0)),
            (-0.006, -0.050, -0.208),
            Foot(0.0, on="heel", pitch=5.0, toes=-3.0),
            Foot(back, on="ball", pitch=-40.0, toes=-38.0),
        ),
        4: Pose(  # foot flat, the other one has just left the ground
            _walking_trunk(3.5, 3.5, 4.0) | _walking_arms((-15.0, 14.0), (15.0, 30.0)),
            (-0.016, -0.047, -0.125),
            Foot(0.0),
            Foot(back, on="tip", pitch=-54.0, toes=-32.0, height=0.009),
        ),
        8: Pose(  # passing
            _walking_trunk(0.0, 4.0, 3.0) | _walking_arms((-2.0, 18.0), (2.0, 22.0)),
            (-0.024, -0.024, 0.035),
            Foot(0.0),
            Foot(-0.045, on="air", height=0.162, pitch=-30.0, toes=-6.0, x=0.055),
        ),
        12: Pose(  # the heel rises, the other leg reaches
            _walking_trunk(-3.5, 2.0, 2.5) | _walking_arms((12.0, 27.0), (-14.0, 14.0)),
            (-0.017, -0.027, 0.200),
            Foot(0.0, on="ball", pitch=-6.0, toes=-6.0),
            Foot(0.470, on="air", height=0.104, pitch=7.0, toes=-4.0),
        ),
    }
    return _cycle(half, WALK_STEP, WALK_FRAMES)


# -- march and run -----------------------------------------------------------------------------------------------------


def _brisk_arms(right: tuple[float, float], left: tuple[float, float], wrist: float) -> dict[str, float]:
    """Return the angles of both arms from (shoulder flex, elbow flex) of each, [deg]."""
    angles: dict[str, float] = {}
    for side, (flex, elbow) in zip(SIDES, (right, left), strict=True):
        angles |= arm(side, flex, 6.0, 10.0 + 0.25 * max(flex, 0.0), elbow, 26.0, wrist, forward=0.2 * flex)
    return angles


def _brisk_trunk(turn: float, side: float, bend: float) -> dict[str, float]:
    """Return pelvis turn, list and lean [deg] with the shoulders harder against it and the head ahead."""
    return _swaying(turn, side, bend) | {
        "Waist twist": -0.8 * turn,
        "Chest twist": -1.3 * turn,
        "Neck bend": -2.0 - 0.6 * bend,
        "Neck turn": 0.7 * turn,
        "Head bend": -0.4 * bend,
        "Head turn": 0.4 * turn,
    }


# -- the march ---------------------------------------------------------------------------------------------------------

MARCH_STEP, MARCH_FRAMES = 0.60, 16  # [m]; 112 steps a minute
MARCH_LOCKS = (
    ("right foot", "pose", 0, 10), ("right toes", "pose", 0, 16),
    ("left foot", "pose", 16, 26), ("left toes", "pose", 16, 32),
)  # fmt: skip


def march_poses() -> dict[int, Pose]:
    """Return a cycle of marching: knees high, arms straight, the feet set down flat."""
    straight = 8.0

    def arms(swing: float) -> dict[str, float]:
        return _brisk_arms((-swing, straight), (1.25 * swing, straight + 4.0), 2.0)

    back = -MARCH_STEP
    half = {
        0: Pose(  # the right foot is set down, the left one still pushes
            _brisk_trunk(4.0, 0.5, 1.5) | arms(30.0), (0.002, -0.042, -0.262),
            Foot(0.0), Foot(back, on="ball", pitch=-24.0, toes=-24.0),
        ),
        3: Pose(
            _brisk_trunk(3.5, 2.5, 1.5) | arms(26.0), (-0.012, -0.036, -0.150),
            Foot(0.0), Foot(back, on="tip", pitch=-46.0, toes=-26.0, height=0.010),
        ),
        7: Pose(  # the left knee comes up
            _brisk_trunk(0.5, 3.5, 0.5) | arms(6.0), (-0.026, -0.012, -0.010),
            Foot(0.0), Foot(-0.010, on="air", height=0.330, pitch=-38.0, toes=-6.0, x=0.070),
        ),
        10: Pose(  # and stands highest
            _brisk_trunk(-2.5, 3.0, -1.0) | arms(-16.0), (-0.024, -0.018, 0.085),
            Foot(0.0), Foot(0.400, on="air", height=0.390, pitch=-20.0, toes=-2.0, x=0.075),
        ),
        13: Pose(  # the leg reaches down and forward
            _brisk_trunk(-4.0, 1.5, 0.5) | arms(-27.0), (-0.015, -0.022, 0.200),
            Foot(0.0, on="ball", pitch=-8.0, toes=-8.0), Foot(0.590, on="air", height=0.190, pitch=4.0, x=0.060),
        ),
    }  # fmt: skip
    return _cycle(half, MARCH_STEP, MARCH_FRAMES)


# -- the run -----------------------------------------------------------------------------------------------------------

RUN_STEP, RUN_FRAMES = 1.10, 11  # [m]; 3.0 m/s, an easy run
RUN_OFF = 7  # the frame at which the foot leaves the ground
RUN_LOCKS = (
    ("right foot", "pose", 0, 2), ("right toes", "pose", 0, RUN_OFF),
    ("left foot", "pose", RUN_FRAMES, RUN_FRAMES + 2), ("left toes", "pose", RUN_FRAMES, RUN_FRAMES + RUN_OFF),
)  # fmt: skip


def run_poses() -> dict[int, Pose]:
    """Return a cycle of running: the right foot lands at frame 0, leaves the ground at 7, the left one lands at 11."""

    def pose(turn: float, side: float, lean: float, swing: float, root: tuple[float, float, float],
             right: Foot | Leg, left: Foot | Leg) -> Pose:  # fmt: skip
        arms = _brisk_arms((-swing, 88.0 - 0.3 * swing), (swing, 88.0 + 0.3 * swing), 4.0)
        angles: Angles = _brisk_trunk(turn, side, lean) | arms
        for name, leg in zip(SIDES, (right, left), strict=True):
            if isinstance(leg, tuple):
                angles = {**angles, **_leg(name, leg)}
        feet = (leg if isinstance(leg, Foot) else None for leg in (right, left))
        return Pose(angles, root, *feet)

    half = {
        0: pose(5.0, 1.0, 8.0, 34.0, (0.000, -0.062, -0.270),
                Foot(0.0, x=0.040), (-6.0, 62.0, -16.0, -4.0)),
        2: pose(3.0, 3.0, 9.0, 22.0, (-0.010, -0.074, -0.085),
                Foot(0.0, x=0.040), (10.0, 98.0, -20.0, -2.0)),
        4: pose(-0.5, 3.5, 9.0, 0.0, (-0.014, -0.066, 0.120),
                Foot(0.0, x=0.040, on="ball", pitch=-20.0, toes=-20.0), (38.0, 112.0, -14.0, 0.0)),
        RUN_OFF: pose(-5.0, 1.5, 8.0, -30.0, (-0.008, -0.020, 0.430),
                      Foot(0.0, x=0.040, on="ball", pitch=-46.0, toes=-40.0), (66.0, 92.0, -4.0, 0.0)),
        9: pose(-6.0, 0.0, 8.0, -36.0, (-0.003, -0.025, 0.640),
                (-22.0, 26.0, -32.0, -8.0), (56.0, 58.0, -2.0, 0.0)),
    }  # fmt: skip
    return _cycle(half, RUN_STEP, RUN_FRAMES)
