"""Several figures and props: a walk past a woman, a box and a ball, the scene panel open beside them."""

from __future__ import annotations

from app.actions.figures import PROPS
from app.panels.scene.panel import ScenePanel
from app.window.main_window import MainWindow
from core.formats.bundled import bundled_folder
from tests.pictures.driving import State, settle_here


def several(window: MainWindow) -> None:
    """A man, a woman who is edited, a box and a ball."""
    document = window.document
    document.files.add_figure(bundled_folder() / "woman.scr")
    for name, _, make in PROPS[:2]:
        document.figures.add(make(), f"Add {name}", beside=True)
    panel = next(panel for panel in window.panels if isinstance(panel, ScenePanel))
    window.workbench.show_panel(panel)
    document.figures.show(2)
    document.set_frame(20)
    q = document.pose.copy()
    q[:3] += 0.1, 0.5, 0.35
    q[3] += 0.5
    document.posing.set(q)
    document.set_frame(12)
    document.session.view.overlays["ghosts"] = False
    window.area.frame_all()
    settle_here(window, 0.6)
    window.area.turn(-130.0, 5.0)
    settle_here(window, 0.6)


def scene_light(window: MainWindow) -> None:
    """The same with one figure hidden and one that clicks pass by."""
    several(window)
    window.document.session.view.hidden_figures = {"ball"}
    window.document.session.view.fixed_figures = {"woman"}


STATES: tuple[State, ...] = (
    ("several-dark", several, "dark", (1600, 1000)),
    ("several-light", scene_light, "light", (1000, 650)),
)
