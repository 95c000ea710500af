"""This machine's LLVM: from text to machine code, and machine code to addresses. All that imports llvmlite.

Machine code that was made callable stays in memory until the process ends: its address may be anywhere by then.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import platform
import sys
import threading
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from core.codegen.llvm_text import HEAD, LIBRARY, PREFIX, Dialect, dialect
from core.errors import KernelError


def is_there() -> bool:
    """Return whether this machine has an LLVM that makes machine code for it."""
    return _machine() is not None


def machine() -> Machine:
    """Return this machine's LLVM.

    Raises:
        KernelError: If there is none.
    """
    found = _machine()
    if found is None:
        raise KernelError("llvmlite is not installed or does not work here; functions are evaluated with numpy")
    return found


_making = threading.Lock()


def _machine() -> Machine | None:
    with _making:
        return _made()


@cache
def _made() -> Machine | None:
    try:
        return Machine()
    except (ImportError, OSError, RuntimeError, AttributeError):
        return None


class Machine:
    """LLVM for this processor.

    Attributes:
        dialect: How its text is written.
        identity: All that machine code depends on besides its text: versions, system, processor.
    """

    def __init__(self) -> None:
        import llvmlite
        import llvmlite.binding as llvm

        self._llvm: Any = llvm
        # Without numba nobody has done so; a second time does nothing.
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        triple = llvm.get_process_triple()
        try:
            features = llvm.get_host_cpu_features()
        except RuntimeError:  # LLVM does not know how to ask some processors
            features = {}
        arm = platform.machine().lower() in ("arm64", "aarch64")
        version = llvm.llvm_version_info[0]
        self.dialect: Dialect = dialect(version, arm or bool(features.get("fma")))
        flat = features.flatten() if features else ""
        processor = llvm.get_host_cpu_name()
        versions = f"{llvmlite.__version__} {llvm.llvm_version_info} {sys.implementation.cache_tag}"
        self.identity = f"{versions} {os.name} {triple} {processor} {flat}"
        target = llvm.Target.from_triple(triple)
        # What numba asks for, too: far calls work, and on Windows objects are ELF, the only ones that can be loaded.
        how = {"cpu": processor, "features": flat, "reloc": "static" if not arm else "default", "jit": True}
        if platform.machine().lower() not in ("x86_64", "amd64", "i386", "i686", "x86") and not arm:
            how["reloc"] = "default"
        self._targets = {level: target.create_target_machine(opt=level, **how) for level in (0, 2)}
        self._engines: list[Any] = []
        self._add_symbols()

    def _add_symbols(self) -> None:
        for name, address in library_addresses().items():
            self._llvm.add_symbol(PREFIX + name, address)
        self._llvm.add_symbol(PREFIX + "ndarray", id(np.ndarray))
        self._llvm.add_symbol(PREFIX + "float64", id(np.dtype(np.float64)))
        if os.name == "nt":  # large frames call it on Windows, and it is not found by itself
            check = ctypes.cast(ctypes.WinDLL("ntdll")["__chkstk"], ctypes.c_void_p).value  # type: ignore[attr-defined]
            self._llvm.add_symbol("__chkstk", check)

    def object_of(self, text: str, optimized: bool) -> bytes:
        """Return the machine code of a module."""
        module = self._llvm.parse_assembly(text)
        code: bytes = self._targets[2 if optimized else 0].emit_object(module)
        return code

    def load(self, objects: Sequence[bytes], *names: str) -> list[int]:
        """Return the addresses of functions that are in some pieces of machine code, which stay for ever."""
        engine = self._llvm.create_mcjit_compiler(self._llvm.parse_assembly(""), self._targets[2])
        self._engines.append(engine)
        for each in objects:
            engine.add_object_file(self._llvm.ObjectFileRef.from_data(each))
        engine.finalize_object()
        addresses = [int(engine.get_function_address(name)) for name in names]
        if not all(addresses):
            raise KernelError(f"the machine code lacks one of the functions {', '.join(names)}")
        return addresses


@cache
def arrays_are_as_expected() -> bool:
    """Return whether the fields of numpy's arrays are where generated code reads them."""
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    array = np.zeros((3, 5))[1:2, 0]  # neither its length nor its flags are those of most arrays
    words = (ctypes.c_int64 * 6).from_address(id(array) + HEAD)
    flags = ctypes.c_int32.from_address(id(array) + HEAD + 48).value
    return (
        ctypes.c_int64.from_address(id(array) + HEAD - 8).value == id(np.ndarray)
        and words[0] == array.__array_interface__["data"][0]
        and words[1] & 0xFFFFFFFF == 1
        and ctypes.c_int64.from_address(words[2]).value == 1
        and words[5] == id(array.dtype) == id(np.dtype(np.float64))
        and flags & 0x7FF == array.flags.num & 0x7FF
    )


@cache
def library_addresses() -> dict[str, int]:
    """Return the addresses of the functions of the library of C, by name."""
    if os.name == "nt":
        libraries = [ctypes.CDLL("ucrtbase")]
    else:
        names = [None, ctypes.util.find_library("m"), ctypes.util.find_library("c")]
        libraries = [ctypes.CDLL(names[0])]
        if not hasattr(libraries[0], "atan2"):
            libraries += [ctypes.CDLL(name) for name in names[1:] if name]
    found = {}
    for name in (*LIBRARY, "malloc", "free"):
        for library in libraries:
            if hasattr(library, name):
                found[name] = ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0
                break
        else:
            raise OSError(f"the library of C has no {name}")
    return found
