"""Makes the bundled table of formulas: ``formulas.scr`` and the polygon files in ``formulas/``.

Run ``python -m skeletons.making.make_formulas [FOLDER]`` from the repository's root. A table with joints that are
written as expressions: curves, surfaces and linkages that no other type of joint has. Shapes and ranges are ours.

World: y up, the front of the table faces +z, the ground is y = 0.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core.formats import bundled_folder
from core.joints import JointModel
from core.skeleton import Mesh, read_scr
from core.skeleton.shapes import ellipsoid, loft, tapered
from skeletons.making.figure import Figure, Layout, Part
from skeletons.making.make_joints import COOL, LEAF, SAND, STEEL, WARM, WOOD, bead, by, knob
from skeletons.making.shaping.loft import Array
from skeletons.making.shaping.turned import cylinder, lathe, planed_box

TOP = 0.14  # height of the table, [m]
FRONT, BACK = 0.20, -0.22
ROD = 0.006  # radius of rails, [m]
IVORY = (0.90, 0.86, 0.76)

LAYOUT: Layout = [
    "table",
    ("Along a curve", [("Bead", ["bead"]), ("Slide", ["slide"]), ("Wheel", ["wheel"])]),
    ("On a surface", [("Saddle", ["puck"]), ("Rib cage", ["scapula"])]),
    ("Linkages", [("Four-bar linkage", ["coupler"]), ("Knee", ["shin"])]),
]
BEAD = [
    "joint type expression",
    'coordinates round deg "Round the ring"',
    "let a 16 cm",
    "let b 10 cm",
    "translate a*cos(round) 0.14+0.03*sin(2*round) b*sin(round)",
    "rotate y atan2(-b*cos(round),-a*sin(round))",
    "rotate z atan2(0.06*cos(2*round),sqrt((a*sin(round))^2+(b*cos(round))^2))",
]
"""The bead's x runs along the ring."""
SLIDE = [
    "joint type expression",
    'coordinates down deg 0 900 "Down the slide"',
    "let wide 0.04 + 0.008*down",
    "translate wide*cos(down) 0.40-0.023*down wide*sin(down)",
    "rotate -y down",
]
WHEEL = [
    "joint type expression",
    'coordinates roll deg -120 120 "Roll"',
    "let radius 7 cm",
    "translate radius*roll radius 0",
    "rotate -z roll",
]
PUCK = [
    "joint type expression",
    'coordinates right m -0.14 0.14 "Saddle right"',
    'coordinates front m -0.14 0.14 "Saddle front"',
    "let bend 3.5",
    "let tilt atan(2*bend*right)",
    "translate right 0.12+bend*(right^2-front^2) front",
    "rotate z tilt",
    "rotate x atan(2*bend*front*cos(tilt))",
]
SCAPULA = [
    "joint type expression",
    'coordinates out deg -50 50 "Scapula out"',
    'coordinates up deg -30 40 "Scapula up"',
    'coordinates spin deg -40 40 "Scapula spin"',
    "let a 0.14  # half the width, height and depth of the rib cage",
    "let b 0.20",
    "let c 0.10",
    "let x a*cos(up)*sin(out)",
    "let y b*sin(up)",
    "let z c*cos(up)*cos(out)",
    "translate x y z",
    "rotate y atan2(x/a^2,z/c^2)",
    "rotate -x atan2(y/b^2,sqrt((x/a^2)^2+(z/c^2)^2))",
    "rotate z spin",
]
"""Its z stands on the rib cage."""
COUPLER = [
    "joint type expression",
    'coordinates crank deg "Crank"',
    "let ground 0.16  # between the pivots of the crank and of the rocker",
    "let arm 0.05",
    "let bar 0.15",
    "let rocker 0.11",
    "let x ground - arm*cos(crank)",
    "let y -arm*sin(crank)",
    "let apart sqrt(x^2 + y^2)",
    "translate arm*cos(crank) arm*sin(crank) 0",
    "rotate z atan2(y,x) + acos((apart^2+bar^2-rocker^2)/(2*apart*bar))",
]
"""The coupler's x runs along the bar, from the crank's pin to the rocker's."""
GROUND, ARM, BAR, ROCKER = 0.16, 0.05, 0.15, 0.11
SHIN = [
    "joint type expression",
    'coordinates bend deg 0 140 "Knee bend"',
    "let roll 18 mm  # how far the axis wanders back as the thighbone rolls and slides on the shin",
    "translate 0 roll*(1-cos(bend))/2 -roll*sin(bend/2)",
    "rotate x bend",
]


def station(place: int, row: str) -> Array:
    """Return where a joint stands on the table, world, shape (3,)."""
    return np.array(
        [0.46 * (place - 1.5) if row == "front" else 0.56 * (place - 1.0), TOP, FRONT if row == "front" else BACK]
    )


def model_of(lines: Sequence[str]) -> JointModel:
    """Return the joint that some lines write."""
    text = 'define skeleton "s"\njoint "a"\nend skeleton\ndefine joint "a"\n' + "\n".join(lines) + "\nend joint\n"
    model = read_scr(text).joints[0].type
    assert model is not None
    return model


def rail(lines: Sequence[str], place: Array, low: float, high: float, drop: Array, closed: bool = False) -> Mesh:
    """Return a rod along the way of a joint's origin, or beside it.

    Args:
        lines: The joint's.
        place: Where it stands, shape (3,), [m].
        low: Coordinate where the rod begins.
        high: Where it ends.
        drop: How far beside the origin, in the part's axes, shape (3,), [m].
        closed: Whether the end is the beginning.
    """
    model, count = model_of(lines), 145
    frames = np.array([model.transform([value]) for value in np.linspace(low, high, count)])
    points = place + frames[:, :3, 3] + frames[:, :3, :3] @ drop
    along = np.gradient(points, axis=0)
    if closed:
        along[[0, -1]] = points[1] - points[-2]
    along /= np.linalg.norm(along, axis=1)[:, None]
    turn = 2.0 * np.pi * np.arange(10) / 10.0
    side = np.cross(along, [0.0, 1.0, 0.0])
    side /= np.linalg.norm(side, axis=1)[:, None]
    up = np.cross(side, along)
    rings = points[:, None] + ROD * (np.cos(turn)[:, None] * side[:, None] + np.sin(turn)[:, None] * up[:, None])
    return loft(rings, points[0], points[-1])


def saddle(place: Array) -> Mesh:
    """Return the solid under the puck, which goes on a little beyond its way."""
    model, rows = model_of(PUCK), []
    values = np.linspace(-0.165, 0.165, 23)
    for x in values:
        top = np.array([model.transform([x, z])[:3, 3] for z in values])
        rows.append(place + np.vstack([top, top[[-1, 0]] * [1.0, 0.0, 1.0]]))
    rings = np.array(rows)
    return loft(rings, rings[0].mean(axis=0), rings[-1].mean(axis=0))


def table() -> Part:
    """Return the table with all that does not move."""
    meshes = [planed_box((1.92, 0.05, 0.90), (0.0, TOP - 0.025, 0.0), 0.006)]
    for x in (-0.88, 0.88):
        for z in (-0.38, 0.38):
            meshes.append(planed_box((0.07, TOP - 0.05, 0.07), (x, 0.5 * TOP - 0.025, z), 0.004))
    ring, spiral, lane, cloth = (station(place, "front") for place in range(4))
    meshes.append(rail(BEAD, ring, 0.0, 2.0 * math.pi, np.zeros(3), closed=True))
    bead_model = model_of(BEAD)
    for turn in np.radians([0.0, 90.0, 180.0, 270.0]):
        end = ring + bead_model.transform([turn])[:3, 3]
        meshes.append(cylinder([end[0], TOP, end[2]], end.tolist(), 0.8 * ROD, sides=12))
    meshes.append(rail(SLIDE, spiral, -0.3, math.radians(930.0), by(0.0, -0.018, 0.0)))
    meshes.append(cylinder(spiral.tolist(), (spiral + by(0.0, 0.42, 0.0)).tolist(), 0.012, sides=16))
    meshes.append(planed_box((0.42, 0.012, 0.05), (lane - by(0.0, 0.005, 0.0)).tolist(), 0.003))
    meshes.append(saddle(cloth))
    cage, link, leg = (station(place, "back") for place in range(3))
    middle = cage + by(0.0, 0.24, 0.0)
    meshes.append(ellipsoid([0.14, 0.20, 0.10], middle, 32))
    meshes.append(cylinder(cage.tolist(), (cage + by(0.0, 0.06, 0.0)).tolist(), 0.05, sides=20))
    crank, pivot = link + by(-0.08, 0.16, 0.0), link + by(-0.08 + GROUND, 0.16, 0.0)
    for at in (crank, pivot):
        meshes.append(cylinder([at[0], TOP, at[2] - 0.03], (at + by(0.0, 0.0, -0.03)).tolist(), 0.010, sides=14))
        meshes.append(
            cylinder((at + by(0.0, 0.0, -0.04)).tolist(), (at + by(0.0, 0.0, 0.004)).tolist(), 0.012, sides=16)
        )
    hip, knee = leg + by(0.0, 0.62, 0.0), leg + by(0.0, 0.36, 0.0)
    meshes.append(planed_box((0.03, 0.66, 0.03), (leg + by(0.14, 0.33, 0.0)).tolist(), 0.004))
    meshes.append(planed_box((0.17, 0.03, 0.03), (leg + by(0.07, 0.645, 0.0)).tolist(), 0.004))
    meshes.append(tapered(hip, knee + by(0.0, 0.03, 0.0), [0.022, 0.022], [0.020, 0.020], 16))
    meshes.append(ellipsoid([0.034, 0.030, 0.038], knee + by(0.0, 0.026, 0.0), 20))
    return Part("table", (0.0, 0.0, 0.0), (), 60.0, meshes, color=WOOD, note="The root stands still: it cannot turn")


def parts() -> list[Part]:
    """Return all that moves; shapes are given where the part's frame is the joint's."""
    ring, spiral, lane, cloth = (station(place, "front") for place in range(4))
    cage, link, leg = (station(place, "back") for place in range(3))
    middle, crank, knee = cage + by(0.0, 0.24, 0.0), link + by(-0.08, 0.16, 0.0), leg + by(0.0, 0.36, 0.0)
    blade = loft(
        np.array([
            middle + [[x, y, z + 0.006 * k] for x, y in ((-0.03, 0.05), (0.03, 0.06), (0.05, 0.03), (0.0, -0.07))]
            for k, z in ((0, 0.004), (1, 0.006))
        ]),
        middle + by(0.01, 0.02, 0.004), middle + by(0.01, 0.02, 0.012),
    )  # fmt: skip
    rim = lathe(
        (lane - by(0.0, 0.0, 0.012)).tolist(), (lane + by(0.0, 0.0, 0.012)).tolist(), [(0.0, 0.07), (1.0, 0.07)], 36
    )
    return [
        Part("bead", ring.tolist(), (), 0.1,
             [bead(ring, 1.7 * ROD, 0.034, 0.014), ellipsoid([0.014] * 3, ring + by(0.0, 0.038, 0.0), 14)],
             lines=BEAD, color=WARM, note="An ellipse that rises and falls, and its tangent"),
        Part("slide", spiral.tolist(), (), 0.1,
             [ellipsoid([0.018] * 3, spiral, 18), ellipsoid([0.011] * 3, spiral + by(0.0, 0.024, 0.0), 14)],
             lines=SLIDE, color=COOL, note="A spiral that grows wider on its way down"),
        Part("wheel", lane.tolist(), (), 0.4,
             [rim, ellipsoid([0.012] * 3, lane + by(0.0, 0.045, 0.014), 14)],
             lines=WHEEL, color=SAND, note="Rolls on its lane and never slips"),
        Part("puck", cloth.tolist(), (), 0.2,
             [lathe((cloth - by(0.0, 0.002, 0.0)).tolist(), (cloth + by(0.0, 0.018, 0.0)).tolist(),
                    [(0.0, 0.030), (1.0, 0.026)], 20), *knob(cloth + by(0.0, 0.014, 0.0), 0.05, 0.015)],
             lines=PUCK, color=LEAF, note="Stands upright on the saddle wherever it goes"),
        Part("scapula", middle.tolist(), (), 0.2, [blade, ellipsoid([0.012] * 3, middle + by(0.045, 0.045, 0.014), 14)],
             lines=SCAPULA, color=IVORY, note="Lies flat on an ellipsoid and turns there"),
        Part("coupler", crank.tolist(), (), 0.3,
             [planed_box((BAR + 0.02, 0.018, 0.008), (crank + by(0.5 * BAR, 0.0, 0.012)).tolist(), 0.002),
              planed_box((0.014, 0.09, 0.008), (crank + by(0.5 * BAR, 0.045, 0.012)).tolist(), 0.002),
              ellipsoid([0.014] * 3, crank + by(0.5 * BAR, 0.10, 0.012), 16),
              *[cylinder((crank + by(x, 0.0, 0.0)).tolist(), (crank + by(x, 0.0, 0.02)).tolist(), 0.009, sides=16)
                for x in (0.0, BAR)]],
             lines=COUPLER, color=STEEL, tip=(crank + by(BAR, 0.0, 0.024)).tolist(),
             note="The bar between a crank and a rocker, whose lengths are these"),
        Part("shin", knee.tolist(), (), 0.5,
             [tapered(knee - by(0.0, 0.012, 0.0), knee - by(0.0, 0.26, 0.0), [0.026, 0.026], [0.014, 0.014], 16),
              planed_box((0.05, 0.022, 0.12), (knee - by(0.0, 0.27, -0.03)).tolist(), 0.004)],
             lines=SHIN, color=IVORY, tip=(knee - by(0.0, 0.27, -0.08)).tolist(),
             note="A knee, whose axis wanders as it bends"),
    ]  # fmt: skip


def figure() -> Figure:
    """Return the whole table."""
    header = (
        "Parts whose joints are written as expressions; made by skeletons/making/make_formulas.py.",
        "Drag each part: the lines of its joint say where it can go.",
    )
    return Figure("formulas", header, LAYOUT, [table(), *parts()])


def main(arguments: Sequence[str]) -> None:
    """Write the files into the folder that is given, or among the bundled ones."""
    figure().write(Path(arguments[0]) if arguments else bundled_folder())


if __name__ == "__main__":
    main(sys.argv[1:])
