"""Browsers' names as people read them, through ua-parser and only when asked."""

import subprocess
import sys

import pytest

from loganalyzer.clients.browsers import family


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
            "Chrome 140 on Windows",
        ),
        ("Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0", "Firefox 139 on Ubuntu"),
        ("Opera/9.80 (X11; Linux i686) Presto/2.12.388 Version/12.16", "Opera 12 on Linux"),
        ("quarry", None),
        ("", None),
        (None, None),
    ],
)
def test_family_names_version_and_system(user_agent, name):
    assert family(user_agent) == name


def test_identification_never_loads_the_browser_parser():
    code = (
        "import sys; from loganalyzer.clients import identify; identify('TidyBot/1'); identify('Mozilla/5.0 (X11) Q');"
        " sys.exit(any(name.startswith('ua_parser') for name in sys.modules))"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
