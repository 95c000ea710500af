"""A finer skin where it is looked at closely: quads split in four, rounded, between neighbours that stay as they are.

A polygon beside a split one takes up the points on its edges, so that no gap opens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from skeletons.making.people.flesh import Body, Bones
from skeletons.making.people.skin import from_ring, smooth_step
from skeletons.making.shaping.flesh import MIRROR, Array, Part
from skeletons.making.shaping.weave import drawn, faired

Polygon = tuple[tuple[int, ...], str]
Chosen = Callable[[Array, str], bool]
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]

_EVEN = 6  # rounds that spread vertices evenly over a solid
_COLUMN, _EVENLY = 14, 60  # rows above the neck that are put in order, and rounds that spread them
_BACK = 2  # rounds that push the coarse corners out, so that the fine surface runs through where they were


def refined(
    vertices: Array, polygons: Sequence[Polygon], mirror: Numbers, chosen: Chosen
) -> tuple[Array, list[Polygon], Numbers]:
    """Return the skin with some polygons split, one corner to each part.

    Args:
        vertices: The whole skin, closed and the same on both sides, shape (n, 3), [m].
        polygons: Its polygons with their segments.
        mirror: Number of each vertex' reflection.
        chosen: Which to split, by the middle of a polygon and its segment.

    Returns:
        As given: vertices, polygons, reflections. Vertices on the ground stay there.

    Source: Catmull and Clark (1978), Recursively generated B-spline surfaces on arbitrary topological meshes; the
    corners are pushed out beforehand, so that the rounded surface is no smaller.
    """
    middles = np.array([vertices[list(corners)].mean(axis=0) for corners, _ in polygons])
    split = [chosen(middle, segment) for middle, (_, segment) in zip(middles, polygons, strict=True)]
    edges: dict[tuple[int, int], int] = {}
    for (corners, _), fine in zip(polygons, split, strict=True):
        if fine:
            for a, b in _sides(corners):
                edges.setdefault((min(a, b), max(a, b)), len(edges))
    n, faces = len(vertices), [k for k, fine in enumerate(split) if fine]
    face_of = {k: n + len(edges) + i for i, k in enumerate(faces)}

    pushed = vertices.copy()
    for _ in range(_BACK):
        pushed = pushed + vertices - _rounded(pushed, polygons, split)[0]
    moved, on_edges, in_faces = _rounded(pushed, polygons, split, edges)
    points = np.concatenate([moved, on_edges, in_faces])

    found: list[Polygon] = []
    for k, ((corners, segment), fine) in enumerate(zip(polygons, split, strict=True)):
        if not fine:
            rows: list[int] = []
            for a, b in _sides(corners):
                rows.append(a)
                if (min(a, b), max(a, b)) in edges:
                    rows.append(n + edges[min(a, b), max(a, b)])
            first = next((i for i, v in enumerate(rows) if v >= n), 0)  # fans from there have no triangle without area
            found.append((tuple(rows[first:] + rows[:first]), segment))
            continue
        halves = [n + edges[min(a, b), max(a, b)] for a, b in _sides(corners)]
        for i, corner in enumerate(corners):
            found.append(((corner, halves[i], face_of[k], halves[i - 1]), segment))
    other = _reflections(polygons, mirror, edges, faces, face_of, n)
    points = 0.5 * (points + points[other] * MIRROR)
    ground = np.concatenate([vertices[:, 1] < 1e-6, np.zeros(len(points) - n, dtype=bool)])
    for (a, b), k in edges.items():
        ground[n + k] = ground[a] and ground[b]
    for k in faces:
        ground[face_of[k]] = ground[list(polygons[k][0])].all()
    points[ground, 1] = 0.0
    points[:, 1] = np.maximum(points[:, 1], 0.0)
    return points, found, other


def _sides(corners: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip(corners, [*corners[1:], corners[0]], strict=True))


def _rounded(
    vertices: Array, polygons: Sequence[Polygon], split: Sequence[bool], edges: dict[tuple[int, int], int] | None = None
) -> tuple[Array, Array, Array]:
    """Return where corners, points on edges and in faces go; corners beside what stays coarse do not move."""
    n = len(vertices)
    faces = np.array([vertices[list(corners)].mean(axis=0) for corners, _ in polygons])
    rows = np.concatenate([np.array(corners) for corners, _ in polygons])
    which = np.repeat(np.arange(len(polygons)), [len(corners) for corners, _ in polygons])
    after = np.concatenate([np.array([b for _, b in _sides(corners)]) for corners, _ in polygons])
    count = np.bincount(rows, minlength=n).astype(np.float64)
    around, near = np.zeros((n, 3)), np.zeros((n, 3))
    np.add.at(around, rows, faces[which])
    np.add.at(near, rows, 0.5 * (vertices[rows] + vertices[after]))
    np.add.at(near, after, 0.5 * (vertices[rows] + vertices[after]))
    count = np.maximum(count, 1.0)[:, None]
    limit = (around / count + 2.0 * near / (2.0 * count) + (count - 3.0) * vertices) / count
    loose = np.ones(n, dtype=bool)
    loose[rows[~np.array(split)[which]]] = False
    moved = np.where(loose[:, None], limit, vertices)
    if edges is None:
        return moved, np.zeros((0, 3)), np.zeros((0, 3))
    on = np.zeros((len(edges), 3))
    sides = np.zeros(len(edges))
    for k, (corners, _) in enumerate(polygons):
        for a, b in _sides(corners):
            number = edges.get((min(a, b), max(a, b)))
            if number is not None:
                on[number] += faces[k]
                sides[number] += 1.0
    ends = np.array(list(edges))
    middle = 0.5 * (vertices[ends[:, 0]] + vertices[ends[:, 1]])
    on = 0.5 * middle + 0.5 * on / sides[:, None]
    return moved, on, faces[np.array(split)]


def _reflections(
    polygons: Sequence[Polygon], mirror: Numbers, edges: dict[tuple[int, int], int], faces: Sequence[int],
    face_of: dict[int, int], n: int,
) -> Numbers:  # fmt: skip
    """Return the number of each point's reflection."""
    other = list(mirror)
    for a, b in edges:
        c, d = int(mirror[a]), int(mirror[b])
        other.append(n + edges[min(c, d), max(c, d)])
    by_corners = {frozenset(polygons[k][0]): face_of[k] for k in faces}
    for k in faces:
        other.append(by_corners[frozenset(int(mirror[v]) for v in polygons[k][0])])
    return np.array(other, dtype=np.int64)


def fine_skin(
    vertices: Array, polygons: Sequence[Polygon], mirror: Numbers, body: Body, bones: Bones
) -> tuple[Array, list[Polygon], Numbers]:
    """Return the skin of man or woman, finer where people look: face, hands, feet, shoulders; finest round eyes,
    nostrils and lips."""

    def near(middle: Array, segment: str) -> bool:
        name, below = segment.split()[-1], bones.shoulder[1] - middle[1]
        if name in ("head", "neck", "hand", "toes", "clavicle"):
            return True
        if name == "foot":
            return bool(middle[1] > 0.004)
        if segment.endswith("upper arm"):
            return bool(below < 0.13)
        if name == "forearm":
            return bool(middle[1] < bones.wrist[1] + 0.05)
        return name == "chest" and abs(middle[0]) > 0.06 and bool(below < 0.18)

    skin = refined(vertices, polygons, mirror, near)

    def face(middle: Array, segment: str) -> bool:
        if segment == "head":
            y, z = middle[1] - bones.skull[1], middle[2]
            return bool(z > 0.05 and abs(middle[0]) < 0.052 and -0.035 < y < 0.095)
        return segment.endswith("toes") and middle[2] > bones.ball[2] + 0.030 and middle[1] > 0.002

    mouth = body.eye[0][1] - 0.055

    def features(middle: Array, segment: str) -> bool:
        across, y, z = abs(middle[0]), middle[1] - mouth, middle[2]
        if np.hypot(across + body.eye[0][0], 1.35 * (y - 0.055)) < 0.0185:
            return segment == "head" and z > 0.03
        wide = 0.029 if y < 0.003 else 0.019
        return segment == "head" and z > 0.06 and across < wide and -0.024 < y < 0.028

    points, polygons, mirror = refined(*refined(*skin, face), features)
    height = points[:, 1] - bones.skull[1] - 0.9 * (0.03 - points[:, 2]).clip(-0.06, 0.06)
    inside = smooth_step(from_ring(points, polygons, lambda segment: segment == "head"), 0.0, 0.030)
    on_head = smooth_step(height, -0.035, 0.01) * inside
    points = settled(points, polygons, body.head, on_head)
    on_toes = smooth_step(points[:, 2] - bones.ball[2], 0.004, 0.024) * _within(points, polygons, "right toes")
    points = settled(points, polygons, body.foot, on_toes)
    s = (bones.wrist - points) @ bones.forearm[:, 1]
    on_palm = smooth_step(s, 0.005, 0.025) * smooth_step(-s, -0.094, -0.080) * _within(points, polygons, "right hand")
    points = settled(points, polygons, body.thumb, on_palm)
    left = (on_toes + on_palm)[mirror] > 0.0
    points[left] = points[mirror[left]] * MIRROR
    # Where jaw and skull meet the neck.
    below = np.abs(from_ring(points, polygons, lambda segment: segment == "head"))
    seam = (1.0 - smooth_step(below, 0.012, 0.045)) * smooth_step(-points[:, 2], -0.075, -0.045)
    points = faired(points, polygons, seam, 6)
    # At the nape the rings of neck and skull run together, and cross.
    return in_order(points, polygons, "head", _COLUMN, points[:, 2] < 0.0), polygons, mirror


def in_order(points: Array, polygons: Sequence[Polygon], segment: str, count: int, among: Flags) -> Array:
    """Return the skin without folds where its rows cross: in each column, vertices trade places until they follow on.

    Then they go evenly along it, but for corners of the segment's hull: that stays as it is.

    Args:
        points: The skin, shape (n, 3), [m].
        polygons: Its polygons.
        segment: Columns begin at its border and run into it; they end early where the skin is no grid.
        count: Vertices of a column, without that on the border.
        among: Columns of which border vertices to put in order, shape (n,).
    """
    own = [corners for corners, name in polygons if name == segment]
    beside: dict[int, set[int]] = {}
    together: dict[int, set[int]] = {}
    for corners in own:
        for a, b in _sides(corners):
            beside.setdefault(a, set()).add(b)
            beside.setdefault(b, set()).add(a)
        for a in corners:
            together.setdefault(a, set()).update(corners)
    border = {v for corners, name in polygons if name != segment for v in corners} & beside.keys()
    used = np.array(sorted(beside))
    corner = np.zeros(len(points), dtype=bool)
    corner[used[ConvexHull(points[used]).vertices]] = True
    found = points.copy()
    for start in sorted(v for v in border if among[v]):
        inwards = beside[start] - border
        column = [start, *inwards] if len(inwards) == 1 else [start]
        while 1 < len(column) <= count:
            ahead = beside[column[-1]] - together[column[-2]]
            if len(beside[column[-1]]) != 4 or len(ahead) != 1:
                break
            column.append(*ahead)
        rows = column[1:]
        if len(rows) > 1:
            way = points[rows[-1]] - points[start]
            order = np.argsort(points[rows] @ way, kind="stable")
            line, at = points[[start, *np.array(rows)[order]]], np.flatnonzero(order != np.arange(len(rows)))
            if len(at):
                loose = np.arange(max(at[0] - 1, 0) + 1, min(at[-1] + 2, len(rows) - 1) + 1)
                loose = loose[~corner[np.array(rows)[order]][loose - 1]]
                for _ in range(_EVENLY):
                    line[loose] += 0.5 * (0.5 * (line[loose - 1] + line[loose + 1]) - line[loose])
                found[rows] = line[1:]
    return found


def _within(points: Array, polygons: Sequence[Polygon], name: str) -> Array:
    """Return 1 for each vertex that lies inside a segment, 0 for those outside and on its border."""
    inside, outside = np.zeros(len(points), dtype=bool), np.zeros(len(points), dtype=bool)
    for corners, segment in polygons:
        (inside if segment == name else outside)[list(corners)] = True
    return (inside & ~outside).astype(np.float64)


def settled(points: Array, polygons: Sequence[Polygon], solid: Part, share: Array) -> Array:
    """Return vertices drawn onto a solid, evenly spread over it: rounding takes eyes, nose and lips away.

    Args:
        points: The skin, shape (n, 3), [m].
        polygons: Its polygons.
        solid: The solid.
        share: How much of it each vertex takes, shape (n,).
    """
    pairs = {(p[i], p[i - 1]) for p, _ in polygons for i in range(len(p))}
    a, b = np.array(sorted(pairs | {(b, a) for a, b in pairs})).T
    rows = np.flatnonzero(share > 0.0)
    use = share[a] > 0.0
    place = np.full(len(points), -1)
    place[rows] = np.arange(len(rows))
    a, b = place[a[use]], b[use]
    count = np.bincount(a, minlength=len(rows))[:, None]
    part, ground, middle = share[rows][:, None], points[rows, 1] < 1e-6, np.abs(points[rows, 0]) < 1e-9
    found = points.copy()
    for even in (*(0.5,) * _EVEN, 0.0, 0.35, -0.37, 0.35, -0.37):
        own = found[rows]
        mean = np.column_stack([np.bincount(a, found[b, k], minlength=len(rows)) for k in range(3)]) / count
        own = own + even * part * (mean - own)
        if even in (0.0, 0.5):
            own = own + part * (drawn(solid, own, 2 if even else 8, 0.004) - own)
        own[ground, 1] = 0.0
        own[middle, 0] = 0.0
        found[rows] = own
    return found
