"""What the actions of the Locks menu do, and the locks of the menu of a part."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu

from app.actions.group import WindowActions
from app.document.changes import Change, FileChanged, SequenceChanged, SessionChanged
from app.document.edits import lock_edits
from app.panels.locks.panel import LocksPanel
from app.widgets.frames.menu import add_action
from app.words import lock_words
from app.words.key_map import lock_action
from app.words.part_names import spoken_name
from core.constraints import Lock
from core.constraints.conflicts.words import capital
from core.constraints.kinds import KINDS, Kind
from core.constraints.kinds.balance import BALANCE
from core.constraints.kinds.look_at import LOOK_AT
from core.constraints.kinds.path import PATH
from core.skeleton import Skeleton
from core.skeleton.control_points import END, ControlPoint, control_points
from core.skeleton.joined import is_prop

PART_KINDS = tuple(kind for kind in KINDS if not kind.takes_other and not kind.of_figure)
"""Kinds of locks of one part, in the order of the menus."""


def _is_held(skeleton: Skeleton | None) -> bool:
    """Return whether a figure is one that others hold."""
    return skeleton is not None and is_prop(skeleton)


class LockActions(WindowActions):
    """Actions on the locks of the open document; each is one call on it."""

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        document = self.document
        made: dict[str, Callable[[], object]] = {
            "lock_cycle": self.cycle,
            lock_action(BALANCE): self.balance,
            "unlock": self.release,
            "lock_mirror": self.mirror,
            "clear_locks": document.locks.clear,
            "solve_locks": document.locks.solve_now,
            "locks_hold": self.flip_holds,
            "hold_locks": self.flip_posing,
            "put_down": document.grips.let_go,
            "throw_prop": document.grips.throw,
            "show_script": self.show_script,
            "complete_name": self.complete_name,
            "tool_lock": lambda: self._window.edits.set_tool("lock"),
        }
        for kind in KINDS:
            if not kind.of_figure:
                make = self.pair if kind.takes_other else self.lock
                made[lock_action(kind)] = partial(make, kind)
        made[lock_action(PATH)] = self.path
        made[lock_action(LOOK_AT)] = self.look
        made["draw_lock_path"] = self.draw_path
        return made

    def connect(self) -> None:
        """Keep the switches as the document is; call once the actions are there."""
        self.document.changed.connect(self._take)
        timeline, table = self._window.timeline, self._window.action_table
        timeline.locks.opened.connect(self.open)
        self.bind_keys("script", lambda _action: (timeline.script.editor,))
        table.keys_changed.connect(timeline.script.show_keys)
        self.show_state()

    def show_script(self) -> None:
        """Show the locks of the sequence as a text, with the keyboard in it."""
        timeline = self._window.timeline
        timeline.show_tab("script")
        timeline.script.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def complete_name(self) -> None:
        """Offer what may stand at the cursor of the script."""
        self.show_script()
        self._window.timeline.script.editor.suggest(always=True)

    def open(self, strip_id: str) -> None:
        """Open a lock's editor in the panel, and bring the panel up."""
        window = self._window
        for dock, panel in ((window.workbench.dock_of(panel), panel) for panel in window.panels):
            if isinstance(panel, LocksPanel):
                dock.show()
                dock.raise_()
                panel.open_editor(strip_id)
                panel.editor.setFocus(Qt.FocusReason.TabFocusReason)

    def _take(self, change: Change) -> None:
        named = change.name
        if isinstance(change, (FileChanged, SequenceChanged)) or (
            isinstance(change, SessionChanged) and named == "hold_locks"
        ):
            self.show_state()

    # -- locking -----------------------------------------------------------------------------------------------------

    def cycle(self) -> None:
        """Go to the next of position, orientation, both and off for the selected parts; feet begin with both.

        While a part is dragged it is locked where it is let go.
        """
        toolbox = self._window.area.host.toolbox
        if toolbox.active and toolbox.current.key(int(Qt.Key.Key_L)):
            return
        if self._parts():
            self.document.locks.cycle(self._parts())

    def lock(self, kind: Kind) -> None:
        """Lock the selected parts in one kind where they are now."""
        if self._parts() and self.document.locks.lock_parts(self._parts(), kind.name):
            self.document.say("info", f"{capital(kind.done_text(self._named()))} from frame {self.document.frame} on")

    def path(self) -> None:
        """Lock the selected parts to the way that each goes in the sequence."""
        if self._parts() and self.document.locks.lock_to_paths(self._parts()):
            done = capital(PATH.done_text(self._named()))
            self.document.say("info", f"{done} from frame {self.document.frame} on")

    def look(self) -> None:
        """Let the next click in a view say what the part selected last looks at; again gives that up."""
        self.place("look")

    def draw_path(self) -> None:
        """Let the mouse draw the path of the part selected last in a view; again gives that up."""
        self.place("path")

    def place(self, what: str) -> None:
        """Let the mouse give the part selected last something, one of ``PLACINGS``."""
        tools = self.document.session.tools
        if tools.placing == what:
            tools.placing = None
        elif self._parts():
            tools.placing = what
            self._window.area.work_view.setFocus()
        self._window.area.work_view.refresh_status()

    def pair(self, kind: Kind) -> None:
        """Lock the first of two selected parts to the second."""
        document, chosen = self.document, self.document.selection.joints
        if document.skeleton is None or len(chosen) != 2:
            document.say("info", "There is no figure to lock" if document.skeleton is None else kind.prompt_text())
            return
        made = document.locks.lock_pair(kind.name, *chosen)
        if made is not None:
            words = kind.done_text(*(spoken_name(document.skeleton.joints[joint].name) for joint in chosen))
            document.say("info", f"{capital(words)} from frame {document.frame} on{self._short_of(made)}")

    def _short_of(self, strip_id: str) -> str:
        """Return by how much what aims cannot turn that far; "" where it looks there, or for other locks."""
        state = next((s for s in self.document.locks.states() if s.strip is not None and s.strip.id == strip_id), None)
        if state is None or state.lock.kind != "aim" or state.word == "holds":
            return ""
        return f"; it cannot turn that far, {lock_words.angle_text(state.angle_residual)} short"

    def balance(self) -> None:
        """Keep the centre of mass above the feet; again lets it go."""
        document, skeleton = self.document, self.document.skeleton
        if skeleton is None:
            document.say("info", "There is no figure to balance")
            return
        root = range(len(skeleton.joints))
        if lock_edits.of_parts(document.model, root, {"balance"}):
            if document.locks.release(root, ["balance"]):
                document.say("info", f"Balance lock ends at frame {document.frame}")
        elif document.locks.add(Lock(skeleton.joint_names[0], "balance"), text="Lock balance") is not None:
            document.say("info", f"Balance locked from frame {document.frame} on")

    def release(self) -> None:
        """End the locks of the selected parts at the current frame."""
        if self._parts() and self.document.locks.release(self._parts()):
            self.document.say("info", f"Locks of {self._named(False)} end at frame {self.document.frame}")

    def mirror(self) -> None:
        """Lock the parts on the other side as the selected ones are, where they are now."""
        if self._parts():
            strips = lock_edits.of_parts(self.document.model, self._parts())
            if self.document.locks.mirror_all([strip.id for strip in strips]):
                self.document.say("info", "Locked on the other side too")

    def flip_holds(self) -> None:
        """Turn on or off that locks hold between keys."""
        sequence = self.document.sequence
        if sequence is not None:
            self.document.locks.set_holds(not sequence.locks.holds)
            self._window.status.answer(f"Locks {'hold' if sequence.locks.holds else 'do not hold'} between keys")

    def flip_posing(self) -> None:
        """Turn on or off that edits of the pose hold the locks."""
        session = self.document.session
        session.locks.hold = not session.locks.hold
        self._window.status.answer(f"Locks {'hold' if session.locks.hold else 'do not hold'} while posing")

    # -- menus -------------------------------------------------------------------------------------------------------

    def add_part_menu(self, menu: QMenu, joint: int) -> None:
        """Add to the menu of a part what locks it, with check marks at those it has."""
        document, actions = self.document, self._window.action_table
        locks = menu.addMenu("Locks")
        chosen = document.selection.joints or (joint,)
        held = {strip.lock.kind for strip in lock_edits.of_parts(document.model, [joint])}
        self.fill_hold(menu.addMenu("Hold"))
        for name in ("put_down", "throw_prop") if document.grips.any else ():
            menu.addAction(actions[name])
        for kind in PART_KINDS:
            own = {PATH: self.path, LOOK_AT: self.look}
            do: Callable[[], object] = own.get(kind) or partial(self.lock, kind)
            if kind.name in held:
                do = partial(document.locks.release, chosen, [kind.name])
            add_action(locks, actions[lock_action(kind)].text(), do, checked=kind.name in held)
            if kind is PATH:
                locks.addAction(actions["draw_lock_path"])
        locks.addSeparator()
        locks.addAction(actions["lock_cycle"])
        for name in ("unlock", "lock_mirror"):
            locks.addAction(actions[name])

    def fill_hold(self, menu: QMenu) -> None:
        """Fill a menu with the props and figures that the selected parts can hold."""
        menu.clear()
        document = self.document
        held = document.skeleton
        if _is_held(held):
            for number, figure in enumerate(document.model.figures):
                if not is_prop(figure.skeleton):
                    self._add_holders(menu, number, f"By {figure.skeleton.name}: ")
        for number, figure in enumerate(document.model.figures):
            if number != document.model.active.figure and (is_prop(figure.skeleton) or not _is_held(held)):
                icon = "cube" if is_prop(figure.skeleton) else "pose"
                add_action(menu, figure.skeleton.name, partial(document.grips.hold, number), icon=icon)
        if menu.isEmpty():
            add_action(menu, "Nothing: add a prop or a figure first", lambda: None).setEnabled(False)

    def _add_holders(self, menu: QMenu, number: int, words: str) -> None:
        """Add to a menu which parts of another figure can hold the prop that is edited: its hands, or what ends it."""
        skeleton = self.document.model.figures[number].skeleton
        ends = [point for point in control_points(skeleton) if point.role == END]
        hands = sorted((point for point in ends if "hand" in point.name), key=lambda point: point.name) or ends
        groups: list[tuple[ControlPoint, ...]] = [(point,) for point in hands]
        if len(hands) == 2:
            groups.insert(0, tuple(hands))
        for group in groups:
            names = " and ".join(spoken_name(point.name) for point in group)
            joints = tuple(point.joint for point in group)
            add_action(menu, f"{words}{names}", partial(self._give, number, joints))

    def _give(self, number: int, joints: tuple[int, ...]) -> None:
        """Let parts of another figure hold the one that is edited; that figure is edited then, all as one step."""
        document, held = self.document, self.document.model.active.figure
        if document.figures.show(number):
            document.selection.set(joints)
            document.grips.hold(held)

    def add_held_menu(self, menu: QMenu, number: int) -> None:
        """Add to the menu of another figure what takes hold of it."""
        document = self.document
        name = document.model.figures[number].skeleton.name
        chosen = document.selection.joints
        held = document.skeleton
        if _is_held(held):
            if not is_prop(document.model.figures[number].skeleton):
                self._add_holders(menu, number, f"Hold {held.name} with ")  # type: ignore[union-attr]
        elif chosen and document.skeleton is not None:
            parts = [spoken_name(document.skeleton.joints[joint].name) for joint in chosen]
            hands = parts[0] if len(parts) == 1 else " and ".join(parts) if len(parts) == 2 else f"{len(parts)} parts"
            add_action(menu, f"Hold {name} with {hands}", partial(document.grips.hold, number))
        add_action(menu, f"Edit {name}", partial(document.figures.show, number))
        menu.addSeparator()

    def show_state(self) -> None:
        """Check the switches as they stand."""
        actions, sequence = self._window.action_table, self.document.sequence
        actions["locks_hold"].setChecked(sequence is None or sequence.locks.holds)
        actions["hold_locks"].setChecked(self.document.session.locks.hold)

    # -- helpers -----------------------------------------------------------------------------------------------------

    def _parts(self) -> tuple[int, ...]:
        """Return the selected parts; say what to do if there are none."""
        if self.document.skeleton is None:
            self.document.say("info", "There is no figure to lock")
            return ()
        if not self.document.selection.joints:
            self.document.say("info", "Select a part to lock first")
        return self.document.selection.joints

    def _named(self, begins: bool = True) -> str:
        chosen, skeleton = self.document.selection.joints, self.document.skeleton
        assert skeleton is not None
        name = spoken_name(skeleton.joints[chosen[-1]].name) if len(chosen) == 1 else f"{len(chosen)} parts"
        return f"{name[:1].upper()}{name[1:]}" if begins else name
