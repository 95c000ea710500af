"""A model whose joint coordinates are a function of fewer ones: equations of motion in these."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy
from numpy.typing import ArrayLike

from core.arrays import Array
from core.checked_arrays import shown
from core.dynamics import newton_euler, redmax
from core.dynamics.arrays import finite_array
from core.dynamics.formulations import formulation as find_formulation
from core.dynamics.hyper.coordinate_map import CoordinateMap
from core.dynamics.motion import motion
from core.dynamics.reduced_inertia import cholesky, congruence
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

_CONSISTENT = 1e-4
"""How far the derivatives of a map may be from its differences, of their size: a person may write them by hand."""


class HyperReduction:
    """A model in hyper-reduced coordinates: ``J^T M J vdot_R = J^T (tau - bias - M Jdot v_R)``.

    Coordinates ``x`` and rates ``v`` below are those of the map. Joints keep the charts that the model's have, so that
    rotation vectors of balls should stay below a whole turn.

    Args:
        model: The bodies.
        coordinates: The map to the coordinates of their joints.

    Attributes:
        model: The bodies.
        coordinates: The map.
        nq, nv: How many coordinates, and rates, there are.

    Raises:
        DynamicsError: If the map has not as many values as the model has coordinates, or its Jacobian, or the rate of
            that, is not the derivative of it.

    Source: Sueda 2.80 to 2.83.
    """

    def __init__(self, model: Multibody, coordinates: CoordinateMap):
        if not isinstance(coordinates, CoordinateMap):
            raise DynamicsError(f"the coordinates are {shown(coordinates)}; they must be a CoordinateMap")
        if coordinates.size != model.nq:
            raise DynamicsError(
                f"the map gives {coordinates.size} coordinates and the model has {model.nq}; expected as many"
            )
        self.model, self.coordinates = model, coordinates
        self.nq = self.nv = len(coordinates.names)
        self._check_derivatives()

    def __repr__(self) -> str:
        return f"HyperReduction({self.model!r} in {self.nq}: {', '.join(self.coordinates.names)})"

    # -- to the joints and back --------------------------------------------------------------------------------------

    def joint_coordinates(self, x: ArrayLike) -> Array:
        """Return the coordinates of all joints, shape (model.nq,); new."""
        return self._mapped(self._x(x))

    def joint_state(self, x: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """Return coordinates and rates of all joints, shapes (model.nq,) and (model.nv,); new."""
        place, rates = self._x(x), self._x(v, "v")
        return self._mapped(place), np.asarray(self.coordinates.jacobian(place) @ rates)

    def rates(self, x: ArrayLike, joint_rates: ArrayLike) -> Array:
        """Return the rates of the map's coordinates nearest, by squares, to rates of the joints, shape (nv,); new."""
        J = self.coordinates.jacobian(self._x(x))
        wanted = finite_array(joint_rates, (self.model.nv,), "the rates of the joints")
        return np.asarray(np.linalg.lstsq(J, wanted, rcond=None)[0], dtype=np.float64)

    def forces(self, x: ArrayLike, tau: ArrayLike) -> Array:
        """Return forces dual to the map's rates that forces of the joints are, ``J^T tau``, shape (nv,); new."""
        J = self.coordinates.jacobian(self._x(x))
        return np.asarray(J.T @ finite_array(tau, (self.model.nv,), "tau"))

    # -- equations of motion -----------------------------------------------------------------------------------------

    def forward_dynamics(
        self,
        x: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None = None,
        formulation: str = "recursive",
        *,
        joint_tau: ArrayLike | None = None,
        wrenches: ArrayLike | None = None,
    ) -> Array:
        """Return the accelerations of the map's coordinates, shape (nv,); new.

        ``redmax`` chains the Jacobians, ``J_mR = J_mr J_rR`` (2.82, 2.83). ``recursive`` takes the inertia by composite
        bodies and the bias by Newton and Euler. Every other formulation gives the accelerations of the joints as if
        they were free, and those that the map can have and that are nearest to them by kinetic energy are what Gauss'
        principle says.

        Args:
            x: Coordinates, shape (nq,).
            v: Rates, shape (nv,).
            tau: Forces dual to ``v``, shape (nv,); None for none.
            formulation: A name in ``FORMULATIONS``; all give the same.
            joint_tau: Forces in the joints, dual to their rates, shape (model.nv,); None for none.
            wrenches: External wrenches at B in B, shape (nb, 6); None for none.

        Raises:
            DynamicsError: If an argument is of the wrong shape or not finite, there is no such formulation or it cannot
                take a joint, or a coordinate moves nothing here; names it.
        """
        place, speed = self._x(x), self._x(v, "v")
        find_formulation(formulation)
        model, own = self.model, np.zeros(self.nv) if tau is None else self._x(tau, "tau")
        in_joints = np.zeros(model.nv) if joint_tau is None else finite_array(joint_tau, (model.nv,), "joint_tau")
        shape = (len(model.bodies), 6)
        outside = np.zeros(shape) if wrenches is None else finite_array(wrenches, shape, "wrenches")
        q, J = self._mapped(place), self.coordinates.jacobian(place)
        qd, drift = J @ speed, self.coordinates.jacobian_rate(place, speed) @ speed
        if formulation == "redmax":
            return self._chained(q, qd, J, drift, own + J.T @ in_joints, outside)
        M = model.mass_matrix(q)
        if formulation == "recursive":
            force = in_joints - model.inverse_dynamics(q, qd, drift, wrenches=outside)
        else:
            force = M @ (model.forward_dynamics(q, qd, in_joints, formulation, wrenches=outside) - drift)
        return self.solve(J.T @ M @ J, own + J.T @ force)

    def inverse_dynamics(
        self, x: ArrayLike, v: ArrayLike, vdot: ArrayLike, *, wrenches: ArrayLike | None = None
    ) -> Array:
        """Return the forces dual to ``v`` that accelerations take, shape (nv,); new.

        Args:
            x: Coordinates, shape (nq,).
            v: Rates, shape (nv,).
            vdot: Accelerations, shape (nv,).
            wrenches: External wrenches at B in B, shape (nb, 6); None for none.
        """
        place, speed, wanted = self._x(x), self._x(v, "v"), self._x(vdot, "vdot")
        J, Jdot = self.coordinates.jacobian(place), self.coordinates.jacobian_rate(place, speed)
        q = self._mapped(place)
        return np.asarray(J.T @ self.model.inverse_dynamics(q, J @ speed, J @ wanted + Jdot @ speed, wrenches=wrenches))

    def mass_matrix(self, x: ArrayLike) -> Array:
        """Return ``J^T M J``, shape (nv, nv); new."""
        place = self._x(x)
        J = self.coordinates.jacobian(place)
        return np.asarray(J.T @ self.model.mass_matrix(self._mapped(place)) @ J)

    def bias(self, x: ArrayLike, v: ArrayLike) -> Array:
        """Return the forces that keep ``vdot`` zero, gravity's among them, shape (nv,); new."""
        return self.inverse_dynamics(x, v, np.zeros(self.nv))

    def energy(self, x: ArrayLike, v: ArrayLike) -> tuple[float, float]:
        """Return the kinetic and the potential energy."""
        return self.model.energy(*self.joint_state(x, v))

    def momentum(self, x: ArrayLike, v: ArrayLike) -> Array:
        """Return ``[L; P]`` about the world's origin, shape (6,); new."""
        return self.model.momentum(*self.joint_state(x, v))

    def solve(self, M: Array, force: Array) -> Array:
        """Return ``M^-1 force`` for the inertia in the map's coordinates.

        Raises:
            DynamicsError: If a coordinate moves nothing here, or nothing that others do not; names it.
        """
        if not self.nv:
            return np.zeros(0)
        factor, weak = cholesky(M)
        if weak is not None:
            raise DynamicsError(
                f'coordinate "{self.coordinates.names[weak]}" moves no mass here, or only what others move too; '
                "expected a map whose Jacobian has independent columns"
            )
        found: Array = scipy.linalg.lapack.dpotrs(factor, force, lower=True)[0]
        return found

    def _chained(self, q: Array, qd: Array, J: Array, drift: Array, tau: Array, wrenches: Array) -> Array:
        """Return accelerations by the bodies' own equations and the product of both Jacobians (Sueda 2.82, 2.83)."""
        model = self.model
        moving = motion(model, q, qd)
        J_mr = redmax.jacobian(model, moving)
        J_mR = J_mr @ J
        blocks = newton_euler.body_inertias(model)
        drifts = (redmax.jacobian_rate(model, moving) @ qd + J_mr @ drift).reshape(-1, 6, 1)
        F = newton_euler.forces(blocks, (J_mr @ qd).reshape(-1, 6), model.body_poses(q)[:, :3, :3], model.gravity)
        F += wrenches - (blocks @ drifts)[:, :, 0]
        return self.solve(congruence(J_mR, blocks), tau + J_mR.T @ F.ravel())

    # -- checks ------------------------------------------------------------------------------------------------------

    def _mapped(self, x: Array) -> Array:
        q = np.asarray(self.coordinates.value(x), dtype=np.float64)
        if q.shape != (self.model.nq,) or not np.isfinite(q).all():
            raise DynamicsError(
                f"the map gives {shown(q)} at {x.tolist()}; it must give {self.model.nq} finite numbers there"
            )
        return q

    def _x(self, x: ArrayLike, what: str = "x") -> Array:
        return finite_array(x, (self.nq,), what)

    def _check_derivatives(self) -> None:
        """Refuse a map whose derivatives are not its own, at a place where all is finite."""
        rng = np.random.default_rng(0)
        x, v = 0.3 * rng.normal(size=self.nq), rng.normal(size=self.nq)
        h, f = 1e-5, self.coordinates
        with np.errstate(all="ignore"):
            sides = [(np.asarray(f.value(x + s * v)), np.asarray(f.jacobian(x + s * v))) for s in (-h, h)]
            J, Jdot = np.asarray(f.jacobian(x)), np.asarray(f.jacobian_rate(x, v))
        for what, given, shape in (("Jacobian", J, (f.size, self.nq)), ("Jacobian's rate", Jdot, (f.size, self.nq))):
            if given.shape != shape:
                raise DynamicsError(f"the {what} of the map has shape {given.shape}; it must have shape {shape}")
        for what, given, k in (("Jacobian", J @ v, 0), ("Jacobian's rate", Jdot, 1)):
            wanted = (sides[1][k] - sides[0][k]) / (2.0 * h)
            off = np.abs(given - wanted)
            if np.isfinite(off).all() and (off > _CONSISTENT * (1.0 + np.abs(wanted))).any():
                raise DynamicsError(
                    f"the {what} of the map is off by {off.max():.3g} from the differences of it; "
                    "expected the derivative"
                )
