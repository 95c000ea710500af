"""Makes the bundled sequences of the robot and the spider in ``library/Creatures``.

Run ``python -m skeletons.making.motion.make_robot_and_spider_motion [FOLDER]`` from the repository's root after the
figures' own scripts. The robot drives up to something, grips it, lifts it and looks at it; its wheels turn as far as it
drives. The spider crawls two strides: four feet stand while the other four swing, and a standing foot stays where it
is.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np

from core.animation import Sequence
from core.formats import FigureRecord, Project, bundled_folder, save
from core.ik import Goal, solve
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton, load_skeleton
from skeletons.making.make_robot import WHEEL
from skeletons.making.shaping.loft import Array

FPS = 30
FOLDER = bundled_folder()
MENU = "Creatures"
SIDES = ("right", "left")

# -- the robot -----------------------------------------------------------------------------------------------------

Values = dict[str, float]

READY: Values = {"Shoulder flex": 12.0, "Elbow flex": 24.0, "Shoulder out": 6.0, "Aerial swing": 0.0}
DRIVE = READY | {"Chest lean": 6.0, "Head nod": -4.0, "Aerial swing": -22.0, "Elbow flex": 40.0}
STOP = READY | {"Chest lean": 16.0, "Head nod": 12.0, "Aerial swing": 26.0, "Shoulder flex": 30.0, "Elbow flex": 50.0}
STOOP = {
    "Chest lean": 42.0,
    "Head nod": -6.0,
    "Shoulder flex": 78.0,
    "Shoulder out": 4.0,
    "Elbow flex": 22.0,
    "Wrist bend": -10.0,
    "Inner finger open": 0.02,
    "Outer finger open": 0.02,
    "Aerial swing": -10.0,
}
REACH = STOOP | {"Forearm reach": 0.13, "Head nod": 4.0, "Aerial swing": 0.0}
GRIP = REACH | {"Inner finger open": -0.008, "Outer finger open": -0.008, "Head nod": 10.0}
RISE = {
    "Lift": 0.17,
    "Chest lean": 4.0,
    "Head nod": 12.0,
    "Shoulder flex": 72.0,
    "Shoulder out": 4.0,
    "Elbow flex": 62.0,
    "Forearm reach": 0.02,
    "Inner finger open": -0.008,
    "Outer finger open": -0.008,
    "Aerial swing": 18.0,
}
TURNED = {"Chest turn": 38.0, "Head turn": -30.0, "Head tilt": 14.0, "right Wrist turn": 60.0, "Aerial swing": -6.0}
LOOK = RISE | TURNED
# Frame: (pose, how far it has driven [m])
ROBOT: dict[int, tuple[Values, float]] = {
    0: (READY, 0.0),
    8: (DRIVE, 0.12),
    18: (DRIVE, 0.50),
    26: (STOP, 0.60),
    36: (STOOP, 0.60),
    44: (REACH, 0.60),
    50: (GRIP, 0.60),
    64: (RISE, 0.60),
    76: (LOOK, 0.60),
    90: (LOOK | {"Head tilt": -10.0, "right Wrist turn": -50.0, "Aerial swing": 8.0}, 0.60),
    104: (RISE | {"Head nod": 0.0}, 0.60),
}


def labelled(skeleton: Skeleton, values: Values) -> Array:
    """Return the rest pose with some values set by label: degrees, or metres of slides; both sides without a side."""
    q = skeleton.rest_pose()
    used = set()
    for k, label in enumerate(skeleton.dof_labels):
        side = skeleton.joints[skeleton.dof_joints[k]].name.split()[0]
        for name in (label, f"{side} {label}"):
            if name in values:
                slide = skeleton.all_dofs[k].kind == "slide"
                q[3 + k] = values[name] if slide else math.radians(values[name])
                used.add(name)
    if used != set(values):
        raise ValueError(f"the figure has no {sorted(set(values) - used)}")
    return q


def robot(skeleton: Skeleton) -> Sequence:
    """Return the robot fetching something."""
    sequence = Sequence(skeleton, fps=FPS, name="Fetch", menu=MENU)
    for frame, (values, driven) in ROBOT.items():
        q = labelled(skeleton, values | {"Wheel roll": math.degrees(driven / WHEEL)})
        q[2] = driven
        sequence.set_key(frame, np.round(q, 6), "spline")
    return sequence


# -- the spider ----------------------------------------------------------------------------------------------------

STRIDE = 0.075  # [m] the body moves in a cycle
CYCLE = 24  # frames
CYCLES = 2
STEP = 3  # frames from key to key
SWING_HEIGHT = 0.022  # [m]


def foot_path(cycle: float, phase: float) -> tuple[float, float]:
    """Return how far a foot is along, in strides, and how high, in parts of its swing, at a time counted in cycles."""
    u = (cycle + phase) % 1.0
    planted = cycle - (u - 0.25)  # when the body is right over the foot
    if u < 0.5:
        return planted, 0.0
    s = 2.0 * (u - 0.5)
    return planted + s * s * (3.0 - 2.0 * s), math.sin(math.pi * s)


def spider(skeleton: Skeleton) -> Sequence:
    """Return the spider crawling."""
    sequence = Sequence(skeleton, fps=FPS, name="Crawl", menu=MENU, loop=True)
    rest = skeleton.rest_pose()
    frames = forward_kinematics(skeleton, rest)
    feet = {}
    for side in SIDES:
        for number in (1, 2, 3, 4):
            joint = skeleton.joint_index(f"{side} tarsus {number}")
            tip = skeleton.joints[joint].tips[0]
            home = frames[joint, :3, :3] @ tip + frames[joint, :3, 3]
            feet[joint] = tip, home, 0.5 * ((number + (side == "left")) % 2)
    free = np.ones(skeleton.nq)
    free[:6] = 0.0  # the body goes where it is told
    q = rest
    for frame in range(0, CYCLES * CYCLE + 1, STEP):
        cycle = frame / CYCLE
        wave = 2.0 * math.pi * cycle
        q = q.copy()
        q[:3] = 0.0015 * math.sin(wave), 0.002 * math.cos(2.0 * wave), STRIDE * cycle
        q[3:6] = 0.03 * math.sin(wave), 0.015 * math.sin(2.0 * wave), 0.02 * math.cos(wave)
        q[3 + skeleton.dof_labels.index("Abdomen swing")] = 0.10 * math.sin(wave + 0.8)
        q[3 + skeleton.dof_labels.index("Abdomen lift")] = 0.08 + 0.05 * math.sin(2.0 * wave)
        goals = []
        for joint, (tip, home, phase) in feet.items():
            along, high = foot_path(cycle, phase)
            goals.append(Goal(joint, tip, home + np.array([0.0, SWING_HEIGHT * high, STRIDE * along])))
        result = solve(skeleton, q, goals, tolerance=1e-6, weights=free, max_iterations=400)
        if result.error > 1e-4:
            raise ValueError(f"a foot misses its place at frame {frame} by {result.error * 1e3:.2f} mm")
        q = result.q
        for k, label in enumerate(skeleton.dof_labels):  # feelers nod while it walks
            if label == "Feeler lift":
                side = 0.0 if skeleton.joints[skeleton.dof_joints[k]].name.startswith("right") else math.pi
                q[3 + k] = 0.25 * math.sin(2.0 * wave + side)
        sequence.set_key(frame, np.round(q, 6), "spline")
    return sequence


def main(folder: Path) -> None:
    """Write the sequences into ``folder``."""
    for name, file, make in (("robot", "fetch", robot), ("spider", "crawl", spider)):
        source = FOLDER / f"{name}.scr"
        skeleton = load_skeleton(source)
        figure = FigureRecord(skeleton.name, source.read_text(encoding="utf-8"), f"skeletons:{name}.scr")
        target = folder / MENU / f"{file}.seq"
        target.parent.mkdir(parents=True, exist_ok=True)
        save(Project([skeleton], [make(skeleton)], figure_records=[figure]), target)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER / "library")
