"""JSON lines of content delivery networks and of the load balancers of clouds."""

from loganalyzer.formats.declarations.build import keys, objects
from loganalyzer.formats.model import Format, Sample

# Cloudflare Logpush, data set http_requests; a job chooses how instants are written.
_CLOUDFLARE_KEYS = """
    time:any EdgeStartTimestamp
    request_time_s:until EdgeEndTimestamp
    client_ip ClientIP
    method ClientRequestMethod
    target ClientRequestURI
    protocol ClientRequestProtocol
    status:number EdgeResponseStatus
    bytes:number EdgeResponseBytes
    host:authority ClientRequestHost
    referer ClientRequestReferer
    user_agent ClientRequestUserAgent
"""

# Google Cloud load balancers: HttpRequest of Cloud Logging.
_GOOGLE_KEYS = """
    time:any timestamp
    client_ip:address httpRequest.remoteIp
    method httpRequest.requestMethod
    target httpRequest.requestUrl
    protocol httpRequest.protocol
    status:number httpRequest.status
    bytes:number httpRequest.responseSize
    request_time_s:seconds httpRequest.latency
    referer httpRequest.referer
    user_agent httpRequest.userAgent
"""

_APPLICATION_GATEWAY_KEYS = """
    time:any timeStamp time
    client_ip:address properties.clientIP
    method properties.httpMethod
    target properties.originalRequestUriWithArgs
    path properties.requestUri
    query properties.requestQuery
    protocol properties.httpVersion
    status:number properties.httpStatus
    bytes:number properties.sentBytes
    request_time_s:gateway properties.timeTaken
    host:authority properties.originalHost properties.host
    user_agent properties.userAgent
"""

# Front Door writes when the answer was delivered; clientIp may come from X-Forwarded-For, socketIp is the peer.
_FRONT_DOOR_KEYS = """
    time:any time
    client_ip:address properties.clientIp properties.socketIp
    method properties.httpMethod
    target properties.requestUri
    protocol properties.httpVersion
    status:number properties.httpStatusCode
    bytes:number properties.responseBytes
    request_time_s:seconds properties.timeTaken
    host:authority properties.hostName
    referer properties.referer
    user_agent properties.userAgent
"""

_AKAMAI_KEYS = """
    time:any httpMessage.start
    client_ip:address attackData.clientIP
    method httpMessage.method
    path httpMessage.path
    query httpMessage.query
    protocol httpMessage.protocol
    status:number httpMessage.status
    bytes:number httpMessage.bytes
    host:authority httpMessage.host
    referer httpMessage.requestHeaders.Referer httpMessage.requestHeaders.referer httpMessage.requestHeaders.referrer
    user_agent httpMessage.requestHeaders.User-Agent httpMessage.requestHeaders.user-agent
    accept httpMessage.requestHeaders.Accept httpMessage.requestHeaders.accept
    retry_after httpMessage.responseHeaders.Retry-After httpMessage.responseHeaders.retry-after
"""

# CloudFront's names of W3C fields as keys, as forwarders write them; values as in the W3C log. One that sums up like
# requests writes start_time and end_time in the place of time.
_CLOUDFRONT_KEYS = """
    date date
    clock time start_time
    client_ip:address c-ip
    method cs-method
    path cs-uri-stem
    query cs-uri-query
    protocol cs-protocol-version
    status:number sc-status
    bytes:number sc-bytes
    request_time_s:seconds time-taken
    host:authority x-host-header cs(Host)
    referer:percent cs(Referer)
    user_agent:percent cs(User-Agent)
    forwarded_for x-forwarded-for
"""

_UBIKA_KEYS = """
    time:any timestamp
    client_ip:address ip_source
    method http_method
    target path
    protocol protocol
    status:number http_status_code
    bytes:number response_size
    request_time_s:milliseconds total_response_time
    host:host hostname
    user_agent user_agent
    forwarded_for x_forwarded_for
"""


CLOUDS: tuple[Format, ...] = (
    objects(
        "cloudflare",
        "Cloudflare Logpush, http_requests",
        keys(_CLOUDFLARE_KEYS, "ClientRequestURI", "EdgeResponseStatus"),
        Sample(
            '{"ClientIP":"192.0.2.7","ClientRequestHost":"shop.example","ClientRequestMethod":"GET",'
            '"ClientRequestURI":"/a?b","ClientRequestProtocol":"HTTP/2","EdgeStartTimestamp":1793528100250000000,'
            '"EdgeEndTimestamp":1793528100290000000,"EdgeResponseBytes":5,"EdgeResponseStatus":200}',
            {"t": 1_793_528_100_250_000, "request_time_s": 0.04, "target": "/a?b", "host": "shop.example"},
        ),
        Sample(
            '{"ClientIP":"192.0.2.7","ClientRequestMethod":"GET","ClientRequestURI":"/","EdgeResponseStatus":200,'
            '"EdgeStartTimestamp":"2026-11-01T10:15:00Z","EdgeEndTimestamp":"2026-11-01T10:15:02Z"}',
            {"t": 1_793_528_100_000_000, "request_time_s": None, "bytes": None},
        ),
    ),
    objects(
        "gcp",
        "Google Cloud load balancers, HttpRequest of Cloud Logging",
        keys(_GOOGLE_KEYS, "httpRequest", "requestUrl"),
        Sample(
            '{"httpRequest":{"latency":"0.006023s","remoteIp":"192.0.2.7:4711","requestMethod":"GET","requestUrl":'
            '"https://shop.example/a","responseSize":"307","status":200},"timestamp":"2026-11-01T10:15:00.25Z"}',
            {
                "t": 1_793_528_100_250_000,
                "client_ip": "192.0.2.7",
                "host": "shop.example",
                "target": "https://shop.example/a",
                "bytes": 307,
                "request_time_s": 0.006023,
            },
        ),
        absolute=True,
    ),
    objects(
        "application_gateway",
        "Azure Application Gateway, versions 1 and 2",
        keys(_APPLICATION_GATEWAY_KEYS, "ApplicationGatewayAccessLog"),
        Sample(
            '{"time":"2026-11-01T10:15:00Z","category":"ApplicationGatewayAccessLog","properties":{"clientIP":'
            '"192.0.2.7","httpMethod":"HEAD","requestUri":"/a","requestQuery":"b=1","httpStatus":"200",'
            '"httpVersion":"HTTP/1.0","sentBytes":"202","timeTaken":"359"}}',
            {"target": "/a?b=1", "request_time_s": 0.359, "bytes": 202},
        ),
        Sample(
            r'{"timeStamp":"2026-11-01T10:15:00+00:00","category":"ApplicationGatewayAccessLog","properties":{'
            r'"clientIP":"192.0.2.7","httpMethod":"GET","originalRequestUriWithArgs":"\/a?b","requestUri":"\/c",'
            r'"requestQuery":"d","httpStatus":404,"sentBytes":466,"timeTaken":0.034,"originalHost":"shop.example"}}',
            {"target": "/a?b", "request_time_s": 0.034, "host": "shop.example", "status": 404},
        ),
    ),
    objects(
        "front_door",
        "Azure Front Door",
        keys(_FRONT_DOOR_KEYS, "FrontDoorAccessLog"),
        Sample(
            '{"time":"2026-11-01T10:15:00.2500000Z","category":"FrontDoorAccessLog","properties":{"httpMethod":"GET",'
            '"httpVersion":"1.1.0.0","requestUri":"https://shop.example:443/a","responseBytes":"221","clientIp":'
            '"192.0.2.7","socketIp":"192.0.2.8","timeTaken":"0.250","httpStatusCode":"307","hostName":"shop.example"}}',
            {"t": 1_793_528_100_000_000, "client_ip": "192.0.2.7", "host": "shop.example", "status": 307},
        ),
        ends=True,
        absolute=True,
    ),
    objects(
        "akamai",
        "Akamai SIEM events",
        keys(_AKAMAI_KEYS, "httpMessage", "attackData"),
        Sample(
            '{"attackData":{"clientIP":"192.0.2.7"},"httpMessage":{"start":"1793528100","protocol":"HTTP/1.1",'
            '"method":"GET","host":"shop.example","path":"/a","query":"b","requestHeaders":{"user-agent":"Bot/1"},'
            '"status":"403","bytes":"497"}}',
            {"t": 1_793_528_100_000_000, "target": "/a?b", "user_agent": "Bot/1", "status": 403},
        ),
    ),
    objects(
        "cloudfront_json",
        "CloudFront, the fields of its W3C log as keys",
        keys(_CLOUDFRONT_KEYS, "x-edge-location", "cs-uri-stem"),
        Sample(
            '{"date":"2026-11-01","time":"10:15:00","x-edge-location":"FRA1","sc-bytes":"484","c-ip":"2001:db8::7",'
            '"cs-method":"GET","cs(Host)":"d1.cloudfront.example","cs-uri-stem":"/a","sc-status":"302","cs-uri-query":'
            '"-","cs(User-Agent)":"Bot/1%20(x)","x-host-header":"shop.example","time-taken":"0.250"}',
            {"t": 1_793_528_099_750_000, "target": "/a", "user_agent": "Bot/1 (x)", "host": "shop.example"},
        ),
        ends=True,
    ),
    objects(
        "ubika",
        "Ubika cloud protector, traffic log",
        keys(_UBIKA_KEYS, "ip_source", "http_status_code"),
        Sample(
            '{"ip_source":"192.0.2.7","http_method":"GET","protocol":"HTTP/1.1","hostname":"shop.example","path":"/a",'
            '"http_status_code":200,"response_size":5,"total_response_time":35,"timestamp":1793528100}',
            {"t": 1_793_528_100_000_000, "request_time_s": 0.035, "host": "shop.example"},
        ),
    ),
)
