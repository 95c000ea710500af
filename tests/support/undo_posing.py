"""Random posing in larger steps, for sequences of random edits."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from app.document.gestures.between_gesture import KINDS
from app.document.posing.pose_clip import PoseClip

if TYPE_CHECKING:
    from app.document import Document


class PosingActions:
    """Actions to mix in; ``document`` and ``random`` are the mixer's."""

    if TYPE_CHECKING:
        document: Document
        random: Random
        states: list[str]

    def parts(self) -> list[int] | None:
        """Return a few joints, or None for the whole figure."""
        joints = range(len(self.document.skeleton.joints))  # type: ignore[union-attr]
        return self.random.sample(joints, min(3, len(joints))) if self.random.random() < 0.7 else None

    def do_flip(self) -> None:
        edit = self.random.choice(
            [
                lambda: self.document.posing.flip(self.parts(), self.random.random() < 0.7),
                lambda: self.document.posing.mirror(self.parts() or [0]),
                lambda: self.document.posing.mirror_side(self.random.choice(["left", "right"])),
                lambda: self.document.posing.reset_groups(self.parts() or [0]),
                self.document.posing.reset_place,
            ]
        )
        edit()

    def do_mirror_editing(self) -> None:
        self.document.session.tools.mirror_editing = self.random.random() < 0.5

    def do_between(self) -> None:
        """One step, or a gesture that is committed or given up."""
        kind, parts = self.random.choice(KINDS), self.parts()
        if self.random.random() < 0.5:
            self.document.posing.pose_between(kind, self.random.uniform(-1.5, 1.5), parts)
            return
        gesture = self.document.posing.begin_between(kind, parts)
        if gesture is None:
            return
        for _ in range(self.random.randint(1, 3)):
            gesture.set(self.random.uniform(-1.0, 1.25))
        if self.random.random() < 0.4:
            before = self.states[self.document.stack.index()]
            gesture.cancel()
            assert self.document.state_json() == before
        else:
            gesture.commit()

    def do_paste_pose(self) -> None:
        skeleton = self.document.skeleton
        assert skeleton is not None
        clip = PoseClip.of(skeleton, self.document.pose, self.parts())
        self.document.set_frame(self.random.randint(0, 30))
        switches = {name: self.random.random() < 0.4 for name in ("flipped", "in_place", "world")}
        self.document.posing.paste(PoseClip.from_text(clip.to_text()), **switches)
