"""Who is behind a request: product token grammar, registry of known clients, browsers' names, disguise."""

from loganalyzer.clients.classify import classify
from loganalyzer.clients.client import BROWSER, FLAGS, UNDECLARED, Client
from loganalyzer.clients.identification import identify
from loganalyzer.clients.registry import Registry

__all__ = ["BROWSER", "FLAGS", "UNDECLARED", "Client", "Registry", "classify", "identify"]
