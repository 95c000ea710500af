"""Limbs and bodies as tubes through cross-sections in space, with weights that share the skin at the joints.

A tube runs through a table of cross-sections given in the world, bind pose; between them it is a Catmull-Rom spline.
Joints lie on some of the sections; the skin around such a section follows the joints before and after it.
``skeletons.making.shaping.skin`` joins tubes and cuts them into one mesh a joint. Everything is plain arithmetic in a
fixed order: the same table gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from core.skeleton import Mesh
from core.skeleton.mirroring.mirror import swap_sides
from core.skeleton.shapes import loft
from skeletons.making.shaping.loft import Array, spline

Weights = dict[str, Array]

# One cross-section: centre x, y, z, half-widths towards -u, +u, +v, -v, [m], superellipse exponent.
Section = tuple[float, float, float, float, float, float, float, float]


@dataclass(frozen=True)
class Cut:
    """Where a joint lies on a tube.

    Attributes:
        section: Number of the cross-section, from 0.
        joint: Name of the joint whose piece begins there.
        blend: Half-length of the stretch of skin that follows both joints, along the tube, [m].
        dome: Height of the domes that close the two pieces inside, in mean radii of the cut; 0 for flat ends. They show
            where a strong bend would make the skin cave in.
    """

    section: int
    joint: str
    blend: float
    dome: float = 0.0


@dataclass
class Tube:
    """A closed surface of rings along a line.

    Attributes:
        rings: Vertices, shape (m, sides, 3), world, [m].
        poles: The points that close the ends, shape (2, 3).
        cuts: Joints along it; the first is the one whose piece begins the tube, its section does not matter.
        starts: Number of the ring of each cut.
        weights: How much each vertex follows each joint: rings flattened, then the poles; shape (m * sides + 2,) each.
        fine: The same surface in more rings of more vertices, with its poles, for fields.
        cap_rings: Rings of each rounded end.
        patches: Joints whose pieces are patches of it, see ``painted``.
    """

    rings: Array
    poles: Array
    cuts: tuple[Cut, ...]
    starts: tuple[int, ...]
    weights: Weights
    fine: tuple[Array, Array] = field(repr=False)
    cap_rings: int
    patches: tuple[str, ...] = ()

    @property
    def points(self) -> Array:
        """All vertices, rings first, then the two poles, shape (m * sides + 2, 3)."""
        return np.vstack([self.rings.reshape(-1, 3), self.poles])

    def open_end(self) -> set[int]:
        """Return the vertices of the rounded end after the last section."""
        count, sides = self.rings.shape[:2]
        return {*range((count - self.cap_rings) * sides, count * sides), count * sides + 1}

    def mesh(self) -> Mesh:
        """Return the whole tube as one mesh without weights."""
        return loft(self.rings, *self.poles)

    def faces(self) -> list[tuple[tuple[int, ...], str]]:
        """Return the polygons, counter-clockwise seen from outside, each with the joint whose piece it belongs to."""
        count, sides = self.rings.shape[:2]
        surface = loft(self.rings, *self.poles)
        bounds = np.array(self.starts[1:])
        names = [cut.joint for cut in self.cuts]
        found = []
        for number, polygon in enumerate(surface.polygons):
            ring = (number - sides) // sides  # the first polygons close the start, the last the end
            name = names[int((bounds <= min(max(ring, 0), count - 2)).sum())]
            for patch in self.patches:
                name = patch if self.weights[patch][list(polygon)].mean() >= 0.5 else name
            found.append((polygon, name))
        return found

    def painted(self, joint: str, start: Sequence[float], end: Sequence[float], inner: float, outer: float) -> Tube:
        """Return the tube with a patch of its skin given to another joint.

        Args:
            joint: Who moves the patch.
            start: One end of the line that the patch lies about, (3,), [m].
            end: The other end.
            inner: Up to this distance from the line all of the skin follows the joint, [m].
            outer: From this distance on none of it does.
        """
        a, b = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
        points = self.points
        along = np.clip((points - a) @ (b - a) / float((b - a) @ (b - a)), 0.0, 1.0)
        far = np.linalg.norm(points - a - along[:, None] * (b - a), axis=1)
        t = np.clip((outer - far) / (outer - inner), 0.0, 1.0)
        share = t * t * (3.0 - 2.0 * t)
        weights = {name: values * (1.0 - share) for name, values in self.weights.items()}
        weights[joint] = weights.get(joint, np.zeros(len(points))) + share
        return replace(self, weights=weights, patches=(*self.patches, joint))

    def mirrored(self) -> Tube:
        """Return the tube reflected in x = 0, for the joints of the other side."""
        weights = {swap_sides(name): values for name, values in self.weights.items()}
        cuts = tuple(replace(cut, joint=swap_sides(cut.joint)) for cut in self.cuts)
        return replace(self.warped(lambda points: points * [-1.0, 1.0, 1.0]), weights=weights, cuts=cuts)

    def warped(self, moved: Callable[[Array], Array]) -> Tube:
        """Return the tube with all its points (n, 3) moved."""
        points = moved(self.points)
        rings, poles = self.fine
        fine = moved(rings.reshape(-1, 3)).reshape(rings.shape), moved(poles)
        return replace(self, rings=points[:-2].reshape(self.rings.shape), poles=points[-2:], fine=fine)

    def bumped(self, center: Sequence[float], radii: Sequence[float], height: float) -> Tube:
        """Return the tube with a smooth swelling, or a hollow with a negative height.

        Points inside the ellipsoid of the given ``radii`` (3,) about ``center`` (3,) move along their normals by
        ``height (1 - d^2)^2``, d being the distance in units of the radii; all in [m].
        """
        out = []
        for rings, poles in ((self.rings, self.poles), self.fine):
            mesh = loft(rings, *poles)
            d2 = np.sum(((mesh.vertices - np.asarray(center)) / np.asarray(radii)) ** 2, axis=1)
            points = mesh.vertices + (height * np.clip(1.0 - d2, 0.0, None) ** 2)[:, None] * mesh_normals(mesh)
            out.append((points[:-2].reshape(rings.shape), points[-2:]))
        return replace(self, rings=out[0][0], poles=out[0][1], fine=out[1])


def tube(
    sections: Sequence[Section],
    cuts: Sequence[Cut] | str,
    front: Sequence[float],
    caps: tuple[float, float],
    sides: int = 12,
    refine: int = 2,
    cap_rings: int = 2,
) -> Tube:
    """Return the tube through a table of cross-sections.

    Args:
        sections: Cross-sections in order from the first joint on, world, [m].
        cuts: Joints along the tube, or the name of the only one.
        front: Direction that +v is nearest to, shape (3,); never along the tube. ``u`` is at right angles to it and
            to the tube and looks to +x, or for a tube across x to the front.
        caps: Heights of the rounded ends, [m].
        sides: Vertices a ring; a multiple of 4 gives symmetric rings.
        refine: Rings a span between two sections.
        cap_rings: Rings a rounded end, its pole not counted.
    """
    joints = (Cut(0, cuts, 0.0),) if isinstance(cuts, str) else tuple(cuts)
    up = np.asarray(front, dtype=np.float64)
    rings, poles, along = _rings(sections, up, caps, sides, refine, cap_rings)
    fine = _rings(sections, up, caps, 2 * sides, 3 * refine, 2 * cap_rings)[:2]
    starts = tuple(cut.section * refine + cap_rings if k else 0 for k, cut in enumerate(joints))
    rows = np.concatenate([np.repeat(along[1:-1], sides), along[[0, -1]]])
    weights = chain_weights(rows, [float(along[1 + start]) for start in starts], joints)
    return Tube(rings, poles, joints, starts, weights, fine, cap_rings)


def _rings(
    sections: Sequence[Section], front: Array, caps: tuple[float, float], sides: int, refine: int, cap_rings: int
) -> tuple[Array, Array, Array]:
    """Return rings (m, sides, 3), the poles (2, 3) and the place of pole, rings and pole along the tube (m + 2,)."""
    table = spline(sections, refine)
    centers = table[:, :3]
    steps = np.diff(centers, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    tangents = np.vstack([steps[:1], steps[:-1] / lengths[:-1, None] + steps[1:] / lengths[1:, None], steps[-1:]])
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    v = front - np.outer(tangents @ front, np.ones(3)) * tangents
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    u = np.cross(v, tangents)
    if u[0, 0] + 1e-3 * u[0, 2] < 0.0:
        u = -u

    angle = 2.0 * np.pi * np.arange(sides) / sides
    cos, sin = np.cos(angle), np.sin(angle)
    cos[np.abs(cos) < 1e-12] = 0.0
    sin[np.abs(sin) < 1e-12] = 0.0
    power = 2.0 / table[:, 7:8]
    a = np.sign(cos) * np.abs(cos) ** power * np.where(cos < 0, table[:, 3:4], table[:, 4:5])
    b = np.sign(sin) * np.abs(sin) ** power * np.where(sin > 0, table[:, 5:6], table[:, 6:7])
    rings = centers[:, None] + a[:, :, None] * u[:, None] + b[:, :, None] * v[:, None]

    turns = np.arange(1, cap_rings + 1) * (np.pi / 2) / (cap_rings + 1)
    start = [centers[0] + np.cos(t) * (rings[0] - centers[0]) - np.sin(t) * caps[0] * tangents[0] for t in turns]
    end = [centers[-1] + np.cos(t) * (rings[-1] - centers[-1]) + np.sin(t) * caps[1] * tangents[-1] for t in turns]
    poles = np.array([centers[0] - caps[0] * tangents[0], centers[-1] + caps[1] * tangents[-1]])
    body = np.concatenate([[0.0], np.cumsum(lengths)])
    before, after = -caps[0] * np.sin(turns)[::-1], body[-1] + caps[1] * np.sin(turns)
    along = np.concatenate([[-caps[0]], before, body, after, [body[-1] + caps[1]]])
    closed = [np.array(start[::-1]).reshape(-1, sides, 3), rings, np.array(end).reshape(-1, sides, 3)]
    return np.concatenate(closed), poles, along


def chain_weights(along: Array, places: Sequence[float], cuts: Sequence[Cut]) -> Weights:
    """Return how much points along a chain follow each of its joints.

    Going along the chain each joint takes over from the one before it over twice its blend, as ``t^2 (3 - 2 t)``.

    Args:
        along: Place of each point along the chain, shape (n,), [m].
        places: Place of each joint.
        cuts: The joints; the first has no one to take over from.
    """
    weights: Weights = {}
    left = np.ones_like(along)
    for k, cut in enumerate(cuts):
        if k:
            t = np.clip(0.5 + 0.5 * (along - places[k]) / max(cut.blend, 1e-9), 0.0, 1.0)
            taken = t * t * (3.0 - 2.0 * t)
            weights[cuts[k - 1].joint] = left * (1.0 - taken)
            left = left * taken
    weights[cuts[-1].joint] = left
    return weights


def skinned(mesh: Mesh, weights: Mapping[str, Array], carrier: str) -> Mesh:
    """Return the mesh with weights as a .pol file has them: at most three joints besides the one that carries it.

    Weights under 2 % are dropped, the rest rounded to thousandths; what is left belongs to the carrier.
    """
    own = np.asarray(weights.get(carrier, np.zeros(len(mesh.vertices))))
    names = [name for name in weights if name != carrier]
    table = np.array([weights[name] for name in names]).reshape(len(names), len(mesh.vertices))
    total = own + table.sum(axis=0)
    table = np.where(table < 0.02 * total, 0.0, table)
    if len(names) > 3:
        rank = np.argsort(np.argsort(-table, axis=0, kind="stable"), axis=0, kind="stable")
        table = np.where(rank < 3, table, 0.0)
    own = np.where(own < 0.02 * total, 0.0, own)
    table = table / (own + table.sum(axis=0))
    table = np.floor(table * 1000.0 + 0.5) / 1000.0
    over = table.sum(axis=0) - 1.0
    best = table.argmax(axis=0) if len(names) else np.zeros(0, dtype=int)
    # Where the carrier has no share the others add up to one exactly, whatever the rounding said.
    for k in np.flatnonzero((over > 0.0) | ((own == 0.0) & (over != 0.0))) if len(names) else ():
        table[best[k], k] = round(table[best[k], k] - over[k], 3)
    kept = tuple((name, row) for name, row in zip(names, table, strict=True) if row.any())
    return Mesh(mesh.vertices, mesh.triangles, mesh.polygons, kept)


def merged(meshes: Sequence[Mesh]) -> Mesh:
    """Return several meshes without weights as one."""
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])]).tolist()
    polygons = [tuple(k + start for k in p) for mesh, start in zip(meshes, starts, strict=True) for p in mesh.polygons]
    triangles = [mesh.triangles + start for mesh, start in zip(meshes, starts, strict=True)]
    return Mesh(np.vstack([mesh.vertices for mesh in meshes]), np.vstack(triangles), tuple(polygons))


def mesh_normals(mesh: Mesh) -> Array:
    """Return outward unit normals at the vertices, weighted by the areas around them, shape (n, 3)."""
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles], 1, 0)
    face = np.cross(b - a, c - a)
    normals = np.zeros_like(mesh.vertices)
    for corner in range(3):
        np.add.at(normals, mesh.triangles[:, corner], face)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    return normals / np.where(lengths > 0.0, lengths, 1.0)
