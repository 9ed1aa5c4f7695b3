"""A DNS server on loopback that knows a few names: real packets over UDP, by nothing but the standard library."""

import contextlib
import socket
import struct
import threading
import time
from ipaddress import ip_address

TYPES = {1: "A", 5: "CNAME", 12: "PTR", 28: "AAAA"}
NOERROR, SERVFAIL, NXDOMAIN = 0, 2, 3
SILENT = "silent"


class DnsServer:
    """Answers from `records`, {(type, name): [values]}; `SILENT` as value never answers, SERVFAIL fails.

    A tuple of (owner, type, value) stands for a whole answer, of aliases too; bytes for all but the number of a query.
    """

    def __init__(self, records, delay_s=0.0):
        self.records = {(kind, name.casefold()): values for (kind, name), values in records.items()}
        self.delay_s = delay_s
        self.asked = []
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.place = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self):
        with contextlib.closing(self._socket), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as waker:
            waker.sendto(b"", self._socket.getsockname())
            self._thread.join(5)

    def _serve(self):
        while packet := self._socket.recvfrom(4096):
            data, client = packet
            if not data:
                return
            name, kind, question = _question(data)
            self.asked.append((kind, name))
            answer = self.records.get((kind, name.casefold()))
            if answer == SILENT:
                continue
            time.sleep(self.delay_s)
            self._socket.sendto(_reply(data, question, kind, answer), client)


def _question(data):
    labels, at = [], 12
    while data[at]:
        labels.append(data[at + 1 : at + 1 + data[at]].decode())
        at += 1 + data[at]
    kind = struct.unpack("!H", data[at + 1 : at + 3])[0]
    return ".".join(labels), TYPES.get(kind, str(kind)), data[12 : at + 5]


def _reply(query, question, kind, answer):
    if isinstance(answer, bytes):
        return query[:2] + answer
    if isinstance(answer, tuple):
        header = query[:2] + struct.pack("!HHHHH", 0x8180, 1, len(answer), 0, 0)
        return header + question + b"".join(_record(kind, value, _name(owner)) for owner, kind, value in answer)
    code = answer if isinstance(answer, int) else NXDOMAIN if answer is None else NOERROR
    values = answer if isinstance(answer, list) else []
    header = query[:2] + struct.pack("!HHHHH", 0x8180 | code, 1, len(values), 0, 0)
    return header + question + b"".join(_record(kind, value) for value in values)


def _record(kind, value, owner=b"\xc0\x0c"):
    data = _name(value) if kind in ("PTR", "CNAME") else ip_address(value).packed
    number = next(number for number, name in TYPES.items() if name == kind)
    return owner + struct.pack("!HHIH", number, 1, 300, len(data)) + data


def _name(text):
    return b"".join(bytes([len(label)]) + label.encode() for label in text.split(".")) + b"\0"
