"""The panels of the window's docks. A new panel is one new file and one line here."""

from app.panels.history import HistoryPanel
from app.panels.joints import JointsPanel
from app.panels.library import LibraryPanel
from app.panels.locks import LocksPanel
from app.panels.overlays import OverlaysPanel
from app.panels.physics import PhysicsPanel
from app.panels.skeleton import SkeletonPanel
from app.panels.solver import SolverPanel
from app.widgets.dock import Panel

PANELS: tuple[type[Panel], ...] = (
    JointsPanel,
    SolverPanel,
    OverlaysPanel,
    SkeletonPanel,
    LibraryPanel,
    LocksPanel,
    PhysicsPanel,
    HistoryPanel,
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
    "SkeletonPanel",
    "SolverPanel",
]
