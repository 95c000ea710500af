"""``python -m app`` is the command ``sequence-editor``."""

from app.cli import run

run()
