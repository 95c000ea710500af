"""What formats of scenes have in common: figures and their motion as a tree of nodes with meshes, skins and clips."""
