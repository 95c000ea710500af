"""Windows: a person's own entries in the registry let files open with the editor. Nobody has tried it yet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from app.system.places import COMMAND, NAME
from app.system.places import FILE_TYPES as ALL_TYPES

FILE_TYPES = {suffix: called for suffix, called in ALL_TYPES.items() if suffix != ".scr"}
"""Without figures: to Windows a ``.scr`` file is a screen saver, which is a program."""

_CLASSES = r"Software\Classes"


def command() -> str:
    """Return the command line that opens a file, by the interpreter that shows no console where there is one."""
    silent = Path(sys.executable).with_name("pythonw.exe")
    start = str(silent if silent.exists() else sys.executable)
    return subprocess.list2cmdline([start, "-m", "app"]) + ' "%1"'


def entries() -> dict[str, str]:
    """Return the keys below the person's own part of the registry, and the text of each."""
    found = {}
    for suffix, called in FILE_TYPES.items():
        kind = f"{COMMAND}{suffix}"
        found[rf"{_CLASSES}\{suffix}"] = kind
        found[rf"{_CLASSES}\{kind}"] = f"{NAME}: {called}"
        found[rf"{_CLASSES}\{kind}\shell\open\command"] = command()
    return found


def add() -> list[Path]:
    """Let files of the editor open with it; return nothing, since no file is written.

    Raises:
        OSError: If the registry refuses it.
    """
    import winreg

    for key, text in entries().items():
        winreg.SetValue(winreg.HKEY_CURRENT_USER, key, winreg.REG_SZ, text)  # type: ignore[attr-defined, unused-ignore]
    return []


def remove() -> list[Path]:
    """Take back what ``add`` has written.

    Raises:
        OSError: If the registry refuses it.
    """
    import winreg

    for key in leftovers():
        try:
            winreg.DeleteKey(winreg.HKEY_CURRENT_USER, key)  # type: ignore[attr-defined, unused-ignore]
        except FileNotFoundError:
            continue
    return []


def leftovers() -> list[str]:
    """Return the keys to delete, those below others first; a suffix stays, another program may have it by now."""
    made = [rf"{_CLASSES}\{COMMAND}{suffix}" for suffix in FILE_TYPES]
    return [rf"{key}{below}" for key in made for below in (r"\shell\open\command", r"\shell\open", r"\shell", "")]
