"""Functions made from expressions: machine code at once, better machine code as soon as it is there.

A function that this machine has compiled before, in whichever process, is read from the disk. A new one is compiled
without optimization, which takes milliseconds, and optimized on a thread; both give the same bits. Without llvmlite
numpy evaluates the expressions.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.array_cache import ArrayCache
from core.arrays import Array
from core.codegen import llvm_text, machine
from core.codegen.evaluation import Evaluator
from core.codegen.lowering import lower
from core.codegen.program import Program, program_of
from core.errors import ExpressionError, KernelError
from core.symbolic.expression import Expression

_HERE = Path(__file__).parent
_MAKERS = [
    *(_HERE / f"{name}.py" for name in ("generated", "llvm_text", "lowering", "machine", "program")),
    _HERE.parent / "symbolic" / "expression.py",
]
CACHE = ArrayCache("generated", _MAKERS)
"""Machine code on the disk. What is damaged is not found, and written anew."""

_lock = threading.RLock()
_functions: dict[str, GeneratedFunction] = {}
"""By digest of the program. They stay: their addresses may be anywhere."""
_noted: dict[str, tuple[GeneratedFunction, np.ndarray]] = {}
"""By digest of the description."""


class GeneratedFunction:
    """A function of arrays into one array, made by ``generate``; any number of threads may call it at once.

    Attributes:
        groups: Name and length of each input array.
        sizes: Number of outputs of each stage; they stand one stage after the other.
        places: For each output the group and the index that it is written to, shape (outputs, 2); no rows if the
            function writes an output array.
        cell: The address of the function in C, shape (1,), int64; 0 where numpy evaluates it. Optimized code puts its
            own here; the address before stays valid.
        cell_address: Where the cell itself lies.
    """

    def __init__(self, groups: Sequence[tuple[str, int]], sizes: Sequence[int], places: Sequence[tuple[int, int]] = ()):
        self.groups = tuple(groups)
        self.sizes = tuple(sizes)
        self.places = tuple((int(group), int(index)) for group, index in places)
        self.cell = np.zeros(1, dtype=np.int64)
        self.cell_address: int = self.cell.ctypes.data
        self._lengths = tuple(length for _, length in self.groups)
        self._size = sum(sizes)
        self._several = len(self.sizes) > 1
        self._call: Callable[..., Any] | None = None
        self._quick: Callable[..., int] | None = None
        self._evaluator: Evaluator | None = None
        self._optimized = threading.Event()
        self._optimize: Callable[[], None] | None = None  # until it has begun
        self._failure: Exception | None = None
        self._followers: list[Callable[[int], None]] = []

    @property
    def size(self) -> int:
        """Length of the output array."""
        return self._size

    @property
    def address(self) -> int:
        """Address of the function in C, ``void f(const double *a, const double *b, ..., double *out)``.

        Where the function has several stages, ``int64_t order`` follows: the last stage that is wanted, counted from 0.
        ``out`` must not overlap the inputs, and there is none if outputs go to the groups. The address is valid until
        the process ends.

        Raises:
            KernelError: If numpy evaluates the function.
        """
        if not self.cell[0]:
            raise KernelError("the function has no machine code: llvmlite is not installed or does not work here")
        return int(self.cell[0])

    @property
    def is_optimized(self) -> bool:
        """Whether nothing better will come: optimized code runs, or numpy."""
        return self._optimized.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for optimized code, which comes before all that nobody waits for; return whether it runs.

        Args:
            timeout: At most so long [s].

        Raises:
            KernelError: If optimizing failed; the code without optimization goes on to serve.
        """
        self.want(urgent=True)
        done = self._optimized.wait(timeout)
        if self._failure is not None:
            raise KernelError(f"generated code was not optimized: {self._failure}") from self._failure
        return done

    def want(self, urgent: bool = False) -> None:
        """Have the function optimized, if that has not begun; see ``do_later`` and ``let_go``."""
        work = self._optimize
        if work is not None:
            do_later(work, urgent)

    def __call__(self, *inputs: Array, out: Array | None = None, order: int | None = None) -> Array:
        """Compute the outputs.

        Args:
            inputs: An array for each group, shape (length,).
            out: What the outputs are written to, contiguous, shape (size,), apart from the inputs; a new array by
                default.
            order: The last stage that is wanted, counted from 0; all by default. What lies beyond is not written.

        Returns:
            ``out``.

        Raises:
            ExpressionError: If an array has another shape.
        """
        given = out
        if out is None:
            out = np.empty(self._size)
        quick = self._quick
        last = (len(self.sizes) if order is None else order,) if self._several else ()
        if quick is not None and len(inputs) == len(self._lengths) and quick(*inputs, out, *last):
            return out
        arrays = self._checked(inputs)
        if given is not None:
            self._check_out(out, (self._size,))
        call = self._call
        if call is None:
            assert self._evaluator is not None
            self._evaluator.run(arrays, out, order)
        else:
            call(*[_pointer(array) for array in arrays], _pointer(out), *last)
        return out

    def apply(self, *arrays: Array) -> None:
        """Compute the outputs of a function that writes them to its groups.

        Args:
            arrays: One for each group, contiguous, float64, at least as long as it.
        """
        call = self._call
        if call is not None:
            call(*[_pointer(array) for array in arrays])
            return
        assert self._evaluator is not None
        out = np.empty(self._size)
        self._evaluator.run(arrays, out)
        for (group, index), value in zip(self.places, out, strict=True):
            arrays[group][index] = value

    def bind(self, *inputs: Array, out: Array, order: int | None = None) -> Callable[[], None]:
        """Return the function as a call without arguments on arrays that stay where they are: the quickest from Python.

        Args:
            inputs: An array for each group, contiguous, float64, shape (length,); read at each call.
            out: What the outputs are written to, contiguous, shape (size,).
            order: The last stage that is wanted, counted from 0; all by default.

        Raises:
            ExpressionError: If an array has another shape, is not contiguous or overlaps the outputs.
        """
        arrays = self._checked(inputs)
        self._check_out(out, (self._size,))
        for (name, _), given, array in zip(self.groups, inputs, arrays, strict=True):
            if given is not array:
                raise ExpressionError(f"the input {name} is not a contiguous array of 64-bit numbers")
            if np.may_share_memory(array, out):
                raise ExpressionError(f"the input {name} overlaps the outputs")
        last = ((len(self.sizes) if order is None else order),) if self._several else ()
        addresses = (*[_pointer(array) for array in arrays], _pointer(out), *last)

        def run() -> None:
            call = self._call
            if call is None:
                assert self._evaluator is not None
                self._evaluator.run(arrays, out, order)
            else:
                call(*addresses)

        return run

    def _checked(self, inputs: Sequence[Array]) -> list[Array]:
        if len(inputs) != len(self._lengths):
            names = ", ".join(name for name, _ in self.groups)
            raise ExpressionError(f"{len(inputs)} arrays were given; expected {len(self._lengths)}: {names}")
        arrays: list[Array] = []
        for array, length in zip(inputs, self._lengths, strict=True):
            if not (
                type(array) is np.ndarray
                and array.dtype is _FLOAT
                and array.shape == (length,)
                and array.flags.c_contiguous
            ):
                array = np.ascontiguousarray(array, dtype=np.float64)
                if array.shape != (length,):
                    name = self.groups[len(arrays)][0]
                    raise ExpressionError(f"the input {name} has shape {array.shape}; expected ({length},)")
            arrays.append(array)
        return arrays

    def _check_out(self, out: Array, shape: tuple[int, ...]) -> None:
        good = isinstance(out, np.ndarray) and out.dtype == _FLOAT and out.shape == shape
        if not good or not out.flags.c_contiguous or not out.flags.writeable:
            raise ExpressionError(f"the outputs need a contiguous, writable array of 64-bit numbers of shape {shape}")

    def when_served(self, follower: Callable[[int], None]) -> None:
        """Call a function with the address of the machine code, now if there is any, and whenever better code serves.

        Args:
            follower: Called on the thread that optimizes, too; of two calls the last has the better code.
        """
        with _lock:
            self._followers.append(follower)
            if self.cell[0]:
                follower(int(self.cell[0]))

    def serve(self, address: int) -> None:
        """Have optimized code serve that comes from elsewhere."""
        self._serve(address)
        self._optimized.set()

    def _serve(self, address: int, address_of_arrays: int = 0) -> None:
        """Have machine code serve from now on."""
        kinds = [ctypes.c_void_p] * (len(self.groups) + (not self.places)) + [ctypes.c_int64] * self._several
        self._call = ctypes.CFUNCTYPE(None, *kinds)(address)
        if address_of_arrays and machine.arrays_are_as_expected():
            objects = [ctypes.py_object] * (len(self.groups) + 1) + [ctypes.c_int64] * self._several
            self._quick = ctypes.PYFUNCTYPE(ctypes.c_int, *objects)(address_of_arrays)
        with _lock:
            self.cell[0] = address
            for follower in self._followers:
                follower(address)


_FLOAT = np.dtype(np.float64)


def _pointer(array: Array) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def generate(
    inputs: Mapping[str, Sequence[Expression]],
    *stages: Sequence[Expression],
    contract: bool = True,
    background: bool = True,
) -> GeneratedFunction:
    """Return the function that computes expressions.

    The same expressions of the same symbols in the same order give the same function; numbers that change belong among
    the inputs, then nothing is compiled anew.

    Args:
        inputs: Symbols by the input array that they stand in, in its order.
        stages: Expressions in the order of the output array; if there are several sequences, callers say how many of
            them they want, and only what these need is computed.
        contract: Whether a product and a sum, or a product and a reciprocal, may be rounded once instead of twice.
        background: Whether code without optimization serves until optimized code has been made on a thread; else this
            waits for it.

    Raises:
        ExpressionError: If an expression holds a symbol that is no input, or there is nothing to compute.
    """
    return function_of(program_of(inputs, stages), contract, background)


def generate_named(
    description: Sequence[str | bytes | np.ndarray],
    make: Callable[[], Program],
    contract: bool = True,
    background: bool = True,
) -> GeneratedFunction:
    """Return the function of a program that need not be made if one of this description has been compiled before.

    Args:
        description: All that decides the program, the version of what makes it included.
        make: Makes the program.
        contract: See ``generate``.
        background: See ``generate``.
    """
    return generate_noted(description, lambda: (make(), np.zeros(0)), contract, background)[0]


def generate_noted(
    description: Sequence[str | bytes | np.ndarray],
    make: Callable[[], tuple[Program, np.ndarray]],
    contract: bool = True,
    background: bool = True,
) -> tuple[GeneratedFunction, np.ndarray]:
    """Return the function of a program, see ``generate_named``, and numbers that were noted when it was made."""
    identity = machine.machine().identity if machine.is_there() else "numpy"
    key = CACHE.key([*description, identity, f"described {contract}"])
    with _lock:
        found = _noted.get(key)
        if found is None:
            kept = CACHE.load(key) if machine.is_there() else None
            name = bytes(kept["program"]).decode() if kept is not None and "program" in kept else ""
            known = (_functions.get(name) or _loaded(name)) if name else None
            if known is None or kept is None:
                program, notes = make()
                known = function_of(program, contract)
                if machine.is_there():
                    name = _key(program, contract)
                    CACHE.save(key, {"program": np.frombuffer(name.encode(), dtype=np.uint8), "notes": notes})
            else:
                notes = kept["notes"]
            found = _noted[key] = known, notes
    found[0].want()
    if not background:
        found[0].wait()
    return found


def function_of(program: Program, contract: bool = True, background: bool = True) -> GeneratedFunction:
    """Return the function of a program; see ``generate``."""
    if not program.stages or not program.size:
        raise ExpressionError("there is nothing to compute: no expressions were given")
    key = _key(program, contract)
    with _lock:
        found = _functions.get(key)
        if found is None:
            found = _functions[key] = _loaded(key) or _made(program, contract, key)
    found.want()
    if not background:
        found.wait()
    return found


def _key(program: Program, contract: bool) -> str:
    if not machine.is_there():
        return CACHE.key([program.content(), "numpy"])
    return CACHE.key([program.content(), machine.machine().identity, f"{contract}"])


def _loaded(key: str) -> GeneratedFunction | None:
    """Return the function whose optimized code is on the disk, None if there is none."""
    kept = CACHE.load(key)
    if kept is None or not machine.is_there():
        return None
    lengths, sizes = kept["lengths"], kept["sizes"]
    names = bytes(kept["names"]).decode().split("\0")
    places = [(int(group), int(index)) for group, index in kept["places"]]
    function = GeneratedFunction(list(zip(names, lengths.tolist(), strict=False)), sizes.tolist(), places)
    objects = [kept[f"object {k}"].tobytes() for k in range(len(kept) - 4)]
    function._serve(*machine.machine().load(objects, *_names(key, function)))
    function._optimized.set()
    _functions[key] = function
    return function


def _names(key: str, function: GeneratedFunction) -> list[str]:
    return [f"generated_{key}", *([] if function.places else [f"generated_{key}_of_arrays"])]


def _made(program: Program, contract: bool, key: str) -> GeneratedFunction:
    function = GeneratedFunction(program.groups, [len(stage) for stage in program.stages], program.places)
    if not machine.is_there():
        function._evaluator = Evaluator(program)
        function._optimized.set()
        return function
    llvm = machine.machine()
    names = _names(key, function)
    lengths = [length for _, length in program.groups]
    lowered = lower(program, contract and llvm.dialect.fused)

    def compiled(optimized: bool) -> list[bytes]:
        texts = llvm_text.modules(lowered, lengths, names[0], llvm.dialect, inline=optimized)
        return [llvm.object_of(text, optimized) for text in texts if not is_over()]

    def optimize() -> None:
        if function._optimize is None:  # somebody asked twice
            return
        function._optimize = None
        try:
            objects = compiled(True)
            if is_over():
                return
            function._serve(*llvm.load(objects, *names))
            inputs = "\0".join(name for name, _ in program.groups).encode()
            CACHE.save(
                key,
                {
                    "names": np.frombuffer(inputs, dtype=np.uint8),
                    "lengths": np.array(function._lengths, dtype=np.int64),
                    "sizes": np.array(function.sizes, dtype=np.int64),
                    "places": np.array(function.places, dtype=np.int64).reshape(-1, 2),
                    **{f"object {k}": np.frombuffer(each, dtype=np.uint8) for k, each in enumerate(objects)},
                },
            )
        except Exception as error:  # whatever LLVM raises; ``wait`` says so
            function._failure = error
        finally:
            function._optimized.set()

    function._serve(*llvm.load(compiled(False), *names))
    function._optimize = optimize
    return function


def kept_code(text: str) -> bytes:
    """Return the optimized machine code of a module, from the disk if it has been compiled before."""
    llvm = machine.machine()
    key = CACHE.key([text, llvm.identity])
    kept = CACHE.load(key)
    if kept is not None and "object" in kept:
        return kept["object"].tobytes()
    code = llvm.object_of(text, True)
    CACHE.save(key, {"object": np.frombuffer(code, dtype=np.uint8)})
    return code


def is_over() -> bool:
    """Return whether the process is about to end: it waits for this thread."""
    return not threading.main_thread().is_alive()


_PAUSE = 0.04
"""How long nothing has been compiled when optimizing goes on, [s]: it keeps those waiting who need code at once."""
_newest = 0.0
_urgent: deque[Callable[[], None]] = deque()
_waiting: deque[Callable[[], None]] = deque()
_worker: threading.Thread | None = None
_at_work = threading.Lock()


def do_later(work: Callable[[], None], urgent: bool = False) -> None:
    """Do work on a thread of its own, which ends when nothing is left.

    Args:
        work: Nothing happens if it is in the queue already.
        urgent: Whether somebody waits for it: it is done before all that is not, wherever it stood.
    """
    global _newest, _worker
    with _at_work:
        if work in _urgent or (work in _waiting and not urgent):
            return
        if work in _waiting:
            _waiting.remove(work)
        else:
            _newest = time.monotonic()
        (_urgent if urgent else _waiting).append(work)
        if _worker is None:
            # No daemon: ending the process while LLVM is at work would crash it.
            _worker = threading.Thread(target=_work, name="optimizing generated code")
            _worker.start()


def let_go() -> None:
    """Do nothing that nobody waits for, for a program that goes on to other models.

    A function that is asked for anew, or waited for, joins the queue again.
    """
    with _at_work:
        _waiting.clear()


def _work() -> None:
    global _worker
    while True:
        with _at_work:
            if not (_urgent or _waiting):
                _worker = None
                return
            work = (_urgent or _waiting).popleft()
        while not is_over() and (left := _newest + _PAUSE - time.monotonic()) > 0.0:
            time.sleep(left)
        work()
