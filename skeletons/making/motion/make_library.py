"""Makes the sample sequences in ``library/`` from keyed poses: the man's motions, the woman's dances.

Run ``python -m skeletons.making.motion.make_library [FOLDER]`` from the repository's root after
``skeletons.making.people.make_human``. A key is a table of joint angles by label, in degrees, and a place for each
foot; the legs follow by inverse kinematics, so that feet stand exactly where they should and the lowest point of a
standing foot is on the ground.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.animation import Sequence
from core.animation.locks.strip import LockStrip
from core.constraints import Lock, bind
from core.formats import FigureRecord, Project, bundled_folder, save
from core.skeleton import Skeleton, load_skeleton
from skeletons.making.motion.dances import arabesque_poses, pirouette_poses
from skeletons.making.motion.everyday import JUMP_LOCKS, OFF, SEATED, SIT_LOCKS, jump_poses, sit_poses
from skeletons.making.motion.gaits import MARCH_LOCKS, RUN_LOCKS, RUN_OFF, march_poses, run_poses, walk_poses
from skeletons.making.motion.posing import Angles, Animator, Foot, Pose, between, both_arms
from skeletons.making.motion.turning import CROUCH_LOCKS, CROUCHED, TURN_LOCKS, crouch_poses, turn_poses

FPS = 30
FOLDER = bundled_folder()

# -- gestures ----------------------------------------------------------------------------------------------------------

STAND: dict[str, float] = {
    "Waist bend": 1.0,
    "Chest bend": 2.0,
    "Neck bend": 2.0,
    "Head bend": 0.0,
    **both_arms(3.0, 1.0, 10.0, 14.0, 20.0, 8.0),
}
STANCE = Foot(0.0, x=0.085, out=9.0)


def stand(changes: Angles, root: tuple[float, float, float] = (0.0, -0.006, 0.0), foot: Foot = STANCE) -> Pose:
    """Return the relaxed stand with some angles changed, both feet as ``foot``."""
    return Pose({**STAND, **changes}, root, foot, foot)


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


def bow_poses() -> dict[int, Pose]:
    """Return a bow: the right arm before the waist, the left one behind, down from the hips, a pause, and up."""
    ready = {
        "Chest bend": 0.0,
        "Neck bend": 0.0,
        "right Shoulder flex": 22.0,
        "right Shoulder out": 14.0,
        "right Shoulder twist": 64.0,
        "right Elbow flex": 84.0,
        "right Forearm turn": 40.0,
        "left Shoulder flex": -18.0,
        "left Shoulder twist": 24.0,
        "left Elbow flex": 34.0,
    }
    down = ready | {
        "Pelvis bend": 25.0,
        "Waist bend": 13.0,
        "Chest bend": 8.0,
        "Neck bend": 9.0,
        "Head bend": 9.0,
        "right Shoulder flex": 30.0,
        "left Shoulder flex": -24.0,
        "left Collar forward": -6.0,
    }
    held = down | {"Waist bend": 15.0, "Head bend": 12.0}
    before, bent = stand(ready, (0.0, -0.006, 0.004)), stand(down, (0.0, -0.024, -0.075))
    return {
        0: stand({}),
        9: before,
        16: between(before, bent),
        24: bent,
        34: stand(held, (0.0, -0.026, -0.077)),
        44: between(bent, before),
        52: before,
        64: stand({}),
    }


class Item(NamedTuple):
    """A sequence of the library: folder, name, what makes its keys, whether it is a cycle, whose it is, and its locks.

    A lock is a part, a kind, and the first and the last frame (None: to the end) at which it keeps the part where the
    first one finds it. ``icon`` is the frame whose pose stands for the sequence in the library, if it matters.
    """

    menu: str
    name: str
    poses: Callable[[Animator], dict[int, Pose]]
    loop: bool = False
    figure: str = "human"
    locks: tuple[tuple[str, str, int, int | None], ...] = ()
    icon: int | None = None


LIBRARY = (
    Item("Walks and runs", "walk", lambda _: walk_poses(), loop=True),
    Item("Walks and runs", "march", lambda _: march_poses(), loop=True, locks=MARCH_LOCKS, icon=10),
    Item("Walks and runs", "run", lambda _: run_poses(), loop=True, locks=RUN_LOCKS, icon=RUN_OFF),
    Item("Gestures", "wave", lambda _: wave_poses()),
    Item("Gestures", "reach", lambda _: reach_poses()),
    Item("Gestures", "bow", lambda _: bow_poses()),
    Item("Everyday", "sit", sit_poses, locks=SIT_LOCKS, icon=SEATED),
    Item("Everyday", "turn", turn_poses, locks=TURN_LOCKS, icon=31),
    Item("Everyday", "crouch", crouch_poses, locks=CROUCH_LOCKS, icon=CROUCHED),
    Item("Jumps", "jump", jump_poses, locks=JUMP_LOCKS, icon=OFF + 3),
    Item("Dance", "arabesque", arabesque_poses, figure="woman"),
    Item("Dance", "pirouette", pirouette_poses, figure="woman"),
)


def make(skeleton: Skeleton) -> dict[str, Sequence]:
    """Return the sequences of a figure: path relative to the library -> sequence."""
    animator = Animator(skeleton)
    sequences = {}
    for item in LIBRARY:
        if item.figure == skeleton.name:
            sequence = Sequence(skeleton, fps=FPS, name=item.name.capitalize(), menu=item.menu, loop=item.loop)
            for frame, pose in item.poses(animator).items():
                sequence.set_key(frame, np.round(animator.pose(pose), 6), "spline")
            sequence.locks.strips = tuple(
                _strip(sequence, number, *lock) for number, lock in enumerate(item.locks, start=1)
            )
            if item.icon is not None:
                sequence.extra = {"icon": item.icon}
            sequences[f"{item.menu}/{item.name}.seq"] = sequence
    return sequences


def _strip(sequence: Sequence, number: int, part: str, kind: str, first: int, last: int | None) -> LockStrip:
    """Return a lock that keeps a part where the key at its first frame has it."""
    key = sequence.keys.at(first)
    assert key is not None
    lock = bind(Lock(part, kind), sequence.skeleton, key.q)
    return LockStrip(lock, first, last, id=f"{part.replace(' ', '-')}-{number}")


def main(folder: Path) -> None:
    """Write the sample sequences into ``folder``."""
    for name in dict.fromkeys(item.figure for item in LIBRARY):
        source = FOLDER / f"{name}.scr"
        skeleton = load_skeleton(source)
        figure = FigureRecord(skeleton.name, source.read_text(encoding="utf-8"), f"skeletons:{source.name}")
        for path, sequence in make(skeleton).items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            save(Project([skeleton], [sequence], figure_records=[figure]), target)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER / "library")
