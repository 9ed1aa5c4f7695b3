"""The site that real clients are sent to, and the nginx that serves it and logs it as recommended, and as combined."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from loganalyzer.formats.recommended import RECOMMENDED

PAGES = 24  # page N links to the two after it and to the page before
PRIVATE = 5
RETRY_AFTER_S = 3  # the shortest in which a request can be early: the first second and the last are not counted
LIMITED = "127.0.1."  # clients from there meet the limit, all others do not

ROBOTS = """\
User-agent: *
Disallow: /private/
Disallow: /trap/
Disallow: /pages/09

User-agent: Wget
Disallow: /private/
Disallow: /trap/
Disallow: /pages/2

User-agent: Scrapy
Disallow: /private/
Disallow: /trap/
Disallow: /pages/1

User-agent: LiveBot
Disallow: /private/
Crawl-delay: 2

User-agent: Spender
Disallow:
Crawl-delay: 2

User-agent: ChatGPT-User
Disallow: /

Sitemap: http://127.0.0.1:{port}/sitemap.xml
"""
# items/ has a page for every name, and trap/ one at every depth; moved.html leads to where robots.txt says not to go.
NGINX = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log; events {{ }}
http {{
  {log_format}
  log_format plain '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent '
                   '"$http_referer" "$http_user_agent"';
  access_log {folder}/recommended.log {name};
  access_log {folder}/combined.log plain;
  types {{ text/html html; text/css css; image/png png; application/javascript js;
           application/xml xml; text/plain txt; }}
  map $remote_addr $limited {{ default ""; "~^127[.]0[.]1[.]" $binary_remote_addr; }}
  map $uri $counted {{ default $limited; /robots.txt ""; }}
  limit_req_zone $counted zone=each:1m rate=1r/s;
  limit_req_status 429;
  map $status $retry_after {{ default ""; 429 {retry_after}; }}
  add_header Retry-After $retry_after always;
  server {{
    listen 127.0.0.1:{port};
    root {folder}/site;
    limit_req zone=each burst=4 nodelay;
    location /items/ {{ try_files /item.html =404; }}
    location /trap/ {{ try_files /trap.html =404; }}
    location = /moved.html {{ return 302 /private/moved.html; }}
  }}
}}
"""


def links(*targets):
    return "".join(f'<a href="{target}">{target}</a>\n' for target in targets)


def page(title, *targets):
    head = (
        f'<title>{title}</title><link rel="stylesheet" href="/assets/site.css"><script src="/assets/site.js"></script>'
    )
    body = f'<img src="/assets/logo.png" alt=""><h1>{title}</h1><p>{f"{title} has words. " * 60}</p>'
    return f"<!doctype html><html><head>{head}</head><body>{body}\n{links(*targets)}</body></html>\n"


def name(number):
    return f"/pages/{number:02}.html"


def files(port):
    """Path and text of every file of the site."""
    front = [*map(name, range(1, 7)), *(f"/private/{n}.html" for n in range(1, PRIVATE + 1)), "/trap/a/", "/moved.html"]
    made = {
        "/index.html": page("Front", *front),
        "/list.html": page("List", *(f"/items/list/{n}.html" for n in range(1, 41))),
        "/item.html": page("Item"),
        "/trap.html": page("Deeper", "a/", "b/"),
    }
    for n in range(1, PAGES + 1):
        made[name(n)] = page(f"Page {n}", *(name(to) for to in (n - 1, n + 1, n + 2) if 1 <= to <= PAGES))
    for which in (*range(1, PRIVATE + 1), "moved"):
        made[f"/private/{which}.html"] = page(f"Private {which}", "/")
    urls = "".join(f"<url><loc>http://127.0.0.1:{port}{name(n)}</loc></url>" for n in range(1, PAGES + 1))
    return made | {
        "/assets/site.css": "body { color: #222 }\n" * 40,
        "/assets/site.js": "document.title += '.';\n",
        "/assets/logo.png": "no picture, but asked for as one\n" * 30,
        "/sitemap.xml": f"<urlset>{urls}</urlset>\n",
        "/feed.xml": "<rss version='2.0'><channel><title>Feed</title></channel></rss>\n",
        "/robots.txt": ROBOTS.format(port=port),
    }


def lay_out(folder, port):
    """Write the site and the server's configuration."""
    for path, text in files(port).items():
        file = folder / "site" / path[1:]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    directive = RECOMMENDED["nginx"].directive
    conf = NGINX.format(
        folder=folder, port=port, log_format=directive, name=directive.split()[1], retry_after=RETRY_AFTER_S
    )
    (folder / "nginx.conf").write_text(conf, encoding="utf-8")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def served(folder):
    """Serve the site from `folder`; give its address."""
    port = free_port()
    lay_out(folder, port)
    program = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    process = subprocess.Popen([program, "-c", folder / "nginx.conf"], stderr=subprocess.DEVNULL)
    try:
        for _ in range(400):
            with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=5):
                break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)


def robots(folder):
    return Path(folder) / "site" / "robots.txt"
