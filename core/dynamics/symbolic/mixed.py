"""Method II: recursions 1 to 3 as generated code, 4 to 6 with matrices.

Source: Si & Guenter eqs. 27-35, as they stand there but for (30), which needs Ad*, and (31), which needs tau-bar.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from core.arrays import Array
from core.dynamics import recursive
from core.dynamics.symbolic import mixed_kernel
from core.dynamics.symbolic.mixed_kernel import BLOCKS
from core.dynamics.symbolic.records import layout
from core.dynamics.symbolic.tree import SymbolicTree
from core.kernels import serving

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel


class _Mixed:
    """What both halves go by. Nobody else writes to these records between them."""

    def __init__(self, model: TreeModel):
        self.tree = SymbolicTree(model)
        self.joints, self.inertias, self.least = self.tree.joints(), self.tree.inertias(), self.tree.least()
        places = layout("hinge", 1)
        self.constants = np.array([places[name].start for name in ("turn", "shift", "tilt")], dtype=np.int64)
        self.work = np.zeros((len(self.joints), BLOCKS, 36))

    def accelerations(self, x: Array, v: Array, tau: Array, wrenches: Array) -> Array | None:
        """Return the accelerations; None if a pivot may be nothing but rounding or something is not finite."""
        bar, out, tree = np.empty(len(x)), np.empty(len(x)), self.tree
        with tree.lock:
            if not tree.efforts(x, v, tau, wrenches, bar):
                return None
            given = tree.records, self.joints, self.constants, self.inertias, self.least
            good = serving(mixed_kernel).accelerations(*given, x, bar, self.work, out)
        return out if good and np.isfinite(out).all() else None


def forward_dynamics(model: TreeModel, x: Array, v: Array, tau: Array, wrenches: Array) -> Array:
    """Return the accelerations, shape (nv,); new. Arguments and errors as of ``recursive.forward``."""
    x, v, tau = (np.require(array, requirements=["C", "W"]) for array in (x, v, tau))
    vdot = _mixed_of(model).accelerations(x, v, tau, wrenches)
    return recursive.forward(model, x, v, tau, wrenches) if vdot is None else vdot


_known: WeakKeyDictionary[TreeModel, _Mixed] = WeakKeyDictionary()


def _mixed_of(model: TreeModel) -> _Mixed:
    found = _known.get(model)
    if found is None:
        found = _known.setdefault(model, _Mixed(model))
    return found
