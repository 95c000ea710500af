"""Small windows over the work: how motion is seen, and poses between keys."""
