"""The text to paste into each server, with what it cannot do said in it; one declaration a server."""

from __future__ import annotations

from collections.abc import Sequence

from loganalyzer.drafts.limits.rule import Rule
from loganalyzer.drafts.limits.servers.apache import APACHE
from loganalyzer.drafts.limits.servers.bans import CROWDSEC, FAIL2BAN
from loganalyzer.drafts.limits.servers.caddy import CADDY
from loganalyzer.drafts.limits.servers.fronts import ANUBIS, CLOUDFLARE
from loganalyzer.drafts.limits.servers.haproxy import HAPROXY
from loganalyzer.drafts.limits.servers.nginx import NGINX
from loganalyzer.drafts.limits.servers.server import Server

__all__ = ["SERVERS", "Server", "snippet"]

SERVERS = {server.name: server for server in (NGINX, APACHE, HAPROXY, CADDY, FAIL2BAN, CROWDSEC, ANUBIS, CLOUDFLARE)}


def snippet(server: str, rules: Sequence[Rule], figures: Sequence[str] = ()) -> str:
    """Write the rules for a server of SERVERS, each remark as a comment where the syntax has any.

    Args:
        server: A key of SERVERS.
        rules: Whom the limits are for.
        figures: What the rules come from, in sentences of ours: no text of a log.

    Raises:
        ValueError: There is no rule, or the server cannot do one of them.
    """
    return SERVERS[server].text(rules, figures)
