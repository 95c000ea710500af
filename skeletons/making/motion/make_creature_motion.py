"""Makes the bundled sequences of the horse, the hand and the gull in ``library/Creatures``.

Run ``python -m skeletons.making.motion.make_creature_motion [FOLDER]`` from the repository's root after the figures'
own scripts. The horse gallops on the spot, as on a treadmill: left hind, right hind, left fore, right fore, and a
moment in the air; hooves follow paths, legs follow by inverse kinematics. The gull beats its wings; the hand counts to
five.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.animation import Sequence
from core.formats import FigureRecord, Project, save
from core.ik import Goal, solve
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton, load_skeleton
from skeletons.making.motion.make_robot_and_spider_motion import FOLDER, FPS, MENU, Values, labelled
from skeletons.making.motion.posing import rotation_x
from skeletons.making.shaping.loft import Array

# -- the horse ---------------------------------------------------------------------------------------------------------

STRIDE_FRAMES = 16  # 0.53 s a stride
STANCE = 0.25  # part of the stride that a hoof is on the ground


class Leg(NamedTuple):
    """How one leg runs.

    Attributes:
        lands: When its hoof comes down, in strides.
        ahead: Where it does, from its place at rest, [m].
        behind: Where it leaves the ground.
    """

    lands: float
    ahead: float
    behind: float


LEGS = {
    "left hind": Leg(0.00, 0.56, -0.52),
    "right hind": Leg(0.125, 0.62, -0.46),
    "left fore": Leg(0.375, 0.50, -0.48),
    "right fore": Leg(0.50, 0.54, -0.44),
}

# Of the swing: (part of it, place from rest in parts of ahead or behind, height [m], pitch [deg], positive toes down)
SWING = {
    "fore": ((0.0, -1.0, 0.000, 38.0), (0.20, -1.14, 0.26, 95.0), (0.44, -0.42, 0.46, 105.0), (0.66, 0.50, 0.44, 62.0),
             (0.84, 1.14, 0.24, 12.0), (1.0, 1.0, 0.000, -4.0)),
    "hind": ((0.0, -1.0, 0.000, 40.0), (0.20, -1.22, 0.17, 80.0), (0.44, -0.56, 0.30, 62.0), (0.66, 0.36, 0.28, 26.0),
             (0.84, 1.02, 0.14, 2.0), (1.0, 1.0, 0.000, -4.0)),
}  # fmt: skip
# Where the legs start from before they are drawn to their hooves: folded in the air, straight on the ground.
FOLDED: dict[str, Values] = {
    "fore": {"Shoulder flex": 18.0, "Elbow flex": 48.0, "Knee flex": 80.0, "Fore fetlock flex": 40.0},
    "hind": {"Hip flex": 22.0, "Stifle flex": 28.0, "Hock flex": 44.0, "Hind fetlock flex": 30.0},
}


def cubic(table: Array, at: float) -> Array:
    """Return the other columns of a table at a value of its first, along a cubic spline through its rows."""
    x, y = table[:, 0], table[:, 1:]
    slopes = np.gradient(y, x, axis=0)
    k = int(np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 2))
    h = x[k + 1] - x[k]
    t = (at - x[k]) / h
    a, b = y[k], y[k + 1]
    return np.asarray(
        a * (1 + 2 * t) * (1 - t) ** 2 + b * t * t * (3 - 2 * t)
        + h * (slopes[k] * t * (1 - t) ** 2 - slopes[k + 1] * t * t * (1 - t))
    )  # fmt: skip


def hoof_at(leg: str, time: float) -> tuple[float, float, float, float]:
    """Return a hoof's place along [m], height [m], pitch [deg] and how far it is folded, 0 to 1.

    Args:
        leg: Side and pair.
        time: In strides.
    """
    runs, kind = LEGS[leg], leg.split()[1]
    u = (time - runs.lands) % 1.0
    if u < STANCE:
        s = u / STANCE
        return runs.ahead + (runs.behind - runs.ahead) * s, 0.0, 38.0 * max(0.0, (s - 0.72) / 0.28) ** 2, 0.0
    s = (u - STANCE) / (1.0 - STANCE)
    place, height, pitch = cubic(np.array(SWING[kind]), s).tolist()
    return place * (runs.ahead if place > 0.0 else -runs.behind), max(height, 0.0), pitch, math.sin(math.pi * s)


def gallop_trunk(time: float) -> Values:
    """Return the angles of trunk, neck, head, ears and tail at a time in strides, [deg]."""

    def wave(most: float, at: float) -> float:  # highest at the time ``at``
        return most * math.cos(2.0 * math.pi * (time - at))

    return {
        "Pelvis bend": -4.0 + wave(9.5, 0.45),
        "Pelvis side": wave(1.2, 0.1),
        "Loins bend": 6.0 + wave(11.0, 0.94),
        "Barrel bend": 2.0 + wave(4.0, 0.94),
        "Withers bend": wave(3.0, 0.90),
        "Lower neck bend": 18.0 + wave(8.0, 0.60),
        "Middle neck bend": 3.0 + wave(5.0, 0.60),
        "Upper neck bend": -4.0 + wave(4.0, 0.66),
        "Head nod": -14.0 - wave(8.0, 0.60),
        "Ear back": 34.0 + wave(6.0, 0.3),
        "Ear out": 8.0,
        "Jaw open": 4.0,
        "Tail lift": 48.0 + wave(10.0, 0.20),
        "Tail lift 2": 6.0 + wave(8.0, 0.32),
        "Tail lift 3": -4.0 + wave(9.0, 0.42),
        "Tail lift 4": -8.0 + wave(10.0, 0.52),
        "Tail lift 5": -8.0 + wave(10.0, 0.62),
        "Tail swing": 4.0 * math.sin(2.0 * math.pi * time),
    }


def horse(skeleton: Skeleton) -> Sequence:
    """Return the horse galloping on the spot."""
    sequence = Sequence(skeleton, fps=FPS, name="Gallop", menu=MENU, loop=True)
    home = forward_kinematics(skeleton, skeleton.rest_pose())
    for frame in (*range(13), 14):  # a hoof covers 27 cm a frame: every frame has a key while one is down
        time = frame / STRIDE_FRAMES
        values = gallop_trunk(time)
        for leg in LEGS:
            side, kind = leg.split()
            folded = hoof_at(leg, time)[3]
            values |= {f"{side} {label}": folded * degrees for label, degrees in FOLDED[kind].items()}
        q = labelled(skeleton, values)
        q[:3] = 0.0, -0.045 + 0.050 * math.cos(2.0 * math.pi * (time - 0.88)), 0.03 * math.cos(2 * math.pi * time)
        for leg in LEGS:
            q = with_hoof(skeleton, q, leg, time, home)
        sequence.set_key(frame, np.round(q, 6), "spline")
    sequence.set_key(STRIDE_FRAMES, sequence.keys[0].q, "spline")
    return sequence


def with_hoof(skeleton: Skeleton, q: Array, leg: str, time: float, home: Array) -> Array:
    """Return the pose with one hoof on its path.

    Raises:
        ValueError: If a hoof on the ground does not reach its place.
    """
    side, kind = leg.split()
    joint = skeleton.joint_index(f"{leg} hoof")
    base = f"{side} scapula" if kind == "fore" else f"{side} thigh"
    along, height, pitch, _ = hoof_at(leg, time)
    toe = np.array([0.0, -home[joint, 1, 3], 0.085])  # the tip of the sole, about which a hoof rolls off
    turn = rotation_x(math.radians(pitch))
    place = home[joint, :3, 3] + [0.0, height, along] + (toe - turn @ toe) * [0.0, 1.0, 1.0]
    down = height == 0.0
    goal = Goal(joint, position=place, rotation=turn if down else None)
    result = solve(skeleton, q, [goal], base=base, tolerance=1e-5, max_iterations=400)
    if down and result.error > 2e-3:
        raise ValueError(f"the {leg} hoof misses its place at {time:g} by {result.error * 1e3:.1f} mm")
    if not down:  # in the air the hoof takes what turn it can
        near = solve(
            skeleton, result.q, [Goal(joint, position=place), Goal(joint, rotation=turn, weight=0.2)], base=base
        )
        return near.q
    return result.q


# -- the gull ----------------------------------------------------------------------------------------------------------

BEAT_FRAMES = 12  # 0.4 s a beat
FLIGHT: Values = {
    "Body bend": 16.0,
    "Lower neck bend": 16.0,
    "Upper neck bend": 12.0,
    "Head bend": -30.0,
    "Tail lift": -4.0,
    "Hip flex": -40.0,
    "Knee flex": 42.0,
    "Heel flex": -42.0,
    "Toes bend": 58.0,
    "Hind toe bend": 30.0,
}


def bird(skeleton: Skeleton) -> Sequence:
    """Return the gull flying on the spot: down with wide wings, up with folded ones, the tips behind the rest."""
    sequence = Sequence(skeleton, fps=FPS, name="Flap", menu=MENU, loop=True)
    for frame in range(0, BEAT_FRAMES, 2):
        turn = 2.0 * math.pi * frame / BEAT_FRAMES
        cos, sin = math.cos(turn), math.sin(turn)  # highest at 0, going down where the sine is positive
        up = max(0.0, -sin)
        q = labelled(
            skeleton,
            FLIGHT
            | {
                "Wing raise": -14.0 + 42.0 * cos,
                "Wing back": -4.0 - 9.0 * sin + 10.0 * up,
                "Wing twist": -3.0 - 11.0 * sin,
                "Elbow fold": -16.0 + 46.0 * up,
                "Wrist fold": -12.0 + 54.0 * up,
                "Wrist raise": -6.0 + 20.0 * sin,
                "Tip raise": -4.0 + 18.0 * sin,
                "Tail lift": -4.0 - 6.0 * sin,
                "Tail fan": 8.0 + 6.0 * sin,
                "Lower neck bend": 16.0 + 4.0 * sin,
                "Head bend": -30.0 - 5.0 * sin,
                "Body bend": 16.0 + 2.5 * cos,
            },
        )
        q[1] = 0.90 - 0.022 * sin - 0.006 * cos
        sequence.set_key(frame, np.round(q, 6), "spline")
    sequence.set_key(BEAT_FRAMES, sequence.keys[0].q, "spline")
    return sequence


# -- the hand ----------------------------------------------------------------------------------------------------------

DIGITS = ("Index", "Middle", "Ring", "Little")
CURLED, STRAIGHT = (78.0, 82.0, 66.0), (-10.0, -16.0, -9.0)  # flexion of the three joints
THUMB_FIST: Values = {"Thumb base flex": 32.0, "Thumb out": -12.0, "Thumb flex": 36.0, "Thumb tip flex": 50.0}
THUMB_IN: Values = {"Thumb base flex": 40.0, "Thumb out": -12.0, "Thumb flex": 44.0, "Thumb tip flex": 60.0}
THUMB_ACROSS: Values = {"Thumb base flex": 44.0, "Thumb out": -38.0, "Thumb flex": 54.0, "Thumb tip flex": 36.0}
THUMB_OUT: Values = {"Thumb base flex": -14.0, "Thumb out": -8.0, "Thumb flex": -12.0, "Thumb tip flex": -10.0}
THUMBS = (THUMB_FIST, THUMB_IN, THUMB_IN, THUMB_IN, THUMB_ACROSS, THUMB_OUT)
SPREADS = {2: (7.0, -9.0, 0.0, 0.0), 3: (12.0, 0.0, 10.0, 0.0), 4: (9.0, 2.0, 3.0, 9.0), 5: (14.0, 2.0, 8.0, 15.0)}


def counted(number: int) -> Values:
    """Return the hand that shows a number from 0, a fist, to 5."""
    values: Values = dict(THUMBS[number])
    for k, (digit, spread) in enumerate(zip(DIGITS, SPREADS.get(number, (0.0,) * 4), strict=True)):
        bends = STRAIGHT if k < number else CURLED
        labels = (f"{digit} flex", f"{digit} middle flex", f"{digit} tip flex", f"{digit} spread")
        values |= dict(zip(labels, (*bends, spread), strict=True))
    values |= {"Wrist flex": -6.0 + 12.0 * (number == 0), "Wrist side": 2.0 * number - 5.0}
    return values


def hand(skeleton: Skeleton) -> Sequence:
    """Return the hand counting: a fist, then one finger after the other, each shown for a moment."""
    sequence = Sequence(skeleton, fps=FPS, name="Count", menu=MENU, loop=True)
    frame = 0
    for number in range(6):
        held = labelled(skeleton, counted(number))
        turn = skeleton.rest_pose()
        turn[3] = math.radians(-4.0 * (number % 2))
        pose = np.round(held + turn, 6)
        sequence.set_key(frame, pose, "spline")
        sequence.set_key(frame + (9 if number < 5 else 18), pose, "spline")
        frame += 17 if number < 5 else 30
    sequence.set_key(frame, sequence.keys[0].q, "spline")
    return sequence


MOTIONS: tuple[tuple[str, str, Callable[[Skeleton], Sequence]], ...] = (
    ("horse", "gallop", horse),
    ("bird", "flap", bird),
    ("hand", "count", hand),
)


def main(folder: Path) -> None:
    """Write the sequences into ``folder``."""
    for name, file, make in MOTIONS:
        source = FOLDER / f"{name}.scr"
        skeleton = load_skeleton(source)
        figure = FigureRecord(skeleton.name, source.read_text(encoding="utf-8"), f"skeletons:{name}.scr")
        target = folder / MENU / f"{file}.seq"
        target.parent.mkdir(parents=True, exist_ok=True)
        save(Project([skeleton], [make(skeleton)], figure_records=[figure]), target)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER / "library")
