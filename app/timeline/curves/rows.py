"""Rows of the curve editor: one for each value of a pose, in the groups or joints they belong to."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.words.dof_names import COORDINATE_LETTERS, COORDINATE_TOKENS, coordinate_number, full_label, position_label
from core.animation.channels import PLACE, Channels, channels_of
from core.skeleton import Skeleton
from core.skeleton.dof import ANGLE, COORDINATE, LENGTH, NUMBER

Floats = NDArray[np.float64]
LETTERS = "XYZ" + COORDINATE_LETTERS
TOKENS = ("axis_x", "axis_y", "axis_z", *COORDINATE_TOKENS)
DASHES: tuple[tuple[float, ...], ...] = (
    *(2 * ((), (5.0, 3.0), (1.5, 3.0))),
    *((9.0, 3.0), (5.0, 2.0, 1.5, 2.0), (3.0, 3.0), (1.5, 1.5)),
)
"""Lengths of the dashes of the curves about or along x, y and z and of the coordinates S, U, V, W, P, Q and R, [px]."""

TARGETS = 10_000
"""Ids of rows of locks' targets begin here: three for each strip, in the order of the strips."""
TURN_LETTER, TURN_TOKEN, TURN_DASH = "A", "text2", (8.0, 3.0, 1.5, 3.0)
DEGREES_PER_RADIAN = math.degrees(1.0)
CENTIMETRES_PER_METRE = 100.0
_FACTORS = {ANGLE: DEGREES_PER_RADIAN, LENGTH: CENTIMETRES_PER_METRE, NUMBER: 1.0}
"""Units on screen in terms of a pose's."""


@dataclass(frozen=True)
class CurveRow:
    """A curve that can be shown.

    Attributes:
        id: Place of the value in a pose; below 0 for how far a joint has turned since the key before; from ``TARGETS``
            on a coordinate of a lock's target, which belongs to no channel.
        channel: Name of the channel it belongs to.
        number: Number of that channel.
        name: What the list calls it.
        letter: Axis that it is about or along, or coordinate that it is, or ``"A"``.
        token: Colour of the curve.
        dash: Its dashes, [px].
        unit: What it measures, ``"angle"``, ``"length"`` or ``"number"``.
        lower: Lower limit in the unit on screen, degrees or centimetres; ``-inf`` for none.
        upper: Upper limit.
        origin: Value on screen where a pose has 0: the root's offset, so that its position is the one in the world.
    """

    id: int
    channel: str
    number: int
    name: str
    letter: str
    token: str
    dash: tuple[float, ...]
    unit: str
    lower: float = -math.inf
    upper: float = math.inf
    origin: float = 0.0

    @property
    def factor(self) -> float:
        """The unit on screen in terms of a pose's: degrees in a radian, or centimetres in a metre."""
        return _FACTORS[self.unit]

    def on_screen(self, values: Floats) -> Floats:
        """Return values of a pose in the unit on screen, any shape."""
        return values * self.factor + self.origin

    def stored(self, value: float) -> float:
        """Return what a pose has for a value on screen."""
        return (value - self.origin) / self.factor

    @property
    def letter_text(self) -> str:
        """The letter in words."""
        return f"{'coordinate' if self.letter in COORDINATE_LETTERS else 'axis'} {self.letter}"

    @property
    def speed_factor(self) -> float:
        """The unit of speeds on screen in terms of a pose's: degrees in a radian; places go in metres a second."""
        return DEGREES_PER_RADIAN if self.unit == ANGLE else 1.0

    @property
    def turned(self) -> bool:
        """Whether it shows how far the joint has turned since the key before; such a curve has no values to edit."""
        return self.id < 0

    @property
    def target(self) -> bool:
        """Whether it is a coordinate of a lock's target."""
        return self.id >= TARGETS

    @property
    def limited(self) -> bool:
        """Whether it has a limit on either side."""
        return math.isfinite(self.lower) or math.isfinite(self.upper)


@dataclass(frozen=True)
class RowGroup:
    """Rows under one title.

    Attributes:
        title: The title.
        rows: The rows.
    """

    title: str
    rows: tuple[CurveRow, ...]


def rows_of_channel(skeleton: Skeleton, number: int) -> list[CurveRow]:
    """Return the rows of a channel of a figure by its number; a compound's last one is how far it has turned."""
    channels = channels_of(skeleton)
    channel = channels.names[number]
    if channel == PLACE:
        offset = (CENTIMETRES_PER_METRE * skeleton.joints[0].offset).tolist()
        return [
            CurveRow(i, PLACE, 0, position_label(i), LETTERS[i], TOKENS[i], DASHES[i], LENGTH, origin=offset[i])
            for i in range(3)
        ]
    rows = []
    for column in channels.columns[number].tolist():
        dof = column - 3
        value = skeleton.all_dofs[dof]
        general, unit = value.kind == COORDINATE, skeleton.dof_units[dof]
        kind = 3 + coordinate_number(skeleton, dof) if general else int(np.abs(value.axis).argmax())
        factor = _FACTORS[unit]
        lower, upper = (float(limit) * factor for limit in skeleton.limits[dof])
        rows.append(
            CurveRow(
                column, channel, number, full_label(skeleton, dof), LETTERS[kind], TOKENS[kind], DASHES[kind],
                unit, lower, upper,
            )
        )  # fmt: skip
    if channels.compounds[number] is not None:
        name = "Turn since key"
        rows.append(CurveRow(-1 - number, channel, number, name, TURN_LETTER, TURN_TOKEN, TURN_DASH, ANGLE))
    return rows


def _title(text: str) -> str:
    return text[:1].upper() + text[1:]


def groups_of_joints(skeleton: Skeleton, joints: Iterable[int]) -> tuple[RowGroup, ...]:
    """Return the rows of joints, a group for each channel; with the root also its place."""
    channels = channels_of(skeleton)
    names = channels.of_joints(joints, place=True)
    return tuple(_channel_group(skeleton, channels, channels.index(name)) for name in names)


def groups_of_channels(skeleton: Skeleton, names: Iterable[str]) -> tuple[RowGroup, ...]:
    """Return the rows of channels by name, a group for each, in the order of the figure."""
    channels = channels_of(skeleton)
    return tuple(_channel_group(skeleton, channels, number) for number in sorted(map(channels.index, names)))


def _channel_group(skeleton: Skeleton, channels: Channels, number: int) -> RowGroup:
    title = "Root" if number == 0 else _title(channels.names[number])
    return RowGroup(title, tuple(rows_of_channel(skeleton, number)))


def groups_of_figure(skeleton: Skeleton) -> tuple[RowGroup, ...]:
    """Return the rows of all channels in the figure's groups; the root's place stands first."""
    channels = channels_of(skeleton)
    groups = [_channel_group(skeleton, channels, 0)]
    for name, joints in skeleton.groups:
        rows = [row for each in channels.of_joints(joints) for row in rows_of_channel(skeleton, channels.index(each))]
        if rows:
            groups.append(RowGroup(_title(name) or "Root turn", tuple(rows)))
    return tuple(groups)
