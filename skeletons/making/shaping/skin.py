"""One skin around several tubes: limbs stitched into bodies, and the whole cut into one closed mesh a joint.

Where a limb enters a body, the polygons of both that lie near the place are taken away and the two holes are sewn
together. All vertices are then drawn onto the smooth surface around the tubes (``skeletons.making.shaping.fields``) and
evened out there. What comes out is one surface, quads mostly, that shares its vertices across all borders; each joint
gets the polygons of its piece, closed inside.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from core.skeleton import Mesh
from core.skeleton.mirroring.mirror import swap_sides
from skeletons.making.shaping.fields import Fields, Join
from skeletons.making.shaping.loft import Array
from skeletons.making.shaping.stitching import (
    Edge,
    Face,
    border,
    chains,
    divided,
    edges_of,
    flipped,
    largest,
    loops,
    strip,
    without,
)
from skeletons.making.shaping.tube import Tube, Weights, skinned

_LIMB, _BODY = 0.25, 0.08  # of a transition's width: polygons nearer to the other tube are taken away
_PRONG = 0.05  # the same for a limb of a fork
_LONGEST = 1.7  # edges across a seam, of the mean edge along it
_ROUNDS, _PULLS = 10, 4
_WEB = 0.005  # [m] by which the webs of a fork begin above its rim
_RIM, _TURN = 0.9, np.radians(40.0)  # of a dome: its rim, of the ring it closes, and how far up its one ring lies
_SUNK = 0.7  # of the radius: how far below the skin a patch is closed
_MIDDLE = 1e-7  # [m]


class Fork(NamedTuple):
    """A tube whose open end several limbs share, side by side along its first axis, as fingers share a palm."""

    base: str
    limbs: tuple[str, ...]


def joined(
    shapes: Mapping[str, Tube], joins: Sequence[Join] = (), symmetric: bool = True, forks: Sequence[Fork] = ()
) -> dict[str, list[Mesh]]:
    """Return the skinned mesh of every joint on the tubes, in the world, as lists of one.

    Args:
        shapes: The tubes by name. Those called ``right ...`` stand for a left one too.
        joins: Which tubes grow together. Tubes are stitched in the order of ``shapes``, each to what stands already,
            if it has a join with some of it.
        symmetric: Whether the figure is its own reflection: then only its right half is worked on, and the meshes of
            the middle get the reflection of it as their left.
        forks: Where several limbs grow from the end of a tube instead of its side.

    Raises:
        ValueError: If a limb does not enter a body in one clean hole.
    """
    skin = _Skin(shapes, joins, symmetric, forks)
    for name in shapes:
        skin.add(name)
    skin.even()
    weights = skin.weights()
    return _split(skin.points, skin.labelled(weights), weights, shapes, symmetric)


class _Skin:
    """The surface in the making: vertices, the tube each belongs to, and faces."""

    def __init__(self, shapes: Mapping[str, Tube], joins: Sequence[Join], symmetric: bool, forks: Sequence[Fork]):
        self.shapes, self.joins, self.symmetric = shapes, joins, symmetric
        self.forks = {fork.base: fork.limbs for fork in forks}
        self.prongs: dict[str, list[int]] = {}  # of a fork: the part of the open end that each limb grows from
        self.fields = Fields(shapes, joins, symmetric)
        self.buried: dict[str, int] = {}  # of a limb of a fork: the ring at its rim
        self.planes: dict[int, tuple[Array, Array]] = {}  # vertices that stay in a plane: its normal, a point of it
        self.points = np.zeros((0, 3))
        self.owners: list[str] = []
        self.faces: list[Face] = []

    def add(self, name: str) -> None:
        """Add a tube, stitched to what is there."""
        shape, first = self.shapes[name], len(self.points)
        points = shape.points
        points[np.abs(points[:, 0]) < _MIDDLE, 0] = 0.0
        own = [Face(tuple(first + k for k in corners), joint) for corners, joint in shape.faces()]
        self.points, onto = np.vstack([self.points, points]), self._onto(name)
        self.owners += [name] * len(points)
        if self.symmetric and not name.startswith("right "):
            own = [face for face in own if self.points[list(face.corners), 0].max() <= 0.0]
        if onto:
            own = self._opened(name, own, onto)
            self.faces += self._seam(name, own, onto)
        if name in self.forks:
            away = {first + k for k in shape.open_end()}
            own = [face for face in own if not away.intersection(face.corners)]
            self._divide(name, chains(border(own))[0][:-1])
        self.faces += own

    def _divide(self, name: str, rim: list[int]) -> None:
        """Divide the open end of a fork among its limbs, by webs between its two long sides."""
        points = self.points[rim]
        limbs = self.forks[name]
        found = [_crossing(self.shapes[limb], points) for limb in limbs]
        self.buried |= {limb: ring for limb, (ring, _, _) in zip(limbs, found, strict=True)}
        roots, ways = (np.array([item[k] for item in found]) for k in (1, 2))
        across = (roots[-1] - roots[0]) / np.linalg.norm(roots[-1] - roots[0])
        places = points @ across
        low, high = int(np.argmin(places)), int(np.argmax(places))
        count = len(rim)
        # The two sides, both from the first limb to the last: along the rim's way and against it.
        there = [(low + k) % count for k in range((high - low) % count + 1)]
        back = [(low - k) % count for k in range((low - high) % count + 1)]
        webs: list[tuple[int, int, list[int]]] = []
        for k in range(len(limbs) - 1):
            way = ways[k] + ways[k + 1]
            way /= np.linalg.norm(way)
            normal = roots[k + 1] - roots[k]
            normal -= (normal @ way) * way
            normal /= np.linalg.norm(normal)
            middle = 0.5 * (roots[k] + roots[k + 1])
            aside = np.abs((points - middle) @ normal)
            a, b = (int(np.argmin(np.round(aside[side], 6))) for side in (there, back))
            ends = [rim[there[a]], rim[back[b]]]
            for end in ends:
                self.points[end] -= ((self.points[end] - middle) @ normal) * normal
            front, behind = self.points[ends]
            web = [len(self.points), len(self.points) + 1]
            self.points = np.vstack([self.points, [front + t * (behind - front) + _WEB * way for t in (0.3, 0.7)]])
            self.owners += [name] * 2
            self.planes |= dict.fromkeys([ends[0], *web, ends[1]], (normal, middle))
            webs.append((a, b, web))
        edges = [(0, 0, []), *webs, (len(there) - 1, len(back) - 1, [])]
        for limb, (a, b, before), (c, d, after) in zip(limbs, edges, edges[1:], strict=False):
            forward, backward = [rim[k] for k in there[a : c + 1]], [rim[k] for k in back[b : d + 1]][::-1]
            loop = [*forward, *after, *backward, *before[::-1]]
            self.prongs[limb] = list(dict.fromkeys(loop))

    def _onto(self, name: str) -> list[Join]:
        forks = [base for base, limbs in self.forks.items() if name in limbs]
        return [j for j in self.joins if j.limb == name and j.base in (forks or self.owners)]

    def _opened(self, name: str, own: list[Face], onto: Sequence[Join]) -> list[Face]:
        """Take away what lies near the other, from the body in place; return what is left of the limb."""
        limb, body = (sorted({k for face in faces for k in face.corners}) for faces in (own, self.faces))
        gap = _PRONG if name in self.prongs else _LIMB
        apart = [self.fields.distance(join.base, self.points[limb]) - gap * join.width for join in onto]
        near = {k for k, value in zip(limb, np.min(apart, axis=0).tolist(), strict=True) if value < 0.0}
        if name in self.buried:
            first, sides = min(limb), self.shapes[name].rings.shape[1]
            near |= set(range(first, first + (self.buried[name] + 1) * sides))
        own = largest(without(own, near))
        if name in self.prongs:
            return own
        away = self.fields.distance(name, self.points[body]) - _BODY * max(join.width for join in onto)
        near = {k for k, value in zip(body, away.tolist(), strict=True) if value < 0.0}
        self.faces = without(self.faces, near)
        return own

    def _open(self, faces: Sequence[Face]) -> list[list[int]]:
        """Return the borders of some faces, those along the middle plane left out."""
        x = self.points[:, 0]
        return chains([(a, b) for a, b in border(faces) if not self.symmetric or x[a] < 0.0 or x[b] < 0.0])

    def _seam(self, name: str, own: Sequence[Face], onto: Sequence[Join]) -> list[Face]:
        """Return triangles between the limb and the hole nearest to it; long ones are divided."""
        inner = self._open(own)
        if len(inner) != 1:
            raise ValueError(f"{name} has {len(inner)} open borders; expected one")
        edge = inner[0]
        middle = self.points[edge].mean(axis=0)
        holes = [chain for chain in self._open(self.faces) if (chain[0] == chain[-1]) == (edge[0] == edge[-1])]
        if name in self.prongs:
            holes = [[*self.prongs[name], self.prongs[name][0]]]
        if not holes:
            raise ValueError(f"{name} enters no hole of its kind")
        hole = min(holes, key=lambda chain: round(float(np.linalg.norm(self.points[chain].mean(axis=0) - middle)), 6))
        lengths = [np.linalg.norm(np.diff(self.points[chain], axis=0), axis=1).mean() for chain in (edge, hole)]
        free = set(np.flatnonzero(self.points[:, 0] == 0.0).tolist()) if self.symmetric else set()
        longest = _LONGEST * float(np.mean(lengths))
        triangles, made = divided(strip(hole, edge, self.points), self.points, longest, free)
        near = [self.fields.distance(other, made) for other in (name, *(join.base for join in onto))]
        names = [name, *(join.base for join in onto)]
        self.owners += [names[int(k)] for k in np.argmin(np.round(near, 6), axis=0)] if len(made) else []
        self.points = np.vstack([self.points, made])
        return [Face(triangle, name, True) for triangle in triangles]

    def even(self) -> None:
        """Draw all vertices onto the smooth surface; spread those near the seams evenly."""
        points, owners = self.points, np.array(self.owners)
        flat = points[:, 0] == 0.0
        used = np.zeros(len(points), dtype=bool)
        used[[k for face in self.faces for k in face.corners]] = True
        moved = self._pulled(points, owners, used, flat)
        band = {k for face in self.faces if face.seam for k in face.corners}
        for _ in range(_ROUNDS):
            self.faces = flipped(self.faces, moved)
            around: dict[int, set[int]] = defaultdict(set)
            for face in self.faces:
                for a, b in edges_of(face.corners):
                    around[a].add(b)
                    around[b].add(a)
            wide = sorted(band.union(*(around[k] for k in band)))
            if not wide:
                break
            means = np.array([moved[sorted(around[k])].mean(axis=0) for k in wide])
            share = np.array([0.5 if k in band else 0.25 for k in wide])[:, None]
            moved[wide] += share * (means - moved[wide])
            rows = np.zeros(len(points), dtype=bool)
            rows[wide] = True
            moved = self._pulled(moved, owners, rows, flat)
        self.points = moved

    def _pulled(self, points: Array, owners: Array, rows: Array, flat: Array) -> Array:
        points = points.copy()
        for _ in range(_PULLS):
            points[flat, 0] = 0.0
            for name in self.shapes:
                own = np.flatnonzero(rows & (owners == name))
                if len(own):
                    points[own] = self.fields.pulled(name, points[own])
            for k, (normal, place) in self.planes.items():
                points[k] -= ((points[k] - place) @ normal) * normal
        points[flat, 0] = 0.0
        return points

    def weights(self) -> Weights:
        """Return the weights of all vertices; on the middle plane those of both sides are alike."""
        owners = np.array(self.owners)
        found: Weights = {}
        for name in self.shapes:
            rows = np.flatnonzero(owners == name)
            for joint, values in self.fields.weights(name, self.points[rows]).items():
                found.setdefault(joint, np.zeros(len(self.points)))[rows] = values
        if self.symmetric:
            none = np.zeros(len(self.points))
            found = {name: found.get(name, none) for name in [*found, *(swap_sides(name) for name in found)]}
            even = {name: 0.5 * (found[name] + found[swap_sides(name)]) for name in found}
            found = {name: np.where(self.points[:, 0] == 0.0, even[name], found[name]) for name in found}
        return found

    def labelled(self, weights: Weights) -> list[Face]:
        """Return the faces with those of the seams given to that joint of their limb which moves them most."""
        faces = []
        for face in self.faces:
            if face.seam:
                joints = [cut.joint for cut in self.shapes[face.joint].cuts]
                shares = [round(float(weights[joint][list(face.corners)].sum()), 6) for joint in joints]
                face = Face(face.corners, joints[shares.index(max(shares))], True)
            faces.append(face)
        return faces


def _crossing(limb: Tube, rim: Array) -> tuple[int, Array, Array]:
    """Return the ring of a limb that lies between the points of a rim, its middle and the limb's direction, (3,)."""
    centers = limb.rings.mean(axis=1)
    k = int(np.argmin(np.round([np.linalg.norm(rim - center, axis=1).min() for center in centers], 6)))
    way = centers[min(k + 1, len(centers) - 1)] - centers[max(k - 1, 0)]
    return k, centers[k], way / np.linalg.norm(way)


def _split(
    points: Array, faces: Sequence[Face], weights: Weights, shapes: Mapping[str, Tube], symmetric: bool
) -> dict[str, list[Mesh]]:
    """Return the mesh of each joint: its faces, with their reflection if it lies on the middle, closed inside."""
    domes = {cut.joint: cut.dome for shape in shapes.values() for cut in shape.cuts[1:]}
    parents = {b.joint: a.joint for shape in shapes.values() for a, b in pairwise(shape.cuts)}
    labels = list(dict.fromkeys(face.joint for face in faces))
    if symmetric:
        count = len(points)
        twin = np.where(points[:, 0] == 0.0, np.arange(count), np.arange(count) + count).tolist()
        swapped = {swap_sides(name): values for name, values in weights.items()}
        weights = {name: np.concatenate([values, swapped[name]]) for name, values in weights.items()}
        points = np.vstack([points, points * [-1.0, 1.0, 1.0]])
        left = [Face(tuple(twin[k] for k in reversed(face.corners)), swap_sides(face.joint)) for face in faces]
        faces = [*faces, *left]
    owners: dict[Edge, str] = {edge: face.joint for face in faces for edge in edges_of(face.corners)}
    found: dict[str, list[Mesh]] = {}
    for joint in labels:
        own = [face for face in faces if face.joint == joint]
        vertices, polygons = [*points], [face.corners for face in own]
        inside: list[tuple[list[int], list[int]]] = []  # new vertices, and the border whose skin they follow, if any
        for loop in loops(own):
            other = owners.get((loop[1], loop[0]), "")
            below = other if parents.get(other) == joint else joint if parents.get(joint) == other else ""
            dome = domes.get(below, 0.0)
            made = _closed(loop, dome, _beside(loop, own, points), vertices, polygons)
            inside.append((made, [] if dome else loop))
        size = len(vertices)
        table = {name: np.concatenate([values, np.zeros(size - len(points))]) for name, values in weights.items()}
        table.setdefault(joint, np.zeros(size))
        for made, loop in inside:
            for name, values in table.items():
                values[made] = values[loop].mean() if loop else float(name == joint)
        used = sorted({k for polygon in polygons for k in polygon})
        place = {k: i for i, k in enumerate(used)}
        kept = {name: values[used] for name, values in table.items() if values[used].any()}
        numbered = tuple(tuple(place[k] for k in polygon) for polygon in polygons)
        fans = [(p[0], p[i], p[i + 1]) for p in numbered for i in range(1, len(p) - 1)]
        mesh = Mesh(np.array(vertices)[used], np.array(fans, dtype=np.int32), numbered)
        found[joint] = [skinned(mesh, kept, joint)]
    return found


def _beside(loop: Sequence[int], faces: Sequence[Face], points: Array) -> Array:
    """Return the mean of the unit normals of the faces along a border, (3,): short if it runs round a limb."""
    along = set(edges_of(loop))
    normals = []
    for face in faces:
        if along.intersection(edges_of(face.corners)):
            corners = points[list(face.corners)]
            normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
            normals.append(normal / max(float(np.linalg.norm(normal)), 1e-12))
    return np.mean(normals, axis=0)


def _closed(
    loop: list[int], dome: float, normal: Array, vertices: list[Array], polygons: list[tuple[int, ...]]
) -> list[int]:
    """Close an opening by a dome or a flat end, sunk where the border lies in a flat place; return the new vertices.

    Args:
        loop: Border as the faces along it run.
        dome: Height in mean radii.
        normal: Mean normal of the skin along it.
        vertices: Grows.
        polygons: Grows.
    """
    corners = np.array([vertices[k] for k in loop])
    center = corners.mean(axis=0)
    spokes = corners - center
    area = 0.5 * np.cross(spokes, np.roll(spokes, -1, axis=0)).sum(axis=0)
    along = -area / np.linalg.norm(area)  # out of the piece: the border runs clockwise seen from there
    radius = float(np.linalg.norm(spokes, axis=1).mean())
    first = len(vertices)
    ring = loop
    if dome:
        spread = _RIM * (spokes - np.outer(spokes @ along, along))
        made = list(range(first, first + len(loop)))
        vertices += [*(center + np.cos(_TURN) * spread + np.sin(_TURN) * dome * radius * along)]
        polygons += [(b, a, c, d) for (a, b), (c, d) in zip(edges_of(ring), edges_of(made), strict=True)]
        ring = made
    pole = len(vertices)
    vertices.append(center + dome * radius * along - _SUNK * radius * normal)
    polygons += [(b, a, pole) for a, b in edges_of(ring)]
    return list(range(first, pole + 1))
