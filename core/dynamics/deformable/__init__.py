"""Deformable bodies: strands and lattices of mass points with springs between them, free or attached. (Sueda 2.7)"""

from core.dynamics.deformable.body import Attachment, Deformable
from core.dynamics.deformable.lattice import lattice
from core.dynamics.deformable.model import DeformableModel, with_deformables
from core.dynamics.deformable.node_springs import NodeSprings
from core.dynamics.deformable.strand import strand

__all__ = ["Attachment", "Deformable", "DeformableModel", "NodeSprings", "lattice", "strand", "with_deformables"]
