"""The editor among the applications of a desktop, on each system as far as that can be seen on this one."""

from __future__ import annotations

import ast
import configparser
import plistlib
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from app.cli import main
from app.system import linux, macos, places, windows

ROOT = Path(__file__).resolve().parents[3]

POSIX_ONLY = {
    "fork", "forkpty", "nice", "kill", "killpg", "getuid", "geteuid", "getgid", "setsid", "getpgid", "getpriority",
    "setpriority", "sched_getaffinity", "sched_setaffinity", "register_at_fork", "mkfifo", "wait", "waitpid", "wait3",
    "chown", "lchown", "getloadavg", "uname", "sysconf", "O_NONBLOCK", "O_CLOEXEC", "SIGKILL", "SIGALRM", "SIGHUP",
    "SIGUSR1", "SIGCHLD", "alarm", "setitimer", "pthread_kill", "AF_UNIX", "preexec_fn", "start_new_session",
}  # fmt: skip
OWNERS = {"os", "signal", "socket"}
POSIX_MODULES = {"fcntl", "resource", "pwd", "grp", "termios", "pty", "tty", "posix", "readline", "syslog"}
PLACES = {"core/system_calls.py", "app/process/virtual_display.py"}
"""Where such calls may stand: one module, and the virtual display of Linux, which nothing asks for elsewhere."""

_NAMED = re.compile(rf"\b({'|'.join(sorted(POSIX_ONLY | POSIX_MODULES))})\b")


def posix_calls(path: Path) -> list[str]:
    """Return what a file takes from Python that only systems like Unix have."""
    found: list[str] = []
    text = path.read_text(encoding="utf-8")
    if _NAMED.search(text) is None:
        return found  # to take a thousand files apart takes long
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id in OWNERS and node.attr in POSIX_ONLY:
                found.append(f"{node.value.id}.{node.attr}")
        elif isinstance(node, ast.Import):
            found += [name.name for name in node.names if name.name in POSIX_MODULES]
        elif isinstance(node, ast.ImportFrom) and node.module in POSIX_MODULES | OWNERS:
            found += [name.name for name in node.names if node.module in POSIX_MODULES or name.name in POSIX_ONLY]
        elif isinstance(node, ast.keyword) and node.arg in POSIX_ONLY:
            found.append(node.arg)
    return found


def test_calls_that_only_some_systems_have_stand_in_one_place():
    files = [path for top in ("core", "app", "skeletons", "resources") for path in (ROOT / top).rglob("*.py")]
    assert len(files) > 1000
    found = {path.relative_to(ROOT).as_posix(): posix_calls(path) for path in files}
    assert {name for name, calls in found.items() if calls} == PLACES


def test_linux_gets_an_entry_an_icon_and_file_types_and_gives_them_back(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(linux, "folder", lambda: tmp_path / "share")
    monkeypatch.setattr(places.sys, "platform", "linux")
    assert main(["desktop"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[-1] == "Sequence Editor is among the applications; .seq and .scr files open with it"
    files = {
        path.relative_to(tmp_path / "share").as_posix() for path in (tmp_path / "share").rglob("*.*") if path.is_file()
    }
    ours = {"applications/sequence-editor.desktop", "icons/hicolor/scalable/apps/sequence-editor.svg"}
    assert ours | {"mime/packages/sequence-editor.xml"} <= files
    assert main(["desktop"]) == 0  # once more does no harm
    assert main(["desktop", "--remove"]) == 0
    left = {path.relative_to(tmp_path / "share").as_posix() for path in (tmp_path / "share").rglob("sequence-editor*")}
    assert left == set()
    assert main(["desktop", "--remove"]) == 0


def test_the_entry_starts_this_very_installation(monkeypatch):
    monkeypatch.setattr(places.sys, "executable", '/home/a "b"/100 %/$HOME/py`thon')
    reader = configparser.RawConfigParser(strict=True)
    reader.optionxform = str
    text = linux.entry((places.RESOURCES / "sequence-editor.desktop").read_text(encoding="utf-8"))
    reader.read_string(text)
    entry = dict(reader["Desktop Entry"])
    command = entry["Exec"]
    assert command.endswith('"-m" "app" %F') and "100 %%" in command
    # As the specification has it: general escapes of the file first, then the quotes.
    once = command.removesuffix(' "-m" "app" %F').replace("\\\\", "\\").replace("%%", "%")
    assert re.sub(r'\\(["`$\\])', r"\1", once) == '"/home/a "b"/100 %/$HOME/py`thon"'
    kinds = {each for each in entry["MimeType"].split(";") if each}
    types = ElementTree.parse(places.RESOURCES / "sequence-editor.xml").getroot()
    space = "{http://www.freedesktop.org/standards/shared-mime-info}"
    assert {each.get("type") for each in types} == kinds
    assert {each.find(f"{space}glob").get("pattern") for each in types} == {
        f"*{suffix}" for suffix in places.FILE_TYPES
    }


@pytest.mark.skipif(shutil.which("desktop-file-validate") is None, reason="desktop-file-validate is not here")
def test_the_entry_is_valid():
    subprocess.run(["desktop-file-validate", str(places.RESOURCES / "sequence-editor.desktop")], check=True)


def test_a_folder_that_cannot_be_written_is_said_in_one_line(tmp_path, monkeypatch, capsys):
    (tmp_path / "share").write_text("a file", encoding="utf-8")
    monkeypatch.setattr(linux, "folder", lambda: tmp_path / "share")
    monkeypatch.setattr(places.sys, "platform", "linux")
    assert main(["desktop"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_system_nobody_has_written_is_said(monkeypatch, capsys):
    monkeypatch.setattr(places.sys, "platform", "plan9")
    assert main(["desktop"]) == 2
    assert capsys.readouterr().err.startswith('sequence-editor: "plan9" is no system that the editor can be added to')


def test_the_registry_of_windows_names_a_command_for_each_type_and_no_screen_savers():
    entries = windows.entries()
    assert r"Software\Classes\.seq" in entries and r"Software\Classes\.scr" not in entries
    kind = entries[r"Software\Classes\.seq"]
    assert entries[rf"Software\Classes\{kind}\shell\open\command"].endswith('-m app "%1"')
    made = {key for key in entries if not key.endswith(".seq") or COMMAND_KIND in key}
    assert made <= set(windows.leftovers())


COMMAND_KIND = "sequence-editor.seq"


def test_the_bundle_of_macos_opens_files_of_both_types(tmp_path, monkeypatch):
    monkeypatch.setattr(macos.Path, "home", lambda: tmp_path)
    written = macos.add()
    properties = plistlib.loads(written[0].read_bytes())
    kinds = properties["CFBundleDocumentTypes"]
    assert [each["CFBundleTypeExtensions"] for each in kinds] == [["seq"], ["scr"]]
    assert written[1].name == properties["CFBundleExecutable"] and written[1].stat().st_mode & 0o111
    assert macos.remove() == [tmp_path / "Applications" / "Sequence Editor.app"] and not macos.bundle().exists()
