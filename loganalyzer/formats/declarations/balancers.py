"""Load balancers, proxies and stores that write lines of text of their own."""

from loganalyzer.formats.declarations.build import AGENT, template
from loganalyzer.formats.model import Format, Sample

_OWNER = "79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be"

BALANCERS: tuple[Format, ...] = (
    # AWS: elasticloadbalancing, load-balancer-access-logs; -1 is a duration that was not taken.
    template(
        "alb",
        "AWS Application Load Balancer",
        "{} {time:iso} {} {client_ip:bracketed}:{} {} {elapsed_1:seconds} {elapsed_2:seconds} {elapsed_3:seconds} "
        '{status:number} {} {} {bytes:number} "{request:request}" "{user_agent}" ',
        Sample(
            "https 2026-11-01T10:15:00.250000Z app/shop/50dc6c495c0c9188 192.0.2.7:4711 10.0.0.6:80 0.000 0.200 0.050 "
            f'404 404 34 366 "GET https://shop.example:443/a HTTP/2.0" "{AGENT}" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 '
            '- "Root=1" "shop.example" "-" 0 2026-11-01T10:15:00.000000Z "forward" "-" "-"',
            {
                "t": 1_793_528_100_000_000,
                "client_ip": "192.0.2.7",
                "request_time_s": 0.25,
                "target": "https://shop.example:443/a",
                "host": "shop.example",
                "status": 404,
                "bytes": 366,
                "user_agent": AGENT,
            },
        ),
        Sample(
            "http 2026-11-01T10:15:00.250000Z app/shop/50dc6c495c0c9188 [2001:db8::7]:4711 - -1 -1 -1 460 - 0 0 "
            '"GET http://shop.example:80/ HTTP/1.1" "-" - - - "-" "-" "-" 0 2026-11-01T10:15:00.000000Z "-" "-" "-"',
            {"client_ip": "2001:db8::7", "request_time_s": None, "user_agent": None, "status": 460},
        ),
        Sample(
            "tls 2.0 2026-11-01T10:15:00 net/shop/c6e77e28c25b2234 g3d4b5e 192.0.2.7:51341 10.0.0.6:443 5 2 98 "
            "246 - - - ECDHE-RSA-AES128-SHA tlsv12 - shop.example - - -",
            None,
        ),
        ends=True,
        absolute=True,
        more=True,
    ),
    template(
        "elb",
        "AWS Classic Load Balancer",
        "{time:iso} {} {client_ip:bracketed}:{} {} {elapsed_1:seconds} {elapsed_2:seconds} {elapsed_3:seconds} "
        '{status:code} {} {} {bytes:number} "{request:request}" "{user_agent}" {} {}',
        Sample(
            "2026-11-01T10:15:00.250000Z shop 192.0.2.7:4711 10.0.0.6:80 0.000 0.200 0.050 200 200 0 57 "
            f'"GET https://shop.example:443/a HTTP/1.1" "{AGENT}" DHE-RSA-AES128-SHA TLSv1.2',
            {"t": 1_793_528_100_000_000, "client_ip": "192.0.2.7", "host": "shop.example", "user_agent": AGENT},
        ),
        Sample(
            '2026-11-01T10:15:00.250000Z shop 192.0.2.7:4711 10.0.0.6:80 0.001 0.000 0.000 - - 82 305 "- - - " "-" - -',
            None,
        ),
        ends=True,
        absolute=True,
    ),
    template(
        "elb_short",
        "AWS Classic Load Balancer, until 2015",
        "{time:iso} {} {client_ip:bracketed}:{} {} {elapsed_1:seconds} {elapsed_2:seconds} {elapsed_3:seconds} "
        '{status:code} {} {} {bytes:number} "{request:request}"',
        Sample(
            "2026-11-01T10:15:00.250000Z shop 192.0.2.7:4711 10.0.0.6:80 0.000 0.200 0.050 200 200 0 29 "
            '"GET http://shop.example:80/ HTTP/1.1"',
            {"t": 1_793_528_100_000_000, "request_time_s": 0.25, "host": "shop.example", "user_agent": None},
        ),
        ends=True,
        absolute=True,
    ),
    # AWS: S3 server access log format; total time is in milliseconds, and newer fields stand behind the version.
    template(
        "s3",
        "AWS S3 server access log",
        '{} {} [{time:clf}] {client_ip:address} {} {} {} {} "{request:request}" {status:number} {} {bytes:number} {} '
        '{request_time_s:milliseconds} {} "{referer}" "{user_agent}"',
        Sample(
            f"{_OWNER} a-bucket [01/Nov/2026:10:15:00 +0000] 192.0.2.7 - 3E57427F3EXAMPLE REST.GET.OBJECT a.jpg "
            f'"GET /a-bucket/a.jpg HTTP/1.1" 200 - 89892 89892 58 55 "-" "{AGENT}" -',
            {
                "client_ip": "192.0.2.7",
                "user": None,
                "target": "/a-bucket/a.jpg",
                "bytes": 89892,
                "request_time_s": 0.058,
                "user_agent": AGENT,
            },
        ),
        more=True,
    ),
    # HAProxy: HTTP log format of `option httplog`; Tt (or Ta) in milliseconds, with + while the answer still runs.
    template(
        "haproxy",
        "HAProxy, option httplog",
        "{client_ip}:{} [{time:clf}] {} {}/{} {}/{}/{}/{}/{request_time_s:milliseconds} {status:number} "
        '{bytes:number} {} {} {} {}/{}/{}/{}/{} {}/{} {:captures}"{request:request}"',
        Sample(
            "192.0.2.7:4711 [01/Nov/2026:10:15:00.250] web~ shop/s1 0/0/1/37/38 200 306 - - ---- 2/1/0/0/0 0/0 "
            '"GET /a HTTP/1.1"',
            {"t": 1_793_528_100_250_000, "client_ip": "192.0.2.7", "request_time_s": 0.038, "bytes": 306},
        ),
        Sample(
            "2001:db8::7:4711 [01/Nov/2026:10:15:00.250] web~ shop/<NOSRV> -1/-1/-1/-1/+5 401 306 - - PR-- 2/1/0/0/0 "
            '0/0 {shop.example|Bot/1.0 (x)} {} "GET /a b HTTP/1.1" TLSv1.3',
            {"client_ip": "2001:db8::7", "request_time_s": 0.005, "target": "/a b", "status": 401},
        ),
        Sample(
            "192.0.2.7:4711 [01/Nov/2026:10:15:00.250] web~ shop/s1 0/0/1/37/38 200 306 - - ---- 2/1/0/0/0 0/0 "
            '"GET /cut-by-sys',
            {"target": "/cut-by-sys", "protocol": None},
        ),
        Sample(
            "192.0.2.7:4711 [01/Nov/2026:10:15:00.250] tcp-in db/s1 1/0/5007 212 -- 0/0/0/0/3 0/0",
            None,
        ),
        more=True,
    ),
    # Squid: log module, format squid; written when the answer has ended.
    template(
        "squid",
        "Squid, native",
        "{time:epoch} {request_time_s:milliseconds} {client_ip:address} {}/{status:number} {bytes:number} {method} "
        "{target} {user:text} {}",
        Sample(
            "1793528100.250     250 192.0.2.7 TCP_MISS/200 507 GET http://shop.example/a - HIER_DIRECT/- text/html",
            {
                "t": 1_793_528_100_000_000,
                "client_ip": "192.0.2.7",
                "target": "http://shop.example/a",
                "host": "shop.example",
                "user": None,
                "status": 200,
            },
        ),
        Sample(  # a blank in a user's name is written %20
            "1793528100.250    250 192.0.2.7 TCP_TUNNEL/200 507 CONNECT shop.example:443 al HIER_DIRECT/198.51.100.1 -",
            {"user": "al", "method": "CONNECT"},
        ),
        ends=True,
        absolute=True,
        more=True,
    ),
    # Envoy: the default format string; START_TIME is the start. The client is the first of X-Forwarded-For.
    template(
        "envoy",
        "Envoy, default text",
        '[{time:iso}] "{request:http}" {status:number} {} {} {bytes:number} {request_time_s:milliseconds} {} '
        '"{client_ip:first}" "{user_agent}" "{}" "{host:authority}" "{}"',
        Sample(
            '[2026-11-01T10:15:00.250Z] "GET /a HTTP/1.1" 200 - 0 512 30 15 "192.0.2.7, 10.0.0.6" '
            f'"{AGENT}" "an-id" "shop.example" "10.0.0.7:8080"',
            {
                "t": 1_793_528_100_250_000,
                "client_ip": "192.0.2.7",
                "request_time_s": 0.03,
                "host": "shop.example",
                "user_agent": AGENT,
            },
        ),
        more=True,
    ),
    template(
        "istio",
        "Istio's Envoy, default text: two words more behind the flags",
        '[{time:iso}] "{request:http}" {status:number} {} {} {} "{}" {} {bytes:number} '
        '{request_time_s:milliseconds} {} "{client_ip:first}" "{user_agent}" "{}" "{host:authority}" "{}"',
        Sample(
            '[2026-11-01T10:15:00.250Z] "GET /a HTTP/1.1" 200 - via_upstream - "-" 0 512 30 15 "192.0.2.7" '
            f'"{AGENT}" "an-id" "shop.example" "10.0.0.7:8080" inbound|8080|| 127.0.0.6:4 10.0.0.7:8080 x - default',
            {"client_ip": "192.0.2.7", "bytes": 512, "request_time_s": 0.03, "host": "shop.example"},
        ),
        Sample(
            '[2026-11-01T10:15:00.250Z] "- - -" 0 - - - "-" 100 200 250 - "-" "-" "-" "-" "10.0.0.7:3306" '
            "outbound|3306|| 10.0.0.1:4 10.0.0.7:3306 10.0.0.1:2 - -",
            None,
        ),
        more=True,
    ),
    template(
        "heroku",
        "Heroku router",
        '{time:iso} heroku[router]: at={:words} method={method} path="{target}" host={host:authority} request_id={} '
        "{client_ip:fwd}dyno={} connect={elapsed_1:milliseconds} service={elapsed_2:milliseconds} "
        "status={status:number} bytes={bytes:number}",
        Sample(
            '2026-11-01T10:15:00.250000+00:00 heroku[router]: at=info method=GET path="/a" host=shop.example '
            'request_id=a013d631 fwd="192.0.2.7" dyno=web.1 connect=2ms service=18ms status=200 bytes=197 tls=true',
            {
                "t": 1_793_528_100_250_000,
                "client_ip": "192.0.2.7",
                "target": "/a",
                "request_time_s": 0.02,
                "bytes": 197,
            },
        ),
        Sample(
            '2026-11-01T10:15:00.250000+00:00 heroku[router]: at=error code=H12 desc="Request timeout" method=GET '
            'path="/a" host=shop.example request_id=a013d631 fwd="192.0.2.7" dyno=web.1 connect=2ms service=30001ms '
            "status=503 bytes=0",
            {"status": 503, "request_time_s": 30.003},
        ),
        Sample(
            '2015-01-24T01:07:25.729917+00:00 heroku[router]: at=info method=GET path="/" host=shop.example '
            "request_id=a013d631 dyno=web.1 connect=2 service=18 status=401 bytes=197",
            {"client_ip": None, "request_time_s": 0.02, "host": "shop.example", "status": 401},
        ),
        Sample("2026-11-01T10:15:00.250000+00:00 heroku[web.1]: Error R14 (Memory quota exceeded)", None),
        more=True,
    ),
)
