"""What touches: shapes of bodies, the world they stand in, and where they meet."""
