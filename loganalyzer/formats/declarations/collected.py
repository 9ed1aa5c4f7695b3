"""JSON lines of collectors, services and libraries: which key is which field, by writer."""

import re

from loganalyzer.formats.declarations.build import keys, objects
from loganalyzer.formats.declarations.objects import NGINX_KEYS
from loganalyzer.formats.model import Format, Sample

# The Elastic Common Schema, as Beats, Elastic Agent and many libraries write it.
_ECS_KEYS = """
    time:any @timestamp
    client_ip:address client.ip source.ip client.address source.address
    method http.request.method
    target url.original
    path url.path
    query url.query
    protocol http.version
    status:number http.response.status_code
    bytes:number http.response.body.bytes http.response.bytes
    request_time_s:nanoseconds event.duration
    host:host url.domain
    user user.name
    referer http.request.referrer
    user_agent user_agent.original
"""

# pino-http, of Node.js; the line is written when the answer is out.
_PINO_KEYS = """
    time:any time
    client_ip:address req.remoteAddress
    method req.method
    target req.url
    status:number res.statusCode
    bytes:number res.headers.content-length
    request_time_s:milliseconds responseTime
    host:authority req.headers.host
    referer req.headers.referer
    user_agent req.headers.user-agent
    accept req.headers.accept
    if_none_match req.headers.if-none-match
    if_modified_since req.headers.if-modified-since
    forwarded_for req.headers.x-forwarded-for
    retry_after res.headers.retry-after
"""

# Graylog's GELF: fields of one's own begin with an underscore; `host` is the machine that sends.
_GELF_KEYS = re.sub(r"(?<=\S) (?!timestamp )", " _", NGINX_KEYS)

COLLECTED: tuple[Format, ...] = (
    objects(
        "ecs",
        "Elastic Common Schema, JSON",
        keys(_ECS_KEYS, "@timestamp", "http", "url", "status_code"),
        Sample(
            '{"@timestamp":"2026-11-01T10:15:00.250Z","source":{"ip":"192.0.2.7"},"http":{"request":{"method":"GET",'
            '"referrer":"-"},"response":{"status_code":200,"body":{"bytes":512}},"version":"1.1"},'
            '"url":{"original":"/a?q=1"},"user_agent":{"original":"ExampleBot/1.2"}}',
            {
                "t": 1_793_528_100_250_000,
                "client_ip": "192.0.2.7",
                "method": "GET",
                "target": "/a?q=1",
                "status": 200,
                "bytes": 512,
                "user_agent": "ExampleBot/1.2",
            },
        ),
        Sample('{"@timestamp":"2026-11-01T10:15:00.250Z","message":"started","log":{"level":"info"}}', None),
    ),
    objects(
        "pino",
        "pino-http of Node.js, JSON",
        keys(_PINO_KEYS, "req", "res", "responseTime", answered=True),
        Sample(
            '{"level":30,"time":1793528100250,"pid":7,"hostname":"web","req":{"id":1,"method":"GET","url":"/a?q=1",'
            '"headers":{"host":"shop.example","user-agent":"ExampleBot/1.2"},"remoteAddress":"192.0.2.7",'
            '"remotePort":4711},"res":{"statusCode":429,"headers":{"retry-after":"30","content-length":"5"}},'
            '"responseTime":250,"msg":"request completed"}',
            {
                "t": 1_793_528_100_000_000,
                "target": "/a?q=1",
                "status": 429,
                "bytes": 5,
                "user_agent": "ExampleBot/1.2",
                "retry_after": "30",
            },
        ),
        Sample('{"level":30,"time":1793528100250,"pid":7,"hostname":"web","msg":"listening"}', None),
        ends=True,
    ),
    Format(
        "gelf",
        "Graylog's GELF, by the usual names of its fields",
        keys(_GELF_KEYS, "short_message", "version"),
        time_is_end=True,
        escaped=False,
        samples=(
            Sample(
                '{"version":"1.1","host":"web","short_message":"GET /a","timestamp":1793528100.250,"level":6,'
                '"_remote_addr":"192.0.2.7","_request":"GET /a HTTP/1.1","_status":"200","_body_bytes_sent":"5",'
                '"_http_user_agent":"ExampleBot/1.2","_request_time":"0.250"}',
                {
                    "t": 1_793_528_100_000_000,
                    "client_ip": "192.0.2.7",
                    "target": "/a",
                    "host": None,
                    "user_agent": "ExampleBot/1.2",
                },
            ),
        ),
    ),
)
