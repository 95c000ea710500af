"""Makes the bundled workbench: ``joints.scr`` and the polygon files in ``joints/``.

Run ``python -m skeletons.making.make_joints [FOLDER]`` from the repository's root. A bench with one joint of every type
that a skeleton file can have, each to be dragged: the figure to see what the types do. Shapes and ranges are ours.

World: y up, the front of the bench faces +z, the ground is y = 0.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core.formats import bundled_folder
from core.joints import SplineCurve, SplineSurface
from core.skeleton import Mesh
from core.skeleton.control_frames import curve_from_controls
from core.skeleton.shapes import ellipsoid, loft, tapered
from skeletons.making.figure import Figure, Layout, Part, number
from skeletons.making.shaping.loft import Array
from skeletons.making.shaping.turned import cylinder, lathe, planed_box

WOOD = (0.72, 0.60, 0.46)
STEEL = (0.62, 0.65, 0.68)
WARM = (0.88, 0.53, 0.30)
COOL = (0.36, 0.62, 0.72)
LEAF = (0.47, 0.66, 0.42)
SAND = (0.87, 0.74, 0.48)

TOP, SHELF = 0.14, 0.30  # heights of the bench and of the step at its back, [m]
FRONT, BACK = 0.17, -0.24
PITCH, WIDE = 0.31, 0.35  # between the joints in front and at the back
RAIL, WIRE = 0.007, 0.005  # radii of the rod that the cart rolls on and of the one that runs through the bead, [m]
BEYOND = 0.8  # how far the wire goes on beyond the bead's way, in spans
FLAT = (-90.0, 0.0, 0.0)  # x stays, y points to the back, z up

LAYOUT: Layout = [
    "bench",
    (
        "Hinges and slides",
        [
            ("Fixed", ["fixed"]),
            ("Revolute", ["revolute"]),
            ("Prismatic", ["prismatic"]),
            ("Planar", ["planar"]),
            ("Translational", ["translational"]),
            ("Universal", ["universal"]),
            ("Spherical", ["spherical"]),
            ("Euler", ["euler"]),
        ],
    ),
    (
        "Several at once",
        [
            ("Composite", ["composite"]),
            ("Free in a plane", ["free in a plane"]),
            ("Free", ["free"]),
            ("Orbit", ["orbit"]),
        ],
    ),
    ("Splines", [("Loop", ["loop"]), ("Wire", ["wire"]), ("Dune", ["dune"])]),
]


def station(place: int, row: str) -> Array:
    """Return where a joint stands on the bench, world, shape (3,)."""
    if row == "front":
        return np.array([PITCH * (place - 3.5), TOP, FRONT])
    return np.array([WIDE * (place - 3.0) - 0.02, SHELF, BACK])


def by(x: float, y: float, z: float) -> Array:
    """Return how far to go along x, y and z, shape (3,)."""
    return np.array([x, y, z])


def loop_controls() -> Array:
    """Return the control frames of the closed track, places and angles, [m] and [deg]: z along it, begun in front."""
    rows = []
    for turn in 2.0 * np.pi * (np.arange(8) + 1.0) / 8.0:
        place = [0.14 * np.cos(turn), 0.10 + 0.04 * np.cos(2.0 * turn), 0.15 * np.sin(turn)]
        # The curve blends angles more than places: these make its frames point along it.
        rows.append([*place, 50.0 * np.sin(2.0 * turn), -np.degrees(turn), 0.0])
    return np.round(rows, 4) + 0.0


def wire_controls() -> Array:
    """Return the control frames of the open wire, which roll on their way: -x along it, from its high end down."""
    rows = []
    for k, part in enumerate(np.linspace(1.0, -1.0, 7)):
        slope = np.degrees(np.arctan(1.45 * np.cos(2.6 * part)))
        rows.append([0.16 * part, 0.17 + 0.07 * np.sin(2.6 * part), 0.0, 20.0 * k, 0.0, slope])
    return np.round(rows, 4) + 0.0


def dune_frames() -> Array:
    """Return the control frames of the surface, row by row, shape (5, 5, 6): y stands on it."""
    frames = np.zeros((5, 5, 6))
    for i, x in enumerate(np.linspace(-0.21, 0.21, 5)):
        for j, z in enumerate(np.linspace(0.22, -0.22, 5)):
            height = 0.09 + 0.06 * np.cos(9.0 * x) * np.cos(7.0 * z)
            slope_x = -0.54 * np.sin(9.0 * x) * np.cos(7.0 * z)
            slope_z = -0.42 * np.cos(9.0 * x) * np.sin(7.0 * z)
            frames[i, j] = [x, height, z, -np.degrees(np.arctan(slope_z)), 0.0, np.degrees(np.arctan(slope_x))]
    return np.round(frames, 4) + 0.0


def frame_lines(frames: Array) -> list[str]:
    """Return the ``frame`` lines of control frames, shape (m, 6)."""
    return ["frame " + " ".join(number(value, 4) for value in row) for row in frames]


def rail(curve: SplineCurve, place: Array, radius: float) -> Mesh:
    """Return a rod whose middle is the way of a curve; one that is open goes on a little beyond its ends."""
    turn = 2.0 * np.pi * np.arange(10) / 10.0
    section = radius * np.stack([np.cos(turn), np.sin(turn), np.zeros(10)], axis=1)
    beyond = 0.0 if curve.closed else BEYOND
    if not curve.closed:  # runs along x, not z
        section = section[:, [2, 1, 0]]
    rings = []
    for span in np.linspace(-beyond, curve.segments + beyond, 65):
        X = curve.transform([span])
        rings.append(place + section @ X[:3, :3].T + X[:3, 3])
    return loft(np.array(rings), rings[0].mean(axis=0), rings[-1].mean(axis=0))


def posts(curve: SplineCurve, place: Array, spans: Sequence[float], radius: float) -> list[Mesh]:
    """Return what holds a rail up at some places of its way."""
    found = []
    for span in spans:
        end = place + curve.transform([span])[:3, 3]
        found.append(cylinder([end[0], place[1], end[2]], end.tolist(), radius, sides=12))
    return found


def dune_body(place: Array) -> Mesh:
    """Return the solid under the surface, which goes on a little beyond the way of the puck."""
    surface = SplineSurface(dune_values())
    rows = []
    spans = np.linspace(-0.35, 2.35, 28)
    for u in spans:
        top = np.array([surface.transform([u, v])[:3, 3] for v in spans])
        rows.append(place + np.vstack([top, top[[-1, 0]] * [1.0, 0.0, 1.0]]))
    rings = np.array(rows)
    return loft(rings, rings[0].mean(axis=0), rings[-1].mean(axis=0))


def bead(place: Array, hole: float, radius: float, width: float) -> Mesh:
    """Return a disk about x with a hole, its rims planed off."""
    edge, sides = 0.3 * (radius - hole), 28
    around = 2.0 * np.pi * np.arange(sides) / sides
    outline = [(-width, hole), (-width, radius - edge), (edge - width, radius),
               (width - edge, radius), (width, radius - edge), (width, hole)]  # fmt: skip
    rings = [place + np.stack([np.full(sides, x), r * np.cos(around), r * np.sin(around)], 1) for x, r in outline]
    faces = []
    for i in range(len(rings)):
        j = (i + 1) % len(rings)
        for k in range(sides):
            m = (k + 1) % sides
            faces.append((i * sides + k, i * sides + m, j * sides + m, j * sides + k))
    fans = [(p[0], p[i], p[i + 1]) for p in faces for i in (1, 2)]
    return Mesh(np.vstack(rings), np.array(fans, dtype=np.int32), tuple(faces))


def dune_values() -> Array:
    """Return the control values of the surface, shape (6, 5, 5), [m] and [rad]."""
    values = np.moveaxis(dune_frames(), 2, 0).copy()
    values[3:] = np.radians(values[3:])
    return values


def knob(place: Array, height: float, radius: float = 0.022) -> list[Mesh]:
    """Return a rod that stands up, and a ball on it to grab."""
    end = place + by(0.0, height, 0.0)
    return [cylinder(place.tolist(), end.tolist(), 0.35 * radius, sides=12), ellipsoid([radius] * 3, end, 16)]


def bench() -> Part:
    """Return the bench with all that does not move."""
    width = 8 * PITCH + 0.08
    meshes = [
        planed_box((width, 0.05, 0.86), (0.0, TOP - 0.025, -0.06), 0.006),
        planed_box((width, SHELF - TOP, 0.46), (0.0, 0.5 * (SHELF + TOP), -0.26), 0.006),
    ]
    for x in (-1.0, 0.0, 1.0):
        for z in (-0.40, 0.28):
            meshes.append(planed_box((0.08, TOP - 0.05, 0.08), (x * (0.5 * width - 0.09), 0.5 * TOP - 0.025, z), 0.004))
    meshes.append(planed_box((0.30, 0.016, 0.03), (station(2, "front") + by(0.0, 0.008, 0.0)).tolist(), 0.003))
    loop, wire = (curve_from_controls(*told) for told in ((loop_controls(), True), (wire_controls(), False)))
    at, on = station(4, "back"), station(5, "back")
    meshes += [rail(loop, at, RAIL), *posts(loop, at, (0.0, 2.0, 4.0, 6.0), 0.8 * RAIL)]
    meshes += [rail(wire, on, WIRE), *posts(wire, on, (-BEYOND, wire.segments + BEYOND), 1.2 * WIRE)]
    meshes.append(dune_body(station(6, "back")))
    return Part("bench", (0.0, 0.0, 0.0), (), 60.0, meshes, color=WOOD, note="The root stands still: it cannot turn")


def front_row() -> list[Part]:
    """Return the joints made of hinges and slides."""
    at = [station(place, "front") for place in range(8)]
    up = np.array([0.0, 1.0, 0.0])
    table = at[1] + 0.03 * up
    parts = [
        Part("fixed", at[0].tolist(), (), 0.8, [planed_box((0.12, 0.12, 0.12), (at[0] + 0.06 * up).tolist(), 0.008)],
             lines=["joint type fixed"], color=STEEL),
        Part("revolute", table.tolist(), (), 0.6,
             [cylinder((table - 0.03 * up).tolist(), table.tolist(), 0.11, 0.006),
              *knob(table + by(0.08, 0.0, 0.0), 0.07)],
             lines=['joint type revolute y -170 170 "Turntable"'], color=WARM,
             tip=(table + by(0.08, 0.07, 0.0)).tolist()),
        Part("prismatic", (at[2] + 0.016 * up).tolist(), (), 0.4,
             [planed_box((0.07, 0.04, 0.06), (at[2] + 0.036 * up).tolist(), 0.004), *knob(at[2] + 0.05 * up, 0.06)],
             lines=['joint type prismatic x -0.11 0.11 "Slider"'], color=COOL),
        Part("planar", at[3].tolist(), (), 0.3,
             [cylinder(at[3].tolist(), (at[3] + 0.025 * up).tolist(), 0.05, 0.004), *knob(at[3] + 0.02 * up, 0.06)],
             orientation=FLAT, lines=['joint type planar -0.1 0.1 -0.1 0.1 "Puck right" "Puck back"'], color=LEAF),
        Part("translational", at[4].tolist(), (), 0.4,
             [planed_box((0.09, 0.09, 0.09), (at[4] + 0.045 * up).tolist(), 0.006)],
             lines=['joint type translational -0.1 0.1 0 0.2 -0.1 0.1 "Crate right" "Crate up" "Crate front"'],
             color=SAND),
        Part("universal", (at[5] + 0.03 * up).tolist(), (), 0.3,
             [ellipsoid([0.045, 0.03, 0.045], at[5] + 0.03 * up, 20), *knob(at[5] + 0.03 * up, 0.17, 0.03)],
             orientation=FLAT, lines=['joint type universal -35 35 -35 35 "Stick to you" "Stick right"'], color=WARM),
        Part("spherical", (at[6] + 0.05 * up).tolist(), (), 0.4,
             [ellipsoid([0.05] * 3, at[6] + 0.05 * up, 20),
              tapered(at[6] + 0.05 * up, at[6] + 0.22 * up, [0.02, 0.02], [0.012, 0.012], 12),
              planed_box((0.10, 0.03, 0.03), (at[6] + 0.23 * up).tolist(), 0.004)],
             lines=["joint type spherical -60 60 -150 150 -60 60"], color=COOL),
        Part("euler", (at[7] + 0.09 * up).tolist(), (), 0.4,
             [cylinder(at[7].tolist(), (at[7] + 0.07 * up).tolist(), 0.016, sides=14),
              planed_box((0.08, 0.06, 0.11), (at[7] + 0.10 * up).tolist(), 0.006),
              lathe((at[7] + by(0.0, 0.10, 0.05)).tolist(), (at[7] + by(0.0, 0.10, 0.10)).tolist(),
                    [(0.0, 0.022), (0.7, 0.024), (1.0, 0.03)])],
             lines=['joint type spherical euler yxz -180 180 -40 60 -45 45 "Camera pan" "Camera tilt" "Camera roll"'],
             color=STEEL, tip=(at[7] + by(0.0, 0.10, 0.10)).tolist()),
    ]  # fmt: skip
    return parts


def back_row() -> list[Part]:
    """Return the joints that do several things at once, and the splines."""
    at = [station(place, "back") for place in range(7)]
    up = np.array([0.0, 1.0, 0.0])
    glider = at[2] + 0.2 * up
    moon = at[3] + 0.2 * up
    parts = [
        Part("composite", at[0].tolist(), (), 0.7,
             [cylinder(at[0].tolist(), (at[0] + 0.2 * up).tolist(), 0.022, sides=16),
              planed_box((0.03, 0.03, 0.2), (at[0] + by(0.0, 0.2, 0.09)).tolist(), 0.004),
              ellipsoid([0.024] * 3, at[0] + by(0.0, 0.2, 0.2), 16)],
             lines=["joint type composite", 'hinge y -120 120 "Crane turn"', 'slide y 0 0.12 "Crane lift"',
                    'hinge x -20 30 "Crane dip"'], color=WARM, tip=(at[0] + by(0.0, 0.2, 0.2)).tolist()),
        Part("free in a plane", (at[1] + 0.14 * up).tolist(), (), 0.2,
             [planed_box((0.16, 0.035, 0.02), (at[1] + 0.14 * up).tolist(), 0.004),
              ellipsoid([0.024] * 3, at[1] + by(0.08, 0.14, 0.0), 16)],
             lines=['joint type free 2d -0.08 0.08 -0.08 0.1 -180 180 "Plate right" "Plate up" "Plate turn"'],
             color=LEAF, tip=(at[1] + by(0.08, 0.14, 0.0)).tolist()),
        Part("free", glider.tolist(), (), 0.2,
             [tapered(glider - by(0.0, 0.0, 0.08), glider + by(0.0, 0.0, 0.08), [0.012, 0.012], [0.02, 0.02], 14),
              planed_box((0.24, 0.008, 0.05), (glider + by(0.0, 0.01, 0.02)).tolist(), 0.002),
              planed_box((0.09, 0.006, 0.03), (glider + by(0.0, 0.01, -0.08)).tolist(), 0.002)],
             lines=["joint type free"], color=COOL),
        Part("orbit", moon.tolist(), (), 0.2,
             [tapered(moon, moon + by(0.1, 0.0, 0.0), [0.006, 0.006], [0.006, 0.006], 10),
              ellipsoid([0.035] * 3, moon + by(0.12, 0.0, 0.0), 18)],
             lines=["joint type free rotation first"], color=SAND, tip=(moon + by(0.12, 0.0, 0.0)).tolist()),
        Part("loop", at[4].tolist(), (), 0.2,
             [planed_box((0.05, 0.03, 0.08), (at[4] + by(0.0, RAIL + 0.026, 0.0)).tolist(), 0.006),
              *[cylinder((at[4] + by(-0.009, RAIL + 0.0115, z)).tolist(),
                         (at[4] + by(0.009, RAIL + 0.0115, z)).tolist(), 0.012, 0.002) for z in (-0.024, 0.024)],
              ellipsoid([0.018] * 3, at[4] + by(0.0, RAIL + 0.05, 0.0), 14)],
             lines=['joint type spline curve closed "Round the loop"', *frame_lines(loop_controls())], color=WARM),
        Part("wire", at[5].tolist(), (), 0.1,
             [bead(at[5], 1.7 * WIRE, 0.032, 0.013), ellipsoid([0.013] * 3, at[5] + by(0.0, 0.036, 0.0), 14)],
             lines=['joint type spline curve open "Along the wire"', *frame_lines(wire_controls())], color=COOL),
        Part("dune", at[6].tolist(), (), 0.2,
             [lathe((at[6] - 0.002 * up).tolist(), (at[6] + 0.02 * up).tolist(), [(0.0, 0.032), (1.0, 0.028)], 20),
              *knob(at[6] + 0.015 * up, 0.05, 0.016)],
             lines=['joint type spline surface 5 5 "Over the dune" "Along the dune"',
                    *frame_lines(dune_frames().reshape(-1, 6))], color=LEAF),
    ]  # fmt: skip
    return parts


def figure() -> Figure:
    """Return the whole bench."""
    header = (
        "A workbench with one joint of every type; made by skeletons/making/make_joints.py.",
        "Drag each part: what moves shows what its joint can do.",
    )
    return Figure("joints", header, LAYOUT, [bench(), *front_row(), *back_row()])


def main(arguments: Sequence[str]) -> None:
    """Write the files into the folder that is given, or among the bundled ones."""
    figure().write(Path(arguments[0]) if arguments else bundled_folder())


if __name__ == "__main__":
    main(sys.argv[1:])
