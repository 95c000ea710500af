"""What a batch can do to a clip, one kind of step a file. A new kind is one file and one line in ``STEPS``."""

from app.batch.steps.cleaning import Clean
from app.batch.steps.exporting import Export
from app.batch.steps.importing import Import
from app.batch.steps.reducing import Reduce
from app.batch.steps.rendering import Render
from app.batch.steps.retargeting import Retarget
from app.batch.steps.simulating import Simulate
from app.batch.steps.step import Clip, Step, StepError

STEPS: tuple[type[Step], ...] = (Import, Clean, Retarget, Reduce, Simulate, Render, Export)
"""All kinds, by what ``do`` says in a file of steps."""

__all__ = ["STEPS", "Clip", "Import", "Simulate", "Step", "StepError"]
