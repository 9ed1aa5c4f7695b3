"""For how long a client may go by an older copy of robots.txt: 24 hours (RFC 9309 section 2.4), unless one says other.

Operators' own words differ: a day at most of them, three days or two weeks at some. A specification is `TOKEN=HOURS`,
the token compared without case with the client's name and the names that it looks up in robots.txt; `*` is everybody.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from loganalyzer.errors import UsageError
from loganalyzer.robots.file import EVERYBODY
from loganalyzer.robots.history import DAY_US
from loganalyzer.robots.verdicts import Policy

HOUR_US = 3_600_000_000
MOST_H = 24 * 366


@dataclass(frozen=True)
class Grace:
    """Hours by token as given; empty: everybody has a day."""

    hours: Mapping[str, float]

    def apply(self, policies: Sequence[Policy]) -> tuple[Policy, ...]:
        """The same clients, each with its grace."""
        return tuple(replace(policy, copy_us=self._copy_us(policy)) for policy in policies)

    @property
    def longest_us(self) -> int:
        """For how long anybody may go by a copy; at least a day."""
        return max(DAY_US, *(round(hours * HOUR_US) for hours in self.hours.values()), DAY_US)

    def notes(self, policies: Sequence[Policy]) -> Iterator[str]:
        """What deviates from the RFC is said, and so is a token that nobody came with."""
        names = {name for policy in policies for name in _names(policy)}
        for token, hours in self.hours.items():
            if token != EVERYBODY and token not in names:
                yield f"--grace {token}={hours:g}: no client of that name is in the log"
            elif hours * HOUR_US != DAY_US:
                whose = "everybody else" if token == EVERYBODY else token
                yield (
                    f"--grace gives {whose} {hours:g} h by an older copy of robots.txt, "
                    f"{'more' if hours > 24 else 'less'} than the 24 h of RFC 9309 section 2.4"
                )

    def _copy_us(self, policy: Policy) -> int:
        for name in (*_names(policy), EVERYBODY):
            if name in self.hours:
                return round(self.hours[name] * HOUR_US)
        return DAY_US


def read(specs: Sequence[str]) -> Grace:
    """Read `TOKEN=HOURS`.

    Raises:
        UsageError: no token, or no number of hours from 0 to a year; or a token is given twice.
    """
    hours: dict[str, float] = {}
    for spec in specs:
        token, _, number = spec.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = -1.0
        if not token.strip() or not 0 <= value <= MOST_H:
            raise UsageError(
                f"--grace {spec}: write it as TOKEN=HOURS, with 0 to {MOST_H:,} hours, as GPTBot=72 or *=0"
            )
        if hours.setdefault(token.strip().casefold(), value) != value:
            raise UsageError(f"--grace {spec}: {token.strip()} is given {hours[token.strip().casefold()]:g} h as well")
    return Grace(hours)


def _names(policy: Policy) -> tuple[str, ...]:
    return tuple(name.casefold() for name in (policy.name, *policy.robots_tokens))
