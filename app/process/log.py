"""The log: a rotating file in the platform's data folder, for what a person should not have to see."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

from PySide6.QtCore import QStandardPaths

logger = logging.getLogger("sequence_editor")


def log_path() -> Path:
    """Return where the log file lies."""
    return Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppLocalDataLocation)) / "editor.log"


def start() -> Path | None:
    """Begin to log; return the file, or None where its folder cannot be written (then standard error serves)."""
    logger.setLevel(logging.INFO)
    path = log_path()
    handler: logging.Handler
    result: Path | None = path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(path, maxBytes=512 * 1024, backupCount=3, encoding="utf-8", delay=True)
    except OSError:
        handler, result = logging.StreamHandler(), None
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.handlers[:] = [handler]
    logger.propagate = False
    return result
