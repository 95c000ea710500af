"""What can be done with hybrid strips, each one undo step, and the menus that offer it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QWidget, QWidgetAction

from app.timeline.dynamics.board import MODE_NAMES, DynamicsRow, joint_groups
from app.timeline.strips.times import place_for, room_for, slid
from app.widgets.fields.number_field import NumberField
from app.widgets.fields.physics_quantities import TORQUES
from app.widgets.frames.menu import add_action
from app.words.keys_now import in_menu
from app.words.part_names import part_name
from app.words.quantity import NUMBER, Quantity
from core.animation.hybrid_strips import (
    BRACE,
    DYNAMIC,
    EASE_OUT,
    LARGEST_DAMPING,
    LARGEST_GAIN,
    MOTOR,
    STUMBLE,
    HybridStrip,
    with_parts,
)
from core.animation.key import MAX_FRAME
from core.animation.locks.strip import new_id
from core.animation.torque_curves import LARGEST_TORQUE, TorqueCurve
from core.skeleton.dof import LENGTH

if TYPE_CHECKING:
    from app.timeline.dynamics.board import DynamicsBoard


class DynamicsEdits:
    """Edits of hybrid strips."""

    def __init__(self, board: DynamicsBoard):
        self.board = board
        self.document = board.document

    # -- making ---------------------------------------------------------------------------------------------------

    def room_at(self, joints: Iterable[str], frame: int) -> int | None:
        """Return the last frame to which a new strip of joints may reach from a frame; None if there is no room."""
        others = self.board.siblings_of(joints)
        if any(each.start <= frame and (each.end is None or frame < each.end) for each in others):
            return None
        return min([each.start for each in others if each.start > frame], default=MAX_FRAME)

    def add(self, joints: Sequence[str], what: str, frame: int, mode: str = DYNAMIC) -> str | None:
        """Let forces move joints from a frame on: for a second, or to the end of the sequence if that is near.

        Args:
            joints: Their names; () for the whole figure.
            what: What they are called.
            frame: First frame.
            mode: What moves them.

        Returns:
            The id of the strip; None if it could not be made.
        """
        sequence, skeleton = self.document.sequence, self.document.skeleton
        if sequence is None or skeleton is None:
            return None
        names = joints or skeleton.joint_names
        last = self.room_at(names, frame)
        if last is None:
            self.document.say("warning", f"{what} is already dynamic at frame {frame}")
            return None
        second = max(round(sequence.fps), 2)
        end = frame + second
        if frame < sequence.range[1] < end + second // 2:
            end = int(sequence.range[1])
        text = f"Make {what[:1].lower()}{what[1:]} {'follow keys with motors' if mode == MOTOR else 'dynamic'}"
        made = self.document.hybrid.add(names, frame, min(end, last), mode, text)
        if made is not None:
            self.board.select(made)
        return made

    def paste(self, frame: int) -> None:
        """Put a copy of the strip that was copied at a frame, or as near to it as there is room."""
        source, skeleton = self.board.copied, self.document.skeleton
        if source is None or skeleton is None:
            self.document.say("info", "No strip was copied")
            return
        fresh = replace(source, id=new_id())
        at = place_for(fresh, frame, self.board.siblings(fresh), self.board.gap)
        if at is None:
            self.document.say("warning", f"No room for {self.board.name_of(fresh)}: its other strips are there")
            return
        pasted = slid(fresh, at - fresh.start)
        if self.document.hybrid.set((*self.document.hybrid.strips, pasted), "Paste strip"):
            self.board.select(pasted.id)

    def copy(self, strip: HybridStrip) -> None:
        """Keep a strip to be pasted."""
        self.board.copied = strip
        self.document.say("info", f"{self.board.name_of(strip)} copied; a right click pastes it")

    # -- changing -------------------------------------------------------------------------------------------------

    def set_mode(self, strips: Sequence[HybridStrip], mode: str) -> None:
        """Let forces alone move the joints of strips, or motors that follow the keys."""
        text = {MOTOR: "Follow keys with motors", DYNAMIC: "Make dynamic"}.get(mode, MODE_NAMES[mode])
        if self.board.put([replace(each, mode=mode) for each in strips], text):
            more = f", and {len(strips) - 1} more" if len(strips) > 1 else ""
            self.document.say("info", f"{self.board.parts_of(strips[0])}{more}: {MODE_NAMES[mode].lower()}")

    def toggle_mode(self, strips: Sequence[HybridStrip]) -> None:
        """Turn dynamic strips into ones with motors, and back; the first one decides."""
        if strips:
            self.set_mode(strips, DYNAMIC if strips[0].mode == MOTOR else MOTOR)

    def remove(self, strips: Sequence[HybridStrip]) -> None:
        """Remove strips: keys move their joints again."""
        gone = {each.id for each in strips}
        rest = [each for each in self.board.all_strips if each.id not in gone]
        self.board.put_all(rest, "Remove dynamic range" if len(gone) == 1 else f"Remove {len(gone)} dynamic ranges")

    def end(self, strip: HybridStrip, frame: int) -> None:
        """Let joints be back at their keys at a frame."""
        self.board.put([replace(strip, end=frame)], f"End dynamic range at frame {frame}")

    def open_end(self, strip: HybridStrip) -> None:
        """Let a strip go on until the next of its joints, or for ever."""
        others = self.board.siblings(strip)
        _, last = room_for(strip, others, self.board.gap)
        later = any(other.start > strip.start for other in others)
        self.board.put([replace(strip, end=last if later else None)], "Continue dynamic range")

    def set_eases(self, strips: Sequence[HybridStrip], ease_in: float, ease_out: float) -> None:
        """Let strips ease in and out over so many frames."""
        self.board.put([replace(each, ease_in=ease_in, ease_out=ease_out) for each in strips], "Ease dynamic range")

    def split_groups(self, strip: HybridStrip) -> None:
        """Put a strip for each group of joints in the place of one."""
        skeleton = self.document.skeleton
        if skeleton is None:
            return
        made: list[HybridStrip] = []
        for _, _, numbers in joint_groups(skeleton):
            parts = tuple(name for name in (skeleton.joints[n].name for n in numbers) if strip.moves(name))
            if parts:
                made.append(with_parts(strip, parts, id=new_id() if made else strip.id))
        at = next(i for i, each in enumerate(self.board.all_strips) if each.id == strip.id)
        strips = self.board.all_strips
        if self.board.put_all((*strips[:at], *made, *strips[at + 1 :]), "One strip for each group"):
            self.board.select_all(each.id for each in made)

    def torque_joints(self, strip: HybridStrip) -> list[str]:
        """Return the joints whose torques are keyed: the selected ones that a strip moves, or its only one."""
        skeleton = self.document.skeleton
        if skeleton is None:
            return []
        chosen = [skeleton.joints[number].name for number in self.document.selection.joints]
        own = [name for name in chosen if strip.moves(name)]
        return own or (list(strip.parts) if len(strip.parts) == 1 else [])

    def torque_at(self, strip: HybridStrip, joint: str, dof: int, frame: int) -> float:
        """Return a strip's torque in a degree of freedom of a joint at a frame, [N m] or [N]."""
        found = (curve for curve in strip.torques if (curve.joint, curve.dof) == (joint, dof))
        return next((curve.at(frame - strip.start) for curve in found), 0.0)

    def key_torque(self, strip_id: str, joint: str, dof: int, frame: int, torque: float, gesture: int) -> None:
        """Key a torque of a joint at a frame."""
        strip = self.board.strip(strip_id)
        if strip is None:
            return
        at = float(frame - strip.start)
        rest = tuple(curve for curve in strip.torques if (curve.joint, curve.dof) != (joint, dof))
        old = next((curve for curve in strip.torques if (curve.joint, curve.dof) == (joint, dof)), None)
        curve = TorqueCurve(joint, dof, ((at, torque),)) if old is None else old.with_key(at, torque)
        self.board.put([replace(strip, torques=(*rest, curve))], f"Key torque of {joint}", gesture)

    def unkey_torque(self, strip_id: str, joint: str, dof: int, at: float) -> None:
        """Remove the key of a torque at a frame counted from the start of its strip."""
        strip = self.board.strip(strip_id)
        if strip is None:
            return
        left = [curve.without_key(at) if (curve.joint, curve.dof) == (joint, dof) else curve for curve in strip.torques]
        torques = tuple(each for each in left if each is not None)
        self.board.put([replace(strip, torques=torques)], f"Remove torque key of {joint}")

    def remove_torque(self, strip_id: str, joint: str, dof: int) -> None:
        """Remove all keys of a torque."""
        strip = self.board.strip(strip_id)
        if strip is not None:
            rest = tuple(curve for curve in strip.torques if (curve.joint, curve.dof) != (joint, dof))
            self.board.put([replace(strip, torques=rest)], f"Remove torque of {joint}")

    def unkey_torques(self, strip: HybridStrip, frame: int) -> None:
        """Remove the torque keys of a strip at a frame."""
        left = [curve.without_key(float(frame - strip.start)) for curve in strip.torques]
        self.board.put([replace(strip, torques=tuple(each for each in left if each is not None))], "Remove torque keys")

    def groups_of(self, strip: HybridStrip) -> int:
        """Return how many groups a strip moves joints of."""
        skeleton = self.document.skeleton
        groups = () if skeleton is None else joint_groups(skeleton)
        names = [[skeleton.joints[n].name for n in numbers] for _, _, numbers in groups]  # type: ignore[union-attr]
        return sum(any(strip.moves(name) for name in own) for own in names)


def _field_row(
    menu: QMenu,
    title: str,
    value: float,
    span: tuple[float, float],
    put: Callable[[float, int], object],
    gesture: int,
    quantity: Quantity = NUMBER,
) -> QWidgetAction:
    """Return a menu's row with a number."""
    row = QWidget()
    line = QHBoxLayout(row)
    line.setContentsMargins(24, 2, 12, 2)
    line.addWidget(QLabel(title))
    line.addStretch(1)
    field = NumberField(quantity)
    field.setAccessibleName(title)
    field.set_limits(*span)
    field.set_value(value)
    field.setFixedWidth(56 if quantity is NUMBER else 84)
    for signal in (field.changed, field.committed):
        signal.connect(lambda number: put(round(number, 2), gesture))
    line.addWidget(field)
    action = QWidgetAction(menu)
    action.setText(f"{title}…")
    action.setDefaultWidget(row)
    return action


def _offer_torques(menu: QMenu, do: DynamicsEdits, strip: HybridStrip, frame: int) -> None:
    """Offer a field for the torque of each degree of freedom at a frame, and to remove what is keyed there."""
    skeleton = do.document.skeleton
    inside = strip.start <= frame and (strip.end is None or frame < strip.end)
    if skeleton is None or not inside:
        return
    names = do.torque_joints(strip)
    if names:
        menu.addSeparator()
        menu.addAction(f"Torques at frame {frame}").setEnabled(False)
    for name in names:
        joint = skeleton.joints[skeleton.joint_index(name)]
        for dof, (unit, label) in enumerate(zip(joint.units, joint.dof_labels, strict=True)):
            gesture = do.document.gesture_id()

            def put(torque: float, gesture: int, name: str = name, dof: int = dof) -> None:
                do.key_torque(strip.id, name, dof, frame, torque, gesture)

            span, value = (-LARGEST_TORQUE, LARGEST_TORQUE), do.torque_at(strip, name, dof, frame)
            title = label or f"{part_name(name)} {dof + 1}"
            menu.addAction(_field_row(menu, title, value, span, put, gesture, TORQUES[unit == LENGTH]))
    keyed = any(key[0] == frame - strip.start for curve in strip.torques for key in curve.keys)
    if keyed:
        add_action(menu, f"Remove torque keys at frame {frame}", lambda: do.unkey_torques(strip, frame))
    if strip.torques:
        add_action(menu, "Remove all torques", lambda: do.board.put([replace(strip, torques=())], "Remove torques"))


def torque_menu(
    parent: QWidget, do: DynamicsEdits, strip: HybridStrip, joint: str, dof: int, title: str, frame: int
) -> QMenu:
    """Return the menu of one torque at a frame: its value there, and what can be removed.

    Args:
        parent: The menu's parent.
        do: The edits.
        strip: The strip that has the torque.
        joint: Name of its joint.
        dof: Which of the joint's degrees of freedom.
        title: What that is called.
        frame: The frame.
    """
    skeleton = do.document.skeleton
    assert skeleton is not None
    slides = skeleton.joints[skeleton.joint_index(joint)].units[dof] == LENGTH
    gesture, at = do.document.gesture_id(), float(frame - strip.start)

    def put(torque: float, gesture: int) -> None:
        do.key_torque(strip.id, joint, dof, frame, torque, gesture)

    span, value = (-LARGEST_TORQUE, LARGEST_TORQUE), do.torque_at(strip, joint, dof, frame)
    own = next((curve for curve in strip.torques if (curve.joint, curve.dof) == (joint, dof)), None)
    keyed = own is not None and any(key[0] == at for key in own.keys)
    return key_menu(
        parent, f"{title}, frame {frame}", ("Force" if slides else "Torque", value, span, TORQUES[slides]), put,
        gesture, (lambda: do.unkey_torque(strip.id, joint, dof, at)) if keyed else None,
        (f"Remove all keys of {title}", lambda: do.remove_torque(strip.id, joint, dof)), own is not None,
    )  # fmt: skip


def key_menu(
    parent: QWidget,
    title: str,
    number: tuple[str, float, tuple[float, float], Quantity],
    put: Callable[[float, int], object],
    gesture: int,
    remove: Callable[[], object] | None,
    remove_all: tuple[str, Callable[[], object]],
    keyed: bool,
) -> QMenu:
    """Return the menu of a number that is keyed over time, at a frame.

    Args:
        parent: The menu's parent.
        title: What stands above.
        number: What the number is called, its value there, its least and most, and its unit.
        put: Keys a value; is given the gesture too.
        gesture: All that is typed is one step of this number.
        remove: Removes the key that is there; None if there is none.
        remove_all: Text and what it does that removes all keys.
        keyed: Whether there are any.
    """
    menu, (label, value, span, quantity) = QMenu(parent), number
    menu.addAction(title).setEnabled(False)
    menu.addSeparator()
    menu.addAction(_field_row(menu, label, value, span, put, gesture, quantity))
    add_action(menu, "Remove key", remove or (lambda: None), remove is not None)
    add_action(menu, *remove_all, keyed)
    return menu


def strip_menu(parent: QWidget, board: DynamicsBoard, strip: HybridStrip, frame: int) -> QMenu:
    """Return the menu of a strip and of those selected besides it.

    Args:
        parent: The menu's parent.
        board: The rows.
        strip: The strip that was clicked.
        frame: The frame that was clicked.
    """
    do, menu = DynamicsEdits(board), QMenu(parent)
    strips = (
        [strip, *(each for each in board.chosen if each.id != strip.id)] if strip.id in board.selection else [strip]
    )
    alone = len(strips) == 1
    words = f"{board.name_of(strip)}, {board.span_of(strip)}" if alone else f"{len(strips)} strips"
    menu.addAction(words).setEnabled(False)
    menu.addSeparator()

    offer = partial(add_action, menu)
    for mode in MODE_NAMES:
        text, other = MODE_NAMES[mode], MOTOR if strip.mode == DYNAMIC else DYNAMIC
        text = in_menu(text, "toggle_motor") if mode == other else text
        offer(text, partial(do.set_mode, strips, mode), checked=all(each.mode == mode for each in strips))
    motors = any(each.mode == MOTOR for each in strips)
    if any(each.mode in (MOTOR, BRACE, STUMBLE) for each in strips):
        gesture = board.document.gesture_id()

        def put(name: str, value: float, gesture: int) -> None:
            now = [each for each in map(board.strip, [each.id for each in strips]) if each is not None]
            changes: dict[str, Any] = {name: value}
            board.put(
                [replace(each, **changes) for each in now],
                f"Change motor {name}" if motors else "Change strength",
                gesture,
            )

        word = "Motor gain" if motors else "Strength"
        gain = _field_row(menu, word, strip.gain, (0.0, LARGEST_GAIN), lambda v, g: put("gain", v, g), gesture)
        menu.addAction(gain)
        if motors:
            damping = _field_row(
                menu, "Damping", strip.damping, (0.0, LARGEST_DAMPING), lambda v, g: put("damping", v, g), gesture
            )
            menu.addAction(damping)
    if alone:
        _offer_torques(menu, do, strip, frame)
    menu.addSeparator()
    inside = alone and strip.start < frame and (strip.end is None or frame < strip.end)
    offer(f"Split at frame {frame}", lambda: board.document.hybrid.split(strip.id, frame), inside)
    offer(f"Back to the keys at frame {frame}", lambda: do.end(strip, frame), inside)
    offer("Never back to the keys", lambda: do.open_end(strip), alone and strip.end is not None)
    menu.addSeparator()
    offer(f"Ease out over {EASE_OUT:g} frames", lambda: do.set_eases(strips, 0.0, EASE_OUT))
    offer("Without easing", lambda: do.set_eases(strips, 0.0, 0.0), any(e.ease_in or e.ease_out for e in strips))
    menu.addSeparator()
    offer("One strip for each group", lambda: do.split_groups(strip), alone and do.groups_of(strip) > 1)
    offer(in_menu("Copy", "copy_strip"), lambda: do.copy(strip), alone)
    offer(f"Paste at frame {frame}", lambda: do.paste(frame), board.copied is not None)
    text = "Keyed again" if alone else f"{len(strips)} strips keyed again"
    offer(in_menu(text, "remove_strip"), lambda: do.remove(strips))
    return menu


def ground_menu(parent: QWidget, board: DynamicsBoard, row: DynamicsRow | None, frame: int) -> QMenu:
    """Return the menu of a row beside its strips, at a frame."""
    do, menu = DynamicsEdits(board), QMenu(parent)

    offer = partial(add_action, menu)
    skeleton = board.document.skeleton
    if row is not None:
        free = do.room_at(row.joints, frame) is not None
        offer(f"{row.name} dynamic from frame {frame}", lambda: do.add(row.joints, row.name, frame), free)
        offer(f"{row.name} motor to key from frame {frame}", lambda: do.add(row.joints, row.name, frame, MOTOR), free)
        menu.addSeparator()
    if skeleton is not None:
        free = do.room_at(skeleton.joint_names, frame) is not None
        offer(f"Whole figure dynamic from frame {frame}", lambda: do.add((), "Whole figure", frame), free)
        chosen = [skeleton.joints[number].name for number in board.document.selection.joints]
        free = bool(chosen) and do.room_at(chosen, frame) is not None
        offer(f"Selected parts dynamic from frame {frame}", lambda: do.add(chosen, "Selected parts", frame), free)
    menu.addSeparator()
    offer(f"Paste at frame {frame}", lambda: do.paste(frame), board.copied is not None)
    offer("Select all strips", lambda: board.select_all(each.id for each in board.strips()), bool(board.all_strips))
    return menu
