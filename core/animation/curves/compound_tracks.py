"""Compound joints between keys: one rotation along the shortest arc, linear or as a spline, kept inside the limits.

In a span a compound follows its arc, slerp or squad, unless the keys differ by more than half a turn in an angle or
the key says that it turns: then it follows its angles. The arc's angles are those nearest to the linear blend of the
two keys' angles. An arc between poses inside the limits may leave them; the span then blends toward the path of the
angles, which does not, by the least constant amount that stays inside.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.animation.curves.compound_joints import CompoundJoints
from core.animation.curves.key_rows import KINDS
from core.animation.curves.span_ends import SpanEnds
from core.animation.curves.tangents import Chords, TangentKinds, calm_tangents, tangents
from core.animation.shape import LINEAR
from core.arrays import Array, Bools, Ints
from core.spatial import quaternion as quat
from core.spatial.three_axes import ThreeAxes

Path = Callable[[Ints, Array, Ints | None], Array]
"""From rows, places in their spans (m, k) and a compound for each (None: all) to angles by angle, inside the limits."""
Slopes = tuple[tuple[Array, Array], tuple[Array, Array]]

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
    """The arcs of a figure's compounds in spans between keys.

    Args:
        joints: The compounds.
        spans: Number of spans there is room for.
        of_channel: Channel of each compound, shape (c,).

    Attributes:
        blend: How far each compound follows its angles instead of its arc in each span, 0 to 1, shape (spans, c).
    """

    def __init__(self, joints: CompoundJoints, spans: int, of_channel: Ints):
        self.joints, self._of_channel = joints, of_channel
        c = len(joints)
        self.blend = np.empty((spans, c))
        # Beside each other: the arc from key to key, and the one between the inner points of the spline.
        self._starts = np.empty((spans, c, 2, 4))
        self._arcs = np.empty((spans, c, 2, 3))
        self._near = np.empty((spans, c, 3))
        self._change = np.empty((spans, c, 3))

    @property
    def row_bytes(self) -> int:
        """Memory of one span, [bytes]."""
        return len(self.joints) * 21 * 8

    def wide(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return what has one column, or one a channel, with one a compound, or one."""
        return values if values.shape[1] == 1 else values[:, self._of_channel]

    def release(self, ends: SpanEnds, hulls: Bools) -> None:
        """Take the angles of compounds out of those that stay between two keys, shape (n, nq): arcs go as they must."""
        whole = len(self.joints) - self.joints.pairs
        hulls[:, self.joints.columns[:whole]] = False
        if self.joints.pairs:
            arcs = self.wide(ends.rows.looks.shapes.arcs[ends.shapes[1]])
            arcs = np.broadcast_to(arcs, (len(hulls), len(self.joints)))
            for k in (0, 1):
                hulls[:, self.joints.columns[whole:, k]] &= ~arcs[:, whole:]

    def by_angle(self, start: Array, end: Array, turns: Bools) -> Bools:
        """Return which compounds follow their angles in spans, shape (n, c).

        Args:
            start: Poses at the keys that begin the spans, shape (n, nq).
            end: Poses at those that end them, shape (n, nq).
            turns: Whether the keys say so, shape (n, 1) or (n, c).
        """
        change = np.abs(self.joints.values(end) - self.joints.values(start))
        found: Bools = turns | (change > np.pi + _INSIDE).any(axis=-1)
        return found

    def tangents(
        self, ends: SpanEnds, end: int, slopes: tuple[Array, Array], angled: tuple[Bools, Bools]
    ) -> tuple[Array, Array]:
        """Return the half angular velocities at keys, [rad/frame], as they come to them and leave them, (n, c, 3).

        Args:
            ends: The spans.
            end: Which of their ends, 1 or 2.
            slopes: Slopes of the pose's values there that come and leave, [1/frame], each of shape (n, nq).
            angled: Which spans before and after the keys follow angles, each of shape (n, c): their velocity is then
                the key's, as it is where the key has slopes of its own.
        """
        values = self.joints.values
        poses = ends.poses[end - 1 : end + 2]
        before, here, after = (self.joints.rotations(values(pose)) for pose in poses)
        h_in, h_out = (self.wide(h) for h in ends.lengths(end))
        plain = quat.squad_tangent(before, here, after, h_in, h_out)
        spans = ends.tangent_kinds(end, self._of_channel)
        found = plain, plain
        if spans.special:
            chords = Chords(-quat.arc(here, before), quat.arc(here, after), h_in[..., None], h_out[..., None], _lengths)
            kinds = spans.own[..., None], spans.kind_in[..., None], spans.kind_out[..., None]
            found = tangents(chords, plain, TangentKinds(*kinds, spans.tcb[..., None, :]))
        found = self._kept(ends, end, found, (before, here, after), (h_in, h_out))
        by_angle = angled[0] | angled[1]
        free = ends.free(end)
        if not (by_angle.any() or free.any()):
            return found
        angles = values(poses[1])
        rates = [self.joints.half_velocities(angles, values(slopes[0]))] * 2
        if slopes[1] is not slopes[0]:
            rates[1] = self.joints.half_velocities(angles, values(slopes[1]))
        chosen = (
            np.where((by_angle | self.wide(free[..., side]))[..., None], rates[side], found[side]) for side in (0, 1)
        )
        return tuple(chosen)  # type: ignore[return-value]

    def _kept(
        self,
        ends: SpanEnds,
        end: int,
        found: tuple[Array, Array],
        rotations: tuple[Array, Array, Array],
        lengths: tuple[Array, Array],
    ) -> tuple[Array, Array]:
        """Return tangents made short enough for the spans beside them that must not swing past their keys."""
        kept = [self.wide(some) for some in ends.kept(end)]
        if not (kept[0].any() or kept[1].any()):
            return found
        before, here, after = rotations
        chords = -quat.arc(here, before), quat.arc(here, after)
        sides = [
            np.where((some & (h > 0.0))[..., None], 3.0 * chord / np.where(h > 0.0, h, 1.0)[..., None], np.nan)
            for some, h, chord in zip(kept, lengths, chords, strict=True)
        ]
        common = calm_tangents(found[0], *sides)
        if found[0] is found[1]:
            return common, common
        same = (found[0] == found[1]).all(axis=-1, keepdims=True)
        return (
            np.where(same, common, calm_tangents(found[0], sides[0])),
            np.where(same, common, calm_tangents(found[1], sides[1])),
        )

    def prepare(self, rows: Ints, ends: SpanEnds, slopes: Slopes, limits: tuple[Array, Array], path: Path) -> None:
        """Work out spans.

        Args:
            rows: Where they are kept, shape (n,).
            ends: The spans.
            slopes: Slopes of the pose's values at both ends, those that come to the keys and those that leave them.
            limits: Lower and upper limits of the pose in the spans, each of shape (n, nq).
            path: The way by angle.
        """
        values, shapes = self.joints.values, ends.rows.looks.shapes
        h = [self.wide(length) for length in (*ends.lengths(1), ends.lengths(2)[1])]
        turns = [
            self.joints.chosen(self.wide(shapes.turns[number]), self.wide(~shapes.arcs[number]))
            for number in (*ends.shapes[:2], ends.shapes[3])
        ]
        angled = [
            self.by_angle(ends.poses[k], ends.poses[k + 1], turns[k] & (h[k] > 0.0 if k != 1 else True))
            for k in range(3)
        ]
        by_u = h[1][..., None]
        tangent_a = self.tangents(ends, 1, slopes[0], (angled[0], angled[1]))[1] * by_u
        tangent_b = self.tangents(ends, 2, slopes[1], (angled[1], angled[2]))[0] * by_u
        first, last = values(ends.poses[1]), values(ends.poses[2])
        a = self.joints.rotations(first)
        b = quat.shortest(a, self.joints.rotations(last))
        s_a, s_b = quat.squad_controls(a, b, tangent_a, tangent_b)
        straight = self.wide(ends.kinds == KINDS[LINEAR])[..., None]
        s_a, s_b = np.where(straight, a, s_a), np.where(straight, b, s_b)
        starts = np.stack([a, s_a], axis=-2)
        self._starts[rows] = starts
        self._arcs[rows] = quat.log(quat.multiply(quat.conjugate(starts), np.stack([b, s_b], axis=-2)))
        self._near[rows], self._change[rows] = first, last - first
        self.blend[rows] = 1.0
        lo, hi = values(limits[0], -np.inf), values(limits[1], np.inf)
        by_angle = angled[1] | self.wide(ends.stepped)
        self.blend[rows] = np.where(by_angle, 1.0, self._least_blend(rows, lo, hi, path))

    def _least_blend(self, spans: Ints, lo: Array, hi: Array, path: Path) -> Array:
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
            some = self.joints.taken(which)
            for _ in range(_REFINEMENTS):
                fine = np.clip(middle[:, None] + width[:, None] * _CLOSER, 1e-6, 1.0 - 1e-6)
                found = self._angles_of(spans[rows], which, fine, some)
                safe = path(spans[rows], fine, which)
                mine = _over(found, safe, lo[rows, which][:, None], hi[rows, which][:, None])
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
        # Close to gimbal lock angles run fast but do run: looking closer distinguishes that from a jump.
        at = steps[rows, :, which].argmax(axis=1)
        left, right = _SAMPLES[at], _SAMPLES[at + 1]
        step = np.full(len(rows), np.inf)
        every, some = np.arange(len(rows)), self.joints.taken(which)
        for _ in range(_ZOOMS):
            u = left[:, None] + (right - left)[:, None] * _PARTS
            mine = self._angles_of(spans[rows], which, u, some)
            steps = np.abs(np.diff(mine, axis=1)).max(axis=-1)
            at = steps.argmax(axis=1)
            left, right, step = u[every, at], u[every, at + 1], steps[every, at]
        jumps[rows, which] = step > _JUMP
        return jumps

    def _scores(self, spans: Ints, u: Array, lo: Array, hi: Array, path: Path) -> tuple[Array, Array]:
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
        safe = path(spans, u, None)
        return _over(angles, safe, lo[:, None], hi[:, None]), angles

    def _angles_of(self, spans: Ints, which: Ints, u: Array, joints: ThreeAxes) -> Array:
        """Return the angles of one compound's arc in each span, shape (m, k, 3).

        Args:
            spans: Shape (m,).
            which: The compounds, shape (m,).
            u: Where in the spans, shape (m, k).
            joints: Their axes, m of them.
        """
        starts, arcs = self._starts[spans, which][:, None], self._arcs[spans, which][:, None]
        pair = quat.multiply(starts, quat.exp(u[..., None, None] * arcs))
        outer, inner = pair[..., 0, :], pair[..., 1, :]
        between = quat.log(quat.multiply(quat.conjugate(outer), inner))
        q = quat.multiply(outer, quat.exp((2.0 * u * (1.0 - u))[..., None] * between))
        near = self._near[spans, which][:, None] + u[..., None] * self._change[spans, which][:, None]
        return np.swapaxes(joints.angles(np.swapaxes(q, 0, 1), np.swapaxes(near, 0, 1)), 0, 1)

    def _arc_angles(self, spans: Ints, u: Array) -> Array:
        """Return the angles of the arcs at ``u``, shape (m,) or (m, c); shape (m, c, 3)."""
        u = u.reshape(len(u), -1)
        pair = quat.multiply(self._starts[spans], quat.exp(u[..., None, None] * self._arcs[spans]))
        outer, inner = pair[..., 0, :], pair[..., 1, :]
        between = quat.log(quat.multiply(quat.conjugate(outer), inner))
        q = quat.multiply(outer, quat.exp((2.0 * u * (1.0 - u))[..., None] * between))
        return self.joints.angles(q, self._near[spans] + u[..., None] * self._change[spans])

    def packed(self, spans: Ints, which: Ints) -> tuple[Array, Array]:
        """Return the arcs of some compounds in spans, for kernels, and whether they follow their angles.

        Args:
            spans: Shape (n,).
            which: Numbers of compounds, shape (t,).

        Returns:
            Start, a quaternion, and way, a half rotation vector, of the arc from key to key, then of the one between
            the inner points of the spline, shape (n, t, 14); and 1 where a compound follows its angles, shape (n, t).
        """
        starts, arcs = self._starts[spans][:, which], self._arcs[spans][:, which]
        parts = [starts[:, :, 0], arcs[:, :, 0], starts[:, :, 1], arcs[:, :, 1]]
        return np.concatenate(parts, axis=-1), (self.blend[spans][:, which] > 0.5).astype(np.float64)

    def evaluate(self, spans: Ints, u: Array, poses: Array) -> None:
        """Put the compounds' angles into poses that were interpolated by angle.

        Args:
            spans: Span of each pose, shape (m,).
            u: Where in it, shape (m, 1) or one a channel.
            poses: Shape (m, nq); changed in place.
        """
        by_angle = self.joints.values(poses)
        arc = 1.0 - self.blend[spans][..., None]
        self.joints.put(poses, by_angle + arc * (self._arc_angles(spans, self.wide(u)) - by_angle))


def _over(angles: Array, safe: Array, lo: Array, hi: Array) -> Array:
    """Return how far angles lie outside their limits: the blend needed, 0 to 1; inside the distance, negative."""
    over = np.maximum(np.maximum(angles - hi, lo - angles), -_FAR)
    needed = np.minimum(over / np.maximum(np.abs(angles - safe), _INSIDE), 1.0)
    scores: Array = np.where(over > _INSIDE, needed, np.minimum(over, 0.0)).max(axis=-1)
    return scores


def _lengths(arcs: Array) -> Array:
    """Return the sizes of arcs, kept as the last axis."""
    return np.asarray(np.sqrt((arcs * arcs).sum(axis=-1, keepdims=True)))
