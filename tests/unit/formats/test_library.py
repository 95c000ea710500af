"""The library: menus from two folders, names that cannot lead out of it, and copies that are whole or not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.formats.library import Entry, Library, LibraryError, checked_name, safe_name


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """Two bundled menus with three sequences, and nothing of one's own yet."""
    for name in ("Gestures/wave", "Gestures/bow", "Dance/turn"):
        path = tmp_path / "bundled" / f"{name}.seq"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"bundled {name}", encoding="utf-8")
    return Library(tmp_path / "data" / "library", tmp_path / "bundled")


def listed(library: Library) -> dict[str, list[str]]:
    return {menu.name: [entry.title for entry in menu.entries] for menu in library.menus()}


def entry_of(library: Library, name: str) -> Entry:
    return next(entry for menu in library.menus() for entry in menu.entries if entry.name == name)


def bundled(library: Library) -> dict[str, bytes]:
    files = (path for path in library.bundled.rglob("*") if path.is_file())
    return {path.relative_to(library.bundled).as_posix(): path.read_bytes() for path in files}


def test_menus_of_both_places_are_one_and_own_files_hide_bundled_ones(library: Library) -> None:
    assert listed(library) == {"Gestures": ["Bow", "Wave"], "Dance": ["Turn"]}
    library.prepare("gestures", "WAVE").write_text("mine", encoding="utf-8")
    library.prepare("Zebras", "graze").write_text("mine", encoding="utf-8")
    (library.own / "Gestures" / ".hidden.seq").write_text("", encoding="utf-8")
    (library.own / "Gestures" / "notes.txt").write_text("", encoding="utf-8")
    assert listed(library) == {"Gestures": ["Bow", "WAVE"], "Dance": ["Turn"], "Zebras": ["Graze"]}
    wave = entry_of(library, "WAVE")
    assert wave.own and wave.menu == "Gestures" and wave.path.read_text(encoding="utf-8") == "mine"
    assert library.entry(wave.path) == wave
    assert library.entry(library.own.parent / "wave.seq") is None
    wave.path.unlink()
    assert listed(library)["Gestures"] == ["Bow", "Wave"]


@pytest.mark.parametrize(
    "name",
    ["", "  ", "..", ".hidden", "a/b", "a\\b", "../../etc/passwd", "C:x", "nul", "COM1.x", "a\0b", "a\nb", "x" * 81],
)
def test_names_that_are_no_good_anywhere_are_refused(library: Library, name: str) -> None:
    with pytest.raises(LibraryError):
        checked_name(name)
    with pytest.raises(LibraryError):
        library.prepare(name, "fine")
    with pytest.raises(LibraryError):
        library.prepare("fine", name)
    assert not library.own.exists() or not any(library.own.rglob("*.seq"))


@given(st.text(max_size=90), st.text(max_size=90))
@example("..", "x")
@example("CON", "a")
@settings(max_examples=60)
def test_no_name_leads_out_of_the_library(menu: str, name: str) -> None:
    library = Library(Path("/nowhere/library"), Path("/nowhere/bundled"))
    checked_name(safe_name(name))
    try:
        place = library.place(menu, name)
    except LibraryError as error:
        assert "\n" not in str(error)
        return
    assert place.parent.parent == library.own and place.resolve() == place


def test_own_sequences_move_and_bundled_ones_are_copied(library: Library) -> None:
    before = bundled(library)
    copy = library.rename(entry_of(library, "wave"), "Big wave")
    assert library.entry(copy).own and copy.read_text(encoding="utf-8") == "bundled Gestures/wave"
    moved = library.move(library.entry(copy), "Dance")
    assert moved == library.own / "Dance" / "Big wave.seq" and not copy.exists()
    again = library.duplicate(library.entry(moved))
    assert again.name == "Big wave 2.seq"
    cased = library.rename(library.entry(again), "big WAVE 2")
    assert [path.name for path in cased.parent.iterdir()].count("big WAVE 2.seq") == 1
    with pytest.raises(LibraryError, match='there is already a "Big wave" in Dance'):
        library.rename(library.entry(cased), "BIG wave")
    assert bundled(library) == before
    assert not [path for path in library.own.rglob("*") if path.suffix == ".part"]


def test_what_lies_in_no_menu_comes_last_and_is_kept_in_order_like_the_rest(library: Library) -> None:
    library.prepare("Zebras", "graze").write_text("mine", encoding="utf-8")
    (library.own / "found.seq").write_text("mine", encoding="utf-8")
    assert list(listed(library).items())[-2:] == [("Zebras", ["Graze"]), ("", ["Found"])]
    found = entry_of(library, "found")
    assert library.entry(found.path) == found and found.own
    assert library.duplicate(found) == library.own / "found 2.seq"
    renamed = library.rename(found, "kept")
    assert renamed == library.own / "kept.seq" and not found.path.exists()
    assert library.move(library.entry(renamed), "Zebras") == library.own / "Zebras" / "kept.seq"
    with pytest.raises(LibraryError, match="the menu needs a name"):  # nothing goes there by the program
        library.move(entry_of(library, "graze"), "")


def test_menus_are_made_renamed_and_removed(library: Library) -> None:
    library.add_menu("Tricks")
    with pytest.raises(LibraryError, match="already"):
        library.add_menu("tricks")
    with pytest.raises(LibraryError, match="already"):
        library.rename_menu("Tricks", "DANCE")
    with pytest.raises(LibraryError, match="comes with the program"):
        library.rename_menu("Dance", "Ballet")
    library.prepare("Tricks", "flip").write_text("x", encoding="utf-8")
    library.rename_menu("Tricks", "TRICKS")
    assert listed(library)["TRICKS"] == ["Flip"]
    with pytest.raises(LibraryError, match="not empty"):
        library.remove_menu("TRICKS")
    (library.own / "TRICKS" / "flip.seq").unlink()
    library.remove_menu("TRICKS")
    assert list(listed(library)) == ["Gestures", "Dance"]


def test_a_copy_that_fails_leaves_nothing(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(LibraryError, match='"Wave" cannot be copied: No space left on device'):
        library.duplicate(entry_of(library, "wave"))
    assert [path for path in library.own.rglob("*") if path.is_file()] == []


def test_shared_folders_come_last_and_are_only_read(library: Library, tmp_path: Path) -> None:
    team = tmp_path / "disk" / "Gestures"
    for name in ("nod", "Fights/punch", "Fights/deeper/kick"):
        path = team / f"{name}.seq"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")
    (team / "empty").mkdir()
    library.share(team)
    shown = listed(library)
    assert list(shown) == ["Gestures", "Dance", "Gestures (shared)", "Gestures, Fights"]
    assert shown["Gestures (shared)"] == ["Nod"] and shown["Gestures, Fights"] == ["Punch"]
    punch = entry_of(library, "punch")
    assert punch.shared and not punch.own and library.entry(punch.path) == punch
    assert library.entry(team / "Fights" / "deeper" / "kick.seq") is None
    assert {team, team / "Fights"} <= set(library.folders())
    before = {path: path.read_bytes() for path in team.rglob("*.seq")}
    copy = library.move(punch, "Gestures")
    assert copy.parent == library.own / "Gestures" and library.rename(punch, "jab").is_relative_to(library.own)
    assert {path: path.read_bytes() for path in team.rglob("*.seq")} == before
    for wrong in (team, library.own, library.own.parent, tmp_path / "none", library.bundled / "Dance"):
        with pytest.raises(LibraryError):
            library.share(wrong)
    (tmp_path / "disk").rename(tmp_path / "away")  # a disk that is not there for a while
    shown = listed(library)
    assert shown["Gestures (shared)"] == [] and shown["Gestures, Fights"] == ["Jab"]  # the copy of one's own
    assert not any(folder.is_relative_to(team) for folder in library.folders())
    library.shared = ()
    assert "Gestures (shared)" not in listed(library)
