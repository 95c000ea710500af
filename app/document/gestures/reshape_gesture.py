"""Selected keys reshaped by a slider: one step from press to release. Also what the history calls it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.document.gestures.live_gesture import KeyGesture
from app.words.dof_names import full_label
from core.animation.reshaping import (
    BREAKDOWN,
    EXAGGERATE,
    LEAN,
    OVERLAP,
    PUSH,
    SMOOTH,
    Columns,
    columns_of,
    reshaped,
)

if TYPE_CHECKING:
    from app.document.base import DocumentBase
    from core.animation.key_parts import Parts


def title(kind: str, amount: float) -> str:
    """Return what the history calls keys that are reshaped by an amount."""
    share = f"{abs(amount):.0%}".replace("%", " %")
    return {
        BREAKDOWN: f"Breakdown {'−' if amount < 0.0 else ''}{share}",
        PUSH: f"{'Push' if amount >= 0.0 else 'Relax'} {share}",
        LEAN: f"Blend {share} to the {'previous' if amount < 0.0 else 'next'} key",
        EXAGGERATE: f"{'Exaggerate' if amount >= 1.0 else 'Calm'} {amount:.3g}×",
        SMOOTH: f"Smooth {share}",
        OVERLAP: f"Overlap {amount:+.3g} frame{'s' * (abs(amount) != 1.0)}".replace("-", "−"),
    }[kind]


class ReshapeGesture:
    """Selected keys of the active sequence, reshaped as often as the amount changes.

    Args:
        document: The document, which has a figure.
        parts: Channels of the selected keys, by frame.
        points: Values that change; None for all of those channels.
        names: Says how values are called that limits stop; None for their names in the skeleton.
        gesture: What edits the keys; None for those of the active sequence.

    Attributes:
        problem: Why the last amount was not possible, or "".
    """

    def __init__(
        self,
        document: DocumentBase,
        parts: Parts,
        points: Columns | None = None,
        names: Callable[[int], str] | None = None,
        gesture: KeyGesture | None = None,
    ):
        self._document, self._parts, self._points = document, parts, points
        self._gesture = KeyGesture(document, "Reshape keys") if gesture is None else gesture
        skeleton = document.skeleton
        self._names = names or (
            lambda column: "" if skeleton is None or column < 3 else full_label(skeleton, column - 3)
        )
        self._said = ""

    def show(self, kind: str, amount: float) -> bool:
        """Show the keys as they were at press, reshaped; return whether that is possible, and say what stops it."""
        stopped: set[int] = set()
        self._gesture.text = title(kind, amount)
        done = self._gesture.set_values(
            lambda s: {
                "keys": reshaped(
                    s, self._parts, columns_of(s, self._parts) if self._points is None else self._points,
                    kind, amount, stopped,
                )
            }
        )  # fmt: skip
        name = next((name for name in map(self._names, sorted(stopped)) if name), "")
        text = (f"{name} stops at its limits; the others continue" if name else "") if done else self._gesture.problem
        if text != self._said or not done:
            self._said = text
            self._document.say("info" if done else "warning", text)
        return done

    def commit(self) -> None:
        """End as one undo step."""
        self._gesture.commit()

    def cancel(self) -> None:
        """Put the keys back as they were at press."""
        self._gesture.cancel()
