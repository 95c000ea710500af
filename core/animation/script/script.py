"""The script of a sequence: its text, and which strip each of its lines of locks has.

The record in a file is ``{"text": ..., "strips": [id or null, ...]}``, an id for each line that begins with ``lock``; a
text alone will do as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from core.animation.locks.strip import LockStrip
from core.animation.script.making import Made, Meaning, make_strips, meaning, paths_of
from core.animation.script.reading import Reading, read_script
from core.animation.script.text import LONGEST
from core.animation.script.writing import followed_text, script_text
from core.animation.sequence import Sequence as Motion
from core.skeleton.skeleton import Skeleton

_MOST_COMPARED = 200
Others = Mapping[str, Motion] | None
"""Sequences of other figures by name; None for those that a sequence knows as its companions."""


@dataclass(frozen=True)
class Script:
    """A script.

    Attributes:
        text: Its text.
        strips: Ids of the strips of its lines of locks, in their order; None for a line that has none yet.
    """

    text: str = ""
    strips: tuple[str | None, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the record."""
        return {"text": self.text, "strips": list(self.strips)}


def script_from_json(record: Any) -> Script | None:
    """Return the script of a record; None for a record that is none, which is left as it is."""
    if isinstance(record, str):
        return Script(record)
    if not isinstance(record, dict) or not isinstance(record.get("text"), str):
        return None
    ids = record.get("strips")
    known = [each if isinstance(each, str) else None for each in ids] if isinstance(ids, (list, tuple)) else []
    return Script(record["text"], tuple(known))


def script_of(motion: Motion, others: Others = None) -> Script | None:
    """Return the script of a sequence, None if it has none; strips that it does not know have lines at its end.

    Args:
        motion: The sequence.
        others: Sequences of other figures by name, as far as locks may name them; None for its companions.
    """
    script = script_from_json(motion.script)
    if script is None or len(script.text) > LONGEST:
        return script
    return adopted(script, motion, others)


def written_script(motion: Motion, others: Others = None) -> Script:
    """Return the script of a sequence; one made of its strips if it has none. Arguments as of ``script_of``."""
    script = script_of(motion, others)
    if script is not None:
        return script
    strips = motion.locks.strips
    text = script_text(strips, motion.skeleton, _figures(motion, others))
    return Script(text, tuple(strip.id for strip in strips))


def adopted(script: Script, motion: Motion, others: Others = None) -> Script:
    """Return a script that has a line for each strip of a sequence. Arguments as of ``script_of``."""
    known = {id for id in script.strips if id is not None}
    strips = motion.locks.strips
    there = [strip for strip in strips if strip.id in known]
    if len(there) == len(strips):
        return script
    return follow(script, there, strips, motion.skeleton, _figures(motion, others))


def _figures(motion: Motion, others: Others) -> dict[str, Skeleton]:
    there = motion.companions if others is None else others
    return {name: other.skeleton for name, other in there.items()}


def follow(
    script: Script,
    before: Sequence[LockStrip],
    after: Sequence[LockStrip],
    s: Skeleton,
    others: Mapping[str, Skeleton] | None = None,
) -> Script:
    """Return a script after its strips were edited elsewhere; see ``writing``."""
    text, ids = followed_text(script.text, script.strips, before, after, s, others)
    return script if (text, ids) == (script.text, script.strips) else Script(text, ids)


@dataclass(frozen=True)
class Applied:
    """A script that was put in the place of another one.

    Attributes:
        script: It, with the ids of its strips.
        strips: All strips of the sequence then.
        made: What was made of its statements, and what is wrong with it.
    """

    script: Script
    strips: tuple[LockStrip, ...]
    made: Made


def apply_script(
    motion: Motion,
    text: str,
    before: Script | None = None,
    ids: Sequence[str | None] = (),
    others: Others = None,
) -> Applied:
    """Return what becomes of the strips of a sequence when its script is another text; the sequence does not change.

    A line that says the same as before keeps its strip to the last bit, and so does one that is not understood yet. A
    line that is gone takes its strip along.

    Args:
        motion: The sequence.
        text: The text.
        before: Its script before; None for one that is made of its strips.
        ids: Ids for strips that are new, by line of a lock; None for one that no other strip has.
        others: Sequences of other figures by name, which locks may name; None for its companions.
    """
    old = written_script(motion, others) if before is None else before
    known = {strip.id: strip for strip in motion.locks.strips}
    was, now = read_script(old.text), read_script(text)
    paired = _paired(was, now, old.text, text)
    meant = _meanings(was)
    kept: list[LockStrip | None] = []
    said: list[Meaning | None] = []
    for k in paired:
        id = old.strips[k] if k is not None and k < len(old.strips) else None
        strip = known.get(id) if id is not None else None
        kept.append(strip)
        said.append(meant[k] if strip is not None and k is not None else None)
    made = make_strips(motion, text, kept, said, others, ids)
    found = [new or before_it for new, before_it in zip(made.strips, kept, strict=True)]
    by_id = {strip.id: strip for strip in found if strip is not None}
    gone = {id for id in old.strips if id is not None} - set(by_id)
    left = [by_id.pop(strip.id, strip) for strip in motion.locks.strips if strip.id not in gone]
    strips = (*left, *(strip for strip in found if strip is not None and strip.id in by_id))
    return Applied(Script(text, tuple(None if strip is None else strip.id for strip in found)), strips, made)


def _meanings(reading: Reading) -> list[Meaning | None]:
    paths = paths_of(reading)
    return [None if entry.statement is None else meaning(entry.statement, paths) for entry in reading.entries]


def _paired(was: Reading, now: Reading, old: str, new: str) -> list[int | None]:
    """Return for each line of a lock which one it was before the text was edited, None for a new one."""
    a = [" ".join(old[entry.start : entry.end].split()) for entry in was.entries]
    b = [" ".join(new[entry.start : entry.end].split()) for entry in now.entries]
    found: list[int | None] = [None] * len(b)
    first = 0
    while first < min(len(a), len(b)) and a[first] == b[first]:
        found[first] = first
        first += 1
    end = 0
    while end < min(len(a), len(b)) - first and a[-1 - end] == b[-1 - end]:
        found[-1 - end] = len(a) - 1 - end
        end += 1
    inner, inner_now = a[first : len(a) - end], b[first : len(b) - end]
    if max(len(inner), len(inner_now)) > _MOST_COMPARED:
        for k in range(min(len(inner), len(inner_now))):
            found[first + k] = first + k
        return found
    blocks = SequenceMatcher(None, inner, inner_now, autojunk=False).get_opcodes()
    for tag, i, j, k, _ in blocks:
        if tag == "equal":
            for step in range(j - i):
                found[first + k + step] = first + i + step
    left: dict[str, list[int]] = {}
    for k in sorted(set(range(len(a))) - {each for each in found if each is not None}):
        left.setdefault(a[k], []).append(k)
    for k, line in enumerate(b):  # lines that were moved
        if found[k] is None and left.get(line):
            found[k] = left[line].pop(0)
    taken = {each for each in found if each is not None}
    for tag, i, j, k, m in blocks:  # lines that were edited
        if tag == "replace":
            old_ones = [x for x in range(first + i, first + j) if x not in taken]
            new_ones = [x for x in range(first + k, first + m) if found[x] is None]
            for new_one, old_one in zip(new_ones, old_ones, strict=False):
                found[new_one] = old_one
    return found
