"""``python -m tests.figure_sheets [FOLDER [FIGURE ...]]`` draws a sheet of every bundled figure, for eyes.

Four views of the figure at rest, and below them the same views of its liveliest key pose in the bundled sequences:
the one farthest from rest. Without named figures also ``figures.png``, all of them on one page. Needs no display.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from app.render.offscreen import still
from core.formats import bundled_folder, load
from core.skeleton import Skeleton, load_skeleton

VIEWS = ("perspective", "front", "side", "top")
CELL = (480, 480)
GAP = 8
ALIVE = ("human", "woman", "hand", "horse", "bird", "spider", "robot", "stickman")


def key_poses(figure: Skeleton) -> Iterator[NDArray[np.float64]]:
    """Yield the poses of all keys of the bundled sequences that move this figure."""
    for path in sorted((bundled_folder() / "library").rglob("*.seq")):
        for sequence in load(path).sequences:
            if sequence.skeleton.name == figure.name and sequence.skeleton.dof_names == figure.dof_names:
                yield from (key.q for key in sequence.keys)


def liveliest(figure: Skeleton) -> NDArray[np.float64]:
    """Return the key pose whose joints are farthest from rest, shape (nq,); the rest pose if there is no key."""
    rest = figure.rest_pose()
    slides = np.array([dof.kind == "slide" for dof in figure.all_dofs])
    scale = np.where(slides, 0.1, 1.0)  # 10 cm of a slide count as much as a radian
    poses = [rest, *key_poses(figure)]
    return max(poses, key=lambda q: float((np.abs(q - rest)[3:] / scale).sum()))


def sheet(figure: Skeleton, theme: str = "dark") -> Image.Image:
    """Return the sheet of a figure."""
    width, height = CELL
    page = Image.new("RGB", (len(VIEWS) * (width + GAP) - GAP, 2 * (height + GAP) - GAP), "black")
    for row, q in enumerate((figure.rest_pose(), liveliest(figure))):
        for column, view in enumerate(VIEWS):
            picture = still(figure, q, width, height, theme, kind=view)
            page.paste(Image.fromarray(picture[:, :, :3]), (column * (width + GAP), row * (height + GAP)))
    return page


def overview(figures: list[Skeleton], theme: str = "dark", side: int = 320, columns: int = 4) -> Image.Image:
    """Return a page with every figure in its liveliest pose."""
    rows = -(-len(figures) // columns)
    page = Image.new("RGB", (columns * (side + GAP) - GAP, rows * (side + GAP) - GAP), "black")
    for k, figure in enumerate(figures):
        picture = still(figure, liveliest(figure), 2 * side, 2 * side, theme, samples=4)
        cell = Image.fromarray(picture[:, :, :3]).resize((side, side), Image.Resampling.LANCZOS)
        page.paste(cell, (k % columns * (side + GAP), k // columns * (side + GAP)))
    return page


def main(words: list[str]) -> int:
    """Save the sheets of all figures, or of those named after the folder."""
    folder = Path(words[0] if words else "pictures")
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(bundled_folder().glob("*.scr")):
        if len(words) < 2 or path.stem in words[1:]:
            file = folder / f"figure-{path.stem}.png"
            sheet(load_skeleton(path)).save(file)
            print(file, flush=True)
    if len(words) < 2:
        alive = [load_skeleton(bundled_folder() / f"{name}.scr") for name in ALIVE]
        overview(alive).save(folder / "figures.png")
        print(folder / "figures.png", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
