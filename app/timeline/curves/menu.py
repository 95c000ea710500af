"""Context menus of the curve editor: everything that the mouse and the bar do."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from app.look import icons
from app.timeline.curves.actions import TANGENTS, CurveActions
from app.timeline.curves.model import CurvesModel
from app.timeline.curves.rows import CurveRow
from app.timeline.sheet.key_tip import KINDS
from app.words.ease_words import ease_name
from core.animation.shape import EASES


def add(menu: QMenu, text: str, do: Callable[[], object], on: bool = True, icon: str = "") -> QAction:
    """Add an entry to a menu."""
    action = QAction(text, menu)
    action.setEnabled(on)
    if icon:
        action.setIcon(icons.icon(icon))
    action.triggered.connect(lambda _=False: do())
    menu.addAction(action)
    return action


def add_choices(
    menu: QMenu, choices: Iterable[tuple[str, str]], current: str | None, choose: Callable[[str], object]
) -> None:
    """Add one choice of several to a menu: (key, text) each."""
    group = QActionGroup(menu)
    for key, text in choices:
        action = QAction(text, menu)
        action.setCheckable(True)
        action.setChecked(key == current)
        action.triggered.connect(lambda _=False, key=key: choose(key))
        group.addAction(action)
        menu.addAction(action)


def titled(text: str) -> str:
    """Return a text with a capital letter."""
    return text[:1].upper() + text[1:]


def interpolation_menu(actions: CurveActions, menu: QMenu) -> None:
    """Fill a menu with the kinds of filling a span."""
    choices = [(kind, text) for kind, text in KINDS.items()]
    add_choices(menu, choices, actions.kind, lambda kind: actions.set_shape(interp=kind))
    primary = actions.model.primary
    shape = None if primary is None else actions.model.shape(primary)
    menu.addSeparator()
    turns = add(menu, "Full turns", lambda: actions.set_shape(turns=not (shape is not None and shape.turns)))
    turns.setCheckable(True)
    turns.setChecked(shape is not None and shape.turns)
    turns.setToolTip("A compound joint follows its angles: a full turn stays a full turn")


def tangents_menu(actions: CurveActions, menu: QMenu) -> None:
    """Fill a menu with the kinds of tangents."""
    add_choices(menu, TANGENTS.items(), actions.tangents, actions.set_tangents)


def ease_menu(actions: CurveActions, menu: QMenu) -> None:
    """Fill a menu with the presets of eases."""
    primary = actions.model.primary
    shape = None if primary is None else actions.model.shape(primary)
    ease = None if shape is None else shape.ease
    current = "even" if ease is None else ease.title
    add_choices(menu, [(name, titled(ease_name(name))) for name in EASES], current, actions.set_ease)


def key_menu(model: CurvesModel, parent: QWidget, row: CurveRow | None, frame: int) -> QMenu:
    """Return the menu of keys and curves.

    Args:
        model: What the parts of the curve editor share.
        parent: Parent widget.
        row: The curve under the mouse, or None.
        frame: Frame under the mouse.
    """
    actions, menu, some = CurveActions(model), QMenu(parent), bool(model.points)
    if row is not None and not row.turned:
        frame = max(frame, 0)
        add(
            menu, f"Set key at frame {frame}", lambda: model.document.keys.set(frame, channels=[row.channel]),
            row.id not in model.locked, "key",
        )  # fmt: skip
    if some:
        for title, fill in (
            ("Interpolation", interpolation_menu), ("Tangents", tangents_menu), ("Ease", ease_menu),
        ):  # fmt: skip
            below = menu.addMenu(title)
            fill(actions, below)
    if not menu.isEmpty():
        menu.addSeparator()
    add(menu, "Delete keys" if model.count > 1 else "Delete key", actions.delete, some, "trash")
    menu.addSeparator()
    canvas = parent
    fit = getattr(canvas, "fit", None)
    if fit is not None:
        add(menu, "Show selected keys\tF", lambda: fit(True), some)
        add(menu, "Show all\tA", lambda: fit(False))
    if row is not None:
        menu.addSeparator()
        add(menu, f"Hide {row.name}", lambda: model.toggle_hidden([row.id]), True, "eye")
        add(menu, f"Show only {row.name}", lambda: model.show_only(row.id))
        if not row.turned:
            text = "Unlock" if row.id in model.locked else "Lock"
            add(menu, f"{text} {row.name}", lambda: model.toggle_locked([row.id]), True, "lock")
    return menu
