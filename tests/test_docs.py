"""The documentation is true: links lead somewhere, commands parse, directives load, numbers are the program's."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    str(path.relative_to(ROOT)): path
    for folder in ("", "docs", "sample_logs", "benchmarks")
    for path in sorted((ROOT / folder).glob("*.md"))
}
TEXT = {name: path.read_text(encoding="utf-8") for name, path in PAGES.items()}
DIRECTIVES = TEXT["docs/server-directives.md"]
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
IN_SERVER = ("access_log", "limit_req ")  # what these blocks begin with stands in `server { }`, all else in `http { }`


def blocks(language):
    """The fenced blocks of one language in the page about directives."""
    return re.findall(rf"```{language}\n(.*?)```", DIRECTIVES, flags=re.DOTALL)


@pytest.mark.parametrize("page", TEXT)
def test_links_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", TEXT[page])

    assert [t for t in targets if "://" not in t and not (PAGES[page].parent / t).exists()] == []


def test_the_directive_is_the_one_of_the_sample():
    assert blocks("nginx")[0] == (ROOT / "sample_logs/loganalyzer.conf").read_text(encoding="utf-8")


@pytest.mark.skipif(NGINX is None and "CI" not in os.environ, reason="no nginx here; CI installs it")
def test_nginx_takes_every_directive(tmp_path):
    server = [block for block in blocks("nginx") if block.startswith(IN_SERVER)]
    http = [block for block in blocks("nginx") if not block.startswith(IN_SERVER)]
    api = (ROOT / "sample_logs/api.conf").read_text(encoding="utf-8")
    inner = "\n".join(server).replace("/var/log/nginx", str(tmp_path))
    (tmp_path / "nginx.conf").write_text(
        f"pid {tmp_path}/pid;\nerror_log {tmp_path}/error.log;\nevents {{ }}\n"
        f"http {{\n{api}{''.join(http)}\nserver {{\nlisten 127.0.0.1:18080;\n{inner}\n}}\n}}\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [NGINX, "-t", "-p", tmp_path, "-c", tmp_path / "nginx.conf"], capture_output=True, text=True, check=False
    )

    assert len(server) == 2
    assert len(http) == 3
    assert done.returncode == 0, done.stderr
