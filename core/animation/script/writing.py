"""Lock strips as statements of a script, and the text of a script after its strips were edited elsewhere.

What an author wrote stays as it is: blanks, comments and the order of lines. Only the numbers and words that no longer
say what the strip does are written anew.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.animation.locks.formula import numbers_in, part_size
from core.animation.locks.strip import LockStrip
from core.animation.script.names import NamedPoint, named_points
from core.animation.script.reading import CLAUSES, LOCK, PATH_WORD, Clause, Entry, Statement, read_script, target_word
from core.animation.script.text import QUOTED, WORD, line_tokens
from core.arrays import Array
from core.constraints.aiming import aiming_joints, named_axis, natural_axis
from core.constraints.balance import MARGIN
from core.constraints.equation_names import REFERENCE, figure_in, joint_in
from core.constraints.equations import coordinate_words
from core.constraints.kinds import KINDS
from core.constraints.kinds.base import Kind
from core.constraints.kinds.target_parts import TargetPart
from core.constraints.lock import Lock
from core.skeleton.skeleton import Skeleton

_SAME = 1e-9
_PLAIN = re.compile(r"[^\W\d_]\w*")
_DECIMALS = 6

Edit = tuple[int, int, str]
"""A place of a text, the place behind it, and what stands there instead."""


def number_text(value: float, decimals: int = _DECIMALS) -> str:
    """Return a number as a script has it: no more decimals than it needs."""
    text = f"{value:.{decimals}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _vector(values: Any) -> str:
    return f"({', '.join(number_text(float(value)) for value in values)})"


def name_text(name: str) -> str:
    """Return a name as a script has it: in quotes unless it is one plain word that means nothing else."""
    words = {LOCK, PATH_WORD, *CLAUSES, *(word.split()[0] for kind in KINDS for word in kind.script_words)}
    return name if _PLAIN.fullmatch(name) and name not in words else f'"{name.replace(chr(34), chr(39))}"'


def lock_text(lock: Lock, s: Skeleton, others: Mapping[str, Skeleton], formula: tuple[str, ...] | None = None) -> str:
    """Return a statement of a lock without its times.

    Args:
        lock: The lock.
        s: Its figure.
        others: Other figures that it may name.
        formula: Texts of the numbers of its target where they depend on the time.
    """
    kind = lock.rule
    if kind.by_equation:
        words = [LOCK, equation_text(lock.target if formula is None else formula[0], s, others)]
        return " ".join([*words, *(["mutual"] if lock.mutual else []), *_helpers(lock, s)])
    words = [LOCK]
    if not kind.of_figure:
        own = named_points(s)[s.joints[s.joint_index(lock.joint)].name]
        default = own.point if kind.takes_other else own.standing
        if not kind.holds_position and not kind.takes_other:
            default = lock.point  # where it is held means nothing
        words += _place_words(s, lock.joint, lock.point, np.zeros(3) if kind.name == "aim" else default, "")
    if kind.name == "point_pair":
        words += [kind.toward]
    else:
        words += [kind.script_words[0], *([kind.toward] if kind.takes_other else [])]
    if lock.second is not None:
        figure, joint, point = lock.second
        there = s if figure is None else others.get(figure)
        if there is None:
            words.append(name_text(f"{figure}.{joint}"))
        else:
            index = there.joint_index(joint)
            default = named_points(there)[there.joints[index].name].point
            words += _place_words(there, index, point, default, "" if figure is None else f"{figure}.")
    elif kind.of_figure and lock.other:
        words += ["over", ", ".join(name_text(_joint(s, joint)) for joint in lock.other)]
    if lock.axes is not None:
        words += ["axes", *(axis for axis, on in zip("xyz", lock.axes, strict=True) if on)]
    if lock.mutual:
        words.append("mutual")
    if kind.by_points:
        words += [_vector(point) for point in np.round(lock.target, 4)]
    elif formula is not None or _says_target(lock, s):
        said = target_words(kind, lock.target, formula)
        words += said[words[-1].split()[-1] == said[0] :]  # look at (0, 1, 2), not at twice
    return " ".join(words + _helpers(lock, s))


def _says_target(lock: Lock, s: Skeleton) -> bool:
    """Return whether a target would not come out of the statement without it."""
    kind = lock.rule
    if lock.target is None:
        return False
    if kind.of_figure:
        return bool(lock.target != MARGIN)
    if kind.name == "aim":
        axis = named_axis(s, lock.joint, natural_axis(s, lock.joint))
        return float(np.abs(lock.target - axis).max()) > _SAME
    if not kind.needs_target:
        return bool(np.any(lock.target))
    if kind.name == "plane":
        return float(np.abs(lock.target[:3] - (0.0, 1.0, 0.0)).max()) > _SAME
    return False


def _joint(s: Skeleton, joint: int | str) -> str:
    return s.joints[s.joint_index(joint)].name


def _helpers(lock: Lock, s: Skeleton) -> list[str]:
    if lock.joints is None or (lock.kind == "aim" and tuple(lock.joints) == aiming_joints(s, lock.joint)):
        return []
    return ["using", ", ".join(name_text(_joint(s, joint)) for joint in lock.joints)]


def _place_words(s: Skeleton, joint: int | str, point: Array, default: Array, before: str) -> list[str]:
    """Return the words that name a point of a part: the part, a point with a name, or the part and the point."""
    name = _joint(s, joint)
    if float(np.abs(point - default).max()) <= _SAME:
        return [name_text(before + name)]
    for called, named in named_points(s).items():
        if not named.whole and named.joint == name and _at(named, point):
            return [name_text(before + called)]
    return [name_text(before + name), "point", _vector(point)]


def _at(named: NamedPoint, point: Array) -> bool:
    return float(np.abs(named.point - point).max()) <= _SAME


def target_words(kind: Kind, target: Any, formula: tuple[str, ...] | None = None) -> list[str]:
    """Return the words that say a target."""
    found: list[str] = []
    texts = [number_text(value) for value in numbers_in(kind, target)] if formula is None else list(formula)
    at = 0
    for part in kind.parts:
        found += [target_word(part), _part_text(part, texts[at : at + part_size(part)])]
        at += part_size(part)
    return found


def _part_text(part: TargetPart, texts: Sequence[str]) -> str:
    return texts[0] if part_size(part) == 1 else f"({', '.join(texts)})"


def equation_text(text: str, s: Skeleton, others: Mapping[str, Skeleton] | None = None) -> str:
    """Return canonical equations in the words of a figure, and of the others that they name as far as these are known.

    Args:
        text: The equations.
        s: The figure.
        others: Other figures by name.
    """

    def word(match: re.Match[str]) -> str:
        figure, joint = figure_in(match), joint_in(match)
        there = s if figure is None else (others or {}).get(figure)
        before = "" if figure is None else f"{figure}."
        if match["joint"] is None:
            given = [match[letter] for letter in "abc"]
            point = None if given[0] is None else np.array([float(number) for number in given])
            named = {} if there is None else named_points(there)
            own = named.get(joint)
            if point is None or (own is not None and _at(own, point)):
                return f"{match['letter']}({name_text(before + joint)})"
            for called, each in named.items():
                if each.joint == joint and not each.whole and _at(each, point):
                    return f"{match['letter']}({name_text(before + called)})"
            return f"{match['letter']}({name_text(before + joint)}, {', '.join(given)})"
        known = there is not None and joint in there.joint_names
        words = coordinate_words(there, there.joint_index(joint)) if known and there is not None else {}
        called = next((each for each, letter in words.items() if letter == match["word"]), match["word"])
        return f"{name_text(before + joint)}.{called}"

    return REFERENCE.sub(word, text)


def times_words(strip: LockStrip) -> dict[str, str]:
    """Return the clauses of a strip's frames, eases, weight and name, by their first word; none for defaults."""
    found: dict[str, str] = {}
    if strip.end is not None:
        found["from"] = f"from {strip.start} to {strip.end}"
    elif strip.start:
        found["from"] = f"from {strip.start}"
    if strip.ease_in or strip.ease_out:
        a, b = number_text(strip.ease_in, 3), number_text(strip.ease_out, 3)
        if strip.ease_in == strip.ease_out:
            found["ease"] = f"ease {a}"
        elif not strip.ease_out:
            found["ease"] = f"ease in {a}"
        else:
            found["ease"] = f"ease out {b}" if not strip.ease_in else f"ease {a} {b}"
    if strip.weight != 1.0:
        found["weight"] = f"weight {number_text(strip.weight, 4)}"
    if strip.name:
        found["name"] = f'name "{strip.name.replace(chr(34), chr(39))}"'
    return found


def statement_text(strip: LockStrip, s: Skeleton, others: Mapping[str, Skeleton] | None = None) -> str:
    """Return the statement of a strip, a line without its end."""
    formula = None if strip.formula is None else strip.formula.numbers
    return " ".join([lock_text(strip.lock, s, others or {}, formula), *times_words(strip).values()])


def script_text(strips: Sequence[LockStrip], s: Skeleton, others: Mapping[str, Skeleton] | None = None) -> str:
    """Return a script of strips, a line each."""
    return "".join(f"{statement_text(strip, s, others)}\n" for strip in strips)


# -- following edits -------------------------------------------------------------------------------------------------


def followed_text(
    text: str,
    ids: Sequence[str | None],
    before: Sequence[LockStrip],
    after: Sequence[LockStrip],
    s: Skeleton,
    others: Mapping[str, Skeleton] | None = None,
) -> tuple[str, tuple[str | None, ...]]:
    """Return a script, and the ids of its lines of locks, after strips were edited elsewhere.

    Args:
        text: The script.
        ids: For each of its lines of locks the id of its strip, None for one that has none.
        before: The strips before.
        after: The strips now.
        s: The figure.
        others: Other figures that locks may name.
    """
    entries = read_script(text).entries
    old, new = {strip.id: strip for strip in before}, {strip.id: strip for strip in after}
    edits: list[Edit] = []
    kept: list[str | None] = []
    for k, entry in enumerate(entries):
        id = ids[k] if k < len(ids) else None
        if id is not None and id in old and id not in new:
            end = text.find("\n", entry.end)
            edits.append((entry.start, len(text) if end < 0 else end + 1, ""))
            continue
        kept.append(id)
        if id in new and id in old and new[id] is not old[id] and new[id] != old[id]:
            edits += _edits(text, entry, old[id], new[id], s, others or {})
    made = edited(text, edits)
    known = set(kept)
    for strip in after:
        if strip.id not in known and strip.id not in old:
            made += ("" if not made or made.endswith("\n") else "\n") + statement_text(strip, s, others) + "\n"
            kept.append(strip.id)
    return made, tuple(kept)


def edited(text: str, edits: Sequence[Edit]) -> str:
    """Return a text with edits that do not overlap."""
    made, at = [], 0
    for start, end, new in sorted(edits):
        made += [text[at:start], new]
        at = end
    return "".join([*made, text[at:]])


def _edits(
    text: str, entry: Entry, old: LockStrip, new: LockStrip, s: Skeleton, others: Mapping[str, Skeleton]
) -> list[Edit]:
    """Return the edits that make a statement say what its strip does now."""
    statement = entry.statement
    if statement is None:
        return []  # it is being written; what is not understood is left alone
    kind = new.lock.rule
    called = _refigured(old, new)
    if called is not None:
        return _with_figures(text, statement, *called)
    target = _retargeted(old, new)
    if _held_otherwise(old.lock, new.lock) or (target and (kind.by_points or kind.by_equation)):
        return [(statement.start, statement.end, statement_text(new, s, others))]
    edits: list[Edit] = []
    added: list[str] = []
    if target:
        _retarget(text, statement, kind, new, edits, added)
    now, then = times_words(new), times_words(old)
    for word in ("from", "ease", "weight", "name"):
        if now.get(word) != then.get(word):
            _reclause(text, statement, word, new, now.get(word), edits, added)
    if added:
        edits.append((statement.end, statement.end, "".join(f" {each}" for each in added)))
    return edits


def _refigured(old: LockStrip, new: LockStrip) -> tuple[str, str] | None:
    """Return what a figure was called and what it is called now, if that is all that has changed of a strip."""
    gone, come = (set(a.lock.figures) - set(b.lock.figures) for a, b in ((old, new), (new, old)))
    if len(gone) != 1 or len(come) != 1:
        return None
    (was,), (now,) = gone, come

    def said(target: Any) -> Any:
        return old.lock.rule.refigured_target(target, was, now, lambda joint: joint)

    changes: dict[str, Any] = {"target": said(old.lock.target)}
    if old.lock.second is not None:
        changes["other"] = (now, *old.lock.second[1:])
    formula = old.formula
    if formula is not None and old.lock.rule.by_equation:
        formula = replace(formula, numbers=tuple(said(text) for text in formula.numbers))
    return (was, now) if replace(old, lock=replace(old.lock, **changes), formula=formula) == new else None


def _with_figures(text: str, statement: Statement, was: str, now: str) -> list[Edit]:
    """Return the edits that call another figure by its new name."""
    tokens, edits = line_tokens(text, statement.start, statement.end)[0], []
    for k, token in enumerate(tokens):
        if token.kind not in (WORD, QUOTED) or not token.text.startswith(f"{was}."):
            continue
        rest = token.text[len(was) + 1 :]
        if token.kind == QUOTED or _PLAIN.fullmatch(now):
            made = f"{now}.{rest}"
            edits.append((token.start, token.end, f'"{made}"' if token.kind == QUOTED else made))
            continue
        place = token == statement.other or [each.text for each in tokens[max(k - 1, 0) : k]] == ["("]
        part, _, coordinate = rest.rpartition(".")
        edits.append((token.start, token.end, f'"{now}.{rest}"' if place else f'"{now}.{part}".{coordinate}'))
    return edits


def _held_otherwise(a: Lock, b: Lock) -> bool:
    """Return whether two locks hold different things, their targets left aside."""
    if a is b:
        return False
    plain = (a.joint, a.kind, a.axes, a.joints, a.mutual, a.weight, a.point.tobytes())
    if plain != (b.joint, b.kind, b.axes, b.joints, b.mutual, b.weight, b.point.tobytes()):
        return True
    if a.second is None or b.second is None:
        return bool(a.other != b.other)
    return (*a.second[:2], a.second[2].tobytes()) != (*b.second[:2], b.second[2].tobytes())


def _retargeted(old: LockStrip, new: LockStrip) -> bool:
    if new.targets:
        return False  # keys of a target stay in the timeline
    if old.formula != new.formula:
        return True
    return new.formula is None and old.lock != new.lock


def _retarget(text: str, statement: Statement, kind: Kind, new: LockStrip, edits: list[Edit], added: list[str]) -> None:
    """Write what a target is now over the numbers that a statement says of it, and what it does not say behind them."""
    formula = None if new.formula is None else new.formula.numbers
    numbers = numbers_in(kind, new.lock.target)
    texts = [number_text(value) for value in numbers] if formula is None else list(formula)
    at = 0
    for part in kind.parts:
        word, own = target_word(part), texts[at : at + part_size(part)]
        at += part_size(part)
        clause = statement.targets.get(word)
        if clause is None:
            added += [word, _part_text(part, own)]
        else:
            _renumber(text, clause, own, edits)


def _renumber(text: str, clause: Clause, texts: Sequence[str], edits: list[Edit]) -> None:
    for (a, b), new in zip(clause.spans, texts, strict=True):
        if text[a:b].strip() != new:
            edits.append((a, b, new))


def _reclause(
    text: str, statement: Statement, word: str, new: LockStrip, now: str | None, edits: list[Edit], added: list[str]
) -> None:
    """Make a clause say what its strip does now: its numbers where it has as many, else all of it."""
    clause = statement.clauses.get(word)
    if clause is None:
        if now is not None:
            added.append(now)
        return
    if now is None:
        before = clause.start - 1 if clause.start > statement.start and text[clause.start - 1] == " " else clause.start
        edits.append((before, clause.end, ""))
    elif word == "from" and len(clause.spans) == 2 and new.end is not None:
        _renumber(text, clause, (str(new.start), str(new.end)), edits)
    elif word == "from" and len(clause.spans) == 1 and new.end is None:
        _renumber(text, clause, (str(new.start),), edits)
    elif word == "weight":
        _renumber(text, clause, (number_text(new.weight, 4),), edits)
    else:
        edits.append((clause.start, clause.end, now))
