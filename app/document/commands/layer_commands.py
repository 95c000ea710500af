"""The command on layers of a sequence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.document.changes import Change, KeysChanged, LayersChanged
from app.document.commands.base import Exchange
from app.document.content.model import Model
from app.document.content.records import Record
from core.animation.key import Key
from core.animation.key_records import key_from_json, key_to_json
from core.animation.layers.layer import Layer, layer_of, layer_to_json
from core.animation.sorted_keys import Keys

Rows = list[tuple[int, Key | None, Key | None]]


class SetLayers(Exchange):
    """Put other layers in the place of those of a sequence: all that is done with layers and their keys.

    Its record has the keys that differ alone: a layer may have been recorded frame by frame.

    Args:
        sequence: Index of the sequence.
        before: Its layers before.
        after: Its layers then.
    """

    op, place = "set_layers", ("sequence",)

    def __init__(self, sequence: int, before: Iterable[Layer], after: Iterable[Layer]):
        self.sequence, self.before, self.after = sequence, tuple(before), tuple(after)
        self._record: Mapping[str, Any] | None = None

    def apply(self, model: Model) -> None:
        if self._record is not None:
            # A record has neither the figure nor the keys that stay: both are known once the command is done.
            sequence = model.sequences[self.sequence]
            self.before, old = sequence.layers, {layer.id: layer.keys for layer in sequence.layers}
            changes = self._record["keys"]
            self.after = tuple(
                layer_of(record, _changed(old.get(record["id"], Keys(sequence.skeleton)), changes.get(record["id"])))
                for record in self._record["after"]
            )
            self._record = None
        super().apply(model)

    def put(self, model: Model, value: tuple[Layer, ...]) -> None:
        model.put_layers(self.sequence, value)

    def changes(self) -> tuple[Change, ...]:
        return (LayersChanged(), KeysChanged(frames=self.frames()))

    def frames(self) -> tuple[int, ...]:
        return tuple(sorted({frame for rows in self._rows().values() for frame, _, _ in rows}))

    def _rows(self) -> dict[str, Rows]:
        """Return what changes of the keys of each layer: frame, key before and key then."""
        old, new = ({layer.id: layer.keys for layer in layers} for layers in (self.before, self.after))
        found: dict[str, Rows] = {}
        for id in (*new, *(id for id in old if id not in new)):
            if old.get(id) is not new.get(id):
                a, b = ({key.frame: key for key in keys.get(id, ())} for keys in (old, new))
                frames = sorted({*a, *b})
                found[id] = [(f, a.get(f), b.get(f)) for f in frames if a.get(f) is not b.get(f)]
        return {id: rows for id, rows in found.items() if rows}

    def to_json(self) -> Record:
        def head(layer: Layer) -> Record:
            return {name: value for name, value in layer_to_json(layer).items() if name != "keys"}

        def written(key: Key | None) -> Record | None:
            return None if key is None else key_to_json(key)

        if self._record is not None:
            return {"op": self.op, "sequence": self.sequence, **self._record}
        keys = {id: [[f, written(a), written(b)] for f, a, b in rows] for id, rows in self._rows().items()}
        return {
            "op": self.op,
            "sequence": self.sequence,
            "before": [head(layer) for layer in self.before],
            "after": [head(layer) for layer in self.after],
            "keys": keys,
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> SetLayers:
        command = cls(record["sequence"], (), ())
        command._record = {name: record[name] for name in ("before", "after", "keys")}
        return command


def _changed(keys: Keys, rows: Any) -> Keys:
    """Return keys with those of a record's rows in the place of the ones before."""
    if not rows:
        return keys
    return keys.changed({row[0]: None if row[2] is None else key_from_json(row[2]) for row in rows})
