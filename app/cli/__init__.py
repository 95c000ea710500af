"""The command line: open the editor, or check, describe, convert and draw files without it."""

from app.cli.main import main, run

__all__ = ["main", "run"]
