"""Pictures and movies: what ``sequence-editor render`` and the window's export write.

``write_movie`` takes pictures from anywhere; ``Shot`` draws them from a figure and its motion.
"""

from app.export.errors import ExportError, StandsStillError
from app.export.movie import MOVIES, missing_packages, movie_rate, write_movie
from app.export.png import write_picture, write_pictures
from app.export.shot import Shot

__all__ = [
    "MOVIES",
    "ExportError",
    "Shot",
    "StandsStillError",
    "missing_packages",
    "movie_rate",
    "write_movie",
    "write_picture",
    "write_pictures",
]
