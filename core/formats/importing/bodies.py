"""Body segments for a bare imported skeleton: motion files say where the joints are, not what hangs on them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from core.arrays import Array
from core.formats.importing import body_shapes as shapes
from core.formats.importing.body_shapes import MAN, Axes
from core.skeleton.anatomy import Anatomy, find_anatomy
from core.skeleton.frames import frames_at
from core.skeleton.joint import SegmentObject
from core.skeleton.mesh import Mesh
from core.skeleton.named_parts import (
    CLAVICLE,
    FINGER,
    FOOT,
    FOREARM,
    HAND,
    HEAD,
    HELPER,
    LIMB,
    NECK,
    PELVIS,
    SHANK,
    THIGH,
    TOE,
    TRUNK,
    UPPER_ARM,
)
from core.skeleton.shapes import section_axes, tapered, volume
from core.skeleton.skeleton import Skeleton

_FACE = 6  # bones under a head: with more of them it has a face
_TINY = 1e-3  # of the figure's size: a segment shorter than this has no body


def _unit(vector: Array) -> Array:
    return vector / float(np.linalg.norm(vector))


class BodyParts:
    """Makes the meshes of a figure.

    Args:
        s: The figure.
        anatomy: What its joints are.
    """

    def __init__(self, s: Skeleton, anatomy: Anatomy):
        self.s, self.a = s, anatomy
        self.at = anatomy.frames[:, :3, 3]
        self.tips = [
            [frame[:3, :3] @ tip + frame[:3, 3] for tip in joint.tips]
            for frame, joint in zip(anatomy.frames, s.joints, strict=True)
        ]
        points = np.concatenate([self.at, *(np.array(tips) for tips in self.tips if tips)])
        self.size = float(np.ptp(points, axis=0).max())
        self.made: dict[int, list[Mesh]] = {}

    def all(self) -> dict[int, list[Mesh]]:
        """Return the meshes of every joint that has some, in skeleton order; world axes, [m]."""
        if self.size <= 0.0:
            return {}
        if self.a.human:
            self._measure()
            self._trunk()
            self._neck()
            for joint in self.a.having(HEAD):
                self._head(joint)
            for joint in self.a.having(CLAVICLE):
                self._clavicle(joint)
            for chain in self.a.chains.values():
                self._limb(chain)
            for joint in self.a.having(HAND):
                self._hand(joint)
            for joint in self.a.having(FOOT):
                self._foot(joint)
        for joint in self.a.having(LIMB):
            self._plain(joint)
        return dict(sorted(self.made.items()))

    def _add(self, joint: int, *meshes: Mesh) -> None:
        self.made.setdefault(joint, []).extend(meshes)

    # -- measures ------------------------------------------------------------------------------------------------

    def _measure(self) -> None:
        """Find how large a person with these legs, this trunk and these arms would be; 1 is ``MAN`` metres tall."""
        a = self.a
        hips, shoulders = self._roots(THIGH), self._roots(UPPER_ARM)
        self.hips, self.shoulders = hips.mean(axis=0), shoulders.mean(axis=0)
        self.hip_half, self.shoulder_half = (0.5 * float(np.linalg.norm(two[0] - two[1])) for two in (hips, shoulders))
        self.rise = float((self.shoulders - self.hips) @ a.up)
        totals = dict.fromkeys((THIGH, SHANK, UPPER_ARM, FOREARM), 0.0)
        for first, chain in a.chains.items():
            totals[a.parts[first]] += 0.5 * self._length(chain)
        legs, arms = (
            (totals[upper] + totals[lower]) / (shapes.LIMBS[upper][0] + shapes.LIMBS[lower][0])
            for upper, lower in ((THIGH, SHANK), (UPPER_ARM, FOREARM))
        )
        self.k = float(np.median([legs, arms, self.rise / shapes.TRUNK_LENGTH]))
        self.leg, self.arm = (self.k * float(np.clip(x / self.k, 0.3, 3.0)) ** 0.4 for x in (legs, arms))

    def _roots(self, part: str) -> Array:
        """Where the left and the right limb begins, shape (2, 3)."""
        first = {self.a.sides[i]: self.at[i] for i in reversed(self.a.chains) if self.a.parts[i] == part}
        return np.array([first[1], first[-1]])

    def _ends(self, chain: list[int]) -> list[Array]:
        """The far end of every joint's segment along a limb."""
        found: list[Array] = []
        for joint in chain:
            end = self._end(joint)
            if end is None:
                # Nothing says how long it is: as long as the one before, straight on.
                before = self.at[joint] - self.at[self.s.joints[joint].parent]
                end = self.at[joint] + (before if before.any() else -0.2 * self.size * self.a.up)
            found.append(end)
        return found

    def _length(self, chain: list[int]) -> float:
        pairs = zip(chain, self._ends(chain), strict=True)
        return float(sum(np.linalg.norm(end - self.at[joint]) for joint, end in pairs))

    def _end(self, joint: int) -> Array | None:
        """The far end of a segment: the joint that follows, the mean of several, its tips; None if nothing is there."""
        if self.a.next[joint] >= 0:
            return self.at[self.a.next[joint]]
        ends = [self.at[k] for k in self.s.children[joint] if self._far(self.at[k], joint)] or self.tips[joint]
        return np.mean(ends, axis=0) if ends else None

    def _far(self, point: Array, joint: int) -> bool:
        return float(np.linalg.norm(point - self.at[joint])) > _TINY * self.size

    def _axes(self, along: Array) -> Axes:
        """Axes of a part that runs along ``along``, its front towards the body's."""
        front = self.a.forward if abs(float(along @ self.a.forward)) < 0.9 else self.a.up
        deep, wide = section_axes(along, front)
        return Axes(along, wide, deep)

    # -- trunk and head ------------------------------------------------------------------------------------------

    def _trunk(self) -> None:
        """Cut one torso that spans hips and shoulders into slices, each for the joint that carries it."""
        a, k = self.a, self.k
        pelvis = a.having(PELVIS)[0]
        line = [pelvis, *(i for i in a.having(TRUNK) if i != pelvis)]
        necks = a.having(NECK, HEAD)
        top = 0.5 * (self.shoulders + self.at[necks[0]]) if necks else self.shoulders
        bottom = 0.75 * self.hips + 0.25 * self.at[pelvis]
        rise = max(self.rise, 0.5 * shapes.TRUNK_LENGTH * k)
        lean = float((top - bottom) @ a.forward)
        heights = [shapes.TRUNK_LOW, *(float((self.at[i] - self.hips) @ a.up) / rise for i in line[1:])]
        heights = [*np.maximum.accumulate(heights).tolist(), shapes.TRUNK_HIGH]
        hip = float(np.clip((self.hip_half + 0.056 * k) / (0.144 * k), 0.7, 1.6))
        shoulder = float(np.clip(self.shoulder_half / (shapes.SHOULDER_HALF * k), 0.7, 1.2))
        origin = self.hips + a.forward * float((bottom - self.hips) @ a.forward)
        for joint, low, high in zip(line, heights[:-1], heights[1:], strict=True):
            if high - low < 0.04:
                continue
            rows = shapes.between(shapes.TRUNK, low, high)
            share = np.clip(rows[:, 0], 0.0, 1.0)
            wide = hip + (shoulder - hip) * share * share * (3.0 - 2.0 * share)
            table = np.zeros((len(rows), 5))
            table[:, 0] = rows[:, 0] * rise
            table[:, 1] = rows[:, 1] * k * wide
            table[:, 2:4] = rows[:, 2:4] * k * np.sqrt(wide)[:, None]
            table[:, 4] = share * lean
            # Neighbours overlap far enough to bend without a gap.
            caps = 0.055 * k, (0.055 if joint != line[-1] else 0.018) * k
            self._add(joint, shapes.solid(origin, Axes(a.up, a.left, a.forward), table, caps, 24))

    def _neck(self) -> None:
        a, k = self.a, self.k
        necks = a.having(NECK)
        for joint, following in zip(necks, [*necks[1:], *a.having(HEAD)], strict=False):
            if self._far(self.at[following], joint):
                wide = 0.058 if joint == necks[0] else 0.0545
                self._add(joint, tapered(self.at[joint], self.at[following], wide * k, 0.053 * k, across=a.left))

    def _head(self, joint: int) -> None:
        a, k, origin = self.a, self.k, self.at[joint]
        tips = self.tips[joint] or [self.at[i] for i in self.s.children[joint] if a.parts[i] == HELPER]
        tall = max((float((tip - origin) @ a.up) for tip in tips), default=0.0)
        size = k
        if a.having(NECK):
            size = k * float(np.clip(tall / (shapes.HEAD_TOP * k), 1.0, 1.6))
        elif tall > 1.3 * shapes.HEAD_TOP * k:
            # The joint stands at the foot of the neck.
            origin = origin + a.up * (tall - shapes.HEAD_TOP * k)
            self._add(joint, tapered(self.at[joint], origin, 0.058 * k, 0.053 * k))
        origin = origin + a.forward * self._face(joint, size)
        self._add(joint, shapes.head(origin, Axes(a.up, a.left, a.forward), size))

    def _face(self, head: int, size: float) -> float:
        """How far a head stands forward of its joint so that the bones of its face lie in it, not before it, [m]."""
        inside = {head}
        for i in range(head + 1, len(self.s.joints)):
            if self.s.joints[i].parent in inside:
                inside.add(i)
        if len(inside) <= _FACE:
            return 0.0
        ahead = [float((self.at[i] - self.at[head]) @ self.a.forward) for i in inside]
        return float(np.clip(max(ahead) - shapes.HEAD_FRONT * size, 0.0, 0.7 * shapes.HEAD_FRONT * size))

    # -- limbs ---------------------------------------------------------------------------------------------------

    def _clavicle(self, joint: int) -> None:
        end = self._end(joint)
        if end is None or not self._far(end, joint):
            return
        # The first begins inside the chest, beside the neck: where the joint itself stands differs between files.
        k, middle, start = self.arm, self.shoulders + 0.015 * self.k * self.a.up, self.at[joint]
        parent = self.s.joints[joint].parent
        inner = self.a.parts[parent] != CLAVICLE
        if inner:
            shoulder = max((i for i in self._below(joint, UPPER_ARM)), default=joint)
            start = middle + 0.3 * (self.at[shoulder] - middle)
        if float((end - start) @ (end - middle)) > 0.03 * k * float(np.linalg.norm(end - middle)):
            first = (0.056 * k, 0.048 * k) if inner else (0.050 * k, 0.048 * k)
            self._add(joint, tapered(start, end, first, 0.049 * k, across=self.a.forward))

    def _limb(self, chain: list[int]) -> None:
        part = self.a.parts[chain[0]]
        total, done = self._length(chain), 0.0
        k = self.leg if part in (THIGH, SHANK) else self.arm
        thick = k * float(np.clip(total / (shapes.LIMBS[part][0] * k), 0.3, 2.0)) ** 0.3
        for joint, end in zip(chain, self._ends(chain), strict=True):
            offset = end - self.at[joint]
            length = float(np.linalg.norm(offset))
            if length > _TINY * self.size:
                span = done / total, (done + length) / total
                self._add(joint, shapes.limb(part, self.at[joint], self._axes(offset / length), length, span, thick))
                done += length

    def _below(self, joint: int, part: str) -> list[int]:
        """The first joints that carry ``part`` under a joint."""
        found: list[int] = []
        for k in self.s.children[joint]:
            found += [k] if self.a.parts[k] == part else self._below(k, part)
        return found

    def _row(self, first: int, part: str) -> list[int]:
        """A digit's joints from the first on."""
        row = [first]
        while True:
            inner = [k for k in self.s.children[row[-1]] if self.a.parts[k] == part]
            if not inner:
                return row
            row.append(inner[0])

    def _digit(self, row: list[int], radius: float) -> None:
        """A finger or toe: one tapered piece a joint; without an end the last is as long as the one before."""
        length = 0.0
        for n, joint in enumerate(row):
            end = self._end(joint)
            if end is None and n > 0:
                offset = self.at[joint] - self.at[row[n - 1]]
                end = self.at[joint] + 0.8 * offset
            if end is None or not self._far(end, joint):
                continue
            length += float(np.linalg.norm(end - self.at[joint]))
            r, then = (radius * (1.0 - 0.3 * x / len(row)) for x in (n, n + 1))
            # Its round end stays inside the tip.
            stop = end - _unit(end - self.at[joint]) * min(then, 0.4 * float(np.linalg.norm(end - self.at[joint])))
            self._add(joint, tapered(self.at[joint], stop if joint == row[-1] else end, r, then, 8))

    def _hand(self, joint: int) -> None:
        k, wrist = self.arm, self.at[joint]
        rows = [self._row(first, FINGER) for first in self._below(joint, FINGER)]
        thumbs = [row for row in rows if "thumb" in self.s.joints[row[0]].name.lower()]
        fingers = [row for row in rows if row not in thumbs]
        knuckles = np.array([self.at[row[0]] for row in fingers]).reshape(-1, 3)
        end = knuckles.mean(axis=0) if fingers else None if thumbs else self._end(joint)
        if end is None or not self._far(end, joint):
            end = wrist + self._onward(joint) * shapes.PALM * k
        palm = float(np.linalg.norm(end - wrist))
        along = _unit(end - wrist)
        thumb_ends = [self._end(row[0]) for row in thumbs]
        toward = next((offset - wrist for offset in thumb_ends if offset is not None), self.a.forward)
        if len(fingers) > 1:
            spread = np.linalg.svd(knuckles - end)[2][0]
            toward = spread if float(spread @ toward) >= 0.0 else -spread
        deep, wide = section_axes(along, toward)
        axes = Axes(along, wide, deep)
        usual = 0.75 * shapes.HAND_LENGTH * k
        if len(fingers) > 1:
            half = 0.5 * float(np.ptp(knuckles @ deep)) + shapes.FINGER * k
            self._add(
                joint, shapes.hand(wrist, axes, (0.0, 1.0), palm, k * float(np.clip(half / (0.0405 * k), 0.7, 1.3)))
            )
            for row in fingers:
                self._digit(row, shapes.FINGER * k)
        elif fingers:
            self._mitten([joint, *fingers[0]], axes, usual)
        else:
            length = max(palm, usual)
            self._add(joint, shapes.hand(wrist, axes, (0.0, 2.0), length, k))
        for row in thumbs:
            root = wrist + 0.25 * (end - wrist)
            if float(np.linalg.norm(self.at[row[0]] - root)) > 0.01 * k:
                self._add(joint, tapered(root, self.at[row[0]], 0.015 * k, 1.05 * shapes.THUMB * k, 8))
            self._digit(row, shapes.THUMB * k)
        if not rows:
            base = wrist + along * 0.24 * length + deep * 0.014 * k
            tip = base + along * 0.22 * length + deep * 0.042 * k
            self._add(joint, tapered(base, tip, 0.0145 * k, 0.0105 * k, 8))

    def _onward(self, joint: int) -> Array:
        """The direction in which a limb arrives at a joint, shape (3,)."""
        at = joint
        while self.s.joints[at].parent >= 0:
            at = self.s.joints[at].parent
            if self._far(self.at[at], joint):
                return _unit(self.at[joint] - self.at[at])
        return -self.a.up

    def _mitten(self, row: list[int], axes: Axes, usual: float) -> None:
        """A hand whose fingers are one row of joints: slices of one mitten, no shorter than a hand."""
        places = [float(np.linalg.norm(self.at[joint] - self.at[row[0]])) for joint in row]
        end = self._end(row[-1])
        whole = places[-1] + (float(np.linalg.norm(end - self.at[row[-1]])) if end is not None else 0.0)
        whole = max(whole, usual, 1.2 * places[-1])
        for joint, start, stop in zip(row, places, [*places[1:], whole], strict=True):
            if stop - start > _TINY * self.size:
                following = self.at[row[row.index(joint) + 1]] if joint != row[-1] else end
                along = axes.along if following is None else _unit(following - self.at[joint])
                deep, wide = section_axes(along, axes.deep)
                ends = 2.0 * start / whole, 2.0 * stop / whole
                self._add(joint, shapes.hand(self.at[joint], Axes(along, wide, deep), ends, stop - start, self.arm))

    def _foot(self, joint: int) -> None:
        k, ankle, up = self.leg, self.at[joint], self.a.up
        rows = [self._row(first, TOE) for first in self._below(joint, TOE)]
        balls = np.array([self.at[row[0]] for row in rows]).reshape(-1, 3)
        end = balls.mean(axis=0) if rows else self._end(joint)
        offset = end - ankle if end is not None else np.zeros(3)
        if float(np.linalg.norm(offset)) <= _TINY * self.size:
            offset = self.a.forward * 0.2 * k
        ahead = offset - up * float(offset @ up)
        if float(np.linalg.norm(ahead)) < 0.35 * float(np.linalg.norm(offset)):
            # It points down: then what is ahead of the body is above the foot.
            ahead, up = offset, section_axes(_unit(offset), self.a.forward)[0]
        if not np.any(np.cross(up, ahead)):
            up = section_axes(_unit(ahead), up)[0]
        length = float(np.linalg.norm(ahead))
        wide = _unit(np.cross(up, ahead))
        axes = Axes(ahead / length, wide, up)
        sole = max(0.06 * k, 0.021 * k - float(offset @ up)) if rows else max(0.06 * k, 0.01 * k - float(offset @ up))
        if not rows:
            # Up to the tips: nearly two thirds to the ball.
            ball = 0.64 * length
            self._add(joint, shapes.foot(ankle, axes, ball, sole, k))
            self._add(joint, shapes.toes(ankle + axes.along * ball, axes, length - ball, sole, k))
            return
        half = 0.5 * float(np.ptp(balls @ wide)) + shapes.TOE * k if len(rows) > 1 else 0.0
        broad = k * float(np.clip(half / (0.045 * k), 0.75, 1.25)) if half else k
        self._add(joint, shapes.foot(ankle, axes, length, sole, broad))
        if len(rows) > 1:
            for row in rows:
                self._digit(row, (1.35 if "1" in self.s.joints[row[0]].name[-6:] else 1.0) * shapes.TOE * k)
            return
        toe, tip = rows[0][0], self._end(rows[0][0])
        place = ankle + axes.along * length
        far = float((tip - place) @ axes.along) if tip is not None else 0.0
        self._add(toe, shapes.toes(place, axes, max(far, 0.05 * k), sole, k))

    # -- anything else -------------------------------------------------------------------------------------------

    def _plain(self, joint: int) -> None:
        """A tapered limb from a joint to each that hangs on it; at the end of a chain to its tips, or shorter on."""
        ends = [self.at[k] for k in self.s.children[joint] if self._far(self.at[k], joint)]
        ends += [tip for tip in self.tips[joint] if self._far(tip, joint)]
        if not ends and not self.s.children[joint] and not self.a.human and self.s.joints[joint].parent >= 0:
            before = self.at[joint] - self.at[self.s.joints[joint].parent]
            ends = [self.at[joint] + 0.5 * before] if before.any() else []
        for end in ends:
            length = float(np.linalg.norm(end - self.at[joint]))
            thin, thick = (0.004, 0.02) if self.a.human else (0.008, 0.05)
            radius = float(np.clip(0.16 * length, thin * self.size, min(thick * self.size, 0.5 * length)))
            along = (end - self.at[joint]) / length
            start, stop = self.at[joint] + along * radius, end - along * 0.75 * radius
            if float((stop - start) @ along) > 0.1 * length:
                self._add(joint, tapered(start, stop, radius, 0.75 * radius, 10))


DENSITY = 1000.0  # [kg/m^3], of a figure that is no human
MASS = 73.0  # [kg], of a man of ``MAN`` metres; other people's goes with the cube of their height
_UNREAL = re.compile(r"[^\w .+-]+", re.ASCII)


def with_bodies(s: Skeleton) -> Skeleton:
    """Return the figure with a closed body for every segment, and masses to go with them.

    A human figure, recognised by the names of its joints and their place in the tree, gets a person's shapes: tapered
    limbs, pelvis and chest as wide as its hips and shoulders, an egg for the head, feet with flat soles; its whole mass
    is that of a person of its height, shared out by volume. Any other gets a tapered limb from joint to joint, of the
    density of water. Joints that only help (twist bones, the bones of a face, ends) get nothing.

    Args:
        s: The figure. One that has an object already is returned as it is; masses that are given stay.

    Returns:
        A new figure; its objects are named ``NAME/part.pol``.
    """
    if any(joint.objects for joint in s.joints):
        return s
    frames = frames_at(s, np.zeros(s.n_dofs))
    anatomy = find_anatomy(s, frames)
    meshes = BodyParts(s, anatomy).all()
    volumes = {i: sum(volume(mesh) for mesh in parts) for i, parts in meshes.items()}
    whole = sum(volumes.values())
    if not whole > 0.0:
        return s
    density = DENSITY
    if anatomy.human:
        heights = np.concatenate([mesh.vertices @ anatomy.up for parts in meshes.values() for mesh in parts])
        density = MASS * (float(np.ptp(heights)) / MAN) ** 3 / whole
    names = file_names(s, meshes)
    joints = list(s.joints)
    for i, parts in meshes.items():
        inward = np.linalg.inv(frames[i])
        objects = tuple(
            SegmentObject(name, Mesh(mesh.vertices @ inward[:3, :3].T + inward[:3, 3], mesh.triangles, mesh.polygons))
            for name, mesh in zip(names[i], parts, strict=True)
        )
        given = joints[i].as_given()
        joints[i] = replace(given, objects=objects, mass=density * volumes[i] if given.mass is None else given.mass)
    return Skeleton(s.name, joints, s.layout, s.source, s.warnings)


def file_names(s: Skeleton, meshes: dict[int, list[Mesh]]) -> dict[int, list[str]]:
    """A path of its own for every object, also where a disk takes no notice of capitals."""

    def plain(text: str) -> str:
        return _UNREAL.sub("_", text).strip(" .")[:80] or "part"

    folder, used = plain(s.name), set[str]()
    names: dict[int, list[str]] = {}
    for i, parts in meshes.items():
        stem = plain(s.joints[i].name)
        names[i] = []
        for _ in parts:
            name, number = stem, 2
            while name.casefold() in used:
                name, number = f"{stem} {number}", number + 1
            used.add(name.casefold())
            names[i].append(f"{folder}/{name}.pol")
    return names
