"""Every format read without a directive, with its samples. To add one, add a row here."""

from dataclasses import replace

from loganalyzer.formats.directives import Directive, parse
from loganalyzer.formats.jsonlines import Json, of_template
from loganalyzer.formats.model import Capture, Field, Format, Grammar, Sample
from loganalyzer.formats.recommended import APACHE, NGINX
from loganalyzer.formats.text import Text

_COMBINED = r'LogFormat "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\""'
_AGENT = "Mozilla/5.0 (compatible; ExampleBot/1.2; +https://bot.example/about)"


def of_directive(
    directive: Directive, title: str = "as the directive says", samples: tuple[Sample, ...] = (), given: bool = False
) -> Format:
    """The format that a directive describes; nginx logs when a request has ended, Apache when it began."""
    template = of_template(directive.layout) if directive.server != "w3c" else None
    grammar: Grammar = template or Text(directive.layout, given, quotable=directive.server == "w3c")
    ends = directive.server == "nginx" or any(
        getattr(piece, "name", None) == "x-edge-location" for piece in directive.layout
    )
    time = grammar.columns.get("time")
    ends = ends or (time is not None and time.end)
    escaped = directive.escape == "default" and template is None
    comments = directive.server == "w3c"
    return Format(directive.name, title, grammar, ends, escaped, comments=comments, samples=samples)


def _declared(directive: str, title: str, *samples: Sample, more: bool = False) -> Format:
    parsed = parse(directive)
    rest = (" ", Capture("more", Field("", "rest")))
    return of_directive(replace(parsed, layout=parsed.layout + rest) if more else parsed, title, samples)


def _keys(table: str) -> Json:
    """Fields by key: lines of `column[:converter] key key ...`, the best key first; a dot goes one level down."""
    paths = []
    for line in table.strip().splitlines():
        column, *keys = line.split()
        name, _, read = column.partition(":")
        paths += [(tuple(key.split(".")), Field(name, read or "text", rank)) for rank, key in enumerate(keys)]
    return Json(tuple(paths))


# Keys that operators give to nginx variables in `escape=json` formats: the variables' names and the common synonyms.
_NGINX_KEYS = """
    time:any time_iso8601 msec time_local @timestamp timestamp time date datetime ts time_unix
    client_ip:address remote_addr client_ip remote_ip clientip client ip client_addr clientAddr
    request:request request request_line
    method request_method method http_method verb
    target request_uri uri path url requestUri
    protocol server_protocol protocol http_version httpVersion
    status:number status response_status status_code statusCode response code
    bytes:number body_bytes_sent bytes_sent bytes size length response_size responseSize
    request_time_s:seconds request_time requestTime duration response_time generation_time_milli
    host:authority host http_host server_name vhost domain
    referer http_referer http_referrer referer referrer
    user_agent http_user_agent user_agent userAgent agent useragent
    forwarded_for http_x_forwarded_for x_forwarded_for proxy_add_x_forwarded_for xff
    user remote_user user
    accept http_accept accept
    if_none_match http_if_none_match
    if_modified_since http_if_modified_since
    retry_after sent_http_retry_after retry_after
    limit_status limit_req_status
"""

# Caddy 2, encoder json; remote_addr with the port is from before 2.5.
_CADDY_KEYS = """
    time:any ts
    client_ip:address request.client_ip request.remote_ip request.remote_addr
    method request.method
    target request.uri
    protocol request.proto
    status:number status
    bytes:number size
    request_time_s:seconds duration
    host:authority request.host
    user request.user_id user_id
    referer request.headers.Referer
    user_agent request.headers.User-Agent
    accept request.headers.Accept
    if_none_match request.headers.If-None-Match
    if_modified_since request.headers.If-Modified-Since
    forwarded_for request.headers.X-Forwarded-For
    retry_after resp_headers.Retry-After
"""

# The keys of recommended.HAPROXY.
_HAPROXY_KEYS = """
    time:any time_ms
    request_time_s:milliseconds request_time_ms
    client_ip:address remote_addr
    method request_method
    target request_uri
    protocol server_protocol
    status:number status
    bytes:number bytes_sent
    host:host host
    referer http_referer
    user_agent http_user_agent
    accept http_accept
    if_none_match http_if_none_match
    if_modified_since http_if_modified_since
    forwarded_for http_x_forwarded_for
    retry_after sent_http_retry_after
"""


FORMATS: tuple[Format, ...] = (
    _declared(
        r'LogFormat "%h %l %u %t \"%r\" %>s %b" common',
        "Common Log Format of the NCSA server",
        Sample(
            '192.0.2.7 - alice [01/Nov/2026:10:15:00 +0100] "GET /a%20b HTTP/1.0" 200 2326',
            {
                "client_ip": "192.0.2.7",
                "user": "alice",
                "method": "GET",
                "target": "/a%20b",
                "status": 200,
                "bytes": 2326,
            },
        ),
        Sample(
            'host.example - - [01/Nov/2026:10:15:00 -0330] "GET /old" 304 -',
            {"client_ip": "host.example", "target": "/old", "protocol": None, "bytes": None},
        ),
    ),
    _declared(
        _COMBINED + " combined",
        "combined, of nginx and Apache",
        Sample(
            f'192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET /page HTTP/1.1" 200 512 "-" "{_AGENT}"',
            {"target": "/page", "protocol": "HTTP/1.1", "referer": None, "user_agent": _AGENT, "request_raw": None},
        ),
        Sample(
            r'2001:db8::1 - - [01/Nov/2026:10:15:00 +0000] "\x16\x03\x01" 400 0 "-" "-"',
            {"client_ip": "2001:db8::1", "method": None, "target": None, "status": 400, "request_raw": "\x16\x03\x01"},
        ),
        Sample(
            r'192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET /?q=\"a\" HTTP/1.1" 200 5 "" "say \x22hi\x22"',
            {"target": '/?q="a"', "referer": "", "user_agent": 'say "hi"'},
        ),
        Sample(f'192.0.2.7 - - [29/Feb/2023:10:15:00 +0000] "GET / HTTP/1.1" 200 512 "-" "{_AGENT}"', None),
    ),
    _declared(
        r'LogFormat "%v %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\"" vhost_combined',
        "combined with the host in front, with or without port",
        Sample(
            f'shop.example:443 192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/2.0" 200 512 "-" "{_AGENT}"',
            {"host": "shop.example", "client_ip": "192.0.2.7", "bytes": 512},
        ),
        Sample(
            f'shop.example 192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/2.0" 200 512 "-" "{_AGENT}"',
            {"host": "shop.example", "client_ip": "192.0.2.7"},
        ),
    ),
    _declared(
        r"""log_format main '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent '
            '"$http_referer" "$http_user_agent" "$http_x_forwarded_for"';""",
        "main, of nginx packages",
        Sample(
            f'10.0.0.1 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/1.1" 200 512 "-" "{_AGENT}" "192.0.2.7, 10.0.0.2"',
            {"client_ip": "10.0.0.1", "forwarded_for": "192.0.2.7, 10.0.0.2"},
        ),
    ),
    # The three directives of `recommended`.
    _declared(
        NGINX,
        "the directive for nginx that makes everything observable",
        Sample(
            f'192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/1.1" 429 162 "-" "{_AGENT}" 1793528100.250 0.250 '
            r'"shop.example" "30" "*/*" "\x22an-etag\x22" "-" "-" REJECTED',
            {
                "t": 1_793_528_100_000_000,
                "host": "shop.example",
                "retry_after": "30",
                "if_none_match": '"an-etag"',
                "limit_status": "REJECTED",
            },
        ),
    ),
    _declared(
        APACHE,
        "the directive for Apache that makes everything observable",
        Sample(
            f'192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/1.1" 429 - "-" "{_AGENT}" 250000 '
            r'"shop.example:443" "30" "*/*" "\"an-etag\"" "-" "-"',
            {
                "t": 1_793_528_100_000_000,
                "request_time_s": 0.25,
                "host": "shop.example",
                "retry_after": "30",
                "if_none_match": '"an-etag"',
            },
        ),
    ),
    _declared(
        r"""log_format upstreaminfo '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent '
            '"$http_referer" "$http_user_agent" $request_length $request_time [$proxy_upstream_name] '
            '[$proxy_alternative_upstream_name] $upstream_addr $upstream_response_length $upstream_response_time '
            '$upstream_status $req_id';""",
        "upstreaminfo, of ingress-nginx",
        Sample(
            f'192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/1.1" 502 5 "-" "{_AGENT}" 348 0.250 [shop-80] [] '
            "10.0.0.6:8080, 10.0.0.7:8080 0, 5 0.100, 0.150 502, 502 835136ae24486dbb",
            {"request_time_s": 0.25, "t": 1_793_528_099_750_000, "status": 502, "user_agent": _AGENT},
        ),
    ),
    _declared(
        r'LogFormat "%h - %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\" %k \"%{router}e\" \"%{server}e\" '
        r'%{ms}Tms" traefik',
        "Traefik, format common",
        Sample(
            f'192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/2.0" 200 5 "-" "{_AGENT}" 7 "shop@docker" '
            '"http://10.0.0.6:80" 25ms',
            {"request_time_s": 0.025, "t": 1_793_528_100_000_000, "user_agent": _AGENT},
        ),
    ),
    _declared(
        r"""log_format proxy '[$time_local] $upstream_cache_status $upstream_status $status - $request_method $scheme '
            '$host "$request_uri" [Client $remote_addr] [Length $body_bytes_sent] [Gzip $gzip_ratio] '
            '[Sent-to $server] "$http_user_agent" "$http_referer"';""",
        "proxy hosts of Nginx Proxy Manager",
        Sample(
            '[01/Nov/2026:10:15:00 +0000] HIT 200 200 - GET https shop.example "/a" [Client 192.0.2.7] [Length 5] '
            f'[Gzip 2.45] [Sent-to 10.0.0.6] "{_AGENT}" "-"',
            {"client_ip": "192.0.2.7", "host": "shop.example", "target": "/a", "bytes": 5, "user_agent": _AGENT},
        ),
    ),
    _declared(
        r"""log_format standard '[$time_local] $status - $request_method $scheme $host "$request_uri" '
            '[Client $remote_addr] [Length $body_bytes_sent] [Gzip $gzip_ratio] "$http_user_agent" "$http_referer"';""",
        "dead and redirection hosts of Nginx Proxy Manager",
        Sample(
            '[01/Nov/2026:10:15:00 +0000] 444 - GET https 192.0.2.1 "/.env" [Client 192.0.2.7] [Length 0] [Gzip -] '
            f'"{_AGENT}" "-"',
            {"client_ip": "192.0.2.7", "status": 444, "target": "/.env"},
        ),
    ),
    _declared(
        _COMBINED + " combined_and_more",
        "combined with more behind it, which is read over",
        Sample(
            f' 192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/1.1" 200 512 "-" "{_AGENT}" 443 "and more" [x]',
            {"client_ip": "192.0.2.7", "status": 200, "user_agent": _AGENT},
        ),
        more=True,
    ),
    _declared(
        "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) "
        "sc-status sc-substatus sc-win32-status time-taken",
        "W3C extended: the columns of the file's own #Fields line, else the defaults of IIS 10",
        Sample(
            "2026-11-01 10:15:00 10.0.0.1 GET /page q=1 443 - 192.0.2.7 ExampleBot/1.2+(contact) - 200 0 0 15",
            {
                "target": "/page?q=1",
                "client_ip": "192.0.2.7",
                "user_agent": "ExampleBot/1.2 (contact)",
                "request_time_s": 0.015,
            },
        ),
    ),
    Format(
        "caddy",
        "Caddy 2, JSON",
        _keys(_CADDY_KEYS),
        time_is_end=True,
        escaped=False,
        samples=(
            Sample(
                '{"level":"info","ts":1793528100.25,"logger":"http.log.access","msg":"handled request","request":'
                '{"remote_ip":"192.0.2.7","remote_port":"4711","client_ip":"192.0.2.7","proto":"HTTP/2.0","method":"GET",'
                '"host":"shop.example","uri":"/page","headers":{"User-Agent":["ExampleBot/1.2"]}},"duration":0.25,'
                '"size":512,"status":200,"resp_headers":{}}',
                {"t": 1_793_528_100_000_000, "target": "/page", "user_agent": "ExampleBot/1.2", "bytes": 512},
            ),
            Sample('{"level":"info","ts":1793528100.25,"logger":"tls","msg":"certificate obtained"}', None),
        ),
    ),
    Format(
        "loganalyzer_haproxy",
        "the directive for HAProxy that makes everything observable",
        _keys(_HAPROXY_KEYS),
        time_is_end=True,
        escaped=False,
        samples=(
            Sample(
                r'{"time_ms":1793528100250,"request_time_ms":250,"remote_addr":"192.0.2.7","request_method":"GET",'
                r'"server_protocol":"HTTP/1.1","status":429,"bytes_sent":77,"request_uri":"\/page?q=1",'
                r'"host":"shop.example:443","http_referer":"-","http_user_agent":"ExampleBot\/1.2","http_accept":"*\/*",'
                r'"http_if_none_match":"\"an-etag\"","http_if_modified_since":"-","http_x_forwarded_for":"-",'
                r'"sent_http_retry_after":"30"}',
                {
                    "t": 1_793_528_100_000_000,
                    "target": "/page?q=1",
                    "host": "shop.example",
                    "user_agent": "ExampleBot/1.2",
                    "if_none_match": '"an-etag"',
                    "retry_after": "30",
                    "referer": None,
                },
            ),
        ),
    ),
    Format(
        "json",
        "JSON lines of nginx (escape=json), by the usual names of keys",
        _keys(_NGINX_KEYS),
        time_is_end=True,
        escaped=False,
        samples=(
            Sample(
                '{"time_iso8601":"2026-11-01T10:15:00+01:00","remote_addr":"192.0.2.7","request":"GET /a HTTP/1.1",'
                '"status":200,"body_bytes_sent":5,"request_time":0.5,'
                '"http_user_agent":"say \\"hi\\"","host":"shop.example"}',
                {"t": 1_793_524_499_500_000, "target": "/a", "user_agent": 'say "hi"', "host": "shop.example"},
            ),
            Sample(
                r'{"time_local":"01/Nov/2026:10:15:00 +0000","request":"GET /\x22 HTTP/1.1","status":"404"}',
                {"target": '/"', "status": 404, "client_ip": None},
            ),
            Sample('{"time_iso8601":"2026-11-01T10:15:00+01:00","status":', None),
        ),
    ),
)
