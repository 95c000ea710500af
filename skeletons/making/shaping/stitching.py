"""Borders of polygon surfaces, and the strips of triangles that sew two of them together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from skeletons.making.shaping.loft import Array

Edge = tuple[int, int]


class Face(NamedTuple):
    """A polygon of the skin.

    Attributes:
        corners: Vertex numbers, counter-clockwise seen from outside.
        joint: Whose piece it belongs to; in a seam that is not labelled yet, the name of the limb.
        seam: Whether it was sewn in between two tubes.
    """

    corners: tuple[int, ...]
    joint: str
    seam: bool = False


def edges_of(corners: Sequence[int]) -> list[Edge]:
    """Return the edges of a polygon in its order."""
    return [*pairwise(corners), (corners[-1], corners[0])]


def border(faces: Sequence[Face]) -> list[Edge]:
    """Return the edges with a face on one side only, as that face runs along them, in the order of the faces."""
    edges = [edge for face in faces for edge in edges_of(face.corners)]
    every = set(edges)
    return [(a, b) for a, b in edges if (b, a) not in every]


def chains(edges: Sequence[Edge]) -> list[list[int]]:
    """Return border edges as chains of vertices; a closed one ends with the vertex that it begins with."""
    after = dict(edges)
    ends = set(after.values())
    found, seen = [], set()
    for first in [*(a for a, _ in edges if a not in ends), *(a for a, _ in edges)]:
        if first in seen:
            continue
        chain = [first]
        seen.add(first)
        while chain[-1] in after:
            chain.append(after[chain[-1]])
            if chain[-1] in seen:
                break
            seen.add(chain[-1])
        found.append(chain)
    return found


def loops(faces: Sequence[Face]) -> list[list[int]]:
    """Return the closed borders of faces, none of which visits a vertex twice.

    Where two borders meet in a vertex, each goes on along the fan of faces that it came by.
    """
    after = {edge: following for face in faces for edge, following in _turns(face.corners)}
    if len(after) != sum(len(face.corners) for face in faces):
        raise ValueError("an edge has two faces on one side")
    rest = dict.fromkeys(border(faces))
    found = []
    while rest:
        first = next(iter(rest))
        edge, loop = first, []
        while True:
            rest.pop(edge)
            loop.append(edge[0])
            following = after[edge]
            while following[::-1] in after:
                following = after[following[::-1]]
            edge = following
            if edge == first:
                break
        found += _simple(loop)
    return found


def _simple(loop: Sequence[int]) -> list[list[int]]:
    """Return a closed border as borders that visit no vertex twice."""
    found: list[list[int]] = []
    way: list[int] = []
    for vertex in loop:
        if vertex in way:
            at = way.index(vertex)
            found.append(way[at:])
            way = way[:at]
        way.append(vertex)
    return [*found, way]


def _turns(corners: Sequence[int]) -> list[tuple[Edge, Edge]]:
    edges = edges_of(corners)
    return list(zip(edges, [*edges[1:], edges[0]], strict=True))


def without(faces: Sequence[Face], vertices: set[int]) -> list[Face]:
    """Return the faces that touch none of the vertices, nor leave two openings that meet in one vertex."""
    kept = [face for face in faces if not vertices.intersection(face.corners)]
    while True:
        used = [start for start, _ in border(kept)]
        double = {k for k in used if used.count(k) > 1}
        if not double:
            return kept
        kept = [face for face in kept if not double.intersection(face.corners)]


def largest(faces: Sequence[Face]) -> list[Face]:
    """Return the largest set of faces that hang together by their edges."""
    by_edge = {edge: number for number, face in enumerate(faces) for edge in edges_of(face.corners)}
    seen: set[int] = set()
    best: list[int] = []
    for first in range(len(faces)):
        if first in seen:
            continue
        group, todo = [first], [first]
        seen.add(first)
        while todo:
            for a, b in edges_of(faces[todo.pop()].corners):
                other = by_edge.get((b, a))
                if other is not None and other not in seen:
                    seen.add(other)
                    group.append(other)
                    todo.append(other)
        best = group if len(group) > len(best) else best
    return [faces[k] for k in sorted(best)]


def strip(outer: Sequence[int], inner: Sequence[int], points: Array) -> list[tuple[int, ...]]:
    """Return the shortest strip of triangles between two borders, each given as its own faces run along it.

    Args:
        outer: Vertices of one border; closed if it ends where it begins.
        inner: Those of the other, closed like it.
        points: All vertices, shape (n, 3).
    """
    if inner[0] == inner[-1]:
        turned = [[*inner[k:-1], *inner[: k + 1]][::-1] for k in range(len(inner) - 1)]
    else:
        turned = [list(inner)[::-1]]
    return min((_zipped(outer, other, points) for other in turned), key=lambda found: found[0])[1]


def _zipped(a: Sequence[int], b: Sequence[int], points: Array) -> tuple[float, list[tuple[int, ...]]]:
    """Return the cheapest strip between two chains that run the same way, and the sum of its edges' lengths."""
    far = np.round(np.linalg.norm(points[list(a)][:, None] - points[list(b)][None], axis=2), 6)
    n, m = far.shape
    total = np.full((n, m), np.inf)
    total[0, 0] = far[0, 0]
    from_a = np.zeros((n, m), dtype=bool)
    for i in range(n):
        for k in range(m):
            before = total[i - 1, k] if i else np.inf
            beside = total[i, k - 1] if k else np.inf
            if i or k:
                from_a[i, k] = before <= beside
                total[i, k] = far[i, k] + min(before, beside)
    made: list[tuple[int, ...]] = []
    i, k = n - 1, m - 1
    while i or k:
        if from_a[i, k]:
            made.append((a[i], a[i - 1], b[k]))
            i -= 1
        else:
            made.append((b[k - 1], b[k], a[i]))
            k -= 1
    return round(float(total[-1, -1]), 6), made[::-1]


def divided(
    triangles: list[tuple[int, ...]], points: Array, longest: float, free: set[int]
) -> tuple[list[tuple[int, ...]], Array]:
    """Return a strip whose edges were halved until none is longer than ``longest``, and the new vertices.

    An edge is left as it is if it lies on a border that others share, or beside a longer one that does.

    Args:
        triangles: The strip.
        points: All vertices, shape (n, 3).
        longest: [m].
        free: Vertices whose edges among each other nobody shares: those on the middle plane.
    """
    vertices, free = [*points], set(free)
    while True:
        sides: dict[Edge, list[int]] = defaultdict(list)
        for number, corners in enumerate(triangles):
            for a, b in edges_of(corners):
                sides[min(a, b), max(a, b)].append(number)
        lengths = {edge: round(float(np.linalg.norm(vertices[edge[0]] - vertices[edge[1]])), 6) for edge in sides}
        fixed = {edge for edge, found in sides.items() if len(found) == 1 and not free.issuperset(edge)}
        most = [max(lengths[min(a, b), max(a, b)] for a, b in edges_of(t)) for t in triangles]
        # Halving only the longest side of a triangle keeps its angles from getting small.
        long = [
            edge
            for edge, found in sides.items()
            if edge not in fixed and lengths[edge] > longest and lengths[edge] >= max(most[t] for t in found)
        ]
        if not long:
            return triangles, np.array(vertices[len(points) :]).reshape(-1, 3)
        a, b = max(long, key=lambda edge: (lengths[edge], edge))
        middle = len(vertices)
        vertices.append(0.5 * (vertices[a] + vertices[b]))
        if {a, b} <= free and len(sides[a, b]) == 1:
            free.add(middle)
        split = sides[a, b]
        halves = [tuple(middle if k == end else k for k in triangles[t]) for t in split for end in (a, b)]
        triangles = [t for number, t in enumerate(triangles) if number not in split] + halves


def flipped(faces: list[Face], points: Array) -> list[Face]:
    """Return the faces with the diagonals of seams turned where that makes fairer triangles (Delaunay's rule)."""
    faces = list(faces)
    for _ in range(8):
        sides = {edge: n for n, face in enumerate(faces) if face.seam for edge in edges_of(face.corners)}
        every = {edge for face in faces for edge in edges_of(face.corners)}
        busy: set[int] = set()
        for (a, b), first in sorted(sides.items()):
            second = sides.get((b, a))
            if second is None or a > b or first in busy or second in busy or faces[first].joint != faces[second].joint:
                continue
            c = next(k for k in faces[first].corners if k not in (a, b))
            d = next(k for k in faces[second].corners if k not in (a, b))
            if (c, d) in every or (d, c) in every or _angle(points, c, a, b) + _angle(points, d, a, b) <= np.pi + 1e-3:
                continue
            if (_normal(points, c, a, d) * _normal(points, d, b, c)).sum() <= 0.0:
                continue
            faces[first] = Face((c, a, d), faces[first].joint, True)
            faces[second] = Face((d, b, c), faces[second].joint, True)
            busy |= {first, second}
            every |= {(c, d), (d, c)}
        if not busy:
            break
    return faces


def _angle(points: Array, tip: int, a: int, b: int) -> float:
    u, v = points[a] - points[tip], points[b] - points[tip]
    return float(np.arccos(np.clip(u @ v / (np.linalg.norm(u) * np.linalg.norm(v)), -1.0, 1.0)))


def _normal(points: Array, a: int, b: int, c: int) -> Array:
    return np.cross(points[b] - points[a], points[c] - points[a])
