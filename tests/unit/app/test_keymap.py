"""The key map: one table, no key claimed twice where both rows hold, and every action is there."""

from __future__ import annotations

import json

import pytest
from PySide6.QtGui import QKeySequence

from app.words import key_map
from app.words.key_map import KeymapError, Row


def row(action: str, keys: tuple[str, ...], scope: str = "application") -> Row:
    return Row(action, action, keys, scope)


def test_the_default_key_map_is_consistent() -> None:
    rows = key_map.load()
    assert len(rows) > 50
    for each in rows:
        if not each.is_gesture:
            for key in each.keys:
                assert not QKeySequence.fromString(key, QKeySequence.SequenceFormat.PortableText).isEmpty(), key


@pytest.mark.parametrize("scopes", [("view", "view"), ("application", "view"), ("view", "application")])
def test_a_key_claimed_twice_is_refused(scopes: tuple[str, str]) -> None:
    with pytest.raises(KeymapError, match="F9 means both"):
        key_map.check([row("a", ("F9",), scopes[0]), row("b", ("F9",), scopes[1])])


def test_one_key_may_serve_two_scopes_that_never_hold_together() -> None:
    key_map.check([row("a", ("F9",), "view"), row("b", ("F9",), "timeline")])


def test_unknown_scope_and_action_twice_are_refused() -> None:
    with pytest.raises(KeymapError, match='scope "moon"'):
        key_map.check([row("a", (), "moon")])
    with pytest.raises(KeymapError, match="appears twice"):
        key_map.check([row("a", ()), row("a", ())])


def test_keys_that_the_design_promises() -> None:
    keys = {each.action: set(each.keys) for each in key_map.load()}
    assert {"F2", "Num+1"} <= keys["view_front"] and {"F5", "Num+5"} <= keys["view_perspective"]
    assert keys["play"] == {"Space"} and keys["set_key"] == {"S", "I"} and keys["delete_key"] == {"Shift+S"}
    assert keys["previous_key"] == {","} and keys["next_key"] == {"."} and keys["key_map"] == {"F1"}


def test_the_file_is_plain_json() -> None:
    path = key_map.RESOURCES / "keymap" / "default.json"
    assert isinstance(json.loads(path.read_text(encoding="utf-8")), list)
