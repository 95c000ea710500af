"""The rows of a substep in numpy: what velocities must hold to, ``C v >= base``, equalities first."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from core.dynamics.step import motion_plain as motion
from core.dynamics.step import slots as at
from core.dynamics.step.memory import Memory
from core.spatial import quaternion, so3

Array = NDArray[np.float64]

SLOW = 1e-3
"""Sliding slower than this, [m/s], is no direction to go by; where the forces push is, above ``STILL``."""
STILL = 1e-9


class Rows:
    """Rows on their way into the memory.

    Args:
        m: The memory.
        h: Length of the substep, [s].
    """

    def __init__(self, m: Memory, h: float):
        self.m = m
        self.h = h
        self.C: list[Array] = []
        m.head[at.ROWS] = m.head[at.EQUALITIES] = 0

    def add(self, C: Array, base: float, kind: int, of: int, flag: int) -> None:
        """Add a row; rows beyond the room for them are left out."""
        i = len(self.C)
        if i >= len(self.m.row_kind):
            return
        self.C.append(C)
        self.m.row_values[at.BASE, i] = base
        self.m.row_kind[i], self.m.row_of[i], self.m.flags_of_rows[i] = kind, of, flag
        self.m.head[at.ROWS] = i + 1

    def bound(self, gap: float, deep: float) -> float:
        """Return the least speed along a row of a gap; gaps below zero open slowly."""
        if gap >= 0.0:
            return -gap / self.h
        numbers = self.m.numbers
        speed, more = float(numbers[at.PUSH_OUT]), -gap - deep
        if more > 0.0:
            speed += float(numbers[at.PUSH_RATE]) * more * more / (more + deep)
        most = min(float(numbers[at.PUSH_MOST]), -float(numbers[at.LOCK_PULL]) * gap / self.h)
        return min(speed * float(numbers[at.PUSH]), most)


def point_row(m: Memory, i: int, point: Array, direction: Array) -> Array:
    """Return the row of a point's speed along a direction, fixed to a node (-1: the world), shape (n,); new."""
    C = np.zeros(len(m.nodes))
    if i >= 0:
        force = np.concatenate([np.cross(point - motion.reference(m, i), direction), direction])
        nodes = motion.chain(m, i)
        C[nodes] = m.nodes[nodes, at.S : at.S + 6] @ force
    return C


def turn_row(m: Memory, i: int, axis: Array) -> Array:
    """Return the row of a node's angular velocity about an axis, shape (n,); new."""
    C = np.zeros(len(m.nodes))
    nodes = motion.chain(m, i)
    C[nodes] = m.nodes[nodes, at.S : at.S + 3] @ axis
    return C


def spot(m: Memory, i: int, point: Array) -> Array:
    """Return where a point fixed to a node is in the world, shape (3,)."""
    if i < 0:
        return point
    return np.asarray(motion.rotation(m, i) @ point + m.nodes[i, at.P : at.P + 3])


def lock_rows(rows: Rows, free: Array) -> None:
    """Add equalities, then strings that are, or will be, tight."""
    m, h = rows.m, rows.h
    numbers = m.numbers
    count = int(m.head[at.LOCK_COUNT])
    for strings in (False, True):
        for k in range(count):
            lock = m.locks[k]
            kind, a, b = int(lock[at.LOCK_KIND]), int(lock[at.LOCK_A]), int(lock[at.LOCK_B])
            if (kind == at.STRING) != strings:
                continue
            axis = lock[at.LOCK_AXIS : at.LOCK_AXIS + 3]
            if kind == at.ORIENTATION:
                wanted = lock[at.LOCK_TURN : at.LOCK_TURN + 9].reshape(3, 3)
                away = so3.log(motion.rotation(m, a) @ wanted.T)
                lock[at.LOCK_GAP] = gap = float(axis @ away)
                C = turn_row(m, a, axis)
            else:
                pa = spot(m, a, lock[at.LOCK_POINT_A : at.LOCK_POINT_A + 3])
                pb = spot(m, b, lock[at.LOCK_POINT_B : at.LOCK_POINT_B + 3])
                if kind == at.STRING:
                    distance = float(np.linalg.norm(pa - pb))
                    axis = (pb - pa) / distance if distance > 1e-12 else np.array([0.0, 1.0, 0.0])
                    lock[at.LOCK_AXIS : at.LOCK_AXIS + 3] = axis
                    gap = float(lock[at.LOCK_LENGTH]) - distance
                else:
                    gap = float(axis @ (pa - pb))
                lock[at.LOCK_GAP] = gap
                C = point_row(m, a, pa, axis) - point_row(m, b, pb, axis)
            lock[at.LOCK_FORCE] = 0.0
            if kind != at.STRING:
                rows.add(C, lock[at.LOCK_SPEED] - numbers[at.LOCK_PULL] * gap / h, at.LOCK_ROW, k, 1)
            elif gap + h * min(float(C @ free), 0.0) < numbers[at.MARGIN]:
                base = -gap / h if gap >= 0.0 else -numbers[at.LOCK_PULL] * gap / h
                rows.add(C, base, at.LOCK_ROW, k, int(m.lock_flags[k]))
        if not strings:
            m.head[at.EQUALITIES] = len(rows.C)


def limit_rows(rows: Rows, free: Array) -> None:
    """Add the limits of coordinates that are, or will be, reached."""
    m, h = rows.m, rows.h
    margin = float(m.numbers[at.LIMIT_MARGIN])
    for i in range(len(m.nodes)):
        if m.held[i]:
            continue
        x = m.vectors[at.X, i]
        for side, sign, gap in ((0, 1.0, x - m.vectors[at.LOW, i]), (1, -1.0, m.vectors[at.HIGH, i] - x)):
            later = sign * m.vectors[at.NEW, i] if m.head[at.WIDELY] else 0.0
            if gap + h * min(sign * free[i], later, 0.0) < margin:
                C = np.zeros(len(m.nodes))
                C[i] = sign
                kind = at.HIGH_ROW if side else at.LOW_ROW
                rows.add(C, rows.bound(gap, 10.0 * margin), kind, i, int(m.limit_flags[side, i]))


def ball_angles(ball: Array, R: Array) -> tuple[Array, Array]:
    """Return the three angles of a ball next to those of the last step, and how their rates come about.

    Returns:
        The angles, shape (3,), and the three axes in the ball's own axes, shape (3, 3), one a row.
    """
    a, b, c = ball[at.BALL_AXES : at.BALL_AXES + 9].reshape(3, 3)
    before = ball[at.BALL_BEFORE : at.BALL_BEFORE + 9].reshape(3, 3)
    after = ball[at.BALL_AFTER : at.BALL_AFTER + 9].reshape(3, 3)
    own = before.T @ R @ after.T
    third = own @ c
    r = np.cross(a, b)
    along, tb, tr = float(third @ a), float(third @ b), float(third @ r)
    opening = math.atan2(math.hypot(tb, tr), along)
    near = ball[at.BALL_ANGLES : at.BALL_ANGLES + 3]
    best, least = np.array(near), math.inf
    for s in (1.0, -1.0):
        second = ball[at.BALL_SPAN] - s * opening
        first = math.atan2(-s * tb, s * tr) if opening > 1e-9 else near[0]
        rest = so3.axis_rotation(b, -second) @ so3.axis_rotation(a, -first) @ own
        # The angle of a rotation about c.
        across = b if abs(float(b @ c)) < 0.5 else a
        across = across - float(across @ c) * c
        moved = rest @ across
        angles = np.array([first, second, math.atan2(float(np.cross(c, across) @ moved), float(across @ moved))])
        angles += 2.0 * math.pi * np.rint((near - angles) / (2.0 * math.pi))
        away = float(np.sum((angles - near) ** 2))
        if away < least:
            best, least = angles, away
    back = so3.axis_rotation(c, -best[2])
    second_axis = back @ b
    first_axis = back @ so3.axis_rotation(b, -best[1]) @ a
    return best, np.array([first_axis, second_axis, c]) @ after


def ball_rows(rows: Rows, free: Array) -> None:
    """Add the limits of the angles of balls that are, or will be, reached.

    The rate of the first angle is ``(e2 x e3).w / d`` with ``d = e1.(e2 x e3)``, of the third ``(e1 x e2).w / d``, and
    of the second ``e2.w``. Rows are told of unit vectors, so that nothing grows near gimbal lock, where d is zero.
    """
    m, h = rows.m, rows.h
    margin = float(m.numbers[at.LIMIT_MARGIN])
    for k, ball in enumerate(m.balls):
        i = int(ball[at.BALL_NODE])
        if m.held[i]:
            continue
        angles, axes = ball_angles(ball, quaternion.to_matrix(m.nodes[i, at.TURN : at.TURN + 4]))
        ball[at.BALL_ANGLES : at.BALL_ANGLES + 3] = angles
        d = float(axes[0] @ np.cross(axes[1], axes[2]))
        sign = 1.0 if d >= 0.0 else -1.0
        directions = (sign * np.cross(axes[1], axes[2]), axes[1], sign * np.cross(axes[0], axes[1]))
        for j in range(3):
            scale = 1.0 if j == 1 else abs(d)
            speed = float(directions[j] @ free[i : i + 3])
            later = float(directions[j] @ m.vectors[at.NEW, i : i + 3]) if m.head[at.WIDELY] else 0.0
            for side in range(2):
                away = angles[j] - ball[at.BALL_LOW + j] if side == 0 else ball[at.BALL_HIGH + j] - angles[j]
                away = away if away == away else math.inf
                out = 1.0 - 2.0 * side
                if scale * away + h * min(out * speed, out * later, 0.0) < scale * margin:
                    C = np.zeros(len(m.nodes))
                    C[i : i + 3] = out * directions[j]
                    of = 6 * k + 2 * j + side
                    base = scale * rows.bound(away, 10.0 * margin)
                    rows.add(C, base, at.BALL_ROW, of, int(m.ball_flags[k, 2 * j + side]))


def contact_rows(rows: Rows, found: int, free: Array) -> None:
    """Add the contacts that touch or may touch within the substep, a pyramid of four rows each, or one row."""
    m, h = rows.m, rows.h
    u = m.vectors[at.U]
    kept = 0
    for k in range(found):
        contact = m.contact[k]
        for body in contact[at.CONTACT_A : at.CONTACT_B + 1]:
            if body >= 0.0:
                contact[at.CONTACT_GAP] += m.bodies[int(body), at.BODY_GIVE]
                contact[at.CONTACT_FRICTION] *= m.bodies[int(body), at.BODY_GRIP]
        point, normal = contact[:3].copy(), contact[3:6].copy()
        a, b = (int(m.body_node[int(body)]) if body >= 0.0 else -1 for body in contact[8:10])
        J = [point_row(m, a, point, axis) - point_row(m, b, point, axis) for axis in np.eye(3)]
        gap = float(contact[at.CONTACT_GAP])
        falling = sum(normal[j] * float(J[j] @ free) for j in range(3))
        if not m.head[at.WIDELY] and gap + h * min(falling, 0.0) >= m.numbers[at.MARGIN]:
            continue
        if len(rows.C) + 4 > len(m.row_kind):
            m.head[at.LEFT_OUT] += 1
            continue
        m.contact[kept] = contact
        m.ids[kept] = m.ids[k]
        state = m.contact_state[kept]
        flags, sliding, before = remembered(m, int(m.ids[kept]))
        own, later = (np.array([J[j] @ v for j in range(3)]) for v in (u, free))
        first = tangent(normal, own, later, before)
        second = np.cross(normal, first)
        state[at.FIRST_TANGENT : at.FIRST_TANGENT + 3] = first
        state[at.SECOND_TANGENT : at.SECOND_TANGENT + 3] = second
        state[at.FORCE : at.FORCE + 3] = 0.0
        state[at.SLIDING] = sliding
        mu = float(contact[at.CONTACT_FRICTION])
        base = rows.bound(gap, float(m.numbers[at.DEEP]))
        state[at.CONTACT_ROW] = len(rows.C)
        C, C1, C2 = (sum(axis[j] * J[j] for j in range(3)) for axis in (normal, first, second))
        if mu <= 0.0:
            state[at.CONTACT_ROWS] = 1
            rows.add(np.asarray(C), base, at.CONTACT_KIND, kept, int(flags[0]))
        else:
            state[at.CONTACT_ROWS] = 4
            for j, row in enumerate((C + mu * C1, C - mu * C1, C + mu * C2, C - mu * C2)):
                rows.add(np.asarray(row), base, at.CONTACT_KIND, kept, int(flags[j]))
        kept += 1
    m.head[at.CONTACTS] = kept


def tangent(normal: Array, velocity: Array, free: Array, before: Array) -> Array:
    """Return a unit tangent along which a contact slides by the forces, or, if it does not slide, as it stood before.

    Friction is against the velocity at the end of the step, which is along that without rows: with the direction at the
    beginning slow slides would turn from side to side.

    A pyramid is the same with any of its four sides first: that next to the one before is, so that flags still fit.

    Args:
        normal: Shape (3,).
        velocity: Of the contact, shape (3,).
        free: The same without rows.
        before: The first tangent in the substep before; zero for a new contact.
    """
    any_way = np.eye(3)[int(np.argmin(np.abs(normal)))]
    slides = float(np.linalg.norm(velocity - float(normal @ velocity) * normal)) > SLOW
    ways = ((free, STILL), (before, 0.5)) if slides else ((before, 0.5), (free, STILL))
    for v, least in (*ways, (any_way, 0.0)):
        along = v - float(normal @ v) * normal
        speed = float(np.linalg.norm(along))
        if speed > least:
            break
    along = along / speed
    across = np.cross(normal, along)
    c, s = float(along @ before), float(across @ before)
    if abs(s) > abs(c):
        return np.asarray(across if s > 0.0 else -across)
    return np.asarray(-along if c < 0.0 else along)


def remembered(m: Memory, key: int) -> tuple[NDArray[np.int8], float, Array]:
    """Return flags, sliding speed and first tangent of a contact in the substep before; zeros for a new one."""
    for k in range(int(m.head[at.REMEMBERED])):
        if m.remembered_ids[k] == key:
            return m.remembered_flags[k], float(m.speeds[k, 0]), m.speeds[k, 1:].copy()
    return np.zeros(4, dtype=np.int8), 0.0, np.zeros(3)
