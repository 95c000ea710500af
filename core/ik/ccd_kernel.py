"""Cyclic-coordinate descent."""

from __future__ import annotations

import math

from core.ik.along_kernel import run_along
from core.ik.nodes_kernel import bounds, clamp, errors, frames, record, record_start
from core.ik.packed import Aims, Nodes, Work, unpack
from core.ik.wahba_kernel import arc, best_rotation, rotation, three_angles
from core.kernels import F1, F3, I1, PAIR, kernel
from core.kinematics.cones import NO_CONE
from core.kinematics.nodes_kernel import in_frame
from core.skeleton.tree import KIND_BEFORE, KIND_HINGE

ALIKE = 2
"""Sweeps in a row before the rest of the series is guessed: what meets its goal quickly is never guessed."""
CLIMBS = 16
LEAST_RATIO = 0.3
LONGEST = 1e3
"""Most steps that are added at once."""
NEGLIGIBLE = 1e-12
"""Amplitude of the objective, against the terms it is made of, under which no angle is better than another."""
STALL = 1e-2
STALL_SWEEPS = 8
TWO_PI = 2.0 * math.pi

BEFORE, TRAVEL, TRIAL = 0, 1, 2


@kernel(internal=True)
def on_circle(angle: float, period: float) -> float:
    """Return how far ``angle`` is from the nearest multiple of ``period``."""
    return abs(angle - period * math.floor(angle / period + 0.5))


@kernel
def choose(best: float, weight: float, value: float, lower: float, upper: float) -> float:
    """Return the turn toward ``best`` that the limits allow.

    With full responsiveness: ``best`` itself, the short way or else the long way round, else the limit nearest to it
    on the circle, which is best because the objective is one sinusoid. With less, a part of the way, clamped.
    """
    if weight < 1.0:
        return min(max(weight * best, lower - value), upper - value)
    if lower <= value + best <= upper:
        return best
    other = best - math.copysign(TWO_PI, best)
    if lower <= value + other <= upper:
        return other
    to_lower = on_circle(lower - value - best, TWO_PI) if math.isfinite(lower) else math.inf
    to_upper = on_circle(upper - value - best, TWO_PI) if math.isfinite(upper) else math.inf
    return (lower if to_lower < to_upper else upper) - value


@kernel(internal=True)
def height(C1: float, S1: float, C2: float, S2: float, a: float) -> float:
    """Objective of a hinge below a scaled joint."""
    return C1 * math.cos(a) + S1 * math.sin(a) + C2 * math.cos(2.0 * a) + S2 * math.sin(2.0 * a)


@kernel(linked=True)
def turn_affine(nodes: Nodes, aims: Aims, k: int, work: Work, least: float, most: float) -> float:
    """Return by how much hinge ``k`` should turn below a scaled joint.

    There the point moves on an ellipse and the objective has a second harmonic,
    ``g(a) = C1 cos a + S1 sin a + C2 cos 2a + S2 sin 2a``. It is climbed with steps ``g' / H``, ``H`` a bound of
    ``|g''|``, none of which can lower it.
    """
    X, R = work.X, work.R
    C1 = S1 = C2 = S2 = scale = 0.0
    for g in range(len(aims.node)):
        if aims.distal[g, k] == 0:
            continue
        w_p, w_o = aims.weight[g, 0], 0.5 * aims.weight[g, 1] * aims.weight[g, 2] * aims.weight[g, 2]
        if w_p > 0.0:
            a, b, c = in_frame(X, k, work.P[g, 0], work.P[g, 1], work.P[g, 2])
            for i in range(3):
                U = X[k, i, 0] * a + X[k, i, 1] * b
                V = X[k, i, 1] * a - X[k, i, 0] * b
                rest = aims.target[g, i] - X[k, i, 3] - X[k, i, 2] * c
                C1 += w_p * rest * U
                S1 += w_p * rest * V
                C2 -= 0.25 * w_p * (U * U - V * V)
                S2 -= 0.5 * w_p * U * V
                scale += w_p * (rest * rest + U * U + V * V)
        if w_o > 0.0:
            x, y, z = R[k, 0, 2], R[k, 1, 2], R[k, 2, 2]
            for j in range(3):
                c0, c1, c2 = work.O[g, 0, j], work.O[g, 1, j], work.O[g, 2, j]
                d0, d1, d2 = aims.wanted[g, 0, j], aims.wanted[g, 1, j], aims.wanted[g, 2, j]
                along = (d0 * x + d1 * y + d2 * z) * (c0 * x + c1 * y + c2 * z)
                C1 += w_o * (d0 * c0 + d1 * c1 + d2 * c2 - along)
                S1 += w_o * (x * (c1 * d2 - c2 * d1) + y * (c2 * d0 - c0 * d2) + z * (c0 * d1 - c1 * d0))
            scale += w_o
    steepest = math.hypot(C1, S1) + 4.0 * math.hypot(C2, S2)
    if steepest <= NEGLIGIBLE * scale:
        return 0.0
    here = height(C1, S1, C2, S2, 0.0)
    a = min(max(math.atan2(S1, C1), least), most)
    if height(C1, S1, C2, S2, a) < here:
        a = 0.0
    for _ in range(CLIMBS):
        rise = S1 * math.cos(a) - C1 * math.sin(a) + 2.0 * (S2 * math.cos(2.0 * a) - C2 * math.sin(2.0 * a))
        a = min(max(a + rise / steepest, least), most)
    part = min(max(nodes.weight[k] * a, least), most)
    return part if height(C1, S1, C2, S2, part) >= here else 0.0


@kernel(inline=True)
def shift(aims: Aims, weight: float, k: int, work: Work) -> float:
    """Return by how much slide ``k`` should move, eq. 4.24, for several goals their weighted mean."""
    X, P, target = work.X, work.P, aims.target
    x, y, z = X[k, 0, 2], X[k, 1, 2], X[k, 2, 2]
    along = total = 0.0
    for g in range(len(aims.node)):
        if aims.distal[g, k] != 0 and aims.weight[g, 0] > 0.0:
            w_p = aims.weight[g, 0]
            d0, d1, d2 = target[g, 0] - P[g, 0], target[g, 1] - P[g, 1], target[g, 2] - P[g, 2]
            along += w_p * (d0 * x + d1 * y + d2 * z)
            total += w_p * (x * x + y * y + z * z)
    return weight * along / total if total > 0.0 else 0.0


@kernel(inline=True)
def push(aims: Aims, k: int, work: Work, step: float) -> None:
    """Carry the end-effectors along when slide ``k`` moves by ``step``."""
    for g in range(len(aims.node)):
        if aims.distal[g, k] != 0:
            for i in range(3):
                work.P[g, i] += work.X[k, i, 2] * step


@kernel(inline=True)
def turn_columns(O: F3, g: int, x: float, y: float, z: float, c: float, s: float, h: float) -> None:  # noqa: E741
    """Turn the frame of goal ``g`` about a unit axis; c, s and h are the angle's cosine, its sine and 1 - c."""
    for j in range(3):
        a, b, d = O[g, 0, j], O[g, 1, j], O[g, 2, j]
        along = h * (x * a + y * b + z * d)
        O[g, 0, j] = c * a + along * x + s * (y * d - z * b)
        O[g, 1, j] = c * b + along * y + s * (z * a - x * d)
        O[g, 2, j] = c * d + along * z + s * (x * b - y * a)


@kernel(inline=True)
def spin_affine(aims: Aims, k: int, work: Work, step: float) -> None:
    """Carry the end-effectors along when hinge ``k`` of a figure with scales turns by ``step``."""
    X, R, P, O = work.X, work.R, work.P, work.O  # noqa: E741 - the thesis' name
    x, y, z = R[k, 0, 2], R[k, 1, 2], R[k, 2, 2]
    c, s = math.cos(step), math.sin(step)
    h = 2.0 * math.sin(0.5 * step) ** 2
    for g in range(len(aims.node)):
        if aims.distal[g, k] != 0:
            if aims.weight[g, 1] > 0.0:
                turn_columns(O, g, x, y, z, c, s, h)
            a, b, d = in_frame(X, k, P[g, 0], P[g, 1], P[g, 2])
            a, b = c * a - s * b, s * a + c * b
            for i in range(3):
                P[g, i] = X[k, i, 3] + X[k, i, 0] * a + X[k, i, 1] * b + X[k, i, 2] * d


@kernel(inline=True)
def spin_hinge(aims: Aims, k: int, work: Work, weight: float, value: float, lower: float, upper: float) -> float:
    """Turn hinge ``k`` of a figure without scales and carry the end-effectors along; return its value.

    Eqs. 4.20-4.23, summed over the goals distal to it (5.8).
    """
    X, P, O = work.X, work.P, work.O  # noqa: E741 - the thesis' name
    node, distal, importance, target, wanted = aims.node, aims.distal, aims.weight, aims.target, aims.wanted
    x, y, z = X[k, 0, 2], X[k, 1, 2], X[k, 2, 2]
    j0, j1, j2 = X[k, 0, 3], X[k, 1, 3], X[k, 2, 3]
    cosine = sine = scale = 0.0
    for g in range(len(node)):
        if distal[g, k] != 0:
            w_p, w_o = importance[g, 0], 0.5 * importance[g, 1] * importance[g, 2] * importance[g, 2]
            if w_p > 0.0:
                c0, c1, c2 = P[g, 0] - j0, P[g, 1] - j1, P[g, 2] - j2
                d0, d1, d2 = target[g, 0] - j0, target[g, 1] - j1, target[g, 2] - j2
                cosine += w_p * (d0 * c0 + d1 * c1 + d2 * c2 - (d0 * x + d1 * y + d2 * z) * (c0 * x + c1 * y + c2 * z))
                sine += w_p * (x * (c1 * d2 - c2 * d1) + y * (c2 * d0 - c0 * d2) + z * (c0 * d1 - c1 * d0))
                scale += w_p * (c0 * c0 + c1 * c1 + c2 * c2 + d0 * d0 + d1 * d1 + d2 * d2)
            if w_o > 0.0:
                for j in range(3):
                    c0, c1, c2 = O[g, 0, j], O[g, 1, j], O[g, 2, j]
                    d0, d1, d2 = wanted[g, 0, j], wanted[g, 1, j], wanted[g, 2, j]
                    along = (d0 * x + d1 * y + d2 * z) * (c0 * x + c1 * y + c2 * z)
                    cosine += w_o * (d0 * c0 + d1 * c1 + d2 * c2 - along)
                    sine += w_o * (x * (c1 * d2 - c2 * d1) + y * (c2 * d0 - c0 * d2) + z * (c0 * d1 - c1 * d0))
                scale += w_o
    size = math.sqrt(sine * sine + cosine * cosine)
    new = value
    if size > NEGLIGIBLE * scale:
        best = math.atan2(sine, cosine)
        new = value + best
        if weight == 1.0 and lower <= new <= upper:
            c, s = cosine / size, sine / size
        else:
            new = min(max(value + choose(best, weight, value, lower, upper), lower), upper)
            # By way of the tangent: compilers work out a cosine ahead of the question whether it is needed.
            c = math.tan(0.5 * (new - value))
            c, s = (1.0 - c * c) / (1.0 + c * c), 2.0 * c / (1.0 + c * c)
        h = s * s / (1.0 + c) if c > 0.0 else 1.0 - c
        if new != value:
            for g in range(len(node)):
                if distal[g, k] != 0:
                    if importance[g, 1] > 0.0:
                        turn_columns(O, g, x, y, z, c, s, h)
                    a, b, d = P[g, 0] - j0, P[g, 1] - j1, P[g, 2] - j2
                    along = h * (x * a + y * b + z * d)
                    P[g, 0] = j0 + c * a + along * x + s * (y * d - z * b)
                    P[g, 1] = j1 + c * b + along * y + s * (z * a - x * d)
                    P[g, 2] = j2 + c * d + along * z + s * (x * b - y * a)
    return new


@kernel(inline=True)
def turn_ball(nodes: Nodes, aims: Aims, k: int, x: F1, work: Work) -> bool:
    """Turn the ball joint that ends at node ``k`` by the one rotation that is best for all goals distal to it.

    The rotation maximises the sum of 4.18 over the goals; responsiveness scales its angle. For one position it is the
    shortest arc.

    Returns:
        Whether that was done: not if its hinges differ in responsiveness, if no rotation is better than all others, or
        if the hinges or their limits do not reach it.
    """
    # In one piece: a chain of reasons not to turn the joint at once; what is worked out for one is used by the next.
    X, P, O = work.X, work.P, work.O  # noqa: E741 - the thesis' name
    node, distal, importance, target, wanted = aims.node, aims.distal, aims.weight, aims.target, aims.wanted
    weight, lower, upper, cone, partner = nodes.weight, nodes.lower, nodes.upper, nodes.cone, nodes.partner
    w = weight[k]
    done = w > 0.0 and weight[k - 1] == w and weight[k - 2] == w
    terms = 0
    b00 = b01 = b02 = b10 = b11 = b12 = b20 = b21 = b22 = 0.0
    v0 = v1 = v2 = 0.0
    found = 0.0
    j0, j1, j2 = X[k, 0, 3], X[k, 1, 3], X[k, 2, 3]
    if done:
        for g in range(len(node)):
            if distal[g, k] == 0:
                continue
            w_p, w_o = importance[g, 0], 0.5 * importance[g, 1] * importance[g, 2] * importance[g, 2]
            if w_p > 0.0:
                c0, c1, c2 = P[g, 0] - j0, P[g, 1] - j1, P[g, 2] - j2
                d0, d1, d2 = w_p * (target[g, 0] - j0), w_p * (target[g, 1] - j1), w_p * (target[g, 2] - j2)
                b00, b01, b02 = b00 + d0 * c0, b01 + d0 * c1, b02 + d0 * c2
                b10, b11, b12 = b10 + d1 * c0, b11 + d1 * c1, b12 + d1 * c2
                b20, b21, b22 = b20 + d2 * c0, b21 + d2 * c1, b22 + d2 * c2
                terms += 1
                if terms == 1 and w_o == 0.0:
                    found, v0, v1, v2 = arc(c0, c1, c2, d0, d1, d2)
            if w_o > 0.0:
                for j in range(3):
                    c0, c1, c2 = O[g, 0, j], O[g, 1, j], O[g, 2, j]
                    d0, d1, d2 = w_o * wanted[g, 0, j], w_o * wanted[g, 1, j], w_o * wanted[g, 2, j]
                    b00, b01, b02 = b00 + d0 * c0, b01 + d0 * c1, b02 + d0 * c2
                    b10, b11, b12 = b10 + d1 * c0, b11 + d1 * c1, b12 + d1 * c2
                    b20, b21, b22 = b20 + d2 * c0, b21 + d2 * c1, b22 + d2 * c2
                terms += 2
        if terms > 1:
            found, v0, v1, v2 = best_rotation(b00, b01, b02, b10, b11, b12, b20, b21, b22)
        done = terms == 0 or found > 0.0
    if done and terms > 0:
        s = rotation(w * v0, w * v1, w * v2)
        gain = (s[0] - 1.0) * b00 + s[1] * b01 + s[2] * b02 + s[3] * b10 + (s[4] - 1.0) * b11 + s[5] * b12
        gain += s[6] * b20 + s[7] * b21 + (s[8] - 1.0) * b22
        if gain > 0.0:
            f = k - 2
            x0, x1, x2 = X[k, 0, 0], X[k, 1, 0], X[k, 2, 0]
            y0, y1, y2 = s[0] * x0 + s[1] * x1 + s[2] * x2, s[3] * x0 + s[4] * x1 + s[5] * x2, 0.0
            y2 = s[6] * x0 + s[7] * x1 + s[8] * x2
            x0, x1, x2 = X[k, 0, 2], X[k, 1, 2], X[k, 2, 2]
            z0, z1, z2 = s[0] * x0 + s[1] * x1 + s[2] * x2, s[3] * x0 + s[4] * x1 + s[5] * x2, 0.0
            z2 = s[6] * x0 + s[7] * x1 + s[8] * x2
            reached, a0, a1, a2 = three_angles(
                nodes.fixed, k,
                X[f, 0, 0] * y0 + X[f, 1, 0] * y1 + X[f, 2, 0] * y2,
                X[f, 0, 1] * y0 + X[f, 1, 1] * y1 + X[f, 2, 1] * y2,
                X[f, 0, 2] * y0 + X[f, 1, 2] * y1 + X[f, 2, 2] * y2,
                X[f, 0, 0] * z0 + X[f, 1, 0] * z1 + X[f, 2, 0] * z2,
                X[f, 0, 1] * z0 + X[f, 1, 1] * z1 + X[f, 2, 1] * z2,
                X[f, 0, 2] * z0 + X[f, 1, 2] * z1 + X[f, 2, 2] * z2,
                x[k - 1], x[k],
            )  # fmt: skip
            a0, a1, a2 = x[f] + a0, x[k - 1] + a1, x[k] + a2
            done = reached > 0.0 and lower[f] <= a0 <= upper[f]
            done = done and lower[k - 1] <= a1 <= upper[k - 1] and lower[k] <= a2 <= upper[k]
            for i in range(f, k + 1):
                if cone[i] != NO_CONE:
                    p = partner[i]
                    own = a0 if i == f else (a1 if i == k - 1 else a2)
                    other = a0 if p == f else (a1 if p == k - 1 else a2)
                    done = done and math.cos(own) * math.cos(other) >= cone[i]
            if done:
                x[f], x[k - 1], x[k] = a0, a1, a2
                for g in range(len(node)):
                    if distal[g, k] == 0:
                        continue
                    c0, c1, c2 = P[g, 0] - j0, P[g, 1] - j1, P[g, 2] - j2
                    P[g, 0] = j0 + s[0] * c0 + s[1] * c1 + s[2] * c2
                    P[g, 1] = j1 + s[3] * c0 + s[4] * c1 + s[5] * c2
                    P[g, 2] = j2 + s[6] * c0 + s[7] * c1 + s[8] * c2
                    if importance[g, 1] > 0.0:
                        for j in range(3):
                            c0, c1, c2 = O[g, 0, j], O[g, 1, j], O[g, 2, j]
                            O[g, 0, j] = s[0] * c0 + s[1] * c1 + s[2] * c2
                            O[g, 1, j] = s[3] * c0 + s[4] * c1 + s[5] * c2
                            O[g, 2, j] = s[6] * c0 + s[7] * c1 + s[8] * c2
    return done


@kernel(linked=True)
def sweep(nodes: Nodes, aims: Aims, x: F1, work: Work) -> None:
    """Visit every node once, tips first, each time with the values that are best for the goals distal to it.

    Every child comes before its parent, whatever branch it is on, so that a joint is chosen for all its goals after
    all of its subtrees are done (5.4). A ball joint is turned at once if its limits allow.

    The merit ``sum w L^2 (w_p/2 |P_d - P_c|^2 + sum_j (1 - u_jd . u_jc))`` never rises: ``w_p = 2 / L^2`` is held
    fixed (``(k / W^2)(1 + r)`` with W the chain's reach and r at 1) where the thesis lets r change from joint to joint.
    The factor L^2 weighs several goals against each other as the error that is reported does.
    Needs ``frames``; keeps ``work.P`` and ``work.O`` up to date, not the frames.

    Source: Welman (1993) eqs. 4.18-4.24, 5.8.
    """
    weight, kind, ball, affine = nodes.weight, nodes.kind, nodes.ball, nodes.affine[0] != 0
    k = len(x)
    while k > 0:
        k -= 1
        if ball[k] != 0 and not affine and turn_ball(nodes, aims, k, x, work):
            k -= 2
        elif weight[k] > 0.0:
            lower, upper = bounds(nodes, k, x)
            if kind[k] >= KIND_BEFORE:
                x[k] = run_along(nodes, aims, k, x, work, lower, upper)
            elif kind[k] != KIND_HINGE:
                new = min(max(x[k] + shift(aims, weight[k], k, work), lower), upper)
                push(aims, k, work, new - x[k])
                x[k] = new
            elif affine:
                new = min(max(x[k] + turn_affine(nodes, aims, k, work, lower - x[k], upper - x[k]), lower), upper)
                if new != x[k]:
                    spin_affine(aims, k, work, new - x[k])
                x[k] = new
            else:
                x[k] = spin_hinge(aims, k, work, weight[k], x[k], lower, upper)


@kernel(inline=True)
def descended(aims: Aims, work: Work) -> float:
    """Return what sweeps lower: ``sum w_p |P_d - P_c|^2 + w_o L^2 sum_j (1 - u_jd . u_jc)``; after ``errors``."""
    total = 0.0
    for g in range(len(aims.node)):
        if aims.weight[g, 0] > 0.0:
            a, b, c = work.E[6 * g], work.E[6 * g + 1], work.E[6 * g + 2]
            total += aims.weight[g, 0] * (a * a + b * b + c * c)
        if aims.weight[g, 1] > 0.0:
            rest = 3.0
            for i in range(3):
                for j in range(3):
                    rest -= aims.wanted[g, i, j] * work.O[g, i, j]
            total += aims.weight[g, 1] * aims.weight[g, 2] * aims.weight[g, 2] * rest
    return total


@kernel(linked=True)
def look(nodes: Nodes, aims: Aims, x: F1, work: Work) -> PAIR:
    """Work out frames and errors; a call, since it is needed in several places and long to compile."""
    frames(nodes, aims, x, work)
    return errors(aims, work)


@kernel(linked=True)
def solve(nodes: Nodes, aims: Aims, x: F1, work: Work, tolerance: float, max_iterations: int) -> int:
    """Sweep from the tips to the base until the goals are met, nothing moves any more or ``max_iterations``.

    Near a stretched pose sweeps follow each other like a geometric series. After two that do, the rest of the series
    is added at once, as far as the limits allow, and taken back if the merit would not fall.

    Args:
        nodes: Degrees of freedom.
        aims: Goals.
        x: Values of the nodes inside their limits, shape (K,), changed in place.
        work: Scratch memory; holds frames and errors at the end.
        tolerance: [W].
        max_iterations: Most sweeps.

    Returns:
        Number of sweeps.
    """
    before, travel, trial = work.s[BEFORE], work.s[TRAVEL], work.s[TRIAL]
    merit, worst = look(nodes, aims, x, work)
    record_start(work, merit)
    mark = math.sqrt(merit)
    alike = 0
    for sweeps in range(max_iterations):
        if worst <= tolerance:
            return sweeps
        for k in range(len(x)):
            before[k] = x[k]
        sweep(nodes, aims, x, work)
        merit, worst = look(nodes, aims, x, work)
        along = square = moved = 0.0
        for k in range(len(x)):
            step = x[k] - before[k]
            moved = max(moved, abs(step))
            if alike > 0:
                along += travel[k] * step
                square += travel[k] * travel[k]
            travel[k] = step
        if worst > tolerance and alike >= ALIKE and along > LEAST_RATIO * square:
            times = along / (square - along) if square - along > square / LONGEST else LONGEST
            for k in range(len(x)):
                trial[k] = x[k] + times * travel[k]
            clamp(nodes, trial)
            here = descended(aims, work)
            guessed, guessed_worst = look(nodes, aims, trial, work)
            if descended(aims, work) < here:
                for k in range(len(x)):
                    x[k] = trial[k]
                merit, worst, alike = guessed, guessed_worst, -1
            else:
                look(nodes, aims, x, work)
        alike += 1
        record(work, merit)
        if moved == 0.0 and alike > 0:
            return sweeps + 1
        if sweeps % STALL_SWEEPS == STALL_SWEEPS - 1:
            if mark - math.sqrt(merit) < STALL * tolerance:
                return sweeps + 1
            mark = math.sqrt(merit)
    return max_iterations


@kernel
def run(
    ints: I1, floats: F1, lower: F1, upper: F1, weight: F1, gain: F1, x: F1, trace: F1, tolerance: float,
    max_iterations: int,
) -> int:  # fmt: skip
    """``solve`` a packed problem: ``problem.packed_arguments``, then tolerance and most iterations."""
    nodes, aims, work = unpack(ints, floats, lower, upper, weight, gain, trace)
    return solve(nodes, aims, x, work, tolerance, max_iterations)
