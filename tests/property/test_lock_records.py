"""Whatever a file has in place of a lock, reading it gives a lock or one clear error."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from core.constraints import KINDS, Lock, lock_from_json, lock_to_json
from core.errors import LockError
from tests.support.counts import examples
from tests.support.figures import fork

FIGURE = fork()
WORD = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=5)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORD | st.sampled_from(FIGURE.joint_names),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORD, inner, max_size=3),
    max_leaves=8,
)
THREE = st.lists(st.floats(-10, 10), min_size=3, max_size=3)
JOINT = st.sampled_from(FIGURE.joint_names)
LIKELY = {
    "joint": JOINT,
    "kind": st.sampled_from([kind.name for kind in KINDS]),
    "point": THREE,
    "target": THREE | st.floats(0, 1) | st.lists(THREE, min_size=2, max_size=3),
    "other": st.fixed_dictionaries({"joint": JOINT, "point": THREE}),
    "weight": st.floats(0, 1) | st.lists(st.floats(0, 1), min_size=2, max_size=2),
    "axes": st.lists(st.booleans(), min_size=3, max_size=3),
    "joints": st.lists(JOINT, max_size=3),
}


@given(st.fixed_dictionaries({}, optional={name: likely | ANYTHING for name, likely in LIKELY.items()}) | ANYTHING)
@settings(max_examples=examples(100), deadline=None)
def test_records_are_read_or_refused(record: object) -> None:
    try:
        lock = lock_from_json(record, FIGURE)
    except LockError as error:
        assert str(error) and "\n" not in str(error)
        return
    assert isinstance(lock, Lock)
    again = lock_from_json(json.loads(json.dumps(lock_to_json(lock, FIGURE))), FIGURE)
    assert lock_to_json(again, FIGURE) == lock_to_json(lock, FIGURE)
