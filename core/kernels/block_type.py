"""Blocks of named memory as compiled kernels see them: a pointer, from which arrays and the state are found by name."""

from __future__ import annotations

from functools import cache
from typing import Any

import numba as nb
from llvmlite import ir
from numba import types
from numba.core.imputils import lower_cast, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, models, register_model, unbox
from numba.np.arrayobj import populate_array

from core.kernels.block import TABLE_WIDTH, Block

_BYTES = ir.IntType(8).as_pointer()
_INT = ir.IntType(64)


class BlockType(types.Type):
    """The type of a class of blocks.

    Args:
        python: The class.
        state: Type of the state.
        state_at: Where it begins, [bytes].
        fields: Index, type and lengths of each array, by name.
    """

    def __init__(
        self, python: type[Block], state: Any, state_at: int, fields: dict[str, tuple[int, Any, tuple[int | str, ...]]]
    ):
        self.python, self.state, self.state_at, self.fields = python, state, state_at, fields
        super().__init__(name=python.__name__)


@cache
def block_type(kind: type[Block]) -> Any:
    """Return the type of a class of blocks; from now on compiled kernels take its instances."""
    layout = kind.layout
    fields = {
        field.name: (index, types.Array(nb.from_dtype(field.dtype), len(field.shape), "C"), field.shape)
        for index, field in enumerate(layout.fields)
    }
    own = BlockType(kind, nb.from_dtype(layout.state), layout.state_at, fields)
    kind._numba_type_ = own  # type: ignore[attr-defined]
    return own


@register_model(BlockType)
class _BlockModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any):
        super().__init__(manager, kind, _BYTES)


@infer_getattr
class _BlockAttributes(AttributeTemplate):
    key = BlockType

    def generic_resolve(self, block: Any, name: str) -> Any:  # type: ignore[override]
        return block.state if name == "state" else block.fields[name][1] if name in block.fields else None


@lower_getattr_generic(BlockType)
def _attribute(context: Any, builder: Any, block: Any, pointer: Any, name: str) -> Any:
    if name == "state":
        place = builder.gep(pointer, [ir.Constant(_INT, block.state_at)])
        return builder.bitcast(place, context.get_value_type(block.state))
    index, kind, shape = block.fields[name]
    table = builder.bitcast(pointer, _INT.as_pointer())

    def number(place: int) -> Any:
        return builder.load(builder.gep(table, [ir.Constant(_INT, TABLE_WIDTH * index + place)]))

    out = context.make_array(kind)(context, builder)
    lengths = [
        context.get_constant(types.intp, each) if isinstance(each, int) else number(1 + k)
        for k, each in enumerate(shape)
    ]
    element = context.get_data_type(kind.dtype)
    size = context.get_constant(types.intp, context.get_abi_sizeof(element))
    strides = [size]
    for length in lengths[:0:-1]:
        strides.insert(0, builder.mul(strides[0], length))
    data = builder.bitcast(builder.gep(pointer, [number(0)]), element.as_pointer())
    populate_array(out, data=data, shape=lengths, strides=strides, itemsize=size, meminfo=None)
    return out._getvalue()


@lower_cast(types.NestedArray, types.Array)
def _field_as_array(context: Any, builder: Any, field: Any, wanted: Any, value: Any) -> Any:
    """Hand on a field of a record that is an array; numba itself only takes it where it came from."""
    return value


@unbox(BlockType)
def _from_python(kind: Any, block: Any, c: Any) -> Any:
    number = c.pyapi.object_getattr_string(block, "address")
    pointer = c.builder.inttoptr(c.pyapi.long_as_ulonglong(number), _BYTES)
    c.pyapi.decref(number)
    return NativeValue(pointer)
