"""Targets whose meaning is known by their path alone, each spelt once. Patterns are RE2, for distinct targets only."""

ROBOTS_PATH = "/robots.txt"  # lower case, at the root (RFC 9309 section 2.3)
# GET takes it in origin form, or in absolute form as some clients send it; a query or fragment changes nothing.
ROBOTS_TARGET = r"^(?:[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*)?/robots\.txt(?:[?#]|$)"
