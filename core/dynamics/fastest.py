"""The formulation that has proved fastest for a model: the general kernels, or code generated for it.

Which it is, is measured in the process itself, so that the last bits of results may change when generated code takes
over, and from run to run. Who needs the same bits names a formulation.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from core.arrays import Array
from core.dynamics import recursive, symbolic

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel

_ROUNDS = 9


class _Choice:
    """What is known of a model.

    Attributes:
        generated: Whether generated code is faster; None until it has been measured.
    """

    def __init__(self, model: TreeModel):
        self.generated: bool | None = None
        self._prepared = threading.Event()
        threading.Thread(target=self._prepare, args=(model,), name="generating recursions", daemon=False).start()

    def _prepare(self, model: TreeModel) -> None:
        try:
            symbolic.prepare(model)
            self._prepared.set()
        except Exception:  # there is no generated code then, and nobody waits for it
            self.generated = False

    def measured(self, model: TreeModel, x: Array, v: Array, tau: Array, wrenches: Array) -> bool:
        """Return whether generated code is faster in this state, if it is there and optimized."""
        if not self._prepared.is_set() or not symbolic.is_optimized(model):
            return False
        best = [float("inf"), float("inf")]
        for _ in range(_ROUNDS):
            for k, compute in enumerate((recursive.forward, symbolic.forward_dynamics)):
                start = time.perf_counter()
                compute(model, x, v, tau, wrenches)
                best[k] = min(best[k], time.perf_counter() - start)
        self.generated = best[1] < best[0]
        return self.generated


def forward_dynamics(model: TreeModel, x: Array, v: Array, tau: Array, wrenches: Array) -> Array:
    """Return the accelerations, shape (nv,); new. Arguments and errors as of ``recursive.forward``.

    Code is generated on a thread meanwhile, and measured once it has been optimized.
    """
    return chosen(model, x, v, tau, wrenches)[1](model, x, v, tau, wrenches)


def quick(model: TreeModel, x: Any, v: Any, tau: Any) -> Array | None:
    """Return :func:`forward_dynamics` without external wrenches in little more than the time of what was chosen; new.

    None where anything needs a closer look, and as long as nothing has been chosen.
    """
    generated = _known(model)
    if generated is None:
        return None
    return symbolic.quick(model, x, v, tau) if generated else recursive.quick("forward", model, x, v, tau)


def _known(model: TreeModel) -> bool | None:
    packed = model.packed
    return None if packed is None or packed.choice is None else packed.choice.generated


def chosen(
    model: TreeModel, x: Array, v: Array, tau: Array, wrenches: Array
) -> tuple[str, Callable[[TreeModel, Array, Array, Array, Array], Array]]:
    """Return the formulation that is fastest for a model as far as is known, with its name.

    Args:
        model: The tree.
        x, v, tau, wrenches: A state to measure it at, arguments as of ``recursive.forward``.
    """
    packed = recursive.packed_of(model)
    if packed.choice is None:
        packed.choice = _Choice(model)
    generated = packed.choice.generated
    if generated is None:
        generated = packed.choice.measured(model, x, v, tau, wrenches)
    return ("symbolic", symbolic.forward_dynamics) if generated else ("recursive", recursive.forward)


def choice(model: TreeModel) -> str | None:
    """Return the name of the formulation that was found fastest for a model, None as long as that is not known."""
    generated = _known(model)
    return None if generated is None else "symbolic" if generated else "recursive"
