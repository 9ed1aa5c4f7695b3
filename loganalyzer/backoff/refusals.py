"""Which answers ask a client to wait, and for how long (RFC 6585 section 4, RFC 9110 section 10.2.3)."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from loganalyzer.backoff.thresholds import SECOND_US
from loganalyzer.codes import encode
from loganalyzer.groups import Int64

NOT_STATED = -1
LONGEST_VALUE = 64  # characters; an HTTP-date has 29
FOREVER_S = 10**9  # more seconds than any cap: a number of more digits is as good as this


def refusals(requests: pa.Table) -> NDArray[np.bool_]:
    """Return which rows of a REQUEST table ask the client to wait.

    A 429; a 503 with a Retry-After that is not empty; a 503 that nginx's limit_req gave (its default status). A bare
    503 is an outage, a 3xx's Retry-After is about the redirected request, and 403 says something else.
    """
    status = requests["status"]
    stated = pc.greater(pc.binary_length(_text(requests["retry_after"])), 0)
    limited = pc.equal(_text(requests["limit_status"]), "REJECTED")
    unavailable = pc.and_(pc.equal(status, 503), pc.or_(pc.fill_null(stated, False), pc.fill_null(limited, False)))
    mask: NDArray[np.bool_] = pc.fill_null(pc.or_(pc.equal(status, 429), unavailable), False).to_numpy()
    return mask


def asked_wait(retry_after: pa.ChunkedArray | pa.Array, sent_us: Int64) -> pa.Array:
    """Return the wait that each refusal asked for, in microseconds; null where it is missing or malformed.

    Args:
        retry_after: The field as sent, one a refusal; each distinct value is read once.
        sent_us: When the refusal was sent, epoch microseconds: an HTTP-date is a wait from then on, at least 0.
    """
    codes, values = encode(retry_after)
    read = [_read(value) for value in values.to_pylist()]
    amount = np.array([*(amount for amount, _ in read), NOT_STATED], dtype=np.int64)[codes]
    is_date = np.array([*(is_date for _, is_date in read), False])[codes]
    wait = np.where(is_date, np.maximum(amount - sent_us, 0), amount)
    return pa.array(wait, mask=amount == NOT_STATED)


def _text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.string())


def _read(value: str) -> tuple[int, bool]:
    """Return (microseconds, is it an instant), NOT_STATED for what is neither delay-seconds nor an HTTP-date."""
    text = value.strip()
    if text.isascii() and text.isdigit():
        digits = text.lstrip("0")[:10] or "0"
        return min(int(digits), FOREVER_S) * SECOND_US, False
    if len(text) > LONGEST_VALUE:
        return NOT_STATED, False
    try:
        instant = parsedate_to_datetime(text)
        return _epoch_us(instant if instant.tzinfo else instant.replace(tzinfo=UTC)), True
    except (ValueError, TypeError, OverflowError, IndexError):  # what the standard library raises for strange dates
        return NOT_STATED, False


def _epoch_us(instant: datetime) -> int:
    return max(0, round(instant.timestamp())) * SECOND_US
