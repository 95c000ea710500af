"""Motion of one figure on another one: pairs of joints, poses that match, feet that stand where they stood."""

from core.animation.retargeting.pairs import Pair, suggested_pairs
from core.animation.retargeting.retarget import Retargeted, retarget, retargeted_pose, usual_scale

__all__ = ["Pair", "Retargeted", "retarget", "retargeted_pose", "suggested_pairs", "usual_scale"]
