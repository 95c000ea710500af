"""Random edits of what stands around a figure and what moves it: grips, foot paths, forces, physics, the camera."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from app.document.gestures.physics_gesture import PhysicsGesture
from app.document.gestures.strip_gesture import HybridGesture
from app.document.library_edits import insert_sequence, join_for, keep_join
from app.physics.prop_edits import body_to_prop, prop_to_body
from core.animation.contacts.feet import feet_of
from core.animation.contacts.paths import lock_paths
from core.animation.hybrid_strips import MODES, HybridStrip
from core.animation.joining.put_in import WAYS
from core.animation.shot_camera import CAMERA_MOVES, CameraKey
from core.animation.torque_curves import TorqueCurve
from core.dynamics.contact.obstacles import BallObstacle, BoxObstacle
from core.errors import CoreError
from core.preview.rigid_bodies import RigidBody
from core.skeleton.building import props

if TYPE_CHECKING:
    from app.document import Document

MOST = 5
"""Figures a document has at most here."""


class SceneActions:
    """Actions on a scene; what is not possible is tried too."""

    document: Document
    random: Random

    if TYPE_CHECKING:

        def frame(self) -> int: ...
        def number(self) -> float: ...
        def two_joints(self) -> list[int]: ...
        def which(self) -> int: ...
        def cancelled_or_not(self, gesture: object) -> None: ...

    # -- grips -----------------------------------------------------------------------------------------------------

    def do_hold(self) -> None:
        """Parts hold another figure; where there is none, a prop comes."""
        document = self.document
        if len(document.figures.all) < 2:
            active = document.model.active.figure
            document.figures.add(props.box((0.1, 0.2, 0.3)), beside=True)
            document.figures.show(active)
        parts = self.two_joints() if self.random.random() < 0.9 else []
        if document.grips.hold(self.which(), parts) and self.random.random() < 0.5:
            document.set_frame(self.frame())

    def do_put_down(self) -> None:
        self._while_holding(self.document.grips.let_go)

    def do_throw(self) -> None:
        self._while_holding(self.document.grips.throw)

    def _while_holding(self, end: object) -> None:
        if not self.document.grips.any:
            self.do_hold()
        end(self.random.choice([(), (), self.two_joints()]))  # type: ignore[operator]

    # -- paths and control points ----------------------------------------------------------------------------------

    def do_lock_paths(self) -> None:
        """Feet, hands or props keep the path that they have; or parts stay on theirs."""
        document = self.document
        parts = self.two_joints()
        if self.random.random() < 0.5 or len(document.figures.all) > 2:
            document.locks.lock_to_paths(parts)
            return
        sequence = document.sequence
        if sequence is None or document.skeleton is None:
            return
        try:
            found = lock_paths(sequence, feet_of(document.skeleton, parts[:1]))
        except CoreError:
            return
        document.locks.set((*document.locks.strips, *found.strips), "Lock to present path")

    def do_control_points(self) -> None:
        """What the menu of a control point does to its part."""
        locks, joint = self.document.locks, self.two_joints()[0]
        name = self.document.skeleton.joint_names[joint]  # type: ignore[union-attr]
        kind = self.random.choice(["position", "orientation", "pose"])
        self.random.choice(
            [
                lambda: locks.toggle_hold(joint, [self.number(), 0.0, 0.1], kind, name),
                lambda: locks.lock_where_it_is(joint),
            ]
        )()

    # -- forces ----------------------------------------------------------------------------------------------------

    def do_hybrid(self) -> None:
        """Ranges in which forces move joints, with presets."""
        hybrid, random = self.document.hybrid, self.random
        if not hybrid.strips or random.random() < 0.3:
            joints = random.choice([(), self.two_joints()])
            end = random.choice([None, self.frame()])
            hybrid.add(joints, random.choice([None, self.frame()]), end, random.choice([*MODES, "fly"]))
            return
        strip = random.choice(hybrid.strips)
        joint = random.choice(self.document.skeleton.joint_names)  # type: ignore[union-attr]
        keys = tuple((float(frame), self.number()) for frame in sorted({self.frame() for _ in range(2)}))
        values = random.choice(
            [
                {"gain": abs(self.number()), "damping": 1 / 3},
                {"ease_in": abs(self.number()), "ease_out": 99.0},
                {"name": random.choice([None, "Ünïcode"])},
                {"parts": (joint,)},
                {"torques": (TorqueCurve(joint, 0, keys),)},
            ]
        )
        random.choice(
            [
                lambda: hybrid.edit(strip.id, random.choice([None, self.document.gesture_id()]), **values),
                lambda: hybrid.set_mode(strip.id, random.choice(MODES)),
                lambda: hybrid.move(strip.id, self.frame(), random.choice([None, self.frame()])),
                lambda: hybrid.split(strip.id, self.frame()),
                lambda: hybrid.remove(strip.id),
            ]
        )()

    def do_hybrid_gesture(self) -> None:
        gesture = HybridGesture(self.document, "Drag range")
        for _ in range(2):
            start = self.frame()
            gesture.show([HybridStrip((), start, start + 7, self.random.choice(MODES))])
        self.cancelled_or_not(gesture)

    def do_physics(self) -> None:
        """Settings of physics, what stands in the world, and what becomes a prop or a rigid body."""
        document, random = self.document, self.random
        settings, place = document.physics.settings, [self.number() for _ in range(3)]
        bodies = RigidBody("ball", (0.1,), 1.0, place), RigidBody("box", (0.1, 0.2, 0.3), 1 / 3, place)
        values = random.choice(
            [
                {"gravity": random.choice([0.0, -0.0, 1.62, 1e9])},
                {"motor_gain": abs(self.number()), "self_contact": random.random() < 0.5},
                {"floor": None},
                {"obstacles": (BoxObstacle((1.0, 0.1, 1 / 3), position=place), BallObstacle(0.2, position=place))},
                {"rigid_bodies": bodies},
                {"seed": random.randint(0, 9)},
            ]
        )  # fmt: skip
        how = random.randrange(4)
        if how == 0:
            settings.edit(gesture=random.choice([None, document.gesture_id()]), **values)
        elif how == 1:
            gesture = PhysicsGesture(document, "Change physics")
            for _ in range(2):
                gesture.show(**values)
            self.cancelled_or_not(gesture)
        elif how == 2 and len(document.figures.all) < MOST:
            body_to_prop(document, random.randint(0, 1))
        else:
            prop_to_body(document)

    # -- the camera and the library --------------------------------------------------------------------------------

    def do_camera(self) -> None:
        camera, random = self.document.camera, self.random
        frame, place = self.frame(), [self.number() for _ in range(3)]
        keyed = [key.frame for key in camera.shot.keys] if camera.shot is not None else []
        there = random.choice([*keyed, frame])
        edit = random.choice(
            [
                lambda: camera.key(CameraKey(frame, place, 1 / 3 + abs(self.number()), self.number(), -0.0, 0.7)),
                lambda: camera.key(CameraKey(frame, place, 4.0, 0.0, 0.1, 0.7)),
                lambda: camera.remove(there),
                lambda: camera.move(there, frame),
                lambda: camera.set_move(there, random.choice(CAMERA_MOVES)),
                lambda: camera.set_lens(there, random.choice([0.2, 1 / 3, 9.0])),
                lambda: camera.set_follow(
                    abs(self.number()), random.random() < 0.5, random.choice([None, self.document.gesture_id()])
                ),
                camera.clear,
            ]
        )
        edit()

    def do_script_of_two(self) -> None:
        """A script about this figure and another one; some lines make no sense."""
        names = self.document.skeleton.joint_names  # type: ignore[union-attr]
        other = self.random.choice(self.document.figures.all)
        one, two = self.random.choice(names), f"{other.name}.{self.random.choice(other.joint_names)}"
        frame = self.frame()
        lines = [
            f'lock "{one}" plane',
            f'lock "{one}" to "{two}" from {frame}',
            f'lock "{one}" aim at "{two}"  # Ünïcode',
            "lock nothing of the kind",
            "",
        ]
        self.document.script.set_text("\n".join(self.random.sample(lines, self.random.randint(0, 3))))

    def do_rounds(self) -> None:
        self.document.sequences.play_rounds(self.random.randint(0, 3))

    def do_insert_sequence(self) -> None:
        """A sequence of the library, which is the open one here, comes into it again."""
        document = self.document
        if document.sequence is not None and len(document.sequence.keys) < 20:
            insert_sequence(document, document.sequence, self.random.choice([None, self.frame()]))

    def do_join_sequence(self) -> None:
        """It comes into itself over a cross-fade."""
        document, chance, sequence = self.document, self.random, self.document.sequence
        if sequence is None or len(sequence.keys) >= 20 or sequence.range[1] >= 200:
            return
        join = join_for(document, sequence, self.frame(), chance.choice(WAYS), chance.randint(0, 9))
        if join is None:
            return
        try:
            made = join(None)
        except CoreError as error:
            document.refuse_edit(error)
        else:
            keep_join(document, sequence.name, made)
