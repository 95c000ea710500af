"""Fields, sliders and switches: one value each."""
