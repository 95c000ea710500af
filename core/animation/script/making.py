"""From the statements of a script to the lock strips of a sequence.

A statement without a target holds what its part has at the strip's first frame, with the strips of the statements
before it held. A statement that says the same as before leaves its strip as it is, to the last bit, with all that a
strip has and a statement does not say, such as keys of its target.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from core.animation.locks.formula import TargetFormula, numbers_in, part_size, target_of_numbers
from core.animation.locks.strip import LockStrip, new_id
from core.animation.script.circles import Scripted, circles
from core.animation.script.expressions import Number, read_number, tokens_between
from core.animation.script.names import FigureNames, Place
from core.animation.script.reading import (
    LOCK,
    Reading,
    Statement,
    kind_words,
    problem_at,
    read_script,
    target_word,
)
from core.animation.script.text import SIGN, ScriptError, ScriptProblem, Token, line_tokens, one_of, quoted
from core.animation.sequence import Sequence as Motion
from core.arrays import Array
from core.constraints.aiming import aiming_joints, named_axis, natural_axis
from core.constraints.balance import MARGIN
from core.constraints.bind import bind
from core.constraints.equation_names import joints_in
from core.constraints.equations import checked_equations
from core.constraints.kinds import find_kind
from core.constraints.kinds.target_parts import put_together
from core.constraints.lock import Lock
from core.constraints.places import Figures
from core.errors import CoreError
from core.skeleton.skeleton import Skeleton


class Meaning(NamedTuple):
    """What a statement says, whatever its blanks.

    Attributes:
        holds: What is held, as far as it decides where the target comes from.
        when: Frames, eases, weight and name.
    """

    holds: tuple[Any, ...]
    when: tuple[Any, ...]


def meaning(statement: Statement, paths: Mapping[str, Statement]) -> Meaning:
    """Return what a statement says.

    Args:
        statement: The statement.
        paths: The statements of the paths of its script, by name.
    """
    clauses, kind = statement.clauses, statement.kind
    assert kind is not None
    said = {name: clauses[name].values for name in ("axes", "using", "mutual", "over") if name in clauses}
    first = clauses["from"].values[0] if "from" in clauses else "0"
    all_said = bool(kind.parts) and all(word in statement.targets for word in kind_words(kind))
    path = paths.get(statement.named.text) if statement.named is not None else None
    settled = all_said or statement.way is not None or statement.named is not None or kind.by_equation
    holds = (
        kind.name,
        statement.part and statement.part.text,
        statement.other and statement.other.text,
        tuple((which, _tight(clause.values)) for which, clause in sorted(statement.points.items())),
        tuple(sorted(said.items())),
        tuple((word, _tight(clause.values)) for word, clause in sorted(statement.targets.items())),
        statement.way and _tight(statement.way.values),
        path and path.way and _tight(path.way.values),
        tuple(token.text for token in statement.equation),
        None if settled else int(first),
    )
    when = tuple(clauses[name].values if name in clauses else None for name in ("from", "ease", "weight", "name"))
    return Meaning(holds, when)


def _tight(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple("".join(text.split()) for text in texts)


def paths_of(reading: Reading) -> dict[str, Statement]:
    """Return the statements of the paths of a script by name; of two with one name the first."""
    found: dict[str, Statement] = {}
    for statement in reading.statements:
        if statement.verb != LOCK and statement.named is not None:
            found.setdefault(statement.named.text, statement)
    return found


@dataclass(frozen=True)
class Made:
    """What a script has come to.

    Attributes:
        reading: The script as it was read.
        strips: Strips of its lines of locks, in their order; None for one that has something wrong with it.
        problems: All that is wrong, by place.
    """

    reading: Reading
    strips: tuple[LockStrip | None, ...]
    problems: tuple[ScriptProblem, ...]


def make_strips(
    motion: Motion,
    text: str,
    kept: Sequence[LockStrip | None] = (),
    meant: Sequence[Meaning | None] = (),
    others: Mapping[str, Motion] | None = None,
    ids: Sequence[str | None] = (),
) -> Made:
    """Return the lock strips of a script.

    Args:
        motion: The sequence that they are for; it does not change.
        text: The script.
        kept: For each line of a lock the strip it has already, or None.
        meant: For each what it said when that strip was as it is now; None if that is not known.
        others: Sequences of other figures that it may name; None for the companions of the sequence.
        ids: Ids for strips that are new, by line; None for one that no other strip has.
    """
    reading = read_script(text)
    companions = motion.companions if others is None else dict(others)
    names = FigureNames(motion.skeleton, {name: other.skeleton for name, other in companions.items()})
    maker = _Maker(motion, reading, names, companions)
    problems = list(reading.problems)
    strips: list[LockStrip | None] = []
    own = Scripted(None, motion, reading, names, {name: name for name in companions})
    looped = {id(statement): error for statement, error in circles(own, companions)}
    for k, entry in enumerate(reading.entries):
        statement = entry.statement
        before = kept[k] if k < len(kept) else None
        if statement is None:
            strips.append(None)
            continue
        try:
            if id(statement) in looped:
                raise looped[id(statement)]
            old = meant[k] if k < len(meant) else None
            strip = maker.strip(statement, before, old, ids[k] if k < len(ids) else None)
        except ScriptError as error:
            problems.append(problem_at(text, error.message, error.start, error.end))
            strips.append(None)
            continue
        maker.made.append(strip)
        strips.append(strip)
    for wrong in maker.path_errors():
        problems.append(problem_at(text, wrong.message, wrong.start, wrong.end))
    return Made(reading, tuple(strips), tuple(sorted(problems, key=lambda each: each.start)))


class _Maker:
    def __init__(self, motion: Motion, reading: Reading, names: FigureNames, companions: Mapping[str, Motion]):
        self.motion, self.reading, self.names = motion, reading, names
        self.companions = companions
        self.made: list[LockStrip] = []
        self._scratch: Motion | None = None
        self._poses: dict[tuple[int, tuple[str, ...]], Array] = {}
        self._bound_at: set[tuple[str, int]] = set()
        self._binding: int | None = None  # the frame whose pose gave the target that is being made
        self._solves = 0
        self._paths = paths_of(reading)
        self._twice: list[ScriptError] = []
        for statement in reading.statements:
            if statement.verb != LOCK and statement.named is not None:
                name = statement.named
                if self._paths[name.text] is not statement:
                    message = f"there is a path {quoted(name.text)} already; expected another name"
                    self._twice.append(ScriptError(message, name.start, name.end))
        self._points: dict[str, Array] = {}
        self._line: tuple[int, list[Token]] = (-1, [])

    @property
    def s(self) -> Skeleton:
        return self.motion.skeleton

    # -- paths -----------------------------------------------------------------------------------------------------

    def path_errors(self) -> list[ScriptError]:
        """Return what is wrong with paths that are named twice, or whose points are no numbers."""
        found = list(self._twice)
        for name, statement in self._paths.items():
            try:
                self._path(name, statement)
            except ScriptError as error:
                found.append(error)
        return found

    def _path(self, name: str, statement: Statement) -> Array:
        if name not in self._points:
            assert statement.way is not None
            values = [self._constant(statement, a, b) for a, b in statement.way.spans]
            self._points[name] = np.array(values).reshape(-1, 3)
        return self._points[name]

    # -- numbers ---------------------------------------------------------------------------------------------------

    def _tokens(self, statement: Statement) -> list[Token]:
        if self._line[0] != statement.start:
            self._line = statement.start, line_tokens(self.reading.text, statement.start, statement.end)[0]
        return self._line[1]

    def _number(self, statement: Statement, start: int, end: int) -> Number:
        inside = tokens_between(self._tokens(statement), start, end)
        return read_number(self.reading.text, inside, start, end, self.names)

    def _constant(self, statement: Statement, start: int, end: int) -> float:
        number = self._number(statement, start, end)
        if number.value is None:
            raise ScriptError("this depends on the time or on parts; expected a number that stays", start, end)
        return number.value

    # -- strips ----------------------------------------------------------------------------------------------------

    def strip(self, statement: Statement, before: LockStrip | None, old: Meaning | None, new: str | None) -> LockStrip:
        """Return the strip of a statement.

        Raises:
            ScriptError: If it cannot be.
        """
        start, end = self._frames(statement)
        values: dict[str, Any] = {"start": start, "end": end, **self._own_values(statement)}
        now = meaning(statement, self._paths)
        try:
            if before is not None and old is not None and old.holds == now.holds:
                self._check_names(statement)
                return before if old.when == now.when else replace(before, **values)
            self._binding = None
            lock, formula = self._lock(statement, start)
            if formula is not None:
                self._check_formula(statement, lock, formula, (start, end))
            kept = {} if before is None else {"id": before.id, "extra": before.extra}
            strip = LockStrip(lock, formula=formula, **{"id": new or new_id(), **kept, **values})
            if self._binding is not None:
                self._bound_at.add((strip.id, self._binding))
            return strip
        except CoreError as error:
            raise ScriptError(str(error), statement.start, statement.end) from None

    @staticmethod
    def _check_formula(
        statement: Statement, lock: Lock, formula: TargetFormula, frames: tuple[int, int | None]
    ) -> None:
        try:
            formula.check(lock.rule, lock.target, *frames)
        except CoreError as error:
            said = next(iter(statement.targets.values()), None)
            place = (said.start, said.end) if said is not None else (statement.start, statement.end)
            raise ScriptError(str(error), *place) from None

    def _check_names(self, statement: Statement) -> None:
        for token in (statement.part, statement.other):
            if token is not None:
                self.names.place(token)

    def _frames(self, statement: Statement) -> tuple[int, int | None]:
        clause = statement.clauses.get("from")
        if clause is None:
            return 0, None
        return int(clause.values[0]), int(clause.values[1]) if len(clause.values) > 1 else None

    def _own_values(self, statement: Statement) -> dict[str, Any]:
        clauses = statement.clauses
        ease = clauses["ease"].values if "ease" in clauses else ("0", "0")
        return {
            "ease_in": float(ease[0]),
            "ease_out": float(ease[1]),
            "weight": float(clauses["weight"].values[0]) if "weight" in clauses else 1.0,
            "name": clauses["name"].values[0] if "name" in clauses else None,
        }

    def _lock(self, statement: Statement, start: int) -> tuple[Lock, TargetFormula | None]:
        kind = statement.kind
        assert kind is not None
        if kind.by_equation:
            return self._equation(statement, start)
        given: dict[str, Any] = {}
        if "axes" in statement.clauses:
            given["axes"] = tuple(axis in statement.clauses["axes"].values for axis in "xyz")
        if "using" in statement.clauses:
            given["joints"] = self._joints(statement, "using")
        if "over" in statement.clauses:
            given["other"] = self._joints(statement, "over")
        place = None if statement.part is None else self.names.place(statement.part, own=True)
        joint: int | str = 0 if place is None else place.named.joint
        if place is not None:
            given["point"] = self._own_point(statement, place)
        if statement.other is not None:
            given |= self._second(statement, place)
        numbers = self._targets(statement)
        if any(number.references for number in numbers.values()):
            return self._following(statement, place, numbers, given, start)
        try:
            bare = Lock(joint, kind.name, **given)
            if kind.by_points:
                lock = replace(bare, target=self._way(statement, bare, start))
            else:
                lock = self._bound(statement, bare, start, set(numbers))
        except CoreError as error:
            raise ScriptError(str(error), statement.start, statement.end) from None
        return self._with_numbers(statement, lock, numbers, start)

    def _own_point(self, statement: Statement, place: Place) -> Any:
        if "own" in statement.points:
            return tuple(self._constant(statement, a, b) for a, b in statement.points["own"].spans)
        kind = statement.kind
        assert kind is not None
        if kind.name == "aim" and place.named.whole:
            return (0.0, 0.0, 0.0)  # it looks from its joint
        return tuple((place.named.point if kind.takes_other else place.named.standing).tolist())

    def _second(self, statement: Statement, place: Place | None) -> dict[str, Any]:
        """Return the second part, and what follows from it."""
        token = statement.other
        assert token is not None and place is not None
        there = self.names.place(token)
        if there.figure is None and there.named.joint == place.named.joint:
            raise ScriptError(
                f"{quoted(token.text)} is on the part that is locked; expected another part", token.start, token.end
            )
        point = there.named.point
        if "other" in statement.points:
            point = np.array([self._constant(statement, a, b) for a, b in statement.points["other"].spans])
        at = (there.named.joint, point)
        found: dict[str, Any] = {"other": at if there.figure is None else (there.figure, *at)}
        if "mutual" in statement.clauses:
            found["mutual"] = True
        kind = statement.kind
        assert kind is not None
        if kind.name == "aim" and "using" not in statement.clauses:
            found["joints"] = aiming_joints(self.s, place.named.joint) or None
        return found

    def _joints(self, statement: Statement, clause: str) -> tuple[str, ...]:
        said = statement.clauses[clause]
        tokens = [Token("quoted", text, a, b) for text, (a, b) in zip(said.values, said.spans, strict=True)]
        return tuple(self.names.place(token, own=True).named.joint for token in tokens)

    def _targets(self, statement: Statement) -> dict[str, Number]:
        """Return the numbers that a statement says of its target, by a part's word and the number's place in it."""
        found: dict[str, Number] = {}
        for word, clause in statement.targets.items():
            for k, (a, b) in enumerate(clause.spans):
                found[f"{word}.{k}"] = self._number(statement, a, b)
        return found

    def _way(self, statement: Statement, lock: Lock, start: int) -> Any:
        if statement.way is not None:
            values = [self._constant(statement, a, b) for a, b in statement.way.spans]
            return np.array(values).reshape(-1, 3)
        if statement.named is None:
            return self._bound(statement, lock, start, set()).target
        name = statement.named
        if name.text not in self._paths:
            wanted = one_of([quoted(each) for each in self._paths]) or f"a line path {quoted(name.text)} with points"
            message = f"there is no path {quoted(name.text)}; expected {wanted}"
            raise ScriptError(message, name.start, name.end)
        return self._path(name.text, self._paths[name.text])

    def _bound(self, statement: Statement, lock: Lock, start: int, said: set[str]) -> Lock:
        """Return a lock with a target from where its part is at the strip's first frame, where it needs one."""
        kind = lock.rule
        if kind.name == "aim" and statement.part is not None:
            return replace(lock, target=named_axis(self.s, lock.joint, natural_axis(self.s, lock.joint)))
        if kind.of_figure:
            return replace(lock, target=MARGIN)
        if not kind.needs_target:
            return replace(lock, target=np.zeros(kind.target_shape))
        whole = {f"{target_word(part)}.{k}" for part in kind.parts for k in range(part_size(part))}
        if whole and said == whole:  # all of it is said: the pose says nothing
            return bind(lock, self.s, self.s.rest_pose(), self._others_at_rest())
        self._binding = None if said else start
        return bind(lock, self.s, self._pose(start), self._others(start))

    def _pose(self, frame: int) -> Array:
        """Return the pose at a frame with the strips of the statements before held, of many the last ones.

        A strip that was bound to that pose is held there already, so that it need not be worked out again.
        """
        holding = [strip for strip in self.made if strip.covers(frame) and (strip.id, frame) not in self._bound_at]
        key = frame, tuple(strip.id for strip in holding[-_MOST_HELD:])
        if key in self._poses:
            return self._poses[key]
        if not holding or self._solves >= _MOST_SOLVES:
            pose = self.motion.interpolated_at_frames([float(frame)])[0]
        else:
            self._solves += 1
            if self._scratch is None:
                self._scratch = _copy(self.motion)
            self._scratch.locks.strips = holding[-_MOST_HELD:]
            pose = self._scratch.poses_at_frames([float(frame)])[0]
        self._poses[key] = pose
        return pose

    def _others(self, frame: int) -> Figures:
        time = frame / self.motion.fps
        return {name: (other.skeleton, other.poses([time])[0]) for name, other in self.companions.items()}

    def _others_at_rest(self) -> Figures:
        return {name: (other.skeleton, other.skeleton.rest_pose()) for name, other in self.companions.items()}

    def _with_numbers(
        self, statement: Statement, lock: Lock, numbers: dict[str, Number], start: int
    ) -> tuple[Lock, TargetFormula | None]:
        """Return a lock whose target has the numbers that a statement says, and the formula of those that change."""
        if not numbers:
            return lock, None
        kind = lock.rule
        values, texts = numbers_in(kind, lock.target), []
        at = 0
        for part in kind.parts:
            for k in range(part_size(part)):
                number = numbers.get(f"{target_word(part)}.{k}")
                if number is not None and number.value is not None:
                    values[at] = number.value
                texts.append(repr(float(values[at])) if number is None else number.text)
                at += 1
        timed = any(number.timed for number in numbers.values())
        if timed and not kind.keyed:
            clause = next(iter(statement.targets.values()))
            raise ScriptError(f"the target of {kind.name} stays as it is; expected a number", clause.start, clause.end)
        try:
            formula = TargetFormula(tuple(texts), self.motion.fps) if timed else None
            if formula is not None:
                values = formula.values(start, start)
            target = target_of_numbers(kind, values, lock.target)
            untouched = {word for word in kind_words(kind) if f"{word}.0" not in numbers}
            if untouched and not timed:  # what is not said keeps every bit
                target = _kept_parts(lock, target, untouched)
            return replace(lock, target=target), formula
        except CoreError as error:
            clause = next(iter(statement.targets.values()))
            raise ScriptError(str(error), clause.start, clause.end) from None

    # -- functions of the pose -------------------------------------------------------------------------------------

    def _following(
        self,
        statement: Statement,
        place: Place | None,
        numbers: dict[str, Number],
        given: dict[str, Any],
        start: int,
    ) -> tuple[Lock, TargetFormula | None]:
        """Return the lock of a position whose target depends on other parts: equations between places."""
        kind, clause = statement.kind, next(iter(statement.targets.values()))
        assert kind is not None
        if kind.name != "position" or place is None:
            raise ScriptError(
                f"only the place of a position may depend on other parts, not the target of {kind.script_words[0]}; "
                "expected numbers and the time, or an equation", clause.start, clause.end
            )  # fmt: skip
        point = [float(value) for value in given["point"]]
        axes = given.get("axes") or (True, True, True)
        rows = [
            f'{letter}("{place.named.joint}", {point[0]!r}, {point[1]!r}, {point[2]!r}) = {numbers[f"at.{k}"].text}'
            for k, letter in enumerate("xyz")
            if axes[k]
        ]
        timed = any(numbers[f"at.{k}"].timed for k in range(3) if axes[k])
        return self._of_equations(statement, "; ".join(rows), timed, start, given.get("joints"), place.named.joint)

    def _equation(self, statement: Statement, start: int) -> tuple[Lock, TargetFormula | None]:
        texts: list[str] = []
        timed = False
        for tokens in _set_apart(statement.equation):
            sides = self._sides(statement, tokens)
            texts.append(" = ".join(side.text for side in sides))
            timed = timed or any(side.timed for side in sides)
        helpers = self._joints(statement, "using") if "using" in statement.clauses else None
        return self._of_equations(statement, "; ".join(texts), timed, start, helpers, None)

    def _sides(self, statement: Statement, tokens: list[Token]) -> list[Number]:
        """Return both sides of an equation."""
        signs = [token for token in tokens if token.kind == SIGN and token.text == "="]
        begin, end = tokens[0].start, tokens[-1].end
        if not signs:
            raise ScriptError('"=" is missing; expected an equation such as chest.bend = 3', begin, end)
        if len(signs) > 1:
            extra = signs[1]
            raise ScriptError('"=" stands twice; expected ; between two equations', extra.start, extra.end)
        (sign,) = signs
        sides = []
        for a, b in ((begin, sign.start), (sign.end, end)):
            if not self.reading.text[a:b].strip():
                raise ScriptError('a side of "=" is missing; expected an expression on both', sign.start, sign.end)
            sides.append(self._number(statement, a, b))
        if not any(side.references for side in sides):
            raise ScriptError(
                'the equation names no joint and no part; expected one, as in chest.bend or y("left hand")', begin, end
            )
        return sides

    def _of_equations(
        self, statement: Statement, text: str, timed: bool, start: int, helpers: Any, joint: str | None
    ) -> tuple[Lock, TargetFormula | None]:
        kind = find_kind("equation")
        formula = TargetFormula((text,), self.motion.fps) if timed else None
        mutual = "mutual" in statement.clauses
        if not joints_in(text):
            message = (
                "the equation names other figures alone; expected a joint or a part of this one, which is to follow"
            )
            raise ScriptError(message, statement.start, statement.end)
        try:
            target = text if formula is None else formula.target(kind, None, start, start)
            lock = Lock(joint or joints_in(text)[0], "equation", target=target, joints=helpers, mutual=mutual)
            checked_equations(lock.target, self.s)
        except CoreError as error:
            raise ScriptError(str(error), statement.start, statement.end) from None
        return lock, formula


def _set_apart(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return the tokens of each of several equations.

    Raises:
        ScriptError: If one is empty.
    """
    found: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        if token.kind == SIGN and token.text in "()":
            depth += 1 if token.text == "(" else -1
        if token.kind == SIGN and token.text == ";" and depth <= 0:
            if not found[-1]:
                raise ScriptError("an equation is missing before ;; expected one", token.start, token.end)
            found.append([])
        else:
            found[-1].append(token)
    if not found[-1]:
        raise ScriptError("an equation is missing behind ;; expected one", tokens[-1].start, tokens[-1].end)
    return found


def _kept_parts(lock: Lock, target: Any, untouched: set[str]) -> Any:
    kind = lock.rule
    values = [part.of(lock.target if target_word(part) in untouched else target) for part in kind.parts]
    return put_together(kind.parts, values, target)


_MOST_HELD = 24
_MOST_SOLVES = 200
"""Poses with strips held that are worked out for one script; statements beyond that are bound to what the keys say."""


def _copy(motion: Motion) -> Motion:
    """Return a copy of a sequence without locks, for poses that other strips hold."""
    made = Motion(motion.skeleton, motion.fps, motion.name, keys=motion.keys)
    made.timing.curves, made.timing.root_speed = motion.timing.curves, motion.timing.root_speed
    made.layers, made.cycles = motion.layers, motion.cycles
    if motion.companions:
        made.companions = motion.companions
    return made
