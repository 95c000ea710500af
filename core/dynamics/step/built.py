"""What a stepper works with: the nodes of its model, the shapes that touch, and the memory for both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.dynamics.contact.contacts import ContactSet
from core.dynamics.contact.qp_layout import work_size
from core.dynamics.contact.shapes import Geometry
from core.dynamics.contact.world import World
from core.dynamics.step import slots as at
from core.dynamics.step.ball_limits import ball_limits
from core.dynamics.step.memory import Memory
from core.dynamics.step.settings import StepReport, StepSettings
from core.dynamics.step.tree import Tree
from core.errors import DynamicsError
from core.kernels import serving
from core.spatial import quaternion

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

Array = NDArray[np.float64]

_LOCKS, _PULLS = 24, 1
"""Rows of locks and pulls that there is room for at first."""
_CONTACTS = 256
"""Most contacts at once."""


class Built:
    """A model, shapes and a world, ready to step.

    Args:
        model: The bodies.
        geometries: The shapes that they carry.
        world: Gravity, floor and obstacles.
        settings: How steps are taken.
        self_contact: Whether parts of one figure touch each other.
        limits: Least and largest value of each coordinate, shape (nq, 2).
        parts: Models of figures in the model, and their first coordinates.

    Attributes:
        tree: The nodes.
        contacts: The shapes.
        memory: The memory.
    """

    def __init__(
        self,
        model: Multibody,
        geometries: tuple[Geometry, ...],
        world: World,
        settings: StepSettings,
        self_contact: bool,
        limits: ArrayLike | None,
        parts: Sequence[tuple[Multibody, int]],
    ):
        self.model = model
        self.tree = Tree(model)
        self._addressed: Any = None
        rest = np.zeros(model.nq)
        for part, start in parts:
            if part.figure is not None:
                rest[start : start + part.nq] = part.state_from_pose(part.figure.home)
        self.contacts = ContactSet(model, geometries, world, self_contact=self_contact, rest=rest)
        none = np.zeros((0, at.BALL_WIDTH))
        self._balls = np.concatenate([none, *(ball_limits(part, first) for part, first in parts)])
        self._room = min(self.contacts.capacity, _CONTACTS)
        self.memory = self._memory(_LOCKS, _PULLS)
        m = self.memory
        self.tree.fill(m)
        m.bodies[:, at.BODY_GRIP] = 1.0
        m.balls[:] = self._balls
        span = model.limits if limits is None else _limits(limits, model.nq)
        self._span = np.array(span)
        self.limit(np.ones(model.nv, dtype=np.bool_))
        for geometry in geometries:
            if geometry.body >= 0:
                center, radius = geometry.bound
                reach = float(np.linalg.norm(center)) + radius
                m.bodies[geometry.body, at.BODY_RADIUS] = max(reach, m.bodies[geometry.body, at.BODY_RADIUS])
        self._settle(settings, world)

    def limit(self, mask: NDArray[np.bool_]) -> None:
        """Let limits act on the coordinates of a mask only, shape (nv,); on a ball where its first entry says so."""
        m = self.memory
        m.vectors[at.LOW] = np.where(mask, self._span[:, 0], -np.inf)
        m.vectors[at.HIGH] = np.where(mask, self._span[:, 1], np.inf)
        free = ~mask[self._balls[:, at.BALL_NODE].astype(np.intp)]
        low, high = slice(at.BALL_LOW, at.BALL_LOW + 3), slice(at.BALL_HIGH, at.BALL_HIGH + 3)
        m.balls[:, low], m.balls[:, high] = self._balls[:, low], self._balls[:, high]
        m.balls[free, low], m.balls[free, high] = -np.inf, np.inf

    def _memory(self, locks: int, pulls: int) -> Memory:
        n, tree = self.model.nv, self.tree
        rows = locks + 2 * n + 6 * len(self._balls) + 4 * self._room
        sizes = {
            at.NODE_COUNT: n,
            at.BODY_COUNT: len(self.model.bodies),
            at.MASS_COUNT: len(tree.chain),
            at.LOCK_ROOM: locks,
            at.BALL_COUNT: len(self._balls),
            at.PULL_ROOM: pulls,
            at.CONTACT_ROOM: self._room,
            at.ROW_ROOM: rows,
        }
        return Memory.of(sizes, *work_size(rows, n))

    def make_room(self, locks: int, pulls: int) -> None:
        """See that there is room for so many rows of locks and strings, and for so many pulls."""
        old = self.memory
        room = [int(old.head[place]) for place in (at.LOCK_ROOM, at.PULL_ROOM)]
        if locks <= room[0] and pulls <= room[1]:
            return
        new = self._memory(
            *(have if want <= have else 2 * want for want, have in zip((locks, pulls), room, strict=True))
        )
        sizes = [at.LOCK_ROOM, at.PULL_ROOM, at.ROW_ROOM]
        kept = np.setdiff1d(np.arange(at.LEFT_OUT + 1), sizes)
        new.head[kept] = old.head[kept]
        for name in Memory.names():
            there, here = getattr(new, name), getattr(old, name)
            part = tuple(slice(0, min(a, b)) for a, b in zip(there.shape, here.shape, strict=True))
            there[part] = here[part]
        self.memory = new
        self._addressed = None

    def _settle(self, settings: StepSettings, world: World) -> None:
        numbers = self.memory.numbers
        for place, value in (
            (at.STEP, settings.step),
            (at.MARGIN, settings.margin),
            (at.LIMIT_MARGIN, settings.limit_margin),
            (at.PASSES, settings.fixed_point),
            (at.LARGEST_TURN, settings.largest_turn),
            (at.MOST_SUBSTEPS, settings.most_parts),
            (at.LOCK_PULL, settings.lock_pull),
            (at.PUSH_OUT, settings.push_out),
            (at.PUSH_RATE, settings.push_rate),
            (at.DEEP, settings.deep),
            (at.TOO_DEEP, settings.too_deep),
            (at.PUSH, 1.0),
            (at.PUSH_MOST, settings.push_most),
            (at.JUMP, settings.jump),
            (at.ENERGY_RISE, settings.energy_rise),
            (at.SETTLE_ENERGY, settings.settle_energy * self.model.mass),
            (at.SETTLE_TIME, settings.settle_time),
            (at.SETTLE_RATE, settings.settle_rate),
            (at.QUIET_LENGTH, settings.sleep_length),
            (at.QUIET_TURN, settings.sleep_turn),
            (at.QUIET_SPEED, settings.sleep_speed),
            (at.QUIET_TIME, settings.sleep_time),
        ):
            numbers[place] = value
        numbers[at.GRAVITY : at.GRAVITY + 3] = world.gravity
        self.memory.head[at.MAY_SLEEP] = int(settings.sleep)

    # -- the kernels ---------------------------------------------------------------------------------------------------

    @property
    def kernels(self) -> Any:
        """The kernels that serve now."""
        found = serving("core.dynamics.step.step")
        if found is not self._addressed:
            for place, where in found.addresses().items():
                self.memory.head[place] = where
            self._addressed = found
        return found

    def advance(self, count: int, left: int | None = None) -> None:
        """Take steps; prescribed coordinates arrive after ``left`` of them, after all if it is None."""
        m, shapes = self.memory, self.contacts
        steps = count if left is None else left
        self.kernels.advance(m.floats, m.integers, m.flags, shapes.ints, shapes.floats, count, steps)

    def forget_addresses(self) -> None:
        """Have the addresses of compiled functions written anew, where the head of the integers was replaced."""
        self._addressed = None

    def measure(self) -> None:
        """Write energy, momentum and poses of the present state into the memory."""
        m = self.memory
        self.kernels.measure(m.floats, m.integers, m.flags)

    def strike(self, body: int, impulse: Array) -> None:
        """Change velocities as an impulse [angular; linear] about a body's origin does, world axes."""
        m = self.memory
        self.kernels.strike(m.floats, m.integers, m.flags, body, impulse)

    def report(self) -> StepReport:
        """Return what the steps of the last call were like."""
        m = self.memory
        head = m.head[: at.LEFT_OUT + 1].tolist()
        return StepReport(
            m.numbers.item(at.KKT), head[at.FALLBACKS], head[at.SUBSTEPS], head[at.ITERATIONS], head[at.FLIGHTS],
            head[at.CONTACTS], head[at.LEFT_OUT],
        )  # fmt: skip

    # -- coordinates of the model ------------------------------------------------------------------------------------

    def put_turns(self, place: int, turns: Array) -> None:
        """Write the quaternions of all rotations, shape (balls, 4), into columns of the nodes."""
        self.memory.nodes[self.tree.balls, place : place + 4] = turns

    def angles_of_balls(self) -> None:
        """Write the angles of the balls that have limits, as near to within these as the same turn allows."""
        from core.dynamics.step.rows_plain import ball_angles

        for ball in self.memory.balls:
            node = int(ball[at.BALL_NODE])
            R = quaternion.to_matrix(self.memory.nodes[node, at.TURN : at.TURN + 4])
            low, high = ball[at.BALL_LOW : at.BALL_LOW + 3], ball[at.BALL_HIGH : at.BALL_HIGH + 3]
            middle = np.where(np.isfinite(low + high), 0.5 * (low + high), 0.0)
            ball[at.BALL_ANGLES : at.BALL_ANGLES + 3] = middle
            ball[at.BALL_ANGLES : at.BALL_ANGLES + 3] = ball_angles(ball, R)[0]


def _limits(limits: ArrayLike, count: int) -> Array:
    """Return limits as an array; infinite ones are none.

    Raises:
        DynamicsError: If they are of another shape, or a lower one is above its upper one.
    """
    span = np.asarray(limits, dtype=np.float64)
    if span.shape != (count, 2):
        raise DynamicsError(f"limits have shape {span.shape}; it must be ({count}, 2)")
    wrong = np.flatnonzero(~(span[:, 0] <= span[:, 1]))  # also where one is NaN
    if len(wrong):
        low, high = span[wrong[0]].tolist()
        raise DynamicsError(f"limits of coordinate {wrong[0]} are {low:g} and {high:g}; the first must not be larger")
    return span
