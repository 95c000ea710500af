"""Cutting the skin of the bundled man and woman into one closed mesh a segment, with the weights of its vertices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from core.skeleton import Mesh
from core.skeleton.shapes import ellipsoid
from skeletons.making.people.eyes import eyeball_mesh
from skeletons.making.people.flesh import Body, Bones
from skeletons.making.shaping.flesh import MIRROR, Array, turn
from skeletons.making.shaping.weave import cast

LEAST = 0.004  # weights below this are left out
MOST = 4  # joints a vertex follows


def segment_meshes(
    vertices: Array, polygons: Sequence[tuple[tuple[int, ...], str]], weights: Mapping[str, Array]
) -> dict[str, Mesh]:
    """Return the mesh of each segment of the middle and the right side, in the world.

    A mesh is the segment's part of the skin and, over each border with a neighbour, a flat end inside the body, so that
    it is closed. Neighbours share the vertices of their border and what these follow.

    Args:
        vertices: The whole skin, shape (n, 3), [m].
        polygons: Its polygons and the segment of each.
        weights: Of each joint at each vertex, shape (n,).
    """
    carriers = {segment: np.zeros(len(vertices), dtype=bool) for _, segment in polygons}
    for corners, segment in polygons:
        carriers[segment][list(corners)] = True
    tidy = tidied(weights, carriers)
    found = {}
    for name in dict.fromkeys(segment for _, segment in polygons if not segment.startswith("left ")):
        own = [corners for corners, segment in polygons if segment == name]
        points, shares = [*vertices], {joint: list(values) for joint, values in tidy.items()}
        for loop in borders(own):
            center = len(points)
            points.append(np.mean(vertices[loop], axis=0))
            mean = {joint: float(np.mean(values[loop])) for joint, values in tidy.items()}
            most = max(mean, key=lambda joint: mean[joint])  # alone: of many joints the neighbour may leave out others
            for joint in tidy:
                shares[joint].append(float(joint == most))
            own += [(b, a, center) for a, b in zip(loop, [*loop[1:], loop[0]], strict=True)]
        placed = np.array(points)
        used = sorted({v for corners in own for v in corners})
        place = {v: k for k, v in enumerate(used)}
        faces = [face for corners in own for face in sound(placed, corners)]
        numbered = tuple(tuple(place[v] for v in face) for face in faces)
        everywhere = {name: np.ones(len(used), dtype=bool)}
        own_weights = tidied({joint: np.array(values)[used] for joint, values in shares.items()}, everywhere)
        listed = tuple((joint, values) for joint, values in sorted(own_weights.items()) if joint != name)
        found[name] = Mesh(placed[used], fans(numbered), numbered, listed)
    return found


def tidied(weights: Mapping[str, Array], carriers: Mapping[str, Array]) -> dict[str, Array]:
    """Return the weights, small ones left out, to four decimals and adding up to 1.

    A vertex follows four joints at most, and three if one that carries it is not among them.

    Args:
        weights: Of each joint at each vertex, shape (n,).
        carriers: For each segment, which vertices are its own, shape (n,).
    """
    names = list(weights)
    table = np.array([weights[name] for name in names])
    own = np.array([carriers.get(name, np.zeros(table.shape[1], dtype=bool)) for name in names])
    table = np.where(table < LEAST, 0.0, table)
    for most in (MOST, MOST - 1):
        rank = np.argsort(np.argsort(-table, axis=0, kind="stable"), axis=0, kind="stable")
        outside = (own & ~((rank < MOST) & (table > 0.0))).any(axis=0) if most < MOST else np.ones(own.shape[1], bool)
        table = np.where(outside & (rank >= most), 0.0, table)
    table = np.round(table / table.sum(axis=0), 4)
    largest = np.argmax(table, axis=0), np.arange(table.shape[1])
    table[largest] += 1.0 - table.sum(axis=0)
    return {name: values for name, values in zip(names, np.round(table, 4), strict=True) if values.any()}


def borders(polygons: Sequence[tuple[int, ...]]) -> list[list[int]]:
    """Return the closed chains of edges with a polygon on one side only, as that polygon runs along them."""
    edges = [(p[i - 1], p[i]) for p in polygons for i in range(len(p))]
    every = set(edges)
    after = {a: b for a, b in edges if (b, a) not in every}
    loops = []
    while after:
        first = min(after)
        loop = [first]
        while (following := after.pop(loop[-1])) != first:
            loop.append(following)
        loops.append(loop)
    return loops


def sound(points: Array, corners: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return a polygon as it is well drawn: a quad so that it is cut along its shorter diagonal, or as two triangles.

    Quads that are not convex, or bent by more than a little, are cut here; so is what has more corners, as a fan from
    the first: points on its edges, taken up from a finer neighbour, are bulged a little, and whoever cuts it elsewhere
    gets slivers that stand upright on the skin.
    """
    if len(corners) > 4:
        return [(corners[0], b, c) for b, c in pairwise(corners[1:])]
    if len(corners) != 4:
        return [corners]
    a, b, c, d = (points[v] for v in corners)
    if np.linalg.norm(a - c) > np.linalg.norm(b - d):
        return sound_from(points, (*corners[1:], corners[0]))
    return sound_from(points, corners)


def sound_from(points: Array, corners: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return a quad, or its halves on both sides of the diagonal from its first corner."""
    p = points[list(corners)]
    edges = np.roll(p, -1, axis=0) - p
    turns = np.cross(np.roll(edges, 1, axis=0), edges)
    normal = turns.sum(axis=0)
    if (turns @ normal > 0.1 * float(normal @ normal) / 4.0).all():
        return [corners]
    a, b, c, d = corners
    return [(a, b, c), (a, c, d)]


def fans(polygons: Sequence[tuple[int, ...]]) -> NDArray[np.int32]:
    """Return polygons as triangles from their first corners, shape (m, 3)."""
    return np.array([(p[0], p[i], p[i + 1]) for p in polygons for i in range(1, len(p) - 1)], dtype=np.int32)


def with_shells(meshes: Mapping[str, Mesh], bones: Bones, body: Body, size: float) -> dict[str, Mesh]:
    """Return the meshes with eyes, ears and hair."""
    result = dict(meshes)
    ear = ear_mesh(0.92 * size)
    turned = turn(x=-10.0) @ turn(y=20.0) @ turn(z=7.0)
    # The ear stands where the head ends, on a line outwards from a point between the ears.
    level = bones.skull + size * np.array([0.0, 0.040, -0.012])
    place = cast(body.head, level[None], np.array([[-1.0, 0.0, 0.0]]))[0]
    right = Mesh(ear.vertices @ turned.T + place - [0.0025, 0.0, 0.0], ear.triangles, ear.polygons)
    flipped = tuple(p[::-1] for p in ear.polygons)
    shells = [right, Mesh(right.vertices * MIRROR, fans(flipped), flipped)]
    place, radius = np.array(body.eye[0]), body.eye[1]
    ball = eyeball_mesh(radius)
    flipped = tuple(p[::-1] for p in ball.polygons)
    for side, polygons in ((np.ones(3), ball.polygons), (MIRROR, flipped)):
        shells.append(Mesh((ball.vertices + place) * side, fans(polygons), polygons))
    for shell in shells:
        result["head"] = joined(result["head"], shell)
    if body.knot is not None:
        center, radii = body.knot
        result["head"] = joined(result["head"], ellipsoid(radii, center, 18, 9))
    return result


# Across an ear, from the middle of its back over the rim into the bowl: share of the outline, and how far out, [m].
EAR_PROFILE = (
    (0.0, -0.0040), (0.86, 0.0005), (0.98, 0.0050), (1.00, 0.0078), (0.95, 0.0098), (0.87, 0.0088),
    (0.80, 0.0062), (0.70, 0.0046), (0.58, 0.0048), (0.46, 0.0022), (0.0, -0.0003),
)  # fmt: skip
EAR_EDGE = 3  # row of the profile, without its ends, from which on it faces outwards
# Round it, from the front upwards: angle [deg] and distance from the middle, [m].
EAR_OUTLINE = (
    (0.0, 0.0150), (25.0, 0.0155), (50.0, 0.0215), (75.0, 0.0295), (100.0, 0.0310), (125.0, 0.0270), (155.0, 0.0200),
    (185.0, 0.0170), (215.0, 0.0180), (245.0, 0.0235), (265.0, 0.0300), (282.0, 0.0305), (300.0, 0.0240),
    (330.0, 0.0165), (360.0, 0.0150),
)  # fmt: skip


def ear_mesh(size: float) -> Mesh:
    """Return a right ear upright in the origin, outwards -x, front +z: a shell with a rim, a bowl and a lobe."""
    sides = 32
    turns = 2.0 * np.pi * np.arange(sides) / sides
    angle, reach = np.array(EAR_OUTLINE).T
    outline = CubicSpline(np.radians(angle), reach, bc_type="periodic")(turns)
    lobe = np.clip(-np.sin(turns) - 0.45, 0.0, 1.0) / 0.55  # 1 at the lowest point: there it is full, without a bowl
    front = np.clip(np.cos(turns), 0.0, 1.0) ** 2  # the rim runs out into the cheek
    back, ridge, bowl = EAR_PROFILE[0], EAR_PROFILE[1:-1], EAR_PROFILE[-1]
    rows = []
    for k, (share, out) in enumerate(ridge):
        depth = np.full(sides, out) - 0.0035 * front * (out > 0.004)
        if k >= EAR_EDGE:
            depth = (1.0 - lobe) * depth + lobe * 0.0072
        depth = depth * (1.0 - 0.25 * lobe)
        rows.append(np.stack([-depth, share * outline * np.sin(turns), share * outline * np.cos(turns)], axis=1))
    rows = list(_rounded_over(np.array(rows)))
    points = np.concatenate([[[-back[1], 0.0, 0.0]], *rows, [[-bowl[1], 0.0, 0.0]]])
    last, faces = len(points) - 1, []
    for k in range(sides):
        n = (k + 1) % sides
        faces.append((0, 1 + n, 1 + k))
        for row in range(len(rows) - 1):
            at = 1 + row * sides
            faces.append((at + k, at + n, at + sides + n, at + sides + k))
        at = 1 + (len(rows) - 1) * sides
        faces.append((at + k, at + n, last))
    polygons = tuple(faces)
    return Mesh(points * size, fans(polygons), polygons)


def _rounded_over(rows: Array) -> Array:
    """Return the rows across an ear with one more before and one behind its rim, on a smooth curve.

    Args:
        rows: From the back into the bowl, shape (k, sides, 3), [m].
    """
    steps = np.linalg.norm(np.diff(rows, axis=0), axis=2).mean(axis=1)
    at = np.concatenate([[0.0], np.cumsum(np.sqrt(steps))])  # centripetal, so that it does not swing over at the rim
    finer = [0.5 * (a + b) for k, (a, b) in enumerate(pairwise(at)) if EAR_EDGE - 2 <= k < EAR_EDGE]
    return np.asarray(CubicSpline(at, rows)(np.sort(np.concatenate([at, finer]))))


def joined(skin: Mesh, shell: Mesh) -> Mesh:
    """Return a skinned mesh with another closed shell that follows its carrier only."""
    first = len(skin.vertices)
    polygons = skin.polygons + tuple(tuple(first + v for v in p) for p in shell.polygons)
    rigid = np.zeros(len(shell.vertices))
    weights = tuple((joint, np.concatenate([values, rigid])) for joint, values in skin.weights)
    return Mesh(np.concatenate([skin.vertices, shell.vertices]), fans(polygons), polygons, weights)
