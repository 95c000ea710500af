"""Rows of the limits of joints: of single coordinates, of the three angles of balls, of the swings in cones."""

from __future__ import annotations

import math

from core.dynamics.engine.memory import BALL_ROW, CONE_ROW, HIGH_ROW, LOW_ROW, Ball, Cone, Memory, Node
from core.dynamics.engine.rows_kernel import begin_row, gap_bound, half_solve, scatter
from core.dynamics.node_motion_kernel import FAST
from core.kernels import F1, THREE, kernel

LARGE = 1e300
"""Farther than any angle is from another."""
BACK, FASTEST_BACK = 0.1, 0.5
"""Swings outside their cones come back by this part of what they are outside in a step, at [rad/s] at the most."""


@kernel(linked=True, fastmath=FAST)
def limit_rows(memory: Memory, h: float) -> None:
    """Add the limits of coordinates that are, or will be, reached."""
    state = memory.state
    n = state.node_count
    columns = memory.columns
    depth, held = memory.depth, memory.held
    x, low, high, free = memory.x, memory.low, memory.high, memory.u_free
    new = memory.u_new
    margin = state.limit_margin
    for i in range(n):
        if held[i]:
            continue
        for side in range(2):
            sign, gap = (1.0, x[i] - low[i]) if side == 0 else (-1.0, high[i] - x[i])
            speed = sign * free[i]
            fall = min(speed, sign * new[i]) if state.widely else speed
            if gap + h * min(fall, 0.0) < margin:
                flag = memory.limit_flags[side, i]
                kind = LOW_ROW if side == 0 else HIGH_ROW
                row = begin_row(memory, gap_bound(memory, gap, 10.0 * margin, h), speed, kind, i, flag)
                if row < 0:
                    return
                for j in range(depth[i]):
                    columns[0, j] = 0.0
                columns[0, depth[i]] = sign
                half_solve(memory, columns, i, 1)
                scatter(memory, columns[0], i, row, 1.0)


@kernel(internal=True, fastmath=FAST)
def turned_about(axis: F1, angle: float, x: float, y: float, z: float) -> THREE:
    """Return a vector turned about a unit axis."""
    a, b, c = axis[0], axis[1], axis[2]
    cosine, sine = math.cos(angle), math.sin(angle)
    along = (1.0 - cosine) * (a * x + b * y + c * z)
    return (
        cosine * x + sine * (b * z - c * y) + along * a,
        cosine * y + sine * (c * x - a * z) + along * b,
        cosine * z + sine * (a * y - b * x) + along * c,
    )


@kernel(internal=True, fastmath=FAST)
def turned_back(R: F1, x: float, y: float, z: float) -> THREE:
    """Return a vector turned by the transpose of a rotation."""
    return (
        R[0] * x + R[3] * y + R[6] * z,
        R[1] * x + R[4] * y + R[7] * z,
        R[2] * x + R[5] * y + R[8] * z,
    )


@kernel(internal=True, fastmath=FAST)
def turned_by_ball(ball: Ball, node: Node, x: float, y: float, z: float) -> THREE:
    """Return a vector turned by the three hinges of a ball: by its node's turn, without the fixed ones."""
    x, y, z = turned_back(ball.after, x, y, z)
    a, b, c, d = node.turn[0], node.turn[1], node.turn[2], node.turn[3]
    # v + 2 a (q x v) + 2 q x (q x v)
    k0, k1, k2 = 2.0 * (c * z - d * y), 2.0 * (d * x - b * z), 2.0 * (b * y - c * x)
    x, y, z = x + a * k0 + c * k2 - d * k1, y + a * k1 + d * k0 - b * k2, z + a * k2 + b * k1 - c * k0
    return turned_back(ball.before, x, y, z)


@kernel(internal=True, fastmath=FAST)
def ball_angles(ball: Ball, node: Node) -> None:
    """Write the three angles of a ball, next to those of the last step."""
    e = ball.axes
    a0, a1, a2, b0, b1, b2, c0, c1, c2 = e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7], e[8]
    r0, r1, r2 = a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0
    t0, t1, t2 = turned_by_ball(ball, node, c0, c1, c2)
    along, tb, tr = t0 * a0 + t1 * a1 + t2 * a2, t0 * b0 + t1 * b1 + t2 * b2, t0 * r0 + t1 * r1 + t2 * r2
    opening = math.atan2(math.sqrt(tb * tb + tr * tr), along)
    n0, n1, n2 = ball.angles[0], ball.angles[1], ball.angles[2]
    # What the third angle is seen by: b, or a where b is along c, at right angles to c.
    if abs(b0 * c0 + b1 * c1 + b2 * c2) < 0.5:
        s0, s1, s2 = b0, b1, b2
    else:
        s0, s1, s2 = a0, a1, a2
    k = s0 * c0 + s1 * c1 + s2 * c2
    s0, s1, s2 = s0 - k * c0, s1 - k * c1, s2 - k * c2
    o0, o1, o2 = c1 * s2 - c2 * s1, c2 * s0 - c0 * s2, c0 * s1 - c1 * s0
    m0, m1, m2 = turned_by_ball(ball, node, s0, s1, s2)
    least = LARGE
    whole = 2.0 * math.pi
    for j in range(2):
        s = 1.0 if j == 0 else -1.0
        second = ball.span - s * opening
        first = math.atan2(-s * tb, s * tr) if opening > 1e-9 else n0
        x, y, z = turned_about(e[0:3], -first, m0, m1, m2)
        x, y, z = turned_about(e[3:6], -second, x, y, z)
        third = math.atan2(o0 * x + o1 * y + o2 * z, s0 * x + s1 * y + s2 * z)
        first += whole * round((n0 - first) / whole)
        second += whole * round((n1 - second) / whole)
        third += whole * round((n2 - third) / whole)
        away = (first - n0) ** 2 + (second - n1) ** 2 + (third - n2) ** 2
        if away < least:
            least = away
            ball.angles[0], ball.angles[1], ball.angles[2] = first, second, third


@kernel(linked=True, fastmath=FAST)
def ball_rows(memory: Memory, h: float) -> None:
    """Add the limits of the angles of balls that are, or will be, reached."""
    state = memory.state
    total = state.ball_count
    nodes = memory.nodes
    columns = memory.columns
    balls = memory.balls
    depth, held = memory.depth, memory.held
    free, new = memory.u_free, memory.u_new
    margin = state.limit_margin
    for k in range(total):
        ball = balls[k]
        i = ball.node
        if held[i]:
            continue
        ball_angles(ball, nodes[i])
        e = ball.axes
        q1, q2 = -ball.angles[1], -ball.angles[2]
        x0, x1, x2 = turned_about(e[3:6], q1, e[0], e[1], e[2])
        x0, x1, x2 = turned_about(e[6:9], q2, x0, x1, x2)
        y0, y1, y2 = turned_about(e[6:9], q2, e[3], e[4], e[5])
        x0, x1, x2 = turned_back(ball.after, x0, x1, x2)
        y0, y1, y2 = turned_back(ball.after, y0, y1, y2)
        z0, z1, z2 = turned_back(ball.after, e[6], e[7], e[8])
        c0, c1, c2 = y1 * z2 - y2 * z1, y2 * z0 - y0 * z2, y0 * z1 - y1 * z0
        d = x0 * c0 + x1 * c1 + x2 * c2
        sign = 1.0 if d >= 0.0 else -1.0
        for j in range(3):
            if j == 0:
                d0, d1, d2, scale = sign * c0, sign * c1, sign * c2, abs(d)
            elif j == 1:
                d0, d1, d2, scale = y0, y1, y2, 1.0
            else:
                d0, d1, d2 = sign * (x1 * y2 - x2 * y1), sign * (x2 * y0 - x0 * y2), sign * (x0 * y1 - x1 * y0)
                scale = abs(d)
            directions = ball.directions
            directions[3 * j], directions[3 * j + 1], directions[3 * j + 2] = d0, d1, d2
            ball.scales[j] = scale
            rate = d0 * free[i] + d1 * free[i + 1] + d2 * free[i + 2]
            later = d0 * new[i] + d1 * new[i + 1] + d2 * new[i + 2] if state.widely else 0.0
            for side in range(2):
                angle = ball.angles[j]
                away = angle - ball.low[j] if side == 0 else ball.high[j] - angle
                speed = rate if side == 0 else -rate
                if scale * away + h * min(speed, later if side == 0 else -later, 0.0) >= scale * margin:
                    continue
                of = 6 * k + 2 * j + side
                flag = memory.ball_flags[k, of - 6 * k]
                base = scale * gap_bound(memory, away, 10.0 * margin, h)
                row = begin_row(memory, base, speed, BALL_ROW, of, flag)
                if row < 0:
                    return
                out = 1.0 if side == 0 else -1.0
                last = depth[i + 2]
                for p in range(last - 2):
                    columns[0, p] = 0.0
                columns[0, last - 2], columns[0, last - 1], columns[0, last] = out * d0, out * d1, out * d2
                half_solve(memory, columns, i + 2, 1)
                scatter(memory, columns[0], i + 2, row, 1.0)


@kernel(internal=True, fastmath=FAST)
def cone_angle(memory: Memory, cone: Cone, side: int) -> float:
    """Return the angle of one of the two hinges that swing inside a cone."""
    if cone.balls[side] >= 0:
        return memory.balls[cone.balls[side]].angles[cone.places[side]]
    return memory.x[cone.nodes[side]] if cone.nodes[side] >= 0 else cone.angles[side]


@kernel(internal=True, fastmath=FAST)
def measure_cone(memory: Memory, cone: Cone) -> bool:
    """Write how far a joint swings and how fast for unit velocities; return whether it is free to swing and does.

    The swing's cosine is ``cos a cos b``; no rate is known where it is 0 or half a turn.
    """
    a, b = cone_angle(memory, cone, 0), cone_angle(memory, cone, 1)
    ca, sa, cb, sb = math.cos(a), math.sin(a), math.cos(b), math.sin(b)
    # Of the axis as the two hinges turn it, the part across where it was.
    sine = math.sqrt(sb * sb + sa * sa * cb * cb)
    cone.swing = math.atan2(sine, ca * cb)
    moves = False
    for side in range(2):
        rate = 0.0
        if sine > 1e-9:
            rate = (sa * cb if side == 0 else ca * sb) / sine
        for k in range(3):
            cone.rates[3 * side + k] = 0.0
        i = cone.nodes[side]
        if i < 0 or memory.held[i]:
            continue
        if cone.balls[side] >= 0:
            ball, j = memory.balls[cone.balls[side]], cone.places[side]
            if ball.scales[j] > 1e-9:
                for k in range(3):
                    cone.rates[3 * side + k] = rate * ball.directions[3 * j + k] / ball.scales[j]
        else:
            cone.rates[3 * side] = rate
        moves = moves or rate != 0.0
    return moves


@kernel(internal=True, fastmath=FAST)
def cone_speed(cone: Cone, memory: Memory, u: F1) -> float:
    """Return how fast a swing grows at velocities."""
    speed = 0.0
    for side in range(2):
        i = cone.nodes[side]
        if i >= 0:
            for k in range(3 if cone.balls[side] >= 0 else 1):
                speed += cone.rates[3 * side + k] * u[i + k]
    return speed


@kernel(internal=True, fastmath=FAST)
def cone_bend(memory: Memory, cone: Cone, u: F1, h: float) -> float:
    """Return how much farther a joint swings in a step at velocities than its rate says.

    Who moves straight on from a place on the rim, along it, is outside it at the end of the step.
    """
    straight = cone.swing + h * cone_speed(cone, memory, u)
    c0, c1, c2 = cone.axis[0], cone.axis[1], cone.axis[2]
    if c0 == 0.0 and c1 == 0.0 and c2 == 0.0:
        a, b = cone_angle(memory, cone, 0), cone_angle(memory, cone, 1)
        if cone.nodes[0] >= 0 and cone.balls[0] < 0:
            a += h * u[cone.nodes[0]]
        if cone.nodes[1] >= 0 and cone.balls[1] < 0:
            b += h * u[cone.nodes[1]]
        sa, sb, cb = math.sin(a), math.sin(b), math.cos(b)
        return max(math.atan2(math.sqrt(sb * sb + sa * sa * cb * cb), math.cos(a) * cb) - straight, 0.0)
    ball = memory.balls[cone.balls[0]]
    e = ball.axes
    # Where the axis stands at rest, in the axes of what turns: there the axis itself moves.
    p0, p1, p2 = turned_about(e[0:3], -ball.angles[0], c0, c1, c2)
    p0, p1, p2 = turned_about(e[3:6], -ball.angles[1], p0, p1, p2)
    p0, p1, p2 = turned_about(e[6:9], -ball.angles[2], p0, p1, p2)
    i, A = ball.node, ball.after
    x, y, z = u[i], u[i + 1], u[i + 2]
    speed = math.sqrt(x * x + y * y + z * z)
    if speed < 1e-12:
        return 0.0
    over = 1.0 / speed
    about = memory.columns[0]
    w0, w1, w2 = A[0] * x + A[1] * y + A[2] * z, A[3] * x + A[4] * y + A[5] * z, A[6] * x + A[7] * y + A[8] * z
    about[0], about[1], about[2] = w0 * over, w1 * over, w2 * over
    c0, c1, c2 = turned_about(about, h * speed, c0, c1, c2)
    k0, k1, k2 = p1 * c2 - p2 * c1, p2 * c0 - p0 * c2, p0 * c1 - p1 * c0
    later = math.atan2(math.sqrt(k0 * k0 + k1 * k1 + k2 * k2), p0 * c0 + p1 * c1 + p2 * c2)
    return max(later - straight, 0.0)


@kernel(linked=True, fastmath=FAST)
def cone_rows(memory: Memory, h: float) -> None:
    """Add the cones whose rims are, or will be, reached; after ``ball_rows``, which works out the angles of balls."""
    state = memory.state
    columns = memory.columns
    depth = memory.depth
    margin = state.limit_margin
    for c in range(state.cone_count):
        cone = memory.cones[c]
        if not measure_cone(memory, cone):
            continue
        gap, speed = cone.limit - cone.swing, -cone_speed(cone, memory, memory.u_free)
        later = -cone_speed(cone, memory, memory.u_new) if state.widely else speed
        bend = cone_bend(memory, cone, memory.u_new if state.widely else memory.u_free, h)
        if gap - bend + h * min(speed, later, 0.0) >= margin:
            continue
        base = gap_bound(memory, gap, 10.0 * margin, h)
        if gap < 0.0:
            base = max(base, min(-BACK * gap / state.step, FASTEST_BACK))
        base += bend / h
        row = begin_row(memory, base, speed, CONE_ROW, c, memory.cone_flags[c])
        if row < 0:
            return
        last = -1
        for side in range(2):
            i = cone.nodes[side]
            if i >= 0:
                i += 2 if cone.balls[side] >= 0 else 0
                if last < 0 or depth[i] > depth[last]:
                    last = i
        for p in range(depth[last] + 1):
            columns[0, p] = 0.0
        for side in range(2):
            i = cone.nodes[side]
            if i >= 0:
                for k in range(3 if cone.balls[side] >= 0 else 1):
                    columns[0, depth[i + k]] -= cone.rates[3 * side + k]
        half_solve(memory, columns, last, 1)
        scatter(memory, columns[0], last, row, 1.0)


@kernel(fastmath=FAST)
def start_ball_angles(memory: Memory) -> None:
    """Write the angles of all balls that have limits, as near to those that stand there as the same turn allows."""
    for k in range(memory.state.ball_count):
        ball = memory.balls[k]
        ball_angles(ball, memory.nodes[ball.node])
