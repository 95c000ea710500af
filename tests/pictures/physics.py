"""Physics mode: simulating, paused, pulled, with things in the world, and with nothing simulated yet."""

from __future__ import annotations

import time

import numpy as np
from PySide6.QtWidgets import QApplication

from app.window.main_window import MainWindow
from tests.pictures.driving import State


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


STATES: tuple[State, ...] = (
    ("physics_resting", resting, "dark", (1600, 1000)),
    ("physics_simulating", simulating, "dark", (1600, 1000)),
    ("physics_light", simulating, "light", (1600, 1000)),
    ("physics_small", simulating, "dark", (1024, 680)),
    ("physics_hybrid", hybrid, "dark", (1600, 1000)),
    ("physics_world", world, "light", (1600, 1000)),
    ("physics_pulled", pulled, "dark", (1600, 1000)),
)
