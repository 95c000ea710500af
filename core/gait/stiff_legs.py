"""Legs without knees: the hips go over the foot that stands as over a stilt, and the other leg swings round it.

The hip is as far from the foot's joint as the leg is long, always. So the foot that stands says how high the pelvis is,
on an arc (the compass gait of Saunders, Inman and Eberhart 1953, "The major determinants in normal and pathological
gait", Journal of Bone and Joint Surgery 35-A, 543-558). From one arc to the next the heel behind is lifted as far as it
takes, and a little on the heel in front. The leg that swings is cleared as by people with a stiff knee (Perry 1992,
Gait Analysis, chapter 6): the pelvis hikes on its side, and it swings outward as far as that is not enough.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from core.arrays import Array, Bools, Ints
from core.gait.biped import Biped
from core.gait.body import BodyWay
from core.gait.error import GaitError
from core.gait.feet import CLEAR, Contact, FootWay, rolled, rolled_frames, room_under, sole_points
from core.gait.footsteps import Footsteps
from core.gait.leg import Leg
from core.gait.turns import LEFT, RIGHT
from core.gait.upper_body import pelvis_at
from core.spatial import so3
from core.terrain.ground import Ground

_LIFTED = np.radians(13.0)  # how far the heel behind is lifted as the foot in front lands, at an easy step
_HIKE = np.radians(6.5)  # so far the pelvis is tilted at most
_SWUNG = np.radians(np.arange(0.0, 25.0, 1.5))  # outward; what is tried
_OUTWARD = np.radians(1.0)  # at least
_PAST = (0.0, 0.4, 0.8, 1.3)  # [rad]: so much faster it comes back to where it lands, which it passes in the air
_TIPS = 0.7  # of how far a leg is swung outward its foot tips with it
_ROLLS = np.radians(np.linspace(0.0, 60.0, 121))
_STRIKE = np.radians(7.0)  # so far the foot in front is turned up at most as it lands
_EARLY = 0.42  # of a step: so long before the other foot lands a heel is lifted
_THROUGH = 0.005  # [m]: a foot that goes deeper into the ground is not a step
_GRAZES = 0.0013  # [m]: as deep it may be in the ground as it comes off it and gets down
_ROUNDS = 8
_SECANTS, _NEAR = 3, float(np.radians(0.5))  # steps towards an exact roll, each no longer than between two of the table
_TOE_UP = np.radians(5.0)  # as it swings through
_DECAY = 0.6  # of a step: until a tilt that both feet needed is gone
_KEPT = 0.8  # of the speed at which a leg turns as its foot leaves or lands


class _Course(NamedTuple):
    """Where the body goes, each (m,) or (m, 3): over the ground, and how it is turned about the axes up and left."""

    place: Array
    yaw: Array
    pitch: Array


def over_stiff_legs(
    biped: Biped, steps: Footsteps, feet: tuple[FootWay, FootWay], body: BodyWay, ground: Ground, lift: float
) -> tuple[BodyWay, tuple[FootWay, FootWay]]:
    """Return the way of a body over legs that do not bend, and the way of the feet on these.

    Args:
        biped: The figure.
        steps: Its footsteps.
        feet: Where feet stand, and when, as those of bending legs do.
        body: The way of the body over them.
        ground: What they go over.
        lift: How high the foot is lifted, 1 for the usual.

    Raises:
        GaitError: If a foot cannot get to its next place.
    """
    return _Stilts(biped, steps, feet, body, ground, lift).made()


class _Stilts:
    """Works out one walk."""

    def __init__(
        self, biped: Biped, steps: Footsteps, feet: tuple[FootWay, FootWay], body: BodyWay, ground: Ground, lift: float
    ):
        self._biped, self._steps, self._ground, self._lift = biped, steps, ground, lift
        self._legs: dict[int, Leg] = {leg.side: leg for leg in biped.legs}
        self._body, self._number = body, steps.last + 1
        self._step = float(np.median(np.diff(steps.lands[1:]))) if len(steps.lands) > 3 else 0.5 * steps.fps
        found = sorted((c for way in feet for c in way.contacts), key=lambda c: c.step)
        self._stands = [self._rolling(c, found[k + 1 : k + 2]) for k, c in enumerate(found)]
        self._feet = {
            way.leg.side: way._replace(contacts=tuple(self._stands[c.step] for c in way.contacts)) for way in feet
        }
        self._tables = {c.step: self._ankles(c) for c in self._stands}
        turned = body.pelvis[:, :3, :3] @ (biped.pelvis_rest @ biped.facing.T).T
        yaw = np.unwrap(np.arctan2(turned[:, 0, 2], turned[:, 2, 2]))
        level = so3.exp(-yaw[:, None] * [0.0, 1.0, 0.0]) @ turned
        self._course = _Course(body.pelvis[:, :3, 3].copy(), yaw, np.arctan2(-level[:, 1, 2], level[:, 1, 1]))

    def made(self) -> tuple[BodyWay, tuple[FootWay, FootWay]]:
        """Return the way of body and feet."""
        self._go_along()
        tilt = self._hiked()
        height, tilt = self._over_feet(tilt)
        R = self._turned(tilt)
        place = self._course.place.copy()
        place[:, 1] = height
        ways = tuple(self._way(leg, R, place) for leg in self._biped.legs)
        spine, neck = (each.copy() for each in self._body.bends)
        spine[:, 2] = -0.75 * tilt
        neck[:, 2] = -tilt - spine[:, 2]
        return self._body._replace(pelvis=pelvis_at(self._biped, place, R), bends=(spine, neck)), (ways[0], ways[1])

    def _rolling(self, contact: Contact, after: list[Contact]) -> Contact:
        """Return a contact with the times at which a foot on a stiff leg rolls: early on its toes."""
        first, closes = contact.step == 0 and self._steps.lead > 0, not after and contact.leave >= self._steps.last
        strike = 0.0 if closes and self._steps.last > contact.land else min(contact.strike, _STRIKE)
        down = contact.down if strike > 0.0 else contact.land
        rise, push = contact.rise, contact.push
        if first or not after:  # it is lifted as a whole
            rise, push = contact.leave, 0.0
        elif push > 0.0:
            rise = max(min(rise, after[0].land - round(_EARLY * self._step)), down + 1)
        return contact._replace(strike=strike, down=down, rise=rise, push=push)

    # -- where legs reach --------------------------------------------------------------------------------------------

    def _leg(self, contact: Contact) -> Leg:
        return self._legs[int(self._steps.sides[contact.step])]

    def _ankles(self, contact: Contact) -> Array:
        """Return where the foot's joint is as it is rolled by ``_ROLLS``, shape (r, 3)."""
        return rolled_frames(self._leg(contact), contact, _ROLLS)[:, :3, 3]

    def _joint(self, contact: Contact, rows: Ints) -> Array:
        """Return where the foot's joint is from when it lands to when its heel is lifted, shape (k, 3)."""
        roll = np.minimum(rolled(contact, rows.astype(np.float64), 0.0), 0.0)
        return rolled_frames(self._leg(contact), contact, roll)[:, :3, 3]

    def _turned(self, tilt: Array, rows: Ints | None = None) -> Array:
        """Return how the body is turned, shape (k, 3, 3): tilted to its right where that is positive."""
        c = self._course
        yaw, pitch = (c.yaw, c.pitch) if rows is None else (c.yaw[rows], c.pitch[rows])
        return np.asarray(
            so3.axis_rotation("y", yaw) @ so3.axis_rotation("z", tilt) @ so3.axis_rotation("x", pitch)
        )  # fmt: skip

    def _heights(self, leg: Leg, ankle: Array, rows: Ints, tilt: Array, place: Array | None = None) -> Array:
        """Return how high the pelvis is over a foot's joint at frames, shape (k,), [m]; NaN where it is too far away.

        Args:
            leg: The leg.
            ankle: Where the foot's joint is, shape (3,) or (k, 3), [m].
            rows: The frames, shape (k,).
            tilt: How the pelvis is tilted there, shape (k,), [rad].
            place: Where it is there, if not on its course: x and z count, shape (k, 3), [m]; at one frame, of any
                number of places.
        """
        hip = np.einsum("mij,j->mi", self._turned(tilt, rows), leg.hip_place)
        flat = ((self._course.place[rows] if place is None else place) + hip - ankle)[:, [0, 2]]
        left = leg.length**2 - (flat * flat).sum(axis=1)
        with np.errstate(invalid="ignore"):
            return np.asarray(ankle[..., 1] + np.sqrt(left) - hip[:, 1])

    # -- the body ----------------------------------------------------------------------------------------------------

    def _go_along(self) -> None:
        """Move the body along its way so that, as a foot lands, legs reach it and the one behind whose heel is up."""
        from scipy.interpolate import PchipInterpolator  # here: the window starts without it

        place = self._course.place
        at, shift = [0.0], [0.0]
        for k in range(1, len(self._stands)):
            before, after = self._stands[k - 1], self._stands[k]
            if after.landed < 0 or after.land >= self._number:
                continue
            found = self._reaching(before, after)
            if after.land > at[-1]:
                at.append(float(after.land))
                shift.append(found)
            else:
                shift[-1] = found
        if self._steps.last > at[-1]:
            at.append(float(self._steps.last))
            shift.append(0.0 if self._steps.last > self._steps.lands[-1] else shift[-1])
        along = PchipInterpolator(at, shift)(np.arange(self._number)) if len(at) > 1 else np.zeros(self._number)
        ahead = np.stack([np.sin(self._course.yaw), np.cos(self._course.yaw)], axis=1)
        place[:, [0, 2]] += along[:, None] * ahead

    def _reaching(self, before: Contact, after: Contact) -> float:
        """Return how much farther along the body is as a foot lands than it would be, [m]."""
        row = np.array([after.land])
        apart = after.flat[:3, 3] - before.flat[:3, 3]
        stride = float(np.hypot(apart[0], apart[2]))
        rolls = before.push > 0.0
        lifted = min(_LIFTED * stride / (0.6 * self._biped.leg_length), 0.6 * before.push) if rolls else 0.0
        rear = self._tables[before.step][int(np.searchsorted(_ROLLS, lifted))]
        front = self._joint(after, row)[0]
        yaw = float(self._course.yaw[after.land])
        ahead = np.array([np.sin(yaw), 0.0, np.cos(yaw)])
        tries = np.linspace(-0.5, 0.5, 201) * max(stride, 0.05)
        places, level = self._course.place[after.land] + tries[:, None] * ahead, np.zeros(1)
        off = self._heights(self._leg(after), front, row, level, places)
        off = off - self._heights(self._leg(before), rear, row, level, places)
        good = np.isfinite(off)
        if not good.any():
            raise GaitError(self._where(after) + ": legs without knees do not reach so far")
        if stride < 0.2 * self._biped.leg_length:  # it closes up: the tilt makes up for the little that is left
            return 0.0
        tries, off = tries[good], off[good]
        crossing = np.flatnonzero((off[:-1] <= 0.0) & (off[1:] > 0.0))
        if not len(crossing):
            return float(tries[np.abs(off).argmin()])
        n = int(crossing[np.abs(tries[crossing]).argmin()])
        return float(tries[n] - off[n] * (tries[n + 1] - tries[n]) / (off[n + 1] - off[n]))

    def _where(self, contact: Contact) -> str:
        side = "left" if int(self._steps.sides[contact.step]) == LEFT else "right"
        return f'figure "{self._biped.skeleton.name}", {side} footprint {contact.step + 1}'

    def _hiked(self) -> Array:
        """Return how far the pelvis hikes on the side that swings, shape (m,), [rad], positive on the left one."""
        found = np.zeros(self._number)
        hips = abs(float(self._biped.legs[0].hip_place[0] - self._biped.legs[1].hip_place[0]))
        most = min(float(np.arcsin(min(CLEAR * self._biped.leg_length * self._lift / max(hips, 1e-6), 0.5))), _HIKE)
        for side in (LEFT, RIGHT):
            own = self._feet[side].contacts
            for before, after in itertools.pairwise(own):
                rows = np.arange(before.leave, min(after.land, self._number - 1) + 1)
                u = (rows - before.leave) / max(after.land - before.leave, 1)
                found[rows] += side * most * np.sin(np.pi * u) ** 2
        return found

    def _over_feet(self, tilt: Array) -> tuple[Array, Array]:
        """Return how high the pelvis is and how it is tilted at each frame, each of shape (m,)."""
        number, tilt = self._number, tilt.copy()
        height = np.full(number, np.nan)
        stands, last = self._stands, self._number - 1
        # Where both feet are flat, height and tilt are what brings both hips to their feet.
        both = np.zeros(number, dtype=bool)
        for a, b in itertools.pairwise(stands):
            rows = np.arange(max(b.down, 0, a.down), min(a.rise, a.leave, b.rise, last) + 1)
            if len(rows):
                height[rows], tilt[rows] = self._on_both(a, b, rows)
                both[rows] = True
        tilt = _joined(tilt, self._hiked(), both, _DECAY * self._step)
        for contact in stands:  # the later one goes before: the one behind gives way by its heel
            rows = np.arange(contact.land, min(contact.rise, last) + 1)
            rows = rows[~both[rows]]
            height[rows] = self._heights(self._leg(contact), self._joint(contact, rows), rows, tilt[rows])
        known = np.flatnonzero(np.isfinite(height))
        if not len(known):
            raise GaitError(f'figure "{self._biped.skeleton.name}" does not stand on its feet at any time')
        filled = _through(known, height[known], number)
        # A leg pushes the body up over its toes; it never lets it down below where it is flat.
        for contact in stands:
            rows = np.arange(contact.rise, min(contact.leave, last) + 1)
            rows = rows[~np.isfinite(height[rows])]
            least = self._heights(self._leg(contact), contact.flat[:3, 3], rows, tilt[rows])
            filled[rows] = np.fmax(filled[rows], least)
        return filled, tilt

    def _on_both(self, a: Contact, b: Contact, rows: Ints) -> tuple[Array, Array]:
        """Return height and tilt at which both hips are where their feet, flat, let them be, each of shape (k,)."""
        tilt, nudge = np.zeros(len(rows)), 1e-6

        def off(tilt: Array) -> tuple[Array, Array]:
            one, two = (self._heights(self._leg(c), c.flat[:3, 3], rows, tilt) for c in (a, b))
            return one - two, one

        for _ in range(_ROUNDS):
            error, _ = off(tilt)
            slope = (off(tilt + nudge)[0] - error) / nudge
            tilt = np.clip(tilt - np.nan_to_num(error / np.where(np.abs(slope) < 1e-9, np.inf, slope)), -0.4, 0.4)
        return off(tilt)[1], tilt

    # -- the feet ----------------------------------------------------------------------------------------------------

    def _way(self, leg: Leg, R: Array, place: Array) -> FootWay:
        """Return the way of one foot under its hip."""
        own = self._feet[leg.side]
        hip = np.einsum("mij,j->mi", R, leg.hip_place) + place
        frames, roll = own.frames.copy(), np.zeros(self._number)
        contacts = []
        for contact in own.contacts:
            rows = np.arange(contact.land, contact.leave + 1)
            found = self._rolled(contact, rows, hip[rows])
            tip = np.flatnonzero(found >= leg.most_roll)
            if len(tip) and contact.push > 0.0:  # it has come to its tip
                contact = contact._replace(leave=int(rows[max(tip[0] - 1, contact.rise + 1 - contact.land)]))
                rows = np.arange(contact.land, contact.leave + 1)
            roll[rows] = found[: len(rows)]
            frames[rows] = rolled_frames(leg, contact, roll[rows])
            push = float(max(roll[contact.leave], 0.0)) if contact.push > 0.0 else 0.0
            contacts.append(contact._replace(push=push, strike=float(max(-roll[contact.land], 0.0))))
        for before, after in itertools.pairwise(contacts):
            rows = np.arange(before.leave, after.land + 1)
            swung, turned = self._swing(leg, before, after, rows, R, hip, frames)
            frames[rows[1:-1]], roll[rows[1:-1]] = swung[1:-1], turned[1:-1]
        toes = np.zeros(self._number)
        for contact in contacts:
            rows = np.arange(contact.land, contact.leave + 1)
            toes[rows] = np.maximum(roll[rows], 0.0)
        return FootWay(leg, tuple(contacts), frames, roll, toes)

    def _rolled(self, contact: Contact, rows: Ints, hip: Array) -> Array:
        """Return how far a foot is rolled so that its joint is where the hip lets it be, shape (k,), [rad]."""
        leg, ankles = self._leg(contact), self._tables[contact.step]
        off = np.linalg.norm(hip[:, None] - ankles, axis=2) - leg.length
        found = np.zeros(len(rows))
        before = rows < contact.down
        found[before] = np.minimum(rolled(contact, rows[before].astype(np.float64), 0.0), 0.0)
        for n, row in enumerate(rows):
            if row > contact.rise and contact.push > 0.0:
                found[n] = min(_first_crossing(off[n], _ROLLS), leg.most_roll)
        inner = np.flatnonzero((found > 0.0) & (found < min(leg.most_roll, _ROLLS[-1])))
        return self._exactly(contact, found, inner, hip)

    def _exactly(self, contact: Contact, roll: Array, rows: Ints, hip: Array) -> Array:
        """Return rolls of a foot at which its joint is as far from the hip as the leg is long, near those, (k,)."""
        leg, found = self._leg(contact), roll.copy()
        if not len(rows):
            return found

        def off(x: Array) -> Array:
            away = hip[rows] - rolled_frames(leg, contact, x)[:, :3, 3]
            return np.asarray(np.linalg.norm(away, axis=1) - leg.length)

        x, step = roll[rows], np.full(len(rows), 1e-5)
        error = off(x)
        for _ in range(_SECANTS):
            after = off(x + step)
            slope = (after - error) / np.where(step == 0.0, 1.0, step)
            x, error = x + step, after
            step = np.where(np.abs(slope) > 1e-9, -error / np.where(np.abs(slope) > 1e-9, slope, 1.0), 0.0)
            step = np.clip(step, -_NEAR, _NEAR)
        better = np.abs(error) < np.abs(off(roll[rows]))
        found[rows[better]] = x[better]
        return found

    def _swing(
        self, leg: Leg, before: Contact, after: Contact, rows: Ints, R: Array, hip: Array, frames: Array
    ) -> tuple[Array, Array]:
        """Return frames and roll of a foot from where it leaves to where it lands, both included."""
        u = (rows - before.leave) / max(float(rows[-1] - rows[0]), 1.0)
        ends = [rows[0], rows[-1]]
        local = np.einsum("mji,mj->mi", R[ends], frames[ends, :3, 3] - hip[ends])
        flex, out = np.arctan2(local[:, 2], -local[:, 1]), np.arcsin(np.clip(local[:, 0] / leg.length, -0.9, 0.9))
        ease = u * u * (3.0 - 2.0 * u)
        beside = [max(rows[0] - 1, 0), min(rows[-1] + 1, self._number - 1)]
        there = np.einsum("mji,mj->mi", R[beside], frames[beside, :3, 3] - hip[beside])
        rates = len(rows) * np.array([_KEPT, -1.0]) * (flex - np.arctan2(there[:, 2], -there[:, 1]))
        turn = so3.log(before.flat[:3, :3].T @ after.flat[:3, :3])
        v = np.clip(u / 0.45, 0.0, 1.0)
        w = np.clip((u - 0.55) / 0.45, 0.0, 1.0)
        roll = before.push * (1.0 - v * v * (3.0 - 2.0 * v)) - after.strike * w * w * (3.0 - 2.0 * w)
        roll = roll - _TOE_UP * np.sin(np.pi * u) ** 2
        turned = before.flat[:3, :3] @ so3.exp(ease[:, None] * turn) @ so3.axis_rotation(leg.axis, roll)
        ahead = before.flat[:3, :3] @ leg.flat[2, :3]
        hump = np.sin(np.pi * u) ** 2
        wanted = CLEAR * self._biped.leg_length * self._lift * np.clip((hump - 0.3) / 0.5, 0.0, 1.0) - _GRAZES
        bend = np.maximum(roll, 0.0)
        best: tuple[float, Array] | None = None
        flexes = [
            flex[0] + (flex[1] - flex[0]) * ease + rates[0] * u * (1.0 - u) ** 2
            + max(past - min(rates[1], 0.0), 0.0) * u * u * (1.0 - u) for past in _PAST
        ]  # fmt: skip
        for n, f in itertools.product(range(len(_SWUNG)), flexes):
            if f is flexes[0]:
                outward = leg.side * (_OUTWARD + _SWUNG[n]) * hump
                aside, tipped = out[0] + (out[1] - out[0]) * ease + outward, so3.axis_rotation(ahead, _TIPS * outward)
                across, down, R_foot = np.sin(aside), np.cos(aside), tipped @ turned
            way = leg.length * np.stack([across, -down * np.cos(f), down * np.sin(f)], axis=1)
            made = np.tile(np.eye(4), (len(rows), 1, 1))
            made[:, :3, :3] = R_foot
            made[:, :3, 3] = np.einsum("mij,mj->mi", R[rows], way) + hip[rows]
            short = float((wanted - room_under(sole_points(leg, made, bend), self._ground)).max())
            if best is None or short < best[0] - 1e-4:
                best = short, made
            if short <= 0.0:
                break
        assert best is not None
        deep = -float(room_under(sole_points(leg, best[1], bend), self._ground)[1:-1].min(initial=0.0))
        if deep > _THROUGH:
            raise GaitError(
                f"{self._where(after)}: a leg without a knee cannot be lifted over the ground on the way there; its "
                f"foot would go {100.0 * deep:.0f} cm into it; let the figure walk on more level ground"
            )
        return best[1], roll


def _first_crossing(off: Array, rolls: Array) -> float:
    """Return the roll at which a foot's joint is as far from the hip as the leg is long; where it is nearest else."""
    if off[0] <= 0.0:  # it is near enough as it stands
        return 0.0
    passed = np.flatnonzero(off <= 0.0)
    if not len(passed):
        return float(rolls[off.argmin()])
    n = int(passed[0])
    share = off[n - 1] / (off[n - 1] - off[n])
    return float(rolls[n - 1] + share * (rolls[n] - rolls[n - 1]))


def _through(known: Ints, values: Array, number: int) -> Array:
    """Return values at all frames, between those that are known as smooth as these go on, shape (number,)."""
    from scipy.interpolate import CubicHermiteSpline  # here: the window starts without it

    found = np.interp(np.arange(number), known, values)
    for a, b in itertools.pairwise(known):
        if b - a > 1:
            slopes = []
            for end, way in ((a, -1), (b, 1)):
                beside = end + way
                n = np.searchsorted(known, beside)
                there = n < len(known) and known[n] == beside
                at = int(np.searchsorted(known, end))
                slopes.append(float(values[n] - values[at]) * way if there else 0.0)
            spline = CubicHermiteSpline([a, b], [found[a], found[b]], slopes)
            found[a + 1 : b] = spline(np.arange(a + 1, b))
    return found


def _joined(tilt: Array, hiked: Array, both: Bools, decay: float) -> Array:
    """Return how the pelvis is tilted where one foot bears it: hiked, and less and less as before that, or after."""
    rows = np.flatnonzero(both)
    if not len(rows):
        return hiked
    found, at = tilt.copy(), np.arange(len(tilt))
    after = np.clip(np.searchsorted(rows, at), 0, len(rows) - 1)
    for n in (rows[after], rows[np.maximum(after - 1, 0)]):
        v = np.clip(1.0 - np.abs(at - n) / decay, 0.0, 1.0)
        hiked = hiked + np.where(both, 0.0, tilt[n] * v * v * (3.0 - 2.0 * v))
    found[~both] = hiked[~both]
    return found
