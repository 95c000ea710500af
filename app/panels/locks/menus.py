"""The menus of the locks panel: of a row, of the plus button, and of the panel itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QAction, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QMenu, QWidget

from app.look import icons, lock_glyphs
from app.look.theme import current_theme
from app.panels.locks.edits import LockEdits
from app.widgets.frames.menu import Item, make_menu
from app.words.keys_now import in_menu
from app.words.lock_words import part_of
from app.words.part_names import spoken_name
from core.constraints.lock import KINDS, Lock

if TYPE_CHECKING:
    from app.document.document import Document
    from app.panels.locks.panel import LocksPanel
    from core.animation.locks.strip import LockStrip

_SOFT = 0.5
_MENU_SCALE = 0.66  # glyphs as large as the icons beside them


def kind_icon(kind: str) -> QIcon:
    """Return a kind's glyph as an icon for menus, in the theme's colours."""
    icon = QIcon()
    for ratio in (1.0, 1.25, 1.5, 1.75, 2.0):
        picture = QPixmap(math.ceil(icons.SIZE * ratio), math.ceil(icons.SIZE * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        middle = QPointF(0.5 * icons.SIZE, 0.5 * icons.SIZE)
        lock_glyphs.draw(painter, current_theme(), kind, middle, _MENU_SCALE, halo=False)
        painter.end()
        icon.addPixmap(picture)
    return icon


def add_lock(document: Document, kind: str) -> str | None:
    """Lock what is selected, in one kind; a pair goes from the part selected first to the second.

    Returns:
        The id of the strip, of several the last one; None if it was not possible: a message has said why.
    """
    skeleton, chosen = document.skeleton, document.selection.joints
    if skeleton is None:
        return None
    rule = next(rule for rule in KINDS if rule.name == kind)
    before = {strip.id for strip in document.locks.strips}
    if kind == "balance":
        return document.locks.add(Lock(skeleton.joints[0].name, kind), text="Lock balance")
    if not rule.takes_other:
        document.locks.lock_parts(chosen, kind)
    elif len(chosen) < 2:
        document.say("info", f"Select two parts for a {rule.title.lower()} lock: Shift-click adds the second")
    else:
        return document.locks.lock_pair(kind, *chosen[:2])
    fresh = [strip.id for strip in document.locks.strips if strip.id not in before]
    return fresh[-1] if fresh else None


def add_menu(parent: QWidget, document: Document, done: Callable[[str], object]) -> QMenu:
    """Return the menu of lock kinds for what is selected.

    Args:
        parent: The menu's parent.
        document: The document.
        done: Called with the id of a lock that was made.
    """
    skeleton, chosen = document.skeleton, document.selection.joints

    def make(kind: str) -> None:
        key = add_lock(document, kind)
        if key is not None:
            done(key)

    menu = make_menu(parent, [(rule.title, partial(make, rule.name), "") for rule in KINDS])
    for action, rule in zip(menu.actions(), KINDS, strict=True):
        action.setIcon(kind_icon(rule.name))
        need = 0 if rule.name == "balance" else 2 if rule.takes_other else 1
        action.setEnabled(skeleton is not None and len(chosen) >= need)
        action.setToolTip(rule.description)
        if skeleton is not None and rule.takes_other and len(chosen) >= 2:
            one, two = (spoken_name(skeleton.joints[joint].name) for joint in chosen[:2])
            action.setText(f"{rule.title}: {one} to {two}")
        elif rule.takes_other and skeleton is not None:
            action.setText(f"{rule.title} (select two parts)")
    menu.setToolTipsVisible(True)
    first = menu.actions()[0]
    if skeleton is not None:
        if not chosen:
            title = "Select a part first"
        elif len(chosen) == 1:
            title = f"Lock {spoken_name(skeleton.joints[chosen[0]].name)}"
        else:
            title = f"Lock {len(chosen)} parts"
        heading = QAction(title, menu)
        heading.setEnabled(False)
        menu.insertAction(first, heading)
        menu.insertSeparator(first)
    return menu


def soften(document: Document, strip: LockStrip) -> bool:
    """Soften a lock: half of its weight."""
    lock = strip.lock
    weight = tuple(_SOFT * each for each in lock.weights) if isinstance(lock.weight, tuple) else _SOFT * lock.weights[0]
    return document.locks.edit(strip.id, text=f"Soften lock of {_name(document, strip)}", weight=weight)


def harden(document: Document, strip: LockStrip) -> bool:
    """Let a lock hold exactly."""
    return document.locks.edit(strip.id, text=f"Hold {_name(document, strip)} exactly", weight=1.0, strip_weight=1.0)


def turn_into(document: Document, strip: LockStrip, kind: str) -> bool:
    """Make a lock of another kind of it, that holds the part where it is now."""
    return document.locks.edit(strip.id, text=f"Turn lock into {kind}", kind=kind)


def _name(document: Document, strip: LockStrip) -> str:
    return spoken_name(part_of(strip.lock, document.skeleton))


def row_menu(panel: LocksPanel, key: str) -> QMenu:
    """Return the menu of a lock's row."""
    document = panel.document
    strip, frame = document.locks.strip(key), document.frame
    if strip is None:  # a lock that holds at all times belongs to the file, not to the timeline
        always: list[Item] = [("Edit as a strip…", lambda: panel.open_editor(key), "pencil"),
                ("Remove lock", lambda: panel.remove(key), "trash")]  # fmt: skip
        return make_menu(panel, always)
    edits = LockEdits(document)
    edits.key = key
    hard = strip.lock.hard and strip.weight >= 1.0
    inside = strip.start < frame and (strip.end is None or frame <= strip.end)
    keyed = any(each.frame == frame for each in strip.targets)
    name = _name(document, strip)

    def shown(new: str | None) -> None:
        if new is not None:
            document.session.locks.selected = new

    rows: list[tuple[str, Callable[[], object], str, bool] | None] = [
        (in_menu("Edit…", "edit_lock"), lambda: panel.open_editor(key), "pencil", True),
        ("Select part", lambda: document.selection.set([strip.lock.joint]), "select", strip.lock.kind != "balance"),
        ("Go to its first frame", lambda: document.set_frame(strip.start), "first", frame != strip.start),
        None,
        ("Soften", lambda: soften(document, strip), "spring", max(strip.lock.weights) > 0.0)
        if hard
        else ("Hold exactly", lambda: harden(document, strip), "lock", True),
        (
            "Turn into plane",
            lambda: turn_into(document, strip, "plane"),
            "",
            strip.lock.kind in ("position", "pose", "line"),
        ),
        ("Mirror", lambda: shown(document.locks.mirror(key)), "mirror", strip.lock.kind != "balance"),
        (f"Copy to frame {frame}", lambda: shown(document.locks.copy(key)), "copy", frame != strip.start),
        None,
        (f"Split at frame {frame}", lambda: document.locks.split(key), "", inside),
        (f"End at frame {frame}", lambda: document.locks.end(key), "", strip.start <= frame and strip.end != frame),
        (f"Delete target key at frame {frame}", edits.unkey_target, "key-outline", True)
        if keyed
        else (f"Key target at frame {frame}", edits.key_target, "key", strip.covers(frame)),
        None,
        (in_menu(f"Remove lock of {name}", "remove_strip"), lambda: panel.remove(key), "trash", True),
    ]
    menu = make_menu(panel, [None if row is None else row[:3] for row in rows])
    for action, row in zip(menu.actions(), rows, strict=True):
        if row is not None:
            action.setEnabled(row[3])
            if row[0] == "Turn into plane":
                action.setIcon(kind_icon("plane"))
    return menu


def panel_menu(panel: LocksPanel) -> QMenu:
    """Return the menu of the panel's title."""
    document = panel.document
    menu = make_menu(
        panel,
        [
            ("Show locks of other frames", panel.flip_elsewhere, ""),
            None,
            ("Solve until all locks hold", document.locks.solve_now, "target"),
            ("End all locks at this frame", panel.end_all, ""),
            ("Clear all locks", document.locks.clear, "trash"),
        ],
    )
    first, _, solve, end, clear = menu.actions()
    first.setCheckable(True)
    first.setChecked(panel.list.elsewhere.isChecked())
    here = bool(document.locks.now()) if document.skeleton is not None else False
    solve.setEnabled(here)
    end.setEnabled(here)
    clear.setEnabled(bool(document.locks.strips))
    return menu


def without_end(strip: LockStrip, frame: int) -> LockStrip:
    """Return a strip that ends at a frame."""
    return replace(strip, end=frame, ease_out=min(strip.ease_out, float(frame - strip.start)))
