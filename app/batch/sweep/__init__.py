"""A sweep: the physics of one scene over seeds and parameters, measured, as a table and a plot."""
