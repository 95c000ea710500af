"""A second way to read Acclaim files: where bones end, straight from the format's definition, nothing shared."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation


@dataclass
class Bone:
    """A bone: direction times length, its axes, its degrees of freedom."""

    vector: np.ndarray = field(default_factory=lambda: np.zeros(3))
    axes: Rotation = field(default_factory=Rotation.identity)
    dofs: tuple[str, ...] = ()


def read_skeleton(path: Path) -> tuple[dict[str, Bone], list[tuple[str, str]], float]:
    """Return bones by name, pairs (parent, child) with parents first, and metres in a unit."""
    text = "\n".join(line.partition("#")[0] for line in path.read_text().splitlines())
    length = float(re.search(r"^\s*length\s+(\S+)\s*$", text, re.M)[1])
    _, _, rest = text.partition(":root")
    root, _, rest = rest.partition(":bonedata")
    data, _, tree = rest.partition(":hierarchy")
    order = tuple(re.search(r"order\s+(.*)", root)[1].lower().split())
    bones = {"root": Bone(dofs=order)}
    angles = [float(word) for word in re.search(r"orientation\s+(.*)", root)[1].split()]
    bones["root"].axes = Rotation.from_euler("xyz", angles, degrees=True)
    for block in re.findall(r"\bbegin\b(.*?)\bend\b", data, re.S):
        words = {line.split()[0]: line.split()[1:] for line in block.splitlines() if line.split()}
        axis = words["axis"]
        bones[words["name"][0]] = Bone(
            float(words["length"][0]) * np.array([float(word) for word in words["direction"]]),
            Rotation.from_euler(axis[3].lower(), [float(word) for word in axis[:3]], degrees=True),
            tuple(words.get("dof", ())),
        )
    pairs = []
    for line in tree.splitlines():
        names = line.split()
        if len(names) > 1:
            pairs += [(names[0], child) for child in names[1:]]
    return bones, pairs, 0.0254 / length


def read_motion(path: Path) -> list[dict[str, list[float]]]:
    """Return the values of every frame by bone."""
    frames: list[dict[str, list[float]]] = []
    for line in path.read_text().splitlines():
        words = line.split()
        if not words or words[0][0] in "#:":
            continue
        if len(words) == 1 and words[0].isdigit():
            frames.append({})
        else:
            frames[-1][words[0]] = [float(word) for word in words[1:]]
    return frames


def bone_ends(skeleton: Path, motion: Path, step: int = 1) -> dict[str, np.ndarray]:
    """Return where every bone ends (the root: where it is) in every ``step``-th frame, each of shape (m, 3), [m].

    Written with all rotations in the figure's own axes: ``L = C M C^-1``, ``G = G_parent L``, and the end of a bone is
    its parent's end plus ``G`` times its vector.
    """
    bones, pairs, unit = read_skeleton(skeleton)
    frames = read_motion(motion)[::step]
    count = len(frames)

    def values(name: str) -> dict[str, np.ndarray]:
        dofs = bones[name].dofs
        table = np.array([frame[name] for frame in frames]) if dofs else np.zeros((count, 0))
        return {dof: table[:, k] for k, dof in enumerate(dofs)}

    def turned(name: str) -> Rotation:
        channels = {dof[1]: angle for dof, angle in values(name).items() if dof[0] == "r"}
        if not channels:
            return Rotation.identity(count)
        M = Rotation.from_euler("".join(channels), np.stack(list(channels.values()), axis=1), degrees=True)
        return bones[name].axes * M * bones[name].axes.inv()

    def moved(name: str) -> np.ndarray:
        return np.stack([values(name).get(f"t{axis}", np.zeros(count)) for axis in "xyz"], axis=1)

    turns = {"root": turned("root")}
    ends = {"root": moved("root") * unit}
    for parent, child in pairs:
        turns[child] = turns[parent] * turned(child)
        start = ends[parent] + unit * (turns[parent] * bones[child].axes).apply(moved(child))
        ends[child] = start + unit * turns[child].apply(bones[child].vector)
    return ends
