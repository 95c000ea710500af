"""Acclaim skeletons and motion, .asf and .amc: reading and writing."""

from core.formats.asf_amc.reader import load_asf_amc
from core.formats.asf_amc.writer import save_asf_amc

__all__ = ["load_asf_amc", "save_asf_amc"]
