"""Calls of compiled functions by their addresses, so that callers need not be compiled together with them.

numba puts all that a function calls, and all that this calls, into its machine code and optimizes it anew. What is long
and called from several places, or by something that is called itself, is compiled once if it is called by its address.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core.typing.templates import Signature
from numba.extending import intrinsic


def by_address(signature: Signature) -> Any:
    """Return a function ``call(address, ...)`` for kernels that calls what has a signature and stands at an address.

    What is called must have been compiled with numba's own options of kernels here, which raise nothing.
    """

    @intrinsic
    def call(typing_context, address, arguments):  # type: ignore[no-untyped-def]
        def generate(context, builder, call_signature, values):  # type: ignore[no-untyped-def]
            own = [builder.extract_value(values[1], k) for k in range(len(signature.args))]
            given = [
                context.cast(builder, value, have, want)
                for value, have, want in zip(own, call_signature.args[1], signature.args, strict=True)
            ]
            kind = context.call_conv.get_function_type(signature.return_type, signature.args)
            pointer = builder.inttoptr(values[0], kind.as_pointer())
            _, result = context.call_conv.call_function(builder, pointer, signature.return_type, signature.args, given)
            return result

        return signature.return_type(types.int64, arguments), generate

    return call


def address(function: Any) -> int:
    """Return the address of a compiled function that has one signature."""
    compiled = next(iter(function.overloads.values()))
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))
