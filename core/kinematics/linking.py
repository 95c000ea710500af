"""Calls of compiled functions by their names, so that callers need not be compiled together with them.

numba puts all that a function calls, and all that this calls, into its machine code and optimizes it anew. What is long
and called from several places, or by something that is called itself, is compiled once if it is called by its name,
which the linker looks up as it does those of numba's own functions in C.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def linked(function: Any) -> Any:
    """Return what kernels call to have a compiled function called and not taken into their machine code.

    Its name is the linker's from now on; what calls it must be loaded later, as importing it from its module sees to.

    Args:
        function: A compiled function that has one signature and raises nothing, with the options of ``inlining``.
    """
    (own,) = function.overloads.values()
    signature = own.signature
    name = f"{function.py_func.__module__}.{function.py_func.__qualname__}"
    llvmlite.binding.add_symbol(name, own.library.get_pointer_to_function(own.fndesc.llvm_func_name))

    @intrinsic
    def call(typing_context, *arguments):  # type: ignore[no-untyped-def]
        def generate(context, builder, call_signature, values):  # type: ignore[no-untyped-def]
            given = [
                context.cast(builder, builder.extract_value(values[0], k), have, want)
                for k, (have, want) in enumerate(zip(call_signature.args[0], signature.args, strict=True))
            ]
            kind = context.call_conv.get_function_type(signature.return_type, signature.args)
            callee = cgutils.get_or_insert_function(builder.module, kind, name)
            # What the optimizer would see of it otherwise: where it returns its values is its own.
            context.call_conv.decorate_function(callee, own.fndesc.args, signature.args)
            callee.attributes.add("nounwind")
            _, result = context.call_conv.call_function(builder, callee, signature.return_type, signature.args, given)
            return result

        return signature.return_type(types.StarArgTuple.from_types(arguments)), generate

    return call
