"""What a simulation of figures goes by: gravity, floor, ground, obstacles, friction, motors. Part of a project."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from core.arrays import Array
from core.checked_arrays import shown
from core.dynamics.contact.methods import CONTACT_METHODS
from core.dynamics.contact.obstacles import Obstacle, obstacle_from_record
from core.dynamics.contact.world import Floor, World
from core.dynamics.forces import Force, PathForce
from core.dynamics.forces.records import force_from_record
from core.dynamics.forces.records import record_of as force_record
from core.dynamics.formulations import FORMULATIONS
from core.dynamics.integrators import INTEGRATORS
from core.errors import CoreError, DynamicsError
from core.preview.grounds import GroundSource, ground_from_record
from core.preview.rigid_bodies import PhysicsString, RigidBody
from core.preview.strands import Strand

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.animation.sequence import Sequence
    from core.terrain import Terrain

GRAVITY = 9.81
STEP = 1.0 / 240.0
MOTOR_GAIN = 0.6
CONTACT = "contact"
"""The step of contacts, as ``PhysicsSettings.integrator``; others are named in ``INTEGRATORS``."""
NOTHING_TOUCHES = "none"
"""No contacts, as ``PhysicsSettings.contact_method``; ways to find them are named in ``CONTACT_METHODS``."""

_BOUNDS: dict[str, tuple[float, float, str]] = {
    "gravity": (-1000.0, 1000.0, "m/s^2"),
    "step": (1e-5, 0.02, "s"),
    "motor_gain": (0.0, 10.0, ""),
    "friction": (0.0, 10.0, ""),
}
_NOTHING: Mapping[str, Any] = MappingProxyType({})


def integrator_names() -> tuple[str, ...]:
    """Return the names of all ways to step, that of contacts first."""
    return (CONTACT, *(kind.name for kind in INTEGRATORS))


def contact_names() -> tuple[str, ...]:
    """Return the names of all ways to find contacts beside the step of contacts, none first."""
    return (NOTHING_TOUCHES, *(kind.name for kind in CONTACT_METHODS))


@dataclass(frozen=True, eq=False)
class PhysicsSettings:
    """Settings of a simulation; ``dataclasses.replace`` makes others.

    Attributes:
        gravity: Acceleration of free fall, downwards, [m/s^2].
        step: Longest step of the simulation, [s].
        motor_gain: How strong motors that follow keys are: 0 is limp, 1 follows closely; strips' own gains multiply it.
        friction: Friction coefficient of the figures; of two surfaces that touch, the root of the product of theirs.
        self_contact: Whether parts of one figure touch each other.
        floor: The floor; None for none.
        ground: Where the ground comes from, which takes the floor's place as far as it goes; None for the floor alone.
        obstacles: What stands in the world and does not move.
        rigid_bodies: Balls, boxes and capsules that move freely (``props`` in files).
        strings: Strings that parts hang on.
        strands: Hair, tails and cords that follow the motion of their figures.
        seed: 0 starts as the keys say; any other number adds a small random motion, always the same for that number.
        extra: Members of the file's record that this version does not know; kept and written back.
        forces: Further forces on the bodies of the figure, which have the names of its joints. A file's record holds
            those of ``FORCES`` that are no functions of time. Those along paths may be fixed to rigid bodies and to
            parts of other figures, too (``core.skeleton.figure_parts``); their points are in the frames of joints, and
            times of their keys are those of the sequence.
        start_rates: Rates at which the first figure's pose begins where forces move it, [m/s] and [rad/s], shape (nq,);
            None for those of its keys.
        integrator: ``contact`` takes the steps of contacts and locks; a name in ``INTEGRATORS`` steps the bodies with
            their joints alone, see :func:`core.preview.method.left_out`.
        formulation: A name in ``FORMULATIONS``, by which accelerations are worked out if it is not ``contact``.
        contact_method: A name in ``CONTACT_METHODS``, by which integrators that take them find contact forces and
            friction; ``none`` lets nothing touch there. The step of contacts has a way of its own.

    Raises:
        DynamicsError: If a value makes no sense; names it and what would be right.
    """

    gravity: float = GRAVITY
    step: float = STEP
    motor_gain: float = MOTOR_GAIN
    friction: float = 0.8
    self_contact: bool = False
    floor: Floor | None = field(default_factory=Floor)
    obstacles: tuple[Obstacle, ...] = ()
    rigid_bodies: tuple[RigidBody, ...] = ()
    strings: tuple[PhysicsString, ...] = ()
    strands: tuple[Strand, ...] = ()
    seed: int = 0
    extra: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    forces: tuple[Force, ...] = ()
    start_rates: tuple[float, ...] | None = None
    integrator: str = CONTACT
    formulation: str = "recursive"
    contact_method: str = NOTHING_TOUCHES
    ground: GroundSource | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name, (least, most, unit) in _BOUNDS.items():
            put(self, name, _number(getattr(self, name), name, least, most, unit))
        if not isinstance(self.self_contact, (bool, np.bool_)):
            raise DynamicsError(f"physics: self_contact is {shown(self.self_contact)}; it must be true or false")
        put(self, "self_contact", bool(self.self_contact))
        if self.floor is not None and not isinstance(self.floor, Floor):
            raise DynamicsError(f"physics: floor is {shown(self.floor)}; it must be a Floor, or None")
        if self.ground is not None and not isinstance(self.ground, GroundSource):
            raise DynamicsError(f"physics: ground is {shown(self.ground)}; it must be a GroundSource, or None")
        for name, kind in (
            ("obstacles", Obstacle),
            ("rigid_bodies", RigidBody),
            ("strings", PhysicsString),
            ("strands", Strand),
            ("forces", Force),
        ):
            items = tuple(getattr(self, name))
            for item in items:
                if not isinstance(item, kind):
                    what = name.replace("_", " ")
                    raise DynamicsError(f"physics: among the {what} is {shown(item)}; each must be a {kind.__name__}")
            put(self, name, items)
        seed = self.seed
        if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool) or not 0 <= seed < 2**32:
            raise DynamicsError(f"physics: seed is {shown(seed)}; it must be a whole number from 0 to {2**32 - 1}")
        put(self, "seed", int(seed))
        if self.start_rates is not None:
            put(self, "start_rates", _numbers(self.start_rates, "start_rates"))
        for name, known in (
            ("integrator", integrator_names()),
            ("formulation", tuple(FORMULATIONS)),
            ("contact_method", contact_names()),
        ):
            chosen = getattr(self, name)
            if not isinstance(chosen, str) or chosen not in known:
                what = name.replace("_", " ")
                raise DynamicsError(f"physics: there is no {what} {shown(chosen)}; there are {', '.join(known)}")

    @property
    def bare(self) -> bool:
        """Whether nothing has a place in the world but figures, on the usual floor or none."""
        tied = any(isinstance(each, PathForce) and each.in_world for each in self.forces)
        hung = any(each.other is None for each in self.strings)
        level = self.floor is None or (self.floor.height == 0.0 and self.floor.normal[1] == 1.0)
        return level and not (self.ground or self.obstacles or self.rigid_bodies or hung or tied)

    def moved(self, motion: Array) -> PhysicsSettings:
        """Return the settings of a world that is turned about the vertical and moved with all that is in it.

        The floor of a world in which nothing else has a place stays where it is. ``start_rates`` are the figure's, and
        stay as well.

        Args:
            motion: What is done to the world, shape (4, 4).

        Raises:
            CoreError: If the ground comes from a file that cannot be read.
        """
        return replace(
            self,
            floor=self.floor if self.floor is None or self.bare else self.floor.moved(motion),
            ground=None if self.ground is None else self.ground.moved(motion),
            obstacles=tuple(each.moved(motion) for each in self.obstacles),
            rigid_bodies=tuple(each.moved(motion) for each in self.rigid_bodies),
            strings=tuple(each.moved(motion) for each in self.strings),
            forces=tuple(each.moved(motion) for each in self.forces),
        )

    def begins_with_rates(self, sequence: Sequence, start_frame: float) -> bool:
        """Return whether ``start_rates`` count at a frame: a figure with keys before it has the rates of these.

        Args:
            sequence: Motion of the first figure.
            start_frame: Frame at which the simulation begins.
        """
        return self.start_rates is not None and all(key.frame >= start_frame for key in sequence.keys)

    @property
    def world(self) -> World:
        """Gravity, floor, obstacles and ground, as the step takes them; the floor alone where the ground is missing."""
        return World(np.array([0.0, -self.gravity, 0.0]), self.floor, self.obstacles, ground=self.terrain)

    @property
    def terrain(self) -> Terrain | None:
        """The ground; None for the flat floor alone, as where its file cannot be read."""
        return self._terrain[0]

    @property
    def ground_problem(self) -> str:
        """Why the ground is left out, in one line; "" while it is not."""
        return self._terrain[1]

    @cached_property
    def _terrain(self) -> tuple[Terrain | None, str]:
        try:
            return (None if self.ground is None else self.ground.terrain), ""
        except CoreError as error:
            return None, f"the ground is left out, the floor is flat: {error}".partition("\n")[0]

    # -- records -------------------------------------------------------------------------------------------------

    def to_record(self) -> dict[str, Any]:
        """Return them as a file's record; what is as usual is left out."""
        record: dict[str, Any] = {}
        usual = PhysicsSettings()
        for name in (
            "gravity", "step", "motor_gain", "friction", "self_contact", "seed", "integrator", "formulation",
            "contact_method",
        ):  # fmt: skip
            if getattr(self, name) != getattr(usual, name):
                record[name] = getattr(self, name)
        floor = None if self.floor is None else self.floor.to_record()
        if floor != Floor().to_record():
            record["floor"] = floor
        if self.ground is not None:
            record["ground"] = self.ground.to_record()
        for key, items in (
            ("obstacles", self.obstacles), ("props", self.rigid_bodies), ("strings", self.strings),
            ("strands", self.strands),
        ):  # fmt: skip
            if items:
                record[key] = [item.to_record() for item in items]
        forces = [own for own in map(force_record, self.forces) if own is not None]
        if forces:
            record["forces"] = forces
        if self.start_rates is not None:
            record["start_rates"] = list(self.start_rates)
        return {**record, **self.extra}

    @classmethod
    def from_record(cls, record: Any, place: str = "physics") -> PhysicsSettings:
        """Return the settings of a record; what it leaves out is as usual, ``"floor": null`` is no floor.

        Args:
            record: As from ``to_record``; None or empty for the usual ones.
            place: What messages call it.

        Raises:
            DynamicsError: With one line, if it is malformed; names the place, the value and what would be right.
        """
        if record is None:
            return cls()
        if not isinstance(record, Mapping):
            raise DynamicsError(f"{place} is {shown(record)}; it must be an object")
        known = {item.name for item in fields(cls)} - {"extra", "rigid_bodies"} | {"props"}
        values = {name: value for name, value in record.items() if name in known}
        if values.get("floor") is not None:
            values["floor"] = _floor(values["floor"], f"{place}: floor")
        if values.get("ground") is not None:
            values["ground"] = ground_from_record(values["ground"], f"{place}: ground")
        readers: dict[str, Callable[[Any, str], Any]] = {
            "obstacles": obstacle_from_record, "props": RigidBody.from_record, "strings": PhysicsString.from_record,
            "strands": Strand.from_record,
            "forces": force_from_record,
        }  # fmt: skip
        for name, read in readers.items():
            items = values.get(name, ())
            if not isinstance(items, (list, tuple)):
                raise DynamicsError(f"{place}: {name} is {shown(items)}; it must be a list")
            values[name] = tuple(read(item, f"{place}: {name}[{k}]") for k, item in enumerate(items))
        values["rigid_bodies"] = values.pop("props")
        extra = {name: value for name, value in record.items() if name not in known}
        try:
            return cls(**values, extra=extra)
        except DynamicsError as error:
            raise DynamicsError(str(error).replace("physics", place, 1)) from None


def _floor(record: Any, place: str) -> Floor:
    try:
        return Floor.from_record(record, place)
    except DynamicsError as error:
        text = str(error)
        raise DynamicsError(text if text.startswith(place) else f"{place}: {text}") from None


def _numbers(values: Any, name: str) -> tuple[float, ...]:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.array(np.nan)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise DynamicsError(f"physics: {name} is {shown(values)}; it must be a list of finite numbers")
    return tuple(array.tolist())


def _number(value: Any, name: str, least: float, most: float, unit: str) -> float:
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not number or not math.isfinite(value):
        raise DynamicsError(f"physics: {name} is {shown(value)}; it must be a number")
    if not least <= value <= most:
        amount = f"{value:g} {unit}".strip()
        raise DynamicsError(f"physics: {name} {amount} makes no sense; it must lie in {least:g}..{most:g}")
    return float(value)
