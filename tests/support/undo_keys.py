"""Random edits of keys, channels, timing and markers for the test of undo and redo."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from app.document.figure_gesture import FigureGesture
from app.document.key_pose_gesture import KeyPoseGesture
from app.document.key_selection import KeySelection
from app.document.lock_gesture import LockGesture
from app.document.strip_gesture import StripGesture
from core.animation import EASES, INTERPOLATIONS
from core.animation.curves.timing_curves import SpeedCurve, TimingCurve
from core.animation.locks.strips import moved_copy
from core.animation.marker import Marker
from core.constraints import Lock
from core.errors import CoreError

if TYPE_CHECKING:
    import numpy as np

    from app.document import Document

NUMBERS = (0.0, -0.0, 0.1, 1 / 3, -0.7, 1e-300)


class KeyActions:
    """Actions on keys and on what goes with them in time; what is not possible is tried too."""

    document: Document
    random: Random
    folder: Path
    states: dict[int, str]

    if TYPE_CHECKING:

        def frame(self) -> int: ...
        def frames(self) -> list[int]: ...
        def pose(self) -> np.ndarray: ...

    # -- values ----------------------------------------------------------------------------------------------------

    def channels(self) -> list[str]:
        names = self.document.sequence.channels.names
        return self.random.sample(names, min(len(names), self.random.randint(1, 3)))

    def selected(self) -> KeySelection:
        parts = {frame: self.random.choice([None, self.channels()]) for frame in self.frames()}
        return KeySelection(parts, self.random.choice([None, self.document.sequence.channels.all]))

    def number(self) -> float:
        return self.random.choice([*NUMBERS, self.random.uniform(-1, 1)])

    def speed(self) -> SpeedCurve | None:
        points = [(frame, abs(self.number())) for frame in sorted({self.frame() for _ in range(3)})]
        try:
            return self.random.choice([None, SpeedCurve(tuple(points)), SpeedCurve(((0, 1), (9.5, 1 / 3)))])
        except CoreError:
            return None

    def cancelled_or_not(self, gesture: object) -> None:
        """End a gesture; one that is cancelled leaves the document as it was."""
        if self.random.random() < 0.3:
            before = self.states[self.document.stack.index()]
            gesture.cancel()  # type: ignore[attr-defined]
            assert self.document.state_json() == before
        else:
            gesture.commit()  # type: ignore[attr-defined]

    # -- keys ------------------------------------------------------------------------------------------------------

    def do_key_channels(self) -> None:
        joints = self.random.sample(range(len(self.document.skeleton.joints)), 2)
        if self.random.random() < 0.5:
            self.document.set_key(self.random.choice([None, self.frame()]), joints)
        else:
            self.document.set_key(self.frame(), channels=self.channels())

    def do_key_what(self) -> None:
        """A pose keyed as the session says."""
        session = self.document.session
        session.auto_key, session.key_what = True, self.random.choice(["figure", "changed", "selection"])
        self.document.set_selection(self.random.sample(range(len(self.document.skeleton.joints)), 1))
        self.document.set_pose(self.pose())
        session.key_what = "figure"

    def do_delete_channels(self) -> None:
        self.document.delete_keys(self.selected())

    def do_move_channels(self) -> None:
        selection, ripple = self.selected(), self.random.random() < 0.4
        number = self.random.choice([None, self.document.gesture_id()])
        for _ in range(self.random.randint(1, 2)):
            how = self.random.randrange(3)
            if how == 0:
                mapping = {frame: self.frame() for frame in selection.frames}
                self.document.move_keys(selection, mapping, gesture=number, ripple=ripple)
            elif how == 1:
                self.document.shift_keys(selection, self.random.randint(-6, 9), ripple, number)
            else:
                about = self.random.choice([None, self.frame()])
                self.document.scale_keys(selection, self.random.uniform(0.3, 2.5), about, ripple, number)

    def do_retime_channels(self) -> None:
        first, names = self.frame(), self.random.choice([None, self.channels()])
        if self.random.random() < 0.5:
            self.document.stretch_keys(first, first + 12, self.random.uniform(0.4, 2.0), names, True)
        else:
            self.document.slide_keys(first, first + 12, self.random.randint(-5, 12), names, self.random.random() < 0.5)

    def do_frames(self) -> None:
        frame = self.frame()
        if self.random.random() < 0.6:
            self.document.insert_frames(frame, self.random.randint(0, 6))
        else:
            self.document.remove_frames(frame, frame + self.random.randint(-1, 6))

    def do_shape(self) -> None:
        selection = self.random.choice([self.selected(), self.frames()])
        values = {
            "interp": self.random.choice([*INTERPOLATIONS, "cubic"]),
            "turns": self.random.random() < 0.5,
            "tension": self.number(),
            "continuity": self.number(),
            "bias": self.random.choice([self.number(), 99.0]),
            "ease": self.random.choice([None, *EASES]),
        }
        chosen = self.random.sample(sorted(values), self.random.randint(1, 3))
        self.document.set_shape(selection, **{name: values[name] for name in chosen})

    def do_slopes(self) -> None:
        """Slopes of one channel, live or at once."""
        frames, channels = self.frames(), self.document.sequence.channels
        if not frames:
            return
        name = self.random.choice(channels.names)
        count = len(channels.columns[channels.index(name)])
        slopes = [self.random.choice([None, self.number()]) for _ in range(self.random.choice([count, count, 1]))]
        selection = KeySelection({frames[0]: [name]})
        if self.random.random() < 0.5:
            self.document.set_shape(selection, interp="free", slopes_in=slopes, slopes_out=slopes[::-1])
            return
        gesture = self.document.begin_key_gesture("Drag tangent")
        for _ in range(2):
            gesture.set_shape(selection, interp="free", slopes_out=slopes)
        self.cancelled_or_not(gesture)

    def do_key_gesture(self) -> None:
        gesture, selection = self.document.begin_key_gesture("Drag keys"), self.selected()
        for _ in range(self.random.randint(1, 3)):
            by, ripple = self.random.randint(-5, 9), self.random.random() < 0.5
            if self.random.random() < 0.7:
                gesture.move_keys(selection, {frame: frame + by for frame in selection.frames}, ripple)
            else:
                gesture.set_keys([key.moved(key.frame + abs(by)) for key in gesture.before])
        self.cancelled_or_not(gesture)

    def do_key_pose_gesture(self) -> None:
        for frame in self.frames()[:1]:
            gesture = KeyPoseGesture(self.document, frame, "Drag bead")
            for _ in range(2):
                gesture.set_pose(self.pose())
            self.cancelled_or_not(gesture)

    def do_between(self) -> None:
        kind = self.random.choice(["breakdown", "push", "lean"])
        if self.random.random() < 0.5:
            self.document.pose_between(kind, self.number())
            return
        gesture = self.document.begin_between(kind)
        if gesture is not None:
            gesture.set(self.number())
            self.cancelled_or_not(gesture)

    # -- copying ---------------------------------------------------------------------------------------------------

    def do_clipboard(self) -> None:
        document = self.document
        how = self.random.randrange(4)
        if how == 0:
            document.copy_keys(self.selected())
        elif how == 1:
            document.cut_keys(self.selected())
        else:
            document.copy_keys(self.selected())
            document.paste_keys(
                self.random.choice([None, self.frame()]),
                flipped=self.random.random() < 0.5,
                make_room=self.random.random() < 0.5,
                replace=self.random.random() < 0.5,
            )

    def do_posing(self) -> None:
        document = self.document
        joints = self.random.sample(range(len(document.skeleton.joints)), 2)
        self.random.choice(
            [
                lambda: document.flip_pose(in_place=self.random.random() < 0.5),
                lambda: document.mirror_pose(joints),
                lambda: document.reset_groups(joints),
                document.reset_place,
                lambda: (document.copy_pose(joints), document.paste_pose(flipped=self.random.random() < 0.5)),
            ]
        )()

    # -- time ------------------------------------------------------------------------------------------------------

    def do_timing(self) -> None:
        names = self.document.sequence.channels.names
        name = self.random.choice(["*", "tail", *names])
        first, length = self.frame(), self.random.randint(2, 20)
        inner = first + length * self.random.choice([0.25, 1 / 3, 0.9])
        points = ((first, first), (first + 1, inner), (first + length, first + length))
        number = self.random.choice([None, self.document.gesture_id()])
        self.document.set_timing(name, self.random.choice([None, TimingCurve(points)]), number)

    def do_root_speed(self) -> None:
        self.document.set_root_speed(self.speed())

    def do_target_speed(self) -> None:
        if self.document.strips:
            self.document.edit_lock(self.random.choice(self.document.strips).id, speed=self.speed())

    def do_markers(self) -> None:
        document = self.document
        self.random.choice(
            [
                lambda: document.set_markers([Marker(self.frame(), "Ünïcode", "#3fa0ff"), Marker(self.frame())]),
                lambda: document.add_marker(self.frame(), "step"),
                lambda: document.add_marker(self.frame()),
                lambda: document.rename_marker(self.frame(), " beat "),
                lambda: document.move_marker(self.frame(), self.frame()),
                lambda: document.remove_marker(self.frame()),
            ]
        )()

    def do_music(self) -> None:
        beats = sorted({abs(self.number()) for _ in range(3)})
        self.document.set_audio(self.random.choice([None, {"file": "/music/drum.wav", "beats": beats}, {"file": 3}]))

    # -- other gestures --------------------------------------------------------------------------------------------

    def do_strip_gesture(self) -> None:
        if not self.document.strips:
            joint = self.random.choice(self.document.skeleton.joint_names)
            self.document.add_lock(Lock(joint, "position"), 3, 20)
        strips = self.document.strips
        if not strips:
            return
        if self.random.random() < 0.5:
            gesture = StripGesture(self.document, "Drag strip")
            for _ in range(2):
                gesture.show([*strips, moved_copy(strips[0], self.frame())] if strips[0].start < 99 else strips[1:])
        else:
            gesture = LockGesture(self.document, self.random.choice(strips).id, "Drag lock")
            for _ in range(2):
                gesture.set(weight=abs(self.number()), end=self.random.choice([None, self.frame()]))
        self.cancelled_or_not(gesture)

    def do_figure_gesture(self) -> None:
        name = self.random.choice(self.document.skeleton.joint_names)
        gesture = FigureGesture(self.document, "Move joint")
        for _ in range(2):
            place = [self.random.gauss(0, 1) for _ in range(3)]
            gesture.show(lambda builder, place=place: builder.place(name, place, True))
        self.cancelled_or_not(gesture)
