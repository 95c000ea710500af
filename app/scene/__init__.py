"""What all views show, worked out once for each change of the document: figures, ghosts, trails, physics."""
