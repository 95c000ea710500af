"""Compound joints between keys: one rotation along the shortest arc, linear or as a spline, kept inside the limits.

In a span a compound follows its arc, slerp or squad, unless the keys differ by more than half a turn in an angle or
the key says that it turns: then it follows its angles. The arc's angles are those nearest to the linear blend of the
two keys' angles. An arc between poses inside the limits may leave them; the span then blends toward the path of the
angles, which does not, by the least constant amount that stays inside.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from core.animation.compound_joints import CompoundJoints
from core.spatial import quaternion as quat

Array = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]

# Denser toward the keys, where an arc that starts at a limit leaves it.
_SAMPLES = 0.5 - 0.5 * np.cos(np.pi * np.arange(1, 32) / 32.0)
_CLOSER = np.linspace(-1.0, 1.0, 17)
_REFINEMENTS = 3
_INSIDE = 1e-12
_RISE = 0.5
_FAR = 1e3
# Angles that move this far, [rad], between neighbouring times, however close, have changed their branch.
_JUMP = 1.0
_PARTS = np.linspace(0.0, 1.0, 17)
_ZOOMS = 4


class CompoundTracks:
    """The arcs of a figure's compounds in the spans between keys.

    Args:
        joints: The compounds.
        spans: Number of spans.

    Attributes:
        blend: How far each compound follows its angles instead of its arc in each span, 0 to 1, shape (spans, c).
    """

    def __init__(self, joints: CompoundJoints, spans: int):
        self.joints = joints
        c = len(joints)
        self.blend = np.ones((spans, c))
        # Beside each other: the arc from key to key, and the one between the inner points of the spline.
        self._starts = np.zeros((spans, c, 2, 4))
        self._arcs = np.zeros((spans, c, 2, 3))
        self._near = np.zeros((spans, c, 3))
        self._change = np.zeros((spans, c, 3))

    def arrays(self) -> tuple[Array, ...]:
        """Return everything kept span by span, the first axis the span."""
        return self.blend, self._starts, self._arcs, self._near, self._change

    def by_angle(self, start: Array, end: Array, turns: Bools) -> Bools:
        """Return which compounds follow their angles in spans, shape (n, c).

        Args:
            start: Poses at the keys that begin the spans, shape (n, nq).
            end: Poses at those that end them, shape (n, nq).
            turns: Whether the key says so, shape (n,).
        """
        change = np.abs(end[:, self.joints.columns] - start[:, self.joints.columns])
        found: Bools = turns[:, None] | (change > np.pi + _INSIDE).any(axis=-1)
        return found

    def tangents(
        self, poses: tuple[Array, Array, Array], h_in: Array, h_out: Array, slopes: Array, angled: Bools
    ) -> Array:
        """Return the half angular velocities at keys, [rad/frame], shape (n, c, 3).

        Args:
            poses: Poses at the keys before, at the keys, and after them, each of shape (n, nq).
            h_in: Lengths of the spans before, [frames], shape (n,); zero where there is none.
            h_out: Lengths of the spans after, [frames], shape (n,); zero where there is none.
            slopes: Slopes of the pose's columns at the keys, [1/frame], shape (n, nq).
            angled: Whether a span at the key follows angles, shape (n, c): their velocity is then the key's.
        """
        columns = self.joints.columns
        before, here, after = (self.joints.rotations(pose[:, columns]) for pose in poses)
        arcs = quat.squad_tangent(before, here, after, h_in[:, None], h_out[:, None])
        rates = self.joints.half_velocities(poses[1][:, columns], slopes[:, columns])
        return np.where(angled[..., None], rates, arcs)

    def prepare(
        self,
        spans: Ints,
        start: Array,
        end: Array,
        tangents: tuple[Array, Array],
        linear: Bools,
        angled: Bools,
        limits: tuple[Array, Array],
        path: Callable[[Ints, Array], Array],
    ) -> None:
        """Work out spans.

        Args:
            spans: Their numbers, shape (n,).
            start: Poses at the keys that begin them, shape (n, nq).
            end: Poses at the keys that end them, shape (n, nq).
            tangents: Half angular velocities by ``u`` at both ends, each of shape (n, c, 3).
            linear: Whether they are linear, shape (n,).
            angled: Which compounds follow their angles, shape (n, c).
            limits: Lower and upper limits of the pose in the spans, each of shape (n, nq).
            path: Function from span numbers and ``u`` to poses by angle, inside the limits.
        """
        columns = self.joints.columns
        first, last = start[:, columns], end[:, columns]
        a = self.joints.rotations(first)
        b = quat.shortest(a, self.joints.rotations(last))
        s_a, s_b = quat.squad_controls(a, b, *tangents)
        straight = linear[:, None, None]
        s_a, s_b = np.where(straight, a, s_a), np.where(straight, b, s_b)
        starts = np.stack([a, s_a], axis=-2)
        self._starts[spans] = starts
        self._arcs[spans] = quat.log(quat.multiply(quat.conjugate(starts), np.stack([b, s_b], axis=-2)))
        self._near[spans], self._change[spans] = first, last - first
        self.blend[spans] = 1.0
        lo, hi = limits[0][:, columns], limits[1][:, columns]
        self.blend[spans] = np.where(angled, 1.0, self._least_blend(spans, lo, hi, path))

    def _least_blend(self, spans: Ints, lo: Array, hi: Array, path: Callable[[Ints, Array], Array]) -> Array:
        """Return the least amounts that keep spans inside their limits, shape (n, c)."""
        n, c = len(spans), len(self.joints)
        score, angles = self._scores(spans, np.tile(_SAMPLES, (n, 1)), lo, hi, path)
        top = score.argmax(axis=1)
        most = np.take_along_axis(score, top[:, None], axis=1)[:, 0]
        # An arc that both leaves the limits and changes its branch cannot be blended without a jump.
        most[self._jumps(spans, angles) & (most > 0.0)] = 1.0
        # Between two samples an arc may rise past its highest sample by a part of the step to the next one.
        before = np.take_along_axis(score, np.maximum(top - 1, 0)[:, None], axis=1)[:, 0]
        after = np.take_along_axis(score, np.minimum(top + 1, len(_SAMPLES) - 1)[:, None], axis=1)[:, 0]
        step = most - np.minimum(before, after)
        rows, which = np.nonzero((most < 1.0) & ((most > 0.0) | (most > -_RISE * step)))
        if len(rows):
            edges = np.concatenate([[0.0], _SAMPLES, [1.0]])
            at = top[rows, which] + 1
            middle, width = edges[at], np.maximum(edges[at + 1] - edges[at], edges[at] - edges[at - 1])
            best = most[rows, which]
            every = np.arange(len(rows))
            for _ in range(_REFINEMENTS):
                fine = np.clip(middle[:, None] + width[:, None] * _CLOSER, 1e-6, 1.0 - 1e-6)
                mine = self._scores(spans[rows], fine, lo[rows], hi[rows], path)[0][every, :, which]
                peak = mine.argmax(axis=1)
                best = np.maximum(best, mine[every, peak])
                middle, width = fine[every, peak], width / 8.0
            most[rows, which] = best
        return np.maximum(most, 0.0).reshape(n, c)

    def _jumps(self, spans: Ints, angles: Array) -> Bools:
        """Return which arcs change the branch of their angles on the way, shape (n, c).

        Args:
            spans: Span numbers, shape (n,).
            angles: The arcs' angles at the samples, shape (n, k, c, 3).
        """
        steps = np.abs(np.diff(angles, axis=1)).max(axis=-1)
        jumps: Bools = steps.max(axis=1) > _JUMP
        rows, which = np.nonzero(jumps)
        if not len(rows):
            return jumps
        # Close to gimbal lock angles run fast but do run: looking closer tells that from a jump.
        at = steps[rows, :, which].argmax(axis=1)
        left, right = _SAMPLES[at], _SAMPLES[at + 1]
        step = np.full(len(rows), np.inf)
        every = np.arange(len(rows))
        for _ in range(_ZOOMS):
            u = left[:, None] + (right - left)[:, None] * _PARTS
            found = self._arc_angles(np.repeat(spans[rows], len(_PARTS)), u.reshape(-1))
            mine = found.reshape(len(rows), len(_PARTS), -1, 3)[every, :, which]
            steps = np.abs(np.diff(mine, axis=1)).max(axis=-1)
            at = steps.argmax(axis=1)
            left, right, step = u[every, at], u[every, at + 1], steps[every, at]
        jumps[rows, which] = step > _JUMP
        return jumps

    def _scores(
        self, spans: Ints, u: Array, lo: Array, hi: Array, path: Callable[[Ints, Array], Array]
    ) -> tuple[Array, Array]:
        """Return how far arcs leave their limits at each ``u``, and the arcs' angles there.

        Args:
            spans: Span numbers, shape (n,).
            u: Where in each, shape (n, k).
            lo: Lower limits, shape (n, c, 3).
            hi: Upper limits, shape (n, c, 3).
            path: As in ``prepare``.

        Returns:
            Scores, shape (n, k, c): outside the limits the blend needed, 0 to 1; inside them the distance to the
            nearest one, [rad], negative. And angles, shape (n, k, c, 3).
        """
        n, k = u.shape
        every, flat = np.repeat(spans, k), u.reshape(-1)
        angles = self._arc_angles(every, flat).reshape(n, k, -1, 3)
        safe = path(every, flat)[:, self.joints.columns].reshape(n, k, -1, 3)
        over = np.maximum(np.maximum(angles - hi[:, None], lo[:, None] - angles), -_FAR)
        needed = np.minimum(over / np.maximum(np.abs(angles - safe), _INSIDE), 1.0)
        return np.where(over > _INSIDE, needed, np.minimum(over, 0.0)).max(axis=-1), angles

    def _arc_angles(self, spans: Ints, u: Array) -> Array:
        """Return the angles of the arcs at ``u``, shape (m, c, 3)."""
        pair = quat.multiply(self._starts[spans], quat.exp(u[:, None, None, None] * self._arcs[spans]))
        outer, inner = pair[..., 0, :], pair[..., 1, :]
        between = quat.log(quat.multiply(quat.conjugate(outer), inner))
        q = quat.multiply(outer, quat.exp((2.0 * u * (1.0 - u))[:, None, None] * between))
        return self.joints.angles(q, self._near[spans] + u[:, None, None] * self._change[spans])

    def evaluate(self, spans: Ints, u: Array, poses: Array) -> None:
        """Put the compounds' angles into poses that were interpolated by angle.

        Args:
            spans: Span of each pose, shape (m,).
            u: Where in it, shape (m,).
            poses: Shape (m, nq); changed in place.
        """
        columns = self.joints.columns
        by_angle = poses[:, columns]
        arc = 1.0 - self.blend[spans][..., None]
        poses[:, columns] = by_angle + arc * (self._arc_angles(spans, u) - by_angle)
