"""Keys, shapes and curves of time as records of a file: exact to the last bit, what is at its default left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.animation.curves.timing_curves import SpeedCurve, TimingCurve
from core.animation.key import Key
from core.animation.shape import SPLINE, Ease, Shape, plain_shape
from core.errors import SequenceError

Record = dict[str, Any]

SHAPE_MEMBERS = ("interp", "turns", "arcs", "tension", "continuity", "bias", "ease", "slopes_in", "slopes_out")
"""Members of a shape's record."""

_NUMBERS = ("tension", "continuity", "bias")


def shape_to_json(shape: Shape) -> Record:
    """Return the record of a shape."""
    record: Record = {"interp": shape.interp}
    if shape.turns:
        record["turns"] = True
    if shape.arcs:
        record["arcs"] = True
    record.update({name: value for name in _NUMBERS if (value := getattr(shape, name)) != 0.0})
    if shape.ease is not None:
        record["ease"] = list(shape.ease.numbers)
    record.update({name: list(slopes) for name in ("slopes_in", "slopes_out") if (slopes := getattr(shape, name))})
    return record


def shape_from_json(record: Any) -> Shape:
    """Return the shape of a record.

    Raises:
        SequenceError: If it is no record of one, or a value is not valid.
    """
    if not isinstance(record, Mapping):
        raise SequenceError("is not a record of a shape; it must be an object")
    strange = [name for name in record if name not in SHAPE_MEMBERS]
    if strange:
        raise SequenceError(f'has "{strange[0]}"; a shape has {", ".join(SHAPE_MEMBERS)}')
    ease = record.get("ease")
    if ease is not None:
        if not isinstance(ease, (list, tuple)) or len(ease) != 4:
            raise SequenceError("ease must be a list of four numbers, or null")
        ease = Ease(*ease)
    given = {name: value for name, value in record.items() if name != "ease" and value is not None}
    given = {"interp": SPLINE, "arcs": False, **given}  # what it was where no record said otherwise
    for name in ("turns", "arcs"):
        if not isinstance(given.get(name, False), bool):
            raise SequenceError(f"{name} is {given[name]!r}; it must be true or false")
    return Shape(ease=ease, **given)


def shapes_to_json(key: Key) -> Record:
    """Return the members of a key's record that say what it holds and how the motion goes through it."""
    record: Record = {}
    if key.keyed is not None:
        record["keyed"] = sorted(key.keyed)
    if key.shape.arcs:
        record["arcs"] = True
    if key.shape != plain_shape(key.interp, key.turns, key.shape.arcs):
        record["shape"] = {
            name: value for name, value in shape_to_json(key.shape).items() if name not in ("interp", "turns", "arcs")
        }
    if key.shapes:
        record["shapes"] = {name: shape_to_json(shape) for name, shape in key.shapes.items()}
    return record


def shapes_from_json(record: Mapping[str, Any]) -> Record:
    """Return the arguments of ``Key`` that ``shapes_to_json`` wrote, interpolation and full turns included.

    Raises:
        SequenceError: If a value is not valid.
    """
    shape = record.get("shape")
    interp, turns, arcs = record.get("interp", SPLINE), record.get("turns", False), record.get("arcs", False)
    return {
        "keyed": record.get("keyed"),
        "shape": plain_shape(interp, turns, arcs)
        if shape is None
        else shape_from_json({**shape, "interp": interp, "turns": turns, "arcs": arcs}),
        "shapes": {name: shape_from_json(own) for name, own in (record.get("shapes") or {}).items()},
    }


def key_to_json(key: Key) -> Record:
    """Return a key's record; floats go through ``repr`` and come back bit for bit."""
    record: Record = {"frame": key.frame, "q": key.q.tolist(), "interp": key.interp}
    if key.turns:
        record["turns"] = True
    if key.part is not None:
        record["part"] = key.part
    record.update(shapes_to_json(key))
    if key.extra:
        record["extra"] = dict(key.extra)
    return record


def key_from_json(record: Mapping[str, Any]) -> Key:
    """Return the key of a record.

    Raises:
        core.errors.CoreError: If a value is not valid.
    """
    return Key(
        record["frame"],
        record["q"],
        part=record.get("part"),
        extra=record.get("extra", {}),
        **shapes_from_json(record),
    )


# -- curves of time --------------------------------------------------------------------------------------------------


def curve_to_json(curve: TimingCurve | SpeedCurve) -> list[list[float]]:
    """Return a curve's points as a list."""
    return [list(point) for point in curve.points]


def curve_points(record: Any) -> tuple[tuple[Any, Any], ...]:
    """Return the points of a record, to make a curve of.

    Raises:
        SequenceError: If it is no list of pairs.
    """
    if not isinstance(record, (list, tuple)) or not all(
        isinstance(point, (list, tuple)) and len(point) == 2 for point in record
    ):
        raise SequenceError("must be a list of points, each of two numbers")
    return tuple((point[0], point[1]) for point in record)


def timings_to_json(timings: Mapping[str, TimingCurve]) -> Record:
    """Return timing curves by channel as a record."""
    return {name: curve_to_json(curve) for name, curve in timings.items()}


def timings_from_json(record: Any) -> dict[str, TimingCurve]:
    """Return timing curves by channel.

    Raises:
        SequenceError: If a value is not valid.
    """
    if not isinstance(record, Mapping):
        raise SequenceError("must be an object: timing curves by the names of channels")
    return {name: TimingCurve(curve_points(points)) for name, points in record.items()}
