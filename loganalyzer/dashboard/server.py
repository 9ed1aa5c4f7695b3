"""The server: Streamlit's own behind the gate, which begins to read as soon as it has started."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Thread

from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Route
from streamlit.starlette import App

from loganalyzer.dashboard import PAGES
from loganalyzer.dashboard.guard import Guard

MIDDLEWARE = [Middleware(Guard)]


async def _first(request: Request) -> RedirectResponse:
    """Streamlit knows the page that opens first by the bare address alone."""
    return RedirectResponse(request.url.replace(path="./", scheme="", netloc="").components.geturl())


ROUTES = [Route(f"/{next(iter(next(iter(PAGES.values()))))}", _first)]


@asynccontextmanager
async def reading(_: App) -> AsyncIterator[None]:
    """Read what was named at start while the browser is still opening; the first page then waits for the rest only."""
    from loganalyzer.dashboard.loaders import warm

    # Streamlit would warn that this is no page.
    logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").setLevel(logging.ERROR)
    Thread(target=warm, daemon=True).start()
    yield
