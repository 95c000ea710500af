"""The step of the preview: bodies that fall, touch, slide and are held, one short step after the other."""

from core.dynamics.engine.locks import OrientationLock, PairLock, PlaneLock, PointLock, String
from core.dynamics.engine.readings import Snapshot
from core.dynamics.engine.settings import StepReport, StepSettings
from core.dynamics.engine.stepper import Stepper

__all__ = [
    "OrientationLock",
    "PairLock",
    "PlaneLock",
    "PointLock",
    "Snapshot",
    "StepReport",
    "StepSettings",
    "Stepper",
    "String",
]
