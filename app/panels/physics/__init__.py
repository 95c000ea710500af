"""The panels of physics: settings, the world, plots, read-outs and overlays."""
