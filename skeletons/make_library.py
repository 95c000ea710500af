"""Makes the sample sequences in ``library/``: a walk, a wave and a reach, from keyed poses of the human figure.

Run ``python -m skeletons.make_library [FOLDER]`` from the repository's root after ``skeletons.make_human``. A key is a
table of joint angles by label, in degrees, and a place for each foot; the legs follow by inverse kinematics, so that
feet stand exactly where they should and the lowest point of a standing foot is on the ground. Angles of the walk are
rounded from what gait textbooks plot for level walking at an easy speed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.animation import Sequence
from core.formats import FigureRecord, Project, save
from core.ik import Goal, solve
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton, load_skeleton
from core.skeleton.segment import segment_mesh

Array = NDArray[np.float64]
Angles = Mapping[str, float]

FPS = 30
SIDES = ("right", "left")
FOLDER = Path(__file__).parent


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
    """A key: joint angles by label [deg] (``"right Elbow flex"``, ``"Waist bend"``), root shift [m], feet."""

    angles: Angles
    root: tuple[float, float, float]
    right: Foot
    left: Foot

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
        feet = {side: replace(getattr(self, other[side]), z=getattr(self, other[side]).z + along) for side in SIDES}
        return Pose(angles, (-x, y, z + along), feet["right"], feet["left"])


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
        joint = self.skeleton.joint_index(part)
        mesh = segment_mesh(self.skeleton, joint)
        if mesh is None:
            raise ValueError(f'joint "{part}" has no body; make the figure with make_human first')
        return mesh.vertices @ frames[joint][:3, :3].T + frames[joint][:3, 3]

    def lowest(self, q: Array, side: str) -> float:
        """Return the height of the lowest point of one foot with its toes, [m]."""
        frames = forward_kinematics(self.skeleton, q)
        return float(min(self._points(f"{side} {part}", frames)[:, 1].min() for part in ("foot", "toes")))

    def pose(self, pose: Pose) -> Array:
        """Return the pose vector of a key, feet in place, shape (nq,)."""
        q = self.skeleton.rest_pose()
        q[:3] = pose.root
        for name, degrees in pose.angles.items():
            q[self.index[name]] = np.radians(degrees)
        for side in SIDES:
            foot = getattr(pose, side)
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


# -- the walk ----------------------------------------------------------------------------------------------------------

STEP = 0.66  # [m]
STEP_FRAMES = 16  # a step of 0.66 m in 0.53 s: 1.24 m/s, an easy pace


def arms(right: tuple[float, float], left: tuple[float, float]) -> dict[str, float]:
    """Return the angles of both arms in a walk from (shoulder flex, elbow flex) of each, [deg]."""
    angles = {}
    for side, (flex, elbow) in zip(SIDES, (right, left), strict=True):
        angles |= {
            f"{side} Shoulder flex": flex,
            f"{side} Shoulder out": 3.0,
            f"{side} Shoulder twist": 7.0 + 0.15 * max(flex, 0.0),
            f"{side} Elbow flex": elbow,
            f"{side} Forearm turn": 22.0,
            f"{side} Wrist flex": 4.0 + 0.15 * elbow,
            f"{side} Collar forward": 0.18 * flex,
        }
    return angles


def trunk(turn: float, side: float, bend: float) -> dict[str, float]:
    """Return the trunk of a walk: pelvis turn, list and lean [deg], the shoulders against it, the head ahead."""
    return {
        "Pelvis turn": turn,
        "Pelvis side": side,
        "Pelvis bend": bend,
        "Waist bend": 1.0,
        "Waist side": -0.7 * side,
        "Waist twist": -0.7 * turn,
        "Chest bend": 1.5,
        "Chest side": -0.5 * side,
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
    back = -STEP  # where the left foot stands while the right one is at 0
    half = {
        0: Pose(  # heel strike
            trunk(6.0, 0.5, 3.5) | arms((-22.0, 12.0), (20.0, 34.0)),
            (0.004, -0.048, -0.290),
            Foot(0.0, on="heel", pitch=17.0, toes=-8.0),
            Foot(back, on="ball", pitch=-27.0, toes=-27.0),
        ),
        2: Pose(  # the foot comes down, heel first
            trunk(5.2, 2.2, 4.0) | arms((-19.5, 12.5), (18.5, 33.0)),
            (-0.006, -0.050, -0.208),
            Foot(0.0, on="heel", pitch=5.0, toes=-3.0),
            Foot(back, on="ball", pitch=-40.0, toes=-38.0),
        ),
        4: Pose(  # foot flat, the other one has just left the ground
            trunk(3.5, 3.5, 4.0) | arms((-15.0, 14.0), (15.0, 30.0)),
            (-0.016, -0.047, -0.125),
            Foot(0.0),
            Foot(back, on="tip", pitch=-54.0, toes=-32.0, height=0.009),
        ),
        8: Pose(  # passing
            trunk(0.0, 4.0, 3.0) | arms((-2.0, 18.0), (2.0, 22.0)),
            (-0.024, -0.024, 0.035),
            Foot(0.0),
            Foot(-0.045, on="air", height=0.162, pitch=-30.0, toes=-6.0, x=0.055),
        ),
        12: Pose(  # the heel rises, the other leg reaches
            trunk(-3.5, 2.0, 2.5) | arms((12.0, 27.0), (-14.0, 14.0)),
            (-0.017, -0.027, 0.200),
            Foot(0.0, on="ball", pitch=-6.0, toes=-6.0),
            Foot(0.470, on="air", height=0.104, pitch=7.0, toes=-4.0),
        ),
    }
    poses = dict(half)
    for frame, pose in half.items():
        poses[frame + STEP_FRAMES] = pose.mirrored(STEP)
    poses[2 * STEP_FRAMES] = half[0].mirrored(STEP).mirrored(STEP)
    return poses


# -- gestures ----------------------------------------------------------------------------------------------------------

STAND: dict[str, float] = {
    "Waist bend": 1.0,
    "Chest bend": 2.0,
    "Neck bend": 2.0,
    "Head bend": 0.0,
    **{f"{side} Shoulder flex": 3.0 for side in SIDES},
    **{f"{side} Shoulder out": 1.0 for side in SIDES},
    **{f"{side} Shoulder twist": 10.0 for side in SIDES},
    **{f"{side} Elbow flex": 14.0 for side in SIDES},
    **{f"{side} Forearm turn": 20.0 for side in SIDES},
    **{f"{side} Wrist flex": 8.0 for side in SIDES},
}
STANCE = Foot(0.0, x=0.085, out=9.0)


def stand(changes: Angles, root: tuple[float, float, float] = (0.0, -0.006, 0.0), foot: Foot = STANCE) -> Pose:
    """Return the relaxed stand with some angles changed, both feet as ``foot``."""
    return Pose({**STAND, **changes}, root, foot, foot)


def between(before: Pose, after: Pose) -> Pose:
    """Return the pose half-way between two with the same feet; keyed, it keeps the feet down while the hips move."""
    names = sorted({*before.angles, *after.angles})
    angles = {name: 0.5 * (before.angles.get(name, 0.0) + after.angles.get(name, 0.0)) for name in names}
    x, y, z = (0.5 * (a + b) for a, b in zip(before.root, after.root, strict=True))
    return Pose(angles, (x, y, z), before.right, before.left)


def wave_poses() -> dict[int, Pose]:
    """Return a wave of the right hand: weight onto the left leg, the arm up, three beats, and back."""
    raised = {
        "Pelvis side": -4.0,
        "Waist side": 4.0,
        "Chest side": 3.0,
        "Chest twist": 4.0,
        "Neck side": -4.0,
        "Head side": -4.0,
        "Head turn": -5.0,
        "right Collar raise": 10.0,
        "right Shoulder flex": 42.0,
        "right Shoulder out": 46.0,
        "right Shoulder twist": -52.0,
        "right Elbow flex": 118.0,
        "right Forearm turn": 45.0,
        "right Wrist flex": -6.0,
        "left Shoulder out": 4.0,
        "left Elbow flex": 20.0,
    }
    shifted = (0.034, -0.012, 0.0)

    def beat(out: bool, reach: float = 1.0) -> Pose:
        swing = reach if out else -reach
        change = {
            "right Shoulder twist": -55.0 - 13.0 * swing,
            "right Elbow flex": 112.0 - 13.0 * swing,
            "right Wrist side": 4.0 + 13.0 * swing,
            "Head side": -4.0 - 1.5 * swing,
        }
        return stand(raised | change, shifted)

    dip = {"Waist bend": 3.0, "Chest side": -1.5, "right Shoulder flex": -4.0, "right Elbow flex": 22.0}
    return {
        0: stand({}),
        5: stand(dip, (0.012, -0.014, 0.0)),
        16: stand(raised, shifted),
        22: beat(True),
        28: beat(False),
        34: beat(True),
        40: beat(False),
        46: beat(True, 0.6),
        64: stand({}),
    }


def reach_poses() -> dict[int, Pose]:
    """Return a reach of the right hand for something high up: crouch a little, up onto the toes, hold, and back."""
    up = {
        "Pelvis bend": 4.0,
        "Pelvis side": 3.0,
        "Pelvis turn": 8.0,
        "Waist bend": -4.0,
        "Waist side": 6.0,
        "Waist twist": 4.0,
        "Chest bend": -6.0,
        "Chest side": 7.0,
        "Chest twist": 8.0,
        "Neck bend": -12.0,
        "Neck side": -5.0,
        "Neck turn": -6.0,
        "Head bend": -12.0,
        "Head turn": -8.0,
        "right Collar raise": 24.0,
        "right Collar forward": 8.0,
        "right Shoulder flex": 158.0,
        "right Shoulder out": 6.0,
        "right Shoulder twist": 10.0,
        "right Elbow flex": 14.0,
        "right Forearm turn": 50.0,
        "right Wrist flex": -12.0,
        "left Shoulder flex": -8.0,
        "left Shoulder out": 16.0,
        "left Elbow flex": 26.0,
    }
    crouch = {
        "Pelvis bend": 10.0,
        "Waist bend": 8.0,
        "Chest bend": 8.0,
        "Neck bend": -14.0,
        "Head bend": -10.0,
        "right Shoulder flex": -18.0,
        "right Elbow flex": 40.0,
        "left Shoulder flex": -14.0,
        "left Elbow flex": 28.0,
    }
    half_way = {
        "Pelvis bend": 6.0,
        "Neck bend": -12.0,
        "Head bend": -12.0,
        "right Collar raise": 12.0,
        "right Shoulder flex": 80.0,
        "right Shoulder out": 4.0,
        "right Elbow flex": 85.0,
        "right Forearm turn": 40.0,
        "left Shoulder out": 8.0,
        "left Elbow flex": 28.0,
    }
    crouched = stand(crouch, (0.0, -0.052, -0.040))
    tiptoe = replace(STANCE, on="ball", pitch=-24.0, toes=-24.0)
    rising = stand(half_way, (-0.006, -0.020, 0.020))
    lowered = stand(half_way | {"right Elbow flex": 110.0, "right Shoulder flex": 48.0}, (-0.004, -0.012, 0.012))
    grasp = up | {"right Wrist flex": 14.0, "right Elbow flex": 10.0}
    return {
        0: stand({}),
        4: between(stand({}), crouched),
        8: crouched,
        11: between(crouched, rising),
        15: rising,
        24: stand(up, (-0.016, 0.040, 0.066), tiptoe),
        32: stand(grasp, (-0.015, 0.041, 0.066), tiptoe),
        42: lowered,
        49: between(lowered, stand({})),
        56: stand({}),
    }


LIBRARY = (
    ("Walks and runs", "walk", walk_poses, True),
    ("Gestures", "wave", wave_poses, False),
    ("Gestures", "reach", reach_poses, False),
)


def make(skeleton: Skeleton) -> dict[str, Sequence]:
    """Return all sample sequences: path relative to the library -> sequence."""
    animator = Animator(skeleton)
    sequences = {}
    for menu, name, poses, loop in LIBRARY:
        sequence = Sequence(skeleton, fps=FPS, name=name.capitalize(), menu=menu, loop=loop)
        for frame, pose in poses().items():
            sequence.set_key(frame, np.round(animator.pose(pose), 6))
        sequences[f"{menu}/{name}.seq"] = sequence
    return sequences


def main(folder: Path) -> None:
    """Write the sample sequences into ``folder``."""
    source = FOLDER / "human.scr"
    skeleton = load_skeleton(source)
    figure = FigureRecord(skeleton.name, source.read_text(encoding="utf-8"), "skeletons:human.scr")
    for path, sequence in make(skeleton).items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        save(Project([skeleton], [sequence], figure_records=[figure]), target)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER / "library")
