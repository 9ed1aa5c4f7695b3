"""JSON lines of servers: which key is which field, by writer."""

from loganalyzer.formats.declarations.build import keys, objects
from loganalyzer.formats.model import Format, Sample

# Keys that operators give to nginx variables in `escape=json` formats: the variables' names and the common synonyms.
NGINX_KEYS = """
    time:any msec time_iso8601 time_local @timestamp timestamp time date datetime ts time_unix
    client_ip:address remote_addr client_ip remote_ip clientip clientIp clientIP client ip client_addr clientAddr
    request:request request request_line
    method request_method requestMethod method http_method verb
    target request_uri requestUri
    path uri path url request_path
    query args query_string query querystring qs
    protocol server_protocol protocol request_protocol proto http_version httpVersion
    status:number status response_status status_code statusCode response code
    bytes:number body_bytes_sent bytes_sent bytesSent bytes response_body_size size length response_size responseSize
    request_time_s:seconds request_time requestTime duration=duration response_time=duration generation_time_milli
    host:authority host http_host server_name vhost domain
    referer http_referer http_referrer referer referrer request_referer
    user_agent http_user_agent user_agent userAgent request_user_agent agent useragent ua
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
    request_time_s:duration duration
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

# HAProxy Enterprise: the keys of its JSON recipe; `tt` is Tt.
_HAPEE_KEYS = """
    time:any date
    request_time_s:milliseconds tt
    client_ip:address ip
    method meth
    path path
    query qs
    protocol vers
    status:number code
    bytes:number bytes
    host:host fqdn
    user_agent ua
"""

# Traefik; `time` is when the line was written, in whole seconds. ClientHost is the client, or all of X-Forwarded-For.
_TRAEFIK_KEYS = """
    time:any StartUTC StartLocal time
    client_ip:address ClientHost ClientAddr
    method RequestMethod
    target RequestPath
    protocol RequestProtocol
    status:number DownstreamStatus
    bytes:number DownstreamContentSize
    request_time_s:nanoseconds Duration
    host:host RequestHost RequestAddr
    user ClientUsername
    referer request_Referer
    user_agent request_User-Agent
    accept request_Accept
    if_none_match request_If-None-Match
    if_modified_since request_If-Modified-Since
    forwarded_for request_X-Forwarded-For
    retry_after downstream_Retry-After
"""

# Envoy: the keys of Envoy Gateway, and of Istio's mesh after them.
_ENVOY_KEYS = """
    time:any start_time
    client_ip:address downstream_remote_address
    method method
    target x-envoy-origin-path x-envoy-original-path path
    protocol protocol
    status:number response_code
    bytes:number bytes_sent
    request_time_s:milliseconds duration
    host:authority :authority authority
    referer referer
    user_agent user-agent user_agent
    forwarded_for x-forwarded-for x_forwarded_for
"""

# Apache by the key names of the Logstash recipe for LogFormat.
_APACHE_KEYS = """
    time:any @timestamp
    client_ip:address mod_log.remote_host mod_log.client_ip clientip
    forwarded_for mod_proxy.x-forwarded-for
    request:request mod_log.first_request
    status:number mod_log.last_request_status
    bytes:number mod_log.response_size_bytes
    request_time_s:microseconds mod_log.duration_usec
    host:authority mod_headers.host mod_log.server_name
    user mod_log.remote_user
    referer mod_headers.referer
    user_agent mod_headers.user-agent
"""

OBJECTS: tuple[Format, ...] = (
    Format(
        "caddy",
        "Caddy 2, JSON",
        keys(_CADDY_KEYS, "ts", "request", never="http.log.error"),  # of a request that is logged besides
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
            Sample(
                '{"level":"error","ts":1793528100.25,"logger":"http.log.error","msg":"dial tcp 10.0.0.7:80: refused",'
                '"request":{"remote_ip":"192.0.2.7","proto":"HTTP/2.0","method":"GET","host":"shop.example","uri":"/"},'
                '"duration":0.25,"status":502,"err_id":"x7"}',
                None,
            ),
        ),
    ),
    Format(
        "loganalyzer_haproxy",
        "the directive for HAProxy that makes everything observable",
        keys(_HAPROXY_KEYS, "time_ms", "request_time_ms"),
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
    objects(
        "hapee_json",
        "HAProxy Enterprise, JSON",
        keys(_HAPEE_KEYS, "meth", "vers", "code", "fqdn"),
        Sample(
            r'{"code":200,"qs":"q=1","backend":"shop","meth":"GET","date":1793528100.250,"port":4711,"path":"\/a","tr":31,'
            r'"vers":"HTTP\/1.1","ip":"192.0.2.7","fqdn":"shop.example","bytes":363,"ua":"ExampleBot\/1.2","tt":250}',
            {
                "t": 1_793_528_100_250_000,
                "client_ip": "192.0.2.7",
                "target": "/a?q=1",
                "request_time_s": 0.25,
                "host": "shop.example",
                "user_agent": "ExampleBot/1.2",
            },
        ),
    ),
    objects(
        "traefik_json",
        "Traefik, format json",
        keys(_TRAEFIK_KEYS, "RequestMethod", "DownstreamStatus"),
        Sample(
            '{"ClientAddr":"192.0.2.7:4711","ClientHost":"192.0.2.7","ClientUsername":"-","DownstreamContentSize":5,'
            '"DownstreamStatus":204,"Duration":2500000,"OriginStatus":200,"RequestHost":"shop.example",'
            '"RequestMethod":"GET","RequestPath":"/a","RequestProtocol":"HTTP/2.0",'
            '"StartUTC":"2026-11-01T10:15:00.25Z","request_User-Agent":"ExampleBot/1.2","time":"2026-11-01T10:15:01Z"}',
            {
                "t": 1_793_528_100_250_000,
                "client_ip": "192.0.2.7",
                "status": 204,
                "request_time_s": 0.0025,
                "user": None,
                "user_agent": "ExampleBot/1.2",
            },
        ),
    ),
    objects(
        "envoy_json",
        "Envoy, JSON of Envoy Gateway and Istio",
        keys(_ENVOY_KEYS, "response_code", "start_time"),
        Sample(
            '{":authority":"shop.example:443","bytes_sent":5,"downstream_remote_address":"[2001:db8::7]:4711",'
            '"duration":25,"method":"GET","protocol":"HTTP/1.1","response_code":301,'
            '"start_time":"2026-11-01T10:15:00.250Z","user-agent":null,"x-envoy-origin-path":"/a"}',
            {
                "t": 1_793_528_100_250_000,
                "client_ip": "2001:db8::7",
                "host": "shop.example",
                "target": "/a",
                "request_time_s": 0.025,
                "user_agent": None,
            },
        ),
    ),
    objects(
        "apache_json",
        "Apache, by the LogFormat of the Logstash recipe",
        keys(_APACHE_KEYS, "mod_log", "first_request"),
        Sample(
            r'{"@timestamp":"2026-11-01T10:15:00 +0000","mod_proxy":{"x-forwarded-for":"-"},"mod_headers":{"referer":'
            r'"-","user-agent":"say \x22hi\x22","host":"shop.example"},"mod_log":{"first_request":"GET /a HTTP/1.1",'
            r'"last_request_status":"200","response_size_bytes":-,"duration_usec":728}',
            {
                "t": 1_793_528_100_000_000,
                "target": "/a",
                "user_agent": 'say "hi"',
                "bytes": None,
                "request_time_s": 0.000728,
            },
        ),
    ),
    Format(
        "json",
        "JSON lines of nginx (escape=json), by the usual names of keys",
        keys(NGINX_KEYS),
        time_is_end=True,
        escaped=False,
        samples=(
            Sample(
                '{"time_iso8601":"2026-11-01T10:15:00+01:00","remote_addr":"192.0.2.7","request":"GET /a HTTP/1.1",'
                '"status":200,"body_bytes_sent":5,"request_time":0.5,'
                '"http_user_agent":"say \\"hi\\"","host":"shop.example"}',
                {"t": 1_793_524_499_500_000, "target": "/a", "user_agent": 'say "hi"', "host": "shop.example"},
            ),
            Sample(  # of several instants the finest
                '{"time_iso8601":"2026-11-01T10:15:00+00:00","msec":"1793528100.250","request":"GET / HTTP/2.0"}',
                {"t": 1_793_528_100_250_000},
            ),
            Sample(
                r'{"time_local":"01/Nov/2026:10:15:00 +0000","request":"GET /\x22 HTTP/1.1","status":"404"}',
                {"target": '/"', "status": 404, "client_ip": None},
            ),
            Sample('{"time_iso8601":"2026-11-01T10:15:00+01:00","status":', None),
        ),
    ),
)
