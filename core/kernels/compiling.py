"""Compiles the kernels of a file: the same text, with compiled functions behind the names that it calls.

A copy of each function is handed to numba whose globals are those of its file, but for kernels, ``view`` and layouts,
behind whose names stand what numba calls instead. Functions of the file that are no kernels are copied likewise, so
that they call compiled kernels.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType, NoneType, SimpleNamespace
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numba as nb
from numba import types
from numba.core import caching

from core.kernels import cache, entry, functions, lean_numba
from core.kernels.block import Block, RecordOf
from core.kernels.block_type import block_type
from core.kernels.declaring import Options, behind, call_slot, local, options_of, view
from core.kernels.intrinsics import behind as compiled_behind
from core.kernels.intrinsics import call_slot as compiled_call_slot
from core.kernels.intrinsics import linked, unpacking
from core.kernels.intrinsics import local as compiled_local
from core.kernels.intrinsics import view as compiled_view
from core.kernels.layout import Layout
from core.kernels.types import ArrayOf, PointerTo, RecordsOf

_SCALARS: dict[Any, Any] = {float: nb.float64, int: nb.int64, bool: nb.boolean, NoneType: nb.void, None: nb.void}
_taught: dict[Any, Any] = {
    view: compiled_view, local: compiled_local, behind: compiled_behind, call_slot: compiled_call_slot,
}  # fmt: skip
"""What kernels call that is no kernel, and what numba calls instead."""
_calls: dict[str, dict[str, Any]] = {}
"""By file: what other kernels call, by name."""
_served: dict[str, SimpleNamespace] = {}
"""By file: what Python calls."""
_unpackings: dict[Layout, Any] = {}
"""What stands for layouts in compiled kernels."""


def numba_type(annotation: Any) -> Any:
    """Return the type that an annotation stands for."""
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Block):
        return block_type(annotation)  # type: ignore[arg-type]  # classes are hashable
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        for mark in parts[1:]:
            if isinstance(mark, RecordOf):
                return nb.from_dtype(mark.dtype)
            if isinstance(mark, ArrayOf):
                return types.Array(getattr(nb, mark.dtype), mark.axes, "C")
            if isinstance(mark, PointerTo):
                return types.CPointer(getattr(nb, mark.dtype))
            if isinstance(mark, RecordsOf):
                return types.Array(nb.from_dtype(mark.dtype), 1, "C")
    if origin is tuple:
        return types.Tuple([numba_type(part) for part in parts])
    if isinstance(annotation, type) and issubclass(annotation, tuple) and hasattr(annotation, "_fields"):
        hints = get_type_hints(annotation, include_extras=True)
        return types.NamedTuple([numba_type(hints[name]) for name in annotation._fields], annotation)
    raise TypeError(f"kernels know no {annotation}")


def signature_of(function: Any) -> Any:
    """Return the signature that a kernel's annotations stand for."""
    hints = get_type_hints(function, include_extras=True)
    code = function.__code__
    arguments = [numba_type(hints[name]) for name in code.co_varnames[: code.co_argcount]]
    return numba_type(hints["return"])(*arguments)


def _options(options: Options) -> dict[str, Any]:
    # Nothing counts references (no NRT): kernels allocate nothing, and counting took longer than solving. No entry for
    # C: nobody calls from there, and it takes as long to compile as a short kernel. LLVM inlines: numba's own
    # inline="always" works a body out anew at each call and took most of the compile time.
    return {
        "cache": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True,
        "fastmath": set(options.fastmath) if options.fastmath else False,
        "no_cpython_wrapper": not options.python, "forceinline": options.inline, "nogil": options.nogil,
    }  # fmt: skip


def _in_c(options: Options) -> dict[str, Any]:
    return {
        "cache": True, "error_model": "numpy", "_nrt": False, "no_cpython_wrapper": True,
        "fastmath": set(options.fastmath) if options.fastmath else False,
    }  # fmt: skip


def compile_module(module: ModuleType) -> SimpleNamespace:
    """Return compiled what a file of kernels defines, by name; from the cache where that holds it.

    The files whose kernels it calls come first.
    """
    name = module.__name__
    if name in _served:
        return _served[name]
    prepare()
    own = dict(vars(module))  # what kernels find
    outside = dict(own)  # what functions find that Python runs, and Python itself
    calls: dict[str, Any] = {}
    for key, value in vars(module).items():
        if options_of(value) is None:
            if isinstance(value, FunctionType) and value in _taught:
                own[key] = _taught[value]
            elif isinstance(value, Layout):
                own[key] = _unpacking(value)
        elif value.__module__ != name:
            other = sys.modules[value.__module__]
            compile_module(other)
            own[key] = _calls[value.__module__][value.__name__]
            outside[key] = vars(_served[value.__module__]).get(value.__name__, own[key])
    waiting = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == name
    }

    def make(key: str) -> None:
        """Compile a function, those first that it calls."""
        value = waiting.pop(key)
        for called in value.__code__.co_names:
            if called in waiting:
                make(called)
        options = options_of(value)
        if options is None:
            own[key] = outside[key] = _copy(value, outside)
            return
        signature = signature_of(value)
        if options.pointers:
            pointed = nb.cfunc(signature, **_in_c(options))(_copy(value, own))
            functions.compiled(value, int(pointed.address or 0), pointed)
            own[key] = outside[key] = value
            return
        entry.declare(signature)
        made = nb.njit(signature, **_options(options))(_copy(value, own))
        own[key] = calls[key] = linked(made) if options.linked else made
        outside[key] = entry.entry(made) if options.python else made

    while waiting:
        make(next(iter(waiting)))
    _calls[name] = calls
    # Without those that have no entry for Python: a call would end the process.
    hidden = {key for key, value in vars(module).items() if (how := options_of(value)) is not None and not how.python}
    served = {key: value for key, value in outside.items() if key not in hidden | {"__builtins__"}}
    _served[name] = SimpleNamespace(**served)
    cache.mark(name)
    return _served[name]


def _unpacking(layout: Layout) -> Any:
    """Return what stands for a layout in compiled kernels, the same for all files that use it."""
    if layout not in _unpackings:
        _unpackings[layout] = unpacking(layout, [numba_type(cls) for cls in layout.classes])
    return _unpackings[layout]


def _copy(function: FunctionType, names: dict[str, Any]) -> FunctionType:
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    copy.__kwdefaults__, copy.__doc__ = function.__kwdefaults__, function.__doc__
    return copy


class _Place(caching._CacheLocator):
    """Where numba keeps what is compiled from files of ``core``: in the folder of the file's hash.

    numba itself does not notice when a function called from another file has changed, and keeps kernels by the path of
    their sources, so that each copy of the sources would be compiled anew.
    """

    def __init__(self, module: str):
        self._module = module

    def get_cache_path(self) -> str:
        return str(cache.writable(cache.folder(self._module)))

    def get_source_stamp(self) -> str:
        return cache.fingerprint(self._module)

    def get_disambiguator(self) -> str:
        return ""

    @classmethod
    def from_function(cls, function: Callable[..., Any], path: str) -> _Place | None:
        module = str(function.__module__)
        if not module.startswith(cache.PACKAGE + ".") or Path(path).stem != module.rpartition(".")[2]:
            return None
        return cls(module)


def prepare() -> None:
    """Have numba load little and cache in our folders, before the first kernel is compiled."""
    lean_numba.apply()
    entry.apply()
    locators: list[Any] = caching.CacheImpl._locator_classes
    if _Place not in locators:
        locators.insert(0, _Place)
