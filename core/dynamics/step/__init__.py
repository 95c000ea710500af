"""The step of the preview: bodies that fall, touch, slide and are held, one short step after the other."""

from core.dynamics.step.locks import OrientationLock, PairLock, PlaneLock, PointLock, String
from core.dynamics.step.readings import Snapshot
from core.dynamics.step.settings import StepReport, StepSettings
from core.dynamics.step.stepper import Stepper

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
