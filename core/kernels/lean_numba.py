"""Leaves out what numba loads beside compiled kernels and they do not need: two thirds of the memory, half of the time.

* With the machine code of each function numba keeps its intermediate form, which it parses when the function comes from
  the cache, only to learn which names it defines; it is used where other functions are compiled that call this one.
  Here the names are kept too, and the form is parsed when it is asked for.
* numba looks whether there is a BLAS by importing scipy's, and with it half of scipy and numpy. Kernels call none.

Both touch numba's inner parts. Where a version of it has them no longer, numba does as it does by itself.
"""

from __future__ import annotations

import importlib
from typing import Any

_PARTS = ("_unserialize", "serialize_using_object_code", "_get_module_for_linking", "_get_compiled_object")
_applied = False


def apply() -> None:
    """Change numba once, before the first kernel is loaded or compiled."""
    global _applied
    if _applied:
        return
    _applied = True
    codegen: Any = importlib.import_module("numba.core.codegen")
    library = codegen.CPUCodeLibrary
    if all(hasattr(library, part) for part in _PARTS) and hasattr(codegen.JitEngine, "_load_defined_symbols"):
        _keep_names(codegen, library)
    _leave_out_blas()


def _keep_names(codegen: Any, library: Any) -> None:
    """Let libraries write the names they define into the cache, and parse their intermediate form when it is needed."""
    unserialize, serialize = library._unserialize.__func__, library.serialize_using_object_code
    module_for_linking = library._get_module_for_linking

    def serialize_with_names(self: Any) -> Any:
        name, kind, data = serialize(self)
        module = self._get_module_for_linking()
        names = {
            each.name
            for some in (module.functions, module.global_variables)
            for each in some
            if not each.is_declaration
        }
        return name, kind, (*data, tuple(sorted(names)))

    def unserialize_by_names(cls: Any, own_codegen: Any, state: Any) -> Any:
        name, kind, data = state
        if kind != "object" or len(data) != 3:
            return unserialize(cls, own_codegen, state)
        self = own_codegen.create_library(name)
        machine_code, self._unparsed, names = data
        self.enable_object_caching()
        self._set_compiled_object(machine_code)
        self._finalize_final_module()
        own_codegen._engine._defined_symbols.update(names)
        return self

    def parsed_module_for_linking(self: Any) -> Any:
        unparsed = getattr(self, "_unparsed", None)
        if unparsed is not None and self._shared_module is None:
            self._shared_module = codegen.ll.parse_bitcode(unparsed)
            self._unparsed = None
        return module_for_linking(self)

    library.serialize_using_object_code = serialize_with_names
    library._unserialize = classmethod(unserialize_by_names)
    library._get_module_for_linking = parsed_module_for_linking


def _leave_out_blas() -> None:
    """Import the part of numba that looks for a BLAS while it finds none."""
    linalg: Any = importlib.import_module("numba.np.linalg")
    ensure = getattr(linalg, "ensure_blas", None)
    if ensure is None:
        return

    def none_here() -> None:
        raise ImportError("kernels call no BLAS")

    linalg.ensure_blas = none_here
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = ensure
