"""The six recursions of forward dynamics as expressions, for one node; and the two of inverse dynamics.

A node's part of a recursion is a routine that reads and writes its record and its parent's. Numbers that are always
zero are left out: which they are is known from the constants of the node and from what the recursions before have
written.

Recursions 1 and 2 go outward together (``outward``), 3 to 5 inward (``inward``), 6 outward again (``onward``). What is
rearranged against the paper: the linear velocity of the moving origin drops out of 18 to 23 when the acceleration of
the origin itself takes the place of the twist's rate; the wrenches p (24) and z (31) have the same transform, and
``y = p + z`` is carried instead; ``Omega`` (28) is inverted by eliminating one coordinate after the other, which makes
of ``J`` in turn what (27) has behind the sum.

Source: Si & Guenter eqs. 8, 11, 14, 15, 18-35 (30 with Ad*, 31 with tau-bar, 21 with f_e,k).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from core.codegen.program import Program, program_of
from core.dynamics.symbolic.joints import Motion, bias, motion_of, rotation_vector
from core.dynamics.symbolic.records import (
    BODY,
    EXPRESSIONS,
    FIRST_CONSTANT,
    GENERAL,
    HINGE,
    VECTOR,
    layout,
)
from core.dynamics.symbolic.spatial import (
    PAIRS,
    Piece,
    Rotation,
    Shift,
    Turn,
    Vector,
    cross,
    dot,
    plus,
    product,
)
from core.symbolic import Expression, collector_paused, symbol
from core.symbolic.expression import ONE, ZERO, select

E = Expression
Transform = Callable[[Sequence[E], Sequence[E]], Sequence[E]]
"""From coordinates and parameters to twelve expressions."""

ZERO_CODE, ANY_CODE, ONE_CODE, MINUS_CODE = range(4)
"""What is known of a constant."""


@dataclass(frozen=True)
class NodeClass:
    """All that decides the expressions of a node's routines.

    Attributes:
        kind: ``hinge``, ``slide`` or ``general``.
        d: Number of coordinates.
        source: Where a general joint's transform comes from.
        codes: Of each constant, from ``FIRST_CONSTANT`` on.
        root: Whether it hangs on the world.
        open: Whether no inertia gets through its joint: six coordinates.
        description: Of a general joint's expressions.
        transform: They themselves.
        parameters: How many numbers they go by.
    """

    kind: str
    d: int
    source: str
    codes: bytes
    root: bool
    open: bool
    description: str = ""
    transform: Transform | None = field(default=None, compare=False, repr=False)
    parameters: int = 0


class Made(NamedTuple):
    """A routine.

    Attributes:
        program: What it computes.
        own: For each node, which numbers of its record it writes, as bits.
        other: Which of the first one's parent's.
    """

    program: Program
    own: tuple[int, ...]
    other: int


def bits(places: Sequence[int]) -> int:
    """Return a number with these bits set."""
    found = 0
    for place in places:
        found |= 1 << place
    return found


_COMMON = layout(HINGE, 1)
PARENT_MOTION = bits([p for name in ("omega", "alpha", "U", "a") for p in _COMMON[name]])
PARENT_LOAD = bits([p for name in ("y", "acc") for p in _COMMON[name]])
PARENT_RESPONSE = bits(list(_COMMON["eta"]))


@cache
def _symbols(name: str, count: int) -> list[E]:
    return [symbol(f"{name}{k}") for k in range(count)]


class _Node:
    """What a routine reads and writes of one of its nodes.

    Args:
        node: The class.
        own: Which numbers of its record have been written, as bits.
        other: Which of the parent's, where that is not in the routine itself.
        base: Where its record begins, seen from that of the routine's first node.
        first: Its first coordinate, seen from that of the routine's first node.
        before: Its parent, where that is in the routine itself.
    """

    def __init__(self, node: NodeClass, own: int, other: int, base: int, first: int, before: _Node | None):
        self.node, self.d, self.before = node, node.d, before
        self.places = layout(node.kind, node.d, node.parameters)
        self._own, self._other, self._base, self._first = own, other, base, first
        end = first + node.d
        self.x, self.v, self.u = (_symbols(name, end)[first:] for name in "xvu")
        self.writes: dict[tuple[int, int], E] = {}
        self.values: dict[str, Vector] = {}
        self.added: dict[str, Vector] = {}

    def read(self, name: str) -> Vector:
        """Return a field of the node's record."""
        found = [self._at(place) for place in self.places[name]]
        return plus(found, self.added[name]) if name in self.added else found

    def _at(self, place: int) -> E:
        code = place - FIRST_CONSTANT
        if 0 <= code < len(self.node.codes) and self.node.codes[code] != ZERO_CODE:
            known = self.node.codes[code]
            return (self._symbol(place), ONE, -ONE)[known - 1]
        return self._symbol(place) if self._own >> place & 1 else ZERO

    def _symbol(self, place: int) -> E:
        return symbol(f"n{self._base + place}")

    def parent(self, name: str) -> Vector:
        """Return a field of the parent's record."""
        if self.before is not None:
            return self.before.values[name]
        return [symbol(f"p{place}") if self._other >> place & 1 else ZERO for place in self.places[name]]

    def write(self, name: str, values: Sequence[E]) -> None:
        """Write a field of the node's record."""
        self.values[name] = list(values)
        for place, value in zip(self.places[name], values, strict=True):
            if value is not ZERO:
                self.writes[0, self._base + place] = value

    def add_to_parent(self, name: str, values: Sequence[E]) -> None:
        """Add to a field of the parent's record."""
        if self.before is not None:
            self.before.added[name] = list(values)
            return
        for place, old, value in zip(self.places[name], self.parent(name), values, strict=True):
            if value is not ZERO:
                self.writes[1, place] = old + value

    def answer(self, values: Sequence[E]) -> None:
        """Write the results of the coordinates."""
        for k, value in enumerate(values):
            self.writes[5, self._first + k] = value

    def forget(self) -> None:
        """Write nothing that only the node behind, which is in the routine, wants to know."""
        for name in ("omega", "alpha", "U", "a", "eta"):
            for place in self.places[name]:
                self.writes.pop((0, self._base + place), None)

    def written(self) -> int:
        """Return which numbers of the node's record are written, as bits."""
        return bits([at - self._base for group, at in self.writes if group == 0])

    # -- the joint ---------------------------------------------------------------------------------------------------

    def way(self) -> list[Piece]:
        """Return the pieces from the parent's axes to the joint's, without those that do nothing."""
        (c, s), (ct, st), shift = self.read("turn"), self.read("tilt"), self.read("shift")
        pieces: list[Piece] = []
        if c is not ONE or s is not ZERO:  # a sine may count where the cosine is 1 to the last bit
            pieces.append(Turn(2, c, s))
        if any(part is not ZERO for part in shift):
            pieces.append(Shift(shift))
        if ct is not ONE or st is not ZERO:
            pieces.append(Turn(0, ct, st))
        return pieces

    def pieces(self) -> list[Piece]:
        """Return the pieces from the parent's frame to the node's, once ``outward`` has been there."""
        kind = self.node.kind
        if kind == GENERAL:
            return [Shift(self.read("r")), Rotation(self.read("R"))]
        if kind == HINGE:
            return [*self.way(), Turn(2, *self.read("turned"))]
        return [*self.way(), Shift([ZERO, ZERO, self.x[0]])]

    def columns(self) -> list[Vector]:
        """Return the columns of the motion subspace, in the node's axes, once ``outward`` has been there."""
        if self.node.kind == GENERAL:
            S = self.read("S")
            return [S[6 * k : 6 * k + 6] for k in range(self.d)]
        return [[ONE if k == (2 if self.node.kind == HINGE else 5) else ZERO for k in range(6)]]

    def motion(self) -> Motion:
        """Return the motion of a general joint."""
        if self.node.source == VECTOR:
            return rotation_vector(self.x, self.v)
        if self.node.source == EXPRESSIONS:
            assert self.node.transform is not None
            return motion_of(self.node.transform(self.x, self.read("parameters")), self.x, self.v)
        S, rate, Q = ([self._symbol(place) for place in self.places[name]] for name in ("S", "rate", "Q"))
        return Motion(Q, [S[6 * k : 6 * k + 6] for k in range(self.d)], rate)


def outward(at: _Node, inverse: bool = False) -> None:
    """Recursions 1 and 2: the acceleration at no ``vdot``, or at that of ``u``, and the wrench that it takes.

    Source: Si & Guenter eqs. 18-23; with ``inverse`` 8, 11 and of 14 the node's own part.
    """
    node = at.node
    omega, alpha, U, a = (at.parent(name) for name in ("omega", "alpha", "U", "a"))
    if node.kind == GENERAL:
        motion = at.motion()
        frame, shift = Rotation(at.read("frame")), at.read("shift")
        columns = [frame.inward(list(motion.Q[k:9:3])) for k in range(3)]
        R = Rotation([columns[k][row] for row in range(3) for k in range(3)])
        arm = plus(shift, frame.inward(list(motion.Q[9:])))
        a = plus(a, [dot(U[3 * k : 3 * k + 3], arm) for k in range(3)])
        omega, alpha, a = R.outward(omega), R.outward(alpha), R.outward(a)
        turning, more_alpha, more_a = bias(motion, omega, at.v)
        omega, alpha, a = plus(omega, turning), plus(alpha, more_alpha), plus(a, more_a)
        if inverse:
            for column, rate in zip(motion.S, at.u, strict=True):
                alpha, a = (
                    plus(alpha, [part * rate for part in column[:3]]),
                    plus(a, [part * rate for part in column[3:]]),
                )
        at.write("R", [entry for row in R.rows for entry in row])
        at.write("r", arm)
        if node.source in (VECTOR, EXPRESSIONS):
            at.write("S", [part for column in motion.S for part in column])
    else:
        (q,), (rate,) = at.x, at.v
        way = at.way()
        arm = at.read("shift")
        if node.kind == HINGE:
            behind: list[Piece] = [*way, Turn(2, *at.read("turned"))]
        else:
            behind = way
            tilt = at.read("tilt")
            arm = plus(arm, [ZERO, -(tilt[1] * q), tilt[0] * q])
        turn = at.read("turn")
        arm = Turn(2, *turn).inward(arm)
        a = plus(a, [dot(U[3 * k : 3 * k + 3], arm) for k in range(3)])
        for piece in behind:
            omega, alpha, a = piece.outward(omega), piece.outward(alpha), piece.outward(a)
        if node.kind == HINGE:
            alpha = [alpha[0] + omega[1] * rate, alpha[1] - omega[0] * rate, alpha[2]]
            omega = [omega[0], omega[1], omega[2] + rate]
            if inverse:
                alpha = [*alpha[:2], alpha[2] + at.u[0]]
        else:
            twice = 2.0 * rate
            a = [a[0] + omega[1] * twice, a[1] - omega[0] * twice, a[2]]
            if inverse:
                a = [*a[:2], a[2] + at.u[0]]
    x, y, z = omega
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    U = [
        -(yy + zz), xy - alpha[2], xz + alpha[1],
        xy + alpha[2], -(xx + zz), yz - alpha[0],
        xz - alpha[1], yz + alpha[0], -(xx + yy),
    ]  # fmt: skip
    at.write("omega", omega)
    at.write("alpha", alpha)
    at.write("U", U)
    at.write("a", a)
    at.write("y", _own_wrench(at, U, a))


def _own_wrench(at: _Node, U: Vector, a: Vector) -> Vector:
    """Return the wrench that the node's body needs: ``m a + U h`` and, about the origin, ``h x a + vee(U Sigma)``.

    ``Sigma`` is the integral of ``r r^T``: the moment of ``U r`` is the integral of ``r x U r``.
    """
    (m,), h, I, sigma = at.read("mass"), at.read("h"), at.read("I"), at.read("sigma")  # noqa: E741
    rows = [[sigma[0], -I[1], -I[2]], [-I[1], sigma[1], -I[4]], [-I[2], -I[4], sigma[2]]]

    def entry(i: int, j: int) -> E:
        return dot(U[3 * i : 3 * i + 3], [row[j] for row in rows])

    force = plus([m * part for part in a], [dot(U[3 * k : 3 * k + 3], h) for k in range(3)])
    spun = [entry(2, 1) - entry(1, 2), entry(0, 2) - entry(2, 0), entry(1, 0) - entry(0, 1)]
    return plus(cross(h, a), spun) + force


def _own_inertia(at: _Node) -> Vector:
    (m,), h, I = at.read("mass"), at.read("h"), at.read("I")  # noqa: E741
    H = [ZERO, -h[2], h[1], h[2], ZERO, -h[0], -h[1], h[0], ZERO]
    return [*I, *H, m, ZERO, ZERO, m, ZERO, m]


def inward(at: _Node) -> None:
    """Recursions 3 to 5: the articulated inertia and wrench, and each coordinate's acceleration if its parent had none.

    Source: Si & Guenter eqs. 24-33.
    """
    node = at.node
    J = plus(_own_inertia(at), at.read("acc"))
    y = at.read("y")
    least, (nan,) = at.read("least"), at.read("nan")
    free, gain = [ZERO] * node.d, [ZERO] * (6 * node.d)
    for j in range(node.d - 1, -1, -1):
        S = at.columns()[j]
        u = product(J, S)
        pivot = dot(S, u)
        floor = least[0] * dot(S[:3], S[:3]) + least[1] * dot(S[3:], S[3:])
        D = select(pivot - floor, pivot**-1, nan)
        free[j] = (at.u[j] - dot(S, y)) * D
        k = [part * D for part in u]
        axis = next((i for i in range(6) if S[i] is ONE and sum(part is not ZERO for part in S) == 1), None)
        if axis is not None:
            k[axis] = ONE
        gain[6 * j : 6 * j + 6] = k
        J = [
            ZERO if axis in (row, column) else entry - k[row] * u[column]
            for entry, (row, column) in zip(J, PAIRS, strict=True)
        ]
        y = [at.u[j] if axis == row else y[row] + u[row] * free[j] for row in range(6)]
    at.write("free", free)
    at.write("gain", [ZERO if part is ONE else part for part in gain])
    if not node.root:
        for piece in reversed(at.pieces()):
            y = piece.wrench(y)
            if not (node.open or node.d == 6):
                J = piece.inertia(J)
        at.add_to_parent("y", y)
        if not (node.open or node.d == 6):
            at.add_to_parent("acc", J)


def onward(at: _Node) -> None:
    """Recursion 6: the coordinates' accelerations, outward. Source: Si & Guenter eqs. 34, 35."""
    eta = at.parent("eta")
    for piece in at.pieces():
        eta = piece.acceleration(eta)
    free, gain = at.read("free"), at.read("gain")
    found = []
    for j, S in enumerate(at.columns()):
        k = gain[6 * j : 6 * j + 6]
        axis = next((i for i in range(6) if S[i] is ONE and sum(part is not ZERO for part in S) == 1), None)
        if axis is None:
            rate = free[j] - dot(k, eta)
            eta = plus(eta, [part * rate for part in S])
        else:  # along the axis what came from the parent cancels
            rest = free[j] - dot([*k[:axis], *k[axis + 1 :]], [*eta[:axis], *eta[axis + 1 :]])
            rate = rest - eta[axis]
            eta[axis] = rest
        found.append(rate)
    at.write("eta", eta)
    at.answer(found)


def forces(at: _Node) -> None:
    """The inward recursion of inverse dynamics. Source: Si & Guenter eqs. 14, 15."""
    y = at.read("y")
    at.answer([dot(S, y) for S in at.columns()])
    if not at.node.root:
        for piece in reversed(at.pieces()):
            y = piece.wrench(y)
        at.add_to_parent("y", y)


def efforts(at: _Node) -> None:
    """Recursion 3 alone: ``tau`` less what the accelerations at no ``vdot`` need. Source: Si & Guenter eqs. 24-26."""
    y = at.read("y")
    at.answer([u - dot(S, y) for u, S in zip(at.u, at.columns(), strict=True)])
    if not at.node.root:
        for piece in reversed(at.pieces()):
            y = piece.wrench(y)
        at.add_to_parent("y", y)


def push(own: int) -> Made:
    """Take the wrench on a body, at its origin in its axes, from that of its node; the node stands for the parent."""
    body = {name: [symbol(f"n{place}") for place in places] for name, places in BODY.items()}
    turn = Rotation(body["T"])
    t, f = turn.inward(body["wrench"][:3]), turn.inward(body["wrench"][3:])
    t = plus(t, cross(body["at"], f))
    places = list(_COMMON["y"])
    writes = [
        (symbol(f"p{place}") if own >> place & 1 else ZERO) - part for place, part in zip(places, t + f, strict=True)
    ]
    groups = {
        "node": [symbol(f"n{k}") for k in range(BODY["wrench"].stop)],
        "parent": [symbol(f"p{k}") for k in range(_COMMON["eta"].stop)],
        **{name: [] for name in ("x", "v", "u", "out")},
    }
    return Made(program_of(groups, [writes], [(1, place) for place in places]), (0,), bits(places))


PASSES: dict[str, tuple[Callable[[_Node], None], bool]] = {
    "outward": (outward, False),
    "inward": (inward, True),
    "onward": (onward, False),
    "driven": (lambda at: outward(at, inverse=True), False),
    "forces": (forces, True),
    "efforts": (efforts, True),
}
"""A node's part of each recursion, and whether it goes inward."""


def made(name: str, nodes: Sequence[NodeClass], own: Sequence[int], other: int, stride: int) -> Made:
    """Return the routine of some nodes for one of ``PASSES``.

    Args:
        name: Of the recursion.
        nodes: One node, or several each of which is the only child of the one before.
        own: For each node, which numbers of its record have been written, as bits.
        other: Which of the first one's parent.
        stride: From one record to the next.
    """
    step, inner = PASSES[name]
    with collector_paused():
        row: list[_Node] = []
        first = 0
        for k, node in enumerate(nodes):
            row.append(_Node(node, own[k], other, k * stride, first, row[-1] if row else None))
            first += node.d
        for at in reversed(row) if inner else row:
            step(at)
        for at in row[:-1]:
            at.forget()
        groups = {
            "node": _symbols("n", (len(nodes) - 1) * stride + row[-1].places["gain"].stop),
            "parent": _symbols("p", _COMMON["eta"].stop),
            **{each: _symbols(each, first) for each in "xvu"},
            "out": _symbols("o", first),
        }
        writes = {place: value for at in row for place, value in at.writes.items()}
        if not writes:  # what slides on the world without gravity: a zero that nobody reads, for something to compute
            writes[0, row[0].places["omega"].start] = ZERO
        program = program_of(groups, [list(writes.values())], tuple(writes))
        return Made(program, tuple(at.written() for at in row), bits([at for group, at in writes if group == 1]))
