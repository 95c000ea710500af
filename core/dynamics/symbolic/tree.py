"""A model whose recursions are generated machine code: its records and the table of routines that run over them.

A joint's routines depend on what kind of joint it is, on which of its numbers are zero and on what reaches it; a chain
of a hundred equal joints needs eight, and so does one of four hundred. Masses, lengths and angles are read from the
records.
"""

from __future__ import annotations

import hashlib
import marshal
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.codegen import machine, program_of
from core.codegen.bundle import bundle_key, keep_bundle, load_bundle
from core.codegen.generated import GeneratedFunction, generate_noted
from core.codegen.slot_call import slot_call
from core.codegen.sweep import NOTHING, Row, Spread, Sweep
from core.dynamics.packed import General
from core.dynamics.recursive import packed_of
from core.dynamics.symbolic import frames as frames_of
from core.dynamics.symbolic import recursions
from core.dynamics.symbolic.records import (
    BODY,
    BODY_LENGTH,
    EXPRESSIONS,
    FIRST_CONSTANT,
    GENERAL,
    GIVEN,
    HINGE,
    SLIDE,
    VECTOR,
    layout,
    length,
)
from core.dynamics.symbolic.recursions import (
    ANY_CODE,
    MINUS_CODE,
    ONE_CODE,
    PARENT_LOAD,
    PARENT_MOTION,
    PARENT_RESPONSE,
    Made,
    NodeClass,
    bits,
)
from core.errors import DynamicsError
from core.joints import JointModel
from core.joints.evaluated import evaluated
from core.kernels.functions import is_compiled
from core.spatial.so3 import hat
from core.symbolic import Expression, symbol

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel

_Routine = tuple[GeneratedFunction, tuple[int, ...], int]
_Key = tuple[str, tuple[NodeClass, ...], tuple[int, ...], int, int]
"""The arguments of ``recursions.made``."""

T = TypeVar("T")

_lock = threading.RLock()
_routines: dict[object, _Routine] = {}
_BITS = 128
"""Bytes of a note: one bit for each number of a record."""


class SymbolicTree:
    """Generated recursions of a model.

    Attributes:
        classes: Of each node, the world's left out.
        lock: Held while the records are in use by more than one call.

    Args:
        model: The tree.
    """

    def __init__(self, model: TreeModel):
        packed = packed_of(model)
        self._n = model.nv
        found = frames_of.frames(packed)
        self._frames = found
        rows = len(found.kinds)
        general = {each.node - 1: each for each in packed.general}
        self._given: list[tuple[General, int]] = []
        self._kept: list[Array] = []
        self._slots: list[float] = []
        self.classes: list[NodeClass] = []
        written = [_written(general[first].joint) if first in general else None for first in found.first]
        constants = [
            self._constants(general[first].joint, expressions) if first in general else ()
            for first, expressions in zip(found.first, written, strict=True)
        ]
        counts = [len(own) for own in constants]
        shapes = set(zip(found.kinds[1:], found.counts[1:], counts[1:], strict=True))
        stride = max(length(*shape) for shape in shapes | {(HINGE, 1, 0)})
        self._stride = stride
        nb = len(model.bodies)
        self.block = np.zeros(stride * rows + BODY_LENGTH * nb)
        records = self.block[: stride * rows].reshape(rows, stride)
        self._bodies = self.block[stride * rows :].reshape(nb, BODY_LENGTH)
        self._records = records
        places = layout("hinge", 1)

        def put(name: str, values: Array) -> None:
            where = places[name]
            records[:, where.start : where.stop] = values.reshape(rows, len(where))

        put("mass", found.mass)
        put("h", found.h)
        I = found.I  # noqa: E741
        put("I", np.stack([I[:, 0, 0], I[:, 0, 1], I[:, 0, 2], I[:, 1, 1], I[:, 1, 2], I[:, 2, 2]], axis=1))
        diagonal = np.diagonal(I, axis1=1, axis2=2)
        put("sigma", 0.5 * diagonal.sum(axis=1)[:, None] - diagonal)
        for name in ("turn", "tilt", "shift", "angle", "least"):
            put(name, getattr(found, name))
        put("nan", np.full(rows, np.nan))
        records[0] = 0.0
        records[0, places["a"].start : places["a"].stop] = -model.gravity
        for row in range(1, rows):
            if found.kinds[row] == GENERAL:
                own = layout(GENERAL, found.counts[row], counts[row])
                records[row, own["frame"].start : own["frame"].stop] = found.frame[row].ravel()
                records[row, own["parameters"].start : own["parameters"].stop] = constants[row]
        end = places["nan"].stop
        codes = _codes(records[:, FIRST_CONSTANT:end], _exact_places(end))
        self._starts = [0] * rows
        for row in range(1, rows):
            kind, d = found.kinds[row], found.counts[row]
            own_codes = codes[row]
            source = ""
            start = bits(places["turned"]) if kind == HINGE else 0
            if kind == GENERAL:
                own = layout(kind, d, counts[row])
                stop = own["parameters"].stop
                own_codes = _codes(records[row : row + 1, FIRST_CONSTANT:stop], _exact_places(stop, own["frame"]))[0]
                if found.vectors[row]:
                    source = VECTOR
                elif written[row] is not None:
                    source = EXPRESSIONS
                else:
                    source, start = GIVEN, bits(own["S"])
                    self._given.append((general[found.first[row]], row))
            self._starts[row] = start
            text, transform = written[row] or ("", None)
            root, numbers = found.parents[row] == 0, counts[row]
            self.classes.append(NodeClass(kind, d, source, own_codes, root, found.open[row], text, transform, numbers))
        self._world = bits([p for p in places["a"] if records[0, p] != 0.0])
        self._body_rows = self._place_bodies(packed.memory.bodies.array)
        self.lock = threading.RLock()
        self._runs = _runs(found)
        self._forward: Sweep | None = None
        self._sweeps: dict[tuple[str, ...], Sweep] = {}

    def _place_bodies(self, bodies: np.ndarray) -> list[int]:
        """Write the poses of bodies in their nodes' frames; return the nodes' rows."""
        found = self._frames
        rows = np.array(found.row_of, dtype=np.int64)[bodies["parent"]]
        back = found.R[rows].transpose(0, 2, 1)
        turned, at = back @ bodies["T"].reshape(-1, 3, 3), bodies["at"] - found.p[rows]
        self._bodies[:, BODY["T"].start : BODY["T"].stop] = turned.reshape(-1, 9)
        self._bodies[:, BODY["at"].start : BODY["at"].stop] = (back @ at[:, :, None])[:, :, 0]
        found_rows: list[int] = rows.tolist()
        return found_rows

    def _constants(self, joint: JointModel, expressions: object) -> Sequence[float]:
        """Return the numbers that a general joint's record has: those of its expressions, or its slot and theirs."""
        if expressions is not None:
            return joint.constants
        slot, own = evaluated(joint)
        self._slots.append(slot)
        self._kept.append(own)
        return slot, float(own.ctypes.data)

    def sweep(self, *passes: str) -> Sweep:
        """Return the table of some passes, one after the other; ``push`` takes the bodies' wrenches off."""
        found = self._sweeps.get(passes)
        if found is None:
            found = self._sweeps[passes] = self._made(passes)
            if passes == FORWARD:
                self._forward = found
        return found

    def _made(self, passes: tuple[str, ...]) -> Sweep:
        frames = self._frames
        moving = "outward" in passes or "driven" in passes
        hinges = [row for row, kind in enumerate(frames.kinds) if kind == HINGE] if moving else []
        turns = [(frames.first[row], row * self._stride) for row in hinges]
        before = self._evaluations() if moving else []
        offset = layout(HINGE, 1)["angle"].start
        whole = bool(self.classes) and "push" not in passes
        key = bundle_key([_version(), *passes, self._topology()]) if whole else None
        wrench, bodies = BODY["wrench"], len(self._bodies)
        start = self._stride * len(frames.kinds) + wrench.start
        spread = Spread(start, BODY_LENGTH, len(wrench), bodies) if "push" in passes else NOTHING
        found = load_bundle(key) if key is not None else None
        if found is not None:
            functions, numbers = found
            calls = [(functions[k], own, other, first) for k, own, other, first in numbers.reshape(-1, 4).tolist()]
            return Sweep([*before, *calls], self.block, self._n, turns, offset, spread)
        keys: dict[_Key, int] = {}
        rows: list[Row] = []
        indices: list[int] = []
        for routine, (function, *_), places in self._walk(passes, _routine):
            rows.append((function, *places))
            if routine is not None:
                indices.append(keys.setdefault(routine, len(keys)))
        if key is not None and keys:
            numbers = np.array([(k, *row[1:]) for k, row in zip(indices, rows, strict=True)], dtype=np.int64)
            keep_bundle(key, lambda: [recursions.made(*each).program for each in keys], numbers)
        return Sweep([*before, *rows], self.block, self._n, turns, offset, spread)

    def _evaluations(self) -> list[Row]:
        """Return the calls of joints that have no expressions; without machine code ``evaluate`` is called."""
        if not machine.is_there():
            return []
        rows: list[Row] = []
        for (joint, first, _), row in self._given:
            places = layout(GENERAL, joint.n, _SLOT_AND_CONSTANTS)
            where = (places[name].start for name in ("parameters", "Q", "S", "rate"))
            rows.append((slot_call(joint.n, *where), row * self._stride, 0, first))
        return rows

    def operations(self, *passes: str) -> int:
        """Return how many operations some passes take; additions, multiplications and functions count one each."""
        made: dict[_Key, Made] = {}

        def routine(*key: Any) -> Made:
            if key not in made:
                made[key] = recursions.made(*key)
            return made[key]

        hinges = sum(kind == HINGE for kind in self._frames.kinds)
        return 3 * hinges + sum(program.operations for _, (program, *_), _ in self._walk(passes, routine))

    def _walk(
        self, passes: tuple[str, ...], routine: Callable[..., tuple[T, tuple[int, ...], int]]
    ) -> Iterator[tuple[_Key | None, tuple[T, tuple[int, ...], int], tuple[int, int, int]]]:
        """Return each call's routine, what ``routine`` makes of it, and where its records and coordinates begin."""
        frames = self._frames
        known = list(self._starts)
        known[0] = self._world
        for name in passes:
            if name == "push":
                yield from self._pushes(known)
                continue
            mask = _READS[name]
            for row, count in reversed(self._runs) if recursions.PASSES[name][1] else self._runs:
                parent = frames.parents[row]
                own = (self._starts if mask is PARENT_MOTION else known)[row : row + count]
                nodes = tuple(self.classes[row - 1 : row - 1 + count])
                key = (name, nodes, tuple(own), known[parent] & mask, self._stride if count > 1 else 0)
                found = routine(*key)
                for k, each in enumerate(found[1]):
                    known[row + k] |= each
                known[parent] |= found[2]
                yield key, found, (row * self._stride, parent * self._stride, frames.first[row])

    def _topology(self) -> bytes:
        """Return all that decides which routines run, and where."""
        frames = self._frames
        classes = [(n.kind, n.d, n.source, n.codes, n.root, n.open, n.description, n.parameters) for n in self.classes]
        return marshal.dumps((classes, frames.parents, frames.first, self._runs, self._world, self._stride), 2)

    def _pushes(self, known: list[int]) -> Iterator[tuple[None, Any, tuple[int, int, int]]]:
        start = self._stride * len(known)
        for i, row in enumerate(self._body_rows):
            if row:
                found = _push(known[row] & PARENT_LOAD)
                known[row] |= found[2]
                yield None, found, (start + BODY_LENGTH * i, row * self._stride, 0)

    def evaluate(self, x: Array, v: Array) -> None:
        """Write joints without expressions: transforms, subspaces and what their change adds."""
        for (joint, first, _), row in self._given:
            q, rate = x[first : first + joint.n], v[first : first + joint.n]
            places, record = layout(GENERAL, joint.n, _SLOT_AND_CONSTANTS), self._records[row]
            X, S = joint.transform(q), joint.subspace(q)
            Q = places["Q"].start
            record[Q : Q + 9], record[Q + 9 : Q + 12] = X[:3, :3].ravel(), X[:3, 3]
            record[places["S"].start : places["S"].stop] = S.T.ravel()
            record[places["rate"].start : places["rate"].stop] = joint.subspace_rate(q, rate) @ rate

    def forward(self, x: Array, v: Array, tau: Array, wrenches: Array, out: Array) -> bool:
        """Write accelerations; return whether all are finite. No pivot is then nothing but rounding.

        Args:
            x, v, tau: Contiguous, shape (nv,).
            wrenches: At B in B, shape (nb, 6).
            out: Shape (nv,).
        """
        return self._run(("outward",), ("inward", "onward"), x, v, tau, wrenches, out)

    def quick(self, x: Any, v: Any, tau: Any, out: Array) -> bool:
        """Write accelerations without external wrenches; return whether that was done, as of ``Sweep.quick``."""
        return self._forward is not None and self._is_free() and self._forward.quick(x, v, tau, out)

    def rows(self, x: Array, v: Array, tau: Array, wrenches: Array, out: Array) -> list[int] | None:
        """Write the accelerations of many states, on all processors, each with the bits of ``forward``.

        Return the states that need a closer look; None if Python has to evaluate something of each, and nothing was
        done.

        Args:
            x, v, tau: Contiguous, shape (k, nv), or (1, nv) for all states.
            wrenches: At B in B, contiguous, shape (k, nb, 6) or (1, nb, 6).
            out: Contiguous, shape (k, nv).
        """
        sweep = self.sweep(*FORWARD)
        if not sweep.is_machine_code or not self._is_free():
            return None
        pushed = np.broadcast_to(wrenches.any(axis=(1, 2)), (len(out),))
        if not pushed.any():
            return sweep.run_rows(x, v, tau, out)
        other = self.sweep("outward", "push", "inward", "onward")
        if pushed.all():
            return other.run_rows(x, v, tau, out, wrenches)
        found: list[int] = []
        for where, chosen in ((~pushed, sweep), (pushed, other)):
            own_x, own_v, own_tau = (array if len(array) == 1 else array[where] for array in (x, v, tau))
            part, numbers = np.empty((int(where.sum()), self._n)), np.flatnonzero(where)
            bad = chosen.run_rows(own_x, own_v, own_tau, part, wrenches[where] if chosen is other else None)
            out[where] = part
            found += [int(numbers[k]) for k in bad]
        return sorted(found)

    def _is_free(self) -> bool:
        """Return whether no joint is evaluated by Python, which lets other threads in."""
        return not self._slots or all(is_compiled(slot) for slot in self._slots)

    def inverse(self, x: Array, v: Array, vdot: Array, wrenches: Array, out: Array) -> bool:
        """Write the generalized forces of accelerations; arguments as of ``forward``."""
        return self._run(("driven",), ("forces",), x, v, vdot, wrenches, out)

    def efforts(self, x: Array, v: Array, tau: Array, wrenches: Array, out: Array) -> bool:
        """Write ``tau`` less what ``vdot = 0`` takes; arguments as of ``forward``."""
        return self._run(("outward",), ("efforts",), x, v, tau, wrenches, out)

    # -- for what goes on with matrices ------------------------------------------------------------------------------

    @property
    def records(self) -> Array:
        """Of all nodes, [0] the world's, shape (k, numbers)."""
        return self._records

    def joints(self) -> NDArray[np.int64]:
        """Return what ``mixed_kernel`` goes by: a row for each node, [0] the world's."""
        frames = self._frames
        rows = np.zeros((len(frames.kinds), 7), dtype=np.int64)
        for row, kind in enumerate(frames.kinds):
            places = layout(kind, frames.counts[row], self.classes[row - 1].parameters if row else 0)
            where = [places[name].start if name in places else 0 for name in ("R", "r", "S")]
            number = (HINGE, SLIDE, GENERAL).index(kind)
            rows[row] = number, frames.parents[row], frames.first[row], frames.counts[row], *where
        return rows

    def inertias(self) -> Array:
        """Return the nodes' inertias about their origins in their axes, row by row, shape (k, 36); new."""
        frames = self._frames
        J = np.zeros((len(frames.kinds), 6, 6))
        J[:, :3, :3] = frames.I
        J[:, :3, 3:] = hat(frames.h)
        J[:, 3:, :3] = -J[:, :3, 3:]
        J[:, 3:, 3:] = frames.mass[:, None, None] * np.eye(3)
        return J.reshape(-1, 36)

    def least(self) -> Array:
        """Return below which inertias about and along an axis a pivot may be rounding, shape (k, 2)."""
        return self._frames.least

    def _run(
        self, before: tuple[str, ...], after: tuple[str, ...], x: Array, v: Array, u: Array, wrenches: Array, out: Array
    ) -> bool:
        pushed = bool(wrenches.any())
        sweep = self.sweep(*before, *(("push",) if pushed else ()), *after)
        with self.lock:
            if self._given and not sweep.is_machine_code:
                self.evaluate(x, v)
            return sweep.run(x, v, u, out, np.ascontiguousarray(wrenches) if pushed else None) < 0


_SLOT_AND_CONSTANTS = 2
"""Parameters of a joint without expressions: its slot, and where its constants lie."""
FORWARD = ("outward", "inward", "onward")
_READS = {
    "outward": PARENT_MOTION,
    "driven": PARENT_MOTION,
    "inward": PARENT_LOAD,
    "forces": PARENT_LOAD,
    "efforts": PARENT_LOAD,
    "onward": PARENT_RESPONSE,
}
"""What each pass reads of the parent's record."""


def _written(joint: JointModel) -> tuple[str, recursions.Transform] | None:
    """Return a digest of a joint's transform as expressions and these themselves, None if it has none.

    Raises:
        DynamicsError: If they are not twelve.
    """
    q = [symbol(f"q{k}") for k in range(joint.n)]
    constants = [symbol(f"c{k}") for k in range(len(joint.constants))]
    Q = joint.expressions(q, constants)
    if Q is None:
        return None
    if len(Q) != 12:
        raise DynamicsError(
            f'joint type "{joint.type_name}" gives {len(Q)} expressions; expected 12: R, row by row, and p'
        )
    content = program_of({"q": q, "constants": constants}, [Q]).content()
    return hashlib.blake2b(content, digest_size=20).hexdigest(), _Transform(joint)


class _Transform:
    """A joint's expressions of other symbols."""

    def __init__(self, joint: JointModel):
        self._joint = joint

    def __call__(self, q: Sequence[Expression], constants: Sequence[Expression]) -> Sequence[Expression]:
        Q = self._joint.expressions(q, constants)
        assert Q is not None
        return Q


def _exact_places(end: int, *more: range) -> Array:
    """Return which constants count as 1 and -1, too: those of turns."""
    places = layout("hinge", 1)
    found = np.zeros(end - FIRST_CONSTANT, dtype=bool)
    for where in (places["turn"], places["tilt"], *more):
        found[where.start - FIRST_CONSTANT : where.stop - FIRST_CONSTANT] = True
    return found


def _codes(values: Array, exact: Array) -> list[bytes]:
    codes = np.where(values == 0.0, 0, ANY_CODE).astype(np.uint8)
    codes[(values == 1.0) & exact] = ONE_CODE
    codes[(values == -1.0) & exact] = MINUS_CODE
    return [row.tobytes() for row in codes]


def _routine(name: str, nodes: tuple[NodeClass, ...], own: tuple[int, ...], other: int, stride: int) -> _Routine:
    key = (name, nodes, own, other, stride)
    found = _routines.get(key)
    if found is None:
        found = _generated(key, lambda: recursions.made(name, nodes, own, other, stride))
    return found


def _runs(frames: frames_of.Frames) -> list[tuple[int, int]]:
    """Return the first rows and lengths of runs of nodes that become one routine each.

    What a node hands on to the next in its run stays in registers. Only joints of one coordinate are joined, each the
    only child of the one before; short rows are not worth routines of their own.
    """
    children = [0] * len(frames.parents)
    for parent in frames.parents[1:]:
        children[parent] += 1
    found: list[tuple[int, int]] = []
    row = 1
    while row < len(frames.parents):
        count = 1
        while (
            row + count < len(frames.parents)
            and frames.parents[row + count] == row + count - 1
            and children[row + count - 1] == 1
            and GENERAL not in frames.kinds[row : row + count + 1]
        ):
            count += 1
        step = MOST_JOINED if count >= _LONG else 1
        found += [(first, min(step, row + count - first)) for first in range(row, row + count, step)]
        row += count
    return found


_LONG = 6
MOST_JOINED = 2
"""Nodes in one routine."""


def _push(own: int) -> _Routine:
    key = ("push", own)
    return _routines.get(key) or _generated(key, lambda: recursions.push(own))


def _generated(key: tuple[object, ...], make: object) -> _Routine:
    def noted() -> tuple[object, Array]:
        made: Made = make()  # type: ignore[operator]
        notes = b"".join(each.to_bytes(_BITS, "little") for each in (made.other, *made.own))
        return made.program, np.frombuffer(notes, dtype=np.uint8)

    with _lock:
        if key not in _routines:
            function, notes = generate_noted([_version(), repr(key)], noted)  # type: ignore[arg-type]
            data = notes.tobytes()
            other, *own = (int.from_bytes(data[k : k + _BITS], "little") for k in range(0, len(data), _BITS))
            _routines[key] = function, tuple(own), other
        return _routines[key]


@cache
def _version() -> bytes:
    """Return a digest of the sources that make routines."""
    here = Path(__file__).parent
    made = hashlib.blake2b(digest_size=20)
    for source in sorted([*here.glob("*.py"), *(here.parents[1] / "symbolic").glob("*.py")]):
        made.update(source.name.encode() + source.read_bytes())
    return made.digest()


def known_tree(model: TreeModel) -> SymbolicTree | None:
    """Return the generated recursions of a model if there are some."""
    packed = model.packed
    return packed.generated if packed is not None else None


def tree_of(model: TreeModel) -> SymbolicTree:
    """Return the generated recursions of a model; the same at each call."""
    packed = packed_of(model)
    if packed.generated is None:
        made = SymbolicTree(model)
        with _lock:
            if packed.generated is None:
                packed.generated = made
    found: SymbolicTree = packed.generated
    return found
