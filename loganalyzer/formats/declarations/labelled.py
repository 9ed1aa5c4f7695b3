"""Lines of labels and values: which label is which field."""

import re

from loganalyzer.formats.declarations.build import paths
from loganalyzer.formats.declarations.objects import NGINX_KEYS
from loganalyzer.formats.model import Format, Sample
from loganalyzer.formats.pairs import Logfmt, Ltsv

# The labels that http://ltsv.org recommends; `host` is the client there.
_LTSV_LABELS = """
    time:any time time_local time_iso8601
    client_ip:address host remote_addr remote_host
    forwarded_for forwardedfor x_forwarded_for
    request:request req request
    method method request_method
    target uri request_uri
    protocol protocol server_protocol
    status:number status
    bytes:number size body_bytes_sent bytes_sent
    request_time_s:seconds reqtime request_time taken_sec reqtime_microsec=microseconds
    host:authority vhost http_host server_name
    referer referer http_referer
    user_agent ua user_agent http_user_agent
    user user remote_user
    accept accept
    if_none_match if_none_match
    if_modified_since if_modified_since
    retry_after retry_after
"""

# Go writes durations with their unit; without one Ruby's lograge means milliseconds, others seconds.
_LOGFMT_KEYS = re.sub("request_time_s:.*", "request_time_s:suffixed request_time duration response_time", NGINX_KEYS)

LABELLED: tuple[Format, ...] = (
    Format(
        "ltsv",
        "labelled tab-separated values, by the labels of ltsv.org",
        Ltsv(paths(_LTSV_LABELS)),
        time_is_end=True,
        samples=(
            Sample(
                "time:[01/Nov/2026:10:15:00 +0000]\thost:192.0.2.7\treq:GET /a?q=1 HTTP/1.1\tstatus:200\txff:-\t"
                "size:512\treferer:-\tua:ExampleBot/1.2 (+https://bot.example/)\treqtime:0.250\tvhost:shop.example",
                {
                    "t": 1_793_528_099_750_000,
                    "client_ip": "192.0.2.7",
                    "target": "/a?q=1",
                    "status": 200,
                    "request_time_s": 0.25,
                    "host": "shop.example",
                    "user_agent": "ExampleBot/1.2 (+https://bot.example/)",
                },
            ),
            Sample(
                "method:GET\turi:/\\x22\ttime:2026-11-01T10:15:00+00:00\thost:192.0.2.7\treqtime_microsec:250",
                {"target": '/"', "request_time_s": 0.00025},
            ),
            Sample("time:2026-11-01T10:15:00+00:00\tmessage:started", None),
        ),
    ),
    Format(
        "logfmt",
        "pairs of keys and values between blanks, by the usual names of keys",
        Logfmt(paths(_LOGFMT_KEYS)),
        time_is_end=True,
        escaped=False,
        samples=(
            Sample(
                'ts=2026-11-01T10:15:00.250Z level=info method=GET path="/a?q=1" status=200 bytes=512 duration=250ms '
                'remote_addr=192.0.2.7 user_agent="say \\"hi\\""',
                {
                    "t": 1_793_528_100_000_000,
                    "target": "/a?q=1",
                    "status": 200,
                    "request_time_s": 0.25,
                    "user_agent": 'say "hi"',
                },
            ),
            Sample('ts=2026-11-01T10:15:00.250Z level=info msg="listening on :80"', None),
        ),
    ),
)
