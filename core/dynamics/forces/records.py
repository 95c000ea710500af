"""Forces as records of a file: their kind, by the name of its class, and its fields: numbers, names, lists of these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

import numpy as np

from core.checked_arrays import shown
from core.dynamics.contact.records import refuse_unknown
from core.dynamics.forces import FORCES
from core.dynamics.forces.base import Force
from core.errors import DynamicsError

_KINDS = {kind.__name__: kind for kind in FORCES}


def force_from_record(record: Any, place: str = "force") -> Force:
    """Return the force of a record.

    Args:
        record: A dict: ``kind``, a name of ``FORCES``, and what it takes.
        place: What messages call it.

    Raises:
        DynamicsError: With one line, if it is malformed; names the place, the value and what would be right.
    """
    if not isinstance(record, Mapping):
        raise DynamicsError(f"{place} is {shown(record)}; it must be a record with a kind and what that takes")
    kind = record.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise DynamicsError(f"{place}: there is no kind {shown(kind)}; there are {', '.join(_KINDS)}")
    made = _KINDS[kind]
    assert is_dataclass(made)
    names = [item.name for item in fields(made)]
    refuse_unknown(record, ("kind", *names), f"{place}: {kind}")
    for item in fields(made):
        if item.name not in record and item.default is MISSING:
            raise DynamicsError(f'{place}: {kind} without "{item.name}"; it needs one')
    for name, value in record.items():
        if not _plain(value):
            raise DynamicsError(f"{place}: {name} is {shown(value)}; it must be a name, a number or a list of such")
    try:
        return made(**{name: value for name, value in record.items() if name != "kind"})
    except DynamicsError as error:
        raise DynamicsError(f"{place}: {error}") from None


def record_of(force: Force) -> dict[str, Any] | None:
    """Return the record of a force, without a name if it has none.

    Returns:
        None for one that no file can hold: of another kind, or a function of time.
    """
    if _KINDS.get(type(force).__name__) is not type(force) or not is_dataclass(force):
        return None
    record: dict[str, Any] = {"kind": type(force).__name__}
    for item in fields(force):
        value = getattr(force, item.name)
        if callable(value):
            return None
        if item.name != "name" or value:  # most have none, and earlier versions know of none
            record[item.name] = _written(value)
    return record


def _written(value: Any) -> Any:
    """Return a field as JSON has it."""
    if isinstance(value, (list, tuple)):
        return [_written(each) for each in value]
    return value if isinstance(value, str) else np.asarray(value).tolist()


def _plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_plain, value))
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)
