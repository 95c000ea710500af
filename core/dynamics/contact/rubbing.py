"""Friction in the bearings of a scene, as contact methods take it: rows, and bounds by what joints carry."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from core.arrays import Array
from core.dynamics.bearings import Seat, fitted, joint_reactions
from core.dynamics.constraints.base import BodyConstraint
from core.dynamics.constraints.half_solved import HalfSolved
from core.dynamics.constraints.situation import Situation
from core.dynamics.constraints.stacking import Stack
from core.dynamics.contact.methods import Rubbing
from core.dynamics.contact.touching import Touching
from core.dynamics.loop_bearings import FittedLoop
from core.spatial import se3

if TYPE_CHECKING:
    from core.dynamics.scene import Scene

_REDUNDANT = 1e-9
"""Combinations of loops that are held by less than this, to the most, are held by others."""


class BearingFriction:
    """The bearings of a scene, in joints of the tree and in loops.

    Args:
        scene: What is simulated.
        inertias: Of the bodies about their origins in their axes, shape (nb, 6, 6).
        regularizer: What is added to the diagonal of 2.118, [1/kg]; None for a share of its mean.

    Raises:
        DynamicsError: If a bearing does not fit its joint.
    """

    def __init__(self, scene: Scene, inertias: Array, regularizer: float | None) -> None:
        self._joints = [
            own for each in scene.bearings if not each.closes for own in fitted(each, scene.model, regularizer)
        ]
        self._loops = [
            FittedLoop(each, scene.model, scene.constraints, regularizer) for each in scene.bearings if each.closes
        ]
        self._inertias = inertias

    def rubbing(
        self,
        at: Situation,
        half: HalfSolved,
        begun: Array,
        free: Array,
        rest: Array | None,
        stack: Stack,
        touching: Touching,
        momenta: Array,
    ) -> Rubbing:
        """Return the rows of bearings, and how their bounds follow from what joints carry (Sueda 2.117 to 2.119).

        2.119 subtracts a motion in which bodies without joints meet the outer constraints by themselves; the impulses
        of these differ from those of the joined bodies, which are what acts beside the joints. So these are taken. What
        joints carry is linear in what a method looks for: its matrix is worked out once a step.

        Args:
            at: Where the bodies are.
            half: Factor of the step's matrix.
            begun, free: Rates without any row, and with the equations alone.
            rest: Basis of what equations leave free, or None.
            stack: The rows of the constraints.
            touching: The contacts.
            momenta: ``M_m (J v - h Jdot v) + h f_m`` of the separate bodies, shape (nb, 6).
        """
        model, motion, J = at.model, at.motion, at.jacobian
        own, on_bodies, places = self._rows(at, free)
        k, equal = len(touching.gaps), stack.equality
        basis = half.back(np.eye(model.nv) if rest is None else rest)
        limits = int((~equal).sum())
        ends = np.cumsum([1, basis.shape[1], limits, 3 * k, len(own)])
        of_z, of_limits, of_contacts, of_grip = (slice(a, b) for a, b in itertools.pairwise(ends))
        v = np.zeros((model.nv, int(ends[-1])))
        v[:, 0], v[:, of_z] = free, basis
        held = np.zeros((len(equal), int(ends[-1])))
        held[~equal, of_limits] = np.eye(limits)
        if equal.any():
            G, C = stack.rows.G, touching.rows @ J
            left = v.copy()
            left[:, 0] -= begun
            left = half.L @ (half.L.T @ left)
            left[:, of_limits] -= G[~equal].T
            left[:, of_contacts] -= C.T
            left[:, of_grip] -= own.T
            held[equal] = np.linalg.lstsq(G[equal].T, left, rcond=_REDUNDANT)[0]
        wrench = self._inertias @ (J @ v).reshape(len(momenta), 6, -1)
        wrench[:, :, 0] -= momenta
        flat = wrench.reshape(6 * len(momenta), -1)
        flat[:, of_contacts] -= touching.rows.T
        flat[:, of_grip] -= on_bodies.T
        outer = _on_bodies(at, stack)
        flat -= outer.T @ held
        carried = joint_reactions(model, motion.Ad, wrench)
        parts = [
            seat.share @ (se3.adjoint(X).T @ carried[each.body])
            for each, (seat, X) in zip(self._joints, places, strict=True)
        ]
        for each in self._loops:
            mine = stack.owner == each.owner
            on, to_frame = each.reaction_rows(at)
            parts.append(each.seat.share @ (to_frame @ (outer[mine][:, on].T @ held[mine])))
        K = np.vstack(parts)
        seats = [seat for seat, _ in places] + [each.seat for each in self._loops]
        bound, row, column = np.zeros((len(own), len(K))), 0, 0
        for seat in seats:
            p, c = seat.bound.shape
            bound[row : row + p, column : column + c] = seat.bound
            row, column = row + p, column + c

        def most(z: Array, push: Array, drag: Array, grip: Array) -> Array:
            return np.asarray(bound @ np.abs(K @ np.concatenate([[1.0], z, push, drag, grip])))

        rows = half.forth(own.T).T
        return Rubbing(rows if rest is None else rows @ rest, own @ free, most)

    def _rows(self, at: Situation, free: Array) -> tuple[Array, Array, list[tuple[Seat, Array]]]:
        """Return the rows of all bearings on the rates, what those of loops are on twists, and the seats of joints.

        Returns:
            Shapes (p, nv) and (p, 6 nb), the latter 0 in joints of the tree, and the pairs that ``Fitted.place`` gives.
        """
        places, parts, on_bodies = [], [], []
        for each in self._joints:
            local = np.arange(at.model.nv)[at.coordinates(each.body)][each.local]
            columns = at.motion.S[each.body][:, each.local]
            seat, X = each.place(columns)
            columns = se3.inverse_adjoint(X) @ columns
            rows = np.zeros((len(seat.rows), at.model.nv))
            rows[:, local] = seat.sliding_rows(columns @ free[local]) @ columns
            places.append((seat, X))
            parts.append(rows)
            on_bodies.append(np.zeros((len(rows), 6 * len(at.model.bodies))))
        for loop in self._loops:
            twist = loop.twist_rows(at)
            on_bodies.append(loop.seat.sliding_rows(twist @ (at.jacobian @ free)) @ twist)
            parts.append(on_bodies[-1] @ at.jacobian)
        return np.vstack(parts), np.vstack(on_bodies), places


def _on_bodies(at: Situation, stack: Stack) -> Array:
    """Return the rows of constraints of bodies on the bodies' twists, 0 for those of joints, shape (m, 6 nb)."""
    parts = []
    for constraint in stack.constraints:
        if isinstance(constraint, BodyConstraint):
            found = constraint.body_rows(at)
            rows = np.zeros((len(found.bias), 6 * len(at.model.bodies)))
            for body, block in found.blocks:
                rows[:, 6 * body : 6 * body + 6] += block
            parts.append(rows)
        else:
            parts.append(np.zeros((len(constraint.evaluate(at).gap), 6 * len(at.model.bodies))))
    whole = np.vstack(parts) if parts else np.zeros((0, 6 * len(at.model.bodies)))
    return np.asarray(whole[stack.places])
