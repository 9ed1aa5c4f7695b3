"""Drafts of robots.txt and of limits, and what each would change on recorded traffic: nothing here touches a server."""

from loganalyzer.drafts.breaks import Break
from loganalyzer.drafts.effect import EFFECT, Effect, Saving
from loganalyzer.drafts.simulation import Simulation
from loganalyzer.drafts.traffic import Traffic

__all__ = ["EFFECT", "Break", "Effect", "Saving", "Simulation", "Traffic"]
