"""A model's bodies in the variables of the paper, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from core.arrays import Array
from core.dynamics import newton_euler
from core.dynamics.body_names import WORLD, body_of_coordinate
from core.dynamics.forces.implicit import ImplicitTerms
from core.dynamics.hakenberg.bodies import BodyStates, JointedBodies
from core.dynamics.hakenberg.equations import Loads
from core.dynamics.maximal import joints as joint_rows
from core.dynamics.maximal.joints import Joints
from core.dynamics.motion import Motion
from core.errors import DynamicsError
from core.joints import Composite, Fixed, Free, FreeRotationFirst, Revolute, Spherical, SphericalEuler
from core.spatial import SpatialInertia, se3

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel

ForceTerms = Callable[[ImplicitTerms], bool]
_BALLS = (Spherical, SphericalEuler)
_FLOATING = (Free, FreeRotationFirst)


class ModelBodies:
    """The bodies of a model, those that are fixed to each other as one.

    Object coordinates have the axes of the joint frame of the first body of such a group and the group's centre of mass
    for their origin. Of each joint the body that it carries stands first in E, its parent second.

    Attributes:
        bodies: In the paper's variables; a row for each group.
        group: Which group each of the model's bodies belongs to, ``WORLD`` for one fixed to the world, shape (nb,).
        base: The first body of each group, shape (k,).
        centers: Centres of mass of the groups in the joint frames of their first bodies, shape (k, 3).
        joint_of: For each of the model's bodies the row of its joint in E, -1 where it has none, shape (nb,).

    Raises:
        DynamicsError: If a joint is neither hinge nor ball, nor free, nor fixed, or a body has no mass to accelerate;
            names the body.
    """

    def __init__(self, model: TreeModel):
        count = len(model.bodies)
        self.group, self.joint_of = np.full(count, WORLD), np.full(count, -1)
        base: list[int] = []
        members: list[SpatialInertia] = []
        in_group = np.empty((count, 4, 4))  # poses of the joint frames in those of their groups, or in the world
        E: list[tuple[int, int]] = []
        located: list[tuple[Array, Array]] = []
        axes: list[tuple[Array, Array]] = []
        for i, body in enumerate(model.bodies):
            parent = int(model.parents[i])
            above, place = (WORLD, np.eye(4)) if parent < 0 else (int(self.group[parent]), in_group[parent])
            place = place @ model.X_PJ[i]
            joint = body.joint
            if isinstance(joint, Fixed):
                self.group[i], in_group[i] = above, place
                if above != WORLD:
                    members[above] = members[above] + _placed(body.inertia, place @ model.X_JB[i])
                continue
            self.group[i], in_group[i] = len(base), np.eye(4)
            members.append(_placed(body.inertia, model.X_JB[i]))
            base.append(i)
            if isinstance(joint, _FLOATING):
                continue
            axis = np.zeros(3)
            if isinstance(joint, Revolute):
                axis = np.array(joint.axis)
            elif not isinstance(joint, _BALLS):
                moves = "several hinges and slides" if isinstance(joint, Composite) else f"a {joint.type_name} joint"
                raise DynamicsError(
                    f'"{body.name}" moves by {moves}; '
                    "Hakenberg's equations take a hinge, a ball, a free or a fixed joint"
                )
            self.joint_of[i] = len(E)
            E.append((len(base) - 1, above))
            located.append((np.zeros(3), place[:3, 3]))
            axes.append((axis, place[:3, :3] @ axis))
        for i, inertia in zip(base, members, strict=True):
            if not inertia.mass > 0.0:
                raise DynamicsError(
                    f'the mass of "{model.names[i]}" is 0; Hakenberg\'s equations need one greater than 0 in every body'
                )
        self.base = np.array(base, dtype=np.int64)
        self.centers = np.array([inertia.center for inertia in members]).reshape(-1, 3)
        lever = np.array(located).reshape(-1, 2, 3)
        for row, pair in zip(lever, E, strict=True):
            for side, group in enumerate(pair):
                if group != WORLD:
                    row[side] -= self.centers[group]
        inertias = np.array([inertia.inertia for inertia in members]).reshape(-1, 3, 3)
        self.bodies = JointedBodies(
            [inertia.mass for inertia in members], inertias, np.array(E).reshape(-1, 2), lever,
            np.array(axes).reshape(-1, 2, 3),
        )  # fmt: skip

    def states(self, poses: Array, twists: Array) -> BodyStates:
        """Return the states of the groups.

        Args:
            poses: Of the model's joint frames in the world, shape (nb, 4, 4).
            twists: Of the joint frames against the world, in J, shape (nb, 6).
        """
        R, V = poses[self.base, :3, :3], twists[self.base]
        p = poses[self.base, :3, 3] + np.einsum("iab,ib->ia", R, self.centers)
        v = np.einsum("iab,ib->ia", R, V[:, 3:] + np.cross(V[:, :3], self.centers))
        return BodyStates(p, R.copy(), v, V[:, :3].copy())

    def coordinates(self, model: TreeModel, state: BodyStates, near: Array) -> tuple[Array, Array]:
        """Return coordinates and rates of the joints, the nearest where they have come apart.

        Args:
            model: The model.
            state: Of the groups.
            near: Coordinates not far away, shape (nq,), to say which turn is meant.

        Returns:
            ``x``, shape (nq,), and ``v``, shape (nv,); new.
        """
        count = len(self.group)
        poses, twists = np.empty((count, 4, 4)), np.zeros((count, 6))
        origins = state.p - np.einsum("iab,ib->ia", state.R, self.centers)
        poses[self.base] = se3.transform(state.R, origins)
        own = np.einsum("iba,ib->ia", state.R, state.v) - np.cross(state.omega, self.centers)
        twists[self.base] = np.concatenate([state.omega, own], axis=1)
        x, v = np.empty(model.nq), np.zeros(model.nv)
        for i, body in enumerate(model.bodies):
            parent, joint = int(model.parents[i]), body.joint
            before = model.X_PJ[i] if parent < 0 else poses[parent] @ model.X_PJ[i]
            if isinstance(joint, Fixed):
                poses[i] = before
                if parent >= 0:
                    twists[i] = se3.inverse_adjoint(model.X_PJ[i]) @ twists[parent]
                continue
            part = slice(model.first[i], model.first[i + 1])
            transform = se3.inverse(before) @ poses[i]
            x[part] = joint.coordinates(transform, near[part])
            if isinstance(joint, _FLOATING):
                relative = twists[i]
                if parent >= 0:
                    relative = relative - se3.inverse_adjoint(model.X_PJ[i] @ transform) @ twists[parent]
                v[part] = np.linalg.lstsq(joint.subspace(x[part]), relative)[0]
                continue
            turning = twists[i, :3]
            if parent >= 0:
                turning = turning - poses[i, :3, :3].T @ (poses[parent, :3, :3] @ twists[parent, :3])
            S = joint.subspace(x[part])[:3]
            v[part] = turning @ S if isinstance(joint, Revolute) else np.linalg.lstsq(S, turning)[0]
        return x, v

    def loads(self, model: TreeModel, motion: Motion, poses: Array, tau: Array | None, wrenches: Array | None) -> Loads:
        """Return what acts on the groups: gravity, generalized forces of the joints, and wrenches; new.

        Those of hinges and balls are torques ``e``, equal and opposite whatever has drifted.

        Args:
            model: The model.
            motion: ``motion(model, x)`` in the state meant.
            poses: Of the joint frames in the world, shape (nb, 4, 4).
            tau: Generalized forces, shape (nv,), or None.
            wrenches: ``[t; f]`` at B's origin in B's axes, shape (nb, 6), or None.

        Raises:
            DynamicsError: If coordinates of a joint that is driven move it the same way here; names the body.
        """
        R = poses[:, :3, :3]
        acting = newton_euler.in_joint_frames(model, wrenches)
        e = np.zeros((len(self.bodies.E), 3))
        for i, body in enumerate(model.bodies):
            own = None if tau is None else tau[model.first[i] : model.first[i + 1]]
            if own is None or not own.any():
                continue
            S, row, parent = motion.S[i], self.joint_of[i], int(model.parents[i])
            if isinstance(body.joint, Revolute):
                e[row] = R[i] @ (S[:3] @ own)
                continue
            (factors,) = joint_rows.factored([body.name], [S])
            driving = joint_rows.wrench(factors, own)
            if row >= 0:
                e[row] = R[i] @ driving[:3]
                continue
            acting[i] += driving
            if parent >= 0:
                acting[parent] -= motion.Ad[i].T @ driving
        forces = self.bodies.masses[:, None] * model.gravity
        torques = np.zeros_like(forces)
        if not acting.any():
            return Loads(e, forces, torques)
        moving = self.group != WORLD
        group = self.group[moving]
        base = self.base[group]
        centers = poses[base, :3, 3] + np.einsum("iab,ib->ia", R[base], self.centers[group])
        force = np.einsum("iab,ib->ia", R[moving], acting[moving, 3:])
        torque = np.einsum("iab,ib->ia", R[moving], acting[moving, :3])
        torque += np.cross(poses[moving, :3, 3] - centers, force)
        np.add.at(forces, group, force)
        np.add.at(torques, group, torque)
        return Loads(e, forces, np.einsum("iba,ib->ia", R[self.base], torques))

    def intrinsic(self, model: TreeModel, force: ForceTerms) -> tuple[Array, Array] | None:
        """Return a force as friction and motors of the joints, see ``equations.intrinsic_torques``; None if it is more.

        Args:
            model: The model.
            force: Adds what a force given for this model does in its joints; returns whether that is all of it.

        Returns:
            ``mu`` and ``beta``, shape (n,) each.
        """
        terms = ImplicitTerms(model)
        if not force(terms) or not terms.only_rates_and_torques:
            return None
        friction, motor = np.zeros((2, len(self.bodies.E)))
        for i, body in enumerate(model.bodies):
            own, row = slice(int(model.first[i]), int(model.first[i + 1])), self.joint_of[i]
            if row >= 0 and isinstance(body.joint, Revolute):
                friction[row], motor[row] = terms.damping[own.start], terms.torque[own.start]
            elif terms.damping[own].any() or terms.torque[own].any():
                return None
        for first, end, mu in terms.frictions:
            i = body_of_coordinate(model, first)
            if self.joint_of[i] < 0 or (first, end) != (model.first[i], model.first[i + 1]):
                return None
            friction[self.joint_of[i]] += mu
        return friction, motor

    def twist_rates(self, model: TreeModel, joints: Joints, state: BodyStates, a: Array, domega: Array) -> Array:
        """Return the component-wise rates of all joint frames' twists, in J, shape (nb, 6); new.

        Args:
            model: The model.
            joints: In the state meant.
            state: Of the groups.
            a: Accelerations of the groups' centres in the world, shape (k, 3).
            domega: Rates of their angular velocities in object coordinates, shape (k, 3).
        """
        omega, r = state.omega, -self.centers
        # The origin's acceleration in the turning axes less what turning adds to the rate of its components.
        linear = np.einsum("iba,ib->ia", state.R, a) + np.cross(domega, r) + np.cross(omega, np.cross(omega, r))
        linear -= np.cross(omega, joints.V[self.base, 3:])
        found = np.zeros_like(joints.V)
        found[self.base] = np.concatenate([domega, linear], axis=1)
        for i, parent in enumerate(model.parents.tolist()):
            if parent >= 0 and isinstance(model.bodies[i].joint, Fixed):
                found[i] = joints.Ad[i] @ found[parent]
        return found


def _placed(inertia: SpatialInertia, pose: Array) -> SpatialInertia:
    return inertia.moved(pose[:3, :3], pose[:3, 3])


_known: WeakKeyDictionary[TreeModel, ModelBodies] = WeakKeyDictionary()


def bodies_of(model: TreeModel) -> ModelBodies:
    """Return a model's bodies in the variables of the paper, made at the first call.

    Raises:
        DynamicsError: As ``ModelBodies``.
    """
    found = _known.get(model)
    if found is None:
        found = _known.setdefault(model, ModelBodies(model))
    return found
