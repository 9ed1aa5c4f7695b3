"""The names of browsers, for tables that people read. Never asked whether a client is automated."""

from functools import lru_cache

LIMIT = 1024  # beyond this no browser's header goes, and some of the patterns behind are slower than linear


@lru_cache(maxsize=65_536)
def family(user_agent: str | None) -> str | None:
    """Return "Chrome 131 on Windows" for a browser's user agent; null where ua-parser knows neither half."""
    from ua_parser import parse_os, parse_user_agent  # a tenth of a second: only for who asks

    if not user_agent:
        return None
    browser, system = parse_user_agent(user_agent[:LIMIT]), parse_os(user_agent[:LIMIT])
    name = f"{browser.family} {browser.major or ''}".strip() if browser else None
    return " on ".join(filter(None, (name, system.family if system else None))) or None
