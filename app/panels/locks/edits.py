"""Edits of one lock from a panel: live while a field is dragged, one undo step each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.document.gestures.strip_gesture import LockGesture
from core.animation.locks.target_keys import TargetKey

if TYPE_CHECKING:
    from app.document.document import Document
    from core.animation.locks.strip import LockStrip


class LockEdits:
    """Begins, shows and ends one edit of a lock at a time."""

    def __init__(self, document: Document):
        self.document = document
        self.key = ""
        self._gesture: LockGesture | None = None

    @property
    def active(self) -> bool:
        """Whether an edit is under way."""
        return self._gesture is not None and self._gesture.active

    @property
    def strip(self) -> LockStrip | None:
        """The strip that is edited, or None."""
        return self.document.locks.strip(self.key or None)

    def begin(self, text: str) -> None:
        """Begin an edit that may change many times before it is done; one that is open is committed."""
        self.commit()
        if self.strip is not None:
            self._gesture = LockGesture(self.document, self.key, text)

    def show(self, **values: Any) -> bool:
        """Show values in the edit under way, as ``Locks.edit`` takes them; say why if they cannot be."""
        gesture = self._gesture
        if gesture is None or not gesture.active:
            return False
        done = gesture.set(**values)
        if not done:
            self.document.say("info", gesture.problem)
        return done

    def do(self, text: str, **values: Any) -> bool:
        """Make a whole edit at once."""
        self.commit()
        return self.strip is not None and self.document.locks.edit(self.key, text=text, **values)

    def commit(self) -> None:
        """End the edit; what it has come to is one step."""
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.commit()

    def cancel(self) -> None:
        """Give the edit up: the lock is as it was."""
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.cancel()

    def show_target(self, target: Any) -> bool:
        """Change the target: of the whole strip, or where it is keyed at the current frame."""
        strip = self.strip
        if strip is None:
            return False
        if not strip.targets:
            return self.show(target=target)
        return self.show(targets=keyed(strip, self.document.frame, target))

    def key_target(self) -> bool:
        """Key the target as it is at the current frame, where the strip holds."""
        strip, frame = self.strip, self.document.frame
        if strip is None or not strip.covers(frame):
            return False
        targets = keyed(strip, frame, strip.target_at(frame))
        return self.do(f"Key lock target at frame {frame}", targets=targets)

    def unkey_target(self) -> bool:
        """Take the key of the target at the current frame away."""
        strip, frame = self.strip, self.document.frame
        if strip is None or all(key.frame != frame for key in strip.targets):
            return False
        left = tuple(key for key in strip.targets if key.frame != frame)
        values: dict[str, Any] = {"targets": left}
        if not left:
            values["target"] = strip.target_at(frame)
        return self.do(f"Delete lock target key at frame {frame}", **values)


def keyed(strip: LockStrip, frame: int, target: Any) -> tuple[TargetKey, ...]:
    """Return a strip's target keys with one at a frame, in place of the one that was there."""
    fresh = replace(strip.key_at(frame), target=target)
    return tuple(sorted((*(key for key in strip.targets if key.frame != frame), fresh), key=lambda key: key.frame))
