"""What was chosen for motion files of one source, kept for the next ones: a system names its joints the same way."""

from __future__ import annotations

import hashlib
import json
import math
from typing import TYPE_CHECKING, Any

from core.errors import FormatError
from core.formats.importing.choices import ImportChoices

if TYPE_CHECKING:
    from app.document.files.recent import Store
    from core.formats.importing.findings import Findings
    from core.skeleton import Skeleton

MOST = 60
_NAME = "import/sources"
_OWN = ("first", "last")  # what is of one file and not of its source
_ALIKE = 1.5  # factor between two figures of one source: people of several sizes, never other units


def source_of(skeleton: Skeleton) -> str:
    """Return what stands for a figure's source: a digest of its joints' names, each with its parent's."""
    names = ["_".join(joint.name.split()) for joint in skeleton.joints]
    pairs = [
        [name, names[joint.parent] if joint.parent >= 0 else ""]
        for name, joint in zip(names, skeleton.joints, strict=True)
    ]
    return hashlib.sha256(json.dumps(sorted(pairs)).encode()).hexdigest()[:24]


class ImportMemory:
    """Remembers choices by source.

    Args:
        store: Keeps them from one session to the next; None forgets them at the end.
    """

    def __init__(self, store: Store | None):
        self._store = store
        self._known: dict[str, dict[str, Any]] = self._read()

    def _read(self) -> dict[str, dict[str, Any]]:
        try:
            kept = json.loads(str(self._store.value(_NAME, "{}"))) if self._store is not None else {}
        except ValueError:
            return {}
        return {k: v for k, v in kept.items() if isinstance(v, dict)} if isinstance(kept, dict) else {}

    def keep(self, skeleton: Skeleton, size: float, up: str, choices: ImportChoices) -> None:
        """Remember choices for files like one.

        Args:
            skeleton: A figure of the file.
            size: Its height, [units of the file].
            up: The file's upward axis by its data.
            choices: What the person chose.
        """
        source = source_of(skeleton)
        self._known.pop(source, None)
        self._known[source] = {
            "size": size,
            "found": up,
            "choices": {name: value for name, value in vars(choices).items() if value is not None and name not in _OWN},
        }
        while len(self._known) > MOST:
            self._known.pop(next(iter(self._known)))
        if self._store is not None:
            self._store.set_value(_NAME, json.dumps(self._known))

    def recall(self, skeleton: Skeleton, found: Findings) -> ImportChoices | None:
        """Return what was chosen for files like this one; None if there were none.

        A figure of another size or another upward axis is not taken for one of the same source: its program has been
        set otherwise.
        """
        known = self._known.get(source_of(skeleton))
        if known is None:
            return None
        try:
            size, kept = float(known["size"]), ImportChoices(**known["choices"]).checked("settings")
        except (KeyError, TypeError, ValueError, FormatError):
            return None
        here = found.height / found.unit
        near = here > 0.0 and size > 0.0 and abs(math.log(here / size)) < math.log(_ALIKE)
        return kept if near and known.get("found") == found.found_up else None
