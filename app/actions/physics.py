"""What the actions of the Physics menu do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QTimer

from app.actions.group import WindowActions
from app.dialogs.bake_dialog import BakeDialog
from app.document.changes import Change, FigureChanged, FileChanged, KeysChanged, PhysicsChanged, SequenceChanged
from app.document.content.records import sequence_for
from app.panels.physics.panel import PhysicsPanel
from app.physics import line_edits, line_points, obstacle_edits
from app.words.keys_now import key_of
from app.words.line_kinds import LINE_KINDS, LineKind
from app.words.part_names import spoken_name
from app.words.preset_words import PRESET_WORDS, preset_label
from core.animation.hybrid_strips import DYNAMIC, MOTOR, STUMBLE, split
from core.skeleton.segment import end_effector

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMenu

    from app.document.physics.state import Pull
    from app.work.background import Progress
    from core.animation import Sequence
    from core.animation.hybrid_strips import HybridStrip
    from core.preview.bake import Baked

OVERLAYS = {
    "show_inertia": "inertia", "show_hinges": "hinges", "show_balls": "balls", "show_contacts": "contacts",
    "show_mass_center": "com", "show_momentum": "momentum", "show_torques": "torques", "show_cones": "cones",
}  # fmt: skip
THROW_AWAY, THROW_UP = 2.5, 2.0  # away from the viewer and up [m/s]
PULL, PULL_MS = 0.4, 500
"""How far a part is pulled by a key, [m], and for how long."""
_WAYS = {"left": (-1, 0), "right": (1, 0), "up": (0, 1), "down": (0, -1)}
LONGER = 1.5  # by this factor the timeline shows more when a simulation runs out of it
PULLS = tuple(f"pull_{way}" for way in _WAYS)
_NEEDS_SAMPLES = ("simulation_back", "simulation_rewind", "simulation_stop", "bake")


class PhysicsActions(WindowActions):
    """Simulating, what is dynamic, what stands in the world, and what is drawn of it."""

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        physics = self.document.physics
        made: dict[str, Callable[[], object]] = {
            "simulate": self.simulate,
            "simulation_step": physics.step,
            "simulation_back": physics.step_back,
            "simulation_rewind": physics.rewind,
            "simulation_stop": physics.stop,
            "bake": self.bake,
            "make_dynamic": lambda: self.make(DYNAMIC),
            "make_motor": lambda: self.make(MOTOR),
            **{f"direct_{preset.name}": partial(self.direct, preset.name) for preset in PRESET_WORDS},
            "make_keyed": self.make_keyed,
            "throw": self.throw,
            **{f"pull_{way}": partial(self.pull, right, up) for way, (right, up) in _WAYS.items()},
            "drop_ball": self.drop_ball,
        }
        for kind in obstacle_edits.KINDS:
            made[f"add_{kind}"] = partial(self.add, obstacle_edits.add, kind)
        for kind in obstacle_edits.BODIES:
            made[f"add_moving_{kind}"] = partial(self.add, obstacle_edits.add_body, kind)
        made["add_string"] = partial(self.add, obstacle_edits.add_string)
        for line in LINE_KINDS:
            if line.offered:
                made[line.action] = partial(self.attach, line)
                made[line.between_action] = partial(self.attach_between, line)
        made["add_line_point"] = self.add_point
        for action, overlay in OVERLAYS.items():
            made[action] = partial(self._flip, overlay)
        return made

    def connect(self) -> None:
        """Follow what is simulated."""
        self._was_empty: bool | None = None
        self._made: Sequence | None = None  # what was baked beside the sequence, while the window says so
        self._offered = ""
        self._failure = ""  # of the simulation that is there
        self._letting_go = QTimer(self._window, singleShot=True, interval=PULL_MS)
        self._letting_go.timeout.connect(self._let_go)
        self._pulled: Pull | None = None  # by an action, and not by the mouse
        panel = next(panel for panel in self._window.panels if isinstance(panel, PhysicsPanel))
        panel.bake_requested.connect(self.bake)
        panel.preset_requested.connect(self.direct)
        self.document.changed.connect(self._take)
        self.show_state()

    # -- state ----------------------------------------------------------------------------------------------------

    def _take(self, change: Change) -> None:
        name = change.name
        if (
            isinstance(change, (FileChanged, SequenceChanged))
            and self._made is not None
            and self.document.sequence is not self._made
        ):
            self._made = None
            if self._window.errors.text == self._offered:  # what it says is not so any more
                self._window.errors.close_message()
        if isinstance(change, (FigureChanged, FileChanged, SequenceChanged, KeysChanged)) or name == "mode":
            self._was_empty = None
            self.show_state()
        elif isinstance(change, PhysicsChanged) and name == "settings":
            self._show_muscles()
        elif isinstance(change, PhysicsChanged) and name == "overlays":
            self.show_state()
        elif isinstance(change, PhysicsChanged) and name == "attaching":
            self._show_attaching()
        elif isinstance(change, PhysicsChanged) and name == "failure":
            before, self._failure = self._failure, self.document.physics.failure
            if before and self._window.errors.text == before:  # what failed is not there any more
                self._window.errors.close_message()
        elif isinstance(change, PhysicsChanged) and name == "samples":
            self._show_samples()
        elif isinstance(change, PhysicsChanged) and name == "sample":
            self._keep_in_sight()
        if self.document.physics.pull is None:  # it was let go, undone, or physics mode was left
            self._letting_go.stop()

    def _keep_in_sight(self) -> None:
        """Let the timeline show the frame that a simulation has come to, or was put to."""
        model, frame = self._window.timeline.model, self.document.frame
        first, last = model.visible()
        if frame > last:
            model.show_span(max(first, 0.0), max(first, 0.0) + LONGER * (frame - max(first, 0.0)))
        elif frame < first:
            model.reveal(frame)

    def show_state(self) -> None:
        """Enable what makes sense now, and tick what is drawn."""
        for action, overlay in OVERLAYS.items():
            self._window.action_table[action].setChecked(self.document.physics.overlays[overlay].on)
        self._show_muscles()
        self._show_samples()

    def _show_muscles(self) -> None:
        forces = self.document.physics.settings.now.forces if self.document.skeleton is not None else ()
        there = any(line_edits.goes_through(force) for force in forces)
        self._window.action_table["add_line_point"].setEnabled(there)

    def _show_samples(self) -> None:
        physics, actions = self.document.physics, self._window.action_table
        empty = physics.empty
        if empty != self._was_empty:
            self._was_empty = empty
            can = physics.mode == "physics" and self.document.skeleton is not None
            for name in ("simulation_step", "throw", "drop_ball", *PULLS):
                actions[name].setEnabled(can)
            for name in _NEEDS_SAMPLES:
                actions[name].setEnabled(can and not empty)

    def _flip(self, overlay: str) -> None:
        physics = self.document.physics
        physics.overlays.set(overlay, on=not physics.overlays[overlay].on)

    # -- simulating -----------------------------------------------------------------------------------------------

    def simulate(self) -> None:
        """Simulate or pause; in any other mode go to physics mode first."""
        if self.document.skeleton is None:
            return
        self._go_to_physics()
        self._window.player.pause()
        self.document.physics.toggle()

    def throw(self) -> None:
        """Throw the figure away from the viewer and up."""
        _, direction = self._window.area.work_view.ray(
            0.5 * self._window.area.work_view.width(), 0.5 * self._window.area.work_view.height()
        )
        away = np.array([direction[0], 0.0, direction[2]])
        length = float(np.linalg.norm(away))
        velocity = THROW_AWAY * away / length if length > 0.1 else np.zeros(3)
        physics = self.document.physics
        physics.start()
        physics.throw(velocity + np.array([0.0, THROW_UP, 0.0]))
        self.document.say("info", "Thrown · Ctrl+Shift+drag throws in the direction you drag")

    def pull(self, right: int, up: int) -> None:
        """Pull the part selected last along the view for a moment; again while it lasts pulls farther."""
        chosen, skeleton, physics = self.document.selection.joints, self.document.skeleton, self.document.physics
        if skeleton is None or not chosen:
            self.tell("Select a part first")
            return
        host, joint = self._window.area.host, chosen[-1]
        basis = host.cameras[self._window.area.kind].basis
        along = PULL * (right * basis[0] + up * basis[1])
        if physics.pull is not None and physics.pull.joint == joint:
            physics.move_pull(physics.pull.target + along)
        else:
            point = end_effector(skeleton, joint)
            physics.start()
            physics.begin_pull(joint, point, host.scene.world(joint, point) + along)
        self._pulled = physics.pull
        self._letting_go.start()
        self.tell(f"Pulling {spoken_name(skeleton.joints[joint].name)}")

    def _let_go(self) -> None:
        """Let go of what an action pulls; what the mouse has taken meanwhile stays in its hand."""
        physics, pulled = self.document.physics, self._pulled
        self._pulled = None
        if pulled is not None and physics.pull is pulled:
            physics.release()

    def drop_ball(self) -> None:
        """Drop a ball on what the pointer is over, else on the figure."""
        skeleton = self.document.skeleton
        if skeleton is None:
            return
        scene, view = self._window.area.host.scene, self._window.area.work_view
        low, high = scene.bounds()
        at = 0.5 * (low + high)
        cursor = view.hovering.cursor if view.underMouse() else None
        hit = None if cursor is None else scene.pick(*view.ray(cursor.x(), cursor.y()))
        if hit is not None:
            at = hit.point
        radius, mass = obstacle_edits.ball_for(skeleton, scene.height)
        place = np.array([at[0], high[1] + 0.5 * scene.height + radius, at[2]])
        self.document.physics.start()
        self.document.physics.drop_ball(place, radius, mass)

    # -- what is dynamic ------------------------------------------------------------------------------------------

    def direct(self, name: str) -> None:
        """Tell the selected parts, or the whole figure if none is, what to do from here on; what was before stays."""
        sequence, frame, label = self.document.sequence, self.document.frame, preset_label(name)
        if sequence is None:
            return
        if name == STUMBLE:
            from core.preview.anatomy import has_two_legs  # here, as the window starts without it

            if not has_two_legs(sequence.skeleton):
                text = (
                    f"{label} is for a figure with two legs of thigh, shank and foot; {sequence.skeleton.name} has none"
                )
                self.document.say("warning", text)
                return
        before = [strip for strip in self._strips_here() if strip.start < frame]
        if not before:
            self.make(name, label)
            return
        kept = {strip.id for strip in self._strips_here() if strip.start == frame}
        strips: list[HybridStrip] = []
        for strip in self.document.hybrid.strips:
            if strip in before:
                early, late = split(strip, frame)
                strips += [early, replace(late, mode=name)]
            else:
                strips.append(replace(strip, mode=name) if strip.id in kept else strip)
        self.document.hybrid.set(strips, label)

    def make(self, mode: str, text: str = "") -> None:
        """Let forces move the selected parts, or the whole figure if none is, from here to the end of the range.

        Who goes limp, braces or stumbles does not stand in the last key's pose again as the range ends: such a strip is
        open.
        """
        sequence, frame = self.document.sequence, self.document.frame
        if sequence is None:
            return
        last, open_ended = sequence.range[1], mode not in (DYNAMIC, MOTOR)
        here = self._strips_here()
        if here:  # what is dynamic already changes its mode
            gesture = self.document.gesture_id()
            for strip in here:
                end = None if open_ended and strip.end == last else strip.end
                self.document.hybrid.edit(strip.id, gesture, text or "Edit dynamic joints", mode=mode, end=end)
        else:
            end = last if last > frame and not open_ended else None
            self.document.hybrid.add(start=frame, end=end, mode=mode, text=text)

    def make_keyed(self) -> None:
        """Let keys move the selected parts again, from here on."""
        here, frame = self._strips_here(), self.document.frame
        if not here:
            self.document.say("info", "Keys move these parts already")
        gesture = self.document.gesture_id()
        for strip in here:
            if strip.start >= frame:
                self.document.hybrid.remove(strip.id)
            else:
                self.document.hybrid.edit(strip.id, gesture, "Let keys move parts again", end=frame)

    def _strips_here(self) -> list[HybridStrip]:
        """Return the hybrid strips at the current frame that move a selected part, or any part if none is selected."""
        skeleton, frame = self.document.skeleton, self.document.frame
        assert skeleton is not None
        names = {skeleton.joint_names[joint] for joint in self.document.selection.joints}
        return [
            strip
            for strip in self.document.hybrid.strips
            if strip.start <= frame
            and (strip.end is None or frame < strip.end)
            and (not names or not strip.parts or names & set(strip.parts))
        ]

    def add_part_menu(self, menu: QMenu) -> None:
        """Add what can be done with the selected parts to a menu."""
        for name in ("make_dynamic", "make_motor", "make_keyed"):
            menu.addAction(self._window.action_table[name])
        menu.addSeparator()

    # -- the world ------------------------------------------------------------------------------------------------

    def add(self, put: Callable[..., bool], *kind: str) -> None:
        """Put something into the world, and go to physics mode, where its numbers are.

        Args:
            put: What does it, as those of ``obstacle_edits`` do.
            *kind: What it takes besides the document.
        """
        if put(self.document, *kind):
            self._go_to_physics()

    def attach(self, kind: LineKind) -> None:
        """Let the mouse attach a string, spring, rope or muscle; in any other mode go to physics mode first."""
        if self.document.skeleton is None:
            return
        self._go_to_physics()
        self.document.physics.attach(kind.name)

    def _go_to_physics(self) -> None:
        if self.document.session.mode != "physics":
            self._window.skeleton.set_mode("physics")

    def attach_between(self, kind: LineKind) -> None:
        """Attach a string, spring, rope or muscle between the selected parts, in the order they were selected."""
        if self.document.skeleton is None:
            return
        if self.document.session.mode != "physics":
            self._window.skeleton.set_mode("physics")
        name = line_points.attach_between(self.document, kind, self.document.selection.joints)
        if name:
            self.document.say("info", f"{name[:1].upper()}{name[1:]} is attached · its points can be dragged")

    def add_point(self) -> None:
        """Lead the muscle that was clicked last through another point."""
        physics = self.document.physics
        forces, picked = physics.settings.now.forces, physics.picked
        own = picked is not None and picked[0] == line_edits.FORCES and line_edits.goes_through(forces[picked[1]])
        if picked is None or not own:
            self.document.say("info", "Click a muscle first, in a view or in the Physics panel")
        else:
            line_points.add_point(self.document, picked[1])

    def _show_attaching(self) -> None:
        """Let the view have the keyboard, and say what a click does."""
        if self.document.physics.attaching is not None:
            self._window.area.work_view.setFocus()
        self._window.area.work_view.refresh_status()

    # -- baking ---------------------------------------------------------------------------------------------------

    def bake(self) -> None:
        """Ask how what was simulated becomes keys, and make them beside the window."""
        physics, sequence = self.document.physics, self.document.sequence
        if sequence is None or physics.empty:
            self.document.say("info", f"Nothing has been simulated yet: press {key_of('simulate')}")
            return
        physics.pause()
        dialog = BakeDialog(physics.samples, self._window)
        if dialog.exec() == BakeDialog.DialogCode.Accepted:
            self.bake_as(dialog.frames, dialog.tolerance, dialog.new)

    def bake_as(self, frames: tuple[int, int], tolerance: float | None, new: bool) -> None:
        """Bake frames of what was simulated; see ``Hybrid.bake``."""
        document, sequence = self.document, self.document.sequence
        assert sequence is not None
        samples, revision = list(document.physics.samples), document.revision
        copy = sequence_for(sequence, sequence.skeleton)

        def work(progress: Progress) -> Baked:
            from core.preview.bake import bake

            return bake(samples, copy, tolerance=tolerance, first=frames[0], last=frames[1], progress=progress)

        def done(baked: Baked) -> None:
            if document.revision == revision:  # else it is of another motion
                shown = document.model.sequence_index
                if document.hybrid.bake(samples, tolerance, frames[0], frames[1], new, baked) and new:
                    self._offer_return(shown)

        def failed(error: Exception) -> None:
            document.say("error", str(error).partition("\n")[0] or type(error).__name__, str(error))

        self.run_beside("Baking to keys", work, done, failed)

    def _offer_return(self, index: int) -> None:
        """Say that another sequence is shown than the one that was simulated, and offer to go back to that."""
        document = self.document
        made, before = document.sequence, document.sequences.all[index]
        if made is None:
            return
        self._offered = f'The new sequence "{made.name}" is shown now; "{before.name}" is unchanged'
        play = ("Play it", "Play the keys of the new sequence, in Pose mode", lambda: self._play(made.range[0]))
        tip = "To switch between sequences, use the list above the key poses or Sequence > Show sequence"
        self._made = made
        back = (f'Show "{before.name}"', tip, lambda: document.sequences.show(index))
        self._window.ask(self._offered, [play, back], "info")

    def _play(self, frame: int) -> None:
        """Play keys from a frame on: physics mode would simulate."""
        self._window.skeleton.set_mode("pose")
        self.document.set_frame(frame)
        self._window.player.play()
