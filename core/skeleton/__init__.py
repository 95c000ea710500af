"""The figure and its files."""

from core.skeleton.builder import SkeletonBuilder
from core.skeleton.clamp import clamp_pose
from core.skeleton.mesh import Mesh
from core.skeleton.pol import read_pol, write_pol
from core.skeleton.pose_map import PoseMap
from core.skeleton.scr_reader import load_skeleton, read_scr
from core.skeleton.scr_writer import write_scr
from core.skeleton.skeleton import Dof, Group, Joint, SegmentObject, Skeleton

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
