"""``python -m tests.legs_side_by_side [FOLDER]``: bodies moved by curves and by forces of legs, beside recorded walks.

Prints how far joints and hips of walks made either way are from recorded ones of the same speed and step for their
size, how fast joints turn and what the checks of plausibility say at three speeds, and how deep a foot that swings by
torques alone would be in the ground. With a folder, a GIF and a strip of pictures of both go there.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.animation.sequence import Sequence
from core.arrays import Array
from core.formats import load
from core.gait.biped import biped_of
from core.gait.feet import rolled_frames, sole_points
from core.gait.manner import LEGS, Manner
from core.gait.walk import make_walk, walk_sequence
from core.kinematics import forward_kinematics
from core.preview.plausibility.find import find_violations
from core.skeleton import Skeleton
from tests.support.gait_curves import CURVES, Strides, rig_of, strides_of
from tests.support.grounds import walked
from tests.support.swinging_leg import track
from tests.support.walkers import walker

GRAVITY, SPEEDS = 9.81, (0.8, 1.2, 1.6)
_SIDES = ("Left", "Right")
CLIPS = {
    "bvh/cmu_12_01_walk.bvh": [(f"{x}UpLeg", f"{x}Leg", f"{x}Foot", f"{x}ToeBase") for x in _SIDES],
    "bvh/walk01.bvh": [(f"{x}UpLeg", f"{x}Leg", f"{x}Foot", None) for x in _SIDES],
}
"""Recorded walks on level ground, and their legs."""
OWN = [(f"{x} thigh", f"{x} shank", f"{x} foot", f"{x} toes") for x in ("left", "right")]
WIDE = 360
"""Width of a picture, [px]."""


def data() -> Path:
    """Return the folder of recordings."""
    return Path(os.environ.get("SEQUENCE_EDITOR_DATA", "../shared/data"))


def recorded(name: str) -> Strides:
    """Return the strides of a recorded walk."""
    sequence = load(data() / name).sequences[0]
    first, last = sequence.range
    return strides_of(sequence, rig_of(sequence.skeleton, CLIPS[name]), first, last)


def alike(s: Skeleton, strides: Strides, legs: str) -> Sequence:
    """Return a walk of a figure at the speed and with the steps of a recorded one, for its size."""
    length = biped_of(s).legs[0].length
    speed, step = strides.speed * np.sqrt(GRAVITY * length), strides.step * length
    manner = Manner(steps=8, speed=float(speed), step_length=float(step), start=False, stop=False, legs=legs)
    return walk_sequence(s, manner)


def differences(s: Skeleton, strides: Strides, legs: str) -> Array:
    """Return how far mean curves are from recorded ones, without their means, and their correlations, shape (2, 5)."""
    sequence = alike(s, strides, legs)
    first, last = sequence.range
    made = strides_of(sequence, rig_of(s, OWN), first, last)
    off = (strides.mean - made.mean).std(axis=1)
    return np.array([off, [np.corrcoef(a, b)[0, 1] for a, b in zip(strides.mean, made.mean, strict=True)]])


def sunk_by_torques(s: Skeleton) -> float:
    """Return how deep a foot would be in the ground, at most, whose leg swings by torques alone, [m]."""
    biped, walk = biped_of(s), make_walk(s, Manner(steps=8))
    sequence = walked(s, walk)
    X = forward_kinematics(s, sequence.poses_at_frames(np.arange(walk.last + 1)))
    deepest = 0.0
    for leg, way in zip(biped.legs, walk.feet, strict=True):
        for before, after in zip(way.contacts[1:-2], way.contacts[2:-1], strict=True):
            rows = np.arange(before.leave, after.land + 1)
            rolls = rolled_frames(leg, before, np.array([before.push]))[0], way.frames[after.land]
            places = way.frames[:, :3, 3]
            speeds = tuple((places[k + 1] - places[k]) * 30.0 for k in (before.leave - 1, after.land))
            found = track(leg, X[:, leg.hip, :3, 3], rows, (rolls[0][:3, 3], rolls[1][:3, 3]), speeds, 30.0)
            if found is None:
                continue
            frames = way.frames[rows].copy()
            frames[:, :3, 3] = found
            deepest = max(deepest, -float(sole_points(leg, frames, way.toes[rows])[..., 1].min()))
    return deepest


def measure() -> None:
    """Print the tables."""
    s = walker("human")
    print("RMS off a recorded walk, means taken away (joints in degrees, hips in % of the leg), and correlations")
    print(f"{'':<34}" + "".join(f"{name:>14}" for name in CURVES))
    for name in CLIPS:
        strides = recorded(name)
        for legs in LEGS:
            off, r = differences(s, strides, legs)
            numbers = "".join(f"{a:>8.2f} {b:>5.2f}" for a, b in zip(off, r, strict=True))
            print(f"{f'{Path(name).stem}, {legs}':<34}{numbers}")
    for speed in SPEEDS:
        for legs in LEGS:
            manner = Manner(steps=20, speed=speed, legs=legs)
            took = []
            for _ in range(3):
                begun = time.process_time()
                walk = make_walk(s, manner)
                took.append(time.process_time() - begun)
            sequence = walked(s, walk)
            poses = sequence.poses_at_frames(np.arange(walk.last + 1))
            fastest = float(np.degrees(np.abs(np.diff(poses[:, 3:], axis=0)).max()) * 30.0)
            flags, ratio = len(find_violations(sequence)), walk.last / 30.0 / min(took)
            print(
                f"{speed} m/s, {legs}: a joint turns by {fastest:.0f} deg/s at most, {flags} implausible, "
                f"lasts / made {ratio:.0f}"
            )
    print(f"a foot that swings by torques alone: {1e3 * sunk_by_torques(s):.0f} mm in the ground")


def draw(folder: Path) -> None:
    """Draw both, one above the other at the same footprints, as a GIF and as a strip of pictures."""
    from app.window.editor import settle
    from core.formats.bundled import bundled_folder
    from core.gait.procedural import Rules
    from core.terrain import LEVEL
    from tests.support.filming import pictures_of, write_gif
    from tests.support.shown_window import shown_window

    application, window = shown_window((1280, 800))
    document, view = window.document, window.area.work_view
    assert document.files.open(bundled_folder() / "human.scr")
    for overlay in ("control_points", "ghosts", "trail"):
        document.session.view.overlays[overlay] = False
    manner, films = Manner(steps=8, speed=1.35, start=False, stop=False), []
    camera = view.camera
    for legs in LEGS:
        assert document.walks.set(Rules(replace(manner, legs=legs), LEVEL))
        sequence = document.sequence
        assert sequence is not None
        frames = range(14, 65, 2)
        film = []
        for frame in frames:  # beside a person who goes evenly
            camera.target, camera.distance = (0.0, 0.85, 1.35 * (frame + 6) / 30.0), 3.4
            camera.pitch, camera.yaw = 0.04, -np.pi / 2.0
            view.invalidate()
            film += pictures_of(application, window, [frame], WIDE)
        films.append(film)
        settle(application, 0.1)
    both = [np.concatenate(pair, axis=1) for pair in zip(*films, strict=True)]
    write_gif(folder / "legs.gif", both, 15.0)
    from PySide6.QtGui import QImage

    rows = [np.concatenate([picture[:, WIDE // 4 : -WIDE // 4] for picture in film[:18:3]], axis=1) for film in films]
    strip = np.ascontiguousarray(np.concatenate(rows, axis=0))
    height, width = strip.shape[:2]
    image = QImage(strip.data, width, height, 3 * width, QImage.Format.Format_RGB888)
    image.save(str(folder / "legs.webp"), quality=80)
    window.stop()
    window.close()


def main(words: list[str]) -> int:
    """Do it."""
    measure()
    if words:
        draw(Path(words[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
