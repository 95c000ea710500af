"""What kernels call that numba must be taught: views, layouts, memory of their own, calls by name and by address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from core.kernels.layout import Layout


def contiguous_array(context: Any, builder: Any, kind: Any, data: Any, lengths: Any) -> Any:
    """Return the contiguous array of a type that begins at a pointer; it owns nothing."""
    out = context.make_array(kind)(context, builder)
    size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides = [size]
    for length in lengths[:0:-1]:
        strides.insert(0, builder.mul(strides[0], length))
    populate_array(out, data=data, shape=lengths, strides=strides, itemsize=size, meminfo=None)
    return out._getvalue()


@intrinsic
def view(typing_context, block, start, shape):  # type: ignore[no-untyped-def]
    """See ``declaring.view``."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        source = context.make_array(signature.args[0])(context, builder, arguments[0])
        lengths = [
            context.cast(builder, value, kind, types.intp)
            for value, kind in zip(cgutils.unpack_tuple(builder, arguments[2]), shape, strict=True)
        ]
        data = builder.gep(source.data, [arguments[1]])
        return contiguous_array(context, builder, signature.return_type, data, lengths)

    return types.Array(block.dtype, len(shape), "C")(block, types.intp, shape), generate


@intrinsic(prefer_literal=True)
def local(typing_context, length):  # type: ignore[no-untyped-def]
    """See ``declaring.local``."""
    number = length.literal_value
    result = types.Array(types.float64, 1, "C")

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        data = cgutils.alloca_once(builder, context.get_value_type(types.float64), size=number)
        return contiguous_array(context, builder, result, data, [context.get_constant(types.intp, number)])

    return result(length), generate


@intrinsic
def behind(typing_context, pointer, count):  # type: ignore[no-untyped-def]
    """See ``declaring.behind``."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        data = arguments[0] if pointer is found else context.make_array(pointer)(context, builder, arguments[0]).data
        return builder.gep(data, [arguments[1]])

    found = pointer if isinstance(pointer, types.CPointer) else types.CPointer(pointer.dtype)
    return found(pointer, types.int64), generate


@intrinsic
def call_slot(typing_context, slot, q, constants, out, order):  # type: ignore[no-untyped-def]
    """See ``declaring.call_slot``."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        data = [
            value if isinstance(kind, types.CPointer) else context.make_array(kind)(context, builder, value).data
            for kind, value in zip(signature.args[1:4], arguments[1:4], strict=True)
        ]
        whole = ir.IntType(64)
        form = ir.FunctionType(ir.VoidType(), [*(each.type for each in data), whole])
        entry = builder.inttoptr(builder.fptosi(arguments[0], whole), whole.as_pointer())
        builder.call(builder.inttoptr(builder.load(entry), form.as_pointer()), [*data, arguments[4]])
        return context.get_dummy_value()

    return types.void(types.float64, q, constants, out, types.int64), generate


def unpacking(layout: Layout, made: Sequence[Any]) -> Any:
    """Return what compiled kernels call to find the arrays of a layout, whose classes are of these types of numba."""
    result = types.Tuple(made) if len(made) > 1 else made[0]
    kinds = {
        (number, name): kind
        for number, own in enumerate(made)
        for name, kind in zip(own.fields, own.types, strict=True)
    }

    @intrinsic
    def unpack(typing_context, ints, floats, *given):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            blocks = [
                context.make_array(kind)(context, builder, value)
                for kind, value in zip(signature.args[:2], arguments[:2], strict=True)
            ]
            handed = cgutils.unpack_tuple(builder, arguments[2])

            def constant(value):  # type: ignore[no-untyped-def]
                return context.get_constant(types.intp, value)

            sizes = {
                name: builder.load(builder.gep(blocks[0].data, [constant(at)])) for name, at in layout.sizes.items()
            }
            at = {True: constant(layout.header), False: constant(0)}
            found = dict(zip(layout.given, handed, strict=True))
            for key, field in layout.fields.items():
                if field is None:
                    continue
                lengths = []
                for factor, names in field.shape:
                    length = constant(factor)
                    for each in names:
                        length = builder.mul(length, sizes[each])
                    lengths.append(length)
                start = at[field.whole] if field.start is None else constant(field.start)
                data = builder.gep(blocks[0 if field.whole else 1].data, [start])
                found[key] = contiguous_array(context, builder, kinds[key], data, lengths)
                if field.start is None:
                    size = lengths[0]
                    for length in lengths[1:]:
                        size = builder.mul(size, length)
                    at[field.whole] = builder.add(at[field.whole], size)
            tuples = [
                context.make_tuple(builder, own, [found[number, name] for name in own.fields])
                for number, own in enumerate(made)
            ]
            return context.make_tuple(builder, result, tuples) if len(made) > 1 else tuples[0]

        return result(ints, floats, types.StarArgTuple.from_types(given)), generate

    return unpack


def linked(function: Any) -> Any:
    """Return what kernels call to have a compiled function called and not taken into their machine code.

    Its name is the linker's from now on, which looks it up as it does those of numba's own functions in C; what calls
    it must be loaded later, as ``compiling`` sees to.

    Args:
        function: A compiled function that has one signature and raises nothing.
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
