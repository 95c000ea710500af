"""A script in the place of another one: which line is which, and what becomes of the strips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from core.animation.locks.strip import LockStrip
from core.animation.script.making import Made, Meaning, make_strips, meaning, paths_of
from core.animation.script.reading import Reading, read_script
from core.animation.script.written import Others, Script, written_script
from core.animation.sequence import Sequence as Motion

__all__ = ["Applied", "Script", "apply_script"]

_MOST_COMPARED = 200


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
