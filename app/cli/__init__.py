"""The command line: open the editor, or check, describe, convert and draw files without it."""

try:
    from app.cli.main import main, run
except KeyboardInterrupt:  # Ctrl-C while modules are loaded, which takes a second or more
    raise SystemExit(130) from None

__all__ = ["main", "run"]
