"""Which figures are hidden or passed by, and how they are lit, between the session and the file that keeps views."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from app.document.session import SessionError
from app.render.lights import KEPT, lights_from, lights_record

if TYPE_CHECKING:
    from app.document.document import Document

_HIDDEN, _FIXED = "hidden_figures", "fixed_figures"  # in what a file keeps of the views


def write_scene(document: Document) -> None:
    """Put which figures are hidden or passed by, by name, and the lights, where the file keeps views."""
    view, names = document.model.view, {figure.skeleton.name for figure in document.model.figures}
    for key in (_HIDDEN, _FIXED):
        view.pop(key, None)
        chosen = sorted(names & document.session.get(key))
        if chosen:
            view[key] = chosen
    settings = document.session.view
    view.pop(KEPT, None)
    record = lights_record(settings.lights, settings.key_light)
    if record is not None:
        view[KEPT] = record


def read_scene(document: Document) -> None:
    """Hide and pass by the figures that a file just opened names, and light them as it says; else as usual."""
    for key in (_HIDDEN, _FIXED):
        names = document.model.view.get(key)
        known = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
        document.session.set(key, frozenset(known))
    settings = document.session.view
    settings.lights, settings.key_light = "usual", None
    with contextlib.suppress(SessionError, KeyError, TypeError, ValueError):  # what a file names wrongly is passed over
        settings.lights, settings.key_light = lights_from(document.model.view.get(KEPT))
