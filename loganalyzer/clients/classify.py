"""Distinct user agents in, columns out: the only way a log's clients are identified."""

import pyarrow as pa

from loganalyzer.clients.client import Client
from loganalyzer.clients.identification import identify
from loganalyzer.clients.registry import Registry
from loganalyzer.schema import AGENT


def classify(user_agents: pa.Array, registry: Registry | None = None) -> pa.Table:
    """Identify each value of `user_agents` (text or dictionary, null = not sent): one row each, in order, schema AGENT.

    Names that differ in case alone are one client; the first spelling stands, unless the registry has one.

    Args:
        user_agents: distinct values, for each is looked at.
        registry: what is known of tokens; null is the registry that comes with the package.
    """
    if pa.types.is_dictionary(user_agents.type):
        user_agents = user_agents.dictionary_decode()
    texts = user_agents.to_pylist()
    clients = [identify(text, registry) for text in texts]
    spelling: dict[str, str] = {}
    keys = [spelling.setdefault(client.name.casefold(), client.name) for client in clients]
    columns = {"user_agent": texts, "client": keys}
    return pa.table(
        [pa.array(columns.get(f.name) or [_value(client, f.name) for client in clients], f.type) for f in AGENT],
        schema=AGENT,
    )


def _value(client: Client, name: str) -> object:
    value = getattr(client, name)
    return list(value) if isinstance(value, tuple) else value
