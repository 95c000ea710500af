"""Equations between joint values and places of parts: constraints that need not be geometric (Welman 1993, 7.2.1).

A text such as ``0.5 * "abdomen".x = "chest".x`` says that a function of the pose vanishes; several are set apart by
``;``. Angles count in degrees in it, lengths in metres, and places of parts are ``y("left hand")`` in the world, of
another point than the part's middle ``y("left hand", 0, -0.1, 0)``. What belongs to another figure has the figure's
name before it: ``"woman"."chest".x`` and ``y("woman"."left hand")``. The texts go through the parser of expressions;
nothing in them is ever run.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.constraints.equation_names import REFERENCE, figure_in, joint_in
from core.constraints.places import Places
from core.constraints.residuals import POSE, Residual
from core.constraints.tape import Tape, make_tape
from core.constraints.tape_kernel import AWAY
from core.errors import ExpressionError, JointError, LockError
from core.joints.base import ANGLE
from core.kinematics.forward import forward_kinematics
from core.kinematics.jacobian import point_jacobian
from core.skeleton.dof import HINGE, SLIDE
from core.skeleton.joint import dof_letters
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.segment import end_effector
from core.skeleton.skeleton import Skeleton
from core.symbolic import Evaluator, Expression, derivative, parse, symbol
from core.symbolic.expression import CONSTANT, SYMBOL, apply, topological

UNITS = {
    "m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048,
    "deg": 1.0, "°": 1.0, "rad": math.degrees(1.0), "turn": 360.0,
}  # fmt: skip
"""What one of each unit is in the numbers of a text: metres or degrees."""
LONGEST = 4000
"""Most characters of a text."""
MOST = 6
"""Most equations of a lock."""
_MOST_KEPT = 256
_ROOM = 3


@per_skeleton
def _words(s: Skeleton) -> tuple[dict[str, str], ...]:
    found = []
    for i, joint in enumerate(s.joints):
        letters = dof_letters(joint)
        labels = s.dof_labels[s.first_dof[i] : s.first_dof[i + 1]]
        lasts = [label.split()[-1].lower() if label.split() else "" for label in labels]
        bare = [letter.lstrip("-") for letter in letters]
        own: dict[str, str] = {}
        for names in (lasts, bare):
            for name, letter in zip(names, letters, strict=True):
                if names.count(name) == 1 and re.fullmatch(r"[^\W\d]\w*", name):
                    own.setdefault(name, letter)
        found.append(own)
    return tuple(found)


def coordinate_words(s: Skeleton, joint: int) -> dict[str, str]:
    """Return what the coordinates of a joint may be called, and the letter in texts of equations that each stands for.

    The words of its sliders come first, ``"flex"`` of *Knee flex*, then the letters of its axes.
    """
    return _words(s)[joint]


class _Reference(NamedTuple):
    """A symbol of an equation.

    Attributes:
        symbol: The symbol.
        dof: Place in the pose of a joint's coordinate; -1 for that of a part.
        factor: What one of the pose's units is in the text's.
        joint: Index of the part.
        point: A point of it, shape (3,), [m].
        axis: Which coordinate of the point in the world.
    """

    symbol: Expression
    dof: int
    factor: float = 1.0
    joint: int = -1
    point: Array = np.zeros(3)
    axis: int = 0


def read_equations(text: object, what: str) -> str:
    """Return a text of equations after checking all that can be checked without a figure.

    Raises:
        LockError: If it is none; says what is wrong and at which character.
    """
    if not isinstance(text, str):
        raise LockError(f'{what} is {text!r:.60}; it must be equations such as \'"neck".x = 0.5 * "head".x\'')
    pattern, numbers = _parted(text)
    known = _read.get(pattern)
    if known is None or not all(math.isfinite(value) for value in known.floats(numbers)):
        _sides(text, what)  # places of errors are those in the text itself
        if numbers:
            _keep_read(pattern, len(numbers))
    return text


_NUMERAL = re.compile(r'"[^"]*"|\((-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?)\)')


_OPEN_POWER = re.compile(r"(?:\^|\*\*)(?!\s*[-+]?\s*(?:[0-9.]|\(-?[0-9.]+\)))")
"""A power whose exponent is more than a number."""


@lru_cache(maxsize=2048)
def _parted(text: str) -> tuple[str, tuple[float, ...]]:
    """Return a text without the numbers that stand in brackets by themselves, and these.

    Texts that differ in such numbers alone, as those of an equation with the time in it do, are one pattern: it is
    read, derived and laid out once. Exponents stay what they are, since a power depends on which number it is; a text
    with others than plain numbers is left whole.
    """
    if _OPEN_POWER.search(text):
        return text, ()
    numbers: list[float] = []

    def put(match: re.Match[str]) -> str:
        before = text[: match.start()].rstrip(" \t+-")[-2:]
        if match[1] is None or before.endswith("^") or before == "**" or before[-1:].isalnum() or before[-1:] == "_":
            return match.group(0)
        numbers.append(float(match[1]))
        return f"(N{len(numbers) - 1})"

    pattern = _NUMERAL.sub(put, text)
    try:
        _sides(pattern, "equation", len(numbers))
    except LockError:  # brackets that mean something else, or a text that is wrong as it stands
        return text, ()
    return pattern, tuple(numbers)


_read: dict[str, Evaluator] = {}
"""Patterns that were read, with what in them depends on their numbers alone."""


def _keep_read(pattern: str, count: int) -> None:
    numbers = [symbol(f"n{k}") for k in range(count)]
    known: set[Expression] = set(numbers)
    for node in topological([expression for _, expression in _sides(pattern, "equation", count)]):
        if node.operation == CONSTANT or (node.operands and all(operand in known for operand in node.operands)):
            known.add(node)
    if len(_read) >= _MOST_KEPT:
        _read.clear()
    _read[pattern] = Evaluator([node for node in known if node.operation != CONSTANT], numbers)


@lru_cache(maxsize=512)
def _sides(text: str, what: str, numbers: int = 0) -> tuple[tuple[tuple[str, ...], Expression], ...]:
    """Return for each equation the references of its symbols, in their order, and its left less its right side.

    ``numbers`` of a pattern, see ``_parted``, are symbols, too.
    """
    if len(text) > LONGEST:
        raise LockError(f"{what} has {len(text)} characters; at most {LONGEST} are possible")
    found = []
    for equation in text.split(";"):
        names = {f"N{k}": symbol(f"n{k}") for k in range(numbers)}
        references: list[str] = []

        def stand_in(match: re.Match[str], names: dict[str, Expression] = names, seen: list[str] = references) -> str:
            whole = match.group(0)
            if whole not in seen:
                seen.append(whole)
            word = stand_in_name(seen.index(whole), len(whole))
            names[word] = symbol(f"r{seen.index(whole)}")
            return word

        sides = REFERENCE.sub(stand_in, equation).split("=")
        if len(sides) != 2:
            raise LockError(f'{what} has {len(sides) - 1} "=" in "{equation.strip()[:60]}"; it must have one')
        try:
            left, right = (parse(side, names, UNITS, longest=LONGEST) for side in sides)
        except ExpressionError as error:
            raise LockError(f'{what}: "{equation.strip()[:60]}": {error}') from None
        if not references:
            raise LockError(f'{what}: "{equation.strip()[:60]}" names no joint and no part; it must name one')
        found.append((tuple(references), left - right))
    if len(found) > MOST:
        raise LockError(f"{what} has {len(found)} equations; at most {MOST} are possible")
    return tuple(found)


def stand_in_name(number: int, length: int) -> str:
    """Return a word of a length that stands for a reference, so that places of errors in a text stay what they are."""
    return f"Q{number:x}".ljust(length, "_")


class Compiled(NamedTuple):
    """Equations of a figure, ready to be evaluated.

    Attributes:
        references: What they are functions of.
        outside: What they name of other figures: the whole reference of each, whose numbers come behind, and behind
            these those of the text.
        tape: Values, then slopes of each by ``references``.
        rows: How many equations there are.
        angular: Whether they are between angles alone.
    """

    references: tuple[_Reference, ...]
    outside: tuple[str, ...]
    tape: Tape
    rows: int
    angular: bool


@per_skeleton
def _kept(s: Skeleton) -> dict[str, Compiled]:
    return {}


def _compiled(text: str, s: Skeleton) -> Compiled:
    """Return the equations of a figure, ready to be evaluated for any numbers in them; kept with the figure."""
    kept = _kept(s)
    text, numbers = _parted(text)
    if text not in kept:
        made = _compile(text, s, len(numbers))
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        kept[text] = made
    return kept[text]


def _compile(text: str, s: Skeleton, count: int) -> Compiled:
    """Return the equations of a figure, ready to be evaluated.

    Raises:
        LockError: If a joint or a coordinate is not there.
    """
    references: list[_Reference] = []
    outputs: list[Expression] = []
    known: dict[str, int] = {}
    outside: dict[str, Expression] = {}
    numbers = [symbol(f"n{k}") for k in range(count)]
    for own, expression in _sides(text, "equation", count):
        renamed = {number: number for number in numbers}
        for k, whole in enumerate(own):
            match = REFERENCE.fullmatch(whole)
            assert match is not None
            if figure_in(match) is not None:
                renamed[symbol(f"r{k}")] = outside.setdefault(whole, symbol(f"w{len(outside)}"))
                continue
            if whole not in known:
                known[whole] = len(references)
                references.append(_reference(s, match, symbol(f"v{len(references)}")))
            renamed[symbol(f"r{k}")] = references[known[whole]].symbol
        outputs.append(_renamed(expression, renamed))
    symbols = [reference.symbol for reference in references]
    slopes = derivative(outputs, symbols)
    tape = make_tape(outputs, [entry for row in slopes for entry in row], [*symbols, *outside.values(), *numbers])
    angular = all(reference.dof >= 0 and reference.factor != 1.0 for reference in references)
    angular = angular and not any(whole[0] in "xyz" for whole in outside)  # places begin with a letter
    return Compiled(tuple(references), tuple(outside), tape, len(outputs), angular)


def _renamed(expression: Expression, names: dict[Expression, Expression]) -> Expression:
    """Return an expression with other symbols."""
    made: dict[Expression, Expression] = {}
    for node in topological([expression]):
        if node.operation == SYMBOL:
            made[node] = names[node]
        elif node.operation == CONSTANT:
            made[node] = node
        else:
            made[node] = apply(node.operation, *[made[operand] for operand in node.operands])
    return made[expression]


def _reference(s: Skeleton, match: re.Match[str], name: Expression) -> _Reference:
    """Return a reference of a figure.

    Raises:
        LockError: If the figure has no such joint, or the joint no such coordinate.
    """
    joint_name = joint_in(match)
    try:
        i = s.joint_index(joint_name)
    except JointError as error:
        raise LockError(f"equation: {error}") from None
    if match["joint"] is None:
        given = [match[letter] for letter in "abc"]
        point = end_effector(s, i) if given[0] is None else np.array([float(number) for number in given])
        return _Reference(name, -1, 1.0, i, point, "xyz".index(match["letter"]))
    words, letters = coordinate_words(s, i), dof_letters(s.joints[i])
    letter = match["word"] if match["word"] in letters else words.get(match["word"])
    if letter is None:
        raise LockError(
            f'equation: joint "{joint_name}" has no coordinate "{match["word"]}"; it has {", ".join(words) or "none"}'
        )
    k = letters.index(letter)
    dof = s.joints[i].dofs[k]
    return _Reference(name, 3 + s.first_dof[i] + k, _factor(dof.kind, s, i, k))


def _factor(kind: str, s: Skeleton, i: int, k: int) -> float:
    """Return how many of a text's units one of the pose's is: degrees of an angle, else 1."""
    if kind == HINGE:
        return math.degrees(1.0)
    if kind == SLIDE:
        return 1.0
    units = s.joints[i].units
    return math.degrees(1.0) if units[k] == ANGLE else 1.0


@dataclass(frozen=True, eq=False)
class EquationResidual(Residual):
    """``left(q) - right(q)`` of each equation: [rad] if it is between angles alone, else [m].

    Attributes:
        text: The equations.
        skeleton: The figure.
        outside: What they name of other figures, as it stands; see ``outside_values``.
    """

    text: str
    skeleton: Skeleton
    outside: tuple[float, ...] = ()

    @cached_property
    def compiled(self) -> Compiled:
        """The equations, ready to be evaluated: the same for texts that differ in bracketed numbers alone."""
        return _compiled(self.text, self.skeleton)

    @property
    def numbers(self) -> tuple[float, ...]:
        """Numbers of the text that ``compiled`` leaves open."""
        return _parted(self.text)[1]

    @property
    def angular(self) -> bool:  # type: ignore[override]
        return self.compiled.angular

    @property
    def of(self) -> tuple[str, ...]:
        """The pose."""
        return (POSE,)

    @property
    def size(self) -> int:
        """Number of equations."""
        return self.compiled.rows

    @property
    def joints(self) -> tuple[int, ...]:
        s = self.skeleton
        found = [each.joint if each.dof < 0 else int(s.dof_joints[each.dof - 3]) for each in self.compiled.references]
        return tuple(dict.fromkeys(found))

    def both(self, q: Array) -> tuple[Array, Array]:
        """Return value and Jacobian at a pose, shapes (m,) and (m, nq), read-only: those of the last pose are kept."""
        key = q.tobytes()
        known: tuple[bytes, tuple[Array, Array]] | None = self.__dict__.get("_last")
        if known is None or known[0] != key:
            known = key, self._evaluated(q)
            self.__dict__["_last"] = known  # one object, so that threads that ask at once get what belongs together
        return known[1]

    def _evaluated(self, q: Array) -> tuple[Array, Array]:
        made, s = self.compiled, self.skeleton
        places = any(reference.dof < 0 for reference in made.references)
        X = forward_kinematics(s, q) if places else np.empty(0)
        values: list[float] = []
        for each in made.references:
            if each.dof >= 0:
                values.append(float(q[each.dof]) * each.factor)
            else:
                frame = X[each.joint]
                values.append(float(frame[each.axis, :3] @ each.point + frame[each.axis, 3]))
        found = made.tape.values([*values, *self.outside, *self.numbers])
        if not np.isfinite(found).all():
            off, steep = found[: made.rows], found[made.rows :]
            np.nan_to_num(off, copy=False, nan=0.0, posinf=AWAY, neginf=-AWAY)
            steep[~np.isfinite(steep)] = 0.0
        unit = math.radians(1.0) if made.angular else 1.0
        slopes = found[made.rows :].reshape(made.rows, -1)
        C, J = unit * found[: made.rows], np.zeros((made.rows, s.nq))
        moved: dict[tuple[int, bytes], Array] = {}
        for row, each in enumerate(made.references):
            if each.dof >= 0:
                J[:, each.dof] += unit * each.factor * slopes[:, row]
                continue
            key = each.joint, each.point.tobytes()
            if key not in moved:
                moved[key] = point_jacobian(s, q, each.joint, each.point)
            J += np.outer(unit * slopes[:, row], moved[key][each.axis])
        C.setflags(write=False)
        J.setflags(write=False)
        return C, J

    def value(self, *h: Array) -> Array:
        return self.both(h[0])[0]

    def jacobians(self, *h: Array) -> tuple[Array, ...]:
        return (self.both(h[0])[1],)

    def missing(self, *h: Array) -> Array:
        # There is no way of a part to go: what is left of the equations, of more than three its length.
        found, values = np.zeros(_ROOM), self.value(*h)
        found[: min(len(values), _ROOM)] = -values[:_ROOM]
        if len(values) > _ROOM:
            found[0] = np.copysign(np.linalg.norm(values), found[0])
            found[1:] = 0.0
        return found

    def drift(self, h: Sequence[Array], u: Sequence[Array]) -> Array:
        # By differences along the motion: second derivatives of places would need those of the whole figure.
        step = 1e-5 / max(float(np.abs(u[0]).max(initial=0.0)), 1e-12)
        ahead, behind = (self.jacobians(h[0] + sign * step * u[0])[0] @ u[0] for sign in (1.0, -1.0))
        return np.asarray((ahead - behind) / (2.0 * step))


def outside_values(text: str, places: Places) -> tuple[float, ...]:
    """Return what equations name of other figures, in the units of texts and in their order.

    Raises:
        LockError: If a figure, a joint or a coordinate is not there.
    """
    found = []
    for whole in _compiled(text, places.skeleton).outside:
        match = REFERENCE.fullmatch(whole)
        assert match is not None
        figure = figure_in(match)
        s, q = places.figure(figure)
        each = _reference(s, match, symbol("w"))
        place = each.dof < 0
        found.append(
            float(places.point(each.joint, each.point, figure)[each.axis])
            if place
            else float(q[each.dof]) * each.factor
        )
    return tuple(found)


def values_kept(s: Skeleton, q: Array, joint: int) -> str:
    """Return the equations that keep the values of a joint as they are in a pose.

    Raises:
        LockError: If the joint has none.
    """
    name, found = s.joints[joint].name, []
    for k, letter in enumerate(dof_letters(s.joints[joint])):
        value = float(q[3 + s.first_dof[joint] + k]) * _factor(s.joints[joint].dofs[k].kind, s, joint, k)
        found.append(f'"{name}".{letter} = {value:.17g}')
    if not found:
        raise LockError(f'equation lock of joint "{name}": the joint does not move; it needs equations of its own')
    return "; ".join(found)


def checked_equations(text: str, s: Skeleton) -> None:
    """Check that a figure has all that equations name of it.

    Raises:
        LockError: If it has not.
    """
    if not _compiled(text, s).references:
        raise LockError("equation: it names no joint and no part of the figure itself; it must name one")


def check_outside(text: str, others: Callable[[str], Skeleton]) -> None:
    """Check that other figures have all that equations name of them.

    Args:
        text: The equations.
        others: Gives other figures by name.

    Raises:
        LockError: If one has not.
    """
    for match in REFERENCE.finditer(text):
        figure = figure_in(match)
        if figure is not None:
            _reference(others(figure), match, symbol("w"))
