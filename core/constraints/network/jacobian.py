"""Jacobians of blocks: dense rows over the few state elements that a block depends on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array

Ints = NDArray[np.int64]


class BlockJacobian(NamedTuple):
    """Rows over some elements of the global state; all others are zero.

    Attributes:
        columns: Numbers of the elements, ascending, shape (k,).
        rows: Shape (m, k).
    """

    columns: Ints
    rows: Array


def chained(local: Sequence[Array], inputs: Sequence[BlockJacobian]) -> BlockJacobian:
    """Return the chain rule's ``sum_i local_i @ J_i`` over all elements that any input depends on.

    Args:
        local: Derivatives of a block's function by each of its inputs, shape (m, n_i).
        inputs: Jacobian of each input, shape (n_i, k_i).
    """
    if len(inputs) == 1:
        return BlockJacobian(inputs[0].columns, local[0] @ inputs[0].rows)
    columns = np.unique(np.concatenate([jacobian.columns for jacobian in inputs]))
    rows = np.zeros((len(local[0]), len(columns)))
    for derivative, jacobian in zip(local, inputs, strict=True):
        rows[:, np.searchsorted(columns, jacobian.columns)] += derivative @ jacobian.rows
    return BlockJacobian(columns, rows)
