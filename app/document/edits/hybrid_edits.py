"""From what a person wants of hybrid strips to the commands that do it: everything is checked here first."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from app.document.commands.registry import Command
from app.document.content.model import Model
from app.document.content.records import sequence_for
from app.document.edits.edits import add_sequence, hybrids_of, need_figure, sequence_values
from core.animation.hybrid.strip import HybridStrip
from core.animation.key import check_frame
from core.errors import SequenceError

if TYPE_CHECKING:
    from core.preview.bake import Baked

Commands = list[Command]
HybridStrips = tuple[HybridStrip, ...]

_VALUES = frozenset(field.name for field in fields(HybridStrip)) - {"id", "extra"}


def found(model: Model, strip_id: str) -> tuple[int, HybridStrip]:
    """Return place and strip of an id.

    Raises:
        SequenceError: If there is none.
    """
    for place, strip in enumerate(hybrids_of(model)):
        if strip.id == strip_id:
            return place, strip
    raise SequenceError(f'there is no hybrid strip "{strip_id}" here; it may have been removed')


def exchanged(model: Model, strip_id: str, *by: HybridStrip) -> HybridStrips:
    """Return the strips with others, or none, in the place of one.

    Raises:
        SequenceError: If there is no strip of that id.
    """
    place, _ = found(model, strip_id)
    strips = hybrids_of(model)
    return (*strips[:place], *by, *strips[place + 1 :])


def new_hybrid(
    model: Model, joints: Iterable[int | str], start: int | None, end: int | None, **values: Any
) -> HybridStrip:
    """Return a new strip of joints; of none, or of all of them, it is one of the whole figure.

    Args:
        model: The document's content.
        joints: The joints.
        start: First frame; None for the current one.
        end: Frame at which they are back at their keys; None for never.
        **values: Further fields of ``HybridStrip``.

    Raises:
        JointError: If there is no such joint.
        SequenceError: If a value makes no sense.
    """
    skeleton, _ = need_figure(model)
    numbers = dict.fromkeys(skeleton.joint_index(joint) for joint in joints)
    names = tuple(skeleton.joints[number].name for number in numbers)
    parts = () if len(names) == len(skeleton.joints) else names
    return HybridStrip(parts, model.frame if start is None else check_frame(start), end, **values)


def edited(model: Model, strip_id: str, values: dict[str, Any]) -> HybridStrips:
    """Return the strips with values of one changed.

    Raises:
        SequenceError: If there is no such strip or value, or a value makes no sense.
    """
    _, strip = found(model, strip_id)
    strange = sorted(set(values) - _VALUES)
    if strange:
        raise SequenceError(f'a hybrid strip has no value "{strange[0]}"; it has {", ".join(sorted(_VALUES))}')
    return exchanged(model, strip_id, replace(strip, **values))


def baking(model: Model, baked: Baked, new: bool) -> Commands:
    """Return the commands that put baked keys into the active sequence, or into a new one, which is then shown.

    Raises:
        CoreError: If they do not fit.
    """
    from core.preview.bake import baked_values

    skeleton, sequence = need_figure(model)
    values = baked_values(sequence, baked)
    if not new:
        return sequence_values(model, values)
    copy = sequence_for(sequence, skeleton, keys=values["keys"])
    copy.hybrid_strips, copy.name = values["hybrid_strips"], _free_name(model, f"{sequence.name} baked")
    copy.set_range(*values["range"])
    return add_sequence(model, copy)


def _free_name(model: Model, name: str) -> str:
    """Return a name that no sequence has yet: the one given, or with a number."""
    taken = {sequence.name for sequence in model.sequences}
    names = (name if number == 1 else f"{name} {number}" for number in itertools.count(1))
    return next(free for free in names if free not in taken)
