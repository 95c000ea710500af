"""Values of a sequence, its keys and locks apart, as commands and files keep them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from core.animation.curves.timing_curves import SpeedCurve
from core.animation.key_records import curve_points, curve_to_json, timings_from_json, timings_to_json
from core.animation.marker import marker_from_json, marker_to_json
from core.animation.sequence import Sequence


class _Codec(NamedTuple):
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def _as_it_is(value: Any) -> Any:
    return value


_CODECS: dict[str, _Codec] = {
    "range": _Codec(list, tuple),
    "timings": _Codec(timings_to_json, timings_from_json),
    "root_speed": _Codec(
        lambda curve: None if curve is None else curve_to_json(curve),
        lambda points: None if points is None else SpeedCurve(curve_points(points)),
    ),
    "markers": _Codec(
        lambda markers: [marker_to_json(marker) for marker in markers],
        lambda records: tuple(marker_from_json(record) for record in records),
    ),
}

SEQUENCE_VALUES: tuple[str, ...] = (
    "name", "menu", "fps", "loop", "range", "holds", "timings", "root_speed", "markers", "audio",
)  # fmt: skip


def sequence_value(sequence: Sequence, name: str) -> Any:
    """Return a sequence's value as JSON keeps it; a range without an end of its own is ``[first, None]``."""
    if name == "range":
        return [sequence.range[0], None if sequence.ends_with_last_key else sequence.range[1]]
    return written_value(name, sequence.value(name))


def written_value(name: str, value: Any) -> Any:
    """Return a value as JSON keeps it."""
    return _CODECS[name].write(value) if name in _CODECS else value


def read_value(name: str, record: Any) -> Any:
    """Return the value that JSON kept.

    Raises:
        core.errors.CoreError: If it is not valid.
    """
    return _CODECS[name].read(record) if name in _CODECS else record
