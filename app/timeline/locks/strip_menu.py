"""What a right click on a lock strip offers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QWidget, QWidgetAction

from app.timeline.locks.strip_drag import with_weight
from app.timeline.strips.times import EASE, default_ease, place_for, room_for, slid
from app.widgets.fields.number_field import NumberField
from app.widgets.frames.menu import add_action, pop_up
from app.words.keys_now import in_menu
from app.words.lock_words import weights_of
from app.words.quantity import NUMBER
from core.animation.locks.strip import LockStrip, new_id

if TYPE_CHECKING:
    from app.timeline.locks.board import LockBoard


class StripEdits:
    """Edits of one strip, each one undo step."""

    def __init__(self, board: LockBoard):
        self.board = board
        self.document = board.document

    def put(self, strip: LockStrip, text: str, gesture: int | None = None) -> bool:
        """Put a strip in the place of the one with its id."""
        return self.board.put([strip], text, gesture)

    def split(self, strip: LockStrip, frame: int) -> None:
        """Cut a strip in two at a frame."""
        self.document.locks.split(strip.id, frame)

    def end(self, strip: LockStrip, frame: int) -> None:
        """Let a frame be the last that a strip holds."""
        self.put(replace(strip, end=frame), f"End lock at frame {frame}")

    def open_end(self, strip: LockStrip) -> None:
        """Let a strip hold until the next of its lock, or for ever."""
        _, last = room_for(strip, others := self.board.siblings(strip))
        later = any(other.start > strip.start for other in others)
        self.put(replace(strip, end=last if later else None), "Continue lock")

    def copy(self, strip: LockStrip) -> None:
        """Keep a strip to be pasted."""
        self.board.copied = strip
        self.document.say("info", f"{self.board.name_of(strip)} copied; a right click pastes it")

    def paste(self, frame: int) -> None:
        """Put a copy of the strip that was copied at a frame, or as near to it as there is room."""
        source, skeleton = self.board.copied, self.document.skeleton
        if source is None or skeleton is None:
            self.document.say("info", "No lock was copied")
            return
        if source.lock.joint not in skeleton.joint_names and not isinstance(source.lock.joint, int):
            self.document.say("warning", f"This figure has no {source.lock.joint}; the lock cannot be pasted")
            return
        fresh = replace(source, id=new_id())
        others = self.board.siblings(fresh)
        at = place_for(fresh, frame, others)
        if at is None:
            self.document.say("warning", f"No room for {self.board.name_of(fresh)}: its other strips are there")
            return
        pasted = slid(fresh, at - fresh.start)
        if self.document.locks.set((*self.document.locks.strips, pasted), "Paste lock"):
            self.board.select(pasted.id)
            if at != frame:
                self.document.say("info", f"{self.board.name_of(pasted)} pasted at frame {at}, where there is room")

    def remove(self, strip: LockStrip) -> None:
        """Remove a strip; if it was selected the next one is then."""
        strips = list(self.board.strips())
        at = next(i for i, each in enumerate(strips) if each.id == strip.id)
        rest, chosen = strips[:at] + strips[at + 1 :], self.board.selected == strip.id
        if self.document.locks.remove(strip.id) and chosen:
            self.board.select(rest[min(at, len(rest) - 1)].id if rest else None)

    def set_ease(self, strip: LockStrip) -> None:
        """Let a strip ease in and out as usual."""
        self.put(default_ease(strip), "Ease lock")

    def no_ease(self, strip: LockStrip) -> None:
        """Let a strip begin and end at once."""
        self.put(replace(strip, ease_in=0.0, ease_out=0.0), "Ease lock")

    def key_target(self, strip: LockStrip, frame: int) -> None:
        """Key the target a strip has at a frame there; the playhead goes there, for the target to be moved."""
        key = strip.key_at(frame)
        others = tuple(each for each in strip.targets if each.frame != frame)
        if self.put(replace(strip, targets=(*others, key)), f"Key lock target at frame {frame}"):
            self.board.choose((strip.id, frame))
            self.document.set_frame(frame)

    def remove_target(self, strip: LockStrip, frame: int) -> None:
        """Delete a key of a strip's target; with the last one the target stays where it was there."""
        rest = tuple(each for each in strip.targets if each.frame != frame)
        changed = replace(strip, targets=rest)
        if not rest:
            changed = replace(changed, lock=replace(strip.lock, target=strip.target_at(frame)))
        self.put(changed, f"Delete lock target at frame {frame}")


def _weight_row(menu: QMenu, board: LockBoard, strip: LockStrip) -> QWidgetAction:
    """Return a menu's row with a field for the weight."""
    row = QWidget()
    line = QHBoxLayout(row)
    line.setContentsMargins(8, 2, 12, 2)
    line.addWidget(QLabel("Weight"))
    line.addStretch(1)
    field = NumberField(NUMBER)
    field.setAccessibleName("Weight")
    field.set_limits(0.0, 1.0)
    field.set_value(max(weights_of(strip.lock)) * strip.weight)
    field.setFixedWidth(56)
    gesture = board.document.gesture_id()

    def weigh(value: float) -> None:
        now = board.strip(strip.id)
        if now is not None:
            StripEdits(board).put(with_weight(now, round(value, 2)), "Set weight of lock", gesture)

    field.changed.connect(weigh)
    field.committed.connect(weigh)
    line.addWidget(field)
    action = QWidgetAction(menu)
    action.setText("Weight…")
    action.setDefaultWidget(row)
    return action


def strip_menu(
    parent: QWidget,
    board: LockBoard,
    strip: LockStrip,
    frame: int,
    edit: Callable[[str], object],
    target: int | None = None,
) -> QMenu:
    """Return the menu of a strip.

    Args:
        parent: The menu's parent.
        board: The rows.
        strip: The strip.
        frame: The frame that was clicked.
        edit: Opens the editor of a lock by its id.
        target: Frame of the key of its target that was clicked, or None.
    """
    do = StripEdits(board)
    menu = QMenu(parent)
    title = menu.addAction(f"{board.name_of(strip)}, {board.span_of(strip)}")
    title.setEnabled(False)
    menu.addSeparator()

    offer = partial(add_action, menu)
    inside = strip.covers(frame)
    last = strip.end is not None and frame >= strip.end
    offer(f"Split at frame {frame}", lambda: do.split(strip, frame), inside and frame > strip.start)
    offer(f"End at frame {frame}", lambda: do.end(strip, frame), inside and frame > strip.start and not last)
    offer("Hold without end", lambda: do.open_end(strip), strip.end is not None)
    menu.addSeparator()
    offer(in_menu("Copy", "copy_strip"), lambda: do.copy(strip))
    offer(f"Paste at frame {frame}", lambda: do.paste(frame), board.copied is not None)
    menu.addSeparator()
    offer(f"Ease in and out over {EASE:g} frames", lambda: do.set_ease(strip))
    offer("Hold without easing", lambda: do.no_ease(strip), bool(strip.ease_in or strip.ease_out))
    menu.addAction(_weight_row(menu, board, strip))
    menu.addSeparator()
    if target is None:
        offer(f"Key target at frame {frame}", lambda: do.key_target(strip, frame), strip.lock.rule.keyed)
    else:
        offer(f"Delete target key at frame {target}", lambda: do.remove_target(strip, target))
    menu.addSeparator()
    offer(in_menu("Edit…", "edit_lock"), lambda: edit(strip.id))
    offer(in_menu("Remove lock", "remove_strip"), lambda: do.remove(strip))
    return menu


def show_ground_menu(parent: QWidget, at: QPoint, board: LockBoard, frame: int) -> None:
    """Open the menu of a row beside its strips, at the frame that was clicked."""
    do, menu = StripEdits(board), QMenu(parent)
    add_action(menu, f"Paste at frame {frame}", lambda: do.paste(frame), board.copied is not None)
    pop_up(menu, at)
