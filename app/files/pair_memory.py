"""Which joints were paired, kept for the next motion of the same source onto the same kind of figure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from app.files.import_memory import source_of
from core.animation.retargeting import Pair
from core.animation.retargeting.pairs import pairs_from_record, pairs_to_record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.document.files.recent import Store
    from core.skeleton import Skeleton

MOST = 60
_NAME = "retarget/pairs"


class PairMemory:
    """Remembers pairs by the names of both figures' joints.

    Args:
        store: Keeps them from one session to the next; None forgets them at the end.
    """

    def __init__(self, store: Store | None):
        self._store = store
        self._known: dict[str, Any] = self._read()

    def _read(self) -> dict[str, Any]:
        try:
            kept = json.loads(str(self._store.value(_NAME, "{}"))) if self._store is not None else {}
        except ValueError:
            return {}
        return {k: v for k, v in kept.items() if isinstance(v, dict)} if isinstance(kept, dict) else {}

    def keep(self, source: Skeleton, target: Skeleton, pairs: Iterable[Pair]) -> None:
        """Remember pairs of two figures like these."""
        name = _pair_name(source, target)
        self._known.pop(name, None)
        self._known[name] = pairs_to_record(pairs)
        while len(self._known) > MOST:
            self._known.pop(next(iter(self._known)))
        if self._store is not None:
            self._store.set_value(_NAME, json.dumps(self._known))

    def recall(self, source: Skeleton, target: Skeleton) -> tuple[Pair, ...] | None:
        """Return the pairs of two figures like these, as far as both have the joints; None if none are known."""
        known = self._known.get(_pair_name(source, target))
        if known is None:
            return None
        found = pairs_from_record({k: v for k, v in known.items() if isinstance(v, str)})
        names = (source.joint_names, target.joint_names)
        return tuple(pair for pair in found if pair.source in names[0] and pair.target in names[1]) or None


def _pair_name(source: Skeleton, target: Skeleton) -> str:
    return f"{source_of(source)}>{source_of(target)}"
