"""Poses with layers added: offsets between keys, weighed, one after the other; see ``core.animation.layers.packed``."""

from __future__ import annotations

import math

from core.kernels import EXACT, F1, F2, F3, FOUR, I1, I2, THREE, kernel
from core.keyed_curves.keyed_curve_kernel import value_at

LOCKED = 1e-22
"""As in ``core.spatial.three_axes``: how much the angles asked for count where two axes fall together."""
MARGIN = 1e-6
"""How much nearer one set of angles must be for the other one not to be looked at, [rad^2]; and how far from each other
two axes must point for the two sets to be half a turn apart, its square."""
WORK = 8
"""Numbers of scratch memory for each joint that turns: its rotation, the angles asked for, whether it turns."""


@kernel(internal=True, fastmath=EXACT)
def times(aw: float, ax: float, ay: float, az: float, bw: float, bx: float, by: float, bz: float) -> FOUR:
    """Return the product of two quaternions."""
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


@kernel(internal=True, fastmath=EXACT)
def power(w: float, x: float, y: float, z: float, exponent: float) -> FOUR:
    """Return a power of a unit quaternion, its sign as it is."""
    length = math.sqrt(x * x + y * y + z * z)
    if length > 0.0:
        half = exponent * math.atan2(length, w)
        factor = math.sin(half) / length
        return math.cos(half), factor * x, factor * y, factor * z
    half = exponent * math.pi if w < 0.0 else 0.0
    return math.cos(half), math.sin(half), 0.0, 0.0


@kernel(internal=True, fastmath=EXACT)
def along(arc: F1, i: int, u: float) -> FOUR:
    """Return the rotation at ``u`` of an arc, 0 to 1: where it starts, half its angle and its axis from place i on."""
    half = u * arc[i + 4]
    s = math.sin(half)
    return times(
        arc[i], arc[i + 1], arc[i + 2], arc[i + 3], math.cos(half), s * arc[i + 5], s * arc[i + 6], s * arc[i + 7]
    )


@kernel(internal=True, fastmath=EXACT)
def turned(axes: F2, a: float, b: float, c: float) -> FOUR:
    """Return the rotation by three angles about three axes in turn, [rad]."""
    s, t, u = math.sin(0.5 * a), math.sin(0.5 * b), math.sin(0.5 * c)
    w, x, y, z = times(
        math.cos(0.5 * a), s * axes[0, 0], s * axes[0, 1], s * axes[0, 2],
        math.cos(0.5 * b), t * axes[1, 0], t * axes[1, 1], t * axes[1, 2],
    )  # fmt: skip
    return times(w, x, y, z, math.cos(0.5 * c), u * axes[2, 0], u * axes[2, 1], u * axes[2, 2])


@kernel(internal=True, fastmath=EXACT)
def away(angle: float, near: float) -> float:
    """Return how far an angle, in the turn that is nearest, is from another one, [rad]."""
    found = angle - near
    return found - 2.0 * math.pi * math.floor(found / (2.0 * math.pi) + 0.5)


@kernel(internal=True, fastmath=EXACT)
def branch(axes: F2, across: F2, w: float, x: float, y: float, z: float, second: float, near: F1) -> FOUR:
    """Return the angles of a rotation whose second angle is known, as ways from those asked for, and their square sum.

    Args:
        axes: The three axes, shape (3, 3), neighbours at right angles.
        across: A frame about the first one, shape (2, 3): the second axis and what is across both.
        w: The rotation, with x, y and z.
        x: See w.
        y: See w.
        z: See w.
        second: The second angle, [rad].
        near: Angles asked for, [rad].
    """
    # Where the rotation takes the third axis, in the frame about the first one; and where the second angle alone does.
    ex, ey, ez = axes[2, 0], axes[2, 1], axes[2, 2]
    cx, cy, cz = y * ez - z * ey, z * ex - x * ez, x * ey - y * ex
    vx = ex + 2.0 * (w * cx + y * cz - z * cy)
    vy = ey + 2.0 * (w * cy + z * cx - x * cz)
    vz = ez + 2.0 * (w * cz + x * cy - y * cx)
    tp = across[0, 0] * vx + across[0, 1] * vy + across[0, 2] * vz
    tr = across[1, 0] * vx + across[1, 1] * vy + across[1, 2] * vz
    ch, sh = math.cos(0.5 * second), math.sin(0.5 * second)
    co, si = (ch - sh) * (ch + sh), 2.0 * sh * ch
    gx = axes[1, 1] * ez - axes[1, 2] * ey
    gy = axes[1, 2] * ex - axes[1, 0] * ez
    gz = axes[1, 0] * ey - axes[1, 1] * ex
    sx, sy, sz = co * ex + si * gx, co * ey + si * gy, co * ez + si * gz
    vp = across[0, 0] * sx + across[0, 1] * sy + across[0, 2] * sz
    vr = across[1, 0] * sx + across[1, 1] * sy + across[1, 2] * sz
    up, out = vp * tr - vr * tp, vp * tp + vr * tr
    if abs(up) + abs(out) < MARGIN:
        up, out = up + LOCKED * math.sin(near[0]), out + LOCKED * math.cos(near[0])
    first = math.atan2(up, out)
    s = math.sin(-0.5 * first)
    aw, ax, ay, az = times(
        ch, -sh * axes[1, 0], -sh * axes[1, 1], -sh * axes[1, 2],
        math.cos(0.5 * first), s * axes[0, 0], s * axes[0, 1], s * axes[0, 2],
    )  # fmt: skip
    bw, bx, by, bz = times(aw, ax, ay, az, w, x, y, z)
    third = 2.0 * math.atan2(bx * ex + by * ey + bz * ez, bw)
    a, b, c = away(first, near[0]), away(second, near[1]), away(third, near[2])
    return a, b, c, a * a + b * b + c * c


@kernel(internal=True, fastmath=EXACT)
def angles(axes: F2, across: F2, phase: float, w: float, x: float, y: float, z: float, near: F1) -> THREE:
    """Return the angles of a rotation on the branch nearest to given angles, [rad]; see ``ThreeAxes.angles``."""
    ex, ey, ez = axes[2, 0], axes[2, 1], axes[2, 2]
    cx, cy, cz = y * ez - z * ey, z * ex - x * ez, x * ey - y * ex
    vx = ex + 2.0 * (w * cx + y * cz - z * cy)
    vy = ey + 2.0 * (w * cy + z * cx - x * cz)
    vz = ez + 2.0 * (w * cz + x * cy - y * cx)
    height = axes[0, 0] * vx + axes[0, 1] * vy + axes[0, 2] * vz
    tp = across[0, 0] * vx + across[0, 1] * vy + across[0, 2] * vz
    tr = across[1, 0] * vx + across[1, 1] * vy + across[1, 2] * vz
    opening = math.atan2(math.sqrt(tp * tp + tr * tr), min(max(height, -1.0), 1.0))
    if away(near[1], phase) < 0.0:
        opening = -opening
    a, b, c, far = branch(axes, across, w, x, y, z, phase + opening, near)
    # The first and third angles of the other branch are half a turn away from these, so that it seldom can be nearer;
    # not so where two axes fall together.
    beyond = (math.pi - abs(a)) ** 2 + (math.pi - abs(c)) ** 2
    if far + MARGIN < beyond and tp * tp + tr * tr > MARGIN:
        return near[0] + a, near[1] + b, near[2] + c
    d, e, f, other = branch(axes, across, w, x, y, z, phase - opening, near)
    if far < other or (far == other and opening >= 0.0):
        return near[0] + a, near[1] + b, near[2] + c
    return near[0] + d, near[1] + e, near[2] + f


@kernel(internal=True, fastmath=EXACT)
def value_in(span: F2, cubic: F2, v: int, u: float) -> float:
    """Return a value at ``u`` of its span, 0 to 1."""
    value = ((cubic[3, v] * u + cubic[2, v]) * u + cubic[1, v]) * u + cubic[0, v]
    return min(max(value, span[2, v]), span[3, v])


@kernel(fastmath=EXACT)
def add(
    base: F2,
    q: F2,
    frames: F1,
    weights: F2,
    weighed: I1,
    first: I1,
    begins: F1,
    spans: F3,
    cubics: F3,
    arcs: F3,
    by_angle: F2,
    moves: F2,
    columns: I2,
    plain: I1,
    axes: F3,
    across: F3,
    phases: F1,
    limits: F2,
    cones: I2,
    cosines: F1,
    work: F2,
) -> int:
    """Add layers to poses, inside the limits; return how many come to lie outside a cone, which is left to the caller.

    Args:
        base: Poses without layers, shape (m, nq), [m] and [rad].
        q: Takes the poses, likewise; a copy of ``base``.
        frames: Their frame numbers, shape (m,).
        weights: Keys of the layers' weights, one layer after the other, shape (w, 3); see ``value_at``.
        weighed: Where those of each layer begin, and where the last one's end, shape (l + 1,).
        first: Where the intervals of each layer begin, and where the last one's end, shape (l + 1,).
        begins: Frame at which each interval begins, ascending within a layer, shape (n,).
        spans: Of each interval and value the frame at which its span begins, one over its length, 0 where it
            stands still, and what it stays between, shape (n, 4, nq).
        cubics: Offsets in the spans, shape (n, 4, nq).
        arcs: Of each interval and joint that turns: start, half the angle and the axis of the arc from key to key, and
            of the one between the inner points of the spline; shape (n, t, 16).
        by_angle: Whether a joint's offset follows its angles, 1 or 0, shape (n, t).
        moves: Whether a layer moves a value, 1 or 0, shape (l, nq).
        columns: Where the angles of joints that turn stand in a pose, shape (t, 3).
        plain: Which values are no such angles.
        axes: Their axes, shape (t, 3, 3).
        across: Frames about the first ones, shape (t, 2, 3).
        phases: Second angles at which the third axis comes nearest to the first, shape (t,), [rad].
        limits: Lower and upper limits of the values, shape (2, nq).
        cones: Where the two angles of swings with cones stand, shape (k, 2).
        cosines: Cosines of the cones' half-angles, shape (k,).
        work: Scratch memory, shape (t, WORK).
    """
    # In one piece: numba puts helpers with so many arrays into it anyway, and the loops share all of them.
    outside = 0
    count = len(moves)
    for m in range(len(frames)):
        frame = frames[m]
        for t in range(len(columns)):
            work[t, 0], work[t, 1], work[t, 2], work[t, 3] = 1.0, 0.0, 0.0, 0.0
            for k in range(3):
                work[t, 4 + k] = base[m, columns[t, k]]
            work[t, 7] = 0.0
        swung = False
        for layer in range(count):
            weight = value_at(weights[weighed[layer] : weighed[layer + 1]], frame)
            if weight == 0.0:
                continue
            lo, hi = first[layer], first[layer + 1] - 1
            while lo < hi:
                middle = (lo + hi + 1) // 2
                if begins[middle] <= frame:
                    lo = middle
                else:
                    hi = middle - 1
            for j in range(len(plain)):
                v = plain[j]
                if moves[layer, v] == 0.0:
                    continue
                u = min(max((frame - spans[lo, 0, v]) * spans[lo, 1, v], 0.0), 1.0)
                value = value_in(spans[lo], cubics[lo], v, u)
                if value != 0.0:
                    q[m, v] += weight * value
            for t in range(len(columns)):
                v = columns[t, 0]
                if moves[layer, v] == 0.0:
                    continue
                u = min(max((frame - spans[lo, 0, v]) * spans[lo, 1, v], 0.0), 1.0)
                a = value_in(spans[lo], cubics[lo], v, u)
                b = value_in(spans[lo], cubics[lo], columns[t, 1], u)
                c = value_in(spans[lo], cubics[lo], columns[t, 2], u)
                if by_angle[lo, t] != 0.0:
                    if a == 0.0 and b == 0.0 and c == 0.0:
                        continue
                    w, x, y, z = turned(axes[t], a, b, c)
                else:
                    r = arcs[lo, t]
                    w, x, y, z = along(r, 0, u)
                    d, e, f, g = along(r, 8, u)
                    d, e, f, g = times(w, -x, -y, -z, d, e, f, g)
                    d, e, f, g = power(d, e, f, g, 2.0 * u * (1.0 - u))
                    w, x, y, z = times(w, x, y, z, d, e, f, g)
                if x == 0.0 and y == 0.0 and z == 0.0:
                    continue
                if weight != 1.0:
                    if w < 0.0:
                        w, x, y, z = -w, -x, -y, -z
                    w, x, y, z = power(w, x, y, z, weight)
                w, x, y, z = times(w, x, y, z, work[t, 0], work[t, 1], work[t, 2], work[t, 3])
                work[t, 0], work[t, 1], work[t, 2], work[t, 3] = w, x, y, z
                work[t, 4] += weight * a
                work[t, 5] += weight * b
                work[t, 6] += weight * c
                work[t, 7] = 1.0
        for t in range(len(columns)):
            if work[t, 7] != 0.0:
                a, b, c = base[m, columns[t, 0]], base[m, columns[t, 1]], base[m, columns[t, 2]]
                w, x, y, z = turned(axes[t], a, b, c)
                w, x, y, z = times(work[t, 0], work[t, 1], work[t, 2], work[t, 3], w, x, y, z)
                d, e, f = angles(axes[t], across[t], phases[t], w, x, y, z, work[t, 4:7])
                q[m, columns[t, 0]], q[m, columns[t, 1]], q[m, columns[t, 2]] = d, e, f
        for v in range(3, len(limits[0])):
            if q[m, v] != base[m, v]:
                q[m, v] = min(max(q[m, v], min(limits[0, v], base[m, v])), max(limits[1, v], base[m, v]))
        for k in range(len(cones)):
            i, j = cones[k, 0], cones[k, 1]
            least = min(cosines[k], math.cos(base[m, i]) * math.cos(base[m, j]))
            if math.cos(q[m, i]) * math.cos(q[m, j]) < least:
                swung = True
        if swung:
            outside += 1
    return outside
