"""What can go wrong when a picture or a film is written."""

from core.errors import CoreError


class ExportError(CoreError):
    """A picture or film that cannot be written; the message is one line for the person."""
