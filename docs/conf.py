"""How Sphinx builds the site: `make docs`."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path
from runpy import run_path

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS / "_ext")]

project = "ftree"
author = "The ftree founders"
copyright = author  # noqa: A001  # Sphinx's name
version = release = version_of("ftrees")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "blocks",
    "drawings",
    "figures",
    "names",
    "signatures",
]
exclude_patterns = ["_ext", "gallery/*.ipynb", "gallery/*.py"]
default_role = "py:obj"  # docstrings write names in single backticks; a name that is public becomes a link
trim_doctest_flags = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
autodoc_default_options = {
    "members": True,
    "inherited-members": "object, Protocol, BaseEstimator, ClassifierMixin",
    # scikit-learn adds these; its own pages describe them.
    "exclude-members": "set_fit_request, set_score_request, get_metadata_routing",
}
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence", "dollarmath", "substitution"]
myst_substitutions = {"version": version, **run_path(str(DOCS / "_ext" / "figures.py"))["quoted"]()}

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/\w+\.py$",
    "ignore_pattern": r"__main__\.py$",
    "within_subsection_order": "gallery.place",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "min_reported_time": 1e9,
    "default_thumb_file": str(DOCS / "_static" / "tree.png"),
    "show_memory": False,
    "write_computation_times": False,
    "show_signature": False,
    "remove_config_comments": True,
}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "ftree"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/icon.svg"
html_context = {"default_mode": "auto"}
html_show_sourcelink = False
html_theme_options = {
    "navigation_depth": 2,
    "show_nav_level": 1,
    "show_toc_level": 2,
    "header_links_before_dropdown": 8,
    # Pages of wide tables give them the width of the second sidebar.
    "secondary_sidebar_items": {
        "**": ["page-toc"],
        **{page: [] for page in ("comparison", "equals", "glossary", "names", "speed")},
    },
    "footer_start": ["copyright"],
    "footer_end": [],
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "show_prev_next": True,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
