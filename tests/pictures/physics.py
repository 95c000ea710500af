"""Physics mode: simulating, paused, pulled, with things in the world, and with nothing simulated yet."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from PySide6.QtWidgets import QApplication

from app.window.main_window import MainWindow
from core.formats.bundled import bundled_folder
from tests.pictures.driving import State, settle_here


def wait_for(seconds: float, window: MainWindow) -> None:
    """Let it simulate until so much has been simulated, at most a minute."""
    physics, began = window.document.physics, time.monotonic()
    while time.monotonic() - began < 60.0:
        QApplication.processEvents()
        if physics.current is not None and physics.current.time >= seconds:
            return
        time.sleep(0.002)


def resting(window: MainWindow) -> None:
    """Physics mode, nothing simulated."""
    window.document.set_frame(16)
    window.action_table["mode_physics"].trigger()


def simulating(window: MainWindow, seconds: float = 0.4) -> None:
    """The whole figure falls from a step of its walk."""
    resting(window)
    window.document.physics.start()
    wait_for(seconds, window)
    window.document.physics.pause()


def directed(window: MainWindow, preset: str = "stumble", speed: float = 0.9) -> None:
    """The man is told to stumble, and pushed from behind."""
    window.document.files.open(bundled_folder() / "human.scr")
    resting(window)
    window.document.set_frame(0)
    window.action_table[f"direct_{preset}"].trigger()
    physics = window.document.physics
    physics.start()
    wait_for(0.1, window)
    physics.throw(np.array([0.0, 0.0, speed]))
    wait_for(0.7, window)
    physics.pause()


def braced(window: MainWindow) -> None:
    """The man is told to brace, and falls backwards."""
    directed(window, "brace", -1.0)


def hybrid(window: MainWindow) -> None:
    """Arms and trunk are dynamic, the legs follow their keys by motors."""
    document = window.document
    skeleton = document.skeleton
    assert skeleton is not None
    groups = {name: [skeleton.joint_names[joint] for joint in joints] for name, joints in skeleton.groups if name}
    for name, joints in groups.items():
        if name.lower() != "root":
            legs = "leg" in name
            document.hybrid.add(joints, 16 + 2 * legs, 46, "motor" if legs else "dynamic")
    simulating(window)


def pulled(window: MainWindow) -> None:
    """A hand is pulled while it runs."""
    resting(window)
    physics, skeleton = window.document.physics, window.document.skeleton
    assert skeleton is not None
    physics.start()
    wait_for(0.1, window)
    hand = skeleton.joint_index("right hand")
    here = window.area.host.scene.poses[hand, :3, 3]
    physics.begin_pull(hand, (0.0, 0.0, 0.0), here + np.array([0.3, 0.5, 0.4]))
    wait_for(0.4, window)


def world(window: MainWindow) -> None:
    """A box and stairs in the world, the figure on its way down."""
    resting(window)
    window.action_table["add_stairs"].trigger()
    window.action_table["add_box"].trigger()
    window.document.physics.start()
    wait_for(0.5, window)
    window.document.physics.pause()


def ground(window: MainWindow, kind: str = "hills") -> None:
    """The man on hills, their numbers open in the panel."""
    from app.panels.physics.panel import PhysicsPanel
    from core.preview.grounds import HillsGround, StairsGround

    window.document.files.open(bundled_folder() / "human.scr")
    source = HillsGround(0.6, 3.0) if kind == "hills" else StairsGround(start=0.4)
    window.document.physics.settings.edit("Ground", ground=source)
    resting(window)
    window.document.set_frame(0)
    panel = next(each for each in window.panels if isinstance(each, PhysicsPanel))
    panel.world.header.setChecked(True)
    panel.world.header.show_body()
    window.document.physics.start()
    wait_for(0.5, window)
    window.document.physics.pause()


def stairs(window: MainWindow) -> None:
    """The man on stairs."""
    ground(window, "stairs")


def method(window: MainWindow) -> None:
    """The figure falls by another method, which leaves out the floor; a ball and a string are in the world."""
    from app.panels.physics.panel import PhysicsPanel

    resting(window)
    panel = next(each for each in window.panels if isinstance(each, PhysicsPanel))
    panel.method.method.picked.emit("redmax")
    window.document.physics.start()
    wait_for(0.3, window)
    window.document.physics.pause()


def contacts(window: MainWindow) -> None:
    """The same with the floor, by staggered projections."""
    window.document.physics.settings.edit("Set contacts", contact_method="staggered_projections")
    method(window)


def torques(window: MainWindow) -> None:
    """An elbow that a keyed torque drives; its curve is on the strip and below the rows, a key of it dragged."""
    from core.animation.hybrid_strips import HybridStrip
    from core.animation.torque_curves import TorqueCurve

    keys = ((0.0, 0.0), (6.0, 4.0), (14.0, -3.0), (22.0, 0.0))
    strip = HybridStrip(("right forearm",), 10, 40, torques=(TorqueCurve("right forearm", 0, keys),))
    window.document.hybrid.set((strip,))
    resting(window)
    window.timeline.dynamics.board.select(strip.id)
    window.document.physics.start()
    wait_for(0.4, window)
    window.document.physics.pause()


def torque_drag(window: MainWindow) -> None:
    """A shoulder with torques about two of its axes; a key of one is being dragged."""
    from PySide6.QtCore import QPointF, Qt
    from PySide6.QtTest import QTest

    from core.animation.hybrid_strips import HybridStrip
    from core.animation.torque_curves import TorqueCurve

    name = "right upper arm"
    curves = (
        TorqueCurve(name, 0, ((0.0, 0.0), (8.0, 6.0), (20.0, 1.0))),
        TorqueCurve(name, 2, ((2.0, -2.0), (12.0, -4.0), (24.0, 3.0))),
    )
    strip = HybridStrip((name, "right forearm"), 8, 38, torques=curves)
    window.document.hybrid.set((strip,))
    resting(window)
    band = window.timeline.torques
    window.timeline.dynamics.board.select(strip.id)
    QApplication.processEvents()
    start = band.place(8.0, 6.0).toPoint()
    QTest.mousePress(band, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start)
    for part in (0.5, 1.0):
        QTest.mouseMove(band, start + QPointF(part * 34.0, part * 14.0).toPoint())


def first_torque(window: MainWindow) -> None:
    """A strip of one joint is selected, and has no torque yet."""
    from core.animation.hybrid_strips import HybridStrip

    strip = HybridStrip(("right forearm",), 10, 40)
    window.document.hybrid.set((strip,))
    resting(window)
    window.timeline.dynamics.board.select(strip.id)


def bodies(window: MainWindow) -> None:
    """A box, a ball that moves and a string in the world, their numbers in the panel; nothing is simulated."""
    resting(window)
    window.document.selection.set(["left hand"])
    for action in ("add_box", "add_moving_ball", "add_string"):
        window.action_table[action].trigger()
    window.action_table["frame_all"].trigger()


def muscle_arm(window: MainWindow) -> None:
    """A muscle with a keyed activation lifts a forearm and the weight that hangs on its hand by a string."""
    lifting(window, 0.95)


def lifting(window: MainWindow, seconds: float) -> None:
    """Attach a string and a muscle with the mouse, key when the muscle acts, and let it lift for some seconds."""
    from PySide6.QtCore import QPoint, Qt
    from PySide6.QtTest import QTest

    from core.animation.hybrid_strips import HybridStrip
    from tests.support.attaching import attach, pixel_of

    document, arm = window.document, ("right upper arm", "right forearm", "right hand")
    document.files.open(bundled_folder() / "human.scr")
    window.action_table["mode_physics"].trigger()
    document.hybrid.set((HybridStrip(arm[1:], 0, None),))
    window.action_table["add_moving_ball"].trigger()
    hand = window.area.host.scene.poses[document.skeleton.joint_index(arm[2]), :3, 3]
    below, settings = hand - np.array([0.0, 0.4, 0.0]), document.physics.settings
    weight = replace(settings.now.rigid_bodies[0], size=(0.07,), mass=3.0, position=below)
    settings.edit("A weight under the hand", rigid_bodies=(weight,))
    document.selection.set(("chest", "right thigh", *arm))
    settle_here(window, 0.5)
    window.action_table["frame_selected"].trigger()
    settle_here(window, 1.2)
    document.selection.set(())
    attach(window, "string", pixel_of(window, arm[2]), pixel_of(window, below))
    places = pixel_of(window, arm[0], 0.15), pixel_of(window, arm[0], 0.75), pixel_of(window, arm[1], 0.3)
    attach(window, "muscle", *places)
    QTest.mouseMove(window.area.work_view, QPoint(60, 200))
    settle_here(window, 0.1)
    band = window.timeline.activations
    for frame, active in ((1.0, 0.02), (14.0, 0.2), (32.0, 0.3)):
        at = band.place(frame, active).toPoint()
        QTest.mouseDClick(band, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
        QTest.mouseRelease(band, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    if seconds:
        document.physics.start()
        wait_for(seconds, window)
        document.physics.pause()


def muscle_set_up(window: MainWindow) -> None:
    """The same before anything is simulated."""
    lifting(window, 0.0)


def muscle_without_keys(window: MainWindow) -> None:
    """A muscle that is as active all the time, its numbers in the panel."""
    from tests.support.attaching import attach, pixel_of

    resting(window)
    window.action_table["frame_all"].trigger()
    settle_here(window, 0.5)
    attach(window, "muscle", pixel_of(window, "right upper arm"), pixel_of(window, "right forearm"))
    window.document.physics.show_in_world("forces", 0)


def attaching(window: MainWindow) -> None:
    """A spring and a rope hang from a raised box, and a muscle is on its way to its next point."""
    from PySide6.QtTest import QTest

    from tests.support.attaching import attach, begin, click, pixel_of

    resting(window)
    window.action_table["frame_all"].trigger()
    settle_here(window, 0.5)
    view = window.area.work_view
    attach(window, "spring", pixel_of(window, "left upper arm"), pixel_of(window, (0.9, 0.0, 0.3)))
    attach(window, "rope", pixel_of(window, "head"), pixel_of(window, "left foot"))
    begin(window, "muscle")
    click(window, pixel_of(window, "right thigh"))
    QTest.mouseMove(view, pixel_of(window, "right shank"))


def two_figures(window: MainWindow) -> None:
    """A rope from hand to hand of two figures, a spring that is attached from the menu, and a name being typed."""
    from app.panels.physics.panel import PhysicsPanel
    from core.skeleton import load_skeleton
    from tests.support.attaching import attach, pixel_of

    document = window.document
    document.files.open(bundled_folder() / "human.scr")
    document.figures.add(load_skeleton(bundled_folder() / "woman.scr"))
    window.action_table["mode_pose"].trigger()
    q = document.pose.copy()
    q[0] += 0.9
    document.posing.set(q)
    document.keys.set(0)
    document.sequences.show(0)
    window.action_table["mode_physics"].trigger()
    window.action_table["frame_all"].trigger()
    settle_here(window, 1.5)
    frames = window.area.host.scene.world_around.part_frames()
    hers = frames[f"{document.model.figure_names[1]}: right forearm"][:3, 3]
    attach(window, "rope", pixel_of(window, "left forearm"), pixel_of(window, hers))
    document.selection.set(["right thigh", "left shank"])
    window.action_table["attach_spring_between"].trigger()
    panel = next(each for each in window.panels if isinstance(each, PhysicsPanel)).world
    if panel.rows:  # narrow windows have no room for panels
        panel.rows[-1].name_field.setFocus()
        panel.rows[-1].name_field.setText("between the knees")


STATES: tuple[State, ...] = (
    ("physics_resting", resting, "dark", (1600, 1000)),
    ("physics_directed", directed, "dark", (1600, 1000)),
    ("physics_directed_light", directed, "light", (1024, 680)),
    ("physics_braced", braced, "dark", (1600, 1000)),
    ("physics_simulating", simulating, "dark", (1600, 1000)),
    ("physics_light", simulating, "light", (1600, 1000)),
    ("physics_small", simulating, "dark", (1024, 680)),
    ("physics_hybrid", hybrid, "dark", (1600, 1000)),
    ("physics_world", world, "light", (1600, 1000)),
    ("physics_ground", ground, "dark", (1600, 1000)),
    ("physics_stairs", stairs, "light", (1024, 680)),
    ("physics_method", method, "dark", (1600, 1000)),
    ("physics_method_light", method, "light", (1600, 1000)),
    ("physics_contacts", contacts, "dark", (1600, 1000)),
    ("physics_contacts_light", contacts, "light", (1280, 720)),
    ("physics_torques", torques, "dark", (1600, 1000)),
    ("physics_torques_light", torques, "light", (1600, 1000)),
    ("physics_torques_small", torques, "dark", (1280, 720)),
    ("physics_torque_drag", torque_drag, "dark", (1600, 1000)),
    ("physics_torque_drag_light", torque_drag, "light", (1280, 720)),
    ("physics_first_torque", first_torque, "dark", (1600, 1000)),
    ("physics_bodies", bodies, "dark", (1600, 1000)),
    ("physics_bodies_light", bodies, "light", (1280, 720)),
    ("physics_method_small", method, "light", (1280, 720)),
    ("physics_muscle_arm", muscle_arm, "dark", (1600, 1000)),
    ("physics_muscle_without_keys", muscle_without_keys, "light", (1024, 680)),
    ("physics_muscle_arm_light", muscle_arm, "light", (1600, 1000)),
    ("physics_muscle_arm_small", muscle_arm, "dark", (1000, 650)),
    ("physics_muscle_arm_small_light", muscle_arm, "light", (1000, 650)),
    ("physics_muscle_set_up", muscle_set_up, "light", (1280, 720)),
    ("physics_two_figures", two_figures, "dark", (1600, 1000)),
    ("physics_two_figures_light", two_figures, "light", (1000, 650)),
    ("physics_attaching", attaching, "dark", (1600, 1000)),
    ("physics_attaching_light", attaching, "light", (1000, 650)),
    ("physics_pulled", pulled, "dark", (1600, 1000)),
)
