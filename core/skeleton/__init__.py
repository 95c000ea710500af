"""The figure and its files."""

from core.skeleton.building.builder import SkeletonBuilder
from core.skeleton.clamp import clamp_pose
from core.skeleton.dof import Dof
from core.skeleton.joint import Group, Joint, SegmentObject
from core.skeleton.mesh import Mesh
from core.skeleton.objects.pol import read_pol, write_pol
from core.skeleton.rerooting.conversion import PoseMap
from core.skeleton.scr.reader import load_skeleton, read_scr
from core.skeleton.scr.writer import write_scr
from core.skeleton.skeleton import Skeleton

__all__ = [
    "Dof",
    "Group",
    "Joint",
    "Mesh",
    "PoseMap",
    "SegmentObject",
    "Skeleton",
    "SkeletonBuilder",
    "clamp_pose",
    "load_skeleton",
    "read_pol",
    "read_scr",
    "write_pol",
    "write_scr",
]
