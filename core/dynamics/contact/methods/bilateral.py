"""Bilateral staggered projections: dry friction in joints by what they carry (Sueda algorithm 8)."""

from __future__ import annotations

from core.dynamics.contact.methods.staggered import StaggeredProjections


class BilateralStaggeredProjections(StaggeredProjections):
    """Staggered projections with the bearings of joints, whose reactions take the place of their contacts' programs.

    The reduced motion given the friction says what joints carry, hence the bounds of their friction; then friction is
    found for all contacts and joints at once, by the inertia of the joined bodies, until neither changes. The program's
    ``rubbing`` does the first, so that the turns themselves are those of staggered projections.
    """

    name = "bisp"
    label = "Bilateral staggered projections"
    description = "Contacts, and dry friction in the bearings of joints by what these carry."
    rubs = True
