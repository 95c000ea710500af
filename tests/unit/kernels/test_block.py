"""Blocks of named memory: the same to kernels and to Python, copied whole; kernels' texts with other functions."""

from __future__ import annotations

import copy
import pickle

import numba as nb
import numpy as np

from core.constraints.hold import pose_steps_kernel, rows_kernel, solver_kernel
from core.kernels.block import Block, Layout, Records, record
from core.kernels.block_type import block_type
from core.kernels.text import text_with

NUMBER, WHOLE = np.dtype(np.float64), np.dtype(np.int64)
ITEM = record(
    ("kind", WHOLE), ("values", NUMBER, 5),
    same={"first": ("values", 0, NUMBER), "rest": ("values", 1, NUMBER, 4)},
)  # fmt: skip


class Sample(Block):
    layout = Layout(
        record(("count", WHOLE), ("total", NUMBER)),
        [("items", ITEM, ("count",)), ("turns", NUMBER, ("count", 3, 2))],
    )

    items: Records
    turns: np.ndarray


def sample() -> Sample:
    block = Sample({"count": 4})
    block.items["kind"] = np.arange(4)
    block.items["values"] = np.arange(20.0).reshape(4, 5)
    block.turns[:] = np.arange(24.0).reshape(4, 3, 2)
    return block


def read(block, i):  # type: ignore[no-untyped-def]
    item = block.items[i]
    block.state.total = item.first + item.rest[3]
    return item.kind, item.values[2], block.turns[i, 2, 1], block.turns.shape, len(block.items), block.state.count


def test_machine_code_reads_and_writes_the_same_fields() -> None:
    block_type(Sample)
    compiled = nb.njit(_nrt=False)(read)
    for function in (read, compiled):
        block = sample()
        assert function(block, 2) == (2, 12.0, 17.0, (4, 3, 2), 4, 4)
        assert block.state.total == 10.0 + 14.0


def test_fields_in_one_place_are_one_number() -> None:
    block = sample()
    block.items[1].first = -1.0
    block.items["rest"][1, 0] = -2.0
    assert block.items[1].values[:3].tolist() == [-1.0, -2.0, 7.0] and ITEM.itemsize == 48


def test_a_copy_has_memory_of_its_own() -> None:
    block = sample()
    block.state.total = 5.0
    for copied in (copy.copy(block), copy.deepcopy(block), pickle.loads(pickle.dumps(block))):
        assert copied.address != block.address and copied.state.total == 5.0
        np.testing.assert_array_equal(copied.turns, block.turns)
        copied.items[3].values[:] = 0.0
        assert block.items[3].values[0] == 15.0


def test_a_text_calls_what_stands_for_a_kernel_wherever_it_is_called() -> None:
    def other() -> None: ...

    text = text_with(solver_kernel, {rows_kernel.evaluate: other})
    assert text.report.__globals__["evaluate"] is other is text.hold.__globals__["evaluate"]
    assert text.project.__globals__["evaluate"] is other
    assert text.project.__globals__["step_to"].__globals__["box_qp"].__code__ is not None
    assert solver_kernel.evaluate is rows_kernel.evaluate is pose_steps_kernel.evaluate
