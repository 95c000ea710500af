"""What a picture is drawn of, one after the other: surroundings, shadows, figures, ghosts, outlines."""
