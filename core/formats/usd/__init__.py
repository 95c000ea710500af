"""USD scenes, ``.usda``, ``.usdc``, ``.usd`` and ``.usdz``: reading and writing through Pixar's library."""

from core.formats.usd.apart import load_usd_apart, save_usd_apart
from core.formats.usd.reader import load_usd
from core.formats.usd.writer import save_usd

__all__ = ["load_usd", "load_usd_apart", "save_usd", "save_usd_apart"]
