"""Automation that declares nothing: a browser's user agent that behaves like a program is suspected, never proven.

Each sign alone has an innocent cause: a privacy setting sends no referer, a cache holds the assets, an owner reads
robots.txt. So several must come together (`NEEDED`), and the key is a user agent at one address: people behind one
address have several user agents, take assets and come from page to page. Suspects stay browsers: they are counted as
such, and never judged by robots.txt.
"""

from loganalyzer.suspects.rhythm import RHYTHM, rhythm
from loganalyzer.suspects.signs import FEW_PAGES, MOST_PAGES_UNSEEN, NEEDED, SIGNS, THRESHOLDS, Sign, suspected

__all__ = [
    "FEW_PAGES",
    "MOST_PAGES_UNSEEN",
    "NEEDED",
    "RHYTHM",
    "SIGNS",
    "THRESHOLDS",
    "Sign",
    "rhythm",
    "suspected",
]
