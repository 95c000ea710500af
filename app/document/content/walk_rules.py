"""The rules that sequences are made by, read from their records; ground, whose triangles take time, only once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from core.errors import CoreError
from core.gait.procedural import Rules, ground_record, read_record
from core.terrain import Ground, Terrain

if TYPE_CHECKING:
    from core.animation.sequence import Sequence

_KEPT = 8
_grounds: OrderedDict[int, tuple[object, Ground]] = OrderedDict()  # by the record's id, which its record keeps alive


def rules_in(sequence: Sequence) -> Rules | None:
    """Return the rules that a sequence is made by; None if it is key-framed.

    Raises:
        core.errors.CoreError: If its record makes no sense.
    """
    record = sequence.gait
    if record is None:
        return None
    ground = record.get("ground")
    known = _grounds.get(id(ground)) if ground is not None else None
    if known is not None:
        _grounds.move_to_end(id(ground))
        return read_record({name: value for name, value in record.items() if name != "ground"})._replace(
            ground=known[1]
        )
    rules = read_record(record)
    if ground is not None:
        _keep(ground, rules.ground)
    return rules


def know_ground(ground: Terrain) -> None:
    """Keep ground that was read for the record of a walk on it, so that it is not made again from there."""
    _keep(ground_record(ground), ground)


def _keep(record: object, ground: Ground) -> None:
    _grounds[id(record)] = record, ground
    while len(_grounds) > _KEPT:
        _grounds.popitem(last=False)


def terrain_of(sequences: Iterable[Sequence]) -> Terrain | None:
    """Return the ground of triangles of the first sequence that is made on some; None if there is none."""
    for sequence in sequences:
        if sequence.gait is not None and "ground" in sequence.gait:
            try:
                rules = rules_in(sequence)
            except CoreError:  # whoever asks for the rules says so
                continue
            if rules is not None and isinstance(rules.ground, Terrain):
                return rules.ground
    return None
