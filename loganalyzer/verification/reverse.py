"""Forward-confirmed reverse DNS: the name of an address ends as its operator's do, and leads back to the address.

Whoever runs an address writes its reverse name as he likes; only the forward answer is the operator's own word.
"""

import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from loganalyzer.errors import UsageError
from loganalyzer.verification.cache import Cache
from loganalyzer.verification.rangelist import Address, address_of

TIMEOUT_S = 2.0  # of one question
TOTAL_S = 60.0  # of all questions
WORKERS = 16  # questions at once
MOST_NAMES = 8  # of one address that are asked for: its owner may give it thousands
NEGATIVE_TTL_S = 3_600  # an answer of nothing is good for so long

Question = tuple[Address, tuple[str, ...]]  # (address, suffixes of its operator's names)


@dataclass
class ReverseDns:
    """Asks a resolver, within bounds of time and concurrency.

    Raises:
        UsageError: dnspython is not installed, or the resolver is no address.
    """

    resolver: str | None = None  # HOST:PORT; null = the system's
    timeout_s: float = TIMEOUT_S
    total_s: float = TOTAL_S
    cache: Cache = field(default_factory=lambda: Cache(None))
    unanswered: int = 0  # addresses of the last call for which no answer came in time
    _resolver: Any = field(init=False, repr=False)
    _deadline: float = field(init=False, default=0.0, repr=False)

    def __post_init__(self) -> None:
        """Set the resolver up, and ask nothing yet."""
        self._resolver = _resolver(self.resolver)

    def confirm(self, questions: Iterable[Question]) -> dict[Question, bool | None]:
        """Whether each address is confirmed; null where no answer came in time. What comes first is asked first."""
        asked = list(dict.fromkeys(questions))
        self._deadline = time.monotonic() + self.total_s
        with ThreadPoolExecutor(WORKERS) as pool:
            found = dict(zip(asked, pool.map(self._confirm, asked), strict=True))
        self.cache.save()
        self.unanswered = sum(answer is None for answer in found.values())
        return found

    def _confirm(self, question: Question) -> bool | None:
        address, suffixes = question
        names = self._ask("PTR", address.reverse_pointer)
        if names is None:
            return None
        kind = "A" if address.version == 4 else "AAAA"
        matching = [name for name in names if _ends_in(name, suffixes)][:MOST_NAMES]
        answers = [self._ask(kind, name) for name in matching]
        if any(address in map(address_of, answer) for answer in answers if answer):
            return True
        return None if None in answers else False

    def _ask(self, kind: str, name: str) -> tuple[str, ...] | None:
        """The answer, which may be nothing; null where none came: a server that fails has not said no."""
        from dns.exception import DNSException
        from dns.resolver import NXDOMAIN

        if (known := self.cache.get(kind, name)) is not None:
            return known
        left = self._deadline - time.monotonic()
        if left <= 0:
            return None
        try:
            answer = self._resolver.resolve(
                f"{name}.", kind, lifetime=min(self.timeout_s, left), raise_on_no_answer=False, search=False
            )
        except NXDOMAIN:
            found: tuple[str, ...] = ()
            ttl: float = NEGATIVE_TTL_S
        except (DNSException, OSError, ValueError, UnicodeError):
            return None
        else:
            found = tuple(record.to_text().rstrip(".").casefold() for record in answer.rrset or ())
            ttl = answer.rrset.ttl if answer.rrset else NEGATIVE_TTL_S
        self.cache.put(kind, name, found, ttl)
        return found


def _ends_in(name: str, suffixes: Sequence[str]) -> bool:
    """Whether a name is below one of the suffixes, or is one: `evilgooglebot.com` is not below `googlebot.com`."""
    return any(f".{name}".endswith(f".{suffix.strip('.').casefold()}") for suffix in suffixes)


def _resolver(place: str | None) -> Any:
    try:
        from dns.exception import DNSException
        from dns.resolver import Resolver
    except ImportError as error:
        raise UsageError(
            "--verify asks the DNS, which needs dnspython: pip install 'loganalyzer[verify]'; "
            "--ranges DIR alone verifies by published range lists, without any network"
        ) from error
    try:
        resolver = Resolver(configure=place is None)
    except (DNSException, OSError) as error:
        raise UsageError(f"--verify: this system names no resolver ({error}); name one with --resolver") from error
    if place is not None:
        host, port = split(place)
        resolver.nameservers = [host]
        resolver.port = port
    return resolver


def split(place: str) -> tuple[str, int]:
    """Host and port of a resolver: "192.0.2.1", "192.0.2.1:5353", "[2001:db8::1]:53".

    Raises:
        UsageError: the host is no address, or the port no number.
    """
    has_port = place.count(":") == 1 or "]:" in place
    bare, port = place.rsplit(":", 1) if has_port else (place, "53")
    address = address_of(bare.strip("[]"))
    if address is None or not (port.isascii() and port.isdigit() and 0 < int(port) < 65_536):
        raise UsageError(f"--resolver {place!r}: is no ADDRESS or ADDRESS:PORT, as 192.0.2.1:53 or [2001:db8::1]:53")
    return str(address), int(port)
