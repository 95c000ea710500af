"""All tools, and which of them the mouse belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QPainter

from app.document.changes import Change, FigureChanged, FileChanged, PhysicsChanged, SessionChanged
from app.scene.pointing import Pointer, SceneView
from app.tools.add_joints import AddJointTool
from app.tools.attach import AttachTool
from app.tools.base import Hint, Tool
from app.tools.control_points import ControlTool
from app.tools.drag import DragTool
from app.tools.draw_path import PathTool
from app.tools.draw_way import WayTool
from app.tools.footprints import FootprintTool
from app.tools.joints import JointTool
from app.tools.lock_tool import LockTool
from app.tools.look import LookTool
from app.tools.motion_marks import MotionTool
from app.tools.physics import PhysicsTool
from app.tools.picking import pick_near
from app.tools.rotate import RotateTool
from app.tools.select import SelectTool
from app.tools.turn_part import TurnPartTool
from core.kinematics.picking import Hit
from core.skeleton.control_points import HEAD_POINT

if TYPE_CHECKING:
    from app.document.document import Document
    from app.scene.scene import Scene

TOOLS: tuple[type[Tool], ...] = (
    SelectTool, DragTool, RotateTool, TurnPartTool, LockTool, PhysicsTool, AttachTool, JointTool, AddJointTool,
    LookTool, PathTool, WayTool,
)  # fmt: skip
PAIR = "point_pair"
"""Kind of lock whose glyph drags the part itself."""
_ENDING = (
    (FileChanged, "opened"),
    (SessionChanged, "tool"),
    (SessionChanged, "mode"),
    (SessionChanged, "joint_tool"),
    (SessionChanged, "turn_mode"),
    (SessionChanged, "placing"),
)


class Toolbox:
    """One tool of each kind; the session says which one works.

    Args:
        document: The open document.
        scene: The posed figure as the views see it.
    """

    def __init__(self, document: Document, scene: Scene):
        self.document = document
        self._scene = scene
        self.tools: dict[str, Tool] = {kind.name: kind(document, scene) for kind in TOOLS}
        self.motion = MotionTool(document, scene)
        self.controls = ControlTool(document, scene)
        self.prints = FootprintTool(document, scene)
        way = self.tools[WayTool.name]
        assert isinstance(way, WayTool)
        way.change = self.prints.change
        self._held: Tool | None = None

    @property
    def locks(self) -> LockTool:
        """The tool for locks, which takes presses on their glyphs from some of the other tools."""
        tool = self.tools[LockTool.name]
        assert isinstance(tool, LockTool)
        return tool

    @property
    def current(self) -> Tool:
        """The tool that takes the mouse; the one in the middle of a gesture keeps it."""
        if self._held is not None:
            return self._held
        if self.controls.over:
            return self.controls
        if self.motion.over:
            return self.motion
        return self.prints if self.prints.over else self._tool

    @property
    def _tool(self) -> Tool:
        """The tool that takes the mouse where no control point, no bead and no ghost is under it."""
        return self.locks if self._lends and self.locks.over else self._chosen

    @property
    def _lends(self) -> bool:
        """Whether the active tool leaves glyphs of locks to the tool for locks: it paints nothing over them."""
        session = self.document.session
        return session.mode == "pose" and not self._placing and session.tools.tool in (SelectTool.name, DragTool.name)

    @property
    def _placing(self) -> str | None:
        """The tool that places something for the selected part, or draws a way, by name; None for none."""
        session = self.document.session
        needs_part = session.tools.placing != WayTool.name
        if session.mode != "pose" or self.document.skeleton is None:
            return None
        return None if needs_part and not self.document.selection.joints else session.tools.placing

    @property
    def _chosen(self) -> Tool:
        """The tool that the session says is active."""
        session = self.document.session
        if session.mode == PhysicsTool.name:
            return self.tools[PhysicsTool.name if self.document.physics.attaching is None else AttachTool.name]
        if self._placing is not None:
            return self.tools[self._placing]
        name = f"joint_{session.tools.joint_tool}" if session.mode == "skeleton" else session.tools.tool
        if name == RotateTool.name and session.tools.turn_mode == "chain":
            name = TurnPartTool.name
        return self.tools.get(name, self.tools[TOOLS[0].name])

    @property
    def active(self) -> bool:
        """Whether a gesture is in progress."""
        return self.current.active

    def press(self, view: SceneView, pointer: Pointer) -> None:
        """Begin a gesture of the current tool."""
        self.cancel()
        self._look(view, pointer)
        other = self._other_under(view, pointer)
        if other is not None and self.document.figures.show(other):
            self._look(view, pointer)
        tool = self.current
        if tool is not self.prints:
            self.prints.choose_none(view)
        if tool is self.locks and not self.locks.gripped(view, pointer):
            self.locks.find(view, pointer, spares=self._lends)
            mark = self.locks.over_mark
            if mark is not None and (pointer.shift or pointer.ctrl):
                tool.select(Hit(mark.joint, mark.here, 0.0), pointer)
                return
            drag = self.tools[DragTool.name]
            if mark is not None and mark.kind == PAIR and isinstance(drag, DragTool):
                self.document.session.locks.selected = mark.id
                self._held = drag
                drag.take(view, pointer, mark.joint)
                return
        turn, point = self.tools[TurnPartTool.name], self.controls.point
        if tool is self.controls and point is not None and point.role == HEAD_POINT and isinstance(turn, TurnPartTool):
            if not (pointer.shift or pointer.ctrl):
                tool.select(tool.pick(view, pointer), pointer)
                if turn.take(view, pointer, point.joint):
                    self._held = turn
                    return
        self._held = tool
        tool.press(view, pointer)

    def double_click(self, view: SceneView, pointer: Pointer) -> None:
        """Take a double click: what is under it is looked for anew, for a first click may have changed it."""
        self.cancel()
        self._look(view, pointer)
        self.current.double_click(view, pointer)

    def part_at(self, view: SceneView, x: float, y: float) -> int | None:
        """Return the part that a right click means: that of a control point, else the one under the pixel, or None."""
        point = self._scene.controls.at(view, x, y) if self._lends else None
        if point is not None:
            return point.joint
        hit = pick_near(self._scene, view, x, y)
        return None if hit is None else hit.joint

    def _look(self, view: SceneView, pointer: Pointer) -> None:
        """Find what a press takes instead of the active tool: a control point, what of a lock, what of the motion.

        The glyph of the lock that holds a point goes before the point, which it covers, and so does a bead that is
        nearer. A footprint lies on the ground, so it comes last.
        """
        self._look_at_marks(view, pointer)
        if self._leaves_ground(view, pointer):
            self.prints.find(view, pointer)
        else:
            self.prints.forget(view)

    def _leaves_ground(self, view: SceneView, pointer: Pointer) -> bool:
        """Return whether a press takes nothing but what lies on the ground, as far as was looked."""
        if self.document.session.mode != "pose" or self._placing is not None or self._scene.skeleton is None:
            return False
        if self.controls.over or self.motion.over or (self._lends and self.locks.over):
            return False
        return not self._chosen.takes(view, pointer) and pick_near(self._scene, view, pointer.x, pointer.y) is None

    def _look_at_marks(self, view: SceneView, pointer: Pointer) -> None:
        if self._lends:
            self.locks.find(view, pointer, spares=True)
            point, mark = self.controls.find(view, pointer) and self.controls.point, self.locks.over_mark
            if point and mark is not None and mark.joint == point.joint:
                self.controls.forget()
            elif point:
                self.locks.leave()
        else:
            self.controls.forget()
        if self._lends and self.locks.over:
            self.motion.leave()
            return
        if self._placing is not None:
            self.motion.leave()
            return
        self.motion.find(view, pointer, self._chosen)
        if self.controls.over and self.motion.over:
            if self.motion.distance(view, pointer) < self.controls.distance(view, pointer):
                self.controls.forget()
            else:
                self.motion.leave()

    def hover(self, view: SceneView, pointer: Pointer) -> None:
        """Show what a press would take."""
        self._look(view, pointer)
        other = self._other_under(view, pointer)
        self._light(other)
        if other is None:
            self.current.hover(view, pointer)
        else:
            self.current.leave()

    def _other_under(self, view: SceneView, pointer: Pointer) -> int | None:
        """Return the number of another figure that a press goes to: the pointer is over it, and nothing lies before.

        What tools and marks take hold of lies before all figures.
        """
        session = self.document.session
        tool = self.current
        if (
            session.mode != "pose"
            or self._placing is not None
            or tool in (self.motion, self.controls)
            or (tool is self.locks and self.locks.over)
        ):
            return None
        hit = self._scene.others.pick(*view.ray(pointer.x, pointer.y))
        if hit is None or tool.takes(view, pointer):
            return None
        own = pick_near(self._scene, view, pointer.x, pointer.y)
        return hit.figure if own is None or hit.distance < own.distance else None

    def _light(self, figure: int | None) -> None:
        view = self.document.session.view
        if view.hovered_figure != figure:
            view.hovered_figure = figure

    def paint(self, view: SceneView, painter: QPainter) -> None:
        """Draw the marks of the tool that takes the mouse over the work area."""
        if self.current in (self.motion, self.prints):
            self._tool.paint(view, painter)
        self.current.paint(view, painter)

    def leave(self) -> None:
        """Take note that the pointer left the views, or that a press there takes nothing now."""
        if self._held is None:
            self.locks.leave()
            self.motion.leave()
            self.controls.forget()
            self.prints.forget()
            self._light(None)
        self.current.leave()

    def move(self, view: SceneView, pointer: Pointer) -> None:
        """Carry the gesture on."""
        if self._held is not None:
            self._held.move(view, pointer)

    def release(self, view: SceneView, pointer: Pointer) -> None:
        """End the gesture."""
        held, self._held = self._held, None
        if held is not None:
            held.release(view, pointer)

    def cancel(self) -> bool:
        """Give up the gesture in progress; return whether there was one."""
        held, self._held = self._held, None
        if held is None or not held.active:
            return False
        held.cancel()
        return True

    def nudge(self, view: SceneView, right: int, up: int, fine: bool, whole: bool = False) -> None:
        """Move the part or joint selected last by 1 cm (``fine``: 1 mm) in the view plane; never mid-gesture.

        With ``whole`` the whole figure moves along. With the tool for locks active it is the selected lock's target
        that moves, and a footprint that is chosen.
        """
        if self.document.session.mode == "physics":
            return
        if not self.active and self.prints.nudge(view, right, up, fine):
            return
        locks = not self.active and not whole and self.document.session.mode == "pose" and self._chosen is self.locks
        if locks and self.locks.nudge(view, right, up, fine):
            return
        tool = self.tools[JointTool.name if self.document.session.mode == "skeleton" else DragTool.name]
        if not self.active and isinstance(tool, DragTool):
            tool.nudge(view, right, up, fine, whole)
        elif not self.active and isinstance(tool, JointTool):
            tool.nudge(view, right, up, fine)

    def turn(self, number: int, direction: int, fine: bool) -> str:
        """Turn one angle of the part selected last by a step; return what to say of it, "" mid-gesture."""
        tool = self.tools[RotateTool.name]
        if self.active or self.document.session.mode != "pose" or not isinstance(tool, RotateTool):
            return ""
        return tool.step(number, direction, fine)

    def step_selection(self, up: bool) -> None:
        """Select the nearest part above or below the one selected last; the first part if none is.

        While the skeleton is edited joints without a body count too.
        """
        document, skeleton = self.document, self.document.skeleton
        if skeleton is None:
            return
        bare = document.session.mode == "skeleton"
        if not document.selection.joints:
            parts = (i for i, joint in enumerate(skeleton.joints) if bare or joint.has_body)
            document.selection.set((next(parts, 0),))
            return
        joint = document.selection.joints[-1]
        while joint >= 0:
            below = skeleton.children[joint]
            joint = skeleton.joints[joint].parent if up else (below[0] if below else -1)
            if joint >= 0 and (bare or skeleton.joints[joint].has_body):
                document.selection.set((joint,))
                return

    def hints(self) -> list[Hint]:
        """Return (key, what it does) for everything that works now."""
        return self.current.hints()

    def take(self, change: Change) -> None:
        """Give up a gesture whose ground has gone: another figure, another tool."""
        what = (type(change), change.name)
        if isinstance(change, (FigureChanged, FileChanged)):
            self.motion.forget()
            self.controls.forget()
            self.prints.forget()
        if isinstance(change, FigureChanged) or what in _ENDING or what == (PhysicsChanged, "attaching"):
            self.tools[AttachTool.name].cancel()
        if self._held is not None and (isinstance(change, FigureChanged) or what in _ENDING):
            self.cancel()
