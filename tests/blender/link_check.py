"""The add-on for Blender and the editor, there and back: the same places of bones on both sides at 20 times."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.arrays import Array
from core.formats import bundled_folder, load, save
from core.kinematics import forward_kinematics
from core.skeleton.extent import figure_height

SCRIPT = Path(__file__).with_name("link.py")
TOLERANCE = 1e-4
"""Of the figure's height."""
KINDS = ("plain", "mixamo", "constrained")
WALK = bundled_folder() / "library" / "Walks and runs" / "walk.seq"


@dataclass(frozen=True)
class Row:
    """What was compared.

    Attributes:
        name: What.
        bones: How many bones.
        worst: Largest difference, in heights of the figure.
    """

    name: str
    bones: int
    worst: float


def go_round(words: list[str], folder: Path) -> list[Row]:
    """Send rigs from Blender to the editor and back, and a figure of the editor's to Blender and back.

    Args:
        words: How Blender's Python is started, as ``find_blender`` has it.
        folder: An empty folder.

    Raises:
        RuntimeError: If Blender could not do its part, with what it said.
    """
    rows = []
    _blender(words, "send", folder)
    for kind in KINDS:
        project = load(folder / f"{kind}.armature", up="auto", positions="auto")
        sequence, figure = project.sequences[0], project.figures[0]
        assert figure.name == kind.capitalize()
        with np.load(folder / f"{kind}.npz") as found:
            names, places = found["names"].tolist(), found["heads"]
        rows.append(_row(f"{kind} rig, in the editor", _places(sequence, names) - places, figure))
        save(project, folder / f"{kind} back.armature")
    walk = load(WALK)
    save(walk, folder / "walk.armature")
    _blender(words, "take", folder)
    for kind in KINDS:
        figure = load(folder / f"{kind}.armature").figures[0]
        with np.load(folder / f"{kind}.npz") as found, np.load(folder / f"{kind} back.npz") as back:
            rows.append(_row(f"{kind} rig, back in Blender", back["again"] - found["heads"], figure))
            rows.append(_row(f"{kind} rig, as a new armature", back["new"] - found["heads"], figure))
    with np.load(folder / "walk back.npz") as back:
        names, places = back["names"].tolist(), back["new"]
    rows.append(_row("walk, in Blender", _places(walk.sequences[0], names) - places, walk.figures[0]))
    again = load(folder / "walk again.armature")
    rows.append(_row("walk, back in the editor", _places(again.sequences[0], names) - places, again.figures[0]))
    return rows


def _places(sequence: object, names: list[str]) -> Array:
    s = sequence.skeleton  # type: ignore[attr-defined]
    first, last = sequence.range  # type: ignore[attr-defined]
    frames = np.linspace(first, last, 20).round()
    at = [s.joint_index(name) for name in names]
    return np.asarray(forward_kinematics(s, sequence.poses_at_frames(frames))[:, at][..., :3, 3])  # type: ignore[attr-defined]


def _row(name: str, off: Array, figure: object) -> Row:
    return Row(name, off.shape[1], float(np.abs(off).max()) / figure_height(figure))  # type: ignore[arg-type]


def _blender(words: list[str], way: str, folder: Path) -> None:
    command = [*words, str(SCRIPT), *([] if len(words) == 1 else ["--"]), way, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        raise RuntimeError("\n".join((done.stderr or done.stdout).strip().splitlines()[-6:]))
