"""Linux and its kin: a desktop entry, an icon and two file types, as freedesktop.org has them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from PySide6.QtCore import QStandardPaths

from app.system.places import COMMAND, RESOURCES, words

ENTRY = Path("applications") / f"{COMMAND}.desktop"
ICON = Path("icons") / "hicolor" / "scalable" / "apps" / f"{COMMAND}.svg"
TYPES = Path("mime") / "packages" / f"{COMMAND}.xml"
_CATALOGUES = (("update-desktop-database", "applications"), ("update-mime-database", "mime"))


def folder() -> Path:
    """Return where a person's own applications, icons and file types are described."""
    return Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericDataLocation))


def add() -> list[Path]:
    """Put the editor among the applications; return the files that were written.

    Raises:
        OSError: If one cannot be written.
    """
    written = []
    for source, place in ((".desktop", ENTRY), (".svg", ICON), (".xml", TYPES)):
        target = folder() / place
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (RESOURCES / f"{COMMAND}{source}").read_text(encoding="utf-8")
        target.write_text(entry(text) if place is ENTRY else text, encoding="utf-8")
        written.append(target)
    _renew_catalogues()
    return written


def remove() -> list[Path]:
    """Take the editor away from the applications; return the files that were removed.

    Raises:
        OSError: If one cannot be removed.
    """
    there = [folder() / place for place in (ENTRY, ICON, TYPES) if (folder() / place).exists()]
    for path in there:
        path.unlink()
    _renew_catalogues()
    return there


def entry(text: str) -> str:
    """Return a desktop entry that starts this very installation: the search path of a desktop may not lead to it."""
    command = " ".join(_quoted(word) for word in words())
    return text.replace(f"Exec={COMMAND} %F", f"Exec={command} %F")


def _quoted(word: str) -> str:
    """Return a word as the key ``Exec`` has it: in quotes, with backslashes doubled once for those and once more."""
    for character in ("\\", '"', "`", "$"):
        word = word.replace(character, "\\" + character)
    return '"' + word.replace("\\", "\\\\").replace("%", "%%") + '"'


def _renew_catalogues() -> None:
    """Let the desktop read its folders anew, where it has programs for that."""
    for program, place in _CATALOGUES:
        if shutil.which(program) is not None and (folder() / place).is_dir():
            subprocess.run([program, str(folder() / place)], capture_output=True, check=False, timeout=60)
