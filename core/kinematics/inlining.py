"""Types and options of kernels that work on packed blocks, and how they find arrays in a block of memory."""

from __future__ import annotations

from typing import Any

import numba as nb
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

F0, F1, F2, F3 = nb.float64, nb.float64[::1], nb.float64[:, ::1], nb.float64[:, :, ::1]
I0, I1, I2 = nb.int64, nb.int64[::1], nb.int64[:, ::1]
PAIR = types.UniTuple(F0, 2)

OPTIONS: dict[str, Any] = {
    "cache": True, "error_model": "numpy", "fastmath": {"contract"}, "_nrt": False, "no_cfunc_wrapper": True,
}  # fmt: skip
"""Nothing counts references (no NRT): kernels allocate nothing, and counting took longer than solving.
A product and a sum may be rounded once instead of twice: as exact, and the same at scales that are powers of two.
No entry for C either: nobody calls from there, and it takes as long to compile as a short kernel."""
INLINE: dict[str, Any] = OPTIONS | {"forceinline": True, "no_cpython_wrapper": True}
"""For what is called once a node: arrays are passed by value, which costs more than such a function's work.
LLVM does it; numba's own ``inline="always"`` works a body out anew at each call and took most of the compile time."""
INTERNAL: dict[str, Any] = OPTIONS | {"no_cpython_wrapper": True}
"""For what only other kernels call."""
SUMS: dict[str, Any] = INLINE | {"fastmath": {"contract", "reassoc", "nsz"}}
"""For sums of products: several are added up at once, in an order that depends on their number alone."""


@intrinsic
def view(typing_context, block, start, shape):  # type: ignore[no-untyped-def]
    """Return the array of a shape that lies in a contiguous block from element ``start`` on; it owns nothing."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        source = context.make_array(signature.args[0])(context, builder, arguments[0])
        out = context.make_array(signature.return_type)(context, builder)
        lengths = [
            context.cast(builder, value, kind, types.intp)
            for value, kind in zip(cgutils.unpack_tuple(builder, arguments[2]), shape, strict=True)
        ]
        size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(block.dtype)))
        strides = [size]
        for length in lengths[:0:-1]:
            strides.insert(0, builder.mul(strides[0], length))
        data = builder.gep(source.data, [arguments[1]])
        populate_array(out, data=data, shape=lengths, strides=strides, itemsize=size, meminfo=None)
        return out._getvalue()

    return types.Array(block.dtype, len(shape), "C")(block, types.intp, shape), generate
