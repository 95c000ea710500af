"""Keys of one figure for another, or for the other side: which channels they hold then, and with what shapes.

Where each value of a new pose comes from says it all: a channel is keyed if a value of it comes from one that was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.animation.channels import Channels
from core.animation.key import Key
from core.animation.key_parts import canonical
from core.animation.shape import Shape, Slopes
from core.arrays import Array


class Layout(Protocol):
    """Which values of a pose belong to which channel: ``Channels``, or what a clip knows of them."""

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def columns(self) -> tuple[NDArray[np.intp], ...]: ...
    @property
    def of_value(self) -> NDArray[np.intp]: ...
    def __contains__(self, name: object) -> bool: ...


@dataclass(frozen=True, eq=False)
class ChannelMap:
    """Where the channels of new poses come from.

    Attributes:
        old: Channels before.
        new: Channels then.
        columns: For each value of a new pose the number of the old one it comes from, -1 for none.
        factors: What that is multiplied with, shape (nq,).
        sources: For each new channel the names of the old ones that it comes from.
    """

    old: Layout
    new: Channels
    columns: NDArray[np.intp]
    factors: Array
    sources: tuple[tuple[str, ...], ...]

    @classmethod
    def of(
        cls,
        old: Layout,
        new: Channels,
        columns: Iterable[int],
        factors: Iterable[float] | None = None,
        more: Mapping[int, Iterable[int]] | None = None,
    ) -> ChannelMap:
        """Return the map for columns.

        Args:
            old: Channels before.
            new: Channels then.
            columns: For each value of a new pose the number of the old one, -1 for none.
            factors: What that is multiplied with; None for 1.
            more: For values that are worked out from several: the numbers of those, by the value's number.
        """
        array = np.array(tuple(columns), dtype=np.intp)
        sources: list[tuple[str, ...]] = []
        for own in new.columns:
            values = {int(array[value]) for value in own if array[value] >= 0}
            for value in own:
                values.update((more or {}).get(int(value), ()))
            sources.append(tuple(old.names[number] for number in sorted({int(old.of_value[v]) for v in values})))
        multiplied = np.ones(len(array)) if factors is None else np.array(tuple(factors), dtype=np.float64)
        return cls(old, new, array, multiplied, tuple(sources))

    @property
    def plain(self) -> bool:
        """Whether every channel comes from the one of its own name, values as they are."""
        same = self.old.names == self.new.names and all(
            own == (name,) for name, own in zip(self.new.names, self.sources, strict=True)
        )
        return same and np.array_equal(self.columns, np.arange(len(self.columns))) and bool((self.factors == 1.0).all())

    def key(self, key: Key, q: Any = None) -> Key | None:
        """Return a key for the new channels; None if it would hold none.

        Args:
            key: The key.
            q: Its pose then, shape (nq,); None for the old values where they go.
        """
        if q is None:
            q = np.where(self.columns >= 0, np.append(key.q, 0.0)[self.columns] * self.factors, 0.0)
        if key.keyed is None and not key.shapes:
            return key.changed(q=q)
        shapes: dict[str, Shape] = {}
        keyed: list[str] = []
        for number, (name, sources) in enumerate(zip(self.new.names, self.sources, strict=True)):
            given = [source for source in sources if key.keys(source)]
            if given or key.keyed is None:
                keyed.append(name)
            if given:
                shapes[name] = self._shape(key, number, given)
        if not keyed:
            return None
        held = None if key.keyed is None else keyed
        return canonical(key.changed(q=q, keyed=held, shapes=shapes), self.new)

    def _shape(self, key: Key, number: int, given: list[str]) -> Shape:
        shape = key.shape_of(given[0])
        if not any(key.shape_of(source).has_slopes for source in given):
            return shape
        return replace(
            shape,
            slopes_in=self._slopes(key, number, "slopes_in"),
            slopes_out=self._slopes(key, number, "slopes_out"),
        )

    def _slopes(self, key: Key, number: int, side: str) -> Slopes:
        return tuple(self._slope(key, int(value), side) for value in self.new.columns[number])

    def _slope(self, key: Key, value: int, side: str) -> float | None:
        column = int(self.columns[value])
        if column < 0:
            return None
        source = int(self.old.of_value[column])
        slopes: Slopes | None = getattr(key.shape_of(self.old.names[source]), side)
        if slopes is None:
            return None
        slope = slopes[int(np.searchsorted(self.old.columns[source], column))]
        return None if slope is None else slope * float(self.factors[value])

    def keys(self, keys: Iterable[Key], poses: Iterable[Any] | None = None) -> tuple[Key, ...]:
        """Return keys for the new channels, those that would hold none left out; see ``key``."""
        if poses is None and self.plain:
            return tuple(keys)
        rows = ((key, None) for key in keys) if poses is None else zip(keys, poses, strict=True)
        made = (self.key(key, q) for key, q in rows)
        return tuple(key for key in made if key is not None)

    def by_channel(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return values by the names of the new channels; one that is no channel's, such as ``"*"``, stays.

        A channel that is worked out from several has one only if they all have the same.
        """
        found = {name: value for name, value in values.items() if name not in self.old}
        for name, sources, own in zip(self.new.names, self.sources, self.new.columns, strict=True):
            given = [source for source in sources if source in values]
            worked_out = any(self.columns[value] < 0 for value in own)
            alike = len(given) == len(sources) and all(values[source] == values[given[0]] for source in given)
            if given and (alike or not worked_out):
                found[name] = values[given[0]]
        return found
