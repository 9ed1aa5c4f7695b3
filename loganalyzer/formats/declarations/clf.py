"""The family of the Common Log Format: web servers and proxies that write one line of text a request."""

from loganalyzer.formats.declarations.build import AGENT, COMBINED, declared
from loganalyzer.formats.model import Format, Sample
from loganalyzer.formats.recommended import APACHE, NGINX

CLF: tuple[Format, ...] = (
    declared(
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
    declared(
        COMBINED + " combined",
        "combined, of nginx and Apache",
        Sample(
            f'192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET /page HTTP/1.1" 200 512 "-" "{AGENT}"',
            {"target": "/page", "protocol": "HTTP/1.1", "referer": None, "user_agent": AGENT, "request_raw": None},
        ),
        Sample(
            r'2001:db8::1 - - [01/Nov/2026:10:15:00 +0000] "\x16\x03\x01" 400 0 "-" "-"',
            {"client_ip": "2001:db8::1", "method": None, "target": None, "status": 400, "request_raw": "\x16\x03\x01"},
        ),
        Sample(
            r'192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET /?q=\"a\" HTTP/1.1" 200 5 "" "say \x22hi\x22"',
            {"target": '/?q="a"', "referer": "", "user_agent": 'say "hi"'},
        ),
        Sample(f'192.0.2.7 - - [29/Feb/2023:10:15:00 +0000] "GET / HTTP/1.1" 200 512 "-" "{AGENT}"', None),
    ),
    declared(
        r'LogFormat "%v %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\"" vhost_combined',
        "combined with the host in front, with or without port",
        Sample(
            f'shop.example:443 192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/2.0" 200 512 "-" "{AGENT}"',
            {"host": "shop.example", "client_ip": "192.0.2.7", "bytes": 512},
        ),
        Sample(
            f'shop.example 192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/2.0" 200 512 "-" "{AGENT}"',
            {"host": "shop.example", "client_ip": "192.0.2.7"},
        ),
    ),
    declared(
        r"""log_format main '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent '
            '"$http_referer" "$http_user_agent" "$http_x_forwarded_for"';""",
        "main, of nginx packages",
        Sample(
            f'10.0.0.1 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/1.1" 200 512 "-" "{AGENT}" "192.0.2.7, 10.0.0.2"',
            {"client_ip": "10.0.0.1", "forwarded_for": "192.0.2.7, 10.0.0.2"},
        ),
    ),
    # The directives of `recommended`.
    declared(
        NGINX,
        "the directive for nginx that makes everything observable",
        Sample(
            f'192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/1.1" 429 162 "-" "{AGENT}" 1793528100.250 0.250 '
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
    declared(
        APACHE,
        "the directive for Apache that makes everything observable",
        Sample(
            f'192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/1.1" 429 - "-" "{AGENT}" 250000 '
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
    declared(
        r"""log_format upstreaminfo '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent '
            '"$http_referer" "$http_user_agent" $request_length $request_time [$proxy_upstream_name] '
            '[$proxy_alternative_upstream_name] $upstream_addr $upstream_response_length $upstream_response_time '
            '$upstream_status $req_id';""",
        "upstreaminfo, of ingress-nginx",
        Sample(
            f'192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/1.1" 502 5 "-" "{AGENT}" 348 0.250 [shop-80] [] '
            "10.0.0.6:8080, 10.0.0.7:8080 0, 5 0.100, 0.150 502, 502 835136ae24486dbb",
            {"request_time_s": 0.25, "t": 1_793_528_099_750_000, "status": 502, "user_agent": AGENT},
        ),
    ),
    declared(
        r'LogFormat "%h - %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\" %k \"%{router}e\" \"%{server}e\" '
        r'%{ms}Tms" traefik',
        "Traefik, format common",
        Sample(
            f'192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/2.0" 200 5 "-" "{AGENT}" 7 "shop@docker" '
            '"http://10.0.0.6:80" 25ms',
            {"request_time_s": 0.025, "t": 1_793_528_100_000_000, "user_agent": AGENT},
        ),
    ),
    declared(
        r"""log_format proxy '[$time_local] $upstream_cache_status $upstream_status $status - $request_method $scheme '
            '$host "$request_uri" [Client $remote_addr] [Length $body_bytes_sent] [Gzip $gzip_ratio] '
            '[Sent-to $server] "$http_user_agent" "$http_referer"';""",
        "proxy hosts of Nginx Proxy Manager",
        Sample(
            '[01/Nov/2026:10:15:00 +0000] HIT 200 200 - GET https shop.example "/a" [Client 192.0.2.7] [Length 5] '
            f'[Gzip 2.45] [Sent-to 10.0.0.6] "{AGENT}" "-"',
            {"client_ip": "192.0.2.7", "host": "shop.example", "target": "/a", "bytes": 5, "user_agent": AGENT},
        ),
    ),
    declared(
        r"""log_format standard '[$time_local] $status - $request_method $scheme $host "$request_uri" '
            '[Client $remote_addr] [Length $body_bytes_sent] [Gzip $gzip_ratio] "$http_user_agent" "$http_referer"';""",
        "dead and redirection hosts of Nginx Proxy Manager",
        Sample(
            '[01/Nov/2026:10:15:00 +0000] 444 - GET https 192.0.2.1 "/.env" [Client 192.0.2.7] [Length 0] [Gzip -] '
            f'"{AGENT}" "-"',
            {"client_ip": "192.0.2.7", "status": 444, "target": "/.env"},
        ),
    ),
)
