"""robots.txt: reading it (RFC 9309), deciding by it, and replaying a log against the versions that were in force."""

from loganalyzer.robots.file import Decision, Robots, parse
from loganalyzer.robots.history import History, Version, load
from loganalyzer.robots.replay import kernel
from loganalyzer.robots.timeline import timeline
from loganalyzer.robots.verdicts import Policy

__all__ = ["Decision", "History", "Policy", "Robots", "Version", "kernel", "load", "parse", "timeline"]
