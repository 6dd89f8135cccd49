# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of FIGURES.md, by subject, and the page's fixed words."""
from . import cells, hearts, meshes, newton, products, readers, studies, window
from .page import PAGE, PLACEHOLDERS, WENT  # noqa: F401

SECTIONS = [*hearts.SECTIONS, *window.SECTIONS, *meshes.SECTIONS, *newton.SECTIONS, *cells.SECTIONS, *products.SECTIONS,
            *studies.SECTIONS, *readers.SECTIONS]
