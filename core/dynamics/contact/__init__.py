"""Contact: shapes and pairs that touch, and the quadratic program whose multipliers are the contact impulses."""
