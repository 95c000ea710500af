"""Steps of jointed bodies: their accelerations by (6), places on the way, joints put together and momenta kept.

Body -1, the world, is at rest at the origin and takes whatever is put on it.

Source: Hakenberg (1) to (4) and (6).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from core.dynamics.contact.closest_kernel import cross
from core.dynamics.hakenberg.tree_kernel import P, rest, solve
from core.joints.pose_kernel import motion
from core.kernels import F1, F2, F3, I1, I2, THREE, kernel


class Bodies(NamedTuple):
    """Bodies and joints, as ``JointedBodies`` and its ``topology`` have them."""

    order: I2
    roots: I1
    tree: I1
    E: I2
    masses: F1
    inertias: F3
    inverse_inertias: F3
    l: F3  # noqa: E741
    z: F3


class Work(NamedTuple):
    """Memory, of numbers without a meaning before and after.

    Attributes:
        world: Inertias in the world, shape (nb, 3, 3).
        arms: Of the joints in the world, shape (n, 2, 3).
        axes: Of the hinges in the world, shape (n, 3).
        loads: For ``tree_kernel.solve``, as all that follow; shape (nb, 6).
        turning: Shape (n, 3).
        moving: Shape (n, 3).
        bodies: Shape (nb, 7, 6).
        joints: Shape (n, 7, 6).
        free: Shape (7, 6).
        moved: Shape (7, 6).
        motions: Shape (nb, 6).
        forces: Shape (n, 6).
    """

    world: F3
    arms: F3
    axes: F2
    loads: F2
    turning: F2
    moving: F2
    bodies: F3
    joints: F3
    free: F2
    moved: F2
    motions: F2
    forces: F2


def work_for(count: int, n: int) -> Work:
    """Return memory for so many bodies and joints."""
    shapes = (
        (count, 3, 3), (n, 2, 3), (n, 3), (count, 6), (n, 3), (n, 3), (count, 7, 6), (n, 7, 6), (7, 6), (7, 6),
        (count, 6), (n, 6),
    )  # fmt: skip
    return Work(*map(np.empty, shapes))


@kernel(inline=True)
def turned(R: F2, x: THREE) -> THREE:
    """Return ``R x``."""
    return (
        R[0, 0] * x[0] + R[0, 1] * x[1] + R[0, 2] * x[2],
        R[1, 0] * x[0] + R[1, 1] * x[1] + R[1, 2] * x[2],
        R[2, 0] * x[0] + R[2, 1] * x[1] + R[2, 2] * x[2],
    )


@kernel(inline=True)
def turned_back(R: F2, x: THREE) -> THREE:
    """Return ``R^T x``."""
    return (
        R[0, 0] * x[0] + R[1, 0] * x[1] + R[2, 0] * x[2],
        R[0, 1] * x[0] + R[1, 1] * x[1] + R[2, 1] * x[2],
        R[0, 2] * x[0] + R[1, 2] * x[1] + R[2, 2] * x[2],
    )


@kernel(inline=True)
def three(x: F1) -> THREE:
    """Return the first three numbers of an array."""
    return x[0], x[1], x[2]


@kernel(internal=True)
def turn(R: F2, x: float, y: float, z: float, out: F2) -> None:
    """Write ``R exp([x y z])``."""
    X = motion(x, y, z, 0.0, 0.0, 0.0)
    for a in range(3):
        r0, r1, r2 = R[a, 0], R[a, 1], R[a, 2]
        out[a, 0] = r0 * X[0] + r1 * X[4] + r2 * X[8]
        out[a, 1] = r0 * X[1] + r1 * X[5] + r2 * X[9]
        out[a, 2] = r0 * X[2] + r1 * X[6] + r2 * X[10]


@kernel(internal=True)
def locate(bodies: Bodies, R: F3, work: Work) -> None:
    """Write inertias, arms of the joints, and unit axes of the hinges between those of their bodies, in the world."""
    for i in range(len(bodies.masses)):
        for a in range(3):
            x, y, z = turned_back(bodies.inertias[i], (R[i, a, 0], R[i, a, 1], R[i, a, 2]))
            for b in range(3):
                work.world[i, a, b] = x * R[i, b, 0] + y * R[i, b, 1] + z * R[i, b, 2]
    for j in range(len(bodies.E)):
        x = y = z = 0.0
        for side in range(2):
            i = bodies.E[j, side]
            arm, axis = three(bodies.l[j, side]), three(bodies.z[j, side])
            if i >= 0:
                arm, axis = turned(R[i], arm), turned(R[i], axis)
            for a in range(3):
                work.arms[j, side, a] = arm[a]
            x, y, z = x + axis[0], y + axis[1], z + axis[2]
        length = math.sqrt(x * x + y * y + z * z)
        over = 1.0 / length if length > 0.0 else 0.0
        work.axes[j, 0], work.axes[j, 1], work.axes[j, 2] = over * x, over * y, over * z


@kernel(internal=True)
def solve_with(bodies: Bodies, work: Work) -> bool:
    """Call ``tree_kernel.solve``."""
    return solve(
        bodies.order, bodies.roots, bodies.masses, work.world, work.arms, work.axes, work.loads, work.turning,
        work.moving, work.bodies, work.joints, work.free, work.moved, work.motions, work.forces,
    )  # fmt: skip


@kernel
def accelerate(
    bodies: Bodies, R: F3, omega: F2, e: F2, forces: F2, torques: F2, work: Work,
    c: F2, d: F2, a: F2, tau: F2, domega: F2,
) -> bool:  # fmt: skip
    """Write the forces of the joints by (6), and by (4) what they do; return whether every pivot was positive.

    Args:
        bodies: The bodies.
        R: Their orientations.
        omega: Their angular velocities in object coordinates.
        e: Intrinsic torques, as ``Loads`` has them.
        forces: The same.
        torques: The same.
        work: Memory.
        c: Written, as ``Solution`` has it.
        d: Written.
        a: Written.
        tau: Written.
        domega: Written.
    """
    count, n = len(bodies.masses), len(bodies.E)
    loads, turning, moving, axes = work.loads, work.turning, work.moving, work.axes
    locate(bodies, R, work)
    for i in range(count):
        w = three(omega[i])
        gyroscopic = cross(w, turned(bodies.inertias[i], w))
        for k in range(3):
            tau[i, k] = torques[i, k]
            a[i, k] = forces[i, k]
            domega[i, k] = torques[i, k] - gyroscopic[k]
        torque = turned(R[i], three(domega[i]))
        for k in range(3):
            loads[i, k], loads[i, 3 + k] = torque[k], forces[i, k]
    for j in range(n):  # (3) without angular and linear accelerations
        sign = 1.0
        for k in range(3):
            moving[j, k] = turning[j, k] = 0.0
        for side in range(2):
            i = bodies.E[j, side]
            if i >= 0:
                w = three(omega[i])
                place = turned(R[i], cross(w, cross(w, three(bodies.l[j, side]))))
                bent = cross(three(axes[j]), turned(R[i], cross(w, cross(w, three(bodies.z[j, side])))))
                for k in range(3):
                    moving[j, k] -= sign * place[k]
                    turning[j, k] -= sign * bent[k]
                    loads[i, k] += sign * e[j, k]
            sign = -1.0
    if not solve_with(bodies, work):
        return False
    for j in range(n):
        bend = cross(three(work.forces[j]), three(axes[j]))
        for k in range(3):
            c[j, k], d[j, k] = work.forces[j, 3 + k], bend[k]
        sign = 1.0
        for side in range(2):
            i = bodies.E[j, side]
            if i >= 0:
                lever = cross(three(bodies.l[j, side]), turned_back(R[i], three(c[j])))
                hinge = cross(three(bodies.z[j, side]), turned_back(R[i], bend))
                own = turned_back(R[i], three(e[j]))
                for k in range(3):
                    a[i, k] += sign * c[j, k]
                    tau[i, k] += sign * (lever[k] + hinge[k] + own[k])
            sign = -1.0
    for i in range(count):
        w = three(omega[i])
        gyroscopic = cross(w, turned(bodies.inertias[i], w))
        rate = turned(
            bodies.inverse_inertias[i],
            (tau[i, 0] - gyroscopic[0], tau[i, 1] - gyroscopic[1], tau[i, 2] - gyroscopic[2]),
        )
        for k in range(3):
            a[i, k] /= bodies.masses[i]
            domega[i, k] = rate[k]
    return True


@kernel
def carry_on(
    p: F2, R: F3, v: F2, omega: F2, h: float, rates: F3, to_p: F2, to_R: F3, to_v: F2, to_omega: F2, turning: F2
) -> None:
    """Write the state after ``h`` seconds at constant rates, and the rate of its rotation vector from the start.

    Args:
        p: Where the bodies are, as ``BodyStates`` has it.
        R: The same.
        v: The same.
        omega: The same.
        h: Time [s].
        rates: Of the rotation vectors from R on, and of p, v and omega, shape (4, nb, 3).
        to_p: Written.
        to_R: Written.
        to_v: Written.
        to_omega: Written.
        turning: Written: ``J_r^-1`` times the angular velocity, shape (nb, 3).
    """
    for i in range(len(p)):
        for k in range(3):
            to_p[i, k] = p[i, k] + h * rates[1, i, k]
            to_v[i, k] = v[i, k] + h * rates[2, i, k]
            to_omega[i, k] = omega[i, k] + h * rates[3, i, k]
        x = (h * rates[0, i, 0], h * rates[0, i, 1], h * rates[0, i, 2])
        turn(R[i], x[0], x[1], x[2], to_R[i])
        s = x[0] * x[0] + x[1] * x[1] + x[2] * x[2]
        if s < 0.01:
            g = 1.0 / 12.0 + s * (1.0 / 720.0 + s * (1.0 / 30240.0 + s / 1209600.0))
        else:
            half = 0.5 * math.sqrt(s)
            g = (1.0 - half * math.cos(half) / math.sin(half)) / s
        w = three(to_omega[i])
        once = cross(x, w)
        twice = cross(x, once)
        for k in range(3):
            turning[i, k] = w[k] + 0.5 * once[k] + g * twice[k]


@kernel(internal=True)
def close_gaps(bodies: Bodies, tolerance: float, most: int, p: F2, R: F3, work: Work) -> bool:
    """Change places and turns until (1) holds; see ``put_together``."""
    loads, turning, moving, motions = work.loads, work.turning, work.moving, work.motions
    reach = 1.0
    for i in range(len(p)):
        for k in range(3):
            reach = max(reach, abs(p[i, k]))
        for k in range(6):
            loads[i, k] = 0.0
    for _ in range(most):
        locate(bodies, R, work)
        worst = 0.0
        for j in range(len(bodies.E)):
            first, second = bodies.E[j, 0], bodies.E[j, 1]
            own, other = three(bodies.z[j, 0]), three(bodies.z[j, 1])
            own = turned(R[first], own) if first >= 0 else own
            other = turned(R[second], other) if second >= 0 else other
            bent = cross(own, other)
            for k in range(3):
                gap = work.arms[j, 1, k] - work.arms[j, 0, k]
                gap -= p[first, k] if first >= 0 else 0.0
                gap += p[second, k] if second >= 0 else 0.0
                moving[j, k], turning[j, k] = gap, bent[k]
                worst = max(worst, abs(gap) / reach, abs(own[k] - other[k]))
        if worst <= tolerance:
            break
        if not solve_with(bodies, work):
            return False
        for i in range(len(p)):
            x = turned_back(R[i], three(motions[i]))
            turn(R[i], x[0], x[1], x[2], R[i])
            for k in range(3):
                p[i, k] += motions[i, 3 + k]
    return True


@kernel(internal=True)
def straighten(R: F3, products: F3) -> None:
    """Make rotations orthogonal again, ``1.5 R - 0.5 R R^T R``."""
    for i in range(len(R)):
        product = products[i]
        for a in range(3):
            for b in range(3):
                product[a, b] = R[i, a, 0] * R[i, b, 0] + R[i, a, 1] * R[i, b, 1] + R[i, a, 2] * R[i, b, 2]
        for b in range(3):
            x = (R[i, 0, b], R[i, 1, b], R[i, 2, b])
            column = turned(product, x)
            for a in range(3):
                R[i, a, b] = 1.5 * x[a] - 0.5 * column[a]


@kernel(internal=True)
def match_rates(bodies: Bodies, R: F3, v: F2, omega: F2, work: Work) -> bool:
    """Change velocities until (2) holds; see ``put_together``. The loads in memory are zero."""
    turning, moving, motions, axes = work.turning, work.moving, work.motions, work.axes
    locate(bodies, R, work)
    for j in range(len(bodies.E)):
        sign = -1.0
        for k in range(3):
            moving[j, k] = turning[j, k] = 0.0
        for side in range(2):
            i = bodies.E[j, side]
            if i >= 0:
                w = three(omega[i])
                place = turned(R[i], cross(w, three(bodies.l[j, side])))
                bent = cross(three(axes[j]), turned(R[i], cross(w, three(bodies.z[j, side]))))
                for k in range(3):
                    moving[j, k] += sign * (v[i, k] + place[k])
                    turning[j, k] += sign * bent[k]
            sign = 1.0
    if not solve_with(bodies, work):
        return False
    for i in range(len(v)):
        x = turned_back(R[i], three(motions[i]))
        for k in range(3):
            omega[i, k] += x[k]
            v[i, k] += motions[i, 3 + k]
    return True


@kernel
def put_together(bodies: Bodies, tolerance: float, most: int, p: F2, R: F3, v: F2, omega: F2, work: Work) -> bool:
    """Change a state until (1) and (2) hold, by the least motion and the least change of velocities.

    Measured by kinetic energy: joints act, equal and opposite on both bodies, so that the centre of mass stays and
    impulses change neither momentum.

    Args:
        bodies: The bodies.
        tolerance: Gap that may be left, of the larger of 1 and the bodies' distance from the origin, and how far unit
            axes of hinges may differ.
        most: Corrections of the places.
        p: As ``BodyStates`` has it.
        R: The same.
        v: The same.
        omega: The same.
        work: Memory.

    Returns:
        Whether every pivot was positive.
    """
    if not close_gaps(bodies, tolerance, most, p, R, work):
        return False
    straighten(R, work.world)
    return match_rates(bodies, R, v, omega, work)


@kernel
def add_momenta(bodies: Bodies, p: F2, R: F3, v: F2, omega: F2, sums: F2) -> None:
    """Add the momenta ``[L; P]`` of the trees that float, about the world's origin in world axes, shape (k, 6)."""
    for i in range(len(p)):
        own = bodies.tree[i]
        if own >= 0:
            m = bodies.masses[i]
            linear = (m * v[i, 0], m * v[i, 1], m * v[i, 2])
            orbital = cross(three(p[i]), linear)
            spin = turned(R[i], turned(bodies.inertias[i], three(omega[i])))
            for k in range(3):
                sums[own, k] += orbital[k] + spin[k]
                sums[own, 3 + k] += linear[k]


@kernel
def add_loads(bodies: Bodies, factor: float, p: F2, R: F3, forces: F2, torques: F2, sums: F2) -> None:
    """Add ``factor`` times the torques and forces from outside on the trees that float, as ``add_momenta`` does."""
    for i in range(len(p)):
        own = bodies.tree[i]
        if own >= 0:
            lever = cross(three(p[i]), three(forces[i]))
            torque = turned(R[i], three(torques[i]))
            for k in range(3):
                sums[own, k] += factor * (lever[k] + torque[k])
                sums[own, 3 + k] += factor * forces[i, k]


@kernel
def give_momenta(bodies: Bodies, p: F2, R: F3, momenta: F2, v: F2, omega: F2, K: F2, motion_of: F1) -> bool:
    """Add to velocities a rigid motion of each tree that floats, so that it has the momenta wanted; (2) stays as it is.

    Args:
        bodies: The bodies.
        p: As ``BodyStates`` has it.
        R: The same.
        momenta: ``[L; P]`` about the world's origin, shape (k, 6).
        v: Changed.
        omega: Changed.
        K: Memory, shape (7, 6).
        motion_of: Memory, shape (6,).

    Returns:
        Whether every tree has an inertia that is positive.
    """
    for tree in range(len(momenta)):
        mass = x = y = z = 0.0
        for i in range(len(p)):
            if bodies.tree[i] == tree:
                m = bodies.masses[i]
                mass, x, y, z = mass + m, x + m * p[i, 0], y + m * p[i, 1], z + m * p[i, 2]
        center = (x / mass, y / mass, z / mass)
        orbital = cross(center, (momenta[tree, 3], momenta[tree, 4], momenta[tree, 5]))
        for k in range(3):  # as a force and an inertia of tree_kernel
            K[P, k], K[P, 3 + k] = orbital[k] - momenta[tree, k], -momenta[tree, 3 + k]
            for b in range(3):
                K[k, b] = K[k, 3 + b] = K[3 + k, b] = K[3 + k, 3 + b] = 0.0
            K[3 + k, 3 + k] = mass
        for i in range(len(p)):
            if bodies.tree[i] != tree:
                continue
            m = bodies.masses[i]
            r = (p[i, 0] - center[0], p[i, 1] - center[1], p[i, 2] - center[2])
            orbital = cross(r, (m * v[i, 0], m * v[i, 1], m * v[i, 2]))
            spin = turned(R[i], turned(bodies.inertias[i], three(omega[i])))
            square = m * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
            for a in range(3):
                K[P, a] += orbital[a] + spin[a]
                K[P, 3 + a] += m * v[i, a]
                K[a, a] += square
                w = turned_back(bodies.inertias[i], (R[i, a, 0], R[i, a, 1], R[i, a, 2]))
                for b in range(3):
                    K[a, b] += w[0] * R[i, b, 0] + w[1] * R[i, b, 1] + w[2] * R[i, b, 2] - m * r[a] * r[b]
        if not rest(K, motion_of):
            return False
        w = three(motion_of)
        for i in range(len(p)):
            if bodies.tree[i] == tree:
                own = turned_back(R[i], w)
                carried = cross(w, (p[i, 0] - center[0], p[i, 1] - center[1], p[i, 2] - center[2]))
                for k in range(3):
                    omega[i, k] += own[k]
                    v[i, k] += motion_of[3 + k] + carried[k]
    return True
