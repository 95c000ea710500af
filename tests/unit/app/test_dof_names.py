"""Labels that stand alone, beside a goal or in the status line."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.words.dof_names import full_label
from core.skeleton import load_skeleton

FIGURE = """define skeleton "odd"
    joint "post"
    {group}
        joint "tip"
    {end}
end skeleton
define joint "post"
end joint
define joint "tip"
    offset 0 1 0
    hinge x -90 90 "{label}"
end joint
"""


def test_only_labels_that_stammer_get_their_groups_name(skeletons_folder):
    hand = load_skeleton(skeletons_folder / "hand.scr")
    changed = {
        label: full_label(hand, dof) for dof, label in enumerate(hand.dof_labels) if full_label(hand, dof) != label
    }
    assert changed == {"Middle middle flex": "Middle finger middle flex"}


@pytest.mark.parametrize(
    ("group", "label", "shown"),
    [
        ("Middle finger", "Middle middle flex", "Middle finger middle flex"),
        ("Middle", "Middle middle flex", "Middle middle flex"),
        ("Other finger", "Middle middle flex", "Middle middle flex"),
        ("", "Pan pan", "Pan pan"),
        ("Middle finger", "Flex", "Flex"),
    ],
)
def test_labels(tmp_path: Path, group: str, label: str, shown: str):
    file = tmp_path / "odd.scr"
    around = {"group": f'group "{group}"', "end": "end group"} if group else {"group": "", "end": ""}
    file.write_text(FIGURE.format(label=label, **around), encoding="utf-8")
    assert full_label(load_skeleton(file), 0) == shown
