"""Stumble: the figure follows its keys, keeps its balance, and catches itself by a step where it cannot otherwise.

While the extrapolated centre of mass is above the feet, their centre of pressure goes beyond it and brings the body
back (a pendulum whose pivot is moved), by the torques of inverse dynamics in the legs. Where it leaves them, the leg
that has the shorter way swings to where it will be when the foot comes down. All torques are within the strength of
the joints.

Sources: Hof (2008), The 'extrapolated center of mass' concept suggests a simple control of balance in walking, Hum.
Mov. Sci. 27, 112-125. Pratt, Carff, Drakunov and Goswami (2006), Capture point, Humanoids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.arrays import Array
from core.constraints.support import margin_of
from core.preview.controllers.bracing import REACTION, Fall, FallState
from core.preview.controllers.controller import Command, Controller, Situation
from core.preview.controllers.guard import bend, guard, held
from core.preview.controllers.muscles import SLOW, STIFF, limited, own_torques, rates
from core.preview.controllers.support import LEVEL, Soles, frequency, nearest, shrunk
from core.spatial import so3

if TYPE_CHECKING:
    from core.preview.anatomy import Anatomy

STEP_TIME = 0.32
"""How long a foot is in the air, [s]; recovery steps of people take 0.2 to 0.4 s."""
LIFT = 0.045
"""How high it is lifted, of the figure's height."""
MARGIN = 0.3
"""By this share of the polygon of the feet a step begins before the extrapolated centre of mass has left it."""
PUSH = 0.9
"""How far the centre of pressure goes beyond it, of what it is away from the middle of the feet."""
_APART, _FARTHEST = 0.09, 0.36  # of the height: feet across, and a foot from the hip above the ground
_SAGS, _TILTS = 0.72, 0.55  # of the height of the centre of mass that it stands at; cosine of the trunk's tilt
_SWINGS = 5.0  # stiffness of a leg in the air, in strengths
_LEVEL = 0.06  # m/rad: how much it counts that a foot in the air stays level, against where it is
_LIGHT = 0.12  # share of the weight that a foot on the ground bears at least
_EDGE = 0.2  # by this share of itself the centre of pressure stays within a sole's edge
_TWIST = 0.003  # of weight times height: about the upright axis no sole holds more than that by friction
_UP = np.array([0.0, 1.0, 0.0])


class Holding(Controller):
    """Motors that follow the keys with the strength of the joints: of parts, and of figures without two legs."""

    def __init__(self, anatomy: Anatomy):
        self._anatomy = anatomy

    def command(self, now: Situation) -> Command:
        return held(self._anatomy, now)


class Swing(NamedTuple):
    """A step.

    Attributes:
        foot: Which foot.
        since: When it began, [s].
        start: Pose of the foot then, shape (4, 4).
        goal: Where its middle is to come down, (x, z), shape (2,).
        x: Coordinates of the leg in the air, shape (nq,).
        middle: Of the sole in the frame of the foot, shape (3,).
    """

    foot: int
    since: float
    start: Array
    goal: Array
    x: Array
    middle: Array


class Balance(NamedTuple):
    """What is remembered.

    Attributes:
        swing: The step that is taken, or None.
        landed: When the last one ended, [s].
        stepped: Whether one was taken.
        lost: Of the fall that nothing holds up.
        fallen: Whether it has given up.
        leaves: Since when the extrapolated centre of mass is beyond the feet, [s], or None.
    """

    swing: Swing | None
    landed: float
    stepped: bool
    lost: FallState
    fallen: bool
    leaves: float | None


class Balancing(Controller):
    """Balance by the centre of pressure, and by steps."""

    def __init__(self, anatomy: Anatomy):
        self._anatomy = anatomy
        self._fall, self._soles = Fall(anatomy), Soles(anatomy)
        legs = [leg.bodies for leg in anatomy.legs]
        self._legs = legs
        self._known: tuple[Array, Array, Array] | None = None
        model = anatomy.actor.model
        self._center = float(
            model.center_of_mass(anatomy.rest)[1]
            - min(self._soles.corners(foot, anatomy.rest_poses)[:, 1].min() for foot in (0, 1))
        )
        self._mask = np.zeros((2, model.nv), dtype=np.bool_)
        for foot, leg in enumerate(legs):
            for kind in ("hip", "knee", "ankle"):
                self._mask[foot, anatomy.coordinates[leg[kind]]] = True
        self.state: Balance = Balance(None, -1.0, False, self._fall.begin, False, None)

    def command(self, now: Situation) -> Command:
        anatomy, state = self._anatomy, self.state
        if state.fallen:
            self.state = state._replace(lost=self._fall.after(state.lost, now))
            return guard(anatomy, now, self.state.lost.way)
        poses = now.poses
        standing = self._soles.standing(now)
        ground = min(float(self._soles.corners(foot, poses)[:, 1].min()) for foot in (standing or [0, 1]))
        omega = frequency(now, ground, anatomy.height)
        xi = now.center[LEVEL] + now.velocity[LEVEL] / omega
        upright = float((poses[anatomy.chest, :3, :3] @ anatomy.rest_poses[anatomy.chest, :3, :3].T)[1, 1])
        if now.center[1] - ground < _SAGS * self._center or upright < _TILTS:
            middle = self._soles.polygon([0, 1], poses).mean(axis=0)
            way = xi - middle
            level = np.array([way[0], 0.0, way[1]]) / max(float(np.linalg.norm(way)), 1e-9)
            self.state = state._replace(fallen=True, lost=FallState(now.time, level))
            return guard(anatomy, now, level)
        state = self._stepped(now, poses, standing, xi, omega)
        self.state = state
        return self._motors(now, poses, standing, xi, omega, ground, state)

    # -- steps ---------------------------------------------------------------------------------------------------

    def _stepped(self, now: Situation, poses: Array, standing: list[int], xi: Array, omega: float) -> Balance:
        """Return what is remembered after steps have begun or ended."""
        state, swing = self.state, self.state.swing
        if swing is not None:
            gone = (now.time - swing.since) / STEP_TIME
            if gone >= 1.5 or (gone > 0.8 and swing.foot in standing):
                return state._replace(swing=None, landed=now.time)
            left = max(swing.since + STEP_TIME - now.time, 0.0)
            goal = self._foothold(swing.foot, poses, xi, omega, left)
            moved = swing._replace(goal=goal if gone < 0.9 else swing.goal)
            return state._replace(swing=moved._replace(x=self._leg(moved, now, poses)))
        if not standing:
            return state
        polygon = self._soles.polygon([0, 1], poses)
        inner = shrunk(polygon, MARGIN)
        leaving = float(now.velocity[LEVEL] @ (xi - nearest(inner, xi))) > 0.0  # a pose may stand so near an edge
        if margin_of(inner, xi) >= 0.0 or (margin_of(polygon, xi) >= 0.0 and not leaving):
            return state._replace(leaves=None)
        leaves = now.time if state.leaves is None else state.leaves
        state = state._replace(leaves=leaves)
        wait = 0.06 if state.stepped else REACTION
        if now.time < leaves + wait or now.time < state.landed + 0.05:
            return state
        foot = self._chosen(poses, xi, omega)
        if foot in standing and len(standing) < 2:
            foot = 1 - foot
        anatomy, ankle = self._anatomy, self._legs[foot]["ankle"]
        corners = self._soles.corners(foot, poses)
        middle = poses[ankle, :3, :3].T @ (corners.mean(axis=0) - poses[ankle, :3, 3])
        goal = self._foothold(foot, poses, xi, omega, STEP_TIME)
        x, knee = now.x.copy(), anatomy.coordinates[self._legs[foot]["knee"]]
        bent = anatomy.rest.copy()
        bend(anatomy, bent, self._legs[foot]["knee"], 0.4)  # a straight leg is not shortened by any small change
        if float(np.linalg.norm(x[knee] - anatomy.rest[knee])) < 0.4:
            x[knee] = bent[knee]
        swing = Swing(foot, now.time, poses[ankle].copy(), goal, x, middle)
        return state._replace(swing=swing, stepped=True, leaves=None)

    def _ahead(self, foot: int, poses: Array, xi: Array, omega: float, left: float) -> Array:
        """Return where the extrapolated centre of mass will be when a foot comes down, shape (2,)."""
        other = self._soles.polygon([1 - foot], poses)
        pivot = nearest(shrunk(other, 0.15), xi)
        return np.asarray(pivot + (xi - pivot) * np.exp(omega * left))

    def _chosen(self, poses: Array, xi: Array, omega: float) -> int:
        """Return which foot steps: the one that has to be put least out of its way."""
        costs = []
        for foot in (0, 1):
            wanted = self._ahead(foot, poses, xi, omega, STEP_TIME)
            goal = self._foothold(foot, poses, xi, omega, STEP_TIME)
            here = self._soles.corners(foot, poses)[:, LEVEL].mean(axis=0)
            costs.append(2.0 * float(np.linalg.norm(goal - wanted)) + 0.3 * float(np.linalg.norm(goal - here)))
        if abs(costs[0] - costs[1]) < 1e-6:  # the one that carries less
            middles = [self._soles.corners(foot, poses)[:, LEVEL].mean(axis=0) for foot in (0, 1)]
            costs = [-float(np.linalg.norm(middle - xi)) for middle in middles]
        return int(np.argmin(costs))

    def _foothold(self, foot: int, poses: Array, xi: Array, omega: float, left: float) -> Array:
        """Return where the middle of a foot is to come down: as far as it reaches, and on its own side."""
        anatomy = self._anatomy
        wanted = self._ahead(foot, poses, xi, omega, left)
        along = xi - self._soles.corners(1 - foot, poses)[:, LEVEL].mean(axis=0)
        wanted = wanted + 0.03 * along / max(float(np.linalg.norm(along)), 0.05)
        side = self._across(poses) * float(anatomy.legs[foot].side)
        other = self._soles.corners(1 - foot, poses)[:, LEVEL].mean(axis=0)
        apart = float((wanted - other) @ side)
        least = _APART * anatomy.height
        if apart < least:
            wanted = wanted + (least - apart) * side
        hip = poses[self._legs[foot]["hip"], :3, 3][LEVEL]
        away = wanted - hip
        length, most = float(np.linalg.norm(away)), _FARTHEST * anatomy.height
        return np.asarray(hip + away * min(1.0, most / max(length, 1e-9)))

    def _across(self, poses: Array) -> Array:
        """Return the level direction to the left of the pelvis, shape (2,)."""
        turned = poses[0, :3, :3] @ self._anatomy.rest_poses[0, :3, :3].T
        left = (turned @ np.cross(_UP, self._anatomy.facing))[LEVEL]
        return np.asarray(left / max(float(np.linalg.norm(left)), 1e-9))

    def _leg(self, swing: Swing, now: Situation, poses: Array) -> Array:
        """Return coordinates of the leg in the air that bring its foot onto its way, by damped least squares."""
        anatomy, leg = self._anatomy, self._legs[swing.foot]
        gone = min((now.time + 3.0 * now.step - swing.since) / (0.92 * STEP_TIME), 1.0)
        share = gone * gone * (3.0 - 2.0 * gone)
        start = swing.start[:3, :3] @ swing.middle + swing.start[:3, 3]
        place = start.copy()
        place[LEVEL] += share * (swing.goal - start[LEVEL])
        place[1] += LIFT * anatomy.height * 4.0 * gone * (1.0 - gone) - 0.03 * anatomy.height * share
        x, bodies = swing.x.copy(), [leg["hip"], leg["knee"], leg["ankle"]]
        hip_parent = poses[anatomy.parents[bodies[0]]]
        for _ in range(2):
            X, rows, J, origins = hip_parent, [], [], []
            for b in bodies:
                X = X @ anatomy.joined[b]
                X = X.copy()
                X[:3, :3] = X[:3, :3] @ anatomy.turn(b, x)
                for k, axis in zip(anatomy.coordinates[b], anatomy.own_axes(b, x), strict=True):
                    rows.append(int(k))
                    J.append(X[:3, :3] @ axis)
                    origins.append(X[:3, 3])
            foot = X[:3, :3] @ swing.middle + X[:3, 3]
            axes = np.array(J)
            arms = np.cross(axes, foot - np.array(origins))
            off = np.concatenate([place - foot, _LEVEL * so3.log(swing.start[:3, :3] @ X[:3, :3].T)])
            A = np.concatenate([arms.T, _LEVEL * axes.T])
            change = A.T @ np.linalg.solve(A @ A.T + 1e-4 * np.eye(6), off)
            change = np.clip(change, -0.3, 0.3)
            for b in bodies:
                own = anatomy.coordinates[b]
                step = np.array([change[rows.index(int(k))] for k in own])
                if anatomy.is_ball[own[0]]:
                    x[own] = so3.log(so3.exp(x[own]) @ so3.exp(step))
                else:
                    low, high = anatomy.actor.model.limits[own].T
                    x[own] = np.clip(x[own] + step, low, high)
        return x

    # -- torques -------------------------------------------------------------------------------------------------

    def _motors(
        self, now: Situation, poses: Array, standing: list[int], xi: Array, omega: float, ground: float, state: Balance
    ) -> Command:
        anatomy = self._anatomy
        swing = state.swing
        bears = [foot for foot in standing if swing is None or foot != swing.foot]
        strength = anatomy.strength * now.strength
        kp, kd = STIFF * strength, SLOW * STIFF * strength
        x, v = now.keyed[0].copy(), now.keyed[1].copy()
        torque = np.zeros(anatomy.actor.model.nv)
        for foot in (0, 1):
            mine = self._mask[foot]
            if swing is not None and foot == swing.foot:
                x[mine], v[mine] = swing.x[mine], 0.0
                kp[mine], kd[mine] = _SWINGS * strength[mine], 0.2 * strength[mine]
            elif foot in bears:
                soft = 0.0 if state.stepped else 0.6
                kp[mine], kd[mine] = soft * strength[mine], 0.06 * strength[mine]
            elif state.stepped:
                kp[mine] = 0.0
        if bears:
            moment = self._righting(now, poses)
            if swing is not None:
                hip = self._legs[swing.foot]["hip"]
                own = anatomy.coordinates[hip]
                pulled = limited(anatomy, now, x, v, kp, kd)
                off = (
                    so3.log(so3.exp(now.x[own]).T @ so3.exp(x[own])) if anatomy.is_ball[own[0]] else x[own] - now.x[own]
                )
                exerts = pulled.kp[own] * off - pulled.kd[own] * rates(anatomy, now.x, now.v)[own]
                moment = moment + poses[hip, :3, :3] @ (anatomy.own_axes(hip, now.x).T @ exerts)
            torque = self._bearing(now, poses, bears, xi, omega, ground, state.stepped, moment)
        return limited(anatomy, now, x, v, kp, kd, torque)

    def _bearing(
        self,
        now: Situation,
        poses: Array,
        bears: list[int],
        xi: Array,
        omega: float,
        ground: float,
        stepped: bool,
        moment: Array,
    ) -> Array:
        """Return the torques, of balls about own axes, by which feet on the ground move the body, shape (nv,)."""
        anatomy, model = self._anatomy, self._anatomy.actor.model
        polygon = self._soles.polygon(bears, poses)
        middles = [self._soles.corners(foot, poses).mean(axis=0) for foot in bears]
        middle = np.mean(middles, axis=0)[LEVEL]
        if len(bears) == 2:
            middle = middle + (0.4 if stepped else 0.8) * self._keyed(now)[0]
        pressure = nearest(polygon, xi + PUSH * (xi - middle))
        a = np.zeros(3)
        a[1] = np.clip(
            60.0 * (self._height(now, poses, bears) - (now.center[1] - ground)) - 12.0 * now.velocity[1], -4, 4
        )
        lift = anatomy.mass * (float(a[1]) + now.gravity)
        # A moment moves the centre of pressure; where the soles end, the body is pushed less instead.
        shift = np.array([moment[2], -moment[0]]) / max(lift, 1.0)
        spin = float(np.clip(moment[1], -_TWIST * anatomy.height * lift, _TWIST * anatomy.height * lift))
        point = nearest(shrunk(polygon, _EDGE), pressure + shift)
        a[LEVEL] = omega**2 * (now.center[LEVEL] - (point - shift))
        most = 0.5 * now.gravity
        a[LEVEL] *= min(1.0, most / max(float(np.linalg.norm(a[LEVEL])), 1e-9))
        force = anatomy.mass * (a + now.gravity * _UP)
        shares = [1.0]
        if len(bears) == 2:
            between = (middles[1] - middles[0])[LEVEL]
            t = float(np.clip((point - middles[0][LEVEL]) @ between / max(float(between @ between), 1e-9), 0.0, 1.0))
            t = float(np.clip(t, _LIGHT, 1.0 - _LIGHT))
            shares = [1.0 - t, t]
        offset = point - sum(share * each[LEVEL] for share, each in zip(shares, middles, strict=True))
        wrenches = np.zeros((len(model.bodies), 6))
        for foot, share, own in zip(bears, shares, middles, strict=True):
            at = nearest(shrunk(self._soles.polygon([foot], poses), _EDGE), own[LEVEL] + offset)
            ankle = self._legs[foot]["ankle"]
            R, arm = poses[ankle, :3, :3], np.array([at[0], ground, at[1]]) - poses[ankle, :3, 3]
            turning = np.cross(arm, share * force) + share * np.array([0.0, spin, 0.0])
            wrenches[ankle] = np.concatenate([R.T @ turning, share * R.T @ force])
        vdot = np.zeros(model.nv)
        place = anatomy.actor.place
        assert place is not None
        vdot[place : place + 3] = a
        tau = model.inverse_dynamics(now.x, np.zeros(model.nv), vdot, wrenches=wrenches)
        tau[anatomy.coordinates[0]] = 0.0
        tau[place : place + 3] = 0.0
        return own_torques(anatomy, now.x, tau)

    def _keyed(self, now: Situation) -> tuple[Array, Array]:
        """Return where the keys have the centre of mass against the middle of the feet, and how they turn the root.

        Returns:
            Level, shape (2,), [m], no farther than feet would bear; and a rotation, shape (3, 3).
        """
        x = now.keyed[0]
        if self._known is None or not np.array_equal(self._known[0], x):
            model = self._anatomy.actor.model
            poses = model.body_poses(x)
            middles = [self._soles.corners(foot, poses)[:, LEVEL].mean(axis=0) for foot in (0, 1)]
            off = model.center_of_mass(x)[LEVEL] - np.mean(middles, axis=0)
            most = 0.05 * self._anatomy.height
            off = off * min(1.0, most / max(float(np.linalg.norm(off)), 1e-9))
            self._known = x.copy(), off, poses[0, :3, :3]
        return self._known[1], self._known[2]

    def _height(self, now: Situation, poses: Array, bears: list[int]) -> float:
        """Return how high the centre of mass is to be: a little under where it stands, lower with feet far apart."""
        lengths, bent = [], 0.96 if self.state.stepped else 0.985
        for foot in bears:
            hip, ankle = poses[self._legs[foot]["hip"], :3, 3], poses[self._legs[foot]["ankle"], :3, 3]
            rest = self._anatomy.rest_poses
            leg = float(np.linalg.norm(rest[self._legs[foot]["hip"], :3, 3] - rest[self._legs[foot]["ankle"], :3, 3]))
            level = float(np.linalg.norm((hip - ankle)[LEVEL]))
            lengths.append(leg - np.sqrt(max((bent * leg) ** 2 - level**2, (0.5 * leg) ** 2)))
        return self._center - max(lengths)

    def _righting(self, now: Situation, poses: Array) -> Array:
        """Return the moment that turns pelvis and trunk upright as keyed, world axes, shape (3,), [N m]."""
        anatomy = self._anatomy
        twists = rates(anatomy, now.x, now.v)[anatomy.coordinates[0]]
        off = so3.log(self._keyed(now)[1] @ poses[0, :3, :3].T)
        w = poses[0, :3, :3] @ twists if len(twists) == 3 else np.zeros(3)
        size = anatomy.mass * anatomy.height**2
        moment = size * (2.2 * off - 0.35 * w)
        most = 0.6 * size * np.array([1.0, 0.2, 1.0])
        return np.asarray(np.clip(moment, -most, most))
