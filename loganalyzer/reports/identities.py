"""What a user agent claims to be, for `loganalyzer identify`."""

import json
from dataclasses import asdict

from loganalyzer.clients import identify
from loganalyzer.escape import inline, json_text


def line(user_agent: str, as_json: bool) -> str:
    """One user agent on one line: a sentence, or a JSON object."""
    client = identify(user_agent)
    if as_json:
        told = {"user_agent": user_agent, "client": client.name, **asdict(client)}
        return json_text(json.dumps(told, ensure_ascii=False))
    facts = [
        f"{client.kind or 'kind unknown'}, {client.purpose or 'purpose unknown'}",
        f"operator {client.operator or 'unknown'}",
        f"version {client.version or 'none'}",
        f"contact {client.contact or 'none'}",
        f"robots.txt name {' then '.join(client.robots_tokens) or 'none'}",
        *(["not a legal robots.txt name by RFC 9309"] if client.token and not client.legal_token else []),
        *client.flags,
    ]
    return inline(f"{client.name}: {'; '.join(facts)}")
