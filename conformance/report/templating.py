"""The templates of the HTML pages, and the settings that they share."""

from __future__ import annotations

import jinja2


def environment() -> jinja2.Environment:
    """Texts are escaped, and a name that a template does not get is an error."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("conformance.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
