"""The toolkit: skeletons, kinematics, inverse kinematics, animation and files, usable without any window.

Conventions, kept everywhere: metres, kilograms, seconds and radians; right-handed world, y up; column vectors;
``X_WB`` is the pose of frame B in frame W; twists ``[w; v]``; quaternions ``(w, x, y, z)``. A pose ``q`` is one
float64 vector: three root translations, then one value a degree of freedom in skeleton order.
"""

__version__ = "0.1.0"
