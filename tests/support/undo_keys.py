"""Random edits of keys, channels, timing and markers for the test of undo and redo."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from app.document.content.key_selection import KeySelection
from app.document.gestures.live_gesture import FigureGesture
from app.document.gestures.pose_gesture import KeyPoseGesture
from app.document.gestures.reshape_gesture import ReshapeGesture
from app.document.gestures.strip_gesture import LockGesture, StripGesture
from core.animation import EASES, INTERPOLATIONS
from core.animation.curves.timing_curves import SpeedCurve, TimingCurve
from core.animation.locks.strip import moved_copy
from core.animation.marker import Marker
from core.animation.reshaping import KINDS as RESHAPINGS
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
        def two_joints(self) -> list[int]: ...
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
        joints = self.two_joints()
        if self.random.random() < 0.5:
            self.document.keys.set(self.random.choice([None, self.frame()]), joints)
        else:
            self.document.keys.set(self.frame(), channels=self.channels())

    def do_key_what(self) -> None:
        """A pose keyed as the session says."""
        session = self.document.session
        session.keys.auto, session.keys.what = True, self.random.choice(["figure", "changed", "selection"])
        self.document.selection.set(self.random.sample(range(len(self.document.skeleton.joints)), 1))
        self.document.posing.set(self.pose())
        session.keys.what = "figure"

    def do_delete_channels(self) -> None:
        self.document.keys.delete(self.selected())

    def do_move_channels(self) -> None:
        selection, ripple = self.selected(), self.random.random() < 0.4
        number = self.random.choice([None, self.document.gesture_id()])
        for _ in range(self.random.randint(1, 2)):
            how = self.random.randrange(3)
            if how == 0:
                mapping = {frame: self.frame() for frame in selection.frames}
                self.document.keys.move(selection, mapping, gesture=number, ripple=ripple)
            elif how == 1:
                self.document.keys.shift(selection, self.random.randint(-6, 9), ripple, number)
            else:
                about = self.random.choice([None, self.frame()])
                self.document.keys.scale(selection, self.random.uniform(0.3, 2.5), about, ripple, number)

    def do_retime_channels(self) -> None:
        first, names = self.frame(), self.random.choice([None, self.channels()])
        if self.random.random() < 0.5:
            self.document.keys.stretch(first, first + 12, self.random.uniform(0.4, 2.0), names, True)
        else:
            self.document.keys.slide(first, first + 12, self.random.randint(-5, 12), names, self.random.random() < 0.5)

    def do_frames(self) -> None:
        frame = self.frame()
        if self.random.random() < 0.6:
            self.document.keys.insert_frames(frame, self.random.randint(0, 6))
        else:
            self.document.keys.remove_frames(frame, frame + self.random.randint(-1, 6))

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
        self.document.keys.set_shape(selection, **{name: values[name] for name in chosen})

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
            self.document.keys.set_shape(selection, interp="free", slopes_in=slopes, slopes_out=slopes[::-1])
            return
        gesture = self.document.keys.begin_gesture("Drag tangent")
        for _ in range(2):
            gesture.set_shape(selection, interp="free", slopes_out=slopes)
        self.cancelled_or_not(gesture)

    def do_key_gesture(self) -> None:
        gesture, selection = self.document.keys.begin_gesture("Drag keys"), self.selected()
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
            self.document.posing.pose_between(kind, self.number())
            return
        gesture = self.document.posing.begin_between(kind)
        if gesture is not None:
            gesture.set(self.number())
            self.cancelled_or_not(gesture)

    # -- copying ---------------------------------------------------------------------------------------------------

    def do_reshape(self) -> None:
        frames = self.document.sequence.keys.frames
        inner, kinds = dict.fromkeys(frames[1:-1] or frames), list(RESHAPINGS)
        gesture = ReshapeGesture(self.document, self.random.choice([inner, dict(self.selected().parts)]))
        for kind in self.random.sample(kinds, len(kinds)):  # most are refused where there are few keys
            if gesture.show(kind, self.random.uniform(RESHAPINGS[kind].least, RESHAPINGS[kind].most)):
                break
        self.random.choice([gesture.commit, gesture.commit, gesture.cancel])()

    def do_clipboard(self) -> None:
        document = self.document
        how = self.random.randrange(4)
        if how == 0:
            document.keys.copy(self.selected())
        elif how == 1:
            document.keys.cut(self.selected())
        else:
            document.keys.copy(self.selected())
            document.keys.paste(
                self.random.choice([None, self.frame()]),
                flipped=self.random.random() < 0.5,
                make_room=self.random.random() < 0.5,
                replace=self.random.random() < 0.5,
            )

    def do_posing(self) -> None:
        document = self.document
        joints = self.two_joints()
        self.random.choice(
            [
                lambda: document.posing.flip(in_place=self.random.random() < 0.5),
                lambda: document.posing.mirror(joints),
                lambda: document.posing.reset_groups(joints),
                document.posing.reset_place,
                lambda: (document.posing.copy(joints), document.posing.paste(flipped=self.random.random() < 0.5)),
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
        self.document.sequences.set_timing(name, self.random.choice([None, TimingCurve(points)]), number)

    def do_root_speed(self) -> None:
        self.document.sequences.set_root_speed(self.speed())

    def do_target_speed(self) -> None:
        if self.document.locks.strips:
            self.document.locks.edit(self.random.choice(self.document.locks.strips).id, speed=self.speed())

    def do_markers(self) -> None:
        document = self.document
        self.random.choice(
            [
                lambda: document.markers.set([Marker(self.frame(), "Ünïcode", "#3fa0ff"), Marker(self.frame())]),
                lambda: document.markers.add(self.frame(), "step"),
                lambda: document.markers.add(self.frame()),
                lambda: document.markers.rename(self.frame(), " beat "),
                lambda: document.markers.move(self.frame(), self.frame()),
                lambda: document.markers.remove(self.frame()),
            ]
        )()

    def do_music(self) -> None:
        beats = sorted({abs(self.number()) for _ in range(3)})
        self.document.music.set(self.random.choice([None, {"file": "/music/drum.wav", "beats": beats}, {"file": 3}]))

    # -- other gestures --------------------------------------------------------------------------------------------

    def do_strip_gesture(self) -> None:
        if not self.document.locks.strips:
            joint = self.random.choice(self.document.skeleton.joint_names)
            self.document.locks.add(Lock(joint, "position"), 3, 20)
        strips = self.document.locks.strips
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
