"""Leaves out what numba loads beside compiled kernels, for those that ``core.compiled`` still serves."""

from core.kernels.lean_numba import apply

__all__ = ["apply"]
