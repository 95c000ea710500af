"""``sequence-editor desktop``: the editor among the applications of the desktop, and files that open with it."""

from __future__ import annotations

import argparse
import sys

from app.cli.arguments import BadInput


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("--remove", action="store_true", help="take the editor out of the applications again")


def desktop(options: argparse.Namespace) -> int:
    """Put the editor among the applications of the desktop, so that .seq and .scr files open with it."""
    from app.system import places

    system = places.system()
    if system is None:
        raise BadInput(f'"{sys.platform}" is no system that the editor can be added to; start it as "{places.COMMAND}"')
    if options.remove:
        for path in system.remove():
            print(f"{path} removed")
        print(f"{places.NAME} is no longer among the applications")
        return 0
    for path in system.add():
        print(path)
    kinds = " and ".join(places.FILE_TYPES)
    print(f"{places.NAME} is among the applications; {kinds} files open with it")
    return 0
