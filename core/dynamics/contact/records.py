"""Reading the records of a file that describe what there is in the world: members by name, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.arrays import Array
from core.checked_arrays import checked_array, shown
from core.dynamics.contact.materials import DEFAULT_FRICTION, checked_friction, material_friction
from core.errors import DynamicsError


def refuse_unknown(record: Any, known: Sequence[str], place: str) -> None:
    """Check that a record is one, and has no members but those known.

    Raises:
        DynamicsError: If it is no dict, or has another member.
    """
    if not isinstance(record, Mapping):
        raise DynamicsError(f"{place} is {shown(record)}; it must be a record with {', '.join(known)}")
    for key in record:
        if key not in known:
            raise DynamicsError(f"{place} has a member {shown(key)}; it can have {', '.join(known)}")


def friction_of(record: Mapping[str, Any], place: str) -> float:
    """Return the friction coefficient of a record: its ``friction``, else that of its ``material``, else the usual one.

    Raises:
        DynamicsError: If either makes no sense.
    """
    if record.get("friction") is not None:
        return checked_friction(record["friction"], place)
    if record.get("material") is not None:
        return material_friction(record["material"], place)
    return DEFAULT_FRICTION


def vector_of(record: Mapping[str, Any], key: str, default: Sequence[float] | None, place: str) -> Array:
    """Return a member of three numbers, shape (3,).

    Raises:
        DynamicsError: If it is missing and there is no default, or makes no sense.
    """
    if key not in record and default is None:
        raise DynamicsError(f'{place} has no "{key}"; it must be three numbers')
    return checked_array(record.get(key, default), (3,), f"{place}: {key}", DynamicsError)


def number_of(
    record: Mapping[str, Any], key: str, default: float | None, place: str, least: float = -np.inf, most: float = np.inf
) -> float:
    """Return a member that is a number between two bounds, both excluded.

    Raises:
        DynamicsError: If it is missing and there is no default, or makes no sense.
    """
    value = record.get(key, default)
    if value is None:
        raise DynamicsError(f'{place} has no "{key}"; it must be a number')
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not np.isfinite(value):
        raise DynamicsError(f"{place}: {key} is {shown(value)}; it must be a number")
    if not least < value < most:
        wanted = f"more than {least:g}" if most == np.inf else f"between {least:g} and {most:g}"
        raise DynamicsError(f"{place}: {key} {value:g} makes no sense; it must be {wanted}")
    return float(value)
