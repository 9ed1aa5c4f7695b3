"""Servers that write lines of text of their own, far from the Common Log Format."""

from loganalyzer.formats.declarations.build import AGENT, declared, template
from loganalyzer.formats.model import Format, Sample

SERVERS: tuple[Format, ...] = (
    # Microsoft: IIS log file format (not W3C): local time, a date as in the United States, milliseconds.
    template(
        "iis_native",
        "IIS, its native format",
        "{client_ip}, {user:word}, {time:%m/%d/%Y, %H:%M:%S}, {}, {}, {}, {request_time_s:milliseconds}, {}, "
        "{bytes:number}, {status:number}, {}, {method}, {path}, {query},",
        Sample(
            "192.0.2.7, -, 11/1/2026, 10:15:00, W3SVC1, WEB1, 10.0.0.6, 250, 769, 143, 304, 0, GET, /a, q=1,",
            {
                "t": 1_793_528_100_000_000,
                "client_ip": "192.0.2.7",
                "user": None,
                "request_time_s": 0.25,
                "bytes": 143,
                "status": 304,
                "target": "/a?q=1",
            },
        ),
        Sample("192.0.2.7, -, 13/1/2026, 10:15:00, W3SVC1, WEB1, 10.0.0.6, 250, 7, 143, 304, 0, GET, /a, -,", None),
    ),
    # Citrix ADC: the directives of its httpd.conf, combined_resptime and combined_resptime_with_citrix_hdrs.
    declared(
        r'LogFormat "%{Citrix-ns-orig-srcip}i -> %{Citrix-ns-orig-destip}i %l %u %t [%P] \"%r\" %>s %b '
        r'\"%{Referer}i\" \"%{User-Agent}i\" \"Time: %D microsecs\"" citrix',
        "Citrix ADC (NetScaler), with the addresses of the connection",
        Sample(
            '192.0.2.7 -> 10.0.0.6 - - [01/Nov/2026:10:15:00 +0000] [4711] "GET /a HTTP/1.1" 200 5 "-" "Bot/1" '
            '"Time: 65590 microsecs"',
            {"client_ip": "192.0.2.7", "t": 1_793_528_100_000_000, "request_time_s": 0.06559, "user_agent": "Bot/1"},
        ),
    ),
    declared(
        r'LogFormat "%a %l %u %t [%P] \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\" \"Time: %D microsecs\"" '
        "citrix_combined",
        "Citrix ADC (NetScaler)",
        Sample(
            '192.0.2.7 - al [01/Nov/2026:10:15:00 +0000] [4711] "GET /a HTTP/1.1" 200 5 "-" "Bot/1" '
            '"Time: 65590 microsecs"',
            {"client_ip": "192.0.2.7", "user": "al", "request_time_s": 0.06559, "user_agent": "Bot/1"},
        ),
    ),
    template(
        "citrix_undated",
        "Citrix ADC (NetScaler), as collectors hand it on: without the time",
        '{client_ip} -> {} "{request:request}" {status:number} {bytes:number} "{referer}" "{user_agent}" '
        '"Time: {request_time_s:microseconds} microsecs"',
        Sample(
            '192.0.2.7 -> 10.0.0.6 "GET /a HTTP/1.1" 200 5 "-" "Bot/1" "Time: 65590 microsecs"',
            {"client_ip": "192.0.2.7", "t": None, "request_time_s": 0.06559, "bytes": 5},
        ),
    ),
    # uWSGI: its default request log; ctime is when the request began, in local time.
    template(
        "uwsgi",
        "uWSGI, its default",
        "[pid: {}|app: {}|req: {}] {client_ip:first} ({user:words}) {{} vars in {} bytes} "
        "[{time:%a %b %e %H:%M:%S %Y}] {method} {target:words} => generated {bytes:number} bytes in "
        "{request_time_s:milliseconds} msecs ({protocol} {status:number}) {:rest}",
        Sample(
            "[pid: 12|app: 0|req: 7/9] 192.0.2.7 () {32 vars in 1000 bytes} [Sun Nov  1 10:15:00 2026] GET /a b => "
            "generated 512 bytes in 250 msecs (HTTP/1.1 404) 2 headers in 80 bytes (1 switches on core 0)",
            {
                "t": 1_793_528_100_000_000,
                "client_ip": "192.0.2.7",
                "target": "/a b",
                "bytes": 512,
                "request_time_s": 0.25,
                "protocol": "HTTP/1.1",
                "status": 404,
            },
        ),
    ),
    # Google Cloud Storage: usage logs, CSV with every value quoted; time_micros is the end of the request.
    template(
        "gcs",
        "Google Cloud Storage usage log",
        '"{time:epoch}","{client_ip}","{}","{}","{method}","{target}","{status:number}","{}","{bytes:number}",'
        '"{request_time_s:microseconds}","{host}","{referer}","{user_agent}",{:rest}',
        Sample(
            '"1793528100250000","192.0.2.7","1","","GET","/a-bucket/a.jpg","200","0","512","250000",'
            f'"storage.example","","{AGENT}","ABC","GET_Object","a-bucket","a.jpg"',
            {
                "t": 1_793_528_100_000_000,
                "client_ip": "192.0.2.7",
                "target": "/a-bucket/a.jpg",
                "bytes": 512,
                "request_time_s": 0.25,
                "user_agent": AGENT,
            },
        ),
        Sample('"time_micros","c_ip","c_ip_type","c_ip_region","cs_method","cs_uri","sc_status"', None),
        ends=True,
    ),
    # bunny.net: forwarded over syslog or downloaded; the timestamp is in milliseconds, the URL with its host.
    template(
        "bunny",
        "bunny.net CDN",
        "{}|{status:number}|{time:epoch}|{bytes:number}|{:code}|{client_ip}|{referer}|{target}|{}|{user_agent}|{}|{}",
        Sample(
            f"HIT|200|1793528100250|512|390|192.0.2.7|-|https://shop.example/a?b=1|DE|{AGENT}|0f1e2d|US",
            {
                "t": 1_793_528_100_250_000,
                "client_ip": "192.0.2.7",
                "host": "shop.example",
                "status": 200,
                "bytes": 512,
                "user_agent": AGENT,
            },
        ),
        absolute=True,
    ),
    # uvicorn.access has no time; who runs it behind systemd or Docker has theirs from there.
    template(
        "uvicorn_undated",
        "uvicorn, its default",
        'INFO:     {client_ip}:{} - "{request:request}" {status:number} {:words}',
        Sample(
            'INFO:     192.0.2.7:51234 - "GET /a HTTP/1.1" 404 Not Found',
            {"client_ip": "192.0.2.7", "target": "/a", "status": 404, "t": None},
        ),
        Sample("INFO:     Application startup complete.", None),
    ),
)
