"""The panels of the window's docks. A new panel is one new file and one line here."""

from app.panels.joints import JointsPanel
from app.panels.locks import LocksPanel
from app.panels.skeleton import SkeletonPanel
from app.panels.solver import SolverPanel
from app.widgets.dock import Panel

PANELS: tuple[type[Panel], ...] = (JointsPanel, SolverPanel, SkeletonPanel, LocksPanel)

__all__ = ["PANELS", "JointsPanel", "LocksPanel", "Panel", "SkeletonPanel", "SolverPanel"]
