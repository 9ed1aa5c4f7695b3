"""Combined and common with one thing more or less: timed, the host elsewhere, dates written out, no date at all."""

from loganalyzer.formats.declarations.build import AGENT, COMBINED, declared, template
from loganalyzer.formats.model import Format, Sample

_WHO = "{client_ip:address} {:ident} {user:word}"
_COMMON = '[{time:clf}] "{request:request}" {status:number} {bytes:number}'
_COMBINED = f'{_COMMON} "{{referer}}" "{{user_agent}}"'
_LOGGED = '[01/Nov/2026:10:15:00 +0000] "GET /a HTTP/1.1" 200 5'
_TIMED = {"t": 1_793_528_099_750_000, "request_time_s": 0.25, "user_agent": AGENT}

# Before combined: it would take the host for an ident. Only a name with a dot, or an address, is a host here.
HOST_SECOND: tuple[Format, ...] = (
    template(
        "host_second",
        "lighttpd's default, and OVH: combined with the host in the place of the ident",
        f"{{client_ip:address}} {{host:dotted}} {{user:word}} {_COMBINED}",
        Sample(
            f'192.0.2.7 shop.example:8080 al {_LOGGED} "-" "{AGENT}"',
            {"client_ip": "192.0.2.7", "host": "shop.example", "user": "al", "user_agent": AGENT},
        ),
        Sample(
            f'192.0.2.7 203.0.113.9 - {_LOGGED} "-" "{AGENT}"',
            {"client_ip": "192.0.2.7", "host": "203.0.113.9", "user": None},
        ),
    ),
)

# Before vhost_combined: it would take an address for a host. With a port it is one (`192.0.2.80:443`).
_FORWARDED = "{forwarded_for:list} {client_ip:numeric} {:ident} {user}"

FORWARDED_FIRST: tuple[Format, ...] = (
    template(
        "forwarded_first",
        "combined behind proxies, what X-Forwarded-For lists in front of the address",
        f"{_FORWARDED} {_COMBINED}",
        Sample(
            f'192.0.2.7, 10.0.0.6 10.0.0.7 - - {_LOGGED} "-" "Bot/1"',
            {"forwarded_for": "192.0.2.7, 10.0.0.6", "client_ip": "10.0.0.7", "user_agent": "Bot/1"},
        ),
        Sample(
            f'192.0.2.7 10.0.0.7 - al {_LOGGED} "-" "Bot/1"',
            {"forwarded_for": "192.0.2.7", "client_ip": "10.0.0.7", "host": None, "user": "al"},
        ),
        Sample(f'- 10.0.0.7 - - {_LOGGED} "-" "Bot/1"', {"forwarded_for": None, "client_ip": "10.0.0.7", "host": None}),
    ),
    template(
        "forwarded_first_common",
        "common with the same in front",
        f"{_FORWARDED} {_COMMON}",
        Sample(
            f"192.0.2.7 10.0.0.7 - - {_LOGGED}", {"forwarded_for": "192.0.2.7", "client_ip": "10.0.0.7", "bytes": 5}
        ),
    ),
    template(
        "forwarded_first_and_more",
        "combined with the same in front and more behind, which is read over",
        f"{_FORWARDED} {_COMBINED}",
        Sample(
            f'2001:db8::7 10.0.0.7 - - {_LOGGED} "-" "Bot/1" 0.250',
            {"forwarded_for": "2001:db8::7", "client_ip": "10.0.0.7", "host": None},
        ),
        more=True,
    ),
)

# Three decimals are nginx's $request_time, in seconds, and it logs the end; of other numbers nobody knows the unit.
# Those with a host come first: the others would read over it.
TIMED: tuple[Format, ...] = (
    template(
        "vhost_combined_timed",
        "combined of nginx with the host in front and the request time behind",
        f"{{host:host}} {_WHO} {_COMBINED} {{request_time_s:pointed}}",
        Sample(f'shop.example 192.0.2.7 - - {_LOGGED} "-" "{AGENT}" 0.250', _TIMED | {"host": "shop.example"}),
        ends=True,
        more=True,
    ),
    template(
        "vhost_main_timed",
        "main of nginx with the host in front and the request time behind",
        f'{{host:host}} {_WHO} {_COMBINED} "{{forwarded_for}}" {{request_time_s:pointed}}',
        Sample(
            f'shop.example 10.0.0.1 - - {_LOGGED} "-" "{AGENT}" "192.0.2.7, 10.0.0.2" 0.250 x',
            _TIMED | {"host": "shop.example", "forwarded_for": "192.0.2.7, 10.0.0.2"},
        ),
        ends=True,
        more=True,
    ),
    template(
        "vhost_main_timed_quoted",
        "main of nginx with the host in front and the request time behind, quoted",
        f'{{host:host}} {_WHO} {_COMBINED} "{{forwarded_for}}" "{{request_time_s:pointed}}"',
        Sample(
            f'shop.example 10.0.0.1 - - {_LOGGED} "-" "{AGENT}" "-" "0.250" "TLSv1.3/x" "text/html"',
            _TIMED | {"host": "shop.example", "client_ip": "10.0.0.1"},
        ),
        ends=True,
        more=True,
    ),
    template(
        "combined_rt",
        "combined of nginx with rt=$request_time behind it, as its documentation has it",
        f"{_WHO} {_COMBINED} rt={{request_time_s:seconds}}",
        Sample(f'192.0.2.7 - - {_LOGGED} "-" "{AGENT}" rt=0.250 uct="0.000" uht="0.250" urt="0.250"', _TIMED),
        ends=True,
        more=True,
    ),
    template(
        "main_ext",
        "main_ext of NGINX Amplify: main with the host and key=value pairs behind it",
        f'{_WHO} {_COMBINED} "{{forwarded_for}}" "{{host:host}}" sn="{{}}" rt={{request_time_s:seconds}}',
        Sample(
            f'10.0.0.1 - - {_LOGGED} "-" "{AGENT}" "192.0.2.7" "shop.example" sn="shop" rt=0.250 ua="10.0.0.2:80" '
            'us="200" ut="0.250" ul="5" cs=-',
            _TIMED | {"host": "shop.example", "forwarded_for": "192.0.2.7"},
        ),
        ends=True,
        more=True,
    ),
    template(
        "main_rt",
        "main of nginx with rt=$request_time behind it",
        f'{_WHO} {_COMBINED} "{{forwarded_for}}" rt={{request_time_s:seconds}}',
        Sample(
            f'10.0.0.1 - - {_LOGGED} "-" "{AGENT}" "192.0.2.7" rt=0.250 uct="-"',
            _TIMED | {"forwarded_for": "192.0.2.7"},
        ),
        ends=True,
        more=True,
    ),
    template(
        "combined_timed",
        "combined of nginx with the request time behind it",
        f"{_WHO} {_COMBINED} {{request_time_s:pointed}}",
        Sample(f'192.0.2.7 - - {_LOGGED} "-" "{AGENT}" 0.250 0.223 .', _TIMED),
        ends=True,
        more=True,
    ),
    template(
        "main_timed",
        "main of nginx with the request time behind it",
        f'{_WHO} {_COMBINED} "{{forwarded_for}}" {{request_time_s:pointed}}',
        Sample(f'10.0.0.1 - - {_LOGGED} "-" "{AGENT}" "192.0.2.7" 0.250 x', _TIMED | {"forwarded_for": "192.0.2.7"}),
        ends=True,
        more=True,
    ),
    template(
        "main_timed_quoted",
        "main of nginx with the request time behind it, quoted",
        f'{_WHO} {_COMBINED} "{{forwarded_for}}" "{{request_time_s:pointed}}"',
        Sample(f'10.0.0.1 - - {_LOGGED} "-" "{AGENT}" "192.0.2.7" "0.250" "x"', _TIMED | {"client_ip": "10.0.0.1"}),
        ends=True,
        more=True,
    ),
)

_ISO = r"""$remote_addr - $remote_user [$time_iso8601] "$request" $status $body_bytes_sent"""
_ISO_LOGGED = '192.0.2.7 - - [2026-11-01T11:15:00+01:00] "GET /a HTTP/1.1" 200 5'

_HOST_QUOTED = _COMBINED.replace('"{request', '"{host:dotted}" "{request', 1)
_LOGGED_QUOTED = _LOGGED.replace('"GET', '"shop.example:443" "GET')
_QUOTED = {"host": "shop.example", "target": "/a", "user_agent": AGENT}

VARIANTS: tuple[Format, ...] = (
    declared(
        f"""log_format combined_iso '{_ISO} "$http_referer" "$http_user_agent"';""",
        "combined of nginx with $time_iso8601 for its time",
        Sample(f'{_ISO_LOGGED} "-" "{AGENT}"', {"t": 1_793_528_100_000_000, "user_agent": AGENT}),
    ),
    declared(
        f"""log_format main_iso '{_ISO} "$http_referer" "$http_user_agent" "$http_x_forwarded_for"';""",
        "main of nginx with $time_iso8601 for its time",
        Sample(f'{_ISO_LOGGED} "-" "{AGENT}" "192.0.2.9"', {"user_agent": AGENT, "forwarded_for": "192.0.2.9"}),
    ),
    template(
        "common_numbered",
        "common with a number behind the size, as of Tomcat: a duration in a unit that it does not say",
        f"{_WHO} {_COMMON} {{:code}}",
        Sample(f"192.0.2.7 - - {_LOGGED} 15", {"bytes": 5, "request_time_s": None, "host": None}),
    ),
    template(
        "http_server",
        "Python's http.server and the development server of Flask",
        f'{_WHO} [{{time:%d/%b/%Y %H:%M:%S}}] "{{request:request}}" {{status:number}} {{bytes:number}}',
        Sample(
            '192.0.2.7 - - [01/Nov/2026 10:15:00] "GET /a HTTP/1.1" 200 -',
            {"t": 1_793_528_100_000_000, "target": "/a", "status": 200, "bytes": None},
        ),
    ),
    template(
        "combined_numbered",
        "combined with a number behind the size: a duration in a unit that it does not say",
        f'{_WHO} {_COMMON} {{:code}} "{{referer}}" "{{user_agent}}"',
        Sample(
            f'192.0.2.7 - - {_LOGGED} 3551 "-" "{AGENT}"', {"bytes": 5, "user_agent": AGENT, "request_time_s": None}
        ),
    ),
    template(
        "combined_host_inside",
        "combined with the host between the time and the request",
        '{client_ip:address} {:words} [{time:clf}] {host:dotted} "{request:request}" {status:number} {bytes:number} '
        '"{referer}" "{user_agent}"',
        Sample(
            '192.0.2.7 - - - [01/Nov/2026:10:15:00 ] shop.example "GET /a HTTP/1.1" 200 5 "-" "Bot/1" + 293 546',
            {"host": "shop.example", "t": 1_793_528_100_000_000, "bytes": 5, "user_agent": "Bot/1"},
        ),
        more=True,
    ),
    template(
        "combined_host_quoted",
        "combined with the host between the time and the request, quoted",
        f"{_WHO} {_HOST_QUOTED}",
        Sample(f'192.0.2.7 - - {_LOGGED_QUOTED} "-" "{AGENT}"', _QUOTED),
    ),
    template(
        "combined_host_quoted_and_more",
        "the same with more behind it, which is read over",
        f"{_WHO} {_HOST_QUOTED}",
        Sample(f'192.0.2.7 - - {_LOGGED_QUOTED} "-" "{AGENT}" 0.25', _QUOTED),
        more=True,
    ),
    template(
        "combined_timed_quoted",
        "combined of nginx with the request time behind it, quoted",
        f'{_WHO} {_COMBINED} "{{request_time_s:pointed}}"',
        Sample(f'192.0.2.7 - - {_LOGGED} "-" "{AGENT}" "0.250"', _TIMED | {"forwarded_for": None}),
        ends=True,
    ),
    template(
        "combined_host_behind",
        "combined with the host behind it, quoted",
        f'{_WHO} {_COMBINED} "{{host:named}}"',
        Sample(f'192.0.2.7 - - {_LOGGED} "-" "{AGENT}" "shop.example"', _QUOTED | {"forwarded_for": None}),
    ),
    template(
        "main_host_behind",
        "main of nginx with the host behind it, quoted",
        f'{_WHO} {_COMBINED} "{{forwarded_for}}" "{{host:named}}"',
        Sample(f'10.0.0.7 - - {_LOGGED} "-" "{AGENT}" "192.0.2.7" "shop.example"', _QUOTED | {"client_ip": "10.0.0.7"}),
    ),
    template(
        "vhost_quoted",
        "combined with the host in front, quoted",
        f'"{{host:dotted}}" {_WHO} {_COMBINED}',
        Sample(f'"shop.example" 192.0.2.7 - - {_LOGGED} "-" "{AGENT}"', _QUOTED | {"client_ip": "192.0.2.7"}),
    ),
    template(
        "combined_tabs",
        "combined with tabs between its values",
        '{client_ip}\t{}\t{user}\t[{time:clf}]\t"{request:request}"\t{status:number}\t{bytes:number}\t'
        '"{referer}"\t"{user_agent}"',
        Sample(
            f'192.0.2.7\t-\tal\t[01/Nov/2026:10:15:00 +0000]\t"GET /a HTTP/1.1"\t200\t5\t"-"\t"{AGENT}"',
            {"client_ip": "192.0.2.7", "user": "al", "target": "/a", "user_agent": AGENT},
        ),
    ),
    template(
        "common_timed",
        "common with the request time behind it, in seconds with three decimals",
        f"{_WHO} {_COMMON} {{request_time_s:pointed}}",
        Sample(f"192.0.2.7 - - {_LOGGED} 0.250", {"bytes": 5, "request_time_s": 0.25}),
    ),
    template(
        "combined_written",
        "combined with a date that is written out",
        f"{_WHO} {_COMBINED.replace('clf', 'written')}",
        Sample(
            f'192.0.2.7 - - [November 1, 2026T11:15:00 +0100] "GET /a HTTP/1.1" 200 5 "-" "{AGENT}"',
            {"t": 1_793_528_100_000_000, "user_agent": AGENT},
        ),
        Sample('192.0.2.7 - - [November 31, 2026T11:15:00 +0100] "GET /a HTTP/1.1" 200 5 "-" "-"', None),
    ),
    template(
        "common_written",
        "common with a date that is written out",
        f"{_WHO} {_COMMON.replace('clf', 'written')}",
        Sample(
            '192.0.2.7 - - [November - 01, 2026:10:15:00] "GET /a HTTP/1.1" 301 368',
            {"t": 1_793_528_100_000_000, "status": 301},
        ),
    ),
    # Behind syslog the server's own time is left out often; syslog's has no year and no zone, so the time is unknown.
    template(
        "undated",
        "common with a duration and no time",
        f'{_WHO} "{{request:request}}" {{status:number}} {{bytes:number}} {{request_time_s:duration}}',
        Sample(
            '192.0.2.7 - - "GET /a HTTP/1.1" 200 65508 4.386',
            {"t": None, "target": "/a", "bytes": 65508, "request_time_s": 4.386},
        ),
    ),
    declared(
        COMBINED + " combined_and_more",
        "combined with more behind it, which is read over",
        Sample(
            f' 192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/1.1" 200 512 "-" "{AGENT}" 443 "and more" [x]',
            {"client_ip": "192.0.2.7", "status": 200, "user_agent": AGENT},
        ),
        more=True,
    ),
)
