"""Short dense references for fast algorithms: as the equations read, for tests alone."""
