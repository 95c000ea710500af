"""Which figures are hidden or passed by, between the session and the file that keeps how things are viewed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.document.document import Document

_HIDDEN, _FIXED = "hidden_figures", "fixed_figures"  # in what a file keeps of the views


def write_scene(document: Document) -> None:
    """Put which figures are hidden or passed by, by name, where the file keeps how things are viewed."""
    view, names = document.model.view, {figure.skeleton.name for figure in document.model.figures}
    for key in (_HIDDEN, _FIXED):
        view.pop(key, None)
        chosen = sorted(names & document.session.get(key))
        if chosen:
            view[key] = chosen


def read_scene(document: Document) -> None:
    """Hide and pass by the figures that a file just opened names."""
    for key in (_HIDDEN, _FIXED):
        names = document.model.view.get(key)
        known = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
        document.session.set(key, frozenset(known))
