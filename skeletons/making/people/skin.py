"""What the vertices of the bundled man and woman follow: weights of the joints, smooth along the skin."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra

from skeletons.making.people.flesh import Bones
from skeletons.making.shaping.flesh import Array

Polygons = Sequence[tuple[tuple[int, ...], str]]


def smooth_step(values: Array, low: float | Array, high: float | Array) -> Array:
    """Return 0 below ``low``, 1 above ``high`` and a smooth rise between."""
    t = np.clip((values - low) / (high - low), 0.0, 1.0)
    return np.asarray(t * t * (3.0 - 2.0 * t))


def even_rise(t: Array, ends: float = 0.4) -> Array:
    """Return 0 at 0, 1 at 1 and an even rise between, rounded off over a share of it at both ends."""
    slope = 1.0 / (1.0 - ends)

    def start(t: Array) -> Array:
        return np.asarray(np.where(t < ends, 0.5 * slope / ends * t * t, slope * (t - 0.5 * ends)))

    return np.where(t < 0.5, start(t), 1.0 - start(1.0 - t))


def evened(values: Array, vertices: Array, polygons: Polygons, chosen: NDArray[np.bool_], rounds: int) -> Array:
    """Return values of vertices, shape (n,), spread evenly along the skin where they are chosen.

    Distances along edges depend on how the edges run; what follows from them is uneven. Each round draws every value
    to the mean of its neighbours', those near by counting more.
    """
    pairs = {(p[i], p[i - 1]) for p, _ in polygons for i in range(len(p))}
    a, b = np.array(sorted(pairs | {(b, a) for a, b in pairs})).T
    near = 1.0 / np.maximum(np.linalg.norm(vertices[a] - vertices[b], axis=1), 1e-4)
    total = np.maximum(np.bincount(a, near, len(values)), 1e-9)
    for _ in range(rounds):
        mean = np.bincount(a, near * values[b], len(values)) / total
        values = np.where(chosen, 0.3 * values + 0.7 * mean, values)
    return values


def from_ring(vertices: Array, polygons: Polygons, inside: Callable[[str], bool]) -> Array:
    """Return how far each vertex is from the border of some segments, along the edges, shape (n,), [m].

    Args:
        vertices: Shape (n, 3).
        polygons: All polygons with their segments.
        inside: Whether a segment is one of them; their own vertices have positive distances.
    """
    n = len(vertices)
    own, others = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    pairs = set()
    for corners, segment in polygons:
        (own if inside(segment) else others)[list(corners)] = True
        count = len(corners)
        pairs |= {(corners[i], corners[k]) for i in range(count) for k in range(count) if i != k}
    a, b = np.array(sorted(pairs)).T
    graph = coo_matrix((np.linalg.norm(vertices[a] - vertices[b], axis=1), (a, b)), shape=(n, n)).tocsr()
    border = np.flatnonzero(own & others)
    distance = dijkstra(graph, directed=True, indices=border, min_only=True)
    return np.where(own, 1.0, -1.0) * np.where(np.isfinite(distance), distance, 1e3)


def weights(vertices: Array, polygons: Polygons, mirror: NDArray[np.int64], bones: Bones) -> dict[str, Array]:
    """Return the weight of every joint at every vertex, each of shape (n,); they add up to 1.

    The root has everything to begin with; then, down the tree, each joint takes its share of what its parent has.

    Args:
        vertices: The whole skin at rest, in the world, shape (n, 3).
        polygons: Its polygons with their segments.
        mirror: Number of each vertex' reflection.
        bones: The joints.
    """
    x, y, z = vertices.T
    result = {"pelvis": np.ones(len(vertices))}

    def take(parent: str, child: str, share: Array) -> None:
        if child.startswith("right "):
            left = share[mirror]
            scale = np.maximum(share + left, 1.0)
            own = result[parent]
            other = result[parent.replace("right ", "left ")]
            result[child], result[child.replace("right ", "left ")] = own * share / scale, other * left / scale
            if parent == parent.replace("right ", "left "):
                result[parent] = own * (1.0 - (share + left) / scale)
            else:
                result[parent] = own * (1.0 - share)
                result[parent.replace("right ", "left ")] = other * (1.0 - left)
        else:
            result[child] = result[parent] * share
            result[parent] = result[parent] * (1.0 - share)

    def ring(*segments: str) -> Array:
        return from_ring(vertices, polygons, lambda segment: segment in segments)

    def along(origin: Array, direction: Array) -> Array:
        return np.asarray((vertices - origin) @ (direction / np.linalg.norm(direction)))

    arm = ("right upper arm", "right forearm", "right hand")
    leg = ("right thigh", "right shank", "right foot", "right toes")
    on_arm = ring(*arm)
    any_arm = smooth_step(np.maximum(on_arm, on_arm[mirror]), -0.01, 0.01)
    take("pelvis", "abdomen", np.maximum(any_arm, smooth_step(y, bones.waist[1] - 0.055, bones.waist[1] + 0.055)))
    take("abdomen", "chest", np.maximum(any_arm, smooth_step(y, bones.chest[1] - 0.060, bones.chest[1] + 0.060)))
    radius = np.hypot(x, z - bones.neck[2] - 0.3 * (y - bones.neck[1]))
    nape = along(bones.neck, np.array([0.0, 0.94, 0.34]))
    column = np.maximum(smooth_step(-radius, -0.105, -0.065), smooth_step(ring("neck", "head"), 0.0, 0.030))
    take("chest", "neck", smooth_step(nape, -0.025, 0.045) * column)
    take("neck", "head", smooth_step(ring("head"), -0.030, 0.030))

    # The girdle: from the breast bone to the shoulder, less in the armpit. What follows girdle and arm turns about the
    # shoulder at its full distance, part of the way: deltoid, point of the shoulder, and what lies before and behind.
    # What follows chest and arm is drawn in when the arm is raised: the armpit, which hollows, and the fold beside it.
    outwards = smooth_step(-x, 0.035, 0.145)
    below = bones.shoulder[1] - y
    low = smooth_step(below, -0.020, 0.085)  # 1 in the armpit
    start, end = -0.080 - 0.012 * low, 0.165 - 0.060 * low
    share = np.clip((on_arm - start) / (end - start), 0.0, 1.0)
    share = even_rise(evened(share, vertices, polygons, (share > 0.0) & (share < 1.0), 60))
    beside = smooth_step(bones.shoulder[0] - x, -0.010, 0.030)
    girdle = (1.0 - 0.60 * smooth_step(below, -0.070, 0.090)) * smooth_step(-below, -0.210, -0.060)
    girdle = outwards * np.maximum(girdle, beside)
    both = share + girdle * (1.0 - share)
    take("chest", "right clavicle", both)
    take("right clavicle", "right upper arm", share / np.maximum(both, 1e-9))
    # Where a joint bends away from, the skin changes over lower down, so that the point of the elbow or knee stays out.
    elbow = along(bones.elbow, -(bones.upper_arm + bones.forearm)[:, 1])
    behind = smooth_step(bones.elbow[2] - z, -0.020, 0.030)
    take("right upper arm", "right forearm", smooth_step(elbow - 0.016 * behind, -0.024, 0.024) * (on_arm > 0.0))
    take(
        "right forearm",
        "right hand",
        smooth_step(along(bones.wrist, -bones.forearm[:, 1]), -0.020, 0.020) * (on_arm > 0.0),
    )

    on_leg = ring(*leg)
    back = smooth_step(-z, -0.050, 0.050)
    side = np.maximum(smooth_step(-x, -0.030, 0.030), smooth_step(on_leg, 0.020, 0.090))
    take("pelvis", "right thigh", smooth_step(on_leg, -0.035 - 0.060 * back, 0.050 + 0.030 * back) * side)
    on = on_leg > 0.0
    before = smooth_step(z - bones.knee[2], -0.030, 0.040)
    knee = along(bones.knee, -bones.shank[:, 1]) - 0.022 * before
    take("right thigh", "right shank", smooth_step(knee, -0.034, 0.034) * on)
    take("right shank", "right foot", smooth_step(ring("right foot", "right toes"), -0.030, 0.030) * on)
    take("right foot", "right toes", smooth_step(z - bones.ball[2], -0.014, 0.014) * on)
    return result
