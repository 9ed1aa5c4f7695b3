"""Instants as servers write them, to epoch microseconds; vectorised, locale-free.

A stamp is a head of fixed width and a tail: `01/Nov/2026:00:00:00` + ` +0000`, `2026-11-01T00:00:00` + `.123Z`. Heads
are read as a matrix of digits; tails are few, so distinct ones are read one by one. A leap second (`:60`) is kept as
59.999, whatever its fraction; a day that does not exist is no instant, nor is one that its offset takes out of the
years 1 to 9999 of UTC: no calendar of Python's has those.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.formats import strftime
from loganalyzer.formats.model import Field, spelled

CLF_HEAD, ISO_HEAD = 20, 19  # bytes of dd/Mon/yyyy:hh:mm:ss and yyyy-mm-ddThh:mm:ss
_MONTHS = b"JanFebMarAprMayJunJulAugSepOctNovDec"
_TAIL = re.compile(rb"(?:[.,](\d{1,9})\d*)? ?(?:([+-])(\d\d):?(\d\d)|Z|UTC|GMT)?")
_ZONE = re.compile(rb"[+\-A-Z]")
_MONTH_DAYS = np.array([0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31], np.int32)
_SECOND = 1_000_000
_LEAP = 999_000  # what a leap second has over the 59th, so that it stays in its minute
_MAGNITUDES = np.array([10**11, 10**14, 10**17], np.uint64)  # epochs below are in s, in ms, in us
EARLIEST, LATEST = -62_135_596_800 * _SECOND, 253_402_300_800 * _SECOND - 1  # 0001-01-01 to 9999-12-31, UTC
_EPOCH = datetime(1970, 1, 1)
FAR = 1 << 30  # the end of any value: without one, binary_slice of pyarrow 26 fails on values shorter than the start

# Number of an English month by the low five bits of its letters; 0 for what is none.
_NAMES = np.frombuffer(_MONTHS, np.uint8).reshape(12, 3)
_MONTH = np.zeros(1 << 15, np.int32)
_LOW = (_NAMES & 31).astype(np.int32)  # letters differ in their low five bits, which case does not change
_MONTH[_LOW[:, 0] << 10 | _LOW[:, 1] << 5 | _LOW[:, 2]] = np.arange(1, 13)
_SLASH, _COLON, _HYPHEN = b"/:-"


def of(values: dict[str, pa.Array], fields: Mapping[str, Field]) -> tuple[np.ndarray | None, np.ndarray | bool]:
    """Instants of the rows; takes `time`, or `date` and `clock`, out of the raw values.

    Returns:
        Epoch microseconds and which of them are instants; nothing and True where the values have no day.
    """
    date, clock = values.pop("date", None), values.pop("clock", None)
    if date is None and clock is not None and fields["clock"].read != "text":  # the day stands above the lines
        date = pa.scalar(fields["clock"].read.encode(), pa.binary())
    if "time" in values:
        return instants(fields["time"].read, values.pop("time"), fields["time"].zone)
    if date is None or clock is None:
        return None, True
    return instants("iso", pc.binary_join_element_wise(date, clock, b" "), fields["clock"].zone)


def lasting(values: dict[str, pa.Array], fields: Mapping[str, Field], starts: np.ndarray | None) -> None:
    """Make a duration of the instant of the end, where that is logged: microseconds, in place.

    Of two whole seconds nothing is made: their difference is off by up to a second, and most requests take less.
    """
    for column in [name for name in values if fields[name].read == "until"]:
        ends, known = instants("any", values[column])
        lengths = ends - (0 if starts is None else starts)
        fine = (ends % _SECOND != 0) | (lengths % _SECOND != 0)
        known = known & fine & (lengths >= 0) & (starts is not None)
        values[column] = pa.array(lengths, mask=~known).cast(pa.string()).cast(pa.binary())


def instants(read: str, values: pa.Array, zone: str | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Instants of raw values.

    Args:
        read: "clf", "iso", "epoch", or "any" of them by its looks; "written", or a strftime, for dates of other shapes.
        values: binary.
        zone: of those that name none; null is UTC.

    Returns:
        Epoch microseconds, and which of them are instants.
    """
    if read == "any":
        return _any(values, zone)
    if read == "epoch":
        return _epoch(values)
    if read == "written" or read.startswith("%"):
        read, values = "iso", strftime.stamps(read, values)
    width = CLF_HEAD if read == "clf" else ISO_HEAD
    return stamps(read, *(_one_tail(values, width) or _any_tail(values, width)), zone)


def _any_tail(values: pa.Array, width: int) -> tuple[pa.Array, pa.DictionaryArray]:
    return pc.binary_slice(values, 0, width), pc.binary_slice(values, width, FAR).dictionary_encode()


def _one_tail(values: pa.Array, width: int) -> tuple[pa.Array, pa.DictionaryArray] | None:
    """Heads and tails where all tails are the same, as in a log without fractions: nothing is looked for then."""
    if not isinstance(values, pa.BinaryArray) or not len(values) or values.null_count:
        return None
    offsets, text = spelled(values)
    length = int(offsets[1] - offsets[0])
    if length <= width or (np.diff(offsets) != length).any():
        return None
    rows = text.reshape(-1, length)
    if (rows[:, width:] != rows[0, width:]).any():
        return None
    places = pa.py_buffer(np.arange(len(rows) + 1, dtype=np.int32) * width)
    heads = pa.Array.from_buffers(
        pa.binary(), len(rows), [None, places, pa.py_buffer(np.ascontiguousarray(rows[:, :width]))]
    )
    tail = pa.array([rows[0, width:].tobytes()], pa.binary())
    return heads, pa.DictionaryArray.from_arrays(pa.array(np.zeros(len(rows), np.int32)), tail)


def _any(values: pa.Array, zone: str | None) -> tuple[np.ndarray, np.ndarray]:
    """No text is an instant in two of the ways: what one of them reads, the others are not asked about."""
    micros, valid = np.zeros(len(values), np.int64), np.zeros(len(values), bool)
    left = np.arange(len(values))
    for read in sorted(("epoch", "iso", "clf"), key=lambda read: not instants(read, values[:1], zone)[1].all()):
        if len(left):
            found, fits = instants(read, values if len(left) == len(values) else values.take(pa.array(left)), zone)
            micros[left[fits]], valid[left[fits]], left = found[fits], True, left[~fits]
    return micros, valid


def stamps(
    read: str, heads: pa.Array, tails: pa.DictionaryArray, zone: str | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """As `instants`, of stamps whose heads and tails are apart already."""
    width = CLF_HEAD if read == "clf" else ISO_HEAD
    right = pc.equal(pc.binary_length(heads), width).fill_null(False).to_numpy(zero_copy_only=False)
    matrix = spelled(heads if right.all() else heads.filter(pa.array(right)))[1].reshape(-1, width)
    if len(matrix) < len(heads):
        whole, matrix = matrix, np.zeros((len(heads), width), np.uint8)
        matrix[right] = whole
    micros, valid = _minutely(matrix, _clf if read == "clf" else _iso)
    shift, known, named = _shifts(tails)
    leap = micros % _SECOND != 0
    micros = micros + (shift - np.where(leap, shift % _SECOND, 0) if leap.any() else shift)  # it has no fraction
    if zone is not None:
        bare = right & valid & ~named
        micros[bare] -= zone_offsets(micros[bare], ZoneInfo(zone))
    return micros, right & valid & known & (micros >= EARLIEST) & (micros <= LATEST)


def _minutely(
    heads: np.ndarray, read: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
) -> tuple[np.ndarray, np.ndarray]:
    """Instants of heads, of which `read` sees one for each minute: a log is in order, and most differ in the second."""
    count, width = heads.shape
    if not count:
        return read(heads.T)
    minutes = np.ndarray((count,), f"S{width - 2}", heads, strides=(width,))
    firsts = np.append(0, np.flatnonzero(minutes[1:] != minutes[:-1]) + 1)
    lengths = np.diff(np.append(firsts, count))
    begun = heads[firsts]
    begun[:, -2:] = ord("0")
    micros, good = (np.repeat(found, lengths) for found in read(np.ascontiguousarray(begun.T)))
    second, good_second = _digits(np.ascontiguousarray(heads[:, -2:].T), 0, 1)
    micros += np.minimum(second, 59) * np.int64(_SECOND)
    micros[second == 60] += _LEAP
    return micros, good & good_second & (second <= 60)


def _digits(rows: np.ndarray, *at: int) -> tuple[np.ndarray, np.ndarray]:
    """The number that the bytes at these places spell (int32), and where all are digits."""
    total, good = np.zeros(rows.shape[1], np.int32), np.ones(rows.shape[1], bool)
    for place in at:
        digit = rows[place] - np.uint8(48)  # other bytes wrap to above 9
        good &= digit <= 9
        total *= 10
        total += digit
    return total, good


def _clf(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """dd/Mon/yyyy:hh:mm; one row a place, so that every step runs over neighbouring bytes."""
    low = (rows[3:6] & 31).astype(np.int32)
    month = _MONTH[low[0] << 10 | low[1] << 5 | low[2]]
    good: np.ndarray = (month > 0) & (rows[2] == _SLASH) & (rows[6] == _SLASH) & (rows[11] == _COLON)
    for place in range(3):
        good &= rows[3 + place] == _NAMES[:, place][month - 1]
    return _instant(rows, (7, 8, 9, 10), month, (0, 1), 12, good)


def _iso(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """yyyy-mm-ddThh:mm, with T or a blank."""
    month, good = _digits(rows, 5, 6)
    good &= (rows[4] == _HYPHEN) & (rows[7] == _HYPHEN) & np.isin(rows[10], list(b"Tt _"))
    return _instant(rows, (0, 1, 2, 3), month, (8, 9), 11, good)


def _instant(
    rows: np.ndarray, year_at: tuple[int, ...], month: np.ndarray, day_at: tuple[int, ...], clock: int, good: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Epoch microseconds of a date and the minute of the clock that starts at a place, and which are instants."""
    year, good_year = _digits(rows, *year_at)
    day, good_day = _digits(rows, *day_at)
    hour, good_hour = _digits(rows, clock, clock + 1)
    minute, good_minute = _digits(rows, clock + 3, clock + 4)
    good = good & good_year & good_day & good_hour & good_minute
    good &= (rows[clock + 2] == _COLON) & (rows[clock + 5] == _COLON)
    good &= (month >= 1) & (month <= 12) & (hour <= 23) & (minute <= 59) & (year >= 1)
    last = _MONTH_DAYS[np.where(good, month, 0)] - ((month == 2) & ~_leap(year))
    good &= (day >= 1) & (day <= last)
    seconds = _days(year, month, day).astype(np.int64) * 86_400 + hour * 3_600 + minute * 60
    return seconds * _SECOND, good


def _leap(year: np.ndarray) -> np.ndarray:
    leap: np.ndarray = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    return leap


def _days(year: np.ndarray, month: np.ndarray, day: np.ndarray) -> np.ndarray:
    """Days since 1970-01-01 in the proleptic Gregorian calendar (years from March, so that 29 February is last)."""
    year = year - (month <= 2)
    of_year: np.ndarray = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    days: np.ndarray = 365 * year + year // 4 - year // 100 + year // 400 + of_year - 719_468
    return days


def _shifts(tails: pa.DictionaryArray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Microseconds to add for each tail (its fraction less its offset), which are tails, and which name a zone."""
    shift, known, named = [], [], []
    for tail in tails.dictionary.to_pylist():
        match = _TAIL.fullmatch(tail)
        fraction, sign, hours, minutes = match.groups() if match else (None,) * 4
        offset = int(hours or 0) * 3_600 + int(minutes or 0) * 60
        micros = int((fraction or b"").ljust(6, b"0")[:6])
        shift.append(micros - (offset if sign == b"+" else -offset) * _SECOND)
        known.append(match is not None and offset <= 14 * 3_600 and int(minutes or 0) < 60)
        named.append(_ZONE.search(tail) is not None)
    if len(shift) == 1 and not tails.null_count:  # as in most logs
        return np.full(len(tails), shift[0]), np.full(len(tails), known[0]), np.full(len(tails), named[0])
    codes = tails.indices.fill_null(-1).to_numpy()  # the last entry stands for none
    masks = (np.array([*mask, False], bool)[codes] for mask in (known, named))
    return np.array([*shift, 0], np.int64)[codes], *masks


def zone_offsets(micros: np.ndarray, zone: ZoneInfo, fold: int = 0) -> np.ndarray:
    """Microseconds by which a zone is ahead of UTC at these times on its clocks.

    A time that its clocks show twice is the first of the two, or with `fold` 1 the second; one that they skip is read
    by the offset before the change, or after it. Offsets change on quarters of an hour, which are few.
    """
    quarters, codes = np.unique(micros // (900 * _SECOND), return_inverse=True)
    moments = [_EPOCH + timedelta(minutes=15 * quarter) for quarter in quarters.tolist()]
    ahead = [moment.replace(tzinfo=zone, fold=fold).utcoffset() or timedelta() for moment in moments]
    found: np.ndarray = np.array([delta // timedelta(microseconds=1) for delta in ahead], np.int64)[codes]
    return found


def _epoch(values: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by magnitude; digits, not floats.

    A writer has one unit: a value of another magnitude than most is no instant of its own, but a fault.
    """
    found = pc.extract_regex(values, r"^(?P<whole>\d{1,19})(?:\.(?P<part>\d{1,6})\d*)?$")
    valid = found.is_valid().to_numpy(zero_copy_only=False)
    whole, part = (pc.fill_null(pc.if_else(found.is_valid(), found.field(k), b"0"), b"0") for k in range(2))
    number = whole.cast(pa.string()).cast(pa.uint64()).to_numpy()
    fraction = pc.utf8_rpad(part.cast(pa.string()), 6, "0").cast(pa.uint64()).to_numpy()
    unit = np.searchsorted(_MAGNITUDES, number, side="right")
    valid &= unit == np.bincount(unit[valid], minlength=1).argmax()
    spelled = [number * _SECOND + fraction, number * 1_000 + fraction // 1_000, number]
    return np.choose(unit, [*spelled, number // 1_000]).astype(np.int64), valid
