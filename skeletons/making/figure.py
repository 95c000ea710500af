"""A figure as its making script sees it: parts placed in the world, written as a .scr file and its polygon files.

Parts of the middle and of the right side are written out; ``mirror`` in the file makes the left ones. Places, shapes
and weights are those of the bind pose, every degree of freedom at zero, in the world; here they are brought into the
frames of the joints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from core.skeleton import Mesh, write_pol
from core.skeleton.euler import euler_rotation
from skeletons.making.shaping.loft import Array

Layout = Sequence[Any]  # names of joints and (name of the group, its layout)


@dataclass(frozen=True)
class Motion:
    """A degree of freedom: ``hinge`` with limits in degrees, or ``slide`` in metres; no limits turns freely."""

    axis: str
    low: float | None
    high: float | None
    label: str
    kind: str = "hinge"

    def line(self) -> str:
        """Return the line of the .scr file."""
        limits = "" if self.low is None or self.high is None else f" {self.low:g} {self.high:g}"
        return f'    {self.kind} {self.axis}{limits} "{self.label}"'


@dataclass(frozen=True)
class Part:
    """A joint with its body.

    Attributes:
        name: A joint of the right side begins with ``right`` and gets its mirror.
        place: Origin, world, shape (3,), [m].
        motions: Its degrees of freedom, in order.
        lines: Lines of its joint type, in place of these.
        mass: [kg].
        meshes: What is drawn, in the world, with weights.
        note: Comment above the block.
        orientation: Of its frame in its parent's, (x, y, z) of ``Rz Ry Rx``, [deg].
        weight: Responsiveness in inverse kinematics, if not 1.
        resistance: Stiffness in inverse kinematics, if not 1.
        color: (r, g, b), or None for the theme's body.
        tip: End of the segment, world, [m], if it has no joint after it and its shape does not tell.
    """

    name: str
    place: Sequence[float]
    motions: Sequence[Motion] = ()
    mass: float = 0.0
    meshes: Sequence[Mesh] = ()
    note: str = ""
    orientation: tuple[float, float, float] = (0.0, 0.0, 0.0)
    weight: float | None = None
    resistance: float | None = None
    color: tuple[float, float, float] | None = None
    tip: Sequence[float] | None = None
    lines: Sequence[str] = ()


@dataclass
class Figure:
    """A whole figure.

    Attributes:
        name: Name of the figure, its file and its folder.
        header: Comment lines at the head of the file, without ``#``.
        layout: Joints and groups, both sides, as the file lists them.
        parts: The middle and the right side, in any order.
        heading: By which the whole figure is turned about y, [deg]; places and shapes are given without it.
        digits: Decimals of lengths in the files, [m]. Skins whose neighbours share vertices in turned frames need 7.
    """

    name: str
    header: Sequence[str]
    layout: Layout
    parts: Sequence[Part] = field(default_factory=list)
    heading: float = 0.0
    digits: int = 5

    def files(self) -> dict[str, str]:
        """Return all files: path relative to the folder of skeletons -> text."""
        parents = _parents(self.layout)
        parts = {part.name: part for part in self.parts}
        ordered = [name for name in parents if name in parts]
        missing = [name for name in parents if name not in parts and name.replace("left ", "right ", 1) not in parts]
        if missing or len(ordered) != len(parts):
            raise ValueError(f"the layout has no part for {missing}, or parts are not in it: {sorted(parts)}")
        frames: dict[str, tuple[Array, Array]] = {}
        blocks, files = [], {}
        for name in ordered:
            part, parent = parts[name], parents[name]
            before, origin = frames[parent] if parent else (np.eye(3), np.zeros(3))
            place = np.asarray(part.place, dtype=np.float64)
            turn = before @ euler_rotation(np.asarray(part.orientation))
            frames[name] = turn, place
            objects = []
            for number, mesh in enumerate(part.meshes):
                path = f"{self.name}/{file_name(name, number)}"
                points = local_points(mesh.vertices, turn, place, self.digits)
                local = Mesh(points, mesh.triangles, mesh.polygons, mesh.weights)
                comment = f"# {name} of the {self.name}; made by make_{self.name}.py\n"
                files[path] = comment + write_pol(sound(local))
                objects.append(path)
            tip = local_tip(part, turn, place, self.digits)
            if not parent and self.heading:
                part = replace(part, orientation=(0.0, self.heading, 0.0))
            offset = local_points(place[None], before, origin, self.digits)[0]
            blocks.append(_block(part, objects, offset, tip))
        head = "".join(f"# {line}\n" for line in self.header)
        text = f'{head}\ndefine skeleton "{self.name}"\n{_layout_text(self.layout, 1)}end skeleton\n\n'
        return {f"{self.name}.scr": text + "\n".join(blocks), **files}

    def write(self, folder: Path) -> None:
        """Write all files into ``folder``."""
        for path, text in self.files().items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="\n")


def file_name(joint: str, number: int) -> str:
    """Return a polygon file's name: ``right_hoof.pol``, and ``right_hoof_2.pol`` for a joint's second object."""
    return joint.replace(" ", "_") + (f"_{number + 1}" if number else "") + ".pol"


def local_points(points: Array, turn: Array, place: Array, digits: int) -> Array:
    """Return world points in a joint's frame, rounded and without negative zeros."""
    return np.round((points - place) @ turn, digits) + 0.0


def local_tip(part: Part, turn: Array, place: Array, digits: int) -> Array | None:
    """Return the part's tip in its own frame, or None."""
    return None if part.tip is None else local_points(np.array([part.tip], dtype=np.float64), turn, place, digits)[0]


def sound(mesh: Mesh) -> Mesh:
    """Return the mesh with every polygon that is not convex, or nearly flat in area, cut into its triangles."""
    polygons: list[tuple[int, ...]] = []
    for polygon in mesh.polygons:
        corners = mesh.vertices[list(polygon)]
        edges = np.roll(corners, -1, axis=0) - corners
        turns = np.cross(np.roll(edges, 1, axis=0), edges)
        normal = turns.sum(axis=0)
        steady = (turns @ normal > 1e-3 * float(normal @ normal) / len(polygon)).all()
        fans = [(polygon[0], polygon[i], polygon[i + 1]) for i in range(1, len(polygon) - 1)]
        polygons += [polygon] if steady else [fan for fan in fans if _area(mesh.vertices[list(fan)]) > 1e-10]
    fans = [(p[0], p[i], p[i + 1]) for p in polygons for i in range(1, len(p) - 1)]
    return Mesh(mesh.vertices, np.array(fans, dtype=np.int32), tuple(polygons), mesh.weights)


def _area(corners: Array) -> float:
    return 0.5 * float(np.linalg.norm(np.cross(corners[1] - corners[0], corners[2] - corners[0])))


def number(value: float, digits: int = 7) -> str:
    """Return ``value`` rounded to ``digits`` decimals, without trailing zeros or a negative zero."""
    return f"{round(float(value), digits) + 0.0:.{digits}f}".rstrip("0").rstrip(".")


def _numbers(values: Sequence[float] | Array) -> str:
    return " ".join(number(value) for value in values)


def _block(part: Part, objects: Sequence[str], offset: Array, tip: Array | None) -> str:
    lines = [f"# {part.note}"] if part.note else []
    lines.append(f'define joint "{part.name}"')
    lines += [f'    object "{path}"' for path in objects]
    if offset.any():
        lines.append(f"    offset {_numbers(offset)}")
    if any(part.orientation):
        lines.append(f"    orientation {_numbers(part.orientation)}")
    lines += [motion.line() for motion in part.motions]
    lines += [f"    {line}" for line in part.lines]
    if part.mass:
        lines.append(f"    mass {number(part.mass)}")
    if tip is not None:
        lines.append(f"    tip {_numbers(tip)}")
    if part.weight is not None:
        lines.append(f"    weight {number(part.weight)}")
    if part.resistance is not None:
        lines.append(f"    resistance {number(part.resistance)}")
    if part.color is not None:
        lines.append(f"    color {_numbers(part.color)}")
    if part.name.startswith("right "):
        lines.append(f'    mirror "left {part.name[6:]}"')
    return "\n".join([*lines, "end joint", ""])


def _layout_text(layout: Layout, depth: int) -> str:
    pad, text = "    " * depth, ""
    for item in layout:
        if isinstance(item, str):
            text += f'{pad}joint "{item}"\n'
        else:
            name, inner = item
            text += f'{pad}group "{name}"\n{_layout_text(inner, depth + 1)}{pad}end group\n'
    return text


def _parents(layout: Layout) -> dict[str, str]:
    """Return the parent of each joint, in file order; "" for the root."""
    found: dict[str, str] = {}

    def visit(items: Layout, parent: str) -> None:
        for item in items:
            if isinstance(item, str):
                found[item] = parent
                parent = item
            else:
                visit(item[1], parent)

    visit(layout, "")
    return found
