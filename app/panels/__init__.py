"""The panels of the window's docks. A new panel is one new file and one line here."""

from app.panels.history.panel import HistoryPanel
from app.panels.joints.panel import JointsPanel
from app.panels.library.panel import LibraryPanel
from app.panels.locks.panel import LocksPanel
from app.panels.physics.overlays import OverlaysPanel
from app.panels.physics.panel import PhysicsPanel
from app.panels.scene.panel import ScenePanel
from app.panels.skeleton.panel import SkeletonPanel
from app.panels.solver.panel import SolverPanel
from app.widgets.frames.dock import Panel

PANELS: tuple[type[Panel], ...] = (
    JointsPanel,
    SolverPanel,
    OverlaysPanel,
    SkeletonPanel,
    LibraryPanel,
    LocksPanel,
    PhysicsPanel,
    HistoryPanel,
    ScenePanel,
)

__all__ = [
    "PANELS",
    "HistoryPanel",
    "JointsPanel",
    "LibraryPanel",
    "LocksPanel",
    "OverlaysPanel",
    "Panel",
    "PhysicsPanel",
    "ScenePanel",
    "SkeletonPanel",
    "SolverPanel",
]
