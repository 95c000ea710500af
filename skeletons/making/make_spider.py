"""Makes the bundled spider: ``spider.scr`` and the polygon files in ``spider/``.

Run ``python -m skeletons.making.make_spider [FOLDER]`` from the repository's root. A big one: body 13 cm, 40 cm over
the legs, 90 g. Eight legs of five joints each; the first pair reaches forward, the last one back. Lengths and ranges
are ours, after drawings of tarantulas.

World: y up, the spider faces +z, its left is +x, the ground is y = 0. In its bind pose it stands as it rests.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core.formats import bundled_folder
from core.skeleton import Mesh
from core.skeleton.shapes import ellipsoid, loft, section_axes, tapered
from skeletons.making.figure import Figure, Layout, Motion, Part
from skeletons.making.shaping.loft import Array

BROWN = (0.60, 0.52, 0.45)
DARK = (0.36, 0.32, 0.29)
EYE = (0.13, 0.12, 0.12)
FANG = (0.26, 0.20, 0.18)

HEIGHT = 0.062  # of the body's middle
# For each leg: direction from straight ahead [deg], where it leaves the body (along z), how far it reaches.
LEGS = ((38.0, 0.026, 1.08), (72.0, 0.011, 0.94), (108.0, -0.005, 0.92), (146.0, -0.020, 1.12))
# A leg of reach 1 in its own plane: (outward from the body's middle, height) of its joints and its tip, [m].
JOINTS = ((0.024, 0.058), (0.042, 0.058), (0.090, 0.108), (0.128, 0.096), (0.170, 0.026), (0.188, 0.0))
NAMES = ("coxa", "femur", "patella", "tibia", "tarsus")
RADII = (0.0105, 0.0100, 0.0082, 0.0072, 0.0046, 0.0026)
MASSES = (0.8, 1.1, 0.5, 0.6, 0.2)  # [g]


def layout_leg(side: str, number: int) -> Layout:
    """Return the layout of one leg."""
    return (f"{side.capitalize()} leg {number}", [f"{side} {name} {number}" for name in NAMES])


LAYOUT: Layout = [
    "body",
    ("Head", ["eyes", *((f"{side.capitalize()} feeler", [f"{side} feeler", f"{side} feeler tip"])
                        for side in ("right", "left")),
              *((f"{side.capitalize()} jaw", [f"{side} jaw", f"{side} fang"]) for side in ("right", "left"))]),
    ("Abdomen", ["waist", "abdomen", ("Spinnerets", ["spinnerets"])]),
    *(layout_leg(side, number) for side in ("right", "left") for number in (1, 2, 3, 4)),
]  # fmt: skip


def egg(middle: Sequence[float], half: Sequence[float], lean: float, sides: int = 18, rings: int = 9) -> Mesh:
    """Return an egg along z, flatter below, its widest place moved by ``lean`` of its half length."""
    angle = np.pi * np.arange(1, rings + 1) / (rings + 1)
    turn = 2.0 * np.pi * np.arange(sides) / sides
    wide = np.sin(angle)[:, None] * (1.0 + lean * np.cos(angle)[:, None])
    points = np.empty((rings, sides, 3))
    points[..., 0] = half[0] * wide * np.cos(turn)
    points[..., 1] = half[1] * wide * np.sin(turn) * np.where(np.sin(turn) < 0.0, 0.8, 1.0)
    points[..., 2] = half[2] * np.cos(angle)[:, None]
    points = points[::-1] + np.asarray(middle)
    end = np.array([0.0, 0.0, half[2]])
    return loft(points, np.asarray(middle) - end, np.asarray(middle) + end)


def limb(places: Sequence[Array], radii: Sequence[float], sides: int = 10) -> Mesh:
    """Return a round limb through several places, closed by half balls."""
    points = [np.asarray(place, dtype=np.float64) for place in places]
    first, last = points[1] - points[0], points[-1] - points[-2]
    first, last = first / np.linalg.norm(first), last / np.linalg.norm(last)
    u, v = section_axes(last, np.cross(first, last) if len(points) > 2 else None)
    turn = 2.0 * np.pi * np.arange(sides) / sides
    circle = np.cos(turn)[:, None] * u + np.sin(turn)[:, None] * v
    rows = [(points[0] - 0.7 * radii[0] * first, 0.7 * radii[0])]
    rows += list(zip(points, radii, strict=True))
    rows += [(points[-1] + 0.7 * radii[-1] * last, 0.7 * radii[-1])]
    rings = np.array([place + radius * circle for place, radius in rows])
    return loft(rings, points[0] - radii[0] * first, points[-1] + radii[-1] * last)


def right_leg(number: int) -> list[Part]:
    """Return the joints of a leg of the right side."""
    heading, along, reach = LEGS[number - 1]
    angle = np.radians(heading)
    out = np.array([-np.sin(angle), 0.0, np.cos(angle)])
    root = np.array([0.0, 0.0, along])
    # The hip stays on the body; the rest of the leg reaches as far as this leg does.
    radial = [JOINTS[0][0]] + [JOINTS[0][0] + (r - JOINTS[0][0]) * reach for r, _ in JOINTS[1:]]
    places = [root + r * out + np.array([0.0, height, 0.0]) for r, (_, height) in zip(radial, JOINTS, strict=True)]
    facing = 90.0 - heading  # of the leg's plane: local -x points outward
    lift = (
        ("Leg lift", -35.0, 50.0),
        ("Femur lift", -40.0, 40.0),
        ("Knee bend", -50.0, 45.0),
        ("Shin bend", -45.0, 50.0),
        ("Foot bend", -40.0, 40.0),
    )
    parts = []
    for k, name in enumerate(NAMES):
        label, low, high = lift[k]
        # Positive lifts in the first two and folds in the others, as the label says.
        motions = [Motion("-z" if k < 2 else "z", low, high, label)]
        if k == 0:
            motions.insert(0, Motion("-y", -32.0, 32.0, "Leg forward"))
        start, end = places[k], places[k + 1]
        middle = 0.5 * (start + end) + np.array([0.0, 0.0015, 0.0])
        swell = 1.08 * 0.5 * (RADII[k] + RADII[k + 1])
        mesh = limb((start, middle, end), (RADII[k], swell, 0.92 * RADII[k + 1]))
        parts.append(
            Part(
                f"right {name} {number}",
                start,
                motions,
                MASSES[k] * 1e-3,
                [mesh],
                orientation=(0.0, facing, 0.0) if k == 0 else (0.0, 0.0, 0.0),
                color=DARK if name in ("patella", "tarsus") else BROWN,
                tip=end + np.array([0.0, 0.0, 0.0]) if name == "tarsus" else None,
            )
        )
    return parts


def head() -> list[Part]:
    """Return eyes, feelers and jaws, the right side for both."""
    front = 0.044
    eyes = [
        ellipsoid(size, (side * x, HEIGHT + y, front + z), 10)
        for x, y, z, size in ((0.004, 0.0145, -0.004, 0.0026), (0.009, 0.013, -0.006, 0.002),
                              (0.0045, 0.0185, -0.010, 0.0018))
        for side in (-1.0, 1.0)
    ]  # fmt: skip
    feeler = (np.array([-0.011, HEIGHT - 0.008, front - 0.006]), np.array([-0.026, HEIGHT + 0.004, front + 0.018]),
              np.array([-0.030, HEIGHT - 0.022, front + 0.040]))  # fmt: skip
    jaw = (np.array([-0.0065, HEIGHT - 0.006, front - 0.008]), np.array([-0.0075, HEIGHT - 0.016, front + 0.012]))
    fang = (jaw[1] + np.array([0.0, -0.002, 0.002]), np.array([-0.006, HEIGHT - 0.034, front + 0.012]))
    return [
        Part("eyes", (0.0, HEIGHT + 0.015, front - 0.006), (), 0.05e-3, eyes, "six of them", color=EYE),
        Part("right feeler", feeler[0], (Motion("-y", -25, 35, "Feeler out"), Motion("-x", -35, 50, "Feeler lift")),
             0.4e-3, [limb(feeler[:2], (0.0058, 0.0046))], color=BROWN),
        Part("right feeler tip", feeler[1], (Motion("x", -60, 50, "Feeler bend"),), 0.25e-3,
             [limb(feeler[1:], (0.0046, 0.0038))], color=DARK, tip=feeler[2]),
        Part("right jaw", jaw[0], (Motion("-x", -10, 35, "Jaw lift"), Motion("-y", -5, 20, "Jaw out")), 0.6e-3,
             [limb(jaw, (0.0068, 0.0062))], color=DARK),
        Part("right fang", fang[0], (Motion("x", -50, 40, "Fang fold"),), 0.1e-3,
             [tapered(fang[0], fang[1], 0.0032, 0.0009, 8)], color=FANG, tip=fang[1]),
    ]  # fmt: skip


def trunk() -> list[Part]:
    """Return the parts in the middle."""
    free = (Motion("y", None, None, "Body turn"), Motion("x", None, None, "Body bend"),
            Motion("-z", None, None, "Body side"))  # fmt: skip
    shield = egg((0.0, HEIGHT, 0.006), (0.030, 0.021, 0.042), 0.12)
    belly = egg((0.0, HEIGHT + 0.012, -0.083), (0.037, 0.034, 0.048), -0.22)
    tail = [tapered((side * 0.008, HEIGHT - 0.002, -0.122), (side * 0.010, HEIGHT - 0.006, -0.140), 0.0045, 0.002, 8)
            for side in (-1.0, 1.0)]  # fmt: skip
    return [
        Part("body", (0.0, HEIGHT, 0.0), free, 18.0e-3, [shield], "head and chest in one; turns freely", color=BROWN),
        Part("waist", (0.0, HEIGHT + 0.002, -0.030), (), 0.5e-3,
             [tapered((0.0, HEIGHT, -0.028), (0.0, HEIGHT + 0.004, -0.044), 0.008, 0.008, 12)], color=DARK),
        Part("abdomen", (0.0, HEIGHT + 0.003, -0.038),
             (Motion("x", -20, 35, "Abdomen lift"), Motion("y", -25, 25, "Abdomen swing")), 40.0e-3, [belly],
             color=BROWN),
        Part("spinnerets", (0.0, HEIGHT, -0.122), (Motion("x", -20, 30, "Spinnerets lift"),), 0.3e-3, tail,
             color=DARK, tip=(0.0, HEIGHT - 0.006, -0.142)),
    ]  # fmt: skip


def figure() -> Figure:
    """Return the spider."""
    legs = [part for number in (1, 2, 3, 4) for part in right_leg(number)]
    header = ("A big spider, 40 cm over its legs, each of which has five joints.", "Made by make_spider.py.")
    return Figure("spider", header, LAYOUT, [*trunk(), *head(), *legs])


def main(words: list[str]) -> int:
    """Write the spider's files."""
    figure().write(Path(words[0]) if words else bundled_folder())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
