"""The links of a model, for exact derivatives of its efforts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy

import numpy as np

from core.arrays import Array, Ints
from core.dynamics.multibody import Multibody
from core.joints import Composite, Free, Spherical
from core.joints.base import HINGE as HINGE_STEP
from core.joints.base import JointModel
from core.kernels import serving
from core.kernels.threads import share_rows
from core.preview.least_energy import effort_kernel
from core.preview.least_energy.effort_kernel import BALL, HINGE, SLIDE, Chain, Pushes

_Part = tuple[int, tuple[float, float, float]]
_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def _parts(joint: JointModel) -> Iterator[_Part | None]:
    """Yield what a joint is made of, None for what is neither a hinge, nor a slide, nor a ball."""
    if joint.steps is not None:
        for step in joint.steps:
            yield (HINGE if step.kind == HINGE_STEP else SLIDE), step.axis
    elif isinstance(joint, Spherical):
        yield BALL, _X
    elif isinstance(joint, Free):
        yield from ((SLIDE, _X), (SLIDE, _Y), (SLIDE, _Z), (BALL, _X))
    elif isinstance(joint, Composite):
        for each in joint.joints:
            yield from _parts(each)
    else:
        yield None


class Links:
    """A model whose joints are hinges, slides and balls, and forces that may act on it.

    Args:
        model: The bodies.
        parts: What its joints are made of.
        pushes: Of each force of the size 1: the body, whether it turns with it, and point, force and torque in B (of
            one that does not turn the force is in the world).
    """

    def __init__(self, model: Multibody, parts: list[list[_Part]], pushes: Iterable[tuple[int, bool, Array]]):
        kind: list[int] = []
        parent: list[int] = []
        first: list[int] = []
        turn: list[Array] = []
        offset: list[Array] = []
        axis: list[tuple[float, float, float]] = []
        mass: list[float] = []
        center: list[Array] = []
        inertia: list[Array] = []
        row: list[int] = []
        for body, own in zip(model.bodies, parts, strict=True):
            above, X = (0 if int(body.parent) < 0 else row[int(body.parent)]), np.asarray(body.X_PJ)
            at = int(model.first[len(row)])
            for number, (which, unit) in enumerate(own or [(SLIDE, _X)]):
                kind.append(which)
                parent.append(above)
                first.append(at)
                turn.append(X[:3, :3] if not number else np.eye(3))
                offset.append(X[:3, 3] if not number else np.zeros(3))
                axis.append(unit)
                mass.append(0.0)
                center.append(np.zeros(3))
                inertia.append(np.zeros((3, 3)))
                above, at = len(kind), at + (3 if which == BALL else 1)
            X_JB = np.asarray(body.X_JB)
            mass[-1] = float(body.inertia.mass)
            center[-1] = X_JB[:3, :3] @ body.inertia.center + X_JB[:3, 3]
            inertia[-1] = X_JB[:3, :3] @ body.inertia.inertia @ X_JB[:3, :3].T
            row.append(len(kind))
        self.chain = Chain(
            np.array(kind, dtype=np.int64), np.array(parent, dtype=np.int64), np.array(first, dtype=np.int64),
            np.array(turn), np.array(offset), np.array(axis), np.array(mass), np.array(center), np.array(inertia),
            np.array(model.gravity, dtype=np.float64),
        )  # fmt: skip
        link, turns, vectors = [], [], []
        for b, fixed, given in pushes:
            X_JB = np.asarray(model.bodies[b].X_JB)
            R = X_JB[:3, :3]
            link.append(row[b])
            turns.append(int(fixed))
            vectors.append([R @ given[0] + X_JB[:3, 3], R @ given[1] if fixed else given[1], R @ given[2]])
        self.pushes = Pushes(
            np.array(link, dtype=np.int64), np.array(turns, dtype=np.int64), np.array(vectors).reshape(-1, 3, 3)
        )
        self._memory = effort_kernel.memory_size(len(kind))

    @classmethod
    def of(cls, model: Multibody, balls: Ints, pushes: Iterable[tuple[int, bool, Array]]) -> Links | None:
        """Return the links of a model, None if a joint is none of those, or a ball is not among ``balls``."""
        parts: list[list[_Part]] = []
        own = {int(ball[0]) for ball in balls}
        for b, body in enumerate(model.bodies):
            made, at = [], int(model.first[b])
            for part in _parts(body.joint):
                if part is None or (part[0] == BALL and at not in own):
                    return None
                made.append(part)
                at += 3 if part[0] == BALL else 1
            if not made:
                return None
            parts.append(made)
        return cls(model, parts, pushes)

    def without_mass(self) -> Links:
        """Return the same links without mass and gravity: efforts are then minus the powers of what acts."""
        found = copy(self)
        found.chain = self.chain._replace(mass=np.zeros_like(self.chain.mass), gravity=np.zeros(3))
        return found

    def efforts(self, x: Array, v: Array, a: Array, acting: Ints, sizes: Array) -> Array:
        """Return the efforts of states, shape (p, n); arguments as for :meth:`jacobians`."""
        out = np.empty(x.shape)
        self._rows("effort_rows", (x, v, a, acting, sizes), 5 * x.shape[1] + acting.shape[1], out)
        return out

    def jacobians(self, x: Array, v: Array, a: Array, acting: Ints, sizes: Array) -> Array:
        """Return the derivatives of efforts by x, v, a and sizes, shape (p, n, 3 n + m).

        Args:
            x: Coordinates, shape (p, n).
            v: Rates, shape (p, n).
            a: Accelerations, shape (p, n).
            acting: Which pushes act, -1 for none, shape (p, m).
            sizes: How large they are, shape (p, m).
        """
        p, n = x.shape
        m = acting.shape[1]
        out = np.empty((p, n, 3 * n + m))
        self._rows("jacobian_rows", (x, v, a, acting, sizes), 5 * n + m, out)
        return out

    def hessians(self, x: Array, v: Array, a: Array, weights: Array, acting: Ints, sizes: Array) -> Array:
        """Return the second derivatives of the weighted sums of efforts, shape (p, 3 n + m, 3 n + m).

        Args:
            x: Coordinates, shape (p, n).
            v: Rates, shape (p, n).
            a: Accelerations, shape (p, n).
            weights: Of the efforts, shape (p, n).
            acting: Which pushes act, -1 for none, shape (p, m).
            sizes: How large they are, shape (p, m).
        """
        p, n = x.shape
        m = acting.shape[1]
        out = np.empty((p, 3 * n + m, 3 * n + m))
        self._rows("hessian_rows", (x, v, a, weights, acting, sizes), 10 * n + 2 * m, out)
        return out

    def _rows(self, name: str, arguments: tuple[Array | Ints, ...], more: int, out: Array) -> None:
        run = getattr(serving(effort_kernel), name)
        given = [np.require(each, requirements=["C", "A", "W"]) for each in arguments]

        def work(first: int, end: int) -> None:
            run(self.chain, self.pushes, *given, np.zeros(self._memory + more), out, first, end)

        share_rows(work, len(out))
