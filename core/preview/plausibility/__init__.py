"""Where a keyed motion cannot be: in the air off its parabola, turning by itself, held down by the ground."""
