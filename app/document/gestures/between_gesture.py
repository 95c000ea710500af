"""Posing toward and away from the neighbouring keys: one slider from press to release, or one step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from app.document.edits.edits import need_figure
from app.document.edits.part_choice import values_of
from app.document.edits.timed_keys import seen_frame
from app.document.gestures.pose_gesture import Gesture
from app.document.gestures.reshape_gesture import title
from app.words.dof_names import full_label
from core.animation import breakdown
from core.animation.reshaping import BREAKDOWN, LEAN, PUSH
from core.animation.reshaping import KINDS as RESHAPINGS
from core.errors import SequenceError

if TYPE_CHECKING:
    from app.document.base import DocumentBase
    from app.document.content.model import Model
    from core.arrays import Array

KINDS: tuple[str, ...] = (BREAKDOWN, PUSH, LEAN)
"""``"breakdown"``: between the keys before (0) and after (1), with some overshoot; ``"push"``: away from the pose the
keys alone would give (above 0) or toward it (below, relaxed); ``"lean"``: to the key before (below 0) or after."""
RANGES = {kind: (RESHAPINGS[kind].least, RESHAPINGS[kind].most) for kind in KINDS}
_MOST_NAMED = 3
_MAKERS = {BREAKDOWN: breakdown.broken_down, PUSH: breakdown.pushed, LEAN: breakdown.leaned}


class InBetween:
    """What posing between keys needs to know of a frame: the keys around it and which values are posed.

    Args:
        model: The document's content.
        kind: One of ``KINDS``.
        joints: Parts to pose; None for the whole figure.

    Attributes:
        near: The neighbouring keys.
        columns: Places in the pose that are posed.
        stopped: Which of them a limit has kept from going as far as the others, of the pose that was made last.

    Raises:
        SequenceError: If there is no key on either side for any of them.
    """

    def __init__(self, model: Model, kind: str, joints: Iterable[int] | None = None):
        skeleton, sequence = need_figure(model)
        if kind not in KINDS:
            raise SequenceError(f'there is no kind of pose between keys called "{kind}"; there are {", ".join(KINDS)}')
        self.kind = kind
        self.near = breakdown.neighbours(sequence, seen_frame(sequence, model.frame))
        self._mask = np.zeros(skeleton.nq, dtype=bool)
        self._mask[values_of(skeleton, joints)] = True
        self.stopped: set[int] = set()
        self.columns: list[int] = np.flatnonzero(self._mask & self.near.known).tolist()
        if not self.columns:
            what = "this figure" if joints is None else "the selected parts"
            raise SequenceError(f"{what} has no key before or after frame {model.frame}; key a pose there first")

    @property
    def share(self) -> float:
        """Where between its two keys the frame stands, 0 to 1; of the first posed value."""
        return float(self.near.share[self.columns[0]])

    @property
    def frames(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Frames of the keys before and after that what is posed has, ascending."""
        before, after = ({int(frame) for frame in row[self.columns]} - {-1} for row in self.near.frames)
        return tuple(sorted(before)), tuple(sorted(after))

    def pose(self, q: Array, amount: float) -> Array:
        """Return a pose that is moved by an amount within ``RANGES``, shape (nq,); without the locks."""
        least, most = RANGES[self.kind]
        self.stopped = set()
        return _MAKERS[self.kind](self.near, q, min(max(amount, least), most), self._mask, self.stopped)

    def limits_reached(self) -> str:
        """Return what limits have stopped in the pose that was made last; "" for nothing."""
        skeleton, names = self.near.skeleton, []
        for column in sorted(self.stopped):
            label, joint = full_label(skeleton, column - 3), skeleton.dof_joints[column - 3]
            group = next((name for name, joints in skeleton.groups if name and joint in joints), "")
            names.append(label if not group or label.startswith(group) else f"{group} {label[:1].lower()}{label[1:]}")
        if not names:
            return ""
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        return f"Limits stop {', '.join(names[:_MOST_NAMED])}{more}; the others continue"


class PosingGesture:
    """Live posing between keys; locks are held with every move.

    Args:
        document: The document, which has a figure.
        kind: One of ``KINDS``.
        joints: Parts to pose; None for the whole figure.

    Raises:
        SequenceError: If there is no key on either side.
    """

    def __init__(self, document: DocumentBase, kind: str, joints: Iterable[int] | None = None):
        self._between = InBetween(document.model, kind, joints)
        self._document, self._said = document, ""
        self._gesture = Gesture(document, title(kind, 0.0), edited=self._between.columns)

    @property
    def active(self) -> bool:
        """Whether it still goes on."""
        return bool(self._gesture.active)

    def set(self, amount: float) -> None:
        """Show the pose at press moved by an amount."""
        if self._gesture.active:
            self._gesture.text = title(self._between.kind, amount)
            self._gesture.set_pose(self._between.pose(self._gesture.start, amount))
            self._say(self._between.limits_reached())

    def commit(self) -> bool:
        """End as one undo step; return whether there is one."""
        return bool(self._gesture.commit())

    def cancel(self) -> None:
        """Put the pose back as it was at press."""
        self._gesture.cancel()
        self._say("")

    def _say(self, text: str) -> None:
        if text != self._said:
            self._said = text
            self._document.say("info", text)
