"""``python -m tests.carry_a_box [FOLDER]`` animates a scene of two figures and a box with the mouse alone.

A man lifts a box with two hands, carries it round a corner and hands it to a woman, who throws it; physics takes over.
The real window is driven by mouse events, pictures go into the given folder, and in the end it is measured how far feet
slip while they are planted, and hands on the box, at 240 samples a second.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QCursor, QWheelEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.dialogs.bake_dialog import BakeDialog
from app.marks import lock_grip_marks, manipulators
from app.marks.handle import Handle
from app.panels.locks.lock_list import LockRow
from app.tools import lock_grips
from app.window.editor import settle
from app.window.main_window import MainWindow
from core.animation import Sequence
from core.kinematics import forward_kinematics
from core.skeleton.segment import end_effector
from core.spatial import so3
from tests.support.driver import BUTTON, NONE, POINT, Driver
from tests.support.filming import pictures_of, write_gif
from tests.support.mouse import hover, move, send_mouse
from tests.support.shown_window import shown_window

SIZE = (1600, 1000)
HELD, LIFTED, GIVEN, LET_GO, THROWN, ENDS = 26, 48, 136, 142, 170, 215
"""Frames at which things begin."""
STRIDE, WIDE, ORBIT = 2, 640, (-125.0, -20.0)
"""Of the GIF: one picture in so many frames, its width, [px], and how the camera goes round before, [px]."""
NEAR = 0.01
"""How near to its goal a part has to be dragged, [m]."""
SLIP = 1e-6
"""How far a planted foot or a hand on the box may slip, [m]."""
SHIFT = Qt.KeyboardModifier.ShiftModifier
_AXES = {"front": (0, 1), "side": (2, 1), "top": (0, 2)}
_VIEWS = {"front": "Front", "side": "Side", "top": "Top", "perspective": "Perspective"}


class Animator(Driver):
    """A person who poses figures.

    Args:
        application: The application.
        window: The window.
        folder: Where pictures go; None for no pictures.
    """

    patience = 0.1

    def __init__(self, application: QApplication, window: MainWindow, folder: Path | None):
        super().__init__(application, window, folder, "carry-a-box")
        self.document = window.document
        self.planted = {"left foot": 0, "right foot": 0}
        self.stances: list[tuple[str, str, int, int]] = []
        self.view = window.area.work_view

    # -- where things are --------------------------------------------------------------------------------------------

    def place(self, part: str) -> np.ndarray:
        """Return where a part of the figure that is edited is dragged, shape (3,), [m]."""
        s = self.document.skeleton
        joint = s.joint_index(part)
        X = forward_kinematics(s, self.document.pose)[joint]
        return X[:3, :3] @ end_effector(s, joint) + X[:3, 3]

    def seen(self, part: str) -> QPointF | None:
        """Return a pixel of the view at which a part would be picked, as near to where it is dragged as can be."""
        s, scene = self.document.skeleton, self.view.host.scene
        joint = s.joint_index(part)
        x, y, _ = self.view.project(self.place(part)[None])[0]
        for radius in (0, 2, 4, 6, 9, 12, 16, 20, 26, 32):
            for angle in np.arange(0.0, 2 * math.pi, math.pi / 8) if radius else (0.0,):
                at = QPointF(x + radius * math.cos(angle), y + radius * math.sin(angle))
                if not self.view.rect().adjusted(4, 4, -4, -4).contains(at.toPoint()):
                    continue
                other = scene.others.pick(*self.view.ray(at.x(), at.y()))
                mine = scene.pick(*self.view.ray(at.x(), at.y()))
                if self.view.host.toolbox.part_at(self.view, at.x(), at.y()) != joint:
                    continue
                if other is None or (mine is not None and mine.distance < other.distance):
                    return at
        return None

    # -- what a person does ------------------------------------------------------------------------------------------

    def look(self, kind: str) -> None:
        """Show a view in the work area."""
        if self.view.kind != kind:
            self.choose("View", _VIEWS[kind])

    def go(self, frame: int) -> None:
        """Click a frame in the ruler."""
        ruler = self.window.timeline.ruler
        for _ in range(12):  # the wheel zooms out until the frame is there
            x = ruler.track_x(frame)
            if x < ruler.width() - 12:
                break
            at = QPointF(ruler.track_x(0) + 2.0, ruler.height() / 2)
            wheel = QWheelEvent(at, ruler.mapToGlobal(at), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton,
                                Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False)  # fmt: skip
            QApplication.sendEvent(ruler, wheel)
            settle(self.application, 0.05)
        self.click(ruler, QPointF(x, ruler.height() / 2))
        assert self.document.frame == frame, (self.document.frame, frame)

    def edit(self, name: str) -> None:
        """Click a figure's lane or its row in the scene panel."""
        names = [figure.skeleton.name for figure in self.document.model.figures]
        number = names.index(name)
        if number != self.document.model.active.figure:
            lanes = self.window.timeline.lanes
            row = [lane.number for lane in lanes.lanes].index(number)
            self.click(lanes, QPointF(40.0, (row + 0.5) * lanes.height() / len(lanes.lanes)))

    def select(self, *parts: str, kinds: tuple[str, ...] = ("perspective", "front", "side", "top")) -> None:
        """Click parts, the second and later ones with Shift."""
        for k, part in enumerate(parts):
            for kind in (self.view.kind, *kinds):
                self.look(kind)
                at = self.seen(part)
                if at is not None:
                    break
            assert at is not None, f"{part} is not seen"
            held = SHIFT if k else Qt.KeyboardModifier.NoModifier
            self._go(self.view, at)
            hover(self.view, at)
            send_mouse(self.view, QEvent.Type.MouseButtonPress, at, Qt.MouseButton.LeftButton, held)
            send_mouse(self.view, QEvent.Type.MouseButtonRelease, at, Qt.MouseButton.LeftButton, held,
                       Qt.MouseButton.NoButton)  # fmt: skip
            self.seconds += 2 * BUTTON
            settle(self.application, 0.05)

    def pull(self, part: str, goal: np.ndarray, *kinds: str) -> None:
        """Drag a part to a place, in one view after the other, from wherever it is seen.

        Args:
            part: The part.
            goal: Where to, shape (3,), [m].
            *kinds: The views; all three along axes if left out.
        """
        tried: set[str] = set()
        for _ in range(4):
            away = goal - self.place(part)
            order = sorted(kinds or _AXES, key=lambda kind: -np.linalg.norm(away[list(_AXES[kind])]))
            order = [kind for kind in order if kind not in tried and np.linalg.norm(away[list(_AXES[kind])]) > NEAR]
            if not order:
                break
            kind = order[0]
            tried.add(kind)
            self.look(kind)
            at = self.seen(part)
            if at is None:
                continue
            here = self.place(part)
            wanted = here.copy()
            wanted[list(_AXES[kind])] = goal[list(_AXES[kind])]
            a, b = self.view.project(np.stack([here, wanted]))[:, :2]
            self.drag(self.view, at, at + QPointF(*(b - a)))
        off = float(np.linalg.norm(goal - self.place(part)))
        if off > 2 * NEAR and not kinds:
            print(f"    {part} is {100 * off:.1f} cm from its goal at frame {self.document.frame}: {self.place(part)}")

    def turn(self, part: str, dof: int, degrees: float, kind: str) -> None:
        """Turn a part by one of its rings, and take the drag tool again.

        Args:
            part: The part; selected first if it is not.
            dof: Which of its degrees of freedom.
            degrees: By how much, [deg].
            kind: The view.
        """
        if abs(degrees) < 1.0:
            return
        self.select(part, kinds=(kind, "perspective", "front", "side", "top"))
        self.look(kind)
        self.choose("Pose", "Turn one part")
        s = self.document.skeleton
        wanted = s.first_dof[s.joint_index(part)] + dof
        handle = next(h for h in self.view.host.toolbox.tools["rotate"].handles if h.dof == wanted)
        start = float(self.document.pose[3 + wanted])
        for first in np.arange(0.0, 2 * math.pi, math.pi / 16):
            angles = first + math.radians(degrees) * np.linspace(0.0, 1.0, 24)
            path = manipulators.ring_points(self.view, handle, angles=angles)[:, :2]
            shown = self.view.host.toolbox.tools["rotate"].handles
            hit = manipulators.hit(self.view, shown, *path[0])
            if hit is not None and shown[hit].dof == wanted:
                break
        else:
            raise AssertionError(f"no ring of {part} to take in the {kind} view")
        self.sweep([QPointF(*at) for at in path])
        turned = math.degrees(float(self.document.pose[3 + wanted]) - start)
        if abs(turned - degrees) > 4.0:
            print(f"    {part} turned {turned:.1f} instead of {degrees:.1f}")
        self.choose("Pose", "Drag parts")

    def sweep(self, path: list[QPointF], held: Qt.KeyboardModifier = NONE) -> None:
        """Drag along a path, with keys held down from the press on."""
        self._go(self.view, path[0])
        self._send(self.view, QEvent.Type.MouseMove, path[0], False)
        self._send(self.view, QEvent.Type.MouseButtonPress, path[0], True)
        for at in path[1:]:
            self._send(self.view, QEvent.Type.MouseMove, at, True, held)
            settle(self.application, 0.01)
        self._go(self.view, path[-1])
        self._send(self.view, QEvent.Type.MouseButtonRelease, path[-1], False, held)
        self.seconds += 2 * BUTTON
        settle(self.application, 0.05)

    def straighten(self, yaw: float) -> None:
        """Turn the pelvis by its rings until it is upright and points so far to the left, [deg]."""
        s = self.document.skeleton
        for _ in range(2):
            now = np.degrees(self.document.pose[3 + s.first_dof[0] : 6 + s.first_dof[0]])
            for dof, kind, wanted in ((0, "top", yaw), (1, "perspective", 0.0), (2, "perspective", 0.0)):
                if abs(wanted - now[dof]) > 2.0:
                    self.turn("pelvis", dof, wanted - now[dof], kind)

    def orbit(self, right: float, down: float) -> None:
        """Move the camera of the perspective view round what it looks at, by so many pixels with Alt."""
        self.look("perspective")
        start = QPointF(self.view.rect().center())
        alt = Qt.KeyboardModifier.AltModifier
        send_mouse(self.view, QEvent.Type.MouseButtonPress, start, Qt.MouseButton.LeftButton, alt)
        for share in np.linspace(0.1, 1.0, 10):
            move(self.view, start + share * QPointF(right, down), alt)
        end = start + QPointF(right, down)
        send_mouse(self.view, QEvent.Type.MouseButtonRelease, end, Qt.MouseButton.LeftButton, alt,
                   Qt.MouseButton.NoButton)  # fmt: skip
        self.seconds += POINT + 2 * BUTTON
        settle(self.application, 0.1)

    def zoom(self, notches: int) -> None:
        """Turn the wheel over the view."""
        at = QPointF(self.view.rect().center())
        wheel = QWheelEvent(at, self.view.mapToGlobal(at), QPoint(), QPoint(0, 120 * notches), Qt.MouseButton.NoButton,
                            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False)  # fmt: skip
        QApplication.sendEvent(self.view, wheel)
        settle(self.application, 0.1)

    def bake(self) -> None:
        """Turn what was simulated into keys, as the dialog proposes it."""

        def accept() -> None:
            dialog = QApplication.activeModalWidget()
            if isinstance(dialog, BakeDialog):
                self.click(dialog.go)
            else:
                QTimer.singleShot(50, accept)

        QTimer.singleShot(50, accept)
        self.choose("Physics", "Bake to keys…")
        for _ in range(100):
            settle(self.application, 0.1)
            if not self.document.sequence.hybrid_strips:
                break

    def lock(self, *parts: str) -> None:
        """Plant parts where they are."""
        self.select(*parts)
        self.choose("Locks", "Lock position and orientation")

    def menu(self, widget: QWidget, at: QPointF, text: str) -> None:
        """Click with the right button, and choose from the menu that opens."""
        self._go(widget, at)
        place = at.toPoint()
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, widget.mapToGlobal(place))
        QApplication.sendEvent(widget, event)
        self.seconds += 2 * BUTTON
        settle(self.application, 0.1)
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu), f"no menu with {text}"
        action = next((each for each in menu.actions() if each.text() == text), None)
        assert action is not None, f"no {text} among {[each.text() for each in menu.actions()]}"
        self.click(menu, QPointF(menu.actionGeometry(action).center()))

    def key_target(self, part: str) -> None:
        """Key where a lock holds a part, in its row of the panel of locks."""
        rows = [row for row in self.window.findChildren(LockRow) if row.isVisible()]
        strips = {strip.id: strip for strip in self.document.locks.strips}
        now = {key for key, strip in strips.items() if strip.lock.joint == part and strip.covers(self.document.frame)}
        latest = max(now, key=lambda key: strips[key].start)
        row = next(row for row in rows if row.key == latest)
        self.menu(row, QPointF(row.rect().center()), f"Key target at frame {self.document.frame}")

    def shift_target(self, part: str, by: np.ndarray, degrees: float = 0.0) -> None:
        """Move the target of a part's lock by its arrows and turn it by its ring, in steps.

        Args:
            part: The part, which is locked.
            by: How far, whole centimetres along each axis, shape (3,), [m].
            degrees: How far about the vertical, a multiple of 15, [deg].
        """
        self.choose("Locks", "Move and turn locks")
        for axis in range(3):
            if abs(by[axis]) < 0.005:
                continue
            self.look("front" if axis == 1 else "top")
            self.take_lock(part)
            mark = self.view.host.toolbox.locks.selected
            handle = next(h for h in lock_grips.grips(mark, True) if h.kind == "slide" and h.letter == axis)
            middle = lock_grips.grip_place(mark)
            ends = self.view.project(np.stack([middle, middle + by[axis] * np.eye(3)[axis]]))[:, :2]
            away = QPointF(*(ends[1] - ends[0]))
            self.sweep_grip(handle, [QPointF(share * away) for share in np.linspace(0.0, 1.0, 12)])
        if abs(degrees) > 1.0:
            self.look("top")
            self.take_lock(part)
            mark = self.view.host.toolbox.locks.selected
            handle = next(h for h in lock_grips.grips(mark, True) if h.kind == "hinge" and h.letter == 1)
            self.sweep_ring(handle, degrees)
        self.choose("Pose", "Drag parts")

    def take_lock(self, part: str) -> None:
        """Click a part's lock in the panel."""
        strips = {strip.id: strip for strip in self.document.locks.strips}
        now = {key for key, strip in strips.items() if strip.lock.joint == part and strip.covers(self.document.frame)}
        latest = max(now, key=lambda key: strips[key].start)
        if self.document.session.locks.selected != latest:
            row = next(r for r in self.window.findChildren(LockRow) if r.isVisible() and r.key == latest)
            self.click(row, QPointF(row.rect().center()))

    def sweep_grip(self, handle: Handle, offsets: list[QPointF]) -> None:
        """Drag an arrow of a lock in steps of a centimetre."""
        toward = lock_grip_marks.toward(self.view, handle)
        tool = self.view.host.toolbox.locks
        x, y = self.view.project(handle.center[None])[0, :2]
        tip = self.view.project((handle.center + 0.01 * toward.axis)[None])[0, :2] - np.array([x, y])
        tip = tip / np.linalg.norm(tip)
        shown = tuple(lock_grip_marks.toward(self.view, each) for each in tool._grips(tool.selected))
        wanted = next(k for k, each in enumerate(shown) if each.kind == "slide" and each.letter == handle.letter)
        for length in range(20, 90, 3):
            at = QPointF(x + length * tip[0], y + length * tip[1])
            if manipulators.hit(self.view, shown, at.x(), at.y()) == wanted:
                break
        else:
            raise AssertionError("no arrow to take")
        self.sweep([at + offset for offset in offsets], SHIFT)

    def sweep_ring(self, handle: Handle, degrees: float) -> None:
        """Drag a ring of a lock in steps of 15 degrees."""
        tool = self.view.host.toolbox.locks
        shown = tuple(lock_grip_marks.toward(self.view, each) for each in tool._grips(tool.selected))
        wanted = next(k for k, each in enumerate(shown) if each.kind == "hinge" and each.letter == handle.letter)
        for first in np.arange(0.0, 2 * math.pi, math.pi / 16):
            angles = first + math.radians(degrees) * np.linspace(0.0, 1.0, 24)
            path = manipulators.ring_points(self.view, shown[wanted], angles=angles)[:, :2]
            if manipulators.hit(self.view, shown, *path[0]) == wanted:
                break
        else:
            raise AssertionError("no ring to take")
        self.sweep([QPointF(*at) for at in path], SHIFT)

    def free(self, *parts: str) -> None:
        """End the locks of parts at this frame."""
        self.select(*parts)
        self.choose("Locks", "End locks at this frame")


def step(
    d: Animator,
    foot: str,
    frames: tuple[int, int],
    hips: np.ndarray,
    lands: np.ndarray,
    yaw: tuple[float, float, float],
) -> None:
    """Let a foot step: it lifts at the first frame and lands at the second.

    Args:
        d: The person.
        foot: The foot, which is locked at the first frame.
        frames: When it lifts and when it lands.
        hips: Where the hips are then, shape (3,), [m].
        lands: Where the foot is then, its height left out, shape (3,), [m].
        yaw: Where the hips point then, from where they pointed at first to the left; how far the foot and the hips
            turn to it, [deg].
    """
    first, last = frames
    d.stances.append(("human", foot, d.planted.pop(foot), first))
    d.planted[foot] = last
    d.go(first)
    d.free(foot)
    d.lock(foot)
    d.key_target(foot)
    began, body = d.place(foot), d.place("pelvis")
    d.go(last)
    d.pull("pelvis", 0.5 * (body + hips))
    d.straighten(yaw[0])
    d.shift_target(foot, np.round(lands - began, 2) * [1.0, 0.0, 1.0], yaw[1])
    d.straighten(yaw[0])
    d.pull("pelvis", hips)
    d.go((first + last) // 2)
    d.shift_target(foot, np.array([0.0, 0.08, 0.0]))
    d.straighten(yaw[0] - 0.5 * yaw[2])
    d.pull("pelvis", 0.5 * (body + hips) + [0.0, 0.01, 0.0])


def lift(d: Animator) -> np.ndarray:
    """Let the man lift the box; return where his hips are when he stands, shape (3,), [m]."""
    d.choose("Figure", "Start from", "Human")
    d.choose("File", "Add prop", "Box")
    d.pull("box", np.array([0.0, 0.15, 0.42]), "top")
    d.edit("human")
    d.lock("left foot", "right foot")
    d.pull("pelvis", d.place("pelvis") - [0.0, 0.03, 0.0], "front")
    stand = d.place("pelvis")
    d.go(20)
    d.pull("pelvis", stand + np.array([0.0, -0.36, -0.2]), "side")
    for part, angle in (("pelvis", 28.0), ("abdomen", 22.0), ("chest", 16.0)):
        d.turn(part, 1 if part == "pelvis" else 0, angle, "side")
    for side, x in (("left", 0.22), ("right", -0.22)):
        d.pull(f"{side} hand", np.array([x, 0.16, 0.42]))
    d.look("side")
    d.picture("Drag the hands to the box", "window")
    d.go(HELD)
    d.select("left hand", "right hand")
    d.choose("Locks", "Hold", "box", name="Hold the box")
    d.go(LIFTED)
    for part, angle in (("chest", -14.0), ("abdomen", -18.0), ("pelvis", -26.0)):
        d.turn(part, 1 if part == "pelvis" else 0, angle, "side")
    d.pull("pelvis", stand, "side")
    d.edit("box")
    d.turn("box", 1, -math.degrees(float(d.document.pose[4])), "side")
    d.pull("box", np.array([0.0, 0.86, 0.40]), "side")
    d.turn("box", 1, -math.degrees(float(d.document.pose[4])), "side")
    d.edit("human")
    d.straighten(0.0)
    d.pull("pelvis", stand - [0.0, 0.06, 0.0], "side")
    d.picture("Drag the box: the hands follow", "window")
    d.edit("human")
    return stand


def do(d: Animator) -> None:
    """Do it all."""
    stand = lift(d)
    ahead = (d.place("left foot") - stand)[2]

    def hips(x: float, z: float) -> np.ndarray:
        return np.array([x, stand[1] - 0.06, z])

    def foot(x: float, z: float, yaw: float) -> np.ndarray:
        return np.array([x + ahead * math.sin(math.radians(yaw)), 0.0, z + ahead * math.cos(math.radians(yaw))])

    step(d, "right foot", (48, 62), hips(0.00, 0.16), foot(-0.08, 0.33, 15.0), (10.0, 15.0, 10.0))
    step(d, "left foot", (62, 76), hips(0.05, 0.36), foot(0.20, 0.42, 45.0), (32.0, 45.0, 22.0))
    step(d, "right foot", (76, 90), hips(0.17, 0.54), foot(0.22, 0.70, 60.0), (54.0, 45.0, 22.0))
    step(d, "left foot", (90, 104), hips(0.34, 0.65), foot(0.50, 0.58, 90.0), (76.0, 45.0, 22.0))
    step(d, "right foot", (104, 118), hips(0.50, 0.67), foot(0.50, 0.76, 90.0), (90.0, 30.0, 14.0))
    d.look("front")
    d.picture("Round the corner", "window")
    d.go(0)
    d.choose("File", "Add figure", "Woman")
    d.look("top")
    away = 1.36
    d.pull("pelvis", np.array([away, d.place("pelvis")[1], 0.67]))
    d.turn("pelvis", 0, -90.0, "top")
    d.pull("pelvis", np.array([away, d.place("pelvis")[1], 0.67]), "top")
    d.lock("left foot", "right foot")
    d.pull("pelvis", np.array([away, d.place("pelvis")[1] - 0.03, 0.67]), "front")
    d.go(130)
    d.edit("box")
    d.pull("box", np.array([0.94, 0.92, 0.67]))
    d.edit("woman")
    for side, z in (("left", 0.89), ("right", 0.45)):
        d.pull(f"{side} hand", np.array([1.04, 0.87, z]))
    d.look("front")
    d.picture("Her hands at the box", "window")
    d.go(GIVEN)
    d.select("left hand", "right hand")
    d.choose("Locks", "Hold", "box")
    d.go(LET_GO)
    d.edit("human")
    d.choose("Locks", "Put down at this frame")
    d.go(152)
    for side, z in (("left", 0.40), ("right", 0.94)):
        d.pull(f"{side} hand", np.array([0.55, 0.80, z]))
    d.look("front")
    d.picture("He has let go", "window")
    d.go(158)
    d.edit("woman")
    d.straighten(-100.0)
    d.edit("box")
    d.pull("box", np.array([0.97, 0.82, 0.60]))
    d.go(176)
    d.edit("woman")
    d.turn("pelvis", 0, 55.0, "top")
    d.turn("chest", 2, 20.0, "top")
    d.edit("box")
    d.pull("box", np.array([0.99, 1.16, 1.02]))
    d.edit("woman")
    d.straighten(-45.0)
    d.go(THROWN)
    d.edit("woman")
    d.choose("Locks", "Throw at this frame")
    assert d.document.sequence.hybrid_strips
    d.edit("woman")
    d.go(0)
    d.choose("Edit", "Select nothing")
    d.choose("Edit", "Copy pose of the whole figure")
    d.go(198)
    d.choose("Edit", "Paste pose")
    d.edit("box")
    d.go(THROWN)
    d.choose("Physics", "Simulate or pause")
    for _ in range(200):
        settle(d.application, 0.1)
        if d.document.physics.samples and d.document.physics.samples[-1].frame > ENDS:
            break
    d.choose("Physics", "Simulate or pause")
    d.go(THROWN + 14)
    d.look("side")
    d.picture("The box flies", "window")


def film(d: Animator, path: Path) -> None:
    """Bake the flight, and make a GIF of what the work area shows of all frames."""
    d.bake()
    d.choose("Figure", "Pose mode")
    for texts in (("Control points",), ("Ghosts and trails", "Ghosts of neighbouring keys or frames")):
        d.choose("View", *texts)
    d.edit("box")
    d.go(100)
    d.look("perspective")
    d.choose("View", "Frame everything")
    d.orbit(*ORBIT)
    QApplication.sendEvent(d.view, QEvent(QEvent.Type.Leave))  # nothing is lit under the pointer
    write_gif(path, pictures_of(d.application, d.window, range(0, ENDS, STRIDE), WIDE), 30.0 / STRIDE)


def slides(sequences: dict[str, Sequence], stances: list[tuple[str, str, int, int]]) -> float:
    """Return by how much soles move while they stand, at 240 samples a second, [m].

    Args:
        sequences: By figure.
        stances: Figure, foot, first and last frame.
    """
    worst = 0.0
    for name, foot, first, last in stances:
        X = frames_of(sequences[name], foot, np.arange(first, last + 1e-9, sequences[name].fps / 240.0))
        sole = np.array([[0.0, 0.0, 0.0], [0.0, -0.1, 0.0], [0.0, 0.0, 0.2], [0.05, 0.0, 0.0]])
        places = X[:, None, :3, 3] + np.einsum("nij,kj->nki", X[:, :3, :3], sole)
        worst = max(worst, float(np.linalg.norm(places - places[:1], axis=2).max()))
    return worst


def frames_of(sequence: Sequence, part: str, frames: np.ndarray) -> np.ndarray:
    """Return the frames in the world of a part at frames of its sequence, shape (n, 4, 4)."""
    s = sequence.skeleton
    return forward_kinematics(s, sequence.poses_at_frames(frames))[:, s.joint_index(part)]


def slips(sequences: dict[str, Sequence]) -> float:
    """Return by how much hands move on what they hold, at 240 samples a second, [m]."""
    worst = 0.0
    for sequence in sequences.values():
        for strip in sequence.locks.strips:
            if strip.lock.second is None:
                continue
            other, part, point = strip.lock.second
            frames = np.arange(strip.start, (strip.end or sequence.range[1]) + 1e-9, sequence.fps / 240.0)
            X = frames_of(sequence, str(strip.lock.joint), frames)
            B = frames_of(sequences[other], part, frames)
            place, wanted = X[:, :3, :3] @ strip.lock.point + X[:, :3, 3], strip.lock.target[:3, 3]
            wanted = B[:, :3, :3] @ (point + wanted) + B[:, :3, 3]
            worst = max(worst, float(np.linalg.norm(place - wanted, axis=1).max()))
    return worst


def jump(sequence: Sequence, frame: int, part: str) -> tuple[float, float]:
    """Return by how much a part jumps at a frame, [m] and [rad]: what is left where the time around goes to zero."""
    near = 2e-4  # frames
    X = frames_of(sequence, part, frame + near * np.array([-1.0, -0.5, 0.5, 1.0]))
    moved = 2.0 * (X[2, :3, 3] - X[1, :3, 3]) - (X[3, :3, 3] - X[0, :3, 3])
    turned = 2.0 * so3.log(X[1, :3, :3].T @ X[2, :3, :3]) - so3.log(X[0, :3, :3].T @ X[3, :3, :3])
    return float(np.linalg.norm(moved)), float(np.linalg.norm(turned))


def taken_over(d: Animator, box: Sequence) -> tuple[float, float]:
    """Return by how much the simulated box is beside the keyed one at the throw, [m], and its velocity, [m/s]."""
    first, second = d.document.physics.samples[:2]
    near = 1e-3  # frames
    before = box.poses_at_frames(np.array([THROWN - near, THROWN]))[:, :3]
    came = (before[1] - before[0]) * box.fps / near
    went = (second.q[:3] - first.q[:3]) / (second.time - first.time)
    went = went + np.array([0.0, 0.5 * 9.81 * (second.time - first.time), 0.0])
    print(f"the box is thrown with {np.round(came, 2)} m/s and flies off with {np.round(went, 2)} m/s")
    return float(np.linalg.norm(first.q[:3] - before[1])), float(np.linalg.norm(went - came))


def report(d: Animator) -> bool:
    """Print what feet, hands and the box do; return whether all are where they should be."""
    sequences = {each.skeleton.name: each for each in d.document.model.shown_sequences}
    last = sequences["human"].range[1]
    stances = [*d.stances, *(("human", foot, frame, last) for foot, frame in d.planted.items())]
    stances += [("woman", foot, 0, last) for foot in d.planted]
    slid, slipped = slides(sequences, stances), slips(sequences)
    print(f"feet slide by at most {slid:.1e} m in {len(stances)} stances")
    print(f"hands slip on the box by at most {slipped:.1e} m")
    good = max(slid, slipped) <= SLIP
    for what, frame in (("held", HELD), ("held by both", GIVEN), ("let go by him", LET_GO), ("thrown", THROWN)):
        away, turned = jump(sequences["box"], frame, "box")
        print(f"where it is {what} the box jumps by {away:.1e} m and {turned:.1e} rad")
        good = good and max(away, turned) <= SLIP
    beside, faster = taken_over(d, sequences["box"])
    print(f"physics takes it over {beside:.1e} m and {faster:.1e} m/s beside its keys")
    return good and beside <= SLIP and faster <= 0.05


def main(words: list[str]) -> int:
    """Do it."""
    folder = Path(words[0]) if words else None
    application, window = shown_window(SIZE)
    QCursor.setPos(window.mapToGlobal(window.rect().bottomRight()))
    settle(application, 0.5)
    d = Animator(application, window, folder)
    do(d)
    good = report(d)
    if folder is not None:
        film(d, folder / "carry-a-box.gif")
    print(f"a person takes about {d.seconds:.0f} s")
    window.stop()
    window.close()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
