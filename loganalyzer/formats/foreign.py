"""Lines that are no request of HTTP by their look, and what they are: the reason why a format refuses them."""

import re

# Of the start of a line; what a collector has put around it is read over. No pattern repeats inside a repetition.
_BEFORE = rb"(?:[^\[{]{0,100}?)"
_TAG = rb".{0,120}haproxy\[\d{1,10}\]: "
_HAPROXY = rb"(?:" + _TAG + rb")?[^\[]{0,200}:\d{1,5} \[[^\]]{20,30}\] "
_KINDS: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (
        re.compile(_BEFORE + rb"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[[a-z]{1,10}\] \d{1,10}#\d"),
        "a line of nginx's error log",
    ),
    (
        re.compile(rb"\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"),
        "a line of Apache's error log",
    ),
    (re.compile(rb"tls \d\.\d \d{4}-\d\d-\d\dT"), "a TLS connection of a network load balancer"),
    (re.compile(_TAG + rb"(?:Proxy|Server|Backend|Health check) \S"), "a message of HAProxy"),
    (
        re.compile(_HAPROXY + rb"\S{1,200} \S{1,200} -?\d{1,9}/-?\d{1,9}/\+?\d{1,9} \d"),
        "a TCP connection of HAProxy",
    ),
    (
        re.compile(_HAPROXY + rb"[^\s:]{1,200}: "),
        "a connection of HAProxy that came to no request",
    ),
    (
        re.compile(
            rb'\d{4}-\d\d-\d\dT\S{1,40} \S{1,100} \S{1,60} \S{1,60} \S+ \S+ \S+ - - -?\d{1,19} -?\d{1,19} "- - - "'
        ),
        "a TCP connection of a load balancer",
    ),
    (re.compile(rb"\S{1,40} heroku\[(?!router\])|\S{1,40} app\["), "a message of a process on Heroku"),
)


def kind(line: bytes) -> str | None:
    """What a line is instead of a request; null where it is nothing known."""
    return next((reason for pattern, reason in _KINDS if pattern.match(line)), None)
