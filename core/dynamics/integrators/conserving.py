"""Runge-Kutta of fourth order that keeps momentum and energy to rounding."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.integrators.base import Integrator
from core.dynamics.integrators.rk4 import rk4_step

if TYPE_CHECKING:
    from core.dynamics.constraints import Constraint
    from core.dynamics.engine.conserving import ConservedTrees, TreePart
    from core.dynamics.multibody import Multibody
    from core.dynamics.state import State
    from core.dynamics.system import System

_CLOSED = 1e-13
"""Gap of a loop that is left open, to the distance of the bodies from the origin, or to 10 if that is less."""
_TIED = 1e-9
"""Part of a row that it takes at a root for what it holds to be tied to the world or another tree."""


class Conserving(Integrator):
    """A step of ``rk4``, after which loops are closed, and momentum and energy made what the laws of motion say.

    The momentum of a tree that floats freely is that of the start and the impulses of gravity and all other forces from
    outside since; its centre of mass has moved by it. The energy is that of the start and the work of all forces that
    store none, dampers say. Impulses and work are integrated along with the motion; where there are none, as in
    free flight, or with springs in the joints, momentum and energy stay what they were to rounding. A rigid motion of
    the whole tree puts its momentum right, a factor of what its joints move besides its energy, as in the free flight
    of the contact step; loops within the tree stay closed by either.

    Trees that a joint, a loop or a rod ties to the world or to each other keep their energy, those that are tied all
    together; their momentum is that of ``rk4``. Of several trees that nothing ties each has its own account, in which
    forces that store energy are reckoned by their work.

    Source: Ascher & Petzold (1998), Computer methods for ordinary differential equations, 9.2 (projection on
    invariants).
    """

    name: ClassVar[str] = "conserving"
    label: ClassVar[str] = "Conserving Runge-Kutta 4"
    description: ClassVar[str] = "As precise as Runge-Kutta 4; keeps momentum and energy to rounding. Takes no limits."
    early_charts = True

    def __init__(self) -> None:
        self._account: _Account | None = None

    @classmethod
    def takes(cls, constraint: Constraint) -> bool:
        return constraint.equality and constraint.positional and not constraint.driven

    def begin(self, system: System, x: Array, v: Array) -> None:
        self._account = _Account(system, x, v) if len(x) else None

    def recharted(self, before: Multibody, system: System, x: Array, v: Array) -> None:
        if self._account is not None and system.model is not before:
            self._account.rechart(system)

    def step(self, system: System, t: float, x: Array, v: Array, h: float) -> tuple[Array, Array]:
        account = self._account
        if account is None:  # nothing can move
            return x, v

        def acceleration(t: float, x: Array, v: Array) -> Array:
            return account.stage(system, system.state(t, x, v))

        x, v = rk4_step(acceleration, t, x, v, h)
        return account.settle(system, t + h, x, v, h)


class _Stage(NamedTuple):
    """What acts on the trees in one stage: power [W], shape (trees,), and wrenches, shape (trees, 6).

    The wrenches are those from outside but for gravity, [torque; force] about the centre of mass in world axes.
    """

    power: Array
    wrenches: Array


class _Account:
    """What momentum, energy and place of the centre of mass each tree is to have.

    Args:
        system: What is simulated.
        x: Coordinates at the start, shape (nq,).
        v: Rates at the start, shape (nv,).
    """

    def __init__(self, system: System, x: Array, v: Array):
        scene = system.scene
        self.trees = _trees(system.model)
        self.parts = self.trees.parts
        self.closed = bool(scene.constraints)
        self.loaded = bool(scene.forces or scene.controller is not None)
        self.stages: list[_Stage] = []
        self.free: NDArray[np.bool_] = np.array([part.free for part in self.parts], dtype=np.bool_)
        state = system.state(0.0, x, v)
        self.tied = self._tied(system, state) if self.closed else np.zeros(len(self.parts), dtype=np.bool_)
        self.free &= ~self.tied
        one = len(self.parts) == 1 or bool(self.tied.all())
        self.stored = tuple(force for force in scene.forces if force.conservative) if one else ()
        self.wanted = self.trees.measure(x, v)
        self.wanted[0, 0] += sum(force.energy(state) for force in self.stored)
        self.centers = self._centers(state)
        self.rounded: Array = np.zeros_like(self.centers)

    def rechart(self, system: System) -> None:
        """Go on in the present charts of a system."""
        self.trees = _trees(system.model)
        self.parts = self.trees.parts

    def stage(self, system: System, state: State) -> Array:
        """Return the accelerations in a stage of the step; note what acts there."""
        response = system.response(state)
        if not (self.loaded or self.closed):
            return response.vdot
        model, v = state.model, state.v
        force = response.load.generalized(model, state.x)
        working = force
        if self.stored:
            working = force - self._stored_load(state)
        power = np.array([working[part.coordinates] @ v[part.coordinates] for part in self.parts])
        wrenches = np.zeros((len(self.parts), 6))
        for k, part in enumerate(self.parts):
            if self.free[k]:
                wrenches[k] = self._outside(state, part, force)
        self.stages.append(_Stage(power, wrenches))
        return response.vdot

    def settle(self, system: System, t: float, x: Array, v: Array, h: float) -> tuple[Array, Array]:
        """Return the state at the end of a step with everything as it is to be.

        Args:
            system: What is simulated.
            t: Time at the end of the step, [s].
            x: Where the stages lead, shape (nq,).
            v: At which rates, shape (nv,).
            h: The step, [s].
        """
        model, gravity = system.model, system.model.gravity
        pushes = np.zeros((len(self.parts), 3))
        impulses = np.zeros((len(self.parts), 6))
        if self.stages:
            one, two, three, four = self.stages
            pushes = (one.wrenches + two.wrenches + three.wrenches)[:, 3:] / 6.0
            impulses = h / 6.0 * (one.wrenches + 2.0 * (two.wrenches + three.wrenches) + four.wrenches)
            self.wanted[:, 0] += h / 6.0 * (one.power + 2.0 * (two.power + three.power) + four.power)
            self.stages = []
        masses = np.array([part.mass for part in self.parts])[:, None]
        momenta = self.wanted[:, 4:7]
        move = h * momenta / masses + h * h * (0.5 * gravity + pushes / masses) - self.rounded
        centers = self.centers + move
        # Far away the rounding of many steps would change the angular momentum about the origin (Kahan).
        self.centers, self.rounded = centers, (centers - self.centers) - move
        self.wanted[:, 1:7] += impulses
        self.wanted[:, 4:7] += h * masses * gravity
        if self.closed:
            from core.dynamics.constraints import stabilized_coordinates, stabilized_rates

            held, home = system.scene.constraints, system.scene.model
            reach = float(np.abs(system.state(t, x, v).poses[:, :3, 3]).max())
            x = stabilized_coordinates(model, x, held, t, home=home, tolerance=_CLOSED * max(10.0, reach))
            v = stabilized_rates(model, x, v, held, t, home=home)
        state = system.state(t, x, v)
        x = self._centered(state)
        wanted = self.wanted.copy()
        if self.stored:
            state = system.state(t, x, v)
            wanted[0, 0] -= sum(force.energy(state) for force in self.stored)
        if np.count_nonzero(self.tied) > 1:
            self._share(x, v, wanted)
        return x, self.trees.conserve(x, v, wanted, self.free)

    # -- inside --------------------------------------------------------------------------------------------------

    def _share(self, x: Array, v: Array, wanted: Array) -> None:
        """Let trees that are tied have their energy together: one factor of all their velocities keeps loops closed."""
        still = self.trees.measure(x, np.zeros_like(v))[self.tied, 0]
        kinetic = self.trees.measure(x, v)[self.tied, 0] - still
        total = float(kinetic.sum())
        factor = float(wanted[self.tied, 0].sum() - still.sum()) / total if total > 0.0 else 1.0
        wanted[self.tied, 0] = still + (factor if 0.5 < factor < 2.0 else 1.0) * kinetic

    def _tied(self, system: System, state: State) -> NDArray[np.bool_]:
        """Return which trees constraints tie to the world or to each other, shape (trees,)."""
        from core.dynamics.constraints import Situation, stacked

        at = Situation(state.model, state.x, state.v, state.t, system.scene.model)
        G = np.abs(stacked(system.scene.constraints, at).rows.G)
        size = G.max(axis=1, initial=0.0)
        roots = [G[:, part.coordinates[:6]].max(axis=1, initial=0.0) for part in self.parts]
        return np.array([bool((root > _TIED * size).any()) for root in roots], dtype=np.bool_)

    def _stored_load(self, state: State) -> Array:
        """Return what the forces do that store energy, shape (nv,)."""
        from core.dynamics.forces import Load

        load = Load(state.model)
        for force in self.stored:
            force.add(state, load)
        return load.generalized(state.model, state.x)

    def _outside(self, state: State, part: TreePart, force: Array) -> Array:
        """Return the wrench on a free tree about its centre of mass: its root feels all that acts from outside."""
        own = force[part.coordinates[:6]]
        if not own.any():
            return np.zeros(6)
        root = part.root
        wrench = np.linalg.lstsq(state.motion.S[root].T, own, rcond=None)[0]
        pose = state.joint_poses[root]
        torque, push = pose[:3, :3] @ wrench[:3], pose[:3, :3] @ wrench[3:]
        arm = pose[:3, 3] - self._center(state, part)
        return np.concatenate([torque + np.cross(arm, push), push])

    def _centers(self, state: State) -> Array:
        """Return the centres of mass of free trees, shape (trees, 3); zero for others."""
        centers = np.zeros((len(self.parts), 3))
        for k, part in enumerate(self.parts):
            if self.free[k]:
                centers[k] = self._center(state, part)
        return centers

    def _center(self, state: State, part: TreePart) -> Array:
        inertias = [state.model.bodies[i].inertia for i in part.bodies]
        masses = np.array([inertia.mass for inertia in inertias])
        centers = np.array([inertia.center for inertia in inertias])
        poses = state.poses[list(part.bodies)]
        places = np.einsum("bij,bj->bi", poses[:, :3, :3], centers) + poses[:, :3, 3]
        return np.asarray(masses @ places / masses.sum())

    def _centered(self, state: State) -> Array:
        """Return the coordinates with each free tree moved so that its centre of mass is where it should be."""
        x = state.x
        for k, part in enumerate(self.parts):
            if not self.free[k]:
                continue
            left = self.centers[k] - self._center(state, part)
            R = state.joint_poses[part.root, :3, :3]
            own = part.coordinates[:6]
            x = x.copy() if x is state.x else x
            move = np.concatenate([np.zeros(3), R.T @ left])
            x[own] += np.linalg.lstsq(state.motion.S[part.root], move, rcond=None)[0]
        return x


def _trees(model: Multibody) -> ConservedTrees:
    from core.dynamics.engine.conserving import ConservedTrees

    return ConservedTrees(model)
