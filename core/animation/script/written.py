"""The script of a sequence: its text, and which strip each of its lines of locks has.

The record in a file is ``{"text": ..., "strips": [id or null, ...]}``, an id for each line that begins with ``lock``; a
text alone will do as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.animation.locks.strip import LockStrip
from core.animation.script.text import LONGEST
from core.animation.script.writing import followed_text, script_text
from core.animation.sequence import Sequence as Motion
from core.skeleton.skeleton import Skeleton

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
