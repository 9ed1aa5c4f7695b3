r"""Every Arrow schema. The only place that spells a column; imports nothing of ours.

Null means "not logged, or logged as `-`"; an empty string means that the log holds an empty string. Text that is not
UTF-8 is kept with each offending byte written `\xHH` (the original bytes are found again by source and line).
Instants are microseconds: `time` as an Arrow timestamp, `t` and others named `*_us` or `t*` as int64 since the epoch.
"""

import pyarrow as pa

TEXT = pa.dictionary(pa.int32(), pa.string())
INSTANT = pa.timestamp("us", tz="UTC")

# One HTTP request. The total order is (t, source, line).
REQUEST = pa.schema(
    [
        ("source", TEXT),  # the input, as the operator named it
        ("line", pa.int64()),  # 1-based
        ("offset", pa.int64()),  # byte offset of the line in the uncompressed source
        ("time", INSTANT),  # as logged
        ("t", pa.int64()),  # START of the request: nginx logs the end, so its request time is taken off
        ("client_ip", TEXT),
        ("method", TEXT),
        ("target", TEXT),  # as logged, after undoing the writer's escaping
        ("protocol", TEXT),
        ("status", pa.int16()),
        ("bytes", pa.int64()),
        ("referer", TEXT),
        ("user_agent", TEXT),
        ("host", TEXT),
        ("request_time_s", pa.float64()),
        ("retry_after", TEXT),  # as sent: seconds or an HTTP-date
        ("accept", TEXT),
        ("if_none_match", TEXT),
        ("if_modified_since", TEXT),
        ("forwarded_for", TEXT),
        ("user", TEXT),
        ("limit_status", TEXT),  # nginx $limit_req_status: PASSED, DELAYED, REJECTED, ...
        ("request_raw", TEXT),  # only where the request line is not HTTP
    ]
)

# One input line that is no request, with the reason.
REJECT = pa.schema(
    [
        ("source", TEXT),
        ("line", pa.int64()),
        ("offset", pa.int64()),
        ("length", pa.int64()),  # bytes, without the line end
        ("reason", TEXT),
        ("field", TEXT),  # the field that could not be read, where one is to blame
        ("text", pa.binary()),  # at most 64 KiB of the line
    ]
)

# One distinct user agent, identified. Row i describes code i of the request's user-agent dictionary.
AGENT = pa.schema(
    [
        ("user_agent", pa.string()),  # null = not sent
        ("client", pa.string()),  # key of the client: its token, or "browser", or "undeclared"
        ("token", pa.string()),
        ("robots_tokens", pa.list_(pa.string())),
        ("legal_token", pa.bool_()),
        ("version", pa.string()),
        ("contact", pa.string()),
        ("automated", pa.bool_()),
        ("kind", pa.string()),
        ("purpose", pa.string()),
        ("operator", pa.string()),
        ("user_triggered", pa.bool_()),
        ("declares_robots", pa.string()),
        ("star_binds", pa.bool_()),  # false: the operator documents that `User-agent: *` does not bind it
        ("docs_url", pa.string()),
        ("flags", pa.list_(pa.string())),
    ]
)

# Evidence that one client came back to one address under another name (loganalyzer.clients.disguise).
DISGUISE = pa.schema(
    [
        ("client", pa.int32()),  # code of the client that was refused
        ("address", pa.int32()),
        ("reason", pa.string()),  # browser-after-refusal, other-token-after-refusal, browser-for-closed-pages
        ("count", pa.int64()),  # requests under the other name for targets that the client had asked for
        ("first_us", pa.int64()),
        ("ids", pa.list_(pa.int64())),  # of up to three of them
    ]
)

# A browser's user agent at one address that behaves like a program (loganalyzer.suspects): suspected, never proven.
SUSPECT = pa.schema(
    [
        ("address", pa.int32()),
        ("agent", pa.int32()),
        ("requests", pa.int64()),
        ("pages", pa.int64()),
        ("distinct_pages", pa.int64()),
        ("assets", pa.int64()),
        ("referred", pa.int64()),  # requests with a referer
        ("robots_reads", pa.int64()),
        ("companions", pa.int64()),  # other browsers' user agents at the address
        ("asset_share", pa.float64()),  # of the browsers of this log that loaded a few pages: took an asset
        ("referer_share", pa.float64()),  # of the same: sent a referer
        ("peak_60s", pa.int64()),  # pages
        ("gaps", pa.int64()),  # between pages
        ("gap_s", pa.float64()),  # median
        ("gap_spread_s", pa.float64()),  # between the first and the last tenth of the gaps
        ("resolution_s", pa.float64()),  # of the log's clock
        ("first_us", pa.int64()),
        ("last_us", pa.int64()),
        ("ids", pa.list_(pa.int64())),  # of the first three pages
        ("signs", pa.list_(pa.string())),  # keys of loganalyzer.suspects.SIGNS
    ]
)

# How one request of an automated client stands to robots.txt.
DECISION = pa.schema(
    [
        ("id", pa.int64()),  # of the request
        ("client", pa.int32()),  # code of the client
        ("class", TEXT),  # allowed, violation, grace, exempt, unjudged
        ("reason", TEXT),  # of exempt and unjudged
        ("version", pa.int32()),  # index into History.versions; null = none
        ("rule_line", pa.int64()),  # the deciding line of that version; null = no rule
    ]
)

# Pace of one key (a client, or a client at one address).
RATE = pa.schema(
    [
        ("client", pa.int32()),
        ("address", pa.int32()),  # null where the key is the client alone
        ("requests", pa.int64()),
        ("first_us", pa.int64()),
        ("last_us", pa.int64()),
        ("peak_1s", pa.int64()),
        ("peak_1s_at_us", pa.int64()),
        ("peak_60s", pa.int64()),
        ("peak_60s_at_us", pa.int64()),
        ("mean_active", pa.float64()),  # requests per second; null for a single request
        ("burst", pa.int64()),  # requests in the longest run with no gap above 1 s
        ("burst_at_us", pa.int64()),
        ("burst_us", pa.int64()),
        ("concurrency", pa.int64()),  # null where no request time is logged
    ]
)

# One chain of refusals and what the client did about them (design: reaction to 429 and 503).
EPISODE = pa.schema(
    [
        ("client", pa.string()),
        ("address", pa.string()),  # null where the key is the token
        ("t0", pa.int64()),  # the first refusal, sent
        ("t1", pa.int64()),  # the last refusal, sent
        ("verdict", pa.string()),  # honoured, slowed, ignored, escalated, gave_up, unobserved
        ("refusals", pa.int64()),
        ("waits", pa.int64()),
        ("kept", pa.int64()),
        ("asked_s", pa.float64()),  # of the first wait
        ("asked_known", pa.bool_()),
        ("early", pa.int64()),
        ("same_target_early", pa.int64()),
        ("same_target_later", pa.int64()),  # refusals whose target was asked for again once the wait was over
        ("same_target_soon", pa.int64()),  # of these, soon after
        ("in_flight", pa.int64()),
        ("robots_in_wait", pa.int64()),
        ("first_return_s", pa.float64()),
        ("pace_before", pa.float64()),  # requests per second
        ("pace_in_wait", pa.float64()),
        ("ratio", pa.float64()),  # of the pace in the wait to the pace before
        ("pace_after", pa.float64()),  # once back after the wait; null where it did not come or the log ends
        ("shape", pa.string()),  # growing, constant, irregular: of the gaps between refusals
        (
            "elsewhere",
            pa.int64(),
        ),  # of the early ones, from addresses not refused in it; null, as what follows, by address
        ("addresses_before", pa.int64()),  # distinct, in the time over which the pace before is taken
        ("addresses_after", pa.int64()),  # in as long a time after the first refusal
        ("spread", pa.bool_()),  # at least half of the early ones from elsewhere
        ("rotated", pa.bool_()),  # at least twice as many addresses after as before
    ]
)

# Whether one address of one client is its operator's (loganalyzer.verification).
VERIFIED = pa.schema(
    [
        ("client", pa.int32()),
        ("address", pa.int32()),
        ("verdict", pa.string()),  # verified, refuted, unknown
        ("way", pa.string()),  # range list of 2026-11-01, reverse DNS; of unknown, why
    ]
)
