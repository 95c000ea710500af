"""What Python calls of a compiled kernel: a function in C that takes usual arguments itself and leaves others to numba.

numba looks up the types of all arguments at each call, in Python for blocks and named tuples, before it takes them
apart. Here the machine code compares: an array's class, dtype, number of axes, contiguity and whether it may be written
to, and the classes of blocks, tuples and numbers. Where all are what the kernel was compiled for, it is called at once;
anything else goes to numba's own dispatcher, which converts it or refuses it.

The code is made and cached with the kernel. It reads objects of CPython and numpy where they keep what is asked for;
``fits`` makes sure of that, and without it numba's dispatcher is called as ever.
"""

from __future__ import annotations

import ctypes
import importlib
import sys
from functools import cache
from typing import Any

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.np import numpy_support

from core.kernels.block_type import BlockType
from core.kernels.intrinsics import contiguous_array

_PREFIX = "core.kernels.entry."
_CLASS_AT, _DATA_AT, _AXES_AT, _SHAPE_AT, _DTYPE_AT, _FLAGS_AT = 8, 16, 24, 32, 56, 64
"""Where objects keep their class; and arrays their data, number of axes, shape, dtype and flags, [bytes]."""
_USABLE = 0x1 | 0x100 | 0x400
"""Flags of an array that is contiguous in C order, aligned and may be written to."""
_LENGTH_AT, _ITEMS_AT = object.__basicsize__, tuple.__basicsize__
"""Where tuples keep their length and items."""
_NUMBER_AT = float.__basicsize__ - 8
_FASTCALL = 0x80
_BYTE, _INT32, _INT64, _DOUBLE = ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.DoubleType()
_OBJECT = _BYTE.as_pointer()
_TUPLE: Any = types.BaseTuple
_NAMED_TUPLE: Any = types.BaseNamedTuple
_RESULTS = (types.Integer, types.Float, types.Boolean, types.NoneType)


@cache
def fits() -> bool:
    """Return whether objects are laid out as the machine code expects them."""
    if sys.implementation.name != "cpython" or object.__basicsize__ != _DATA_AT:
        return False
    array, number, pair = np.zeros((2, 3)), 1.5, (1.5, 2.5)
    at = id(array)
    flags = ctypes.c_int.from_address(at + _FLAGS_AT).value
    return (
        _pointer(at + _CLASS_AT) == id(np.ndarray)
        and _pointer(at + _DATA_AT) == array.ctypes.data
        and ctypes.c_int.from_address(at + _AXES_AT).value == 2
        and [ctypes.c_int64.from_address(_pointer(at + _SHAPE_AT) + 8 * k).value for k in range(2)] == [2, 3]
        and _pointer(at + _DTYPE_AT) == id(np.dtype(np.float64))
        and flags == array.flags.num
        and flags & _USABLE == _USABLE
        and ctypes.c_double.from_address(id(number) + _NUMBER_AT).value == number
        and _pointer(id(pair) + _LENGTH_AT) == 2
        and _pointer(id(pair) + _ITEMS_AT + 8) == id(pair[1])
    )


def _pointer(at: int) -> int:
    return ctypes.c_size_t.from_address(at).value


def apply() -> None:
    """Have numba compile such a function with each kernel, before the first one is loaded or compiled."""
    context: Any = importlib.import_module("numba.core.cpu").CPUContext
    wrap = context.create_cpython_wrapper
    if getattr(wrap, "with_entry", False):
        return

    def create(self: Any, library: Any, fndesc: Any, env: Any, call_helper: Any, release_gil: bool = False) -> None:
        wrap(self, library, fndesc, env, call_helper, release_gil)
        if fits() and fndesc.modname.startswith("core.") and _is_known(fndesc.restype, fndesc.argtypes):
            library.add_ir_module(_Entry(self, fndesc, release_gil).module)

    create.with_entry = True  # type: ignore[attr-defined]
    context.create_cpython_wrapper = create


def declare(signature: Any) -> None:
    """Give the linker the addresses of all classes and dtypes that a kernel's arguments have; before it is loaded."""
    if fits() and _is_known(signature.return_type, signature.args):
        for kind in (np.ndarray, int, float, tuple):
            _name(kind)
        for value in (True, False, _ADDRESS):
            _name(value)
        for argument in signature.args:
            _declare(argument)


def entry(dispatcher: Any) -> Any:
    """Return what Python calls for a kernel that numba compiled with one signature: its entry, or the dispatcher."""
    (own,) = dispatcher.overloads.values()
    if not (fits() and _is_known(own.signature.return_type, own.signature.args)):
        return dispatcher
    address = own.library.get_pointer_to_function(_entry_name(own.fndesc))
    if not address:
        return dispatcher
    function = dispatcher.py_func
    method = _Method(
        function.__name__.encode(),
        address,
        _FASTCALL,
        (function.__doc__ or "").encode(),
    )
    _kept.append(method)
    return _new_function(ctypes.byref(method), dispatcher, function.__module__)


class _Method(ctypes.Structure):
    """``PyMethodDef``."""

    _fields_ = (
        ("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p),
    )  # fmt: skip


_kept: list[_Method] = []
"""For ever: functions read them."""
_new_function = ctypes.pythonapi.PyCFunction_NewEx
_new_function.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
_new_function.restype = ctypes.py_object

_ADDRESS = sys.intern("address")


def _entry_name(fndesc: Any) -> str:
    return f"entry.{fndesc.mangled_name}"


def _is_known(result: Any, arguments: Any) -> bool:
    return _is_result(result) and all(_is_argument(kind) for kind in arguments)


def _is_result(kind: Any) -> bool:
    if isinstance(kind, _TUPLE):
        return not isinstance(kind, _NAMED_TUPLE) and all(_is_result(part) for part in kind)
    return isinstance(kind, _RESULTS)


def _is_argument(kind: Any) -> bool:
    if isinstance(kind, types.Array):
        return kind.layout == "C" and isinstance(kind.dtype, types.Integer | types.Float | types.Boolean)
    if isinstance(kind, _TUPLE):
        return all(_is_argument(part) for part in kind)
    return isinstance(kind, BlockType) or kind in (types.int64, types.float64, types.boolean)


def _declare(kind: Any) -> None:
    if isinstance(kind, types.Array):
        _name(numpy_support.as_dtype(kind.dtype))
    elif isinstance(kind, BlockType):
        _name(kind.python)
    elif isinstance(kind, _TUPLE):
        if isinstance(kind, _NAMED_TUPLE):
            _name(kind.instance_class)
        for part in kind:
            _declare(part)


def _name(value: Any) -> str:
    """Return the linker's name of an object that lives as long as the process, and tell it the address."""
    name = _PREFIX + (f"{value.__module__}.{value.__qualname__}" if isinstance(value, type) else f"{value!r}")
    llvmlite.binding.add_symbol(name, id(value))
    return name


class _Entry:
    """Writes the function ``PyObject *entry(PyObject *dispatcher, PyObject *const *arguments, Py_ssize_t number)``."""

    def __init__(self, context: Any, fndesc: Any, release_gil: bool):
        self.context = context
        self.module = context.create_module("entry")
        kernel = ir.Function(
            self.module, context.call_conv.get_function_type(fndesc.restype, fndesc.argtypes), fndesc.llvm_func_name
        )
        function = ir.Function(
            self.module, ir.FunctionType(_OBJECT, [_OBJECT, _OBJECT.as_pointer(), _INT64]), _entry_name(fndesc)
        )
        dispatcher, arguments, number = function.args
        self.builder = builder = ir.IRBuilder(function.append_basic_block("entry"))
        self.api = api = context.get_python_api(builder)
        self.other = function.append_basic_block("other")
        with builder.goto_block(self.other):
            kind = ir.FunctionType(_OBJECT, [_OBJECT, _OBJECT.as_pointer(), _INT64, _OBJECT])
            call = cgutils.get_or_insert_function(self.module, kind, "PyObject_Vectorcall")
            builder.ret(builder.call(call, [dispatcher, arguments, number, _OBJECT(None)]))
        self.failed = function.append_basic_block("failed")
        with builder.goto_block(self.failed):
            builder.ret(_OBJECT(None))

        self.require(builder.icmp_signed("==", number, _INT64(len(fndesc.argtypes))))
        given = [
            self.native(builder.load(builder.gep(arguments, [_INT64(k)])), kind)
            for k, kind in enumerate(fndesc.argtypes)
        ]
        state = api.save_thread() if release_gil else None
        # Not inlined, as in numba's own wrapper: the same machine code whoever calls it.
        status, result = context.call_conv.call_function(
            builder, kernel, fndesc.restype, fndesc.argtypes, given, attrs=("noinline",)
        )
        if release_gil:
            api.restore_thread(state)
        with builder.if_then(status.is_ok, likely=True):
            with builder.if_then(status.is_none):
                api.return_none()
            builder.ret(api.from_native_return(fndesc.restype, result, None))
        context.call_conv.raise_error(builder, api, status)
        builder.ret(_OBJECT(None))

    def require(self, condition: Any) -> None:
        """Go on if a condition holds; else leave everything to the dispatcher."""
        further = self.builder.append_basic_block()
        self.builder.cbranch(condition, further, self.other)
        self.builder.position_at_end(further)

    def load(self, base: Any, at: int, kind: Any) -> Any:
        """Return what lies so many bytes behind a pointer."""
        place = self.builder.gep(base, [_INT64(at)])
        return self.builder.load(self.builder.bitcast(place, kind.as_pointer()))

    def address(self, value: Any) -> Any:
        """Return the pointer to an object that the linker knows."""
        name = _name(value)
        found = self.module.globals.get(name)
        if found is None:
            found = ir.GlobalVariable(self.module, _BYTE, name)
            found.linkage = "external"
        return found

    def require_class(self, value: Any, kind: type) -> None:
        own = self.load(value, _CLASS_AT, _OBJECT)
        self.require(self.builder.icmp_unsigned("==", own, self.address(kind)))

    def native(self, value: Any, kind: Any) -> Any:
        """Return what a kernel is handed for an object of a type."""
        builder, api = self.builder, self.api
        if isinstance(kind, types.Array):
            return self.array(value, kind)
        if isinstance(kind, _TUPLE):
            named = isinstance(kind, _NAMED_TUPLE)
            self.require_class(value, kind.instance_class if named else tuple)
            if not named:
                self.require(builder.icmp_signed("==", self.load(value, _LENGTH_AT, _INT64), _INT64(len(kind))))
            parts = [self.native(self.load(value, _ITEMS_AT + 8 * k, _OBJECT), part) for k, part in enumerate(kind)]
            return self.context.make_tuple(builder, kind, parts)
        if kind == types.boolean:
            true = builder.icmp_unsigned("==", value, self.address(True))
            self.require(builder.or_(true, builder.icmp_unsigned("==", value, self.address(False))))
            return true
        if kind == types.float64:
            self.require_class(value, float)
            return self.load(value, _NUMBER_AT, _DOUBLE)
        if kind == types.int64:
            self.require_class(value, int)
            number = api.long_as_longlong(value)
            self.check(builder.icmp_signed("==", number, _INT64(-1)))
            return number
        self.require_class(value, kind.python)
        found = api.object_getattr(value, self.address(_ADDRESS))
        with cgutils.if_unlikely(builder, cgutils.is_null(builder, found)):
            builder.branch(self.failed)
        number = api.long_as_ulonglong(found)
        api.decref(found)
        self.check(builder.icmp_signed("==", number, _INT64(-1)))
        return builder.inttoptr(number, _OBJECT)

    def check(self, doubtful: Any) -> None:
        """End with the error that Python has noted, if a condition holds under which there may be one."""
        with cgutils.if_unlikely(self.builder, doubtful):
            with cgutils.if_unlikely(self.builder, cgutils.is_not_null(self.builder, self.api.err_occurred())):
                self.builder.branch(self.failed)

    def array(self, value: Any, kind: Any) -> Any:
        """Return an array as kernels have it."""
        builder = self.builder
        self.require_class(value, np.ndarray)
        dtype = self.address(numpy_support.as_dtype(kind.dtype))
        self.require(builder.icmp_unsigned("==", self.load(value, _DTYPE_AT, _OBJECT), dtype))
        self.require(builder.icmp_signed("==", self.load(value, _AXES_AT, _INT32), _INT32(kind.ndim)))
        usable = builder.and_(self.load(value, _FLAGS_AT, _INT32), _INT32(_USABLE))
        self.require(builder.icmp_unsigned("==", usable, _INT32(_USABLE)))
        shape = self.load(value, _SHAPE_AT, _INT64.as_pointer())
        lengths = [builder.load(builder.gep(shape, [_INT64(k)])) for k in range(kind.ndim)]
        element = self.context.get_data_type(kind.dtype)
        data = self.load(value, _DATA_AT, element.as_pointer())
        return contiguous_array(self.context, builder, kind, data, lengths)
