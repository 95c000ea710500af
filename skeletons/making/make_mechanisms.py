"""Makes the bundled mechanisms: figures whose parts touch along curves and surfaces, in ``mechanisms/``.

Run ``python -m skeletons.making.make_mechanisms [FOLDER]`` from the repository's root. They are after the examples of
Si & Guenter (2013), section 5: a chain of tori, a windmill with a pair of every kind of surface, a chain of tori on a
Bezier curve, and a sled on a Bezier surface. Shapes, sizes and weights are ours.

World: y up, the ground is y = 0.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core.formats import bundled_folder
from core.skeleton import Mesh
from skeletons.making.figure import Figure, Layout, Part
from skeletons.making.shaping.loft import Array
from skeletons.making.shaping.turned import cylinder, planed_box

WOOD = (0.72, 0.60, 0.46)
STEEL = (0.62, 0.65, 0.68)
WARM = (0.88, 0.53, 0.30)
COOL = (0.36, 0.62, 0.72)
LEAF = (0.47, 0.66, 0.42)
SAND = (0.87, 0.74, 0.48)

DENSITY = 900.0  # of rings and balls, [kg/m^3]


def torus(ring: float, tube: float, place: Sequence[float], axis: str = "z", around: int = 40, sides: int = 16) -> Mesh:
    """Return a torus about an axis.

    Args:
        ring: From its middle to the middle of its tube, [m].
        tube: Radius of the tube, [m].
        place: Its middle, world, [m].
        axis: ``"x"``, ``"y"`` or ``"z"``.
        around: Sections round the ring.
        sides: Vertices a section.
    """
    u, v = (2.0 * np.pi * np.arange(count) / count for count in (around, sides))
    out = ring + tube * np.cos(v)
    points = np.stack(
        [out * np.cos(u)[:, None], out * np.sin(u)[:, None], np.broadcast_to(tube * np.sin(v), (around, sides))], axis=-1
    )
    shift = {"z": 0, "x": 1, "y": 2}[axis]
    vertices = np.roll(points.reshape(-1, 3), shift, axis=1) + np.asarray(place, dtype=np.float64)
    faces = []
    for i in range(around):
        j = (i + 1) % around
        for k in range(sides):
            m = (k + 1) % sides
            faces.append((i * sides + k, j * sides + k, j * sides + m, i * sides + m))
    fans = [(p[0], p[n], p[n + 1]) for p in faces for n in (1, 2)]
    return Mesh(vertices, np.array(fans, dtype=np.int32), tuple(faces))


def torus_mass(ring: float, tube: float) -> float:
    """Return the weight of a torus, [kg]."""
    return round(2.0 * np.pi**2 * ring * tube**2 * DENSITY, 4)


# -- the chain of tori -------------------------------------------------------------------------------------------------

RING, TUBE, LINKS = 0.13, 0.034, 10
STEP = 2.0 * (RING - TUBE)  # between the middles of two links


def torus_chain() -> Figure:
    """Return links of a chain, each a torus that touches the one before on its inner side."""
    top = STEP * LINKS + 0.55
    layout: Layout = ["hanger", *(f"link {k + 1}" for k in range(LINKS))]
    at = np.array([0.0, top, 0.0])
    beam = [
        torus(RING, TUBE, at),
        cylinder((at + [0.0, RING + 0.4 * TUBE, 0.0]).tolist(), (at + [0.0, RING + 0.10, 0.0]).tolist(), 0.016, 0.002),
        planed_box((0.70, 0.05, 0.09), (at + [0.0, RING + 0.12, 0.0]).tolist(), 0.006),
    ]
    parts = [Part("hanger", at.tolist(), (), 8.0, beam, color=WOOD, note="It stays where it is")]
    for k in range(LINKS):
        lines = [
            f"joint type surface on surface link {RING} {TUBE} link {RING} {TUBE} turned 90 "
            f'-180 180 -100 100 -180 180 -100 100 "Ring {k} on" "Tube {k} on" "Ring {k + 1}" "Tube {k + 1}"',
            "damping 0.004",
        ]
        # At zero the joint's frame turns with each link; shapes are given where the parts before them leave them.
        parts.append(
            Part(
                f"link {k + 1}", at.tolist(), (), torus_mass(RING, TUBE), [torus(RING, TUBE, at.tolist())],
                lines=lines, color=(STEEL, STEEL, COOL)[k % 3],
            )  # fmt: skip
        )
    header = (
        "A chain of tori, each touching the next in one point of their inner sides, on which they roll and slide;",
        "after Si & Guenter (2013), figure 1. Made by skeletons/making/make_mechanisms.py.",
    )
    return Figure("torus chain", header, layout, parts)


FIGURES = (torus_chain,)


def main(arguments: Sequence[str]) -> None:
    """Write the files into the folder that is given, or among the bundled ones."""
    folder = Path(arguments[0]) if arguments else bundled_folder() / "mechanisms"
    for make in FIGURES:
        make().write(folder)


if __name__ == "__main__":
    main(sys.argv[1:])

_ = Array
