"""The same trees in Pinocchio and MuJoCo, with results expressed in our coordinates.

Their velocities differ from ours where a joint turns in space: they take angular velocities in the body's axes, we the
rates of the coordinates. In each state ``u = A v`` and ``u' = A v' + A' v`` relate them, with the joint's own S and
Sdot, so that ``M = A^T M_u A`` and ``tau = A^T tau_u``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from core.dynamics import Multibody
from core.joints import (
    Composite,
    Fixed,
    Free,
    Free2D,
    FreeRotationFirst,
    JointModel,
    Prismatic,
    Revolute,
    Spherical,
    Translational,
)
from core.joints.base import HINGE
from core.spatial import quaternion, se3, so3

Array = NDArray[np.float64]

FREE = (Free, FreeRotationFirst)


def pieces(joint: JointModel, whole: tuple[type[JointModel], ...]) -> list[JointModel]:
    """Return the joints of a peer, one after the other, that make a joint in the same coordinates but for the rates.

    Args:
        joint: Of ours.
        whole: Types that the peer has as they are; others are taken apart into hinges and slides.

    Raises:
        KeyError: If it cannot be made.
    """
    if isinstance(joint, (Fixed, Revolute, Prismatic, *whole)):
        return [joint]
    if isinstance(joint, Composite):
        return [piece for part in joint.joints for piece in pieces(part, whole)]
    if joint.steps is None:
        raise KeyError(joint.type_name)
    return [Revolute(step.axis) if step.kind == HINGE else Prismatic(step.axis) for step in joint.steps]


def takes(joint: JointModel, whole: tuple[type[JointModel], ...]) -> bool:
    """Return whether ``pieces`` can make a joint."""
    try:
        return bool(pieces(joint, whole))
    except KeyError:
        return False


class Peer:
    """What both peers share: a tree in their velocities, asked in ours.

    Attributes:
        whole: Joint types that the peer has as they are.
    """

    whole: tuple[type[JointModel], ...] = ()

    def __init__(self, model: Multibody):
        self.ours = model
        self.pieces = [pieces(body.joint, self.whole) for body in model.bodies]

    def accelerations(self, x: Array, v: Array, tau: Array, wrenches: Array) -> tuple[Array, Array]:
        """Return ``vdot``, shape (nv,), twice: as it computes it, and as its mass matrix and inverse dynamics have it.

        The first loses digits in both: MuJoCo's where the mass matrix is ill-conditioned, Pinocchio's in long chains of
        ball joints (of 55 it has none left).
        """
        A, Adot = self._rates(x, v)
        self._set(x, A @ v)
        found, force = self._forward(np.linalg.solve(A.T, tau), wrenches)
        implied = np.linalg.solve(self._inertia(), force)
        return np.linalg.solve(A, found - Adot @ v), np.linalg.solve(A, implied - Adot @ v)

    def mass_matrix(self, x: Array) -> Array:
        """Return the mass matrix, shape (nv, nv)."""
        A, _ = self._rates(x, np.zeros(len(x)))
        self._set(x, np.zeros(len(x)))
        return A.T @ self._inertia() @ A

    def bias(self, x: Array, v: Array) -> Array:
        """Return the generalized forces that keep ``vdot`` zero, shape (nv,)."""
        A, Adot = self._rates(x, v)
        self._set(x, A @ v)
        return A.T @ (self._bias() + self._inertia() @ (Adot @ v))

    def _each(self) -> Iterator[tuple[int, int, JointModel, slice]]:
        """Yield (body, number of the piece in it, piece, its coordinates)."""
        for i, own in enumerate(self.pieces):
            start = int(self.ours.first[i])
            for k, piece in enumerate(own):
                yield i, k, piece, slice(start, start + piece.n)
                start += piece.n

    def _rates(self, x: Array, v: Array) -> tuple[Array, Array]:
        """Return ``A`` and ``A'``, shape (nv, nv): columns are our rates, rows the peer's velocities."""
        A, Adot = np.zeros((self.ours.nv, self.ours.nv)), np.zeros((self.ours.nv, self.ours.nv))
        for i, k, piece, part in self._each():
            rows = self._velocities(i, k)
            A[rows, part], Adot[rows, part] = self._block(i, piece, x[part], v[part])
        return A, Adot

    def _velocities(self, body: int, piece: int) -> slice:
        raise NotImplementedError

    def _block(self, body: int, piece: JointModel, q: Array, v: Array) -> tuple[Array, Array]:
        raise NotImplementedError

    def _set(self, x: Array, u: Array) -> None:
        raise NotImplementedError

    def _forward(self, tau: Array, wrenches: Array) -> tuple[Array, Array]:
        """Return accelerations, and the forces that make them: all there are, less the bias."""
        raise NotImplementedError

    def _inertia(self) -> Array:
        raise NotImplementedError

    def _bias(self) -> Array:
        raise NotImplementedError


class Pinocchio(Peer):
    """A tree in Pinocchio. A fixed body is part of the one that carries it."""

    whole = (Translational, Free2D, Spherical, *FREE)

    def __init__(self, model: Multibody):
        import pinocchio as pin

        super().__init__(model)
        self.pin = pin
        self.peer = pin.Model()
        self.peer.gravity.linear = np.array(model.gravity)
        self.joint: dict[int, int] = {-1: 0}
        self.place: dict[int, Any] = {-1: pin.SE3.Identity()}
        self.index: dict[tuple[int, int], int] = {}
        children = {i: np.flatnonzero(model.parents == i).tolist() for i in range(-1, len(model.bodies))}
        waiting = children[-1][::-1]
        while waiting:  # depth first: its algorithms want subtrees in one piece
            i = waiting.pop()
            self._add(i)
            waiting += children[i][::-1]
        self.data = self.peer.createData()

    def _add(self, i: int) -> None:
        pin, body, parent = self.pin, self.ours.bodies[i], int(self.ours.parents[i])
        at, place = self.joint[parent], self.place[parent] * pin.SE3(body.X_PJ)
        if not isinstance(body.joint, Fixed):
            made = [self._made(piece) for piece in self.pieces[i] if piece.n]
            joint = made[0]
            if len(self.pieces[i]) > 1:
                joint = pin.JointModelComposite(len(made))
                for one in made:
                    joint.addJoint(one)
            at, place = self.peer.addJoint(at, joint, place, body.name), pin.SE3.Identity()
        self.joint[i], self.place[i] = at, place
        own = body.inertia
        inertia = pin.Inertia(own.mass, np.array(own.center), np.array(own.inertia))
        self.peer.appendBodyToJoint(at, inertia, place * pin.SE3(body.X_JB))

    def _made(self, piece: JointModel) -> Any:
        pin = self.pin
        if isinstance(piece, Revolute):
            return pin.JointModelRevoluteUnaligned(np.array(piece.axis))
        if isinstance(piece, Prismatic):
            return pin.JointModelPrismaticUnaligned(np.array(piece.axis))
        if isinstance(piece, Translational):
            return pin.JointModelTranslation()
        if isinstance(piece, Free2D):
            return pin.JointModelPlanar()
        return pin.JointModelSpherical() if isinstance(piece, Spherical) else pin.JointModelFreeFlyer()

    def _velocities(self, body: int, piece: int) -> slice:
        before = sum(one.n for one in self.pieces[body][:piece])
        start = self.peer.joints[self.joint[body]].idx_v + before
        return slice(start, start + self.pieces[body][piece].n)

    def _block(self, body: int, piece: JointModel, q: Array, v: Array) -> tuple[Array, Array]:
        if isinstance(piece, (Fixed, Revolute, Prismatic, Translational)):
            return np.eye(piece.n), np.zeros((piece.n, piece.n))
        rows = (
            [3, 4, 2]
            if isinstance(piece, Free2D)
            else [0, 1, 2]
            if isinstance(piece, Spherical)
            else [3, 4, 5, 0, 1, 2]
        )
        return piece.subspace(q)[rows], piece.subspace_rate(q, v)[rows]

    def _set(self, x: Array, u: Array) -> None:
        self.q, self.u = np.zeros(self.peer.nq), u
        filled = dict.fromkeys(range(len(self.ours.bodies)), 0)
        for i, _, piece, part in self._each():
            numbers = self._configuration(piece, x[part])
            start = self.peer.joints[self.joint[i]].idx_q + filled[i]
            self.q[start : start + len(numbers)] = numbers
            filled[i] += len(numbers)

    def _configuration(self, piece: JointModel, q: Array) -> Array:
        if isinstance(piece, Free2D):
            return np.array([q[0], q[1], np.cos(q[2]), np.sin(q[2])])
        if not isinstance(piece, (Spherical, *FREE)):
            return q
        X = piece.transform(q)
        turn = np.roll(quaternion.from_matrix(X[:3, :3]), -1)
        return turn if isinstance(piece, Spherical) else np.concatenate([X[:3, 3], turn])

    def _forward(self, tau: Array, wrenches: Array) -> tuple[Array, Array]:
        pin = self.pin
        outside = [pin.Force.Zero() for _ in range(self.peer.njoints)]
        for i, wrench in enumerate(wrenches):
            force = pin.Force(wrench[3:], wrench[:3])
            outside[self.joint[i]] += (self.place[i] * pin.SE3(self.ours.X_JB[i])).act(force)
        found = pin.aba(self.peer, self.data, self.q, self.u, tau, outside).copy()
        return found, tau - pin.rnea(self.peer, self.data, self.q, self.u, np.zeros(len(tau)), outside)

    def _inertia(self) -> Array:
        M = np.triu(self.pin.crba(self.peer, self.data, self.q))
        return M + np.triu(M, 1).T

    def _bias(self) -> Array:
        return self.pin.nonLinearEffects(self.peer, self.data, self.q, self.u).copy()


class MuJoCo(Peer):
    """A tree in MuJoCo, through its own file format. Free joints hang on the world only, and are alone."""

    whole = (Spherical, *FREE)

    def __init__(self, model: Multibody):
        import mujoco

        super().__init__(model)
        self.mj = mujoco
        children = {i: np.flatnonzero(model.parents == i).tolist() for i in range(-1, len(model.bodies))}

        def element(i: int) -> str:
            inside = self._contents(i) + "".join(map(element, children[i]))
            return f"<body name='{i}' {_pose(self._rest(i))}>{inside}</body>"

        gravity = _text(model.gravity)
        text = (
            f"<mujoco><compiler angle='radian'/><option gravity={gravity}><flag constraint='disable'/></option>"
            f"<worldbody>{''.join(map(element, children[-1]))}</worldbody></mujoco>"
        )
        # It factors the inertia at zero too, where Euler angles such as XYX lock, and would write a file about that.
        mujoco.set_mju_user_warning(lambda message: None)
        self.peer = mujoco.MjModel.from_xml_string(text)
        mujoco.set_mju_user_warning(None)
        self.data = mujoco.MjData(self.peer)

    def _rest(self, i: int) -> Array:
        return self.ours.X_PJ[i]

    def _contents(self, i: int) -> str:
        body = self.ours.bodies[i]
        moments, axes = np.linalg.eigh(body.inertia.inertia)
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        X = body.X_JB @ se3.transform(axes, body.inertia.center)
        text = f"<inertial {_pose(X)} mass='{float(body.inertia.mass)!r}' diaginertia={_text(moments)}/>"
        for k, piece in enumerate(self.pieces[i]):
            name = f"name='{i}.{k}'"
            if isinstance(piece, (Revolute, Prismatic)):
                kind = "hinge" if isinstance(piece, Revolute) else "slide"
                text += f"<joint {name} type='{kind}' axis={_text(piece.axis)}/>"
            elif isinstance(piece, Spherical):
                text += f"<joint {name} type='ball'/>"
            elif isinstance(piece, FREE):
                text += f"<freejoint {name}/>"
        return text

    def _velocities(self, body: int, piece: int) -> slice:
        n = self.pieces[body][piece].n
        if not n:
            return slice(0, 0)
        start = int(self.peer.joint(f"{body}.{piece}").dofadr[0])
        return slice(start, start + n)

    def _block(self, body: int, piece: JointModel, q: Array, v: Array) -> tuple[Array, Array]:
        if not isinstance(piece, (Spherical, *FREE)):
            return np.eye(piece.n), np.zeros((piece.n, piece.n))
        S, Sdot = piece.subspace(q), piece.subspace_rate(q, v)
        if isinstance(piece, Spherical):
            return S[:3], Sdot[:3]
        # The place in world axes, the turning in the body's.
        R = (self._rest(body) @ piece.transform(q))[:3, :3]
        rates = R @ (Sdot[3:] + so3.hat(S[:3] @ v) @ S[3:])
        return np.concatenate([R @ S[3:], S[:3]]), np.concatenate([rates, Sdot[:3]])

    def _set(self, x: Array, u: Array) -> None:
        for i, k, piece, part in self._each():
            if not piece.n:
                continue
            start = int(self.peer.joint(f"{i}.{k}").qposadr[0])
            numbers = x[part]
            if isinstance(piece, (Spherical, *FREE)):
                X = piece.transform(x[part])
                if isinstance(piece, FREE):
                    X = self._rest(i) @ X
                numbers = quaternion.from_matrix(X[:3, :3])
                if isinstance(piece, FREE):
                    numbers = np.concatenate([X[:3, 3], numbers])
            self.data.qpos[start : start + len(numbers)] = numbers
        self.data.qvel[:] = u
        self.data.qfrc_applied[:] = 0.0
        self.data.xfrc_applied[:] = 0.0
        self.mj.mj_forward(self.peer, self.data)

    def _forward(self, tau: Array, wrenches: Array) -> tuple[Array, Array]:
        self.data.qfrc_applied[:] = tau
        for i, wrench in enumerate(wrenches):
            k = self.peer.body(str(i)).id
            R = self.data.xmat[k].reshape(3, 3) @ self.ours.X_JB[i, :3, :3]
            about_center = wrench[:3] - np.cross(self.ours.bodies[i].inertia.center, wrench[3:])
            self.data.xfrc_applied[k] = np.concatenate([R @ wrench[3:], R @ about_center])
        self.mj.mj_forward(self.peer, self.data)
        return self.data.qacc.copy(), self.data.qfrc_smooth.copy()

    def _inertia(self) -> Array:
        M = np.zeros((self.peer.nv, self.peer.nv))
        self.mj.mj_fullM(self.peer, self.data, M)
        return M

    def _bias(self) -> Array:
        return self.data.qfrc_bias.copy()


def _text(numbers: Any) -> str:
    return quoteattr(" ".join(repr(float(number)) for number in numbers))


def _pose(X: Array) -> str:
    return f"pos={_text(X[:3, 3])} quat={_text(quaternion.from_matrix(X[:3, :3]))}"
