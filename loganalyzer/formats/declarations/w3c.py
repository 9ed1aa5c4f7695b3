"""W3C extended logs."""

from loganalyzer.formats.declarations.build import declared
from loganalyzer.formats.model import Format, Sample

W3C: tuple[Format, ...] = (
    declared(
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
)
