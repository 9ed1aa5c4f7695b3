"""robots.txt: reading it (RFC 9309), deciding by it, and replaying a log against the versions that were in force."""

from loganalyzer.robots.file import Decision, Robots, parse

__all__ = ["Decision", "Robots", "parse"]
