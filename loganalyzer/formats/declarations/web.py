"""Shapes near the Common Log Format that other servers, panels and hosters write."""

from loganalyzer.formats.declarations.build import AGENT, declared, template
from loganalyzer.formats.model import Format, Sample

WEB: tuple[Format, ...] = (
    declared(
        r'LogFormat "%v %h %l %u %t \"%r\" %>s %b" vhost_common',
        "common with the host in front, with or without port",
        Sample(
            'shop.example 192.0.2.7 - alice [01/Nov/2026:10:15:00 +0000] "GET / HTTP/1.1" 301 368',
            {"host": "shop.example", "client_ip": "192.0.2.7", "user": "alice", "bytes": 368},
        ),
    ),
    declared(
        r'LogFormat "%v %h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\"" vhost_combined_and_more',
        "combined with the host in front and more behind, which is read over",
        Sample(
            f'shop.example:443 192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/1.1" 200 5 "-" "{AGENT}" 47 (x)',
            {"host": "shop.example", "client_ip": "192.0.2.7", "user_agent": AGENT, "request_time_s": None},
        ),
        more=True,
    ),
    declared(
        r'LogFormat "%v %h %l %u %t \"%r\" %>s %b" vhost_common_and_more',
        "common with the host in front and more behind, which is read over",
        Sample(
            'shop.example:81 192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/2" 201 4205 4011 38 144 http x',
            {"host": "shop.example", "client_ip": "192.0.2.7", "bytes": 4205, "request_time_s": None},
        ),
        more=True,
    ),
    # Its directive logs no status, so that nobody is to give it: it is read only where it is all there is.
    template(
        "ssl_request",
        "ssl_request_log of Apache",
        '[{time:clf}] {client_ip:address} {} {} "{request:request}" {bytes:number}',
        Sample(
            '[01/Nov/2026:10:15:00 +0100] 192.0.2.7 TLSv1.3 TLS_AES_256_GCM_SHA384 "GET /a HTTP/1.1" 1375',
            {"client_ip": "192.0.2.7", "target": "/a", "status": None, "bytes": 1375},
        ),
    ),
    template(
        "forwarded_combined",
        "combined behind a proxy, X-Forwarded-For in front",
        '"{forwarded_for}" {client_ip} {:ident} {user} [{time:clf}] "{request:request}" {status:number} {bytes:number} '
        '"{referer}" "{user_agent}"',
        Sample(
            '"192.0.2.7, 10.0.0.6" 10.0.0.7 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/1.1" 200 5 "-" "Bot/1"',
            {"forwarded_for": "192.0.2.7, 10.0.0.6", "client_ip": "10.0.0.7", "user_agent": "Bot/1"},
        ),
    ),
    template(
        "lighttpd",
        "lighttpd with X-Forwarded-For in front and the sizes behind",
        '{forwarded_for} {client_ip} {user} [{time:clf}] "{request:request}" {status:number} {bytes:number} '
        '{:code} {:code} {:code} "{referer}" "{user_agent}"',
        Sample(
            '198.51.100.7 192.0.2.7 - [01/Nov/2026:10:15:00 -0700] "GET / HTTP/1.0" 200 304972 375 305247 1 "-" "B/1"',
            {"forwarded_for": "198.51.100.7", "client_ip": "192.0.2.7", "bytes": 304972, "user_agent": "B/1"},
        ),
        Sample(
            '192.0.2.7 - - [01/Nov/2026:10:15:00 -0700] "GET / HTTP/1.0" 200 5 "-" "B/1" 0.010 "30" "shop.example"',
            None,
        ),
    ),
    template(
        "npmplus",
        "NPMplus",
        '[{time:clf}] {host:authority} {client_ip} {request_time_s:seconds} "{request:request}" {status:number} '
        "{bytes:number} {:number} {referer} {user_agent:rest}",
        Sample(
            f'[01/Nov/2026:10:15:00 +0000] shop.example 192.0.2.7 0.250 "GET /a HTTP/2.0" 200 61 333 - {AGENT}',
            {"t": 1_793_528_099_750_000, "host": "shop.example", "client_ip": "192.0.2.7", "user_agent": AGENT},
        ),
        ends=True,
    ),
    # Tomcat: %T is seconds with a point, %D a whole number in a unit that changed with version 10.
    template(
        "tomcat",
        "Tomcat AccessLogValve with address, state, duration and X-Forwarded-For",
        '{client_ip} {:ident} {user} [{time:clf}] "{request:request}" {status:number} {bytes:number} {} {} '
        '{request_time_s:duration} "{referer}" "{user_agent}" X-Forwarded-For="{forwarded_for}"',
        Sample(
            '192.0.2.7 - al [01/Nov/2026:10:15:00 +0530] "GET /a HTTP/1.1" 302 - 10.0.0.6 + 400 "-" "Bot/1" '
            'X-Forwarded-For="198.51.100.7, 10.0.0.1"',
            {"request_time_s": None, "user": "al", "forwarded_for": "198.51.100.7, 10.0.0.1", "bytes": None},
        ),
        Sample(
            '192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET /a HTTP/1.1" 200 5 10.0.0.6 + 0.400 "-" "Bot/1" '
            'X-Forwarded-For="-"',
            {"request_time_s": 0.4, "forwarded_for": None},
        ),
    ),
    template(
        "atlassian",
        "Atlassian Jira and Confluence",
        "[{time:clf}] {user} {} {client_ip} {method} {target} {protocol} {status:number} "
        "{request_time_s:milliseconds}ms {bytes:number} {referer} {user_agent:rest}",
        Sample(
            f"[01/Nov/2026:10:15:00 -0500] jdoe http-nio-8080-exec-3 192.0.2.7 GET /a HTTP/1.1 200 46ms 5 - {AGENT}",
            {
                "client_ip": "192.0.2.7",
                "user": "jdoe",
                "target": "/a",
                "protocol": "HTTP/1.1",
                "request_time_s": 0.046,
                "user_agent": AGENT,
            },
        ),
    ),
    template(
        "gandi",
        "Gandi web hosting",
        '{host:host} {client_ip} {:ident} {user} [{time:clf}] ({} s) "{request:request}" {status:number} '
        '{bytes:number} "{referer}" "{user_agent}"',
        Sample(
            'shop.example 192.0.2.7 - al [01/Nov/2026:10:15:00 -0500] (0 s) "GET /a HTTP/1.1" 301 368 "-" "Bot/1"',
            {"host": "shop.example", "client_ip": "192.0.2.7", "user": "al", "request_time_s": None},
        ),
    ),
)
