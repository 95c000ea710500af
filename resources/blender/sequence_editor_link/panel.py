"""What a person sees in Blender: a panel in the sidebar of 3D views, its operators, and where the folder is."""

from __future__ import annotations

import time
from pathlib import Path

import bpy

from . import armature_file, folders, sending, taking

PACKAGE = __package__
LOOK = 1.0  # [s] between two looks at the folder


class Watch:
    """What is known of the file that comes from the editor.

    Attributes:
        seen: Its stamp when it was looked at last; None before.
        line: What came, in a line; "" for nothing.
        problem: Why it cannot be read, or could not be taken by itself; "" if it can.
        came: What came, once it was read.
    """

    def __init__(self) -> None:
        self.seen: folders.Stamp | None = None
        self.line = self.problem = ""
        self.came: armature_file.Armature | None = None
        self._unread: Path | None = None

    def look(self, path: Path) -> bool:
        """Look at the file without reading it; return whether it is another one than before."""
        stamp = folders.stamp_of(path)
        if stamp == self.seen:
            return False
        self.seen, self.came, self.line, self.problem = stamp, None, "", ""
        self._unread = None if stamp is None else path
        return True

    def learn(self) -> None:
        """Read the file that was looked at last, unless that was done: it may be large, so it waits until wanted."""
        path, self._unread = self._unread, None
        if path is None or self.seen is None:
            return
        try:
            self.came = armature_file.read(path)
        except armature_file.LinkError as error:
            self.problem = str(error)
            return
        clock = time.strftime("%H:%M:%S", time.localtime(self.seen[2] / 1e9))
        count = len(self.came.frames)
        self.line = f"{self.came.motion}: {count} frame{'s' * (count != 1)} at {self.came.fps:g} a second, {clock}"

    def told(self) -> tuple[str, str]:
        """Return what there is to say, a problem first, and the icon for it."""
        self.learn()
        if self.problem:
            return self.problem, "ERROR"
        return (self.line, "ACTION") if self.line else ("Nothing has come yet", "NONE")


watch = Watch()


def folder() -> Path:
    """Return the folder of exchange, as the preferences say or the editor does."""
    found = bpy.context.preferences.addons.get(PACKAGE)
    chosen = found.preferences.folder if found is not None and found.preferences is not None else ""
    return folders.exchange_folder(bpy.path.abspath(chosen) if chosen else "")


def active_armature(context: bpy.types.Context) -> bpy.types.Object | None:
    """Return the armature that is meant: the active object, or the one that moves the active mesh."""
    item = context.object
    if item is not None and item.type == "MESH":
        item = item.find_armature()
    return item if item is not None and item.type == "ARMATURE" else None


class LinkPreferences(bpy.types.AddonPreferences):
    """The folder, if it is another one than the editor's."""

    bl_idname = PACKAGE

    folder: bpy.props.StringProperty(
        name="Folder",
        subtype="DIR_PATH",
        description="The folder that Sequence Editor watches; empty takes the one that the editor names",
    )

    def draw(self, context: bpy.types.Context) -> None:
        self.layout.prop(self, "folder")
        self.layout.label(text=f"Used now: {folder()}")


class LinkSettings(bpy.types.PropertyGroup):
    """Choices in the panel."""

    meshes: bpy.props.BoolProperty(
        name="Meshes", default=True, description="Send the meshes that the armature moves along with it"
    )
    mute: bpy.props.BoolProperty(
        name="Mute constraints",
        default=False,
        description="Mute constraints of bones as a motion comes, which would hold them elsewhere",
    )
    live: bpy.props.BoolProperty(
        name="Take by itself",
        default=False,
        description="Take a motion onto the active armature as soon as the editor sends it",
    )


class SendArmature(bpy.types.Operator):
    """Send the active armature, its motion and what it moves to Sequence Editor"""

    bl_idname = "sequence_editor.send"
    bl_label = "Send to Sequence Editor"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if active_armature(context) is None:
            cls.poll_message_set("Select an armature")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        figure = active_armature(context)
        if context.mode == "EDIT_ARMATURE":
            bpy.ops.object.mode_set(mode="OBJECT")  # bones that are being edited are not there yet
        settings = context.window_manager.sequence_editor_link
        made, notes = sending.armature_of(context, figure, settings.meshes)
        try:
            armature_file.write(made, folder() / folders.FROM_BLENDER)
        except armature_file.LinkError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for note in notes:
            self.report({"WARNING"}, note)
        self.report({"INFO"}, f"{made.name}: {len(made.bones)} bones, {len(made.frames)} frames sent")
        return {"FINISHED"}


def _came(operator: bpy.types.Operator) -> armature_file.Armature | None:
    """Return what came from the editor, or say why there is nothing."""
    watch.look(folder() / folders.TO_BLENDER)
    watch.learn()
    if watch.came is not None and watch.came.frames:
        return watch.came
    operator.report({"ERROR"}, watch.problem or "Nothing has come; choose File > Blender > Send motion in the editor")
    return None


def _told(operator: bpy.types.Operator, made: taking.Taken) -> None:
    """Say what came of a motion; if it could not be taken by itself, that is over."""
    watch.problem = ""
    parts = [f"{made.action.name}: {made.bones} bones, frames {made.first:g} to {made.last:g}"]
    if made.missing:
        name, count = made.missing[0], len(made.missing)
        several = f"{count} bones are not in this armature, for example {name}"
        parts.append(several if count > 1 else f"{name} is not in this armature")
    far = made.off > 1e-3
    if far:
        parts.append(f"{made.worst} is up to {made.off:.3g} m off")
        if made.constrained:
            parts.append(f"constraints act on {', '.join(made.constrained[:3])}; see Mute constraints")
    operator.report({"WARNING"} if far or made.missing else {"INFO"}, "; ".join(parts))


class TakeMotion(bpy.types.Operator):
    """Let the active armature move as Sequence Editor has it, by an action of its own; the old one is kept"""

    bl_idname = "sequence_editor.take"
    bl_label = "Take motion back"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012  # as Blender has it

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if active_armature(context) is None:
            cls.poll_message_set("Select the armature that is to move")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        figure, came = active_armature(context), _came(self)
        if came is None:
            return {"CANCELLED"}
        if not any(bone.name in figure.pose.bones for bone in came.bones):
            text = f"{figure.name} has none of the bones of {came.name}; take it as a new armature"
            self.report({"ERROR"}, text)
            return {"CANCELLED"}
        _told(self, taking.take(context, figure, came, context.window_manager.sequence_editor_link.mute))
        return {"FINISHED"}


class TakeArmature(bpy.types.Operator):
    """Make a new armature of the figure that Sequence Editor sent, with its motion"""

    bl_idname = "sequence_editor.take_new"
    bl_label = "Take as a new armature"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012  # as Blender has it

    def execute(self, context: bpy.types.Context) -> set[str]:
        came = _came(self)
        if came is None:
            return {"CANCELLED"}
        _told(self, taking.take(context, taking.new_armature(context, came), came))
        return {"FINISHED"}


class LinkPanel(bpy.types.Panel):
    """The panel."""

    bl_idname = "SEQUENCE_EDITOR_PT_link"
    bl_label = "Sequence Editor"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Animation"

    def draw(self, context: bpy.types.Context) -> None:
        column, settings = self.layout.column(), context.window_manager.sequence_editor_link
        figure = active_armature(context)
        if figure is None:
            column.label(text="Select an armature", icon="ARMATURE_DATA")
        else:
            first, last = sending.span(figure, context.scene)
            column.label(text=f"{figure.name}, frames {first} to {last}", icon="ARMATURE_DATA")
        column.operator(SendArmature.bl_idname, icon="EXPORT")
        column.prop(settings, "meshes")
        column.separator()
        line, icon = watch.told()
        column.label(text=line, icon=icon)
        column.operator(TakeMotion.bl_idname, icon="IMPORT")
        column.operator(TakeArmature.bl_idname, icon="ADD")
        column.prop(settings, "live")
        column.prop(settings, "mute")


def look() -> float:
    """Look whether the editor has sent something; Blender's timer calls this."""
    if watch.look(folder() / folders.TO_BLENDER):
        manager = bpy.context.window_manager
        for window in manager.windows:
            for area in window.screen.areas:
                if area.type == "VIEW_3D":
                    area.tag_redraw()
        if manager.sequence_editor_link.live and manager.windows:
            watch.learn()
            if watch.came is not None and watch.came.frames:
                _take_by_itself(manager.windows[0])
    return LOOK


def _take_by_itself(window: bpy.types.Window) -> None:
    """Take what came, as the button does, if an armature is active that it fits."""
    with bpy.context.temp_override(window=window):
        if TakeMotion.poll(bpy.context):
            try:
                bpy.ops.sequence_editor.take("EXEC_DEFAULT", True)  # a step to undo, which calls from Python are not
            except RuntimeError as error:  # what the operator reports as an error, after that word in any language
                watch.problem = str(error).strip().partition(": ")[2]


CLASSES = (LinkPreferences, LinkSettings, SendArmature, TakeMotion, TakeArmature, LinkPanel)


def register() -> None:
    """Make all of it known to Blender."""
    for each in CLASSES:
        bpy.utils.register_class(each)
    bpy.types.WindowManager.sequence_editor_link = bpy.props.PointerProperty(type=LinkSettings)
    # What was there before is shown, and not taken by itself; it is not read as Blender starts.
    watch.look(folder() / folders.TO_BLENDER)
    bpy.app.timers.register(look, first_interval=LOOK, persistent=True)


def unregister() -> None:
    """Undo ``register``."""
    if bpy.app.timers.is_registered(look):
        bpy.app.timers.unregister(look)
    del bpy.types.WindowManager.sequence_editor_link
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
