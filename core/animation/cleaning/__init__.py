"""Cleaning: spikes and dropouts of captured motion, found and filled, and filters for what shakes."""
