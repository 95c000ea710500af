"""Joints that are another joint seen otherwise: in a mirror, or from its child."""

from __future__ import annotations

from dataclasses import dataclass

from core.joints.base import JointModel
from core.joints.evaluated import evaluated


@dataclass(frozen=True)
class Transformed(JointModel):
    """A joint with the coordinates of another one, whose pose is made of that one's.

    Its ``constants`` are the slot of the other joint's function, its number of coordinates, and its constants.

    Attributes:
        joint: The other joint.
    """

    joint: JointModel

    @property
    def n(self) -> int:  # type: ignore[override]
        """Number of coordinates."""
        return self.joint.n

    @property
    def coordinate_names(self) -> tuple[str, ...]:  # type: ignore[override]
        """A name for each of them."""
        return self.joint.coordinate_names

    @property
    def rotary(self) -> tuple[bool, ...]:  # type: ignore[override]
        """Whether each of them is an angle."""
        return self.joint.rotary

    @property
    def units(self) -> tuple[str, ...]:
        """What each of them measures."""
        return self.joint.units

    @property
    def constants(self) -> tuple[float, ...]:
        slot, constants = evaluated(self.joint)
        return slot, float(self.n), *constants.tolist()

    @property
    def has_charts(self) -> bool:
        return self.joint.has_charts

    @property
    def period(self) -> float | None:
        return self.joint.period

    @property
    def periods(self) -> tuple[float | None, ...]:
        return self.joint.periods

    @property
    def places(self) -> tuple[int, ...]:
        return self.joint.places

    @property
    def domain(self) -> tuple[tuple[float, float], ...]:
        return self.joint.domain
