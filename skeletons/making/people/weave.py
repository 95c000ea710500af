"""The mesh of the bundled man and woman: rings of quads laid over the solids of their bodies.

The right half is laid, vertex by vertex along rays from inside; its reflection makes the left half. The trunk is a
stack of rings of 32 quads. They open into armholes of 16, a neck of 20 and, over a crotch of four edges, legs of 20,
so that the whole skin is one surface of quads. Each quad carries the name of its segment.
"""

from __future__ import annotations

import numpy as np

from skeletons.making.people.ends import laid_foot, laid_hand
from skeletons.making.people.flesh import Body, Bones
from skeletons.making.people.plan import (
    ARM,
    ARMHOLE,
    BACK,
    CROTCH,
    FACE,
    FOLD,
    FRONT,
    HALF,
    LEG,
    NECK_BACK,
    NECK_FRONT,
    RISE,
    Plan,
)
from skeletons.making.shaping.flesh import MIRROR, Array, Part, beyond
from skeletons.making.shaping.weave import Rows, Weave, cast, drawn, faired, patch

# How much of the fairing each segment takes: fine shapes less.
FAIRED = {"hand": 0.4, "toes": 0.3, "head": 0.6, "foot": 0.7}
ROUNDS = 3


def around(angles: Array, anchor: Array, slope_x: float, slope_z: float, wide: float = 1.0) -> Array:
    """Return directions in a plane that rises by ``slope_x`` sideways and ``slope_z`` towards the front.

    Args:
        angles: From the front towards the figure's right, [rad].
        anchor: Unused but for its place in the plane; see ``cast``.
        slope_x: Rise over the way from the middle outwards.
        slope_z: Rise over the way to the front.
        wide: How much more the angles are spread sideways.
    """
    x, z = -wide * np.sin(angles), np.cos(angles)
    return np.stack([x, slope_x * np.abs(x) + slope_z * z, z], axis=1)


def lay(body: Body, plan: Plan, bones: Bones) -> Weave:
    """Return the right half of the skin."""
    weave = Weave()
    armpit = np.array(plan.armpit)
    out = np.array([-1.0, plan.arm_slope, 0.0])
    trunk_side = beyond(body.trunk, armpit - 0.002 * out, -out, 0.004)
    arm_side = beyond(body.arm, armpit + 0.001 * out, out, 0.004)

    armhole = laid_arm(weave, arm_side, body.trunk, plan, bones)
    neck = laid_head(weave, body, plan)
    hips = laid_trunk(weave, body.trunk, trunk_side, plan, armhole[0], neck)
    ankle = laid_leg(weave, body.leg, body.foot, plan, bones, hips)
    laid_hand(weave, body, bones, armhole[1], *plan.hand)
    laid_foot(weave, body.foot, bones, ankle, *plan.foot)
    return weave


def laid_trunk(weave: Weave, open_solid: Part, solid: Part, plan: Plan, armhole: Rows, neck: Rows) -> Rows:
    """Lay the trunk between hips, armholes and neck; return the ring of the hip."""
    angles = np.linspace(0.0, np.pi, HALF + 1)
    rows = []
    for middle, at_side in plan.hips:
        anchor = np.array([0.0, middle, -0.006])
        slope = (at_side - middle) / plan.side
        rows.append(weave.place(level(open_solid, anchor, around(angles, anchor, slope, 0.0, 1.35))))
    for height in plan.trunk[:-1]:
        anchor = np.array([0.0, height, -0.004])
        rows.append(weave.place(level(solid, anchor, around(angles, anchor, 0.0, 0.0, 1.35))))
    # The last ring: its sides are the armhole's lower edge.
    anchor = np.array([0.0, plan.trunk[-1], -0.004])
    ring = level(solid, anchor, around(angles, anchor, 0.0, 0.0, 1.35))
    for columns, corner, middle in ((range(FRONT), armhole[0], 0), (range(HALF, BACK, -1), armhole[4], HALF)):
        for c in columns:
            share = (abs(c - middle) / FRONT) ** 2
            at = anchor.copy()
            at[1] += share * (weave.vertices[corner, 1] - anchor[1])
            ring[c] = cast(solid, at[None], around(angles[c : c + 1], at, 0.0, 0.0, 1.35))[0]
    ring[[0, -1], 0] = 0.0
    last = np.concatenate([weave.place(ring[:FRONT]), armhole[0:5], weave.place(ring[BACK + 1 :])])
    rows.append(last)

    pelvis = len(plan.hips) + plan.waist
    abdomen = len(plan.hips) + plan.ribs
    weave.quads(rows[:pelvis], "pelvis")
    weave.quads(rows[pelvis - 1 : abdomen], "abdomen")
    under = frozenset((len(rows) - 1 - abdomen, c) for c in range(FRONT - 1, BACK + 1))
    weave.quads(rows[abdomen - 1 :], "chest", skip=under)
    weave.quads([row[FRONT - 1 : BACK + 2] for row in rows[-2:]], "right clavicle")

    points = weave.vertices
    top_front = edge(open_solid, points[neck[NECK_FRONT]], points[armhole[12]], FRONT - NECK_FRONT)
    top_back = edge(open_solid, points[armhole[8]], points[neck[7]], NECK_BACK - BACK)
    front_top = np.concatenate([neck[: NECK_FRONT + 1], weave.place(top_front), [armhole[12]]])
    back_top = np.concatenate([[armhole[8]], weave.place(top_back), neck[7:]])
    front = panel(weave, open_solid, last[: FRONT + 1], front_top, None, armhole[[0, 15, 14, 13, 12]])
    back = panel(weave, open_solid, last[BACK:], back_top, armhole[4:9], None)
    weave.quads([row[:-1] for row in front], "chest")
    weave.quads([row[-2:] for row in front], "right clavicle")
    weave.quads([row[1:] for row in back], "chest")
    weave.quads([row[:2] for row in back], "right clavicle")
    strap = patch(
        *(
            weave.vertices[i]
            for i in (
                front_top[NECK_FRONT:][::-1],
                back_top[: NECK_BACK - BACK + 1],
                armhole[[12, 11, 10, 9, 8]],
                neck[3:8],
            )
        )
    )
    inner = weave.place(drawn(open_solid, strap[1:-1, 1:-1].reshape(-1, 3)).reshape(3, -1, 3))
    grid = [front_top[NECK_FRONT:][::-1]]
    grid += [np.concatenate([[armhole[11 - k]], inner[k], [neck[4 + k]]]) for k in range(3)]
    grid.append(back_top[: NECK_BACK - BACK + 1])
    # Rows run from front to back, columns from the arm to the neck: to the left, seen from above.
    weave.quads([row[::-1] for row in grid], "right clavicle")
    return rows[0]


def level(solid: Part, anchor: Array, directions: Array) -> Array:
    """Return where rays from one anchor leave the solid, the ends of a half ring exactly in the middle."""
    points = cast(solid, np.repeat(anchor[None], len(directions), axis=0), directions)
    points[[0, -1], 0] = 0.0
    return points


def edge(solid: Part, start: Array, end: Array, count: int) -> Array:
    """Return the points between two on the surface, ``count`` edges apart, drawn onto it."""
    share = np.linspace(0.0, 1.0, count + 1)[1:-1, None]
    return drawn(solid, (1 - share) * start + share * end)


def panel(weave: Weave, solid: Part, bottom: Rows, top: Rows, left: Rows | None, right: Rows | None) -> list[Rows]:
    """Fill the grid between known edges; an edge not given lies in the middle of the body."""
    points = weave.vertices

    def middle(column: int) -> Rows:
        share = np.linspace(0.0, 1.0, RISE + 1)[1:-1]
        a, b = points[bottom[column]], points[top[column]]
        start = np.array([0.0, 0.0, -0.01]) + (1 - share)[:, None] * a * [0, 1, 0] + share[:, None] * b * [0, 1, 0]
        found = cast(solid, start, np.tile([0.0, 0.0, np.sign(a[2])], (len(share), 1)))
        return np.concatenate([[bottom[column]], weave.place(found), [top[column]]])

    left = middle(0) if left is None else left
    right = middle(-1) if right is None else right
    points = weave.vertices
    grid = patch(points[bottom], points[top], points[left], points[right])
    inner = weave.place(drawn(solid, grid[1:-1, 1:-1].reshape(-1, 3)).reshape(RISE - 1, -1, 3))
    rows = [bottom]
    rows += [np.concatenate([[left[k + 1]], inner[k], [right[k + 1]]]) for k in range(RISE - 1)]
    return [*rows, top]


def laid_arm(weave: Weave, solid: Part, trunk: Part, plan: Plan, bones: Bones) -> tuple[Rows, Rows]:
    """Lay the arm from the armhole to the wrist; return both rings.

    Column 2 faces the trunk, 6 the back, 10 outwards and 14 the front.
    """
    angles = np.radians((np.arange(ARM) - 2) * 360.0 / ARM)
    wide = np.radians(ARMHOLE)
    rings = []
    armpit = np.array(plan.armpit)
    for k, degrees in enumerate(plan.shoulder):
        up = np.array([-np.sin(np.radians(degrees)), np.cos(np.radians(degrees)), 0.0])
        low = armpit + 0.006 * k * np.array([-plan.arm_slope, -1.0, 0.0])
        center = low + (0.068 - 0.005 * k) * up
        share = min(k / 3.0, 1.0)
        at = (1.0 - share) * wide + share * angles
        directions = -np.cos(at)[:, None] * up - np.sin(at)[:, None] * [0.0, 0.0, 1.0]
        ring = cast(trunk if k == 0 else solid, np.repeat(center[None], ARM, axis=0), directions, 0.16)
        if k == 0:
            ring[:, 1] = np.maximum(ring[:, 1], armpit[1])
            ring = drawn(trunk, ring, 3)
        # In the armpit the rings go round the fold between trunk and arm.
        for column, share in ((1, 0.8), (2, 1.0), (3, 0.8)):
            across, down = FOLD[k]
            ring[column, :2] += share * (armpit[:2] - (across, down) - ring[column, :2])
        rings.append(ring)
    for origin, turned, places in (
        (bones.shoulder, bones.upper_arm, plan.upper_arm),
        (bones.elbow, bones.forearm, plan.forearm),
    ):
        for s in places:
            center = origin - s * turned[:, 1]
            directions = np.cos(angles)[:, None] * turned[:, 0] - np.sin(angles)[:, None] * turned[:, 2]
            rings.append(cast(solid, np.repeat(center[None], ARM, axis=0), directions, 0.12))
    rows = [weave.place(ring) for ring in rings]
    elbow = len(plan.shoulder) + len(plan.upper_arm)
    weave.quads(rows[:elbow], "right upper arm", closed=True)
    weave.quads(rows[elbow - 1 :], "right forearm", closed=True)
    return rows[0], rows[-1]


def laid_leg(weave: Weave, solid: Part, foot: Part, plan: Plan, bones: Bones, hips: Rows) -> Rows:
    """Lay the crotch and the leg down to the ankle; return the ankle's ring.

    Column 3 faces the front, 8 outwards, 13 the back and 18 the other leg.
    """
    points = weave.vertices
    share = np.linspace(0.0, 1.0, CROTCH + 1)[1:-1, None]
    line = (1 - share) * points[hips[-1]] + share * points[hips[0]]
    line[:, 1] += 4.0 * (share * (1 - share))[:, 0] * (plan.crotch - 0.5 * (points[hips[0], 1] + points[hips[-1], 1]))
    rows = [np.concatenate([hips, weave.place(line)])]
    angles = np.radians((np.arange(LEG) - 18) * 360.0 / LEG)
    for origin, turned, places in (
        (bones.hip, bones.thigh, plan.thigh),
        (bones.knee, bones.shank, tuple((height, 0.0) for height in plan.shank)),
    ):
        for height, slope in places:
            center = origin - (origin[1] - height) / turned[1, 1] * turned[:, 1]
            directions = np.stack([np.cos(angles), -slope * np.cos(angles), np.sin(angles)], axis=1)
            part = foot if height < bones.ankle[1] + 0.05 else solid
            ring = cast(part, np.repeat(center[None], LEG, axis=0), directions, 0.16)
            ring[:, 0] = np.minimum(ring[:, 0], -0.003 - 0.03 * max(plan.crotch - 0.02 - height, 0.0))
            rows.append(weave.place(ring))
    knee = len(plan.thigh)
    weave.quads(rows[: knee + 1][::-1], "right thigh", closed=True)
    weave.quads(rows[knee:][::-1], "right shank", closed=True)
    return rows[-1]


def laid_head(weave: Weave, body: Body, plan: Plan) -> Rows:
    """Lay neck and head; return the half ring where the neck joins the trunk."""
    rows = []
    even = np.linspace(0.0, np.pi, len(FACE))
    total = len(plan.neck)
    for k, (y, z, slope, rise) in enumerate((*plan.neck, *((*ring, 0.0) for ring in plan.head))):
        share = min(k / total, 1.0)
        anchor = np.array([0.0, y, z])
        directions = around((1 - share) * even + share * FACE, anchor, rise, slope)
        rows.append(weave.place(level(body.head if k else body.trunk, anchor, directions)))
    top = weave.place(np.array([[0.0, *plan.crown]]))
    rows.append(np.repeat(top, len(FACE)))
    weave.quads(rows[:total], "neck")
    weave.quads(rows[total - 1 :], "head")
    return rows[0]


def whole(weave: Weave) -> tuple[Array, list[tuple[tuple[int, ...], str]], Rows]:
    """Return the whole skin: the right half and its reflection, joined in the middle, and each vertex' reflection."""
    right = weave.vertices
    n = len(right)
    middle = right[:, 0] == 0.0
    other = np.where(middle, np.arange(n), n + np.cumsum(~middle) - 1)
    vertices = np.concatenate([right, right[~middle] * MIRROR])
    polygons = list(weave.polygons)
    for corners, segment in weave.polygons:
        name = segment.replace("right ", "left ")
        polygons.append((tuple(int(other[v]) for v in corners[::-1]), name))
    share = np.ones(len(vertices))
    for corners, segment in polygons:
        share[list(corners)] = np.minimum(share[list(corners)], FAIRED.get(segment.split()[-1], 1.0))
    vertices = faired(vertices, polygons, share, ROUNDS)
    vertices[:n][middle, 0] = 0.0
    return vertices, polygons, np.concatenate([other, np.flatnonzero(~middle)])
