"""The server's gate: who is let in, and what a page of it may load.

A name that was rebound to the loopback address reaches every server there, and a foreign page may send requests to it
or put it into a frame. Streamlit refuses such a WebSocket; here every path is refused, before anything answers. The
policy that goes with each answer has the browser itself refuse whatever would come from, or go to, anywhere else.
"""

from collections.abc import Sequence
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from loganalyzer.dashboard.launch import HOSTS

# Vega compiles the expressions of a chart (none of which is log text) and Streamlit writes styles into the page.
POLICY = {
    "default-src": "'self'",
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval'",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "worker-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
HEADERS = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Guard:
    """Refuse a Host that is not allowed, and an Origin that is not this Host; set the policy of what is answered."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not allowed(hosts[0], st.get_option("server.allowedHosts") or HOSTS):
            await _refuse(400, "This server does not answer to that name.", scope, receive, send)
        elif any(urlsplit(origin).netloc != hosts[0] for origin in origins):
            await _refuse(403, "Requests of other pages are refused.", scope, receive, send)
        else:
            await self._app(scope, receive, _with_policy(send, hosts[0]))


def allowed(host: str, hosts: Sequence[str]) -> bool:
    """Whether a Host header names one of these, with or without a port; `*.name` is any name below it."""
    name, _, port = host.partition(":")
    if port and not (port.isascii() and port.isdigit()):
        return False
    name = name.lower()
    return any(name == one or (one.startswith("*.") and name.endswith(one[1:])) for one in map(str.lower, hosts))


async def _refuse(status: int, why: str, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    await PlainTextResponse(why, status)(scope, receive, send)


def _with_policy(send: Send, host: str) -> Send:
    # 'self' is not the WebSocket of the same host in every browser.
    policy = POLICY | {"connect-src": f"'self' ws://{host} wss://{host}"}
    written = "; ".join(f"{name} {value}" for name, value in policy.items())

    async def to(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update({**HEADERS, "Content-Security-Policy": written})
        await send(message)

    return to
