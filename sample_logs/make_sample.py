"""Write the sample logs, the robots.txt versions and the truth about them: the same bytes each time.

    python sample_logs/make_sample.py [--into sample_logs]

The casts (crawlers.py, limited.py, others.py, api.py) say what each visitor did; here that becomes log lines, as nginx
writes them, and truth.json, which counts what the actors were told to do. Nothing of loganalyzer is used.
"""

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import api
import crawlers
import limited
import others
from actors import Actor
from shop import DAY, HOST, ROBOTS, START, Hit

SHOP = [*crawlers.CAST, *limited.CAST, *others.CAST]
COMMANDS = {
    "shop": "loganalyzer report sample_logs/access.log* --robots sample_logs/robots",
    "api": "loganalyzer report sample_logs/api.json.log",
}
DIRECTIVES = {
    "loganalyzer.conf": """\
log_format loganalyzer '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent '
                       '"$http_referer" "$http_user_agent" $msec $request_time "$host" '
                       '"$sent_http_retry_after" "$http_accept" "$http_if_none_match" '
                       '"$http_if_modified_since" "$http_x_forwarded_for" $limit_req_status';
""",
    "api.conf": """\
log_format api escape=json '{"time_iso8601":"$time_iso8601","msec":$msec,"remote_addr":"$remote_addr",'
                           '"host":"$host","request":"$request","status":$status,'
                           '"body_bytes_sent":$body_bytes_sent,"request_time":$request_time,'
                           '"http_referer":"$http_referer","http_user_agent":"$http_user_agent",'
                           '"sent_http_retry_after":"$sent_http_retry_after"}';
""",
}
# What no server meant to write: the end of a line whose start the rotation took, a line that a full disk cut, one of
# the error log in the wrong file, and an empty line. Each stands before the request of that number.
BROKEN = {
    "access.log.1": {
        900: '2026/11/02 09:14:33 [error] 811#811: *5120 open() "/srv/www/favicon.gif" failed (2: No such file)'
    },
    "access.log": {
        0: 'KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36"',
        1200: "",
        1201: "203.0.113.9 - - [03/Nov/2026:1",
    },
}


def hits(actors: Iterable[Actor]) -> list[Hit]:
    """What the actors do, in the order of the answers; each has its own seed. The log stops at midnight."""
    done = [hit for n, actor in enumerate(actors) for hit in actor.act(actor, Random(f"{n} {actor.client}"))]
    return sorted((hit for hit in done if hit.end < START + 3 * DAY), key=lambda hit: hit.end)


def escaped(value: str | None) -> str:
    r"""A variable as nginx logs it by default: `-` when empty; quotes, backslashes and all but ASCII as `\xHH`."""
    if not value:
        return "-"
    return "".join(chr(c) if 31 < c < 127 and chr(c) not in '"\\' else f"\\x{c:02X}" for c in value.encode())


def combined(hit: Hit) -> str:
    """A line of the format that nginx uses when told nothing."""
    request = hit.request or escaped(f"{hit.method} {hit.target} {hit.protocol}")
    stamp = datetime.fromtimestamp(int(hit.end), UTC).strftime("%d/%b/%Y:%H:%M:%S +0000")
    agents = f'"{escaped(hit.referer)}" "{escaped(hit.user_agent)}"'
    return f'{hit.address} - - [{stamp}] "{request}" {hit.status} {hit.bytes} {agents}'


def extended(hit: Hit) -> str:
    """A line of loganalyzer.conf."""
    sent = [hit.retry_after, hit.accept, hit.if_none_match, None, None]
    headers = " ".join(f'"{escaped(value)}"' for value in sent)
    return f'{combined(hit)} {hit.end:.3f} {hit.took:.3f} "{HOST}" {headers} {escaped(hit.limiter)}'


def as_json(hit: Hit) -> str:
    """A line of api.conf: with `escape=json` an empty variable is an empty string."""
    written = {
        "time_iso8601": f'"{datetime.fromtimestamp(int(hit.end), UTC).isoformat()}"',
        "msec": f"{hit.end:.3f}",
        "remote_addr": f'"{hit.address}"',
        "host": '"api.shop.example"',
        "request": json.dumps(f"{hit.method} {hit.target} {hit.protocol}"),
        "status": hit.status,
        "body_bytes_sent": hit.bytes,
        "request_time": f"{hit.took:.3f}",
        "http_referer": json.dumps(hit.referer or ""),
        "http_user_agent": json.dumps(hit.user_agent or ""),
        "sent_http_retry_after": json.dumps(hit.retry_after or ""),
    }
    return "{" + ",".join(f'"{name}":{value}' for name, value in written.items()) + "}"


def with_broken(lines: list[str], broken: dict[int, str]) -> list[str]:
    """The lines with the broken ones put in."""
    whole = []
    for n, line in enumerate(lines):
        whole += [broken[n]] if n in broken else []
        whole.append(line)
    return whole


def logs(shop: list[Hit], calls: list[Hit]) -> dict[str, list[str]]:
    """File name -> lines. Day 1 is combined and was rotated twice, the format was changed before day 2."""
    day = [[hit for hit in shop if (hit.end - START) // DAY == n] for n in range(3)]
    lines = {
        "access.log.2.gz": [combined(hit) for hit in day[0]],
        "access.log.1": [extended(hit) for hit in day[1]],
        "access.log": [extended(hit) for hit in day[2]],
        "api.json.log": [as_json(hit) for hit in calls],
    }
    return {name: with_broken(text, BROKEN.get(name, {})) for name, text in lines.items()}


def inputs(files: dict[str, list[str]]) -> dict[str, dict[str, int]]:
    """The accounting of each file: lines = requests + rejects + blank."""
    account = {}
    for name, lines in files.items():
        broken = list(BROKEN.get(name, {}).values())
        blank = broken.count("")
        account[name] = {
            "lines": len(lines),
            "requests": len(lines) - len(broken),
            "rejects": len(broken) - blank,
            "blank": blank,
            "bytes": sum(len(line.encode()) + 1 for line in lines),
        }
    return account


def client_truth(actors: list[Actor], own: list[Hit]) -> dict[str, Any]:
    """What the report ought to say of one client, all its actors taken together."""
    reads = [hit.start for hit in own if hit.target == "/robots.txt" and hit.status in (200, 304)]
    pages = [hit.start for hit in own if hit.target != "/robots.txt"]
    classes = Counter(hit.robots for hit in own)
    return {
        "told": [" ".join(actor.act.__doc__.split()) for actor in actors],
        "requests": len(own),
        "bytes": sum(hit.bytes for hit in own),
        "addresses": len({hit.address for hit in own}),
        "refusals": sum(hit.status == 429 for hit in own),
        "robots": {
            "fetches": len(reads),
            "first_before_page": min(reads) < min(pages) if reads else None,
            **{name: classes[name] for name in ("allowed", "violation", "grace", "exempt", "unjudged")},
        },
        "verdicts": {address: counts for actor in actors for address, counts in actor.verdicts.items()},
        "disguised": any(actor.disguised for actor in actors),
    }


def clients(actors: list[Actor], seen: list[Hit]) -> dict[str, dict[str, Any]]:
    """The truth about every client, by name."""
    return {
        name: client_truth(
            [actor for actor in actors if actor.client == name], [hit for hit in seen if hit.client == name]
        )
        for name in sorted({actor.client for actor in actors})
    }


def truth(shop: list[Hit], calls: list[Hit], files: dict[str, list[str]]) -> dict[str, Any]:
    """The whole truth, by the command that ought to find it."""
    account = inputs(files)
    return {
        "shop": {
            "command": COMMANDS["shop"],
            "inputs": {name: account[name] for name in ("access.log.2.gz", "access.log.1", "access.log")},
            "clients": clients(SHOP, shop),
        },
        "api": {
            "command": COMMANDS["api"],
            "inputs": {"api.json.log": account["api.json.log"]},
            "clients": clients(api.CAST, calls),
        },
    }


def write(into: Path) -> None:
    """All files, below the given folder."""
    (into / "robots").mkdir(parents=True, exist_ok=True)
    for name, text in ({f"robots/{instant}.txt": text for instant, text in ROBOTS.items()} | DIRECTIVES).items():
        (into / name).write_text(text, encoding="utf-8")
    shop, calls = hits(SHOP), hits(api.CAST)
    files = logs(shop, calls)
    for name, lines in files.items():
        data = "".join(f"{line}\n" for line in lines).encode()
        (into / name).write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
    known = json.dumps(truth(shop, calls, files), indent=1, ensure_ascii=False)
    (into / "truth.json").write_text(known + "\n", encoding="utf-8")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=Path, default=Path(__file__).parent)
    write(parser.parse_args().into)


if __name__ == "__main__":
    main()
