"""Which field each variable of nginx, Apache and W3C logs is.

Sources: nginx.org (ngx_http_log_module, ngx_http_core_module, ngx_http_limit_req_module), httpd.apache.org
(mod_log_config, mod_logio), W3C Extended Log File Format, Microsoft (IIS fields), AWS (CloudFront standard logs).
A variable that stands in no table is read over.
"""

import re

from loganalyzer.formats.model import Field

_ADDRESS = Field("client_ip", "address", blanks=True)
_BEHIND_PROXY = Field("forwarded_for", blanks=True)
_USER = Field("user", "word", blanks=True)

NGINX: dict[str, Field] = {
    "remote_addr": _ADDRESS,
    "realip_remote_addr": Field("client_ip", "address", 1),
    "proxy_add_x_forwarded_for": Field("forwarded_for", rank=1, blanks=True),
    "http_x_forwarded_for": _BEHIND_PROXY,
    "remote_user": _USER,
    "msec": Field("time", "epoch"),
    "time_iso8601": Field("time", "iso", 1),
    "time_local": Field("time", "clf", 2),
    "request": Field("request", "request"),
    "request_method": Field("method"),
    "request_uri": Field("target"),
    "uri": Field("target", rank=2),  # decoded and rewritten: only where nothing better is logged
    "document_uri": Field("target", rank=3),
    "server_protocol": Field("protocol"),
    "status": Field("status", "number"),
    "body_bytes_sent": Field("bytes", "number"),
    "bytes_sent": Field("bytes", "number", 1),  # with the headers
    "request_time": Field("request_time_s", "seconds"),
    "host": Field("host", "authority"),
    "http_host": Field("host", "authority", 1),
    "server_name": Field("host", "host", 2),
    "http_referer": Field("referer"),
    "http_user_agent": Field("user_agent"),
    "http_accept": Field("accept"),
    "http_if_none_match": Field("if_none_match"),
    "http_if_modified_since": Field("if_modified_since"),
    "sent_http_retry_after": Field("retry_after"),
    "upstream_http_retry_after": Field("retry_after", rank=1),  # of the server behind
    "proxy_protocol_addr": Field("client_ip", "address", 2),
    "limit_req_status": Field("limit_status"),
}

# Variables of nginx and of what its packages and ingress-nginx set that no column is made of.
NGINX_KNOWN = re.compile(
    r"(?:arg|cookie|http|sent_http|sent_trailer|upstream|proxy|ssl|tcpinfo|geoip2?|jwt|otel|realip|fastcgi|gzip|limit"
    r"|namespace|ingress|service|auth|brotli|session|uid|secure_link|memcached|slice|spdy|http2|http3|quic)_?\w*"
    r"|args|query_string|is_args|binary_remote_addr|connection\w*|connections_\w+|content_length|content_type"
    r"|date_(?:gmt|local)|document_root|realpath_root|request_(?:id|length|filename|body\w*|completion)|hostname"
    r"|https|invalid_referer|nginx_version|pid|pipe|remote_port|scheme|server(?:_addr|_port)?|req_id|msec|geo\w*"
)
# Headers of a request (%{Name}i) and of an answer (%{Name}o), names in lower case.
HEADERS_IN: dict[str, Field] = {
    "citrix-ns-orig-srcip": Field("client_ip", "address", blanks=True),
    "referer": Field("referer"),
    "user-agent": Field("user_agent"),
    "x-forwarded-for": _BEHIND_PROXY,
    "host": Field("host", "authority", 2),
    "accept": Field("accept"),
    "if-none-match": Field("if_none_match"),
    "if-modified-since": Field("if_modified_since"),
}
HEADERS_OUT: dict[str, Field] = {"retry-after": Field("retry_after")}

APACHE: dict[str, Field] = {
    "h": _ADDRESS,
    "a": Field("client_ip", "address", 1, blanks=True),
    "l": Field("", "ident"),
    "u": _USER,
    "t": Field("time", "clf", 2),
    "r": Field("request", "request"),
    "m": Field("method"),
    "U": Field("path", rank=1),  # decoded
    "q": Field("query"),
    "H": Field("protocol"),
    "s": Field("status", "number"),
    "b": Field("bytes", "number"),
    "B": Field("bytes", "number"),
    "O": Field("bytes", "number", 1),  # with the headers
    "D": Field("request_time_s", "microseconds"),
    "T": Field("request_time_s", "seconds", 1),  # whole seconds
    "v": Field("host", "host"),
    "V": Field("host", "host", 1),
}
APACHE_DURATION = {"s": "seconds", "ms": "milliseconds", "us": "microseconds"}  # %{unit}T

W3C: dict[str, Field] = {
    "date": Field("date"),  # where it is not a column, `read` of the clock is the day of the #Date line
    "time": Field("clock"),
    "date-local": Field("date", rank=1),
    "time-local": Field("clock", rank=1),
    "c-ip": Field("client_ip", "address"),
    "cs-username": Field("user"),
    "cs-method": Field("method"),
    "cs-uri": Field("target"),
    "cs-uri-stem": Field("path"),
    "cs-uri-query": Field("query", "query"),
    "cs-version": Field("protocol"),
    "cs-protocol-version": Field("protocol"),
    "sc-status": Field("status", "number"),
    "sc-bytes": Field("bytes", "number"),
    "bytes": Field("bytes", "number", 1),
    "time-taken": Field("request_time_s", "milliseconds"),
    "timetakenms": Field("request_time_s", "milliseconds"),
    "cs-host": Field("host", "authority", 1),
    "cs(host)": Field("host", "authority", 1),
    "x-host-header": Field("host", "authority"),
    "cs(user-agent)": Field("user_agent", "plus"),
    "cs(referer)": Field("referer"),
    "cs(x-forwarded-for)": Field("forwarded_for"),
    "x-forwarded-for": Field("forwarded_for"),
    "cs(accept)": Field("accept"),
    "cs(if-none-match)": Field("if_none_match"),
    "cs(if-modified-since)": Field("if_modified_since"),
    "sc(retry-after)": Field("retry_after"),
}

# CloudFront writes the same names with other contents: percent-encoded text, seconds.
CLOUDFRONT: dict[str, Field] = W3C | {
    "cs(user-agent)": Field("user_agent", "percent"),
    "cs(referer)": Field("referer", "percent"),
    "time-taken": Field("request_time_s", "seconds"),
}
