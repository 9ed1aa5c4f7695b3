"""Whether a client comes from where its operator says it does: published address ranges, and reverse DNS.

A user agent is a claim that anybody can make; an address is not. Nothing here runs unless it is asked for.
"""

from loganalyzer.verification.verdict import REFUTED, UNKNOWN, VERDICTS, VERIFIED, Verdict
from loganalyzer.verification.verifier import Verification, Verifier

__all__ = ["REFUTED", "UNKNOWN", "VERDICTS", "VERIFIED", "Verdict", "Verification", "Verifier"]
