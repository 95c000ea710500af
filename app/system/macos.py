"""macOS: a small bundle in the person's own applications that starts this installation. Nobody has tried it yet."""

from __future__ import annotations

import plistlib
import shlex
import shutil
from pathlib import Path

from app.system.places import COMMAND, FILE_TYPES, NAME, words
from core import __version__


def bundle() -> Path:
    """Return where the bundle stands."""
    return Path.home() / "Applications" / f"{NAME}.app"


def information() -> bytes:
    """Return the bundle's list of properties: what it is called, what it runs, and which files it opens."""
    return plistlib.dumps(
        {
            "CFBundleName": NAME,
            "CFBundleIdentifier": f"org.{COMMAND}",
            "CFBundleExecutable": COMMAND,
            "CFBundlePackageType": "APPL",
            "CFBundleShortVersionString": __version__,
            "NSHighResolutionCapable": True,
            "CFBundleDocumentTypes": [
                {"CFBundleTypeName": called, "CFBundleTypeExtensions": [suffix[1:]], "CFBundleTypeRole": "Editor"}
                for suffix, called in FILE_TYPES.items()
            ],
        }
    )


def starter() -> str:
    """Return the script that the bundle runs."""
    return f'#!/bin/sh\nexec {shlex.join(words())} "$@"\n'


def add() -> list[Path]:
    """Write the bundle; return its files.

    Raises:
        OSError: If it cannot be written.
    """
    contents = bundle() / "Contents"
    (contents / "MacOS").mkdir(parents=True, exist_ok=True)
    properties, script = contents / "Info.plist", contents / "MacOS" / COMMAND
    properties.write_bytes(information())
    script.write_text(starter(), encoding="utf-8")
    script.chmod(0o755)
    return [properties, script]


def remove() -> list[Path]:
    """Remove the bundle.

    Raises:
        OSError: If it cannot be removed.
    """
    there = [bundle()] if bundle().exists() else []
    for path in there:
        shutil.rmtree(path)
    return there
