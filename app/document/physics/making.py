"""From the open document to a preview that a thread can make and work on alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.document.content.records import sequence_for

if TYPE_CHECKING:
    from app.document.content.model import Model
    from core.preview.preview import Preview
    from core.preview.settings import PhysicsSettings


def make_preview(model: Model, start: int, settings: PhysicsSettings) -> Callable[[], Preview]:
    """Return what makes the preview of the active sequence from a frame on; it works on copies.

    Args:
        model: The document's content, with a figure.
        start: The frame.
        settings: The settings of physics.
    """
    sequence = model.sequence
    assert sequence is not None
    copy = sequence_for(sequence, sequence.skeleton)
    if model.pending is not None and model.pending.frame == start:
        copy.set_key(start, model.pending.q)
    others = [
        sequence_for(model.sequences[index], model.figures[i].skeleton)
        for i, index in enumerate(model.active.sequences)
        if i != model.active.figure
    ]
    copies = {each.skeleton.name: each for each in (*others, copy)}
    for each in copies.values():  # what locks hold on to is worked on in the thread too
        each.companions = {name: copies[name] for name in each.companions if name in copies}

    def make() -> Preview:
        from core.preview.preview import Preview  # it brings the libraries of dynamics along

        return Preview(copy, start, settings, others=others)

    return make
