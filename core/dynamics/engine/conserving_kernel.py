"""Energy and momentum of trees at any velocities, and velocities that have given ones: the flight's, for Python."""

from __future__ import annotations

from core.dynamics.engine.integrate_kernel import note_conserved, put_conserved
from core.dynamics.engine.memory import Memory
from core.dynamics.engine.motion_kernel import stand
from core.kernels import kernel


@kernel
def measure_trees(memory: Memory) -> None:
    """Write energy and momentum of each tree into ``conserved``, where the coordinates are and at the velocities."""
    stand(memory)
    note_conserved(memory, 0.0)


@kernel
def conserve(memory: Memory) -> None:
    """Change the velocities so that each tree has the energy and the momentum of ``conserved``."""
    stand(memory)
    put_conserved(memory)
