"""Poses of all joints, Jacobians, drag chains and picking."""
