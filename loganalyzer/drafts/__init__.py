"""Drafts of robots.txt: what one would change on recorded traffic, written from a policy, or suggested."""

from loganalyzer.drafts.breaks import Break
from loganalyzer.drafts.effect import EFFECT, Effect, Saving
from loganalyzer.drafts.simulation import Simulation
from loganalyzer.drafts.traffic import Traffic

__all__ = ["EFFECT", "Break", "Effect", "Saving", "Simulation", "Traffic"]
