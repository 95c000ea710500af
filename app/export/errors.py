"""What can go wrong when a picture or a movie is written."""

from core.errors import CoreError


class ExportError(CoreError):
    """A picture or movie that cannot be written; the message is one line for the person."""


class StandsStillError(ExportError):
    """A movie in which nothing would move."""
