"""Every kind of handle, one file each."""

from core.constraints.network.handles.center_of_mass import CenterOfMassHandle
from core.constraints.network.handles.orientation import OrientationHandle
from core.constraints.network.handles.point import PointHandle
from core.constraints.network.handles.pose import PoseHandle

__all__ = ["CenterOfMassHandle", "OrientationHandle", "PointHandle", "PoseHandle"]
