"""From polygons of a figure to the vertices that are drawn: normals, occlusion, coarse copies."""
