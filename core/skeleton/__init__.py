"""The figure and its files."""

from core.skeleton.mesh import Mesh
from core.skeleton.skeleton import Dof, Group, Joint, SegmentObject, Skeleton

__all__ = ["Dof", "Group", "Joint", "Mesh", "SegmentObject", "Skeleton"]
