"""What parts of a simulation see of the whole: its figures, the model made of them, and the stepper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from core.dynamics.engine import Stepper
    from core.dynamics.multibody import Multibody
    from core.preview.actor import Actor
    from core.preview.keyed_states import KeyedStates
    from core.preview.settings import PhysicsSettings

Mask = NDArray[np.bool_]


class Simulated(Protocol):
    """A simulation, as those that work for it know it.

    Attributes:
        actors: The figures.
        settings: What it goes by.
        keyed: The keyed states of each figure.
        moved: For each figure which of its joints forces carry along now, shape (n_joints,).
        model: All bodies.
        stepper: What moves them.
    """

    actors: list[Actor]
    settings: PhysicsSettings
    keyed: list[KeyedStates]
    moved: list[Mask]
    model: Multibody
    stepper: Stepper

    def prescribed(self) -> Mask:
        """Return which coordinates move as prescribed, shape (nv,)."""
        ...
