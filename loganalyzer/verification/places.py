"""Network operator and country of an address, from MaxMind DB files that the operator of this site has."""

from collections.abc import Sequence
from contextlib import ExitStack
from functools import cache
from typing import Any, NamedTuple

from loganalyzer.errors import UsageError


class Place(NamedTuple):
    """What the files know; null = they do not."""

    asn: int | None
    organisation: str | None
    country: str | None  # ISO 3166-1, two letters


class Places:
    """Opened files, each asked in turn; the first that knows a thing is believed.

    Raises:
        UsageError: maxminddb is not installed, or a file is no MaxMind DB.
    """

    def __init__(self, files: Sequence[str]) -> None:
        try:
            import maxminddb
        except ImportError as error:
            raise UsageError("--mmdb needs maxminddb: pip install 'loganalyzer[mmdb]'") from error
        self._readers = []
        with ExitStack() as opened:  # a second file that is faulty must not leave the first open
            for file in files:
                try:
                    self._readers.append(opened.enter_context(maxminddb.open_database(file)))
                except (OSError, ValueError, maxminddb.InvalidDatabaseError) as error:
                    raise UsageError(f"--mmdb {file}: cannot be read as a MaxMind DB: {error}") from error
            opened.pop_all()
        self.of = cache(self._of)

    def _of(self, address: str) -> Place:
        """What is known of an address."""
        records = [record for reader in self._readers if isinstance(record := _get(reader, address), dict)]
        return Place(
            next((asn for record in records if (asn := _asn(record)) is not None), None),
            _first(records, ("autonomous_system_organization",), ("as_name",), ("organization",)),
            _first(records, ("country", "iso_code"), ("country_code",), ("country",)),
        )


def _get(reader: Any, address: str) -> Any:
    """The record of an address; null for none, and for IPv6 in a file of IPv4."""
    try:
        return reader.get(address)
    except ValueError:
        return None


def _first(records: Sequence[dict[str, Any]], *paths: tuple[str, ...]) -> str | None:
    """The first text that one of the paths leads to: files of several makers differ in their names."""
    for record in records:
        for path in paths:
            value: Any = record
            for key in path:
                value = value.get(key) if isinstance(value, dict) else None
            if isinstance(value, str):
                return value
    return None


def _asn(record: dict[str, Any]) -> int | None:
    """A number, or "AS" and a number."""
    value = record.get("autonomous_system_number", record.get("asn"))
    text = str(value).upper().removeprefix("AS")
    return int(text) if text.isascii() and text.isdigit() else None
