"""Files of pairs: which joint of a figure stands for which of a motion's."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from core.animation.retargeting import Pair
from core.animation.retargeting.pairs import pairs_from_record, pairs_to_record
from core.errors import FormatError, Problem
from core.formats.files import MEGABYTE, read_text, write_text
from core.skeleton import Skeleton

LARGEST = MEGABYTE


def read_pairs(file: Path) -> tuple[Pair, ...]:
    """Return the pairs that a file holds: a JSON object of source joints by target joints.

    Raises:
        FormatError: If it cannot be read as such.
    """
    try:
        record = json.loads(read_text(file, LARGEST))
    except FormatError as error:
        message = error.problems[0].message.removeprefix("cannot be read: ")
        raise FormatError(Problem(file.name, 0, 0, f"cannot be read as pairs of joints: {message}")) from None
    except (ValueError, RecursionError) as error:
        raise FormatError(Problem(file.name, 0, 0, f"cannot be read as pairs of joints: {error}")) from None
    pairs = record.get("pairs") if isinstance(record, dict) else None
    if not isinstance(pairs, dict) or not all(isinstance(name, str) for name in pairs.values()):
        message = (
            'expected {"pairs": {"joint of the figure": "joint of the motion", ...}}; '
            "sequence-editor retarget --write-pairs writes such a file"
        )
        raise FormatError(Problem(file.name, 0, 0, message))
    return pairs_from_record(pairs)


def write_pairs(file: Path, pairs: Iterable[Pair], source: Skeleton, figure: Skeleton) -> None:
    """Write pairs, to be edited.

    Raises:
        FormatError: If the file cannot be written.
    """
    record = {"source": source.name, "target": figure.name, "pairs": pairs_to_record(pairs)}
    write_text(file, json.dumps(record, indent=2, ensure_ascii=False) + "\n")
