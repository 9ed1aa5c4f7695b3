r"""What each server should log so that nothing stays "not observable": the one place where these directives stand.

The formats that read them back (`declarations`), `loganalyzer formats --recommend` and docs/server-directives.md take
them from here. Each keeps what `combined` has in front where it can, so that whatever reads `combined` reads it still.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What to write into one server's configuration, and how to go back."""

    server: str
    format: str  # name of the format that reads the lines
    directive: str  # what is logged
    where: str  # that it stands
    use: str  # the line that names the log
    use_where: str
    test: str  # command that checks the configuration and changes nothing
    reload: str  # command
    undo: str  # sentence
    notes: tuple[str, ...] = ()


NGINX = """\
log_format loganalyzer '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent '
                       '"$http_referer" "$http_user_agent" $msec $request_time "$host" '
                       '"$sent_http_retry_after" "$http_accept" "$http_if_none_match" '
                       '"$http_if_modified_since" "$http_x_forwarded_for" $limit_req_status';
"""

APACHE = (
    r'LogFormat "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\" %D \"%{Host}i\" \"%{Retry-After}o\" '
    r'\"%{Accept}i\" \"%{If-None-Match}i\" \"%{If-Modified-Since}i\" \"%{X-Forwarded-For}i\"" loganalyzer_apache' + "\n"
)

CADDY = """\
log {
	output file /var/log/caddy/access.log
	format json
}
"""

# HAProxy keeps headers for its log in variables that a rule sets: capture slots are counted, and others may hold some.
# `fhdr` is the whole field; `hdr` is what stands behind its last comma.
_HAPROXY_VARIABLES = {
    "request_uri": "pathq",
    "host": "req.fhdr(Host)",
    "http_referer": "req.fhdr(Referer)",
    "http_user_agent": "req.fhdr(User-Agent)",
    "http_accept": "req.fhdr(Accept)",
    "http_if_none_match": "req.fhdr(If-None-Match)",
    "http_if_modified_since": "req.fhdr(If-Modified-Since)",
    "http_x_forwarded_for": "req.fhdr(X-Forwarded-For)",
    "sent_http_retry_after": "res.fhdr(Retry-After)",
}
# `http-after-response` also sees what HAProxy answers itself, 429 among it; `date` is when the line is written.
_HAPROXY_RULES = "".join(
    f"http-{'after-response' if fetch.startswith('res') else 'request'} set-var(txn.log_{name}) {fetch}\n"
    for name, fetch in _HAPROXY_VARIABLES.items()
)
HAPROXY = (
    _HAPROXY_RULES
    + """log-format '{"time_ms":%[date(0,ms)],"request_time_ms":%Ta,"remote_addr":"%ci","request_method":"%HM","""
    + """"server_protocol":"%HV","status":%ST,"bytes_sent":%B,"""
    + ",".join(f'"{name}":"%[var(txn.log_{name}),json(utf8ps)]"' for name in _HAPROXY_VARIABLES)
    + "}'\n"
)

RECOMMENDED = {
    item.server: item
    for item in (
        Recommendation(
            "nginx",
            "loganalyzer",
            NGINX,
            "in http { } of nginx.conf, or in a file of conf.d",
            "access_log /var/log/nginx/access.log loganalyzer;\n",
            "where the log is named, in place of the access_log line that stands there",
            "nginx -t",
            "nginx -s reload",
            "put the former access_log line back, test and reload; the log_format may stay",
        ),
        Recommendation(
            "apache",
            "loganalyzer_apache",
            APACHE,
            "in apache2.conf or httpd.conf, outside of any <VirtualHost>",
            "CustomLog ${APACHE_LOG_DIR}/access.log loganalyzer_apache\n",
            "where the log is named, in place of the CustomLog line, with a path where the variable is none",
            "apachectl configtest",
            "apachectl graceful",
            "put the former CustomLog line back, test and reload; the LogFormat may stay",
        ),
        Recommendation(
            "caddy",
            "caddy",
            CADDY,
            "in the block of the site in the Caddyfile",
            "",
            "",
            "caddy validate --config /etc/caddy/Caddyfile",
            "caddy reload --config /etc/caddy/Caddyfile",
            "put the former log block back, or take this one away if there was none; validate and reload",
            ("Caddy writes all headers of a request but credentials, so that nothing else is to be named.",),
        ),
        Recommendation(
            "haproxy",
            "loganalyzer_haproxy",
            HAPROXY,
            "in the frontend, in place of its `option httplog` or log-format line",
            "log /dev/log len 8192 local0\n",
            "in global, with the address of your own log line: without a len, HAProxy cuts a line at 1,024 bytes",
            "haproxy -c -f /etc/haproxy/haproxy.cfg",
            "systemctl reload haproxy",
            "put the former line back in the frontend, take the set-var rules away, test and reload",
        ),
    )
}
