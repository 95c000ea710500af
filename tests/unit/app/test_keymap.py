"""The key map: one table, no key claimed twice where both rows hold, and every action is there."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QKeySequence

from app.words import key_choice, key_map, keys_now
from app.words.key_choice import PRESETS, KeyChoice, is_key
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


# -- other keys -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name, _ in PRESETS])
def test_no_preset_has_a_key_that_means_two_things(name: str) -> None:
    rows = KeyChoice(name).rows()
    assert len(rows) == len(key_map.load())
    for each in rows:
        for key in () if each.is_gesture else each.keys:
            assert is_key(key), (each.action, key)


@pytest.mark.parametrize("name", [name for name, _ in PRESETS[1:]])
def test_every_action_of_a_preset_exists(name: str) -> None:
    data = json.loads((key_choice.FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    known = {row.action for row in key_map.load() if row.action and not row.is_gesture}
    assert set(data["keys"]) <= known


def test_keys_that_people_of_other_programs_have_in_their_fingers() -> None:
    keys = {name: {row.action: row.keys for row in KeyChoice(name).rows()} for name, _ in PRESETS}
    assert keys["blender"]["tool_drag"] == ("G",) and keys["blender"]["tool_rotate"] == ("R",)
    assert keys["blender"]["set_key"] == ("I",) and keys["blender"]["command_palette"][0] == "F3"
    assert keys["maya"]["play"][0] == "Alt+V" and keys["maya"]["tool_rotate"] == ("E",)


def test_a_key_is_taken_from_what_has_it_where_both_hold() -> None:
    choice = KeyChoice().with_key("set_key", ["G"])
    assert choice.own == {"set_key": ("G",), "show_grid": ()}
    choice.rows()
    assert choice.reset("show_grid").own == {"set_key": ()}, "the grid has its key again, and it was taken back"
    assert choice.with_own({}).own == {}
    # X of the simulation and X in the timeline never hold together.
    assert KeyChoice().with_key("delete_selected_keys", ["X"]).own == {"delete_selected_keys": ("X",)}


def test_every_preset_keeps_its_own_changes() -> None:
    choice = KeyChoice().with_key("play", ["P"])
    other = replace(choice, preset="maya")
    assert other.own == {} and replace(other.with_key("play", ["Y"]), preset="sequence_editor").own["play"] == ("P",)


_ACTIONS = tuple(row.action for row in key_map.load() if row.action and not row.is_gesture)
_SOME_KEYS = ("G", "Ctrl+G", "X", ".", "Space", "F9", "Alt+Shift+V", "Num+1", "Home")
_FEW_KEYS = st.lists(st.sampled_from(_SOME_KEYS), max_size=2)


@given(
    name=st.sampled_from([name for name, _ in PRESETS]),
    changes=st.lists(
        st.tuples(st.sampled_from(_ACTIONS), st.lists(st.sampled_from(_SOME_KEYS), max_size=2)), max_size=3
    ),
)
@settings(max_examples=10)
def test_whatever_is_changed_the_file_says_the_same_and_no_key_means_two_things(
    name: str, changes: list[tuple[str, list[str]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    choice = KeyChoice(name)
    for action, keys in changes:
        fixed = any(not row.action for key in keys for row in key_choice.claimed(choice.rows(), action, key))
        if not fixed:
            choice = choice.with_key(action, keys)
    path = tmp_path_factory.getbasetemp() / "keys.json"
    key_choice.write(choice, path)
    again, unknown = key_choice.read(path)
    assert again.rows() == choice.rows() and unknown == ()


_HEAD = '"format": "sequence-editor keys", "version": 1'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1"),
        ("[]", '"format": "sequence-editor keys"'),
        ('{"format": "other"}', '"format": "sequence-editor keys"'),
        ('{"format": "sequence-editor keys", "version": 2}', "version 2"),
        (f'{{{_HEAD}, "preset": "vim"}}', 'preset "vim" is none of sequence_editor, blender, maya'),
        (f'{{{_HEAD}, "changes": []}}', '"changes"'),
        (f'{{{_HEAD}, "changes": {{"maya": []}}}}', "by the name of their action"),
        (f'{{{_HEAD}, "changes": {{"maya": {{"play": "P"}}}}}}', 'action "play": its keys are to be a list'),
        (f'{{{_HEAD}, "changes": {{"maya": {{"play": ["Ctrl+Nonsense"]}}}}}}', '"Ctrl+Nonsense" is no key'),
        (f'{{{_HEAD}, "changes": {{"maya": {{"play": ["G"]}}}}}}', 'G means both "Play or pause" and "Grid"'),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_bad_files_get_one_clear_message(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(KeymapError) as caught:
        key_choice.read(path)
    assert message in str(caught.value) and "mine.json" in str(caught.value) and "\n" not in str(caught.value)


def test_what_is_no_text_or_far_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(KeymapError, match="no text"):
        key_choice.read(path)
    path.write_bytes(b" " * (key_choice.MOST_BYTES + 1))
    with pytest.raises(KeymapError, match="as large as"):
        key_choice.read(path)


def test_keys_for_actions_of_another_version_are_left_out_and_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(f'{{{_HEAD}, "changes": {{"maya": {{"warp": ["F9"], "play": ["F12"]}}}}}}', encoding="utf-8")
    choice, unknown = key_choice.read(path)
    assert unknown == ("warp",) and choice.changes == {"maya": {"play": ("F12",)}}


def test_texts_name_the_keys_that_hold_now() -> None:
    rows = KeyChoice().with_key("set_key", ["Ctrl+F9"]).with_key("simulate", []).rows()
    try:
        keys_now.make_current(rows)
        assert keys_now.key_of("set_key") == "Ctrl+F9" and keys_now.cap_of("set_key") == "Ctrl F9"
        assert keys_now.in_text("Press `S` or `F1`, then `Shift+Space`") == ("Press `Ctrl+F9` or `F1`, then `no key`")
        assert keys_now.with_key("Go", "simulate") == "Go" and keys_now.cap_of("previous_key", "next_key") == ", ."
        moved = KeyChoice().with_key("copy_keys", ["F9"]).rows()
        keys_now.make_current(moved)
        assert keys_now.in_text("`Ctrl+C`") == "`Ctrl+C`", "poses still have it"
    finally:
        keys_now.make_current(key_map.load())
