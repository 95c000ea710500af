"""Makes the bundled mechanisms: figures whose parts touch along curves and surfaces, in ``mechanisms/``.

Run ``python -m skeletons.making.make_mechanisms [FOLDER]`` from the repository's root. They are after the examples of
Si & Guenter (2013), section 5: a chain of tori, a windmill with a pair of every kind of surface, a chain of tori on a
Bezier curve, and a sled on a Bezier surface. Shapes, sizes and weights are ours. Three bodies with a hinge and a ball
are after Hakenberg's skeleton. Four bars have a loop, and the vertebrae of a spine share one bend.

World: y up, the ground is y = 0. A part that touches another is made at its own origin, in its own frame, since its
place follows from where the two touch: ``place`` is that of the part before it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core.formats import bundled_folder
from core.joints.geometry import BezierCurve, BezierSurface
from core.skeleton import Mesh
from core.skeleton.euler import euler_rotation
from core.skeleton.shapes import ellipsoid, loft, tapered
from skeletons.making.figure import Figure, Layout, Motion, Part, number
from skeletons.making.shaping.loft import Array
from skeletons.making.shaping.turned import cylinder, lathe, planed_box

WOOD = (0.72, 0.60, 0.46)
STEEL = (0.62, 0.65, 0.68)
WARM = (0.88, 0.53, 0.30)
COOL = (0.36, 0.62, 0.72)
LEAF = (0.47, 0.66, 0.42)
SAND = (0.87, 0.74, 0.48)

DENSITY = 900.0  # [kg/m^3]
ORIGIN = np.zeros(3)


def torus(ring: float, tube: float, around: int = 40, sides: int = 16) -> Mesh:
    """Return a torus about z.

    Args:
        ring: From its middle to the middle of its tube, [m].
        tube: Radius of the tube, [m].
        around: Sections round the ring.
        sides: Vertices a section.
    """
    u, v = (2.0 * np.pi * np.arange(count) / count for count in (around, sides))
    out = ring + tube * np.cos(v)
    high = np.broadcast_to(tube * np.sin(v), (around, sides))
    points = np.stack([out * np.cos(u)[:, None], out * np.sin(u)[:, None], high], axis=-1)
    faces = []
    for i in range(around):
        j = (i + 1) % around
        for k in range(sides):
            m = (k + 1) % sides
            faces.append((i * sides + k, j * sides + k, j * sides + m, i * sides + m))
    fans = [(p[0], p[n], p[n + 1]) for p in faces for n in (1, 2)]
    return Mesh(points.reshape(-1, 3), np.array(fans, dtype=np.int32), tuple(faces))


def torus_mass(ring: float, tube: float) -> float:
    """Return the weight of a torus, [kg]."""
    return round(2.0 * np.pi**2 * ring * tube**2 * DENSITY, 3)


def moved(mesh: Mesh, R: Array, place: Sequence[float] | Array = ORIGIN) -> Mesh:
    """Return a mesh turned and then shifted."""
    return Mesh(mesh.vertices @ R.T + np.asarray(place, dtype=np.float64), mesh.triangles, mesh.polygons)


def turn(x: float, y: float, z: float) -> Array:
    """Return the rotation of an ``orientation``, [deg]."""
    return euler_rotation(np.array([x, y, z]))


def by(x: float, y: float, z: float) -> Array:
    """Return how far to go along x, y and z, shape (3,)."""
    return np.array([x, y, z])


def words(values: Array) -> str:
    """Return numbers as a file has them."""
    return " ".join(number(value, 4) for value in np.asarray(values).ravel())


# -- chains of tori ----------------------------------------------------------------------------------------------------


def links(count: int, ring: float, tube: float, place: Array, before: Array, first: str = "link") -> list[Part]:
    """Return links of a chain, each of which touches the one before from inside; at zero it is straight.

    Args:
        count: How many.
        ring: Radius of each, [m].
        tube: Of its tube, [m].
        place: Where the part before them is, world, shape (3,), [m].
        before: Rotation of that part's frame, shape (3, 3): its x points away from where the chain goes on.
        first: What their names begin with.
    """
    parts, R = [], before
    for k in range(1, count + 1):
        # A link touches the one before with what its x points at; the next one touches it on the other side.
        R = R @ turn(0.0, 0.0, 180.0)
        shape = f"link {ring:g} {tube:g}"
        limits = "-100 100 -100 100 -100 100 -100 100"
        labels = f'"{k} along ring" "{k} round tube" "{k} along own ring" "{k} round own tube"'
        parts.append(
            Part(
                f"{first} {k}", place.tolist(), (), torus_mass(ring, tube), [moved(torus(ring, tube), R, place)],
                orientation=(0.0, 0.0, 180.0), color=(STEEL, STEEL, COOL)[k % 3],
                lines=[f"joint type surface on surface {shape} {shape} turned 90 {limits} {labels}", "damping 0.004"],
            )
        )  # fmt: skip
    return parts


RING, TUBE, LINKS = 0.13, 0.034, 10


def torus_chain() -> Figure:
    """Return links of a chain, each a torus that touches the one before on its inner side."""
    at = np.array([0.0, 2.0 * (RING - TUBE) * LINKS + 0.55, 0.0])
    R = turn(0.0, 0.0, 90.0)
    beam = [
        moved(torus(RING, TUBE), R, at),
        cylinder(
            (at + by(0.0, RING + 0.4 * TUBE, 0.0)).tolist(), (at + by(0.0, RING + 0.10, 0.0)).tolist(), 0.016, 0.002
        ),
        planed_box((0.70, 0.05, 0.09), (at + by(0.0, RING + 0.12, 0.0)).tolist(), 0.006),
    ]
    hanger = Part("hanger", at.tolist(), (), 8.0, beam, orientation=(0.0, 0.0, 90.0), color=WOOD,
                  note="It stays where it is")  # fmt: skip
    header = (
        "A chain of tori, each touching the next in one point of their inner sides, on which they roll and slide;",
        "after Si & Guenter (2013), figure 1. Made by skeletons/making/make_mechanisms.py.",
    )
    chain = links(LINKS, RING, TUBE, at, R)
    return Figure("torus chain", header, ["hanger", *(part.name for part in chain)], [hanger, *chain])


# -- the windmill ------------------------------------------------------------------------------------------------------

SHAPES = {
    "sphere": ("sphere 0.11", [0.11] * 3, COOL),
    "ellipsoid": ("ellipsoid 0.16 0.1 0.1", [0.16, 0.1, 0.1], LEAF),
    "torus": ("torus 0.12 0.045", [0.165] * 2, WARM),
}
"""What stands in the file, half its size along x, y and z, and its colour."""
ARMS = (("sphere", "torus", "ellipsoid"), ("ellipsoid", "torus", "torus"))
HUB, REACH = 1.75, 0.30  # height of the axle, and from there to the knobs that the arms begin with, [m]


def solid(name: str, R: Array, place: Array) -> Mesh:
    """Return a part of an arm."""
    text, half, _ = SHAPES[name]
    if name == "torus":
        ring, tube = (float(word) for word in text.split()[1:])
        return moved(torus(ring, tube), R, place)
    return moved(ellipsoid(half, ORIGIN, 28), R, place)


def weight(name: str) -> float:
    """Return what a part of an arm weighs, [kg]."""
    text, half, _ = SHAPES[name]
    if name == "torus":
        ring, tube = (float(word) for word in text.split()[1:])
        return torus_mass(ring, tube)
    return round(4.0 / 3.0 * np.pi * float(np.prod(half)) * DENSITY, 3)


def windmill() -> Figure:
    """Return a wheel whose six arms are rows of balls, eggs and rings that touch each other."""
    axle = np.array([0.0, HUB, 0.12])
    tower = [
        lathe([0.0, 0.0, -0.12], [0.0, HUB - 0.1, -0.12], [(0.0, 0.24), (0.04, 0.2), (1.0, 0.09)], 24),
        ellipsoid([0.13, 0.12, 0.2], [0.0, HUB, -0.10], 24),
        cylinder([0.0, HUB, -0.1], [0.0, HUB, 0.06], 0.035, 0.004),
    ]
    wheel = [
        cylinder([0.0, HUB, 0.06], [0.0, HUB, 0.18], 0.10, 0.012, 32),
        ellipsoid([0.06, 0.06, 0.05], [0.0, HUB, 0.19], 24),
    ]
    parts = [Part("tower", (0.0, 0.0, 0.0), (), 60.0, tower, color=SAND, note="It stays where it is")]
    arms: list[Part] = []
    layout: Layout = ["tower", "wheel"]
    for k in range(6):
        angle = 60.0 * k + 30.0
        R = turn(0.0, 0.0, angle)
        knob = axle + REACH * R[:, 0]
        wheel += [tapered(axle + 0.06 * R[:, 0], knob, 0.026, 0.02, 16), ellipsoid([0.11] * 3, knob, 28)]
        before, names = "sphere", []
        for j, name in enumerate(ARMS[k % 2]):
            spin = angle if j == 0 else 180.0
            R = turn(0.0, 0.0, angle) if j == 0 else R @ turn(0.0, 0.0, 180.0)
            text = f"joint type surface on surface {SHAPES[before][0]} {SHAPES[name][0]} turned 180"
            limits = "-16 16 -12 12 -16 16 -12 12"
            what = f"{k + 1}{'abc'[j]}"
            labels = f'"{what} along" "{what} across" "{what} own along" "{what} own across"'
            # At zero a part's frame is turned by half a turn against the one it touches: shapes are the same so.
            arms.append(
                Part(
                    f"arm {k + 1} {'abc'[j]}", knob.tolist(), (), weight(name), [solid(name, R, knob)],
                    orientation=(0.0, 0.0, spin), color=SHAPES[name][2],
                    lines=[f"{text} {limits} {labels}", "damping 0.3"],
                )
            )  # fmt: skip
            names.append(arms[-1].name)
            before = name
        layout.append((f"Arm {k + 1}", names))
    parts.append(Part("wheel", axle.tolist(), (), 9.0, wheel, lines=['hinge z "Wheel"', "damping 0.05"], color=STEEL))
    header = (
        "A windmill whose arms are rows of parts that touch: a ball on a ball, an egg or a ring on a ball, a ring on a",
        "ring and an egg on a ring; after Si & Guenter (2013), figure 2. Made by skeletons/making/make_mechanisms.py.",
    )
    return Figure("windmill", header, layout, [*parts, *arms], heading=-40.0)


# -- the chain on a curve ----------------------------------------------------------------------------------------------

WAY = np.array(
    [
        [-1.7, 2.15, 0.0],
        [-1.25, 1.55, 0.55],
        [-0.7, 1.05, 0.2],
        [0.0, 1.9, -0.8],
        [0.7, 1.05, 0.2],
        [1.25, 1.55, 0.55],
        [1.7, 2.2, 0.0],
    ]
)
"""Control points of the rail, [m]."""
ROD, BEAD, THIN = 0.022, 0.085, 0.024


def spline_slide() -> Figure:
    """Return a chain of tori whose first one slides along a Bezier curve of 7 points."""
    curve = BezierCurve(WAY)
    X = curve.frames(np.linspace(0.0, 1.0, 81)[:, None])
    around = 2.0 * np.pi * np.arange(12) / 12.0
    section = ROD * np.stack([np.cos(around), np.sin(around), np.zeros(12)], axis=1)
    rings = np.array([section @ frame[:3, :3].T + frame[:3, 3] for frame in X])
    meshes = [loft(rings, X[0, :3, 3], X[-1, :3, 3])]
    for end in (X[0, :3, 3], X[-1, :3, 3]):
        meshes += [
            cylinder([end[0], 0.03, end[2]], end.tolist(), 0.035, 0.004, 24),
            lathe([end[0], 0.0, end[2]], [end[0], 0.05, end[2]], [(0.0, 0.18), (0.7, 0.17), (1.0, 0.1)], 28),
            ellipsoid([0.06] * 3, end, 24),
        ]
    rail = Part("rail", (0.0, 0.0, 0.0), (), 40.0, meshes, color=WOOD, note="It stays where it is")
    carrier = Part(
        "link 1", (0.0, 0.0, 0.0), (), torus_mass(BEAD, THIN), [torus(BEAD, THIN)], color=WARM,
        lines=[f'joint type point on curve bezier {len(WAY)} {words(WAY)} spin 0.03 0.97 -inf inf "Along the rail" '
               '"Round the rail"', "damping 0.02"],
    )  # fmt: skip
    # The rail's frames have y up: the next link hangs from the carrier's lowest point.
    R = turn(0.0, 0.0, 90.0)
    chain = [carrier]
    for k, part in enumerate(links(5, BEAD, THIN, ORIGIN, R, "link")):
        spin = (0.0, 0.0, -90.0) if k == 0 else part.orientation
        lines = [line.replace(f'"{k + 1} ', f'"{k + 2} ') for line in part.lines]
        color = (STEEL, STEEL, COOL)[k % 3]
        chain.append(
            Part(f"link {k + 2}", part.place, (), part.mass, part.meshes, orientation=spin, color=color, lines=lines)
        )
    header = (
        "A chain of tori on a rail: the first slides along a Bezier curve of 7 points, its axis along the curve, and",
        "turns about it; after Si & Guenter (2013), figure 3. Made by skeletons/making/make_mechanisms.py.",
    )
    return Figure("spline slide", header, ["rail", *(part.name for part in chain)], [rail, *chain])


# -- the sled ----------------------------------------------------------------------------------------------------------


THICK = 0.035  # of the slope, [m]


def slope() -> Array:
    """Return the control points of the slope, shape (5, 5, 3), [m]: u goes along z, v along x, so that z is up."""
    rows = []
    for i, z in enumerate(np.linspace(-1.6, 1.6, 5)):
        row = []
        for j, x in enumerate(np.linspace(-1.6, 1.6, 5)):
            bump = {(1, 2): 0.28, (3, 1): 0.24, (2, 3): -0.16}.get((i, j), 0.0)
            height = 0.16 + 0.16 * x * x + 0.13 * z * z + bump
            row.append([x, height, z])
        rows.append(row)
    return np.round(np.array(rows), 3)


def sled() -> Figure:
    """Return a sled with a rider on a Bezier surface of 5 by 5 points."""
    surface = BezierSurface(slope())
    spans = np.linspace(0.0, 1.0, 33)
    rows = []
    for u in spans:
        top = surface.frames(np.stack([np.full(33, u), spans], axis=1))
        below = top[:, :3, 3] - THICK * top[:, :3, 2]
        rows.append(np.vstack([top[:, :3, 3], below[::-1]]))
    rings = np.array(rows)
    ground = loft(rings, rings[0].mean(axis=0), rings[-1].mean(axis=0))
    legs = []
    for u, v in ((0.06, 0.06), (0.06, 0.94), (0.94, 0.06), (0.94, 0.94)):
        x, y, z = surface.places([u, v])
        legs.append(cylinder([x, 0.0, z], [x, y - 0.5 * THICK, z], 0.035, 0.004, 20))
    parts = [Part("slope", (0.0, 0.0, 0.0), (), 90.0, [ground, *legs], color=SAND, note="It stays where it is")]
    # The sled's frame: z is the normal, x its way forward. Shapes with y up are turned into it.
    upright = turn(90.0, 0.0, 90.0)

    def on_sled(mesh: Mesh) -> Mesh:
        return moved(mesh, upright)

    runner = [
        on_sled(planed_box((0.05, 0.03, 0.52), (side * 0.12, 0.016, 0.0), 0.006)) for side in (-1.0, 1.0)
    ] + [on_sled(planed_box((0.34, 0.028, 0.42), (0.0, 0.075, -0.02), 0.006)),
         *(on_sled(planed_box((0.28, 0.04, 0.03), (0.0, 0.045, z), 0.004)) for z in (-0.15, 0.15))]  # fmt: skip
    parts.append(
        Part(
            "sled", (0.0, 0.0, 0.0), (), 6.0, runner, color=WARM,
            lines=[f'joint type point on surface bezier 5 5 {words(slope())} spin 0.04 0.96 0.04 0.96 -inf inf '
                   '"Sled along" "Sled across" "Sled heading"', "damping 0.05"],
        )
    )  # fmt: skip

    def at(x: float, y: float, z: float) -> Array:
        return upright @ np.array([x, y, z])

    def limb(name: str, low: Array, high: Array, radii: tuple[float, float], mass: float, lines: list[str],
             color: tuple[float, float, float], orientation: tuple[float, float, float] = (0.0, 0.0, 0.0),
             extra: Sequence[Mesh] = ()) -> Part:  # fmt: skip
        body = [tapered(low, high, radii[0], radii[1], 18), *extra]
        return Part(
            name, low.tolist(), (), mass, body, lines=lines, color=color, orientation=orientation, tip=high.tolist()
        )

    hips, neck = at(0.0, 0.13, -0.04), at(0.0, 0.50, -0.04)
    parts.append(
        limb("rider", hips, neck, (0.085, 0.10), 9.0,
             ['hinge x -35 35 "Rider bend"', 'hinge z -35 35 "Rider lean"', "stiffness 60 rest 0", "damping 4"], COOL,
             orientation=(90.0, 0.0, 90.0))
    )  # fmt: skip
    head = at(0.0, 0.66, -0.03)
    parts.append(
        limb("head", neck, head, (0.035, 0.03), 2.0,
             ['hinge x -30 30 "Head nod"', 'hinge z -30 30 "Head tilt"', "stiffness 12 rest 0", "damping 0.6"], SAND,
             extra=[on_sled(ellipsoid([0.075, 0.09, 0.085], [0.0, 0.68, -0.03], 24))])
    )  # fmt: skip
    shoulder, hand = at(-0.15, 0.44, -0.04), at(-0.22, 0.16, 0.02)
    parts.append(
        limb("right arm", shoulder, hand, (0.04, 0.03), 1.2,
             ['hinge x -120 60 "Arm swing"', 'hinge z -80 10 "Arm raise"', "damping 0.3"], STEEL)
    )  # fmt: skip
    layout: Layout = [
        "slope",
        "sled",
        ("Rider", ["rider", ("Right arm", ["right arm"]), ("Left arm", ["left arm"]), "head"]),
    ]
    header = (
        "A sled that stays flat on a slope, a Bezier surface of 5 by 5 points, with a rider on it; after Si & Guenter",
        "(2013), figure 4. Made by skeletons/making/make_mechanisms.py.",
    )
    return Figure("sled", header, layout, parts)


# -- three bodies ------------------------------------------------------------------------------------------------------


HIGH, LEVER = 0.6, 0.016  # height of the first body and radius of levers, [m]


def three_bodies() -> Figure:
    """Return three boxes that float, with a hinge between the first two and a ball between the last two."""
    ball = tuple(Motion(axis, None, None, label) for axis, label in zip("yxz", ("turn", "lean", "tilt"), strict=True))
    hinge = (Motion("z", None, None, "hinge"),)

    def body(
        name: str, place: Array, motions: Sequence[Motion], mass: float, size: Array, center: Array,
        joints: Sequence[Array], color: tuple[float, float, float], tip: float | None, note: str,
    ) -> Part:  # fmt: skip
        """Return a box with levers to its joints, all but its place in its own frame."""
        squares = np.square(size)
        inertia = mass / 12.0 * (squares.sum() - squares)
        shapes = [planed_box(tuple(size), (place + center).tolist(), 0.004)]
        for joint in joints:
            side = center + np.sign(joint - center) * by(0.5 * size[0] - 0.01, 0.0, 0.0)
            shapes.append(cylinder((place + side).tolist(), (place + joint).tolist(), LEVER))
        lines = [f"center {words(center)}", "inertia " + " ".join(number(value) for value in inertia)]
        end = None if tip is None else (place + by(tip, 0.0, 0.0)).tolist()
        return Part(name, place.tolist(), motions, mass, shapes, lines=lines, color=color, tip=end, note=note)

    first, second, third = by(0.0, HIGH, 0.0), by(0.25, HIGH, 0.0), by(0.65, HIGH + 0.05, 0.0)
    parts = [
        body("first", first, ball, 6.4, by(0.4, 0.2, 0.3), ORIGIN, [second - first], STEEL, -0.2,
             "A box of 40 by 20 by 30 cm"),
        body("second", second, hinge, 2.4, by(0.3, 0.15, 0.15), by(0.2, 0.0, 0.0), [ORIGIN, third - second], COOL, None,
             "A box of 30 by 15 by 15 cm on a hinge"),
        body("third", third, ball, 2.3, by(0.25, 0.2, 0.1), by(0.18, 0.0, 0.0), [ORIGIN], WARM, 0.305,
             "A box of 25 by 20 by 10 cm on a ball"),
    ]  # fmt: skip
    header = (
        "Three boxes of 6.4, 2.4 and 2.3 kg, the first two on a hinge, the last two on a ball; after J. Hakenberg,",
        "Animation of Skeletons with Hinges and Spherical Joints. Made by skeletons/making/make_mechanisms.py.",
    )
    return Figure("three bodies", header, [part.name for part in parts], parts)


# -- a linkage and a spine ---------------------------------------------------------------------------------------------


PIVOTS, CRANK, COUPLER, ROCKER = 0.40, 0.12, 0.42, 0.30  # of the four bars, [m]; the crank goes all the way round
PIVOT_HEIGHT, BAR = 0.30, 0.014


def four_bar() -> Figure:
    """Return a crank that turns and a rocker that swings, with a coupler between them that closes the loop."""
    A, D = by(-0.5 * PIVOTS, PIVOT_HEIGHT, 0.0), by(0.5 * PIVOTS, PIVOT_HEIGHT, 0.0)
    B = A + by(0.0, CRANK, 0.0)
    # C is where circles about B and D meet, on the upper side.
    across, reach = D - B, float(np.linalg.norm(D - B))
    along = (COUPLER**2 - ROCKER**2 + reach**2) / (2.0 * reach)
    up = np.sqrt(COUPLER**2 - along**2) * by(-across[1], across[0], 0.0) / reach
    C = B + along * across / reach + up

    def bar(
        name: str, start: Array, end: Array, layer: float, color: tuple[float, float, float], **more: object
    ) -> Part:
        """Return a bar from one pin to another, a little in front of the others."""
        ahead = by(0.0, 0.0, layer)
        shapes = [cylinder((start + ahead).tolist(), (end + ahead).tolist(), BAR)]
        shapes += [cylinder((pin - ahead).tolist(), (pin + 2.0 * ahead).tolist(), 0.6 * BAR) for pin in (start, end)]
        mass = round(float(np.linalg.norm(end - start)) * 2.0, 3)
        return Part(name, start.tolist(), mass=mass, meshes=shapes, color=color, tip=end.tolist(), **more)  # type: ignore

    rail = cylinder((A[0], 0.018, 0.0), (D[0], 0.018, 0.0), 0.014)
    feet = [cylinder((pivot[0], 0.018, -0.08), (pivot[0], 0.018, 0.08), 0.018) for pivot in (A, D)]
    posts = [cylinder((pivot[0], 0.018, 0.0), (pivot[0], PIVOT_HEIGHT, 0.0), 0.012) for pivot in (A, D)]
    parts = [
        Part("frame", (0.0, 0.0, 0.0), mass=12.0, meshes=[rail, *feet, *posts], color=STEEL, note="It stands"),
        bar("crank", A, B, 0.02, WARM, motions=[Motion("z", None, None, "crank")]),
        bar("coupler", B, C, 0.04, COOL, motions=[Motion("z", None, None, "coupler")],
            lines=[f'loop "rocker" {words(C - B)} to {words(C - D)} hinge z'], note="Its end is hinged to the rocker"),
        bar("rocker", D, C, 0.02, LEAF, motions=[Motion("z", -100.0, 100.0, "rocker")]),
    ]  # fmt: skip
    layout: Layout = ["frame", ("Crank", ["crank", "coupler"]), "rocker"]
    header = (
        "Four bars: a crank that goes round, a rocker that swings, and a coupler that closes the loop between them.",
        "Made by skeletons/making/make_mechanisms.py.",
    )
    return Figure("four bar", header, layout, parts)


VERTEBRAE, VERTEBRA = 10, 0.05  # how many, and how high one is, [m]


def spine() -> Figure:
    """Return a column whose vertebrae share one bend, each with its part of it."""
    parts = [
        Part("pelvis", (0.0, 0.5, 0.0), mass=8.0, color=SAND,
             meshes=[ellipsoid([0.14, 0.09, 0.09], [0.0, 0.5, 0.0], 24)], note="All vertebrae follow the first one")
    ]  # fmt: skip
    for k in range(VERTEBRAE):
        place = by(0.0, 0.58 + k * VERTEBRA, 0.0)
        end = place + by(0.0, VERTEBRA, 0.0)
        radius = 0.035 - 0.0015 * k
        lean = [Motion("x", -12.0, 12.0, f"bend {k + 1}"), Motion("z", -10.0, 10.0, f"lean {k + 1}")]
        share = 1.0 + 0.05 * k
        # The higher the more, and the more so the further it is bent.
        lines = [] if k == 0 else [
            f'follow x "{number(share)}*u + {number(0.1 * k)}*u^3" u "vertebra 1" x',
            f'follow z "{number(1.0 - 0.04 * k)}*w" w "vertebra 1" z',
        ]  # fmt: skip
        mesh = cylinder(
            (place + by(0.0, 0.1 * VERTEBRA, 0.0)).tolist(), (end - by(0.0, 0.1 * VERTEBRA, 0.0)).tolist(), radius
        )
        parts.append(
            Part(f"vertebra {k + 1}", place.tolist(), lean, 0.6, [mesh], lines=lines, tip=end.tolist(),
                 color=COOL if k % 2 else STEEL)
        )  # fmt: skip
    header = (
        "A spine of ten vertebrae that share one bend and one lean: all follow the first, each in its own measure.",
        "Made by skeletons/making/make_mechanisms.py.",
    )
    return Figure("spine", header, [part.name for part in parts], parts)


FIGURES = (torus_chain, windmill, spline_slide, sled, three_bodies, four_bar, spine)


def main(arguments: Sequence[str]) -> None:
    """Write the files into the folder that is given, or among the bundled ones."""
    folder = Path(arguments[0]) if arguments else bundled_folder() / "mechanisms"
    for make in FIGURES:
        make().write(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
