"""The rows by which a walk is set: how each value stands on a slider, and how speed, length and rate go together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from app.widgets.fields.setting_quantities import TIMES
from app.widgets.fields.setting_slider import Scale, log_scale
from app.words.quantity import DEGREES, METRES, WHOLE, Quantity
from core.arrays import Array
from core.gait.manner import MOST_STEPS, Manner, Pace, most_prints
from core.gait.quadruped import Quadruped
from core.gait.table import walker_of
from core.kinematics.forward import forward_kinematics
from core.skeleton import Skeleton
from core.skeleton.segment import rest_frames

PACE = ("speed", "step_length", "step_rate")
"""Any two of them give the third."""
_MINUTE = 60.0
_SPEED = Quantity("m/s", 2, 0.05, "metres a second", MappingProxyType({"m/s": 1.0, "km/h": 1.0 / 3.6, "cm/s": 0.01}))
_RATE = Quantity("/min", 0, 1.0, "steps a minute")
_STEP = replace(METRES, decimals=2)
_USUAL_STEPS = 10.0
_MOST_SHOWN = 40.0


class Row(NamedTuple):
    """How one number of a manner is shown.

    Attributes:
        name: Attribute of the manner.
        label: What it is called.
        quantity: Unit, decimals and steps.
        scale: Where values stand on the slider.
        limits: What may be typed.
        factor: What is shown over what the manner has.
        tip: What it does.
    """

    name: str
    label: str
    quantity: Quantity
    scale: Scale
    limits: tuple[float, float]
    factor: float
    tip: str


def _whole(value: float) -> float:
    return float(round(value))


ROWS: tuple[Row, ...] = (
    Row("steps", "Steps", WHOLE, Scale(1.0, _MOST_SHOWN, _USUAL_STEPS, float, _whole), (1.0, float(MOST_STEPS)), 1.0,
        "How many steps it takes"),
    Row("speed", "Speed", _SPEED, log_scale(0.2, 3.0, 1.2), (0.05, 10.0), 1.0,
        "How fast it goes on level ground. Of speed, length and rate of the steps two give the third; with one of them "
        "the others are as people walk"),
    Row("step_length", "Step length", _STEP, log_scale(0.1, 1.5, 0.66), (0.02, 5.0), 1.0,
        "From one footprint to the next; shorter where the ground rises or falls"),
    Row("step_rate", "Step rate", _RATE, log_scale(30.0, 240.0, 110.0), (12.0, 480.0), _MINUTE, "Steps a minute"),
    Row("turn", "Turn at a step", DEGREES, Scale(-45.0, 45.0, 0.0, float, lambda place: round(place, 1)),
        (-60.0, 60.0), math.degrees(1.0), "How far each step turns, to the left if positive"),
    Row("sway", "Sway", TIMES, Scale(0.0, 3.0, 1.0, float, lambda place: round(place, 2)), (0.0, 3.0), 1.0,
        "How far the body goes from side to side, 1 for the usual"),
    Row("arm_swing", "Arm swing", TIMES, Scale(0.0, 3.0, 1.0, float, lambda place: round(place, 2)), (0.0, 3.0), 1.0,
        "How far arms and shoulders swing, 1 for the usual"),
    Row("lift", "Foot lift", TIMES, Scale(0.0, 5.0, 1.0, float, lambda place: round(place, 2)), (0.0, 5.0), 1.0,
        "How high feet are lifted over the ground, 1 for the usual"),
)  # fmt: skip


def with_value(manner: Manner, row: Row, value: float, given: Sequence[str] = ()) -> Manner:
    """Return a manner with another value in a row.

    Args:
        manner: How the figure moves.
        row: The row.
        value: What it shows.
        given: Which of speed, length and rate were set, the last one last: with a third the first is left open.

    Raises:
        GaitError: If that makes no sense.
    """
    own: Any = round(value) if row.name == "steps" else value / row.factor
    values: dict[str, Any] = {row.name: own}
    if row.name == "steps":
        values["footprints"] = {n: place for n, place in manner.footprints.items() if n < most_prints(own)}
    if row.name in PACE:
        others = [name for name in PACE if name != row.name and getattr(manner, name) is not None]
        if len(others) > 1:
            oldest = next((name for name in given if name in others), others[0])
            values[oldest] = None
    return replace(manner, **values)


def shown_value(manner: Manner, row: Row, pace: Pace) -> float:
    """Return what a row shows: of what is left open, what the pace has of it."""
    value = getattr(manner, row.name)
    if value is None:
        value = {"speed": pace.speed, "step_length": pace.length, "step_rate": pace.rate}[row.name]
    return float(value) * row.factor


def manner_at(skeleton: Skeleton, pose: Array, feet: tuple[str, ...] = ()) -> Manner:
    """Return the usual manner, from where a figure stands in a pose, to where it faces there.

    Args:
        skeleton: The figure.
        pose: The pose, shape (nq,).
        feet: Names of the feet it goes on, if they are picked.

    Raises:
        GaitError: If the figure cannot walk.
    """
    walker = walker_of(skeleton, feet)
    there = forward_kinematics(skeleton, pose)[walker.pelvis]
    rest = rest_frames(skeleton)[walker.pelvis]
    ahead = there[:3, :3] @ rest[:3, :3].T @ walker.facing[:, 2]
    heading = math.atan2(float(ahead[0]), float(ahead[2])) if np.hypot(ahead[0], ahead[2]) > 0.1 else 0.0
    off = rest[:3, 3] - rest_frames(skeleton)[0, :3, 3]
    if isinstance(walker, Quadruped):  # it stands where the middle between its feet is
        off = walker.pelvis_place
    c, s = math.cos(heading), math.sin(heading)
    x, z = there[0, 3] - (c * off[0] + s * off[2]), there[2, 3] - (c * off[2] - s * off[0])
    return Manner(heading=_tidy(heading), place=(_tidy(float(x)), _tidy(float(z))), feet=feet)


def _tidy(value: float) -> float:
    """Return a number without the noise of rounding."""
    return float(round(value, 6)) + 0.0
