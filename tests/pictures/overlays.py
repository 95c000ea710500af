"""What physics mode draws over the figure: all marks at once, and a world that is not level."""

from __future__ import annotations

import numpy as np

from app.window.main_window import MainWindow
from tests.pictures.driving import State
from tests.pictures.physics import resting, wait_for


def every_mark(window: MainWindow) -> None:
    """All marks are on while the figure lands."""
    resting(window)
    physics = window.document.physics
    for name in physics.overlays:
        physics.overlays.set(name, on=True)
    physics.start()
    wait_for(0.45, window)
    physics.pause()


def tilted(window: MainWindow) -> None:
    """A tilted floor with a ramp, a box and a ball on it; a hand hangs on a string."""
    from core.dynamics.contact.obstacles import BoxObstacle, Ramp
    from core.dynamics.contact.world import Floor
    from core.preview.rigid_bodies import PhysicsString, RigidBody

    resting(window)
    floor = Floor.tilted(0.2, 0.6)
    box, ramp = np.array([-0.9, 0.0, 0.6]), np.array([0.9, 0.0, 0.2])
    for place in (box, ramp):
        place[1] = floor.height_at(place[0], place[2])
    window.document.physics.settings.edit(
        "World",
        floor=floor,
        obstacles=(BoxObstacle(np.array([0.5, 0.5, 0.5]), position=box), Ramp(1.2, 0.4, 0.7, position=ramp)),
        rigid_bodies=(RigidBody("ball", (0.14,), 2.0, np.array([0.3, 0.6, 1.3])),),
        strings=(PhysicsString("right hand", np.array([-0.3, 2.1, 0.6]), 1.3),),
    )
    window.document.physics.start()
    wait_for(0.2, window)
    window.document.physics.pause()
    window.area.frame_all()


STATES: tuple[State, ...] = (
    ("overlays_all", every_mark, "dark", (1600, 1000)),
    ("overlays_all_light", every_mark, "light", (1440, 900)),
    ("overlays_tilted", tilted, "light", (1600, 1000)),
)
