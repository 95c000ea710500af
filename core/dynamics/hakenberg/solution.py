"""What the bodies do next: equation (6) solved, as it is printed or in time linear in the number of bodies."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from core.arrays import Array
from core.dynamics.hakenberg import equations, step_kernel
from core.dynamics.hakenberg.bodies import BodyStates, JointedBodies
from core.dynamics.hakenberg.equations import Loads
from core.errors import DynamicsError
from core.kernels import serving

Method = Literal["tree", "svd"]


class Solution(NamedTuple):
    """Forces of the joints and the motion that they make.

    Attributes:
        c: Forces of the joints in the world, + on body ``E(j, 1)``, - on body ``E(j, 2)``, shape (n, 3), [N].
        d: Perpendicular to the axis of a hinge, zero for a spherical joint: ``z x d`` is the torque that keeps the axes
            together, in the world, shape (n, 3), [N m].
        a: Accelerations of the centres in the world, shape (nb, 3), [m/s^2].
        tau: Torques in object coordinates, shape (nb, 3), [N m].
        domega: Rates of the angular velocities in object coordinates, shape (nb, 3), [rad/s^2].
    """

    c: Array
    d: Array
    a: Array
    tau: Array
    domega: Array


def solve(bodies: JointedBodies, state: BodyStates, loads: Loads | None = None, *, method: Method = "tree") -> Solution:
    """Return the joints' forces that keep (3), and accelerations and torques by (4).

    Whatever ``c`` and ``d`` are, (4) keeps both momenta where (1) holds, and the power of the joints is that of ``e``
    where (2) holds as well.

    Args:
        bodies: The bodies.
        state: Where they are and how they move, with (1) and (2).
        loads: Torques of the joints and what acts from outside; None is nothing.
        method: ``"svd"`` is the pseudoinverse of (6) as printed, cubic in the number of joints; ``"tree"`` eliminates
            from the tips, in linear time. Both give the same, up to rounding.

    Raises:
        DynamicsError: If the tree cannot be eliminated, as with numbers that are not finite.
    """
    loads = Loads.none(bodies) if loads is None else loads
    if method == "tree":
        return _tree(bodies, state, loads)
    found, _ = equations.pseudoinverse_solution(*equations.system(bodies, state, loads))
    c, d = (np.ascontiguousarray(part) for part in found.reshape(-1, 2, 3).swapaxes(0, 1))
    a, tau = equations.body_loads(bodies, state, c, d, loads)
    return Solution(c, d, a, tau, equations.turning_rates(bodies, state, tau))


def _tree(bodies: JointedBodies, state: BodyStates, loads: Loads) -> Solution:
    count, n = len(bodies.masses), len(bodies.E)
    (c, d), (a, tau, domega) = np.empty((2, n, 3)), np.empty((3, count, 3))
    good = serving(step_kernel).accelerate(
        bodies.packed, usable(state.R), usable(state.omega), *map(usable, loads), step_kernel.work_for(count, n),
        c, d, a, tau, domega,
    )  # fmt: skip
    if not good:
        raise no_solution()
    return Solution(c, d, a, tau, domega)


def usable(array: Array) -> Array:
    """Return an array as kernels take it: itself where it is contiguous and may be written to, else a copy."""
    found = np.ascontiguousarray(array, dtype=np.float64)
    return found if found.flags.writeable else found.copy()


def no_solution() -> DynamicsError:
    """Return the error of bodies whose inertias have no inverse."""
    return DynamicsError("the bodies' equations cannot be solved: an inertia is not positive, or not finite")
