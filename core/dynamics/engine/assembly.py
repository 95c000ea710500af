"""What a stepper works with: the nodes of its model, the shapes that touch, and the memory for both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.arrays import Array
from core.dynamics.contact.contact_set import ContactSet
from core.dynamics.contact.qp_layout import work_size
from core.dynamics.contact.shapes import Geometry
from core.dynamics.contact.world import World
from core.dynamics.engine import energy_kernel, joint_rows_kernel, step_kernel
from core.dynamics.engine.ball_limits import ball_limits, cone_limits
from core.dynamics.engine.memory import BALL, CONE, STATE, Memory
from core.dynamics.engine.settings import StepReport, StepSettings
from core.dynamics.engine.tree import Tree
from core.errors import DynamicsError
from core.kernels import serving
from core.kernels.functions import raise_kept

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody


class Rooms(NamedTuple):
    """What there is room for.

    Attributes:
        locks: Rows of locks and strings.
        pulls: Springs to places.
        frictions: Joints whose friction is not that of single coordinates.
        couplings: Of bodies by the stiffness and damping of forces.
        applied: Rows that come with forces and constraints given as objects.
        slacks: How many of these give way.
        paths, path_points, path_nodes, path_keys: Forces along paths, their points, the nodes that move them, keys.
        point_forces, drags, drag_nodes, vector_forces: Forces at points, drags, the nodes that move one body beside
            another, forces on rotation vectors.
    """

    locks: int = 24
    pulls: int = 1
    frictions: int = 0
    couplings: int = 0
    applied: int = 0
    slacks: int = 0
    paths: int = 0
    path_points: int = 0
    path_nodes: int = 0
    path_keys: int = 0
    point_forces: int = 0
    drags: int = 0
    drag_nodes: int = 0
    vector_forces: int = 0


_CONTACTS = 256
"""Most contacts at once."""


class Assembly:
    """A model, shapes and a world, ready to step.

    Args:
        model: The bodies.
        geometries: The shapes that they carry.
        world: Gravity, floor and obstacles.
        settings: How steps are taken.
        self_contact: Whether parts of one figure touch each other.
        limits: Least and largest value of each coordinate, shape (nq, 2).
        parts: Models of figures in the model, and their first coordinates.
        loose: Pairs of bodies that never touch each other.

    Attributes:
        tree: The nodes.
        contacts: The shapes.
        memory: The memory.
        rooms: What it has room for.
        measured: Whether energy, momentum and poses in the memory are those of the present state.
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
        loose: Iterable[tuple[int, int]] = (),
    ):
        self.model = model
        self.tree = Tree(model)
        self.measured = False
        rest = np.zeros(model.nq)
        for part, start in parts:
            if part.figure is not None:
                rest[start : start + part.nq] = part.state_from_pose(part.figure.home)
        self.contacts = ContactSet(model, geometries, world, self_contact=self_contact, rest=rest, loose=loose)
        self._balls, self._cones = np.zeros(0, dtype=BALL), np.zeros(0, dtype=CONE)
        for part, first in parts:
            before = len(self._balls)
            self._balls = np.concatenate([self._balls, ball_limits(part, first)])
            self._cones = np.concatenate([self._cones, cone_limits(part, first, self._balls[before:], before)])
        self._room = min(self.contacts.capacity, _CONTACTS)
        self.memory: Memory = None  # type: ignore[assignment]  # made in the next line
        m = self.new_memory(Rooms())
        self.tree.fill(m)
        m.balls.array[:], m.cones.array[:] = self._balls, self._cones
        span = model.limits if limits is None else _limits(limits, model.nq)
        self._span = np.array(span)
        self.limit(np.ones(model.nv, dtype=np.bool_))
        for geometry in geometries:
            if geometry.body >= 0:
                center, radius = geometry.bound
                reach = float(np.linalg.norm(center)) + radius
                m.bodies["radius"][geometry.body] = max(reach, m.bodies["radius"][geometry.body])
        self._set(settings, world)

    def limit(self, mask: NDArray[np.bool_]) -> None:
        """Let limits act on the coordinates of a mask only, shape (nv,); on a ball where its first entry says so.

        On a cone where that of either of its hinges does.
        """
        m = self.memory
        m.low[:] = np.where(mask, self._span[:, 0], -np.inf)
        m.high[:] = np.where(mask, self._span[:, 1], np.inf)
        acts = mask[self._balls["node"]][:, None]
        m.balls["low"], m.balls["high"] = (
            np.where(acts, self._balls["low"], -np.inf), np.where(acts, self._balls["high"], np.inf),
        )  # fmt: skip
        nodes = self._cones["nodes"]
        m.cones["limit"] = np.where((mask[nodes] & (nodes >= 0)).any(axis=1), self._cones["limit"], np.inf)

    def new_memory(self, rooms: Rooms) -> Memory:
        """Put memory with other rooms in the place of what there is; return it. All that fits is what it was."""
        n, tree, old = self.model.nv, self.tree, self.memory
        unknowns = n + rooms.slacks
        rows = rooms.locks + 2 * n + 6 * len(self._balls) + len(self._cones) + 4 * self._room + rooms.applied
        work, index_work = work_size(rows, unknowns)
        sizes = {
            "node_count": n, "body_count": len(self.model.bodies), "mass_count": len(tree.chain),
            "lock_room": rooms.locks, "ball_count": len(self._balls), "cone_count": len(self._cones),
            "pull_room": rooms.pulls, "friction_room": rooms.frictions,
            "contact_room": self._room, "row_room": rows, "work_room": work,
            "index_room": index_work, "coupling_room": rooms.couplings, "applied_room": rooms.applied,
            "unknown_count": unknowns,
            "path_room": rooms.paths, "path_point_room": rooms.path_points, "path_node_room": rooms.path_nodes,
            "path_key_room": rooms.path_keys,
            "point_force_room": rooms.point_forces, "drag_room": rooms.drags, "drag_node_room": rooms.drag_nodes,
            "vector_force_room": rooms.vector_forces,
            "constant_room": len(tree.constants),
        }  # fmt: skip
        self.rooms = rooms
        new = self.memory = Memory(sizes)
        if old is not None:
            for name in STATE.names or ():
                if name in sizes:
                    continue
                if STATE[name].shape:
                    getattr(new.state, name)[:] = getattr(old.state, name)
                else:
                    setattr(new.state, name, getattr(old.state, name))
            for (_, there), (_, here) in zip(new.arrays(), old.arrays(), strict=True):
                part = tuple(slice(0, min(a, b)) for a, b in zip(there.shape, here.shape, strict=True))
                there[part] = here[part]
        return new

    def make_room(self, **wanted: int) -> None:
        """See that there is room, as ``Rooms`` has it."""
        more = {name: count for name, count in wanted.items() if count > getattr(self.rooms, name)}
        if more:
            # Unknowns make every program larger, used or not.
            self.new_memory(self.rooms._replace(**{k: n if k == "slacks" else 2 * n for k, n in more.items()}))

    def _set(self, settings: StepSettings, world: World) -> None:
        state = self.memory.state
        for name in (
            "step", "margin", "limit_margin", "largest_turn", "lock_pull", "push_out", "push_rate", "push_most", "deep",
            "too_deep", "jump", "energy_rise", "settle_time", "settle_rate",
        ):  # fmt: skip
            setattr(state, name, getattr(settings, name))
        state.passes, state.most_substeps = settings.fixed_point, settings.most_parts
        state.settle_energy = settings.settle_energy * self.model.mass
        state.quiet_length, state.quiet_turn = settings.sleep_length, settings.sleep_turn
        state.quiet_speed, state.quiet_time = settings.sleep_speed, settings.sleep_time
        state.push_share = 1.0
        state.gravity[:] = world.gravity
        state.may_sleep = int(settings.sleep)

    # -- the kernels ---------------------------------------------------------------------------------------------------

    def advance(self, count: int, left: int | None = None) -> None:
        """Take steps; prescribed coordinates arrive after ``left`` of them, after all if it is None."""
        shapes = self.contacts
        self.measured = False
        serving(step_kernel).advance(self.memory, shapes.ints, shapes.floats, count, count if left is None else left)
        if self.tree.general:
            raise_kept()

    def measure(self) -> None:
        """Write energy, momentum and poses of the present state into the memory, unless they are there."""
        if not self.measured:
            serving(energy_kernel).measure(self.memory)
            self.measured = True

    def strike(self, body: int, impulse: Array) -> None:
        """Change velocities as an impulse [angular; linear] about a body's origin does, world axes."""
        serving(step_kernel).strike(self.memory, body, impulse)

    def report(self) -> StepReport:
        """Return what the steps of the last call were like."""
        state = self.memory.state
        return StepReport(
            float(state.kkt), int(state.fallbacks), int(state.substeps), int(state.iterations), int(state.flights),
            int(state.contact_count), int(state.left_out),
        )  # fmt: skip

    # -- the state -----------------------------------------------------------------------------------------------------

    def wake(self) -> None:
        """Wake what is asleep; every change from outside does."""
        state = self.memory.state
        state.asleep = state.quiet = state.calm = state.energy_known = 0
        self.measured = False

    def stay(self) -> None:
        """Let prescribed coordinates be where they are."""
        m = self.memory
        m.x_next[:] = m.x
        m.nodes["next_turn"] = m.nodes["turn"]

    # -- coordinates of the model ------------------------------------------------------------------------------------

    def put_turns(self, name: str, turns: Array) -> None:
        """Write the quaternions of all rotations, shape (balls, 4), into a field of the nodes."""
        self.memory.nodes[name][self.tree.balls] = turns

    def start_ball_angles(self) -> None:
        """Write the angles of the balls that have limits, as near to within these as the same turn allows."""
        balls = self.memory.balls
        with np.errstate(invalid="ignore"):  # none and none
            both = balls["low"] + balls["high"]
        balls["angles"] = np.where(np.isfinite(both), 0.5 * both, 0.0)
        serving(joint_rows_kernel).start_ball_angles(self.memory)


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
