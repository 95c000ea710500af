"""Left and right: joints and poses seen in a mirror."""
