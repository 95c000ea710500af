"""Key reduction over recordings: how many keys are left at 3 mm, counted in two ways, and what it takes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from core.animation.reduction.reduce import reduced
from core.constraints.soles import height
from core.errors import CoreError
from core.formats import load

Report = Callable[..., None]

MILLIMETRES, DEGREES, ASKED = 3.0, 3.0, 10.0
FEWEST, MOST = 24, 400
"""Frames that a recording must have, and of how many of them, from the first, the keys are reduced."""
PERSON = (1.0, 2.5)
"""How high a figure is of which millimetres mean what they say, [m]; else the file does not say its unit."""


def run(report: Report) -> None:
    """Measure and report: shares of the frames, [%], of the first frames of each recording."""
    folder = Path(os.environ.get("SEQUENCE_EDITOR_DATA", "../shared/data"))
    files = sorted([*folder.glob("bvh/*.bvh"), *folder.glob("asfamc/*.amc")])
    if not files:
        raise FileNotFoundError(f"no recordings in {folder}")
    counts = np.zeros(2)
    for path in files:
        try:
            sequence = load(path).sequences[0]
        except CoreError as error:
            report(f"{path.name}: left out", float("nan"), "", str(error).partition(";")[0])
            continue
        tall = height(sequence.skeleton)
        if len(sequence.keys) < FEWEST or not PERSON[0] <= tall <= PERSON[1]:
            report(f"{path.name}: too short, or {tall:.3g} m high: left out", float("nan"), "")
            continue
        first = sequence.keys[0].frame
        last = min(sequence.keys[-1].frame, first + MOST - 1)
        begun = time.thread_time()
        found = reduced(sequence, first, last, MILLIMETRES, DEGREES)
        frames = last - first + 1
        any_joint, taken = 100.0 * found.frames_after / frames, time.thread_time() - begun
        note = f"of {frames} frames at {sequence.fps:g} fps; {any_joint:.0f} % of frames have a key; "
        note += f"off {1000.0 * found.off:.2f} mm, {np.degrees(found.turned):.1f} deg; {taken:.1f} s"
        report(f"{path.name}: keys of a joint a frame, in the mean", 100.0 * found.share, "%", note)
        whole = reduced(sequence, first, last, MILLIMETRES, DEGREES, whole_poses=True)
        report(f"{path.name}: frames with a whole pose", 100.0 * whole.frames_after / frames, "%")
        counts += found.after, frames * len(found.channels)
    report("all of them", 100.0 * counts[0] / counts[1], "%", f"asked {ASKED:g}")
