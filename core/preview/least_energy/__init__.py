"""In-betweens of least effort: :func:`least_energy` is the door."""

from __future__ import annotations

from core.preview.least_energy.solve import LeastEnergy, SoFar, least_energy, least_energy_keys

__all__ = ["LeastEnergy", "SoFar", "least_energy", "least_energy_keys"]
